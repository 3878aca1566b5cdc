//! `aish mcp serve --shell`: a shell that goes on, for other agents.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::person::Home;

struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Agent {
    fn start(home: &Home) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aish"))
            .args(["mcp", "serve", "--shell"])
            .env_clear()
            .envs(home.all_variables())
            .current_dir(home.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut agent = Self { child, input, output, next: 1 };
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        agent.asks("initialize", &hello);
        writeln!(agent.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
        agent
    }

    fn asks(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next;
        self.next += 1;
        writeln!(self.input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).unwrap();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{method}: the server has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn calls(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let answer = self.asks("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        (text, result["isError"] == true)
    }

    fn runs(&mut self, command: &str) -> (String, bool) {
        self.calls("shell", &json!({"command": command}))
    }
}

#[test]
fn commands_go_on_in_one_shell_and_what_they_change_comes_back() {
    let home = Home::new();
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    let config = "[[policy.rules]]\nmatch = \"rm *\"\nverdict = \"allow\"\nreason = \"the test's\"\n\
                  [mcp.auto_approve]\n\"undo\" = true\n";
    std::fs::write(home.path(".config/aish/config.toml"), config).unwrap();
    std::fs::create_dir(home.work().join("sub")).unwrap();
    let notes = home.work().join("sub/notes.txt");
    std::fs::write(&notes, "kept\n").unwrap();
    let mut agent = Agent::start(&home);
    agent.runs("cd sub");
    assert!(agent.runs("pwd").0.contains("/work/sub\n"), "the folder stays");
    let (said, failed) = agent.runs("rm notes.txt");
    assert!(!failed && !notes.exists(), "{said}");
    let (said, _) = agent.calls("changes", &json!({}));
    assert!(said.contains("rm notes.txt") && said.contains("deleted ") && said.contains("/sub/notes.txt"), "{said}");
    let (said, failed) = agent.calls("undo", &json!({}));
    assert!(!failed, "{said}");
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "kept\n");
    // Nobody can be asked: what would be asked does not run, and what destroys never does.
    for command in ["mv notes.txt other.txt", "sudo rm -rf /srv"] {
        let (said, failed) = agent.runs(command);
        assert!(failed && notes.exists(), "{command}: {said}");
    }
    let (said, failed) = agent.calls("undo", &json!({"step": "no-such"}));
    assert!(failed, "{said}");
    drop(agent.input);
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
}

#[test]
fn over_http_a_shell_wants_a_token() {
    let home = Home::new();
    let output = Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(["mcp", "serve", "--shell", "--transport", "streamable-http", "--port", "0"])
        .env_clear()
        .envs(home.all_variables())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("only with a token"), "{output:?}");
}
