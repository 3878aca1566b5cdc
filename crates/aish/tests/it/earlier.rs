//! A state and a configuration as version 0.1 left them (`version_0_1/`): used as they are, copied once, and told of once.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use aish_journal::PinFile;
use aish_safety::{Pin, PinStore as _};
use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Reply, Script};
use aish_types::{SourceId, ToolDefinition, ToolName};
use serde_json::{Value, json};

use crate::person::Home;

/// Puts what version 0.1 left into a home folder; `config` is its configuration.
fn moved_in(server: &ModelServer, config: &str) -> (Home, PathBuf) {
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    let state = home.path(".local/state/aish");
    std::fs::remove_file(state.join("first-start.json")).unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/version_0_1"), &state, &home);
    std::fs::remove_file(state.join("config.toml")).unwrap();
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    std::fs::write(home.path(".config/aish/config.toml"), config).unwrap();
    (home, state)
}

/// Copies files, with the home folder where they name it.
fn copy(from: &Path, to: &Path, home: &Home) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, home);
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        let filled = match String::from_utf8(bytes) {
            Ok(text) => text.replace("{home}", home.path("").display().to_string().trim_end_matches('/')).into_bytes(),
            Err(binary) => binary.into_bytes(),
        };
        std::fs::write(target, filled).unwrap();
    }
}

fn config() -> &'static str {
    include_str!("version_0_1/config.toml")
}

fn aish(home: &Home, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aish"));
    command.args(arguments).env_clear().envs(home.all_variables()).current_dir(home.work());
    let output = command.output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn answering(text: &str) -> ModelServer {
    ModelServer::start(Script::new().always(Expect::chat(), OpenAiStream::answer(text).reply())).unwrap()
}

#[test]
fn it_is_copied_and_told_of_once() {
    let server = answering("Yes.");
    let (home, state) = moved_in(&server, config());
    let copied = ["config.toml", "pins.json", "approvals.json"];
    let before: Vec<String> = copied
        .iter()
        .map(|name| {
            let folder = if *name == "config.toml" { home.path(".config/aish") } else { state.clone() };
            std::fs::read_to_string(folder.join(name)).unwrap()
        })
        .collect();
    let person = home.start();
    person.sees("of version 0.1 go on").sees("commands of autonomous runs are in layers now").prompt();
    assert!(!person.screen().contains("run unasked now"), "{}", person.screen());
    person.runs(":history", "echo of-version-0.1").runs(":memory list", "I prefer tabs");
    assert_eq!(person.leaves(":quit\r"), Some(0));

    let copy = state.join("before-0.1");
    let read = |name: &str| std::fs::read_to_string(copy.join(name)).unwrap();
    assert_eq!(copied.map(read).to_vec(), before);
    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(std::fs::metadata(copy.join("config.toml")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::metadata(state.join("aish.db.before-1")).unwrap().len() > 0);
    assert_eq!(std::fs::read_to_string(home.path(".config/aish/config.toml")).unwrap(), config());
    assert!(aish(&home, &["cost", "--by", "model"]).contains("old-model"));

    std::fs::write(copy.join("config.toml"), "mine now").unwrap();
    let again = home.sit_down();
    again.runs("echo again-$((1+1))", "again-2");
    assert!(!again.screen().contains("version 0.1"), "{}", again.screen());
    assert_eq!(again.leaves(":quit\r"), Some(0));
    assert_eq!(read("config.toml"), "mine now");
}

#[test]
fn a_state_of_this_version_is_none_of_an_earlier_one() {
    let server = answering("Yes.");
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    let state = home.path(".local/state/aish");
    std::fs::remove_file(state.join("first-start.json")).unwrap();
    assert!(aish(&home, &["ask", "is it?"]).contains("Yes."));
    let person = home.start();
    person.sees("welcome").prompt().runs("echo up-$((1+1))", "up-2");
    assert!(!person.screen().contains("version 0.1"), "{}", person.screen());
    assert_eq!(person.leaves(":quit\r"), Some(0));
    assert!(!state.join("before-0.1").exists());
}

#[test]
fn the_configuration_means_what_it_meant_and_what_changed_is_said() {
    let server = ModelServer::start(
        Script::new()
            .step(Expect::chat(), OpenAiStream::answer("CMD: ls").reply())
            .step(Expect::chat(), OpenAiStream::answer("Seen.").reply())
            .always(Expect::request("GET", "/v1/models"), Reply::error(404, "not here")),
    )
    .unwrap();
    let (home, _) = moved_in(&server, config());
    assert_eq!(aish(&home, &["config", "check"]), "nothing is wrong\n");
    // It asked before every command, and still does.
    let person = home.start();
    person.sees("of version 0.1 go on").prompt();
    person.types("?look around\r").ends_with("[y]es").types("n").prompt();
    assert_eq!(person.leaves(":quit\r"), Some(0));

    let (home, _) = moved_in(&answering("Yes."), "");
    let person = home.start();
    person.sees("run unasked now, each is shown; `shell.confirm_cmd = true`").prompt();
    assert!(!person.screen().contains("in layers now"), "{}", person.screen());
    assert_eq!(person.leaves(":quit\r"), Some(0));
}

#[test]
fn results_in_the_wrong_order_are_put_in_order_when_the_session_goes_on() {
    let server = answering("Six.");
    let (home, state) = moved_in(&server, config());
    let log = state.join("sessions/20261122-100000-0a1b.jsonl");
    let kept = std::fs::read_to_string(&log).unwrap();
    let said = aish(&home, &["ask", "--resume=20261122-100000-0a1b", "and together?"]);
    assert!(said.contains("Six."), "{said}");
    assert!(std::fs::read_to_string(&log).unwrap().starts_with(&kept), "what was written is changed");
    let requests = server.verify().unwrap();
    let body: Value = serde_json::from_slice(&requests.last().unwrap().body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let is_call = |message: &&Value| message["tool_calls"].as_array().is_some_and(|calls| calls.len() == 2);
    let at = messages.iter().position(|message| is_call(&message)).unwrap();
    let order: Vec<String> = messages[at..]
        .iter()
        .map(|message| {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            format!("{} {id}", message["role"].as_str().unwrap()).trim().to_owned()
        })
        .collect();
    let mut results: Vec<&str> = order[1..3].iter().map(String::as_str).collect();
    results.sort_unstable();
    assert_eq!(results, ["tool c1", "tool c2"], "{order:?}");
    assert_eq!([order[0].as_str(), &order[3], &order[4], &order[5]], ["assistant", "user", "assistant", "user"]);
}

#[test]
fn undo_approvals_and_pins_go_on() {
    let server = ModelServer::start(
        Script::new()
            .step(Expect::chat(), OpenAiStream::answer("CMD: touch approved-before.txt").reply())
            .step(Expect::chat(), OpenAiStream::answer("Touched.").reply())
            .always(Expect::request("GET", "/v1/models"), Reply::error(404, "not here")),
    )
    .unwrap();
    let (home, state) = moved_in(&server, "");
    let said = aish(&home, &["undo"]);
    assert_eq!(std::fs::read_to_string(home.work().join("precious.txt")).unwrap(), "gold\n", "{said}");

    let mut definition =
        ToolDefinition::new("db.query", "Runs a query", json!({"type": "object"}), SourceId::new("mcp:db"));
    let pins = PinFile::new(state.join("pins.json"));
    let pin = pins.get(&SourceId::new("mcp:db"), &ToolName::new("db.query")).unwrap().unwrap();
    assert_eq!(pin, Pin::of(&definition));
    definition.description = format!("{}!", definition.description).into();
    assert_ne!(pin, Pin::of(&definition));

    let person = home.start();
    person.sees("of version 0.1 go on").prompt().types("?touch it\r").sees("Touched.").prompt();
    assert!(!person.screen().contains("[y]es"), "{}", person.screen());
    assert_eq!(person.leaves(":quit\r"), Some(0));
    assert!(home.work().join("approved-before.txt").exists());
}
