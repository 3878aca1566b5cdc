//! The connection: an editor's requests, each handed to the host in a task of its own.
//!
//! Requests are answered outside the loop that reads messages: a turn waits for answers of the same editor.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, CloseSessionRequest, CloseSessionResponse, FileSystemCapabilities,
    Implementation, InitializeRequest, InitializeResponse, ListSessionsRequest, ListSessionsResponse,
    LoadSessionRequest, LoadSessionResponse, McpCapabilities, McpServer, NewSessionRequest, NewSessionResponse,
    PromptCapabilities, PromptRequest, PromptResponse, ResumeSessionRequest, ResumeSessionResponse,
    SessionCapabilities, SessionCloseCapabilities, SessionInfo, SessionListCapabilities, SessionMode, SessionModeState,
    SessionResumeCapabilities, SetSessionModeRequest, SetSessionModeResponse, StopReason,
};
use agent_client_protocol::{Agent, Error, Lines, on_receive_notification, on_receive_request};
use futures_util::{SinkExt, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};

use crate::client::Client;
use crate::host::{History, Host, HostError, Mode, Opened, Server, Stop, Wanted};
use crate::line_codec::{LONGEST, LineCodec};
use crate::prompt::Prompt;

/// What the agent says of itself.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether its model takes images.
    pub images: bool,
}

/// Why the connection failed.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the editor failed: {0}")]
pub struct ServeError(String);

/// Serves an editor until its input ends. Nothing but messages is written to `output`.
///
/// # Errors
/// When the input cannot be read or the output cannot be written.
pub async fn serve(
    host: Arc<dyn Host>,
    facts: Facts,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), ServeError> {
    let incoming =
        FramedRead::new(input, LineCodec::new()).map(|line| line.map(first_version).map_err(std::io::Error::other));
    let framed = FramedWrite::new(output, LinesCodec::new_with_max_length(LONGEST));
    let outgoing = SinkExt::<String>::sink_map_err(framed, std::io::Error::other);
    let served = Arc::new(Served { host, facts, files: Mutex::default() });
    let [first, new, load, resume, list, prompt, mode, close, cancel]: [Arc<Served>; 9] =
        std::array::from_fn(|_| Arc::clone(&served));
    Agent
        .v1()
        .name("aish")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _| responder.respond(first.initialize(request)),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, connection| {
                let (served, client) = (Arc::clone(&new), new.client(&connection));
                connection.spawn(async move { responder.respond_with_result(served.open(request, client).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, connection| {
                let (served, client) = (Arc::clone(&load), load.client(&connection));
                connection.spawn(async move {
                    let wanted = wanted(request.cwd, request.mcp_servers);
                    let opened = served.resume(&request.session_id.0, wanted, client, History::Replayed).await;
                    responder.respond_with_result(opened.map(|modes| LoadSessionResponse::new().modes(modes)))
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest, responder, connection| {
                let (served, client) = (Arc::clone(&resume), resume.client(&connection));
                connection.spawn(async move {
                    let wanted = wanted(request.cwd, request.mcp_servers);
                    let opened = served.resume(&request.session_id.0, wanted, client, History::Silent).await;
                    responder.respond_with_result(opened.map(|modes| ResumeSessionResponse::new().modes(modes)))
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest, responder, _| responder.respond_with_result(list.list(&request)),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, connection| {
                let served = Arc::clone(&prompt);
                // The turn is played in a task of its own: a cancel may come before that has begun.
                served.host.begin(&request.session_id.0);
                connection.spawn(async move { responder.respond_with_result(served.prompt(request).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest, responder, _| {
                let set = mode.host.set_mode(&request.session_id.0, &request.mode_id.0).map_err(error);
                responder.respond_with_result(set.map(|()| SetSessionModeResponse::new()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder, connection| {
                let served = Arc::clone(&close);
                connection.spawn(async move {
                    let closed = served.host.close(&request.session_id.0).await.map_err(error);
                    responder.respond_with_result(closed.map(|()| CloseSessionResponse::new()))
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancelled: CancelNotification, _| {
                cancel.host.cancel(&cancelled.session_id.0);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Lines::new(outgoing, incoming))
        .await
        .map_err(|error| ServeError(error.to_string()))
}

/// What all requests of an editor are answered from.
struct Served {
    host: Arc<dyn Host>,
    facts: Facts,
    /// What the editor does with files for us.
    files: Mutex<FileSystemCapabilities>,
}

impl Served {
    fn initialize(&self, request: InitializeRequest) -> InitializeResponse {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = request.client_capabilities.fs;
        initialized(&self.facts)
    }

    fn client(&self, connection: &ConnectionTo<agent_client_protocol::Client>) -> Client {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Client::new(connection.clone(), files)
    }

    async fn open(&self, request: NewSessionRequest, client: Client) -> Result<NewSessionResponse, Error> {
        let wanted = wanted(request.cwd, request.mcp_servers)?;
        let opened = self.host.open(wanted, client).await.map_err(error)?;
        let modes = modes(&opened);
        Ok(NewSessionResponse::new(opened.id).modes(modes))
    }

    async fn resume(
        &self,
        session: &str,
        wanted: Result<Wanted, Error>,
        client: Client,
        history: History,
    ) -> Result<SessionModeState, Error> {
        Ok(modes(&self.host.resume(session, wanted?, client, history).await.map_err(error)?))
    }

    fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse, Error> {
        let sessions = self.host.list(request.cwd.as_deref()).map_err(error)?;
        let info = sessions
            .into_iter()
            .map(|session| SessionInfo::new(session.id, session.folder).title(session.title).updated_at(session.used));
        Ok(ListSessionsResponse::new(info.collect::<Vec<_>>()))
    }

    async fn prompt(&self, request: PromptRequest) -> Result<PromptResponse, Error> {
        let prompt = Prompt::of(request.prompt);
        let stopped = self.host.prompt(&request.session_id.0, prompt).await.map_err(error)?;
        Ok(PromptResponse::new(reason(stopped)))
    }
}

/// Takes an editor that offers a later version beside what it can do in the first by that: the first is spoken.
fn first_version(line: String) -> String {
    if !line.contains("\"initialize\"") {
        return line;
    }
    let Ok(mut message) = serde_json::from_str::<serde_json::Value>(&line) else { return line };
    let is_first = message.get("method").is_some_and(|method| method == "initialize");
    let offers =
        |params: &&mut serde_json::Value| params.get("clientCapabilities").is_some_and(serde_json::Value::is_object);
    let Some(params) = message.get_mut("params").filter(offers).filter(|_| is_first) else { return line };
    let later = params.get_mut("protocolVersion").filter(|version| version.as_u64().is_some_and(|version| version > 1));
    let Some(version) = later else { return line };
    *version = 1.into();
    message.to_string()
}

/// Answers our own version, whatever was asked for: an editor that does not speak it closes the connection.
fn initialized(facts: &Facts) -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let capabilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().image(facts.images).embedded_context(true))
        .mcp_capabilities(McpCapabilities::new().http(true))
        .session_capabilities(sessions);
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(Implementation::new(facts.name.clone(), facts.version.clone()))
}

/// Reads what an editor wants of a session.
fn wanted(folder: PathBuf, servers: Vec<McpServer>) -> Result<Wanted, Error> {
    if !folder.is_absolute() {
        return Err(invalid(&format!("cwd must be an absolute path, unlike {}", folder.display())));
    }
    let servers = servers.into_iter().map(server).collect::<Result<Vec<_>, _>>()?;
    Ok(Wanted { folder, servers })
}

fn server(server: McpServer) -> Result<Server, Error> {
    match server {
        McpServer::Stdio(server) => Ok(Server::Program {
            name: server.name,
            command: server.command,
            arguments: server.args,
            variables: server.env.into_iter().map(|variable| (variable.name, variable.value)).collect(),
        }),
        McpServer::Http(server) => Ok(Server::Url {
            name: server.name,
            url: server.url,
            headers: server.headers.into_iter().map(|header| (header.name, header.value)).collect::<BTreeMap<_, _>>(),
        }),
        _ => Err(invalid("only MCP servers over standard streams and over HTTP can be used")),
    }
}

fn modes(opened: &Opened) -> SessionModeState {
    let mode = |mode: &Mode| SessionMode::new(mode.id.clone(), mode.name.clone()).description(mode.about.clone());
    SessionModeState::new(opened.mode.clone(), opened.modes.iter().map(mode).collect::<Vec<_>>())
}

const fn reason(stop: Stop) -> StopReason {
    match stop {
        Stop::End => StopReason::EndTurn,
        Stop::Length => StopReason::MaxTokens,
        Stop::Requests => StopReason::MaxTurnRequests,
        Stop::Refusal => StopReason::Refusal,
        Stop::Cancelled => StopReason::Cancelled,
    }
}

fn invalid(why: &str) -> Error {
    Error::new(Error::invalid_params().code, why)
}

/// The code of a session or a file that is not there.
const NOT_FOUND: i32 = -32002;

fn error(error: HostError) -> Error {
    let code = match &error {
        HostError::NoModel(_) => Error::auth_required().code,
        HostError::Unusable(_) => Error::invalid_params().code,
        HostError::NoSession(_) => NOT_FOUND.into(),
        HostError::Failed(_) => Error::internal_error().code,
    };
    Error::new(code, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_of_a_later_version_keeps_what_it_can_do_in_the_first() {
        let hello = |version: u64, params: &str| {
            format!(
                r#"{{"id":0,"jsonrpc":"2.0","method":"initialize","params":{{{params}"protocolVersion":{version}}}}}"#
            )
        };
        let files = r#""clientCapabilities":{"fs":{"readTextFile":true}},"#;
        for version in [2, 99] {
            assert_eq!(first_version(hello(version, files)), hello(1, files));
            assert_eq!(first_version(hello(version, "")), hello(version, ""));
        }
        assert_eq!(first_version(hello(1, files)), hello(1, files));
        let other = hello(2, files).replace(r#""method":"initialize""#, r#""method":"initialize/x""#);
        assert_eq!(first_version(other.clone()), other);
        for line in ["", "\"initialize\"", "{\"initialize\"", r#"{"method":"initialize","params":[]}"#] {
            assert_eq!(first_version(line.to_owned()), line);
        }
    }
}
