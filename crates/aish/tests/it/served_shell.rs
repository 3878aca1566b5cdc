//! `aish mcp serve --shell`: a shell that goes on, for other agents.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::person::Home;

const CLIENT: &str = include_str!("served_shell/client.py");

/// The packages of the official client, by its generation.
pub(crate) const GENERATIONS: [(u8, &str); 2] = [(1, "AISH_TEST_PEER_PYTHON"), (2, "AISH_TEST_PYTHON")];

struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Agent {
    fn start(home: &Home) -> Self {
        let mut agent = Self::silent(home);
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        agent.asks("initialize", &hello);
        writeln!(agent.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
        agent
    }

    /// Starts the server and says nothing: from 2026-07-28 on there is no greeting.
    fn silent(home: &Home) -> Self {
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
        Self { child, input, output, next: 1 }
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
    for (tool, arguments, meant) in
        [("shell", json!({"command": "touch ran", "timeout": 1}), "'timeout'"), ("undo", json!({"stp": "x"}), "'step'")]
    {
        let (said, failed) = agent.calls(tool, &arguments);
        assert!(failed && said.contains("Unknown argument") && said.contains(meant), "{said}");
    }
    assert!(!home.work().join("sub/ran").exists(), "what is bounded by a key that is not known does not run");
    let (said, failed) = agent.runs("rm notes.txt");
    assert!(!failed && !notes.exists(), "{said}");
    let (said, _) = agent.calls("changes", &json!({}));
    assert!(said.contains("rm notes.txt") && said.contains("/sub:\n  deleted  notes.txt"), "{said}");
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

/// Has an official client call tools, one after the other; none where it is not installed.
pub(crate) fn talk(home: &Home, generation: (u8, &str), asks: bool, steps: &[Value]) -> Option<Value> {
    let Some(python) = std::env::var_os(generation.1) else {
        aish_testkit::skip("served_shell", "the packages of PyPI are missing");
        return None;
    };
    let job = json!({"generation": generation.0, "command": [env!("CARGO_BIN_EXE_aish"), "mcp", "serve", "--shell"],
        "folder": home.work(), "asks": asks, "steps": steps});
    let mut command = Command::new(python);
    let output =
        command.args(["-c", CLIENT, &job.to_string()]).env_clear().envs(home.all_variables()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    let told: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}\n{err}"));
    assert!(told["tools"].as_array().unwrap().contains(&json!("shell")) && !out.contains("shell_outside"), "{out}");
    for step in told["steps"].as_array().unwrap() {
        assert_eq!(step["unused"].as_array().map(Vec::len), Some(0), "each question is asked: {step:#}");
    }
    Some(told["steps"].clone())
}

fn tree_home() -> Home {
    let home = Home::outside_temporary_folders();
    std::fs::write(home.work().join("a"), "one\n").unwrap();
    std::fs::write(home.work().join("gone"), "old\n").unwrap();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(home.work()).status().unwrap().success());
    home
}

const CHANGES: &str = "echo two >> a; rm gone; mkdir -p sub; echo new > sub/n";

pub(crate) fn shell(command: &str, answers: &Value) -> Value {
    json!({"tool": "shell", "arguments": {"command": command}, "answers": answers})
}

#[test]
fn each_command_is_a_transaction_that_the_clients_person_keeps_or_drops() {
    let accept = |content: Value| json!({"action": "accept", "content": content});
    let (tried, kept) = (accept(json!({"how": "try"})), accept(json!({"changes": "keep"})));
    let before = json!({"a": "one\n", "gone": "old\n"});
    let after = json!({"a": "one\ntwo\n", "sub/n": "new\n"});
    let undo = json!({"tool": "undo", "arguments": {}, "answers": [accept(json!({}))]});
    for generation in GENERATIONS {
        let home = tree_home();
        home.program("ls", "#!/bin/sh\necho spoilt > a\n");
        let steps = [
            shell(CHANGES, &json!([tried, kept])),
            json!({"tool": "changes", "arguments": {}}),
            undo.clone(),
            shell(CHANGES, &json!([tried, accept(json!({"changes": "drop"}))])),
            shell(CHANGES, &json!([tried, {"action": "decline"}])),
            shell(CHANGES, &json!([tried, {"action": "cancel"}])),
            shell(CHANGES, &json!([{"action": "decline"}])),
            // One that was judged to be harmless is asked about when it changed something.
            shell("ls", &json!([accept(json!({"changes": "drop"}))])),
            shell(CHANGES, &json!([accept(json!({}))])),
            undo.clone(),
        ];
        let Some(told) = talk(&home, generation, true, &steps) else { continue };
        let questions = told[0]["questions"].as_array().unwrap();
        assert_eq!((&questions[0]["tree"], &questions[1]["tree"]), (&before, &before), "nothing is in the tree yet");
        assert_eq!(questions[1]["requestedSchema"]["properties"]["changes"]["enum"], json!(["keep", "drop"]));
        let asked = questions[1]["message"].as_str().unwrap();
        for line in ["changed  a +1", "deleted  gone", "new      sub/", "+two\n", "-old\n", CHANGES] {
            assert!(asked.contains(line), "{line}: {asked}");
        }
        assert_eq!((&told[0]["tree"], &told[0]["failed"]), (&after, &json!(false)), "{told:#}");
        let listed = told[1]["text"].as_str().unwrap();
        assert!(listed.contains(CHANGES) && listed.contains("\n  deleted  gone"), "{listed}");
        for step in 2..8 {
            assert_eq!(told[step]["tree"], before, "{step}: {told:#}");
        }
        for step in 3..6 {
            assert!(told[step]["text"].as_str().unwrap().contains("its changes were dropped"), "{step}: {told:#}");
        }
        assert_eq!(told[6]["failed"], true);
        assert_eq!((&told[8]["tree"], &told[9]["tree"]), (&after, &before), "{told:#}");
        let audit = std::fs::read_to_string(home.path(".local/state/aish/audit.jsonl")).unwrap();
        let ran =
            audit.lines().filter(|line| line.contains("\"tool\":\"shell\"") && line.contains("\"approved\":true"));
        let ran = ran.filter(|line| !line.contains("\"layer.")).count();
        assert_eq!(ran, 6, "each of them ran once: {audit}");
    }
}

/// Some clients accept a form by themselves: to what cannot be taken back an empty one is a no.
#[test]
fn what_nothing_takes_back_runs_by_a_word_and_not_by_an_empty_form() {
    let accept = |content: Value| json!([{"action": "accept", "content": content}]);
    for generation in GENERATIONS {
        let home = tree_home();
        home.program("shred", "#!/bin/sh\nrm -f gone\n");
        let steps = [json!({}), json!({"how": "no"}), json!({"other": "once"}), json!({"how": "once"})]
            .map(|form| shell("shred -u gone", &accept(form)));
        let Some(told) = talk(&home, generation, true, &steps) else { continue };
        let form = &told[0]["questions"][0]["requestedSchema"]["properties"]["how"];
        assert_eq!((&form["enum"][0], &form["default"]), (&json!("no"), &json!("no")), "{told:#}");
        for step in 0..3 {
            assert_eq!(told[step]["tree"]["gone"], "old\n", "{step}: {told:#}");
        }
        assert!(told[3]["tree"]["gone"].is_null(), "{told:#}");
    }
}

/// A call of a client that is asked in rounds.
fn in_rounds(command: &str) -> Value {
    json!({"name": "shell", "arguments": {"command": command}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }})
}

/// Answers a round's questions with a form, and returns the call that brings the answers.
fn answered(call: &Value, round: &Value, form: &Value) -> Value {
    let requests = round["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("{round}"));
    let answers = requests.keys().map(|key| (key.clone(), json!({"action": "accept", "content": form}))).collect();
    let mut call = call.clone();
    call["inputResponses"] = Value::Object(answers);
    call["requestState"] = round["result"]["requestState"].clone();
    call
}

#[test]
fn an_answer_that_came_in_a_round_is_good_for_one_run() {
    let home = tree_home();
    let mut agent = Agent::silent(&home);
    let call = in_rounds("echo two >> a");
    let text = || std::fs::read_to_string(home.work().join("a")).unwrap();
    let is_used = |answer: &Value| answer["error"]["message"].as_str().is_some_and(|text| text.contains("one run"));
    // At once, and with a second round about what it changed.
    let asked = agent.asks("tools/call", &call);
    let once = answered(&call, &asked, &json!({"how": "once"}));
    let done = agent.asks("tools/call", &once);
    assert_eq!((done["result"]["isError"].as_bool(), text().as_str()), (Some(false), "one\ntwo\n"), "{done}");
    let asked = agent.asks("tools/call", &call);
    let tried = answered(&call, &asked, &json!({"how": "try"}));
    let asked = agent.asks("tools/call", &tried);
    assert_eq!(text(), "one\ntwo\n");
    let kept = answered(&call, &asked, &json!({"changes": "keep"}));
    // The first answer cannot be given again while the second question is open.
    assert!(is_used(&agent.asks("tools/call", &tried)));
    let done = agent.asks("tools/call", &kept);
    assert_eq!((done["result"]["isError"].as_bool(), text().as_str()), (Some(false), "one\ntwo\ntwo\n"), "{done}");
    for used in [&once, &tried, &kept] {
        let repeated = agent.asks("tools/call", used);
        assert!(is_used(&repeated), "{repeated}");
    }
    assert_eq!(text(), "one\ntwo\ntwo\n");
}

#[test]
fn a_command_whose_layer_had_to_go_is_not_run_again_for_a_late_answer() {
    let home = tree_home();
    let mut agent = Agent::silent(&home);
    let mut waiting = Vec::new();
    for number in 0..17 {
        let call = in_rounds(&format!("echo {number} >> a"));
        let asked = agent.asks("tools/call", &call);
        let asked = agent.asks("tools/call", &answered(&call, &asked, &json!({"how": "try"})));
        waiting.push(answered(&call, &asked, &json!({"changes": "keep"})));
    }
    let late = agent.asks("tools/call", &waiting[0]);
    assert!(late["result"]["content"][0]["text"].as_str().unwrap().contains("not run again"), "{late}");
    let kept = agent.asks("tools/call", &waiting[16]);
    assert_eq!(kept["result"]["isError"], false, "{kept}");
    assert_eq!(std::fs::read_to_string(home.work().join("a")).unwrap(), "one\n16\n");
}

#[test]
fn where_a_client_cannot_ask_what_was_judged_harmless_runs_and_changes_nothing() {
    for generation in GENERATIONS {
        let home = tree_home();
        home.program("ls", "#!/bin/sh\necho spoilt > a\necho listed\n");
        let steps = [shell("ls", &json!([])), shell(CHANGES, &json!([])), json!({"tool": "changes", "arguments": {}})];
        let Some(told) = talk(&home, generation, false, &steps) else { continue };
        let said = |step: usize| told[step]["text"].as_str().unwrap();
        assert!(said(0).contains("listed") && said(0).contains("nobody was there to keep it"), "{told:#}");
        assert_eq!(told[1]["failed"], true);
        assert_eq!(told[2]["tree"], json!({"a": "one\n", "gone": "old\n"}));
        assert!(said(2).starts_with("no command has changed anything"), "{told:#}");
    }
}
