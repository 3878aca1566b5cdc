//! `aish acp` under the official client of the protocol in Python.

use std::process::Command;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};
use serde_json::{Value, json};

use crate::person::Home;

const CLIENT: &str = include_str!("acp/client.py");

fn remove(id: &str, file: &str) -> OpenAiStream {
    OpenAiStream::call(id, "shell", &json!({"command": format!("rm {file}")}).to_string())
}

/// Runs the client against scripted answers; none where it is not installed.
fn talk(home: &Home, mode: &str, script: Script) -> Option<Value> {
    let Some(python) = std::env::var_os("AISH_TEST_PYTHON") else {
        aish_testkit::skip("acp", "the packages of PyPI are missing");
        return None;
    };
    let server = ModelServer::start(script).unwrap();
    let file = home.path("client.py");
    std::fs::write(&file, CLIENT).unwrap();
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    std::fs::write(home.path(".config/aish/config.toml"), "[memory]\nauto = false\n").unwrap();
    let output = Command::new(python)
        .arg(file)
        .arg(env!("CARGO_BIN_EXE_aish"))
        .arg(home.work())
        .arg(mode)
        .env_clear()
        .envs(home.all_variables())
        .env("OPENAI_BASE_URL", server.url())
        .env("OPENAI_MODEL", "scripted")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    Some(serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}\n{err}")))
}

/// Returns the updates of a kind.
fn of_kind<'a>(part: &'a Value, kind: &str) -> Vec<&'a Value> {
    part["updates"].as_array().unwrap().iter().filter(|update| update["sessionUpdate"] == kind).collect()
}

/// Returns the text of all messages of a kind.
fn words(part: &Value, kind: &str) -> String {
    of_kind(part, kind).iter().map(|update| update["content"]["text"].as_str().unwrap()).collect()
}

#[test]
fn an_editor_prompts_permits_cancels_and_loads() {
    let home = Home::new();
    let notes = home.work().join("notes.txt");
    std::fs::write(&notes, "kept\n").unwrap();
    std::fs::write(home.work().join("other.txt"), "kept\n").unwrap();
    let hour = std::time::Duration::from_secs(3600);
    let script = Script::new()
        .step(
            Expect::chat().contains("do as the plan says").contains("/srv/plan.md").contains("remove the notes"),
            remove("c1", "notes.txt").reply(),
        )
        .chat(OpenAiStream::answer("The notes are gone."))
        .chat(remove("c2", "other.txt"))
        .chat(OpenAiStream::answer("Then not."))
        .step(Expect::chat(), OpenAiStream::new("scripted").role().text("It goes on").reply().then_pause(hour))
        .chat(remove("c3", "other.txt"))
        .chat(remove("c4", "other.txt"))
        .chat(OpenAiStream::answer("A plan."));
    let Some(told) = talk(&home, "whole", script) else { return };
    assert_eq!(
        (&told["hello"]["protocolVersion"], &told["hello"]["agentCapabilities"]["loadSession"]),
        (&json!(1), &json!(true))
    );
    assert_eq!((&told["modes"], &told["two"]), (&json!(["ask", "auto", "plan"]), &json!(true)));

    let part = &told["approved"];
    assert_eq!(part["stop"], "end_turn");
    let question = &part["questions"][0];
    assert_eq!((&question["call"]["title"], &question["call"]["kind"]), (&json!("rm notes.txt"), &json!("execute")));
    assert_eq!(question["options"][0], json!(["once", "allow_once"]));
    assert!(question["call"]["content"].to_string().contains("undo: "), "{question}");
    let call = of_kind(part, "tool_call")[0];
    assert_eq!((&call["toolCallId"], &question["call"]["toolCallId"]), (&json!("c1"), &json!("c1")));
    let last = of_kind(part, "tool_call_update").pop().unwrap().clone();
    assert_eq!(last["status"], "completed");
    let diff = &last["content"][0];
    assert_eq!(
        (&diff["type"], &diff["oldText"], &diff["newText"]),
        (&json!("diff"), &json!("kept\n"), &json!("")),
        "{last}"
    );
    assert_eq!(words(part, "agent_message_chunk"), "The notes are gone.");
    assert!(!notes.exists());

    let part = &told["refused"];
    assert_eq!((&part["stop"], part["questions"].as_array().unwrap().len()), (&json!("end_turn"), 1));
    assert_eq!(of_kind(part, "tool_call_update").pop().unwrap()["status"], "failed");
    assert_eq!(told["cancelled"]["stop"], "cancelled");
    let part = &told["cancelled_at_the_question"];
    assert_eq!(part["stop"], "cancelled");
    assert_eq!(of_kind(part, "tool_call_update").pop().unwrap()["status"], "failed");

    // Nobody is asked in this mode, and nothing runs.
    let part = &told["planned"];
    assert_eq!((&part["stop"], &part["questions"]), (&json!("end_turn"), &json!([])));
    assert_eq!(of_kind(part, "tool_call_update").pop().unwrap()["status"], "failed");
    assert!(home.work().join("other.txt").exists());

    assert_eq!((&told["listed"], &told["unknown"], &told["code"]), (&json!(true), &json!(-32002), &json!(0)));
    let part = &told["loaded"];
    assert!(words(part, "user_message_chunk").contains("do as the plan says"), "{part}");
    assert!(words(part, "agent_message_chunk").contains("The notes are gone."), "{part}");
    assert_eq!(of_kind(part, "tool_call")[0]["title"], "rm notes.txt");

    let audit = std::fs::read_to_string(home.path(".local/state/aish/audit.jsonl")).unwrap();
    let approved = audit.lines().filter(|line| line.contains("\"approved\":true")).count();
    assert_eq!(approved, 1, "{audit}");
}

#[test]
fn a_cancel_right_behind_a_prompt_stops_it() {
    let endless = || OpenAiStream::new("scripted").role().text("It goes on").reply();
    let script = Script::new().always(Expect::chat(), endless().then_pause(std::time::Duration::from_secs(3600)));
    let Some(told) = talk(&Home::new(), "at-once", script) else { return };
    assert_eq!(told["stops"], json!(["cancelled", "cancelled", "cancelled", "cancelled", "cancelled"]));
}

#[test]
fn nothing_but_messages_is_written_and_what_is_no_message_ends_nothing() {
    use std::io::Write as _;
    let home = Home::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_aish"))
        .arg("acp")
        .env_clear()
        .envs(home.all_variables())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 1}});
    let unheard = json!({"jsonrpc": "2.0", "id": 8, "method": "unheard/of", "params": {}});
    let relative =
        json!({"jsonrpc": "2.0", "id": 9, "method": "session/new", "params": {"cwd": "work", "mcpServers": []}});
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "this is no message\n{hello}").unwrap();
    // An answer to each, before the input ends.
    let out = child.stdout.take().unwrap();
    let mut answers = std::collections::BTreeMap::new();
    for line in std::io::BufRead::lines(std::io::BufReader::new(out)) {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if let Some(id) = message["id"].as_u64() {
            answers.insert(id, message);
            if id == 7 {
                writeln!(input, "{unheard}\n{relative}").unwrap();
            }
        }
        if answers.len() == 3 {
            break;
        }
    }
    assert_eq!(answers[&7]["result"]["protocolVersion"], 1);
    assert_eq!(answers[&8]["error"]["code"], -32601);
    assert_eq!(answers[&9]["error"]["code"], -32602);
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
