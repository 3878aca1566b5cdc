use std::time::Duration;

use aish_process::{Command, Environment, Exit, RunOutcome, SpawnError, Stdin, run};
use tokio_util::sync::CancellationToken;

pub(crate) fn sh(script: &str) -> Command {
    Command::new("sh").args(["-c", script]).timeout(Duration::from_secs(20))
}

pub(crate) async fn outcome(command: &Command) -> RunOutcome {
    run(command, &CancellationToken::new()).await.unwrap()
}

#[track_caller]
fn check(outcome: &RunOutcome, stdout: &str, stderr: &str, exit: Exit) {
    assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str(), outcome.exit), (stdout, stderr, exit));
}

#[tokio::test]
async fn streams_and_codes_come_back() {
    check(&outcome(&sh("echo out; echo err >&2; exit 3")).await, "out\n", "err\n", Exit::Code(3));
    check(&outcome(&sh("kill -TERM $$")).await, "", "", Exit::Signal(15));
    check(&outcome(&Command::new("true")).await, "", "", Exit::Code(0));
    check(&outcome(&Command::new("/bin/echo").args(["a b", "$HOME", "*"])).await, "a b $HOME *\n", "", Exit::Code(0));
}

#[tokio::test]
async fn stdin_is_empty_or_the_bytes() {
    check(&outcome(&Command::new("cat")).await, "", "", Exit::Code(0));
    let bytes = vec![b'x'; 1_000_000];
    let fed = outcome(&Command::new("wc").arg("-c").stdin(Stdin::Bytes(bytes.clone()))).await;
    check(&fed, "1000000\n", "", Exit::Code(0));
    let unread = outcome(&Command::new("true").stdin(Stdin::Bytes(bytes))).await;
    check(&unread, "", "", Exit::Code(0));
    check(&outcome(&Command::new("cat").stdin(Stdin::Bytes(Vec::new()))).await, "", "", Exit::Code(0));
}

#[tokio::test]
async fn environment_and_folder_are_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let shown = outcome(&sh("pwd; echo $AISH_A").cwd(&path).env("AISH_A", "1")).await;
    check(&shown, &format!("{}\n1\n", path.display()), "", Exit::Code(0));
    let mut bare = Environment::empty();
    bare.set("ONLY", "this");
    let listed = outcome(&Command::new("/usr/bin/env").environment(bare)).await;
    assert_eq!(
        listed.stdout.text().lines().filter(|line| !line.starts_with("AISH_PROCESS_TAG=")).collect::<Vec<_>>(),
        ["ONLY=this"]
    );
}

#[tokio::test]
async fn a_relative_program_is_found_in_the_childs_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy("/bin/echo", folder.path().join("say")).unwrap();
    check(&outcome(&Command::new("./say").arg("hi").cwd(folder.path())).await, "hi\n", "", Exit::Code(0));
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let cancel = CancellationToken::new();
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    for (command, expected) in [
        (Command::new("aish-no-such-program"), "aish-no-such-program: command not found"),
        (Command::new("/no/such/program"), "/no/such/program: command not found"),
        (Command::new(&plain), &*format!("{}: cannot be run", plain.display())),
        (Command::new("true").cwd("/no/such/folder"), "/no/such/folder: cannot enter the working directory"),
        (Command::new("true").arg("a\0b"), "a NUL byte in an argument"),
    ] {
        let error: SpawnError = run(&command, &cancel).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn signals_are_as_a_fresh_process_has_them() {
    // The test's own process ignores SIGPIPE, as every Rust program does; a child must not.
    let shown = outcome(&Command::new("grep").args(["-E", "^Sig(Blk|Ign)", "/proc/self/status"])).await.stdout.text();
    let masks: Vec<_> =
        shown.lines().map(|line| u64::from_str_radix(line.split_once('\t').unwrap().1, 16).unwrap()).collect();
    // The C library's own two signals (32, 33) stay as whoever started the test left them.
    assert_eq!(masks.iter().map(|mask| mask & 0x7fff_ffff).collect::<Vec<_>>(), [0, 0], "{shown}");
    let session = outcome(&sh("ps -o sid= -p $$ | tr -d ' '; echo $$")).await.stdout.text();
    let lines: Vec<_> = session.lines().collect();
    assert_eq!(lines.first(), lines.last(), "the child leads its own session");
}

#[tokio::test]
async fn many_calls_run_at_once() {
    let calls = (0..50).map(|n| tokio::spawn(async move { outcome(&sh(&format!("sleep 0.2; echo {n}"))).await }));
    for (n, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
        check(&call.await.unwrap(), &format!("{n}\n"), "", Exit::Code(0));
    }
}
