//! What cannot be written is said and is the exit code: full disks, limits of files, an audit log that is not there.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Script, Times};

use crate::person::Home;

#[test]
fn a_full_disk_is_no_success_for_any_command_that_prints() {
    let home = Home::new();
    home.sh("\"$AISH\" memory add 'the door is green'");
    for command in [
        "check ls",
        "check --explain ls",
        "cost --json",
        "tools list",
        "config show",
        "config path",
        "policy show",
        "memory list",
        "project",
        "mcp list",
        "completions bash",
        "manual",
        "--help",
        "--version",
        "tools --help",
    ] {
        let (code, _, told) = home.sh(&format!("\"$AISH\" {command} > /dev/full"));
        let expected = "standard output cannot be written: No space left on device";
        assert!(told.contains(expected) && code == Some(1), "{command}: {code:?} {told}");
        let (code, _, told) = home.sh(&format!("\"$AISH\" {command} | true"));
        assert!(code == Some(0) && !told.contains("cannot be written"), "{command} | true: {code:?} {told}");
    }
    let (code, _, told) = home.sh("printf 'ls\\nls\\n' | \"$AISH\" check > /dev/full");
    assert!(code != Some(0) && told.contains("No space left on device"), "{code:?} {told}");
}

#[test]
fn an_answer_that_nobody_got_is_no_success() {
    let reply = OpenAiStream::new("m").role().words("It is Paris.").finish("stop").usage(5, 3, 0).done();
    let server = ModelServer::start(Script::new().times(Times::Any, Expect::chat(), reply.reply())).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url());
    for flags in ["", "--json", "--quiet"] {
        let (code, _, told) = home.sh(&format!("\"$AISH\" ask {flags} 'Capital of France?' > /dev/full"));
        assert_eq!(code, Some(1), "{flags}: {told}");
        assert!(told.contains("standard output cannot be written: No space left on device"), "{flags}: {told}");
    }
}

#[test]
fn an_answer_that_nobody_reads_on_is_not_paid_for_to_its_end() {
    for flags in ["", "--json", "--quiet"] {
        let lines = (0..100).fold(OpenAiStream::new("m").role(), |stream, at| stream.text(&format!("line {at}\n\n")));
        let reply = lines.finish("stop").usage(5, 100, 0).done().reply().pause_between(Duration::from_millis(100));
        let server = ModelServer::start(Script::new().times(Times::Any, Expect::chat(), reply)).unwrap();
        let home = Home::new().with("OPENAI_BASE_URL", &server.url());
        let line = format!("{{ \"$AISH\" ask {flags} 'Count.'; echo $? > ended; }} | head -n 1");
        let (_, _, told) = home.sh(&line);
        assert!(told.is_empty(), "{flags}: {told}");
        assert_eq!(std::fs::read_to_string(home.work().join("ended")).unwrap(), "0\n", "{flags}");
        // What came of it can be gone on with.
        let (_, kept, _) = home.sh("cat \"$HOME\"/.local/state/aish/sessions/*.jsonl");
        assert!(kept.contains("line 0") && !kept.contains("line 99"), "{flags}: {kept}");
    }
}

#[test]
fn a_limit_of_file_sizes_is_an_error_and_no_signal() {
    let home = Home::new();
    let (code, _, told) = home.sh("ulimit -f 0; \"$AISH\" memory add 'the door is green'");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("cannot be used") || told.contains("cannot be written"), "{told}");
    let (code, said, _) = home.sh("ulimit -f 0; \"$AISH\" doctor | cat");
    assert!(said.contains("cannot be written (File too large") && !said.contains("moved away"), "{code:?} {said}");
    let (code, _, told) = home.sh("ulimit -f 0; \"$AISH\" check ls > out");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("File too large"), "{told}");
    // A command that is started has the limit as it was, with the signal that goes with it.
    let (code, _, _) = home.sh("ulimit -f 0; \"$AISH\" -c 'head -c 9999 /dev/zero > big'; test $? -ne 0");
    assert_eq!(code, Some(0));
}

#[test]
fn what_cannot_be_read_is_named() {
    let (code, _, told) = Home::new().sh("\"$AISH\" ask hi < /");
    assert_eq!((code, told.as_str()), (Some(1), "aish: standard input cannot be read: Is a directory (os error 21)\n"));
}

#[test]
fn doctor_makes_the_state_folder_for_its_owner_alone() {
    let home = Home::new();
    let state = home.work().join("state");
    home.sh(&format!("umask 0; XDG_STATE_HOME={} \"$AISH\" doctor", state.display()));
    let mode = std::fs::metadata(state.join("aish")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn urls_are_shown_without_logins_and_tokens() {
    let home = Home::new();
    let url = "https://me:hunter2@example.org/mcp?token=s3cr3t-value\\&x=1";
    let line = format!(
        "{{ \"$AISH\" mcp add tools {url}; \"$AISH\" mcp list; \"$AISH\" config show; \
         AISH_NATS_URL=nats://bus-t0ken@127.0.0.1:1 \"$AISH\" config show; }} 2>&1 | tee said >&2"
    );
    let (_, _, said) = home.sh(&line);
    assert!(said.matches("example.org/mcp?token=[redacted]&x=1").count() >= 2, "{said}");
    for secret in ["hunter2", "s3cr3t-value", "bus-t0ken"] {
        assert!(!said.contains(secret), "{said}");
    }
}

#[test]
fn where_the_audit_log_cannot_be_written_that_is_the_cause() {
    let call = OpenAiStream::new("m").role().words("Let me look.\nCMD: ls").finish("stop").usage(5, 3, 0).done();
    let server = ModelServer::start(Script::new().times(Times::Any, Expect::chat(), call.reply())).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url());
    let state = home.work().join("state");
    std::fs::create_dir_all(state.join("aish/audit.jsonl")).unwrap();
    let (_, _, told) = home.sh(&format!("XDG_STATE_HOME={} \"$AISH\" ask 'What is here?'", state.display()));
    assert!(told.contains("the audit log cannot be written"), "{told}");
    assert!(!told.contains("nobody is here to approve it"), "{told}");
}

#[test]
fn a_newer_file_of_garbage_is_not_the_session_to_go_on_with() {
    let reply = OpenAiStream::new("m").role().words("It is Paris.").finish("stop").usage(5, 3, 0).done();
    let server = ModelServer::start(Script::new().times(Times::Any, Expect::chat(), reply.reply())).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url());
    let state = home.work().join("state");
    let variables = format!("XDG_STATE_HOME={}", state.display());
    home.sh(&format!("{variables} \"$AISH\" ask 'Capital of France?'"));
    let garbage = state.join("aish/sessions/99991231235959-00000000.jsonl");
    std::fs::write(&garbage, "not a record\n".repeat(1_000)).unwrap();
    let (code, _, told) = home.sh(&format!("{variables} \"$AISH\" ask --resume 'And of Italy?'"));
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("goes on with 2 messages"), "{told}");
    let (code, _, told) =
        home.sh(&format!("{variables} \"$AISH\" ask --resume=99991231235959-00000000 'And of Spain?'"));
    assert_ne!(code, Some(0), "{told}");
    assert!(told.contains("nothing can be read in the log of session 99991231235959-00000000"), "{told}");
}
