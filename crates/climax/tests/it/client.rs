//! A bare MCP client of the real program, over its standard streams or over HTTP.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::wire::{Http, Pipes, Wire};

/// How a client reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Stdio,
    Http,
}

/// Makes a test of each function, which takes a [`Way`], over each way.
macro_rules! over_both {
    ($($name:ident),+ $(,)?) => {
        mod over_stdio {
            $(#[test] fn $name() { super::$name(crate::client::Way::Stdio); })+
        }
        mod over_http {
            $(#[test] fn $name() { super::$name(crate::client::Way::Http); })+
        }
    };
}
pub(crate) use over_both;

/// A server with its client.
pub(crate) struct Client {
    child: Child,
    way: Way,
    wire: Option<Wire>,
    next: i64,
    /// The answer to `initialize`.
    pub(crate) greeting: Value,
    kept: HashMap<i64, Value>,
    /// Answers elicitations: `accept`, `decline` or `cancel`; not at all with `never`.
    pub(crate) elicit: Option<&'static str>,
    /// Messages of the elicitations that came.
    pub(crate) asked: Vec<String>,
    /// Notifications that came.
    pub(crate) notified: Vec<String>,
    home: tempfile::TempDir,
}

/// What came of a tool call.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    pub(crate) structured: Value,
}

impl Client {
    /// Starts `climax` with these arguments and greets it over its standard streams.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::start_over(Way::Stdio, args)
    }

    /// Starts it and greets it one way.
    pub(crate) fn start_over(way: Way, args: &[&str]) -> Self {
        Self::start_with(way, args, None, |_| {})
    }

    /// Starts it with a client that can be asked.
    pub(crate) fn start_asking(way: Way, args: &[&str], answer: &'static str) -> Self {
        Self::start_with(way, args, Some(answer), |_| {})
    }

    pub(crate) fn start_with(
        way: Way,
        args: &[&str],
        elicit: Option<&'static str>,
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_climax"));
        command.args(args).env("HOME", home.path()).env("XDG_STATE_HOME", home.path().join("state"));
        match way {
            Way::Stdio => command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()),
            Way::Http => {
                command.args(["--transport", "streamable-http", "--port", "0"]);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped())
            }
        };
        change(&mut command);
        if way == Way::Http {
            // The port is told there.
            command.stderr(Stdio::piped());
        }
        let mut child = command.spawn().unwrap();
        let wire = Some(match way {
            Way::Stdio => Wire::Pipes(Pipes::of(&mut child)),
            Way::Http => Wire::Http(Http::of(&mut child)),
        });
        let (asked, notified) = (Vec::new(), Vec::new());
        let greeting = Value::Null;
        let mut client =
            Self { child, way, wire, next: 0, greeting, kept: HashMap::new(), elicit, asked, notified, home };
        let capabilities = if elicit.is_some() { json!({"elicitation": {}}) } else { json!({}) };
        client.greeting = client.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        if way == Way::Http {
            client.wire().listen();
        }
        client
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The folder for state that the server was given.
    pub(crate) fn state(&self) -> PathBuf {
        self.home.path().join("state/climax")
    }

    fn wire(&mut self) -> &mut Wire {
        self.wire.as_mut().unwrap()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.wire().send(message);
    }

    /// Sends a request and returns its number.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Waits for the answer to a request; questions are answered on the way.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.wire().read();
            if message["id"] == json!(id) && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].clone();
            }
            self.take(&message);
        }
    }

    /// Waits for the error that a request is answered with.
    pub(crate) fn error(&mut self, id: i64) -> Value {
        loop {
            let message = self.wire().read();
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message["error"].clone();
            }
            self.take(&message);
        }
    }

    /// Waits for the answer to one of several requests that are under way.
    pub(crate) fn answer_any(&mut self, id: i64) -> Value {
        loop {
            if let Some(result) = self.kept.remove(&id) {
                return result;
            }
            let message = self.wire().read();
            self.kept.insert(message["id"].as_i64().unwrap(), message["result"].clone());
        }
    }

    /// Reads messages until a notification of this kind has come.
    pub(crate) fn wait_for(&mut self, method: &str) {
        while !self.notified.iter().any(|known| known == method) {
            let message = self.wire().read();
            self.take(&message);
        }
    }

    fn take(&mut self, message: &Value) {
        match (message["method"].as_str(), message.get("id")) {
            (Some("elicitation/create"), Some(id)) => {
                self.asked.push(message["params"]["message"].as_str().unwrap().to_owned());
                let result = match self.elicit.unwrap() {
                    "never" => return,
                    "accept" => json!({"action": "accept", "content": {}}),
                    action => json!({"action": action}),
                };
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
            (Some(method), None) => self.notified.push(method.to_owned()),
            other => panic!("unexpected: {other:?}"),
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Lists the tools as they came.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        self.request("tools/list", json!({}))["tools"].as_array().unwrap().clone()
    }

    pub(crate) fn tool_names(&mut self) -> Vec<String> {
        self.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls what is listed.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Called {
        let result = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        called(&result)
    }

    /// Calls a tool through `climax_call`.
    pub(crate) fn run(&mut self, tool: &str, args: Value) -> Called {
        self.call("climax_call", json!({"tool_name": tool, "args": args}))
    }

    /// Searches through `climax_search`.
    pub(crate) fn search(&mut self, arguments: Value) -> Value {
        let found = self.call("climax_search", arguments);
        assert!(!found.is_error, "{}", found.text);
        serde_json::from_str(&found.text).unwrap()
    }

    /// Takes the client away: its pipes are closed, its session is deleted.
    pub(crate) fn leave(&mut self) {
        if let Some(wire) = self.wire.take() {
            wire.close();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.wire = None;
        if self.way == Way::Http {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

pub(crate) fn called(result: &Value) -> Called {
    Called {
        text: result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
        is_error: result["isError"].as_bool().unwrap_or(false),
        structured: result["structuredContent"].clone(),
    }
}

/// Writes a file of a test and returns its path.
pub(crate) fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Names of the results of a search.
pub(crate) fn names(found: &Value) -> Vec<&str> {
    found["results"].as_array().unwrap().iter().map(|tool| tool["tool_name"].as_str().unwrap()).collect()
}
