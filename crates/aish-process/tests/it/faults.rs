use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use aish_process::{Command, Exit, run};
use tokio_util::sync::CancellationToken;

use crate::outcome::{outcome, sh};

/// Waits until no process on this machine has `marker` as an argument; fails after a minute.
async fn assert_gone(marker: &str) {
    let since = Instant::now();
    while alive(marker) {
        assert!(since.elapsed() < Duration::from_secs(60), "{marker} is still running");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn alive(marker: &str) -> bool {
    fs::read_dir("/proc").unwrap().filter_map(Result::ok).any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|arg| arg == marker.as_bytes())
    })
}

/// Waits until a program with this argument is surely there: what made a file before may still be on its way to it.
async fn wait_alive(marker: &str) {
    let since = Instant::now();
    while !alive(marker) {
        assert!(since.elapsed() < Duration::from_secs(60), "{marker} never came");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// An argument for `sleep` that no other test uses.
fn marker(n: u32) -> String {
    format!("{}.{n}", 1000 + std::process::id())
}

async fn wait_for(path: &Path) {
    let since = Instant::now();
    while !path.exists() {
        assert!(since.elapsed() < Duration::from_secs(60), "{} never came", path.display());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_timeout_keeps_what_came_before() {
    let marker = marker(1);
    let command = sh(&format!("echo before; echo oops >&2; sleep {marker}"));
    let command = command.timeout(Duration::from_secs(1)).grace(Duration::from_secs(50));
    let ended = outcome(&command).await;
    assert_eq!(
        (ended.exit, ended.stdout.text(), ended.stderr.text()),
        (Exit::TimedOut, "before\n".into(), "oops\n".into())
    );
    assert!(ended.duration < Duration::from_secs(40), "TERM is enough here: {:?}", ended.duration);
    assert!(!alive(&marker));
}

#[tokio::test]
async fn who_ignores_term_is_killed_after_the_grace() {
    let marker = marker(2);
    let command = sh(&format!("trap '' TERM; echo on; sleep {marker}; sleep {marker}"))
        .timeout(Duration::from_millis(200))
        .grace(Duration::from_millis(300));
    let ended = outcome(&command).await;
    assert_eq!((ended.exit, ended.stdout.text()), (Exit::TimedOut, "on\n".into()));
    assert!(
        ended.duration >= Duration::from_millis(450) && ended.duration < Duration::from_secs(4),
        "{:?}",
        ended.duration
    );
    assert!(!alive(&marker));
}

#[tokio::test]
async fn what_is_written_on_term_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let made = ready.display();
    let script = format!("trap 'echo cleaned up; exit' TERM; echo on; touch {made}; while :; do sleep 0.05; done");
    let (command, cancel) = (sh(&script), CancellationToken::new());
    let (ended, ()) = tokio::join!(run(&command, &cancel), async {
        wait_for(&ready).await;
        cancel.cancel();
    });
    assert_eq!(ended.unwrap().stdout.text(), "on\ncleaned up\n");
}

#[tokio::test]
async fn descendants_that_left_the_session_die_too() {
    for (n, script) in [
        (3, "setsid sleep M & sleep M"),
        (4, "(setsid sh -c 'sleep M & sleep M' &) ; sleep M"),
        (5, "setsid setsid nohup sleep M >/dev/null 2>&1 & (sleep M &); sleep M"),
        (6, "kill -STOP $$; sleep M"),
    ] {
        let marker = marker(n);
        let ended = outcome(&sh(&script.replace('M', &marker)).timeout(Duration::from_millis(400))).await;
        assert_eq!(ended.exit, Exit::TimedOut, "{script}");
        assert!(!alive(&marker), "{script}");
    }
}

#[tokio::test]
async fn a_descendant_that_holds_the_pipe_does_not_hang_the_call() {
    for (n, script) in
        [(7, "sleep M & echo done"), (8, "setsid sleep M & echo done"), (9, "(setsid sleep M &); echo done")]
    {
        let marker = marker(n);
        let command = sh(&script.replace('M', &marker)).drain(Duration::from_millis(200));
        let ended = outcome(&command).await;
        assert_eq!((ended.exit, ended.stdout.text()), (Exit::Code(0), "done\n".into()), "{script}");
        assert!(ended.duration < Duration::from_secs(60), "{:?}", ended.duration);
        assert!(!alive(&marker), "{script}");
    }
}

#[tokio::test]
async fn a_daemon_that_let_go_of_everything_is_found() {
    let marker = marker(10);
    let script = format!("(setsid sleep {marker} </dev/null >/dev/null 2>&1 &); echo done");
    let ended = outcome(&sh(&script)).await;
    assert_eq!(ended.stdout.text(), "done\n");
    assert!(!alive(&marker));
}

#[tokio::test]
async fn one_calls_end_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let marker = marker(11);
    let script = format!("(setsid sh -c 'touch {}; sleep {marker}' &); sleep 3; echo whole", ready.display());
    let long = tokio::spawn(async move { outcome(&sh(&script)).await });
    wait_for(&ready).await;
    outcome(&sh("(setsid sleep 50 &) ; true").drain(Duration::from_millis(50))).await;
    outcome(&sh("sleep 50").timeout(Duration::from_millis(50))).await;
    assert!(alive(&marker), "an orphan of a call that still runs was taken for another's");
    assert_eq!(long.await.unwrap().stdout.text(), "whole\n");
    assert!(!alive(&marker));
}

#[tokio::test]
async fn output_after_the_commands_own_end_is_read_within_the_drain_limit() {
    let ended = outcome(&sh("(sleep 0.1; echo late) & echo early").drain(Duration::from_secs(5))).await;
    assert_eq!(ended.stdout.text(), "early\nlate\n");
    assert!(ended.duration < Duration::from_secs(5));
}

#[tokio::test]
async fn a_cancelled_call_ends_and_keeps_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let marker = marker(12);
    let cancel = CancellationToken::new();
    let command = sh(&format!("echo so far; touch {}; sleep {marker}", ready.display()));
    let (ended, ()) = tokio::join!(run(&command, &cancel), async {
        wait_for(&ready).await;
        cancel.cancel();
    });
    let ended = ended.unwrap();
    assert_eq!((ended.exit, ended.stdout.text()), (Exit::Cancelled, "so far\n".into()));
    assert!(!alive(&marker));
    assert_eq!(run(&command, &cancel).await.unwrap().exit, Exit::Cancelled);
    assert!(!alive(&marker), "a cancelled call never starts");
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let marker = marker(13);
    let command = sh(&format!("setsid sleep {marker} & touch {}; sleep {marker}", ready.display()));
    let call = tokio::spawn(async move { run(&command, &CancellationToken::new()).await.map(|_| ()) });
    wait_for(&ready).await;
    wait_alive(&marker).await;
    call.abort();
    assert_gone(&marker).await;
}

#[tokio::test]
async fn a_call_that_is_dropped_while_its_process_is_born_leaves_nothing() {
    let marker = marker(19);
    let command = sh(&format!("setsid sleep {marker} & sleep {marker}"));
    let cancel = CancellationToken::new();
    let mut call = Box::pin(run(&command, &cancel));
    std::future::poll_fn(|context| {
        assert!(call.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    // The answer comes meanwhile, and nobody takes it.
    let since = Instant::now();
    while !alive(&marker) {
        assert!(since.elapsed() < Duration::from_secs(60), "{marker} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(call);
    assert_gone(&marker).await;
}

#[tokio::test]
async fn kill_all_ends_everything_at_once() {
    if !is_alone("faults::kill_all_ends_everything_at_once") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let marker = marker(14);
    let script = format!("trap '' TERM; (setsid sleep {marker} &); touch {}; sleep {marker}", ready.display());
    let call = tokio::spawn(async move { outcome(&sh(&script)).await });
    wait_for(&ready).await;
    aish_process::kill_all();
    assert!(!alive(&marker));
    assert_eq!(call.await.unwrap().exit, Exit::Signal(9));
}

#[tokio::test]
async fn endless_output_is_bounded() {
    let command = Command::new("yes").timeout(Duration::from_millis(700)).output_cap(10_000);
    let ended = outcome(&command).await;
    assert_eq!(ended.exit, Exit::TimedOut);
    assert_eq!(ended.stdout.head().len() + ended.stdout.tail().len(), 10_000);
    assert!(ended.stdout.total_bytes() > 1_000_000, "{}", ended.stdout.total_bytes());
    assert!(ended.stdout.text().contains("bytes left out"));
}

#[tokio::test]
async fn both_streams_flood_without_a_deadlock() {
    let script = "head -c 3000000 /dev/zero >&2 & head -c 3000000 /dev/zero; wait";
    let ended = outcome(&sh(script)).await;
    assert_eq!((ended.stdout.total_bytes(), ended.stderr.total_bytes()), (3_000_000, 3_000_000));
    assert_eq!(ended.exit, Exit::Code(0));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let ended = outcome(&sh(r"printf 'a\377b\000c\033[31md'")).await;
    assert_eq!(ended.stdout.text(), "a\u{fffd}b\0c\u{1b}[31md");
    assert_eq!(ended.stdout.clean_text(), "a\u{fffd}bcd");
}

/// Says whether a test has a process of its own, which what it does to all children, or asks of them, needs: in a process of
/// several tests it is run once more, by itself, and has passed there when this returns.
fn is_alone(name: &str) -> bool {
    if std::env::var_os("AISH_TEST_ALONE").is_some() {
        return true;
    }
    let own = std::env::current_exe().unwrap();
    let ran = std::process::Command::new(own)
        .args(["--exact", name, "--nocapture"])
        .env("AISH_TEST_ALONE", "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && told.contains("1 passed"), "{told}");
    false
}

/// The child of a process that is killed dies with it: this test runs itself as that process.
#[tokio::test]
async fn children_die_with_a_killed_parent() {
    let marker = marker(15);
    if let Ok(marker) = std::env::var("AISH_TEST_PARENT") {
        outcome(&Command::new("sleep").arg(marker)).await;
        return;
    }
    let own = std::env::current_exe().unwrap();
    let mut parent = std::process::Command::new(own)
        .args(["--exact", "faults::children_die_with_a_killed_parent", "--nocapture"])
        .env("AISH_TEST_PARENT", &marker)
        .spawn()
        .unwrap();
    let since = Instant::now();
    while !alive(&marker) {
        assert!(since.elapsed() < Duration::from_secs(60), "the child never started");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_gone(&marker).await;
}

#[tokio::test]
async fn nothing_piles_up() {
    if !is_alone("faults::nothing_piles_up") {
        return;
    }
    for _ in 0..30 {
        outcome(&sh("(sleep 0.01 &) ; true").drain(Duration::ZERO)).await;
    }
    outcome(&Command::new("true")).await;
    let children = fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| fs::read_to_string(task.unwrap().path().join("children")).ok())
        .collect::<String>();
    assert_eq!(children.trim(), "", "zombies or survivors");
    let fds = fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(fds < 40, "{fds} descriptors are open");
}
