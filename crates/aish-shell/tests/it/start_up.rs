use std::time::{Duration, Instant};

use aish_shell::{Options, Rc, RestartCause, Shell, ShellEvent};

use crate::headless::run;

/// Starts a shell with this text as its start-up file.
fn with_rc(text: &str) -> (Shell, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rc file");
    std::fs::write(&file, text).unwrap();
    let options = Options { rc: Rc::File(file), start_limit: Duration::from_secs(3), ..Options::interactive() };
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
        assert!(since.elapsed() < Duration::from_secs(15), "{rc}");
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
        let options = Options { program: vec![program.into()], ..Options::headless() };
        let shell = Shell::start(options);
        assert!(shell.ready().await.is_err(), "{program}");
        shell.stop().await;
    }
}
