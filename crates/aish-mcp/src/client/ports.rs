//! What the client needs from the program around it.

use std::fmt;
use std::sync::Arc;

use aish_types::{BoxFuture, CallId, Secret, sanitize};
use serde_json::Value;

/// Something that happened to a server; its text is one line, safe for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It is connected, with so many tools.
    Connected {
        /// How many tools it offers.
        tools: usize,
        /// The protocol version that is spoken.
        protocol: String,
    },
    /// It could not be reached; nothing more is tried.
    Failed(String),
    /// It ended; it is started again after so many milliseconds.
    Lost {
        /// Why, in words for the person.
        reason: String,
        /// Milliseconds until the next try.
        retry_ms: u64,
    },
    /// One of its tools cannot be offered.
    Refused {
        /// The tool's name as it came.
        tool: String,
        /// Why, in words for the person.
        reason: String,
    },
    /// Its list of tools changed.
    Changed {
        /// How many are new or different.
        added: usize,
        /// How many are gone.
        removed: usize,
    },
    /// It logged something.
    Log {
        /// The level, as in RFC 5424.
        level: String,
        /// The text.
        text: String,
    },
    /// A call is so far.
    Progress {
        /// How much is done.
        done: String,
        /// What it says.
        text: String,
    },
    /// A token goes over the network unencrypted.
    PlainToken,
    /// It wants a person to sign in at this address.
    SignIn(String),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self {
            Self::Connected { tools, protocol } => format!("connected ({tools} tools, protocol {protocol})"),
            Self::Failed(reason) => reason.clone(),
            Self::Lost { reason, retry_ms } => format!("{reason}; trying again in {} s", retry_ms.div_ceil(1000)),
            Self::Refused { tool, reason } => format!("tool {} refused: {reason}", aish_types::visible(tool)),
            Self::Changed { added, removed } => format!("tools changed: {added} new or different, {removed} gone"),
            Self::Log { level, text } => format!("{level}: {text}"),
            Self::Progress { done, text } => format!("{done} {text}"),
            Self::PlainToken => "its token goes over the network unencrypted (http)".into(),
            Self::SignIn(url) => format!("sign in at {url}"),
        };
        f.write_str(sanitize(&line).replace('\n', " ").trim())
    }
}

/// Receives what happens to servers. It is called from their tasks and must not block.
pub trait StatusSink: Send + Sync {
    /// Takes a piece of news of the server with this alias.
    fn status(&self, alias: &str, status: Status);
}

/// A sink that drops everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl StatusSink for Silent {
    fn status(&self, _alias: &str, _status: Status) {}
}

/// The person, for a server that may put questions.
pub trait Person: Send + Sync {
    /// Shows who asks, the sentence and the fields of the form (a flat object schema); returns the filled-in form,
    /// `Some(None)` for a plain no, and none when there was no answer.
    fn ask<'a>(&'a self, alias: &'a str, message: &'a str, schema: &'a Value) -> BoxFuture<'a, Option<Option<Value>>>;
}

/// The model, for a server that may let it write. The gate stands before it.
pub trait Writer: Send + Sync {
    /// Answers `sampling/createMessage` parameters with its result; none when it was refused.
    fn write<'a>(&'a self, alias: &'a str, params: &'a Value) -> BoxFuture<'a, Option<Value>>;
}

/// The caller behind a program that passes calls on. It is told of each call by the call's id.
pub trait Caller: Send + Sync {
    /// Takes how far a call is. Called from the server's tasks; must not block.
    fn progress(&self, alias: &str, call: &CallId, done: f64, total: Option<f64>, message: Option<&str>);

    /// As [`Person::ask`]. `call` is none where several are open and the server does not say which one asks.
    fn ask<'a>(
        &'a self,
        alias: &'a str,
        call: Option<&'a CallId>,
        message: &'a str,
        schema: &'a Value,
    ) -> BoxFuture<'a, Option<Option<Value>>>;

    /// As [`Writer::write`], for a call as in [`Caller::ask`].
    fn write<'a>(&'a self, alias: &'a str, call: Option<&'a CallId>, params: &'a Value)
    -> BoxFuture<'a, Option<Value>>;
}

/// The way to the person's browser, for servers that want them to sign in.
pub trait SignIn: Send + Sync {
    /// Returns the address on loopback that the browser is sent back to.
    fn redirect_uri(&self) -> String;

    /// Opens an address (never through a shell) and returns the whole address that the browser was sent back to; none
    /// when nobody signed in.
    fn sign_in<'a>(&'a self, alias: &'a str, address: &'a str) -> BoxFuture<'a, Option<String>>;
}

/// Where tokens of servers are kept, by the server's configured identity.
pub trait TokenStore: Send + Sync {
    /// Looks up what was kept.
    fn load(&self, source: &str) -> Option<Secret>;

    /// Keeps something, or forgets it.
    fn save(&self, source: &str, tokens: Option<Secret>);
}

/// All ports of a client.
#[derive(Clone)]
pub struct Ports {
    /// Is told what happens.
    pub status: Arc<dyn StatusSink>,
    /// Is asked, where a server may.
    pub person: Option<Arc<dyn Person>>,
    /// Writes, where a server may let it.
    pub writer: Option<Arc<dyn Writer>>,
    /// Takes the place of both, and hears of progress, where calls are passed on for others.
    pub caller: Option<Arc<dyn Caller>>,
    /// Signs in, where a server asks for it.
    pub sign_in: Option<Arc<dyn SignIn>>,
    /// Keeps tokens from one run to the next.
    pub tokens: Option<Arc<dyn TokenStore>>,
}

impl Default for Ports {
    /// Nobody is told or asked.
    fn default() -> Self {
        Self { status: Arc::new(Silent), person: None, writer: None, caller: None, sign_in: None, tokens: None }
    }
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ports")
    }
}
