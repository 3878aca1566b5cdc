//! Terminals and surroundings with less than usual: aish says so and works as far as it can.

use std::path::Path;
use std::time::Duration;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Reply, Script};
use serde_json::json;

use crate::person::{Home, Person};

#[test]
fn one_column_is_enough() {
    let mut home = Home::new();
    home.size = (1, 24);
    let person = home.start();
    person.waits("a prompt", |screen| screen.contains('❯'));
    person.types("touch here\r").waits("the file", |_| home.work().join("here").exists());
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn a_terminal_of_two_rows_works() {
    let mut home = Home::new();
    home.size = (80, 2);
    let person = home.start();
    person.waits("a prompt", |screen| screen.contains('❯'));
    person.types("touch here\r").waits("the file", |_| home.work().join("here").exists());
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn forty_columns_wrap_and_nothing_is_lost() {
    let mut home = Home::new();
    home.size = (40, 24);
    let person = home.sit_down();
    person.runs(
        "echo a line that is a good deal longer than forty columns",
        "\na line that is a good deal longer than f",
    );
    person.runs(":help", "Ctrl-D ends aish.");
    let said = "there is no :hepl; did you mean :help?; :help lists what there is";
    person.runs(":hepl", said);
    let rows = person.session.rows();
    let words: Vec<&str> = rows.split_whitespace().collect();
    assert!(said.split(' ').all(|word| words.contains(&word)), "a word is broken:\n{rows}");
    person.runs(":help mcp", "MCP servers");
    let rows = person.session.rows();
    let words: Vec<&str> = rows.split_whitespace().collect();
    let named = ["disconnect", "login", "prompts", "resource", "resources", "tools"];
    assert!(named.iter().all(|word| words.contains(word)), "a word is broken:\n{rows}");
    person.runs(":why", "command, and runs none");
    person.runs(":why rm -rf /srv/data", "[files.delete-recursive]");
    let rows = person.session.rows();
    let words: Vec<&str> = rows.split_whitespace().collect();
    let said = "halt: deletes /srv/data recursively; no way back [files.delete-recursive] stands in programs/rm.toml";
    assert!(said.split(' ').all(|word| words.contains(&word)), "a word is broken:\n{rows}");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn a_dumb_terminal_reads_lines_and_gets_no_escapes() {
    for term in ["dumb", ""] {
        let home = Home::new().with("TERM", term);
        let person = home.sit_down();
        person.runs("cd /tmp; echo plain-$((1+1))", "\nplain-2\n").runs("pwd", "\n/tmp\n");
        person.runs(":route ls", "shell: ");
        assert!(!person.screen().contains('\u{1b}'));
        assert_eq!(person.leaves("exit 4\r"), Some(4), "TERM={term:?}");
    }
}

#[test]
fn a_locale_without_utf_8_gets_ascii() {
    let home = Home::new().with("LANG", "C").with("LC_ALL", "C");
    let person = home.sit_down();
    person.runs("echo plain", "\nplain\n").runs(":frobnicate", "[aish]");
    assert!(person.screen().is_ascii(), "{}", person.screen());
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn without_a_home_it_works_and_says_what_is_not_kept() {
    let home = Home::new().with("HOME", "");
    let person = home.sit_down();
    person.sees("HOME is not set; history and sessions are not kept");
    person.runs("echo works", "\nworks\n").runs("cd /usr; pwd", "\n/usr\n");
    assert_eq!(person.leaves("\x04"), Some(0));
    let (code, out, _) = home.sh("\"$AISH\" doctor");
    assert!(out.contains("HOME is not set"), "{out}");
    assert_eq!(code, Some(1));
    // What cannot be kept is not said to be.
    for line in ["memory add tea", "cost", "tools call remember --yes '{\"content\": \"tea\"}'"] {
        let (code, out, err) = home.sh(&format!("\"$AISH\" {line}"));
        assert_eq!((code.is_some_and(|code| code != 0), out.as_str()), (true, ""), "{line}: {err}");
    }
}

#[test]
fn where_nothing_can_be_written_it_works_and_says_so() {
    // A folder below a file: nobody can make it, not even root.
    let home = Home::new().with("XDG_STATE_HOME", "/dev/null/state").with("XDG_CONFIG_HOME", "/dev/null/config");
    let person = home.sit_down();
    person.sees("/dev/null/state/aish cannot be written");
    person.runs("echo works", "\nworks\n").types("\x1b[A").ends_with("❯ echo works").types("\r").prompt();
    assert_eq!(person.leaves("\x04"), Some(0));
    let (code, out, _) = home.sh("\"$AISH\" doctor");
    assert!(out.contains("cannot be written"), "{out}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_closed_standard_input_is_no_question_and_no_hang() {
    let home = Home::new();
    let (code, out, err) = home.sh("\"$AISH\" <&-");
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    let (code, _, err) = home.sh("\"$AISH\" ask <&-");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("nothing was asked"), "{err}");
    let (code, out, err) = home.sh("\"$AISH\" -c 'echo hi' <&-");
    assert_eq!((code, out.as_str()), (Some(0), "hi\n"), "{err}");
    let (code, _, _) = home.sh("\"$AISH\" doctor <&- >&- 2>&-");
    assert_eq!(code, Some(1), "no model");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let home = Home::new();
    let (code, out, err) = home.sh("\"$AISH\" manual pages && ls pages && head -n 3 pages/aish-ask.1");
    assert_eq!(code, Some(0), "{err}");
    for page in ["aish.1\n", "aish-ask.1\n", "aish-route.1\n", "aish-doctor.1\n", ".TH"] {
        assert!(out.contains(page), "{page}: {out}");
    }
    let (_, out, _) = home.sh("\"$AISH\" manual");
    assert!(out.contains(".TH aish 1"), "{out}");
}

#[test]
fn a_server_that_is_slow_to_list_its_models_does_not_hold_up_the_prompt() {
    let list = Reply::json(200, &json!({"data": [{"id": "slow-one"}]})).before(Duration::from_millis(1_000));
    let script = Script::new()
        .step(Expect::chat().body(json!({"model": "slow-one"})), OpenAiStream::answer("Here I am.").reply())
        .always(Expect::request("GET", "/v1/models"), list)
        .always(Expect::request("GET", "/props"), Reply::error(404, "no such page"));
    let server = ModelServer::start(script).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("AISH_MEMORY_AUTO", "false");
    let person = home.sit_down();
    person.runs("echo the shell is there", "\nthe shell is there\n");
    person.runs("?who answers", "\nHere I am.");
    person.runs(":model", "slow-one");
    assert_eq!(person.leaves("\x04"), Some(0));
    server.verify().unwrap();
}

#[test]
fn what_was_typed_before_the_question_deletes_no_state() {
    let home = Home::new().with("AISH", env!("CARGO_BIN_EXE_aish"));
    let line = "\"$AISH\" memory add 'the door is green'; echo rea''dy; sleep 2; exec \"$AISH\" state delete";
    let person = Person { session: home.terminal(Path::new("bash"), &["-c", line]) };
    person.sees_line("ready").types("delete\rdelete\rdel");
    person.sees("Type `delete` to do it:").types("no\r").sees("nothing was deleted");
    assert_eq!(person.leaves(""), Some(1));
    assert!(home.path(".local/state/aish/aish.db").exists());
}

#[test]
fn a_configuration_that_cannot_answer_is_not_called_right() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("c.toml");
    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_aish"));
        command.arg("--config").arg(&file).args(["config", "check"]).env_clear().env("HOME", home.path());
        let output = command.env("PATH", std::env::var("PATH").unwrap()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(check("[model]\ndefault = \"embedded\"\n[ui]\nprompt = \"{cwd} {mark} \"\n"), "nothing is wrong\n");
    let said = check(
        "[model]\ndefault = \"gtp\"\n[models.gpt]\nmodel = \"x\"\nendpoint = \"not a url\"\n[models.o]\nmodel = \"x\"\n\
         endpoint = \"http://127.0.0.1:1\"\nkey_env = \"NOPE\"\n[ui]\nprompt = \"{cwdd} {mark} \"\n[shell]\nprogram = \"/nonexistent\"\n",
    );
    for told in [
        "models.gpt: ",
        "NOPE",
        "there is no [models.gtp]",
        "shell.program: /nonexistent is not there",
        "{cwdd} stands for nothing",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(said.ends_with("warnings only\n"), "{said}");
}

#[test]
fn a_model_without_the_program_that_runs_it_is_told_when_it_comes() {
    let home = Home::outside_temporary_folders();
    let aish = home.path("bin/aish");
    // A place of its own: the program may lie beside the one that was built.
    if std::fs::hard_link(env!("CARGO_BIN_EXE_aish"), &aish).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_aish"), &aish).unwrap();
    }
    let person = Person { session: home.terminal(&aish, &[]) };
    let told = |screen: &str| screen.matches("aish-model, is not here").count();
    person.prompt();
    std::fs::write(home.work().join("m.gguf"), b"GGUF\x03\0\0\0 and what follows").unwrap();
    person.runs("aish model pull m --from m.gguf", "is not here").clears();
    person.runs("what is the capital of France?", "no model to ask");
    assert_eq!(told(&person.screen()), 1, "{}", person.screen());
    person.clears().runs("what is the capital of Spain?", "no model to ask");
    assert_eq!(told(&person.screen()), 0, "{}", person.screen());
    assert_eq!(person.leaves("exit\r"), Some(0));
}
