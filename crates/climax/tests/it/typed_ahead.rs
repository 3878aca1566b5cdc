//! Keys that were typed before the question at the terminal was there are no answer to it.

use std::path::Path;
use std::time::Duration;

use aish_testkit::terminal::TerminalSession;

/// Longer than anything here takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

const CONFIG: &str = "name: t\ndescription: t\ncommand: touch\ntools:\n  \
                      - {name: make, description: Makes a file, command: made, risk: destructive}\n";

/// Starts a call that is asked about, in a terminal of its own, and types at once.
fn call(folder: &Path, typed: &[u8]) -> TerminalSession {
    std::fs::write(folder.join("t.yaml"), CONFIG).unwrap();
    let arguments = ["call", "make", "--in", "t.yaml"].map(str::to_owned);
    let mut environment: Vec<(String, String)> = vec![("HOME".into(), folder.display().to_string())];
    environment.push(("PATH".into(), std::env::var("PATH").unwrap()));
    environment.push(("TERM".into(), "xterm-256color".into()));
    let program = Path::new(env!("CARGO_BIN_EXE_climax"));
    let session = TerminalSession::start(program, &arguments, &environment, folder, (80, 24)).unwrap();
    session.type_bytes(typed).unwrap();
    assert!(session.wait_until(HUNG, |screen| screen.contains("Approve? [y/N]")), "{}", session.contents());
    session
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    for typed in [&b"y\r"[..], b"y\ry\ryes\r", b"y", b"y\ryes"] {
        let folder = tempfile::tempdir().unwrap();
        let mut session = call(folder.path(), typed);
        session.type_bytes(b"\r").unwrap();
        assert_eq!(session.exit_code(HUNG), Some(1), "{}", session.contents());
        assert!(session.contents().contains("denied by user"), "{}", session.contents());
        assert!(!folder.path().join("made").exists(), "{}", session.contents());
    }
}

#[test]
fn what_is_typed_behind_the_question_answers_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = call(folder.path(), b"no\r");
    session.type_bytes(b"y\r").unwrap();
    assert_eq!(session.exit_code(HUNG), Some(0), "{}", session.contents());
    assert!(folder.path().join("made").exists());
}
