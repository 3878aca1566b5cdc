//! A running `aish-model` that is spoken to over its pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use aish_testkit::skip;
use serde_json::{Value, json};

/// One process.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.input = None;
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Session {
    /// Starts the executable, which may read some files, and reads its greeting.
    pub(crate) fn start(files: &[&Path]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aish-model"))
            .args(files)
            .env("GOMP_SPINCOUNT", "1000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut session = Self { child, input, output, next: 0 };
        assert_eq!(session.event(), json!({"event": "hello", "protocol": 1}));
        session
    }

    /// Starts the executable with the test's model, or says why not.
    pub(crate) fn with_model(test: &str, context: u32) -> Option<Self> {
        let Some(file) = std::env::var_os("AISH_TEST_GGUF") else {
            skip(test, "AISH_TEST_GGUF is not set; ./test sets it");
            return None;
        };
        let mut session = Self::start(&[Path::new(&file)]);
        let events = session.ask(json!({"op": "load", "path": file.to_str().unwrap(), "context": context}));
        assert_eq!(events[0]["event"], "loaded", "{events:?}");
        Some(session)
    }

    /// Returns the number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Sends a request with the next id, which is returned.
    pub(crate) fn request(&mut self, mut request: Value) -> u64 {
        self.next += 1;
        request["id"] = self.next.into();
        self.send(&request.to_string());
        self.next
    }

    /// Sends a request and reads all that answers it.
    pub(crate) fn ask(&mut self, request: Value) -> Vec<Value> {
        self.request(request);
        self.rest()
    }

    /// Reads up to the end of an answer.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let event = self.event();
            let last = matches!(event["event"].as_str(), Some("loaded" | "count" | "tokens" | "end" | "error"));
            events.push(event);
            if last {
                return events;
            }
        }
    }

    /// Reads one event.
    pub(crate) fn event(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Closes its input and waits for its end.
    pub(crate) fn close(mut self) -> std::process::ExitStatus {
        self.input = None;
        self.child.wait().unwrap()
    }
}

/// Returns the text of an answer.
pub(crate) fn text(events: &[Value]) -> String {
    events.iter().filter(|event| event["event"] == "text").map(|event| event["text"].as_str().unwrap()).collect()
}
