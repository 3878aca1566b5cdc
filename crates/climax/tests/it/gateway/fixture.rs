//! A folder with fake servers, the lists that name them, and clients of a gateway over them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Map, Value, json};

use crate::client::{Client, Way, called};

/// A folder of servers and of what a gateway keeps.
pub(crate) struct Servers {
    folder: tempfile::TempDir,
    list: Map<String, Value>,
}

/// A tool as a server lists it.
pub(crate) fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "annotations": {"readOnlyHint": true},
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}})
}

/// What a server does whose tools all answer `done`.
pub(crate) fn done(tools: &[Value]) -> Value {
    let answer = json!({"content": [{"type": "text", "text": "done"}]});
    json!({"results": {"tools/list": {"tools": tools}, "tools/call": answer}})
}

impl Servers {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), list: Map::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    /// Writes what a fake server does; it notes its process and every request in `NAME.trace`.
    pub(crate) fn script(&self, name: &str, mut script: Value) -> String {
        script["trace_file"] = json!(self.path(&format!("{name}.trace")));
        self.write(&format!("{name}.script"), &script.to_string())
    }

    /// Adds a fake server with these tools.
    pub(crate) fn fake(&mut self, name: &str, tools: &[Value]) {
        let script = self.script(name, json!({"results": {"tools/list": {"tools": tools}}}));
        self.add(name, json!({"command": example(), "args": [script]}));
    }

    /// Adds a fake server whose tools all answer `done`.
    pub(crate) fn fake_done(&mut self, name: &str, tools: &[Value]) {
        let script = self.script(name, done(tools));
        self.add(name, json!({"command": example(), "args": [script]}));
    }

    pub(crate) fn add(&mut self, name: &str, entry: Value) {
        self.list.insert(name.to_owned(), entry);
    }

    /// Writes the list and returns its path.
    pub(crate) fn list(&self) -> String {
        self.write("mcp.json", &json!({"mcpServers": self.list}).to_string())
    }

    /// Every request that a server had so far; none when it was never started.
    pub(crate) fn requests(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(&format!("{name}.trace"))).unwrap_or_default();
        text.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect()
    }

    /// The processes that a server was, oldest first.
    pub(crate) fn processes(&self, name: &str) -> Vec<u32> {
        let text = std::fs::read_to_string(self.path(&format!("{name}.trace"))).unwrap_or_default();
        let mut pids: Vec<u32> = text.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).collect();
        pids.dedup();
        pids
    }

    pub(crate) fn forget_requests(&self, name: &str) {
        let _ = std::fs::remove_file(self.path(&format!("{name}.trace")));
    }

    pub(crate) fn prepare(&self, command: &mut Command) {
        command
            .env("GATEWAY_TEST_TOKEN", "t-4711")
            .env("HOME", self.folder.path())
            .env("XDG_STATE_HOME", self.path("state"))
            .current_dir(self.folder.path());
    }

    /// Runs `climax` to its end.
    pub(crate) fn climax(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_climax"));
        self.prepare(command.args(args));
        command.output().unwrap()
    }

    /// Agrees to all servers of the list, and learns what they have.
    pub(crate) fn refresh(&self) {
        let list = self.list();
        let output = self.climax(&["refresh", "--servers", &list, "--headless-approve"]);
        assert!(output.status.success(), "{output:?}");
    }

    /// Starts a gateway over the list, with a client that answers questions so, or takes none.
    pub(crate) fn client(&self, answer: Option<&'static str>, more: &[&str]) -> Client {
        let list = self.list();
        let args: Vec<&str> = ["run", "--servers", &list].into_iter().chain(more.iter().copied()).collect();
        Client::start_with(Way::Stdio, &args, answer, |command| self.prepare(command))
    }

    /// As [`Servers::client`], for a command that is spoken to in another way.
    pub(crate) fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_climax"));
        command.args(["run", "--servers", &self.list()]).args(more);
        self.prepare(&mut command);
        command
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path("state/climax")
    }
}

/// The fake server's program.
pub(crate) fn example() -> String {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    folder.join("examples/scripted_mcp_server").to_string_lossy().into_owned()
}

/// Says whether a process is there and no zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Waits until something holds; two minutes tell hung from done.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..12_000 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("never: {what}");
}

/// The words of the state that a search gives of each tool.
pub(crate) fn states(found: &Value) -> Vec<&str> {
    found["results"].as_array().unwrap().iter().map(|tool| tool["state"].as_str().unwrap()).collect()
}

/// A client of 2026-07-28: it has no session, and what it is asked comes as an answer.
pub(crate) struct Newest {
    child: std::process::Child,
    wire: crate::wire::Pipes,
    next: i64,
}

impl Newest {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let wire = crate::wire::Pipes::of(&mut child);
        Self { child, wire, next: 0 }
    }

    /// Sends a request and waits for its result.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let message = self.answer(method, params);
        assert!(message.get("error").is_none(), "{message}");
        message["result"].clone()
    }

    /// Sends a request and waits for its answer; notifications on the way are skipped.
    pub(crate) fn answer(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "newest", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}, "sampling": {}},
        });
        self.wire.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        loop {
            let message = self.wire.read();
            if message["id"] == json!(self.next) && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Calls a tool through `climax_call`, answers what is asked with `form`, and returns the outcome with the questions.
    pub(crate) fn run(&mut self, tool: &str, args: Value, form: &Value) -> (crate::client::Called, Vec<String>) {
        let call = json!({"name": "climax_call", "arguments": {"tool_name": tool, "args": args}});
        let (mut params, mut asked) = (call.clone(), Vec::new());
        for _ in 0..10 {
            let result = self.request("tools/call", params);
            if result["resultType"] != "input_required" {
                return (called(&result), asked);
            }
            let mut responses = Map::new();
            for (key, request) in result["inputRequests"].as_object().unwrap() {
                if request["method"] == "sampling/createMessage" {
                    asked.push("sampling".to_owned());
                    let text = json!({"type": "text", "text": "written by the client's model"});
                    let written = json!({"role": "assistant", "content": text, "model": "m", "stopReason": "endTurn"});
                    responses.insert(key.clone(), written);
                    continue;
                }
                asked.push(request["params"]["message"].as_str().unwrap_or("(no message)").to_owned());
                responses.insert(key.clone(), json!({"action": "accept", "content": form}));
            }
            params = call.clone();
            params["inputResponses"] = Value::Object(responses);
            params["requestState"] = result["requestState"].clone();
        }
        panic!("it asks without end: {asked:?}");
    }
}

impl Drop for Newest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
