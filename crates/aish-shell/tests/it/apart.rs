//! A line in a bash of its own; without confinement the launcher is `env`.

use std::time::Duration;

use aish_process::Environment;
use aish_shell::{Apart, ApartResult, Ending, Options, Shell, ShellState, Size, Surroundings, Waiting};
use tokio_util::sync::CancellationToken;

const MARK: &str = "0123456789abcdef";

async fn run(state: Option<&ShellState>, line: &str, surroundings: &Surroundings) -> ApartResult {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let file = state.map(|state| {
        std::fs::write(&path, state.to_script()).unwrap();
        path.clone()
    });
    let launcher = ["env", "--"].map(Into::into).into_iter();
    let launcher = launcher.chain(Apart::bash("bash", file.as_deref(), MARK, line)).collect();
    let apart = Apart {
        launcher,
        waiting: None,
        environment: Environment::only(["PATH", "HOME"]),
        size: Size::default(),
        output_cap: 64 * 1024,
        mark: MARK.to_owned(),
    };
    apart.run(surroundings).await.unwrap()
}

#[tokio::test]
async fn the_live_shells_names_are_there_and_what_became_of_them_comes_back() {
    let shell = Shell::start(Options::headless());
    let setup = "greet() { echo \"hello $1\"; }; alias hi='greet you'; list=(1 'two 2'); word=$'a\\nb'";
    shell.run(setup, Surroundings::unwatched()).await.unwrap();
    let state = shell.state().await.unwrap();
    assert!(state.functions.iter().all(|function| !function.name.starts_with("__aish")), "{state:?}");
    let line = "hi; echo \"${list[1]}\"; word=new; cd /usr; later() { :; }; exit 3";
    let ran = run(Some(&state), line, &Surroundings::unwatched()).await;
    assert_eq!((ran.status, ran.ending), (3, Ending::Completed));
    assert_eq!(ran.output.clean_text(), "hello you\ntwo 2\n");
    let after = ran.state.unwrap();
    assert_eq!(after.cwd.to_str(), Some("/usr"));
    assert_eq!(after.variable("word").unwrap().value.as_deref(), Some("new"));
    assert_eq!(state.variable("word").unwrap().value.as_deref(), Some("a\nb"));
    assert!(after.functions.iter().any(|function| function.name == "later"));
    shell.stop().await;
}

#[tokio::test]
async fn output_is_whole_with_or_without_a_word_at_the_end() {
    for (line, status) in [("seq 20000", 0), ("seq 20000; kill -KILL $$", 137), ("seq 20000; exec true", 0)] {
        let ran = run(None, line, &Surroundings::unwatched()).await;
        let text = ran.output.clean_text();
        assert!(text.starts_with("1\n2\n") && text.trim_end().ends_with("20000"), "{line}: {text:?}");
        assert_eq!(ran.status, status, "{line}");
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let ran = run(None, &format!("exec >{}; echo x", log.display()), &Surroundings::unwatched()).await;
    assert_eq!((ran.output.clean_text().as_str(), ran.state.is_none()), ("", true));
    assert_eq!(std::fs::read_to_string(log).unwrap(), "x\n", "the state goes to no file of the line's");
}

#[tokio::test]
async fn nobody_is_read_from_and_what_takes_too_long_is_ended() {
    let ran = run(None, "cat; cat </dev/tty; echo after", &Surroundings::unwatched()).await;
    assert!(ran.output.clean_text().ends_with("after\n"), "{}", ran.output.clean_text());
    let short = Surroundings { timeout: Some(Duration::from_millis(300)), ..Surroundings::default() };
    let ran = run(None, "echo before; trap '' INT TERM; while :; do sleep 0.1; done", &short).await;
    assert_eq!((ran.ending, ran.output.clean_text().as_str()), (Ending::TimedOut, "before\n"));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ran = run(None, "sleep 1000", &Surroundings { cancel, ..Surroundings::default() }).await;
    assert_eq!(ran.ending, Ending::Cancelled);
}

#[tokio::test]
async fn a_launcher_that_waits_is_told_what_it_runs_and_one_that_has_ended_is_replaced() {
    let words = |script: &str| ["bash", "-c", script].map(Into::into).to_vec();
    let apart = |waiting| Apart {
        launcher: words("echo fresh"),
        waiting: Some((waiting, b"echo told".to_vec())),
        environment: Environment::only(["PATH"]),
        size: Size::default(),
        output_cap: 1024,
        mark: MARK.to_owned(),
    };
    let waiting = Waiting::start(&words("eval \"$(cat <&3)\"")).await.unwrap();
    let ran = apart(waiting).run(&Surroundings::unwatched()).await.unwrap();
    assert_eq!((ran.output.clean_text().as_str(), ran.status), ("told\n", 0));
    let ended = Waiting::start(&words("exit 0")).await.unwrap();
    let stat = format!("/proc/{}/stat", ended.pid());
    while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let ran = apart(ended).run(&Surroundings::unwatched()).await.unwrap();
    assert_eq!((ran.output.clean_text().as_str(), ran.status), ("fresh\n", 0));
}
