use std::time::{Duration, Instant};

use aish_process::Environment;
use aish_shell::{Options, Rc, RestartCause, Shell, ShellEvent, Size};

use crate::headless::{options, run};
use crate::sleepers::Sleepers;

/// Options for a person's shell that writes no history file.
pub(crate) fn watched() -> Options {
    Options { detached: Options::interactive().detached, ..options() }
}

/// Starts a shell with this text as its start-up file.
pub(crate) fn with_rc(text: &str) -> (Shell, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rc file");
    std::fs::write(&file, text).unwrap();
    let options = Options { rc: Rc::File(file), start_limit: Duration::from_secs(3), ..watched() };
    (Shell::start(options), folder)
}

#[tokio::test]
async fn rc_files_are_read_and_do_not_break_the_shell() {
    for rc in [
        "PROMPT_COMMAND='x=$?; echo prompt; (exit $x)'",
        "PROMPT_COMMAND=('echo one' 'echo two')",
        "PROMPT_COMMAND='echo a;'",
        "PS0='before\\n'; PS1='\\u@\\h $ '; PS2='more '; export PS1 PS2 PS0",
        "trap 'last=$BASH_COMMAND' DEBUG",
        "trap 'echo \"debug $BASH_COMMAND\"' DEBUG; set -T",
        "trap 'echo failed' ERR; set -E",
        "trap 'echo bye' EXIT",
        "set -u -o pipefail",
        "shopt -s extdebug; shopt -s nocaseglob; shopt -u expand_aliases",
        "IFS=,; TMOUT=1; HISTCONTROL=ignoreboth; HISTIGNORE='ls:*'",
        "readonly TMOUT=1; readonly status=x",
        "alias printf='echo no' read='echo no' local='echo no' case='echo no'; printf() { echo no; }; read() { echo no; }",
        "exec 3>&1; exec 2>&1",
        "bind '\"\\e[A\": history-search-backward'; complete -W 'x y' foo",
        "return 0; echo never",
        "[[ $- != *i* ]] && return; stty -ixon",
        "unset PROMPT_COMMAND HISTFILE PS1",
        "set -o vi; set -o noclobber; set -f",
        "false",
        "syntax error (",
        "LC_ALL=C; LANG=C",
        "precmd() { PS1='$ '; }; PROMPT_COMMAND=precmd",
        "cd() { builtin cd \"$@\"; }; echo() { builtin echo \"$@\"; }",
        "export PROMPT_COMMAND='history -a'",
    ] {
        let (shell, folder) = with_rc(&format!("{rc}\nMINE=1\n"));
        for step in ["(exit 3)", "cd /usr", "own=5; cat <<< $own >/dev/null"] {
            run(&shell, step).await;
        }
        let result = run(&shell, "command echo \"here $PWD $own\"; (exit 6)").await;
        let text = result.output.clean_text();
        assert!(text.contains("here /usr 5"), "{rc}: {text:?}");
        assert_eq!(result.status, 6, "{rc}");
        shell.stop().await;
        drop(folder);
    }
}

#[tokio::test]
async fn an_rc_file_that_leads_to_no_prompt_is_left_out() {
    for rc in ["exec sleep 1000", "exit 3", "kill -9 $$", "while :; do sleep 0.1; done", "exec cat"] {
        let (mut shell, _folder) = with_rc(rc);
        let mut events = shell.take_events().unwrap();
        let since = Instant::now();
        assert_eq!(run(&shell, "echo well").await.output.clean_text(), "well\n", "{rc}");
        assert!(since.elapsed() < Duration::from_secs(60), "{rc}");
        let told = loop {
            match events.recv().await.unwrap() {
                ShellEvent::Restarted { cause, .. } => break cause,
                ShellEvent::Output(_) => {}
            }
        };
        assert_eq!(told, RestartCause::StartUpFiles, "{rc}");
        shell.stop().await;
    }
}

#[tokio::test]
async fn what_an_rc_file_prints_is_told() {
    let (mut shell, _folder) = with_rc("echo welcome; alias hi='echo hello'");
    let mut events = shell.take_events().unwrap();
    assert_eq!(events.recv().await, Some(ShellEvent::Output(b"welcome\r\n".to_vec())));
    assert_eq!(run(&shell, "hi you").await.output.clean_text(), "hello you\n");
    shell.stop().await;
}

#[tokio::test]
async fn a_program_that_is_no_shell_is_an_error() {
    for program in ["aish-no-such-shell", "true"] {
        let options = Options { program: vec![program.into()], ..options() };
        let shell = Shell::start(options);
        assert!(shell.ready().await.is_err(), "{program}");
        shell.stop().await;
    }
}

#[tokio::test]
async fn a_bare_environment_will_do() {
    let mut environment = Environment::empty();
    environment.set("PATH", std::env::var("PATH").unwrap());
    for extra in [
        None,
        Some(("TERM", "dumb")),
        Some(("LC_ALL", "C")),
        Some(("LC_ALL", "no_such_locale")),
        Some(("SHELLOPTS", "posix")),
    ] {
        let mut environment = environment.clone();
        if let Some((name, value)) = extra {
            environment.set(name, value);
        }
        let shell = Shell::start(Options { environment, rc: Rc::User, ..watched() });
        let result = run(&shell, "echo 'héllo' ${HOME-none}; (exit 3)").await;
        assert_eq!((result.output.text().starts_with("héllo"), result.status), (true, 3), "{extra:?}");
        shell.stop().await;
    }
}

#[tokio::test]
async fn a_tiny_terminal_will_do() {
    let size = Size { rows: 1, columns: 1 };
    let shell = Shell::start(Options { size, ..options() });
    assert_eq!(run(&shell, "echo long enough; stty size").await.output.clean_text(), "long enough\n1 1\n");
    shell.stop().await;
}

/// The shell of a process that is killed ends with it: this test runs itself as that process.
#[tokio::test]
async fn a_shell_ends_with_its_killed_owner() {
    let sleepers = Sleepers::new(3000, "7");
    if let Ok(length) = std::env::var("AISH_TEST_OWNER") {
        let shell = Shell::start(Options { rc: Rc::Skip, ..watched() });
        run(&shell, &format!("sleep {length} &")).await;
        run(&shell, &format!("sleep {length}")).await;
        return;
    }
    let mut owner = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "start_up::a_shell_ends_with_its_killed_owner", "--nocapture"])
        .env("AISH_TEST_OWNER", &sleepers.length)
        .spawn()
        .unwrap();
    sleepers.wait_for(2).await;
    owner.kill().unwrap();
    owner.wait().unwrap();
    sleepers.wait_for(0).await;
}
