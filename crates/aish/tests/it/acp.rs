//! `aish acp` under the official client of the protocol in Python.

use std::collections::BTreeMap;
use std::process::Command;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};
use serde_json::{Value, json};

use crate::person::Home;

mod open_files;

const CLIENT: &str = include_str!("acp/client.py");

fn remove(id: &str, file: &str) -> OpenAiStream {
    OpenAiStream::call(id, "shell", &json!({"command": format!("rm {file}")}).to_string())
}

/// Runs the client against scripted answers; none where it is not installed.
pub(crate) fn talk(home: &Home, mode: &str, script: Script) -> Option<Value> {
    talk_to(home, mode, &ModelServer::start(script).unwrap())
}

/// Runs the client against a model server; none where it is not installed.
pub(crate) fn talk_to(home: &Home, mode: &str, server: &ModelServer) -> Option<Value> {
    let Some(python) = std::env::var_os("AISH_TEST_PYTHON") else {
        aish_testkit::skip("acp", "the packages of PyPI are missing");
        return None;
    };
    let file = home.path("client.py");
    std::fs::write(&file, CLIENT).unwrap();
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    let config = home.path(".config/aish/config.toml");
    let before = std::fs::read_to_string(&config).unwrap_or_default();
    let memory = if before.contains("[memory]") { "" } else { "[memory]\nauto = false\n" };
    std::fs::write(config, format!("{memory}{before}")).unwrap();
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
pub(crate) fn of_kind<'a>(part: &'a Value, kind: &str) -> Vec<&'a Value> {
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
    assert_eq!(told["mode"], "ask");

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

/// A home with a git work tree of a few files, outside the folders that are private in a layer.
pub(crate) fn tree_home() -> Home {
    let home = Home::outside_temporary_folders();
    for (name, text) in [("a", "one\ntwo\n"), ("gone", "old\n"), ("data", "\0one")] {
        std::fs::write(home.work().join(name), text).unwrap();
    }
    assert!(Command::new("git").args(["init", "-q"]).current_dir(home.work()).status().unwrap().success());
    home
}

fn runs(command: &str) -> OpenAiStream {
    OpenAiStream::call("c1", "shell", &json!({ "command": command }).to_string())
}

/// Plays prompts, each with the one command that the model wants to run; none where the client is not installed.
pub(crate) fn play(home: &Home, steps: &[(&str, Value)]) -> Option<Vec<Value>> {
    let script = steps.iter().fold(Script::new(), |script, (command, _)| {
        script.chat(runs(command)).step(Expect::chat(), OpenAiStream::answer("Done.").reply())
    });
    let steps: Vec<&Value> = steps.iter().map(|(_, step)| step).collect();
    let told = talk(home, &json!(steps).to_string(), script)?;
    let steps = told["steps"].as_array().unwrap().clone();
    for step in &steps {
        assert_eq!(step["unused"], json!([]), "each question is asked: {step:#}");
    }
    Some(steps)
}

/// The files of the tree as an editor's client lists them.
fn files(entries: &[(&str, &str)]) -> Value {
    json!(entries.iter().copied().collect::<BTreeMap<_, _>>())
}

/// Returns old and new text of each difference, by the file's name.
fn differences(content: &Value) -> BTreeMap<String, (Value, Value)> {
    let named = |item: &Value| {
        let name = item["path"].as_str().unwrap().rsplit_once("/work/").unwrap().1.to_owned();
        (name, (item["oldText"].clone(), item["newText"].clone()))
    };
    content.as_array().unwrap().iter().filter(|item| item["type"] == "diff").map(named).collect()
}

fn undo(home: &Home) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_aish")).arg("undo").env_clear().envs(home.all_variables()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

const CHANGES: &str = "sed -i s/one/uno/ a; rm gone; mkdir -p sub/deep; echo new > sub/deep/n; printf '\\0two' > data";

fn before() -> Value {
    files(&[("a", "one\ntwo\n"), ("data", "\0one"), ("gone", "old\n")])
}

fn after() -> Value {
    files(&[("a", "uno\ntwo\n"), ("data", "\0two"), ("sub/deep/n", "new\n")])
}

/// The work tree as it is on the disk.
fn on_disk(home: &Home) -> BTreeMap<String, (u32, i64, Vec<u8>)> {
    use std::os::unix::fs::MetadataExt as _;
    let (mut all, mut folders) = (BTreeMap::new(), vec![home.work()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.metadata().unwrap());
            let text = if meta.is_dir() { Vec::new() } else { std::fs::read(&path).unwrap() };
            all.insert(path.display().to_string(), (meta.mode(), meta.mtime_nsec(), text));
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    all
}

#[test]
fn what_is_tried_is_shown_and_kept_and_comes_back_exactly() {
    let home = tree_home();
    let was = on_disk(&home);
    let Some(steps) = play(&home, &[(CHANGES, json!({"answers": ["try", "keep"]}))]) else { return };
    let questions = steps[0]["questions"].as_array().unwrap();
    let options = |at: usize| questions[at]["options"].as_array().unwrap().iter().map(|o| o[0].as_str().unwrap());
    assert!(options(0).collect::<Vec<_>>().starts_with(&["once", "try"]) && options(0).next_back() == Some("no"));
    assert_eq!(options(1).collect::<Vec<_>>(), ["keep", "drop"]);
    let asked = &questions[1]["call"];
    assert_eq!((&asked["toolCallId"], &asked["title"]), (&json!("c1"), &json!(CHANGES)));
    let texts = differences(&asked["content"]);
    let expected = [
        ("a", json!("one\ntwo\n"), json!("uno\ntwo\n")),
        ("gone", json!("old\n"), json!("")),
        ("sub/deep/n", Value::Null, json!("new\n")),
    ];
    let expected: BTreeMap<_, _> = expected.into_iter().map(|(name, old, new)| (name.to_owned(), (old, new))).collect();
    assert_eq!(texts, expected, "what is no text is named only");
    let facts = asked["content"][0]["content"]["text"].as_str().unwrap();
    for line in ["changed  a +1 \u{2212}1", "changed  data", "deleted  gone", "new      sub/ (1 file"] {
        assert!(facts.contains(line), "{line}: {facts}");
    }
    assert_eq!((&questions[0]["tree"], &questions[1]["tree"]), (&before(), &before()), "nothing is in the tree yet");
    assert_eq!((&steps[0]["tree"], &steps[0]["stop"]), (&after(), &json!("end_turn")));
    let last = of_kind(&steps[0], "tool_call_update").pop().unwrap();
    assert_eq!((&last["status"], differences(&last["content"])), (&json!("completed"), expected));
    assert!(last["content"].to_string().contains("takes it back exactly"), "{last}");
    assert_eq!(words(&steps[0], "agent_message_chunk"), "Done.");
    undo(&home);
    assert_eq!(on_disk(&home), was);
}

#[test]
fn what_is_tried_and_dropped_was_never_there() {
    let home = tree_home();
    let was = on_disk(&home);
    let steps = [
        (CHANGES, json!({"answers": ["try", "drop"]})),
        (CHANGES, json!({"answers": ["no"]})),
        // An option that was not offered is a no, at both questions.
        (CHANGES, json!({"answers": ["keep"]})),
        (CHANGES, json!({"answers": ["try", "once"]})),
    ];
    let Some(steps) = play(&home, &steps) else { return };
    for step in &steps {
        assert_eq!((&step["tree"], &step["stop"]), (&before(), &json!("end_turn")), "{step:#}");
    }
    let last = of_kind(&steps[0], "tool_call_update").pop().unwrap();
    assert_eq!((&last["status"], differences(&last["content"])), (&json!("failed"), BTreeMap::new()));
    assert!(last["content"].to_string().contains("dropped"), "{last}");
    let script = Script::new().chat(runs(CHANGES));
    let cancelled = talk(&home, &json!([{"answers": ["try", "cancel"]}]).to_string(), script).unwrap();
    assert_eq!((&cancelled["steps"][0]["stop"], &cancelled["steps"][0]["tree"]), (&json!("cancelled"), &before()));
    assert_eq!(on_disk(&home), was);
    let audit = std::fs::read_to_string(home.path(".local/state/aish/audit.jsonl")).unwrap();
    assert_eq!(audit.matches("layer.dropped").count(), 3, "{audit}");
    assert!(!audit.contains("layer.kept"), "{audit}");
}

#[test]
fn in_auto_ordinary_files_are_kept_unasked_and_others_are_asked_about() {
    let home = tree_home();
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    std::fs::write(home.path(".config/aish/config.toml"), "[approval]\nmode = \"auto\"\n").unwrap();
    let was = on_disk(&home);
    let guarded = "echo 'export X=1' > .envrc; echo 3 > b";
    let steps = [
        (CHANGES, json!({"answers": []})),
        (guarded, json!({"answers": ["drop"]})),
        (guarded, json!({"answers": ["keep"]})),
        // What no layer holds is asked about before it runs, and what destroys is not.
        ("curl -s http://127.0.0.1:9/x", json!({"answers": ["no"]})),
        ("rm -rf sub ../work", json!({"answers": []})),
        ("echo 4 > b", json!({"mode": "plan", "answers": []})),
        ("echo 5 > b", json!({"mode": "ask", "answers": ["once"]})),
    ];
    let Some(steps) = play(&home, &steps) else { return };
    let last = of_kind(&steps[0], "tool_call_update").pop().unwrap();
    assert_eq!(differences(&last["content"]).len(), 3, "{last}");
    assert_eq!((&steps[0]["tree"], &steps[1]["tree"]), (&after(), &after()));
    let with = |b: &str| {
        let mut tree = after();
        (tree[".envrc"], tree["b"]) = (json!("export X=1\n"), json!(b));
        tree
    };
    assert!(steps[1]["questions"][0]["call"]["content"][0].to_string().contains("  ! "), "{:#}", steps[1]);
    assert_eq!((&steps[2]["tree"], &steps[3]["tree"], &steps[4]["tree"]), (&with("3\n"), &with("3\n"), &with("3\n")));
    assert_eq!(of_kind(&steps[4], "tool_call_update").pop().unwrap()["status"], "failed");
    assert_eq!((&steps[5]["tree"], &steps[6]["tree"]), (&with("3\n"), &with("5\n")));
    for _ in 0..3 {
        undo(&home);
    }
    assert_eq!(on_disk(&home), was);
}

#[test]
fn a_harmless_line_that_changed_something_is_asked_about_and_one_that_was_held_back_is_offered_outside() {
    let home = tree_home();
    home.program("ls", "#!/bin/sh\necho spoilt > a\n");
    std::fs::write(home.work().join("w.sh"), "touch ../canary || exit 1\n").unwrap();
    let steps = [
        ("ls", json!({"answers": ["drop"]})),
        ("ls", json!({"mode": "plan", "answers": []})),
        ("sh w.sh", json!({"mode": "auto", "answers": ["no"]})),
        ("sh w.sh", json!({"answers": ["once"]})),
    ];
    let Some(steps) = play(&home, &steps) else { return };
    assert_eq!(std::fs::read_to_string(home.work().join("a")).unwrap(), "one\ntwo\n");
    let offered = &steps[2]["questions"][0]["call"];
    assert_eq!(offered["title"], "sh w.sh");
    // Each step's model calls it c1, and each call has an id of its own.
    let id = offered["toolCallId"].as_str().unwrap();
    assert!(id.starts_with("c1-") && id.ends_with("-outside") && id != "c1-outside", "{id}");
    assert!(home.path("canary").exists());
    // Both of its calls have ended well.
    let updates = of_kind(&steps[3], "tool_call_update");
    let ended: Vec<&Value> = updates.iter().rev().take(2).map(|update| &update["status"]).collect();
    assert_eq!(ended, ["completed", "completed"], "{updates:#?}");
}
