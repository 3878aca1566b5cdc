//! Many of us at once: nothing that one keeps is lost to another.

use std::process::{Child, Command, Stdio};

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script};

use crate::person::Home;

/// Starts `aish` with arguments in a home.
fn aish(home: &Home, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(arguments)
        .env_clear()
        .envs(home.all_variables())
        .current_dir(home.work())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn no_fact_is_lost_of_24_writers_at_once_six_times() {
    let home = Home::new();
    for round in 0..6 {
        let facts: Vec<String> = (0..24).map(|writer| format!("fact {round}-{writer}")).collect();
        let writers: Vec<Child> = facts.iter().map(|fact| aish(&home, &["memory", "add", fact])).collect();
        for writer in writers {
            let output = writer.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        for fact in &facts {
            let found = aish(&home, &["memory", "search", fact, "--json"]).wait_with_output().unwrap();
            let found = String::from_utf8_lossy(&found.stdout).into_owned();
            assert!(found.contains(fact.as_str()), "{fact} is lost: {found}");
        }
    }
}

#[test]
fn no_server_is_lost_of_16_that_are_added_at_once() {
    let home = Home::new();
    let names: Vec<String> = (0..16).map(|writer| format!("s{writer}")).collect();
    let writers: Vec<Child> = names.iter().map(|name| aish(&home, &["mcp", "add", name, "cat"])).collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let config = std::fs::read_to_string(home.path(".config/aish/config.toml")).unwrap();
    for name in &names {
        assert!(config.contains(&format!("[mcp.servers.{name}]")), "{name} is lost:\n{config}");
    }
}

#[test]
fn a_session_that_several_began_at_once_goes_on_under_its_name() {
    let script = Script::new().always(Expect::chat(), OpenAiStream::answer("Paris.").reply());
    let server = ModelServer::start(script).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    for _ in 0..2 {
        let asked: Vec<Child> = (0..6).map(|_| aish(&home, &["ask", "--session", "bot", "capital?"])).collect();
        for one in asked {
            let output = one.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let last = aish(&home, &["ask", "--session", "bot", "and now?"]).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&last.stderr).into_owned();
    assert!(last.status.success() && said.contains("(bot) goes on with"), "{said}");
}
