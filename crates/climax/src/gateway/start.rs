//! To start a server is a call like any other: judged, asked until somebody agreed to this very command, and written down.

use std::sync::Arc;

use aish_mcp::client::WrittenEndpoint;
use aish_safety::Subject;
use aish_tools::schema::Faults;
use aish_tools::{Changes, CheckedCall, Confirm, Plan, ToolSource};
use aish_types::{Risk, SourceId, ToolDefinition, ToolName, ToolOutcome, visible};
use serde_json::json;

use super::approved::Approved;
use super::upstream::Upstream;

/// One tool a server: its start.
pub(crate) struct Starts {
    id: SourceId,
    upstreams: Vec<Arc<Upstream>>,
    approved: Arc<Approved>,
}

/// Returns the name of the call that starts a server; no server's tool and no config's can have one like it.
pub(crate) fn start_name(alias: &str) -> ToolName {
    ToolName::new(format!("start:{alias}"))
}

impl Starts {
    pub(crate) fn new(upstreams: Vec<Arc<Upstream>>, approved: Arc<Approved>) -> Self {
        Self { id: SourceId::new("climax"), upstreams, approved }
    }

    fn definition(&self, upstream: &Upstream) -> ToolDefinition {
        let is_approved = upstream.agreed().is_some_and(|agreed| self.approved.holds(&upstream.source, &agreed));
        let schema = json!({"type": "object", "properties": {}});
        let mut definition =
            ToolDefinition::new(start_name(upstream.alias()), "Starts an MCP server", schema, self.id.clone());
        definition.trusted = true;
        definition.requires_confirmation = !is_approved;
        definition.risk = match (is_approved, upstream.words()) {
            (false, _) => Risk::Destructive,
            // A program that nobody can write down the start of is not started.
            (true, Some(_)) => Risk::Write,
            (true, None) => Risk::Read,
        };
        definition.timeout_ms = Some(upstream.start_ms());
        definition
    }
}

impl ToolSource for Starts {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.upstreams.iter().map(|upstream| Arc::new(self.definition(upstream))).collect()
    }

    fn changes(&self) -> Changes {
        Changes::Unknown
    }

    fn plan(self: Arc<Self>, call: &CheckedCall) -> Result<Plan, Faults> {
        let found = self.upstreams.iter().find(|upstream| start_name(upstream.alias()) == call.definition.name);
        let upstream = Arc::clone(found.ok_or_else(|| Faults(vec!["there is no such server".to_owned()]))?);
        let sentence = sentence(&upstream);
        let subject = upstream.words().map_or(Subject::Tool, |words| Subject::Argv { words });
        let approved = Arc::clone(&self.approved);
        let plan = Plan::of(subject, move |_call, context| async move {
            if let Some(agreed) = upstream.agreed() {
                approved.note(&upstream.source, &agreed);
            }
            match upstream.launch(&context.cancel).await {
                Ok(()) => ToolOutcome::success("started"),
                Err(why) => ToolOutcome::failure(why),
            }
        });
        let confirm = Confirm { look_ups: Vec::new(), word: Box::new(move |_| sentence) };
        Ok(Plan { confirm: Some(confirm), ..plan })
    }
}

/// Words the question. The words of a command line follow it, whole.
fn sentence(upstream: &Upstream) -> String {
    let alias = upstream.alias();
    let listed = |names: Vec<&String>| {
        let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
        names.join(", ")
    };
    let text = match upstream.reach() {
        Some(WrittenEndpoint::Stdio { command, env, .. }) => {
            let agreed = upstream.agreed();
            let folder = agreed.as_ref().and_then(|agreed| agreed.folder);
            let folder = folder.map(|folder| format!(" in {}", folder.display())).unwrap_or_default();
            // A bare name is looked up, and may be found elsewhere than one thinks.
            let file = agreed.and_then(|agreed| agreed.program).filter(|_| !command.contains('/'));
            let file = file.map(|file| format!(" {command} is {}.", file.display())).unwrap_or_default();
            let with = if env.is_empty() {
                String::new()
            } else {
                format!(" It is given the variables {}.", listed(env.keys().collect()))
            };
            format!("Start the MCP server '{alias}'? This program runs here{folder}, with your rights.{file}{with}")
        }
        Some(WrittenEndpoint::Http { headers, auth_env, .. }) => {
            let token = auth_env.as_ref().map(|name| format!(" It is sent the token in ${name}.")).unwrap_or_default();
            let with = if headers.is_empty() {
                String::new()
            } else {
                format!(" It is sent the headers {}.", listed(headers.keys().collect()))
            };
            format!("Connect to the MCP server '{alias}' at {}?{token}{with}", upstream.shown())
        }
        None => format!("Start the MCP server '{alias}'?"),
    };
    visible(&text).into_owned()
}
