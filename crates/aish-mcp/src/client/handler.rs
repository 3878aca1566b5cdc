//! What a server may tell us and ask of us.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, Implementation,
    ProgressNotificationParam, ProtocolVersion,
};
#[expect(deprecated, reason = "servers before 2026-07-28 still use them")]
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ListRootsResult, LoggingMessageNotificationParam, Root,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use super::asked_secret;
use super::open_calls::OpenCalls;
use super::options::ServerOptions;
use super::ports::{Ports, Status};

/// Our side of one connection.
pub(super) struct Handler {
    alias: String,
    capabilities: Value,
    roots: Vec<String>,
    ports: Ports,
    elicitation: bool,
    sampling: bool,
    calls: Arc<OpenCalls>,
    /// The version that a greeting names.
    version: ProtocolVersion,
    /// Fires when the server says that its tools changed.
    pub(super) tools_changed: Arc<Notify>,
}

impl Handler {
    pub(super) fn new(
        options: &ServerOptions,
        ports: Ports,
        calls: Arc<OpenCalls>,
        version: ProtocolVersion,
        tools_changed: Arc<Notify>,
    ) -> Self {
        let elicitation = options.elicitation && (ports.person.is_some() || ports.caller.is_some());
        let sampling = options.sampling && (ports.writer.is_some() || ports.caller.is_some());
        let mut capabilities = Map::new();
        if elicitation {
            capabilities.insert("elicitation".into(), json!({"form": {}}));
        }
        if sampling {
            capabilities.insert("sampling".into(), json!({}));
        }
        if !options.roots.is_empty() {
            capabilities.insert("roots".into(), json!({}));
        }
        Self {
            alias: options.alias.clone(),
            capabilities: Value::Object(capabilities),
            roots: options.roots.iter().map(|path| file_url(&path.to_string_lossy())).collect(),
            ports,
            elicitation,
            sampling,
            calls,
            version,
            tools_changed,
        }
    }

    /// Puts a question to the caller that it belongs to, or to the person.
    async fn ask(&self, message: &str, schema: &Value) -> Option<Option<Value>> {
        let message = aish_types::visible(message);
        match (&self.ports.caller, &self.ports.person) {
            (Some(caller), _) => caller.ask(&self.alias, self.calls.of_question().as_ref(), &message, schema).await,
            (None, Some(person)) => person.ask(&self.alias, &message, schema).await,
            (None, None) => Some(None),
        }
    }

    async fn write(&self, params: &Value) -> Option<Value> {
        match (&self.ports.caller, &self.ports.writer) {
            (Some(caller), _) => caller.write(&self.alias, self.calls.of_question().as_ref(), params).await,
            (None, Some(writer)) => writer.write(&self.alias, params).await,
            (None, None) => None,
        }
    }
}

fn file_url(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let mut url = String::from("file://");
    for byte in path.bytes() {
        if plain(byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

#[expect(deprecated, reason = "servers before 2026-07-28 still use them")]
impl rmcp::ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities: ClientCapabilities = serde_json::from_value(self.capabilities.clone()).unwrap_or_default();
        ClientConfig::new(capabilities, Implementation::new("aish", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(self.version.clone())
    }

    fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<ListRootsResult, ErrorData>> + Send + '_ {
        let roots = self.roots.iter().map(|root| Root::new(root.clone())).collect();
        std::future::ready(Ok(ListRootsResult::new(roots)))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let decline = || ElicitResult::new(ElicitationAction::Decline);
        if !self.elicitation {
            return Ok(decline());
        }
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Ok(decline());
        };
        let schema = serde_json::to_value(requested_schema).unwrap_or_default();
        if asked_secret::asks(&message, &schema) {
            let reason = "it asked for a secret, which was declined".to_owned();
            self.ports.status.status(&self.alias, Status::Log { level: "warning".into(), text: reason });
            return Ok(decline());
        }
        Ok(match self.ask(&message, &schema).await {
            Some(Some(form)) => ElicitResult::new(ElicitationAction::Accept).with_content(with_defaults(form, &schema)),
            Some(None) => decline(),
            None => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let refused = || ErrorData::new(ErrorCode(-1), "The user declined", None);
        if !self.sampling {
            return Err(refused());
        }
        let params = serde_json::to_value(params).unwrap_or_default();
        let result = self.write(&params).await.ok_or_else(refused)?;
        serde_json::from_value(result).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        if let (Some(caller), Some(call)) = (&self.ports.caller, self.calls.of_token(&params.progress_token)) {
            let message = params.message.as_deref().map(aish_types::visible);
            caller.progress(&self.alias, &call, params.progress, params.total, message.as_deref());
        }
        let done = match params.total {
            Some(total) if total > 0.0 => format!("{:.0} %", params.progress / total * 100.0),
            _ => format!("{}", params.progress),
        };
        let text = params.message.unwrap_or_default();
        self.ports.status.status(&self.alias, Status::Progress { done, text });
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(params.level).ok().and_then(|level| Some(level.as_str()?.to_owned()));
        let text = match params.data {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let text = text.chars().take(1000).collect();
        self.ports.status.status(&self.alias, Status::Log { level: level.unwrap_or_default(), text });
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }
}

/// A form is complete: what the person left alone has the schema's default.
fn with_defaults(form: Value, schema: &Value) -> Value {
    let mut form = match form {
        Value::Object(form) => form,
        _ => Map::new(),
    };
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(default) = field.get("default")
            && !form.contains_key(name)
        {
            form.insert(name.clone(), default.clone());
        }
    }
    Value::Object(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safety_14_secrets_are_not_asked_for() {
        let schema = |name: &str| json!({"properties": {name: {"type": "string"}}});
        assert!(asked_secret::asks("Your API key?", &schema("key")));
        assert!(asked_secret::asks("Sign in", &schema("Password")));
        assert!(asked_secret::asks("Go on", &json!({"properties": {"x": {"title": "Access token"}}})));
        assert!(!asked_secret::asks("Which branch?", &schema("branch")));
    }

    #[test]
    fn defaults_fill_the_form() {
        let schema = json!({"properties": {"a": {"default": 1}, "b": {"default": 2}, "c": {}}});
        assert_eq!(with_defaults(json!({"a": 5}), &schema), json!({"a": 5, "b": 2}));
    }

    #[test]
    fn a_folder_becomes_a_url() {
        assert_eq!(file_url("/tmp/a b"), "file:///tmp/a%20b");
    }
}
