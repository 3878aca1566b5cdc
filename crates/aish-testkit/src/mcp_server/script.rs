//! What a fake server does, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How a server treats a method that it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    /// It answers with the error -32601.
    #[default]
    Error,
    /// It answers with an empty result.
    Empty,
    /// It never answers.
    Hang,
    /// It ends; over HTTP it closes the connection.
    Exit,
    /// It never answers, and nothing after it either; over HTTP as `hang`.
    Block,
    /// Over HTTP it answers with status 500 and text; over standard streams with an error whose code is a text.
    Status500,
}

/// Which id an answer carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ids {
    /// The request's.
    #[default]
    Same,
    /// The request's, as a text.
    Text,
    /// The request's, as a float.
    Float,
    /// Null.
    Null,
    /// None at all.
    Absent,
    /// The request's behind a word, as in `req-1`.
    Prefixed,
    /// Always the same one.
    Constant,
    /// First an answer with an id that nobody uses, then the right one.
    WrongFirst,
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// As the protocol says.
    #[default]
    Plain,
    /// Over several lines, indented.
    Pretty,
    /// As a batch of one.
    Batch,
    /// After a byte order mark.
    Bom,
    /// After a log text on the same line (standard streams only).
    Prefixed,
    /// Without the end of the line (standard streams only).
    NoNewline,
    /// With CRLF (standard streams only).
    Crlf,
    /// Behind its length and without an end, as language servers write (standard streams only).
    Length,
    /// As server-sent events (HTTP only).
    Sse,
    /// As server-sent events among lines that are none (HTTP only).
    SseJunk,
    /// As server-sent events that end before the answer (HTTP only).
    SseCut,
    /// As server-sent events over several lines without spaces, and without the empty line at the end (HTTP only).
    SseTight,
    /// As server-sent events in a stream that stays open, with comments to keep it alive (HTTP only).
    SseOpen,
    /// Coloured, as a terminal would show it (standard streams only).
    Coloured,
    /// In UTF-16 with a byte order mark (HTTP only).
    Utf16,
    /// In an answer that announces more bytes than it has, and then ends (HTTP only).
    Cut,
    /// In chunks of which the last one is missing (HTTP only).
    ChunksCut,
}

/// What a GET of the endpoint gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GetReply {
    /// Status 405.
    #[default]
    NotAllowed,
    /// Nothing, for ever.
    Hang,
    /// One event that announces the endpoint, then the end.
    Endpoint,
}

/// A line that the head of each request must have (HTTP only).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// How the line begins, as it is written; the whole line where `$` stands at the end.
    pub line: String,
    /// The status of a request without it.
    pub status: u16,
    /// Methods that are answered without it.
    #[serde(default)]
    pub except: Vec<String>,
}

/// What a fake server does.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpScript {
    /// Results by method, in place of the built-in ones.
    pub results: BTreeMap<String, Value>,
    /// Results by method that are given one after the other, the last one for ever.
    pub sequences: BTreeMap<String, Vec<Value>>,
    /// Errors by method.
    pub errors: BTreeMap<String, Value>,
    /// Whole answers by method, written as they are; `$ID` is the request's id.
    pub raw: BTreeMap<String, String>,
    /// Methods that are never answered.
    pub hang: Vec<String>,
    /// Methods whose first request is answered when the second has come, before that one.
    pub late: Vec<String>,
    /// Methods at which it ends without an answer.
    pub exit: Vec<String>,
    /// Methods after whose answer it ends (standard streams only).
    pub last: Vec<String>,
    /// The protocol versions that a greeting may name; any unless set.
    pub versions: Vec<String>,
    /// A greeting that names another one gets status 400 and a text (HTTP only).
    pub versions_by_status: bool,
    /// It takes no other capabilities of a client than none.
    pub bare_clients: bool,
    /// Milliseconds before each answer.
    pub delay_ms: u64,
    /// Messages by method that are written before its answer, as they are (standard streams and event streams).
    pub before: BTreeMap<String, Vec<String>>,
    /// What unknown methods get.
    pub unknown: Unknown,
    /// The ids of answers.
    pub ids: Ids,
    /// How answers are written.
    pub framing: Framing,
    /// It speaks 2026-07-28: it answers `server/discover`.
    pub modern: bool,
    /// It does not know `initialize`.
    pub modern_only: bool,
    /// Lines printed at the start (standard streams only).
    pub banner: Vec<String>,
    /// Bytes written to standard error at the start and with each answer.
    pub stderr_bytes: usize,
    /// It reads nothing after the handshake (standard streams only).
    pub deaf: bool,
    /// It ignores TERM's kin: the end of its input (standard streams only).
    pub stubborn: bool,
    /// Leaves a child behind that holds its output, and writes its process id here (standard streams only).
    pub child_pid_file: Option<String>,
    /// Writes its own process id and each method to this file, a line each.
    pub trace_file: Option<String>,
    /// The content type of answers; an empty text for none (HTTP only).
    pub content_type: Option<String>,
    /// The status of answers to notifications; 202 unless set (HTTP only).
    pub notice_status: Option<u16>,
    /// The body of answers to notifications (HTTP only).
    pub notice_body: String,
    /// Notifications are never answered (HTTP only).
    pub notice_hang: bool,
    /// Status codes by method (HTTP only).
    pub status: BTreeMap<String, u16>,
    /// Status codes by method of its first requests, which do nothing; 0 closes the connection (HTTP only).
    pub first_status: BTreeMap<String, Vec<u16>>,
    /// Whole HTTP answers by method, or by `*` for all; `$BODY` is the answer, `$BYTES` and `$CHARS` its length, and behind
    /// `$HOLD` the connection stays open (HTTP only).
    pub http: BTreeMap<String, String>,
    /// What the head of each POST must have (HTTP only).
    pub demands: Vec<Demand>,
    /// Answers come over the stream of events of a GET, and a POST gets 202 (HTTP only).
    pub answers_on_stream: bool,
    /// A request with a session is refused, whatever it gave out (HTTP only).
    pub refuses_sessions: bool,
    /// It gives out another session with each answer (HTTP only).
    pub rolling_sessions: bool,
    /// Response headers by method, as lines (HTTP only).
    pub headers: BTreeMap<String, Vec<String>>,
    /// It gives out a session and asks for it (HTTP only).
    pub session: bool,
    /// It forgets the session after so many requests (HTTP only).
    pub forget_session_after: Option<usize>,
    /// The bearer token that it asks for (HTTP only).
    pub token: Option<String>,
    /// What a GET gets (HTTP only).
    pub get: GetReply,
    /// The whole HTTP answer to a GET, in place of that (HTTP only).
    pub get_answer: Option<String>,
    /// A DELETE is never answered (HTTP only).
    pub delete_hang: bool,
    /// It speaks the HTTP transport of 2024-11-05: its address takes no POST, and a GET gets a stream of events whose
    /// first names the address for messages (HTTP only).
    pub events: bool,
    /// The address for messages in that event; `/messages?session=1` unless set (HTTP only).
    pub events_endpoint: Option<String>,
    /// The head and the first events of that stream, in place of the ones above (HTTP only).
    pub events_begin: Option<String>,
    /// A POST of its address gets this status and the way to the address with a slash at its end (HTTP only).
    pub redirect: Option<u16>,
    /// The way that is told then; `/mcp/` unless set (HTTP only).
    pub redirect_to: Option<String>,
    /// The status of a request with a session that is not known; 404 unless set (HTTP only).
    pub lost_session_status: Option<u16>,
    /// It closes the connection after each answer (HTTP only).
    pub close: bool,
    /// It does so without saying it (HTTP only).
    pub close_silently: bool,
    /// Bytes of an answer that are written at once; 0 is all (HTTP only).
    pub chunk: usize,
}

impl McpScript {
    /// lmcp 0.5.4: protocol 2025-03-26, one JSON answer a POST, the connection closed after it, 202 for
    /// notifications, a GET that announces the endpoint and closes.
    pub fn lmcp() -> Self {
        let initialize = json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {"listChanged": false}},
            "serverInfo": {"name": "lmcp", "version": "0.5.4"}});
        let tools = json!({"tools": [
            {"name": "list_dir", "description": "List a folder", "inputSchema": {"type": "object",
             "properties": {"path": {"type": "string"}}, "required": ["path"]}},
            {"name": "fail", "description": "Fails", "inputSchema": {"type": "object"}}]});
        Self {
            results: BTreeMap::from([("initialize".into(), initialize), ("tools/list".into(), tools)]),
            get: GetReply::Endpoint,
            close: true,
            ..Self::default()
        }
    }
}
