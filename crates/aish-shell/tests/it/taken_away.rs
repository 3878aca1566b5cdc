//! A shell whose person takes away or turns on what the hook has to live with.

use aish_process::Exit;
use aish_shell::{AtExit, Ending, Options, Rc, RestartCause, Shell, ShellEvent, Surroundings, Wanted};

use crate::headless::run;
use crate::person::Person;
use crate::start_up::{watched, with_rc};

async fn shows(shell: &Shell, command: &str, output: &str) {
    assert_eq!(run(shell, command).await.output.clean_text(), output, "{command}");
}

#[tokio::test]
async fn the_shells_own_line_editing_echoes_nothing() {
    let (shell, _folder) = with_rc("set -o vi");
    shows(&shell, "echo one", "one\n").await;
    for option in ["vi", "emacs"] {
        shows(&shell, &format!("set -o {option}"), "").await;
        shows(&shell, "echo two", "two\n").await;
        shows(&shell, "cat <<E\nthree\nE", "three\n").await;
    }
    shell.stop().await;
}

#[tokio::test]
async fn built_in_commands_that_were_disabled_stay_so_and_break_nothing() {
    let (shell, _folder) = with_rc("enable -n printf");
    shows(&shell, "enable -n | tr '\\n' ';'", "enable -n printf;").await;
    for name in ["read", "local", "return", "jobs", "declare", "eval", "exec", "set", ":", ".", "unset", "builtin"] {
        run(&shell, &format!("enable -n {name}")).await;
        shows(&shell, "echo well", "well\n").await;
        let listed = run(&shell, "enable -n").await.output.clean_text();
        assert!(listed.lines().any(|line| line == format!("enable -n {name}")), "{name}: {listed}");
        run(&shell, &format!("enable {name}")).await;
    }
    shell.stop().await;
}

#[tokio::test]
async fn functions_in_the_place_of_the_hooks_commands_break_nothing() {
    let (shell, _folder) = with_rc("builtin() { echo mine; }");
    shows(&shell, "builtin", "mine\n").await;
    shows(&shell, "builtin() { command builtin \"$@\"; }; IFS=,; set -u", "").await;
    shows(&shell, "echo \"$IFS\"; builtin echo well; [[ -o nounset ]] && echo set", ",\nwell\nset\n").await;
    shell.stop().await;
}

#[tokio::test]
async fn a_shell_that_cannot_tell_any_more_is_told_of_and_started_again() {
    let mut shell = Shell::start(Options { rc: Rc::Skip, ..watched() });
    let mut events = shell.take_events().unwrap();
    let result = run(&shell, "export KEPT=1; unset() { :; }; builtin() { :; }").await;
    assert_eq!(result.ending, Ending::Died(Exit::Cancelled));
    let told = loop {
        match events.recv().await.unwrap() {
            ShellEvent::Restarted { cause, .. } => break cause,
            ShellEvent::Output(_) => {}
        }
    };
    assert_eq!(told, RestartCause::Dumb);
    shows(&shell, "echo well", "well\n").await;
    shell.stop().await;
}

#[tokio::test]
async fn an_exit_that_leaves_nothing_starts_the_shell_again() {
    let (mut shell, person) = (Shell::start(Options { rc: Rc::Skip, ..watched() }), Person::sit_down());
    let mut events = shell.take_events().unwrap();
    person.run(&shell, "export KEPT=1; cd /usr").await;
    let surroundings = Surroundings { at_exit: AtExit::StartsAgain, ..Surroundings::at(person.terminal.clone()) };
    let result = shell.run("exit 3", surroundings).await.unwrap();
    assert_eq!((result.status, result.ending), (3, Ending::Died(Exit::Code(3))));
    let told = loop {
        match events.recv().await.unwrap() {
            ShellEvent::Restarted { cause, .. } => break cause.to_string(),
            ShellEvent::Output(_) => {}
        }
    };
    assert_eq!(told, "the shell ended with code 3");
    assert_eq!(person.run(&shell, "echo $KEPT $PWD").await.output.clean_text(), "1 /usr\n");
    shell.stop().await;
}

#[tokio::test]
async fn values_that_are_wanted_are_told_exported_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rc");
    std::fs::write(&file, "export A_TOKEN=of-the-rc\nB_TOKEN='not exported'\n").unwrap();
    let wanted = Wanted::by(|name| name.ends_with("_TOKEN"));
    let shell = Shell::start(Options { rc: Rc::File(file), wanted, ..watched() });
    assert_eq!(shell.snapshot().await.unwrap().told.0, ["of-the-rc", "not exported"]);
    let result = run(&shell, "set -u; declare -a C_TOKEN=(one two); unset A_TOKEN; readonly D_TOKEN=x; (exit 4)").await;
    assert_eq!((result.told.0, result.status), (["not exported", "one", "two", "x"].map(str::to_owned).into(), 4));
    shows(&shell, "echo $?", "4\n").await;
    shell.stop().await;
}

#[tokio::test]
async fn the_end_of_a_job_is_told_once_and_with_immediate_notices_too() {
    for rc in ["", "set -b"] {
        let (shell, _folder) = with_rc(rc);
        let result = run(&shell, "sleep 0.3 &").await;
        assert_eq!(result.jobs, 1);
        assert_eq!(shell.job_news().await.unwrap(), (Vec::new(), 1));
        let since = std::time::Instant::now();
        let news = loop {
            let (news, left) = shell.job_news().await.unwrap();
            if left == 0 {
                break news;
            }
            assert!(since.elapsed().as_secs() < 60);
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        assert!(
            matches!(news.as_slice(), [line] if line.starts_with("[1]+  Done") && line.ends_with("sleep 0.3")),
            "{news:?}"
        );
        assert_eq!(shell.job_news().await.unwrap(), (Vec::new(), 0));
        shows(&shell, "echo well", "well\n").await;
        shell.stop().await;
    }
}

#[tokio::test]
async fn a_shell_that_dies_before_it_reads_its_command_leaves_nothing_to_the_next_one() {
    let (shell, person) = (Shell::start(Options { rc: Rc::Skip, ..watched() }), Person::sit_down());
    // The next file that the hook writes ends the shell, behind what makes it run the command.
    for command in ["echo one", "cat <<E\none\nE"] {
        person.run(&shell, "ulimit -S -f 0").await;
        let result = person.run(&shell, command).await;
        assert_eq!(result.ending, Ending::Died(Exit::Signal(25)), "{command}");
        assert_eq!(String::from_utf8_lossy(&result.type_ahead), "", "{command}");
        assert_eq!(person.run(&shell, "echo on").await.output.clean_text(), "on\n");
    }
    shell.stop().await;
}
