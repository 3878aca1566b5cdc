use std::time::Duration;

use aish_shell::{CommandResult, Ending, Options, Shell, Surroundings};

use crate::sleepers::Sleepers;

/// Options for a shell that writes no history file.
pub(crate) fn options() -> Options {
    let mut options = Options::headless();
    options.environment.set("HISTFILE", "");
    options
}

pub(crate) async fn run(shell: &Shell, command: &str) -> CommandResult {
    tokio::time::timeout(Duration::from_secs(20), shell.run(command, Surroundings::unwatched()))
        .await
        .unwrap_or_else(|_| panic!("no end of {command:?}"))
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

#[tokio::test]
async fn state_lasts_from_command_to_command() {
    let shell = Shell::start(options());
    for (command, output, status) in [
        ("echo hi", "hi\n", 0),
        ("false", "", 1),
        ("echo $?", "1\n", 0),
        ("cd /usr; X=5; f() { echo \"f $1 $X\"; }", "", 0),
        ("f a; pwd", "f a 5\n/usr\n", 0),
        ("cat <<EOF\n$X\nEOF", "5\n", 0),
        ("sh -c 'exit 7'", "", 7),
    ] {
        let result = run(&shell, command).await;
        assert_eq!((result.output.clean_text().as_str(), result.status), (output, status), "{command}");
        assert_eq!(result.ending, Ending::Completed);
    }
    assert_eq!(run(&shell, "history | head -1 | cut -c8-").await.output.clean_text(), "echo hi\n");
    let result = run(&shell, "export A=1; unset HOME").await;
    assert_eq!(result.cwd, std::path::Path::new("/usr"));
    assert!(result.changed.contains(&("A".into(), Some("1".into()))), "{:?}", result.changed);
    assert!(result.changed.contains(&("HOME".into(), None)), "{:?}", result.changed);
    shell.stop().await;
}

#[tokio::test]
async fn a_command_of_any_length_runs_whole() {
    let shell = Shell::start(options());
    for length in [4_000, 4_096, 5_000, 65_536, 100_000] {
        let word = "y".repeat(length);
        let result = run(&shell, &format!("x='{word}'; echo ${{#x}}")).await;
        assert_eq!(result.output.clean_text(), format!("{length}\n"));
    }
    shell.stop().await;
}

#[tokio::test]
async fn control_bytes_in_a_command_are_the_commands() {
    let shell = Shell::start(options());
    let result = run(&shell, "printf '%s' 'a\x03b\x04c\x15d\x1ae\x7ff' | od -An -tx1 | tr -d '\\n'").await;
    assert_eq!(result.output.clean_text(), " 61 03 62 04 63 15 64 1a 65 7f 66");
    assert!(matches!(shell.run("a\0b", Surroundings::unwatched()).await, Err(aish_shell::ShellError::Nul)));
    shell.stop().await;
}

#[tokio::test]
async fn much_output_is_bounded() {
    let shell = Shell::start(Options { output_cap: 10_000, ..options() });
    let result = run(&shell, "seq 1 100000").await;
    assert_eq!(result.output.total_bytes(), 688_895, "588,895 bytes and a carriage return a line");
    assert!(result.output.text().starts_with("1\r\n2\r\n") && result.output.text().ends_with("99999\r\n100000\r\n"));
    shell.stop().await;
}

#[tokio::test]
async fn nobodys_command_never_waits_for_keys() {
    let shell = Shell::start(options());
    for (command, output) in [
        ("cat; echo done", "done\n"),
        ("read x; echo \"[$x]\"", "[]\n"),
        ("read -p 'sure? ' x; read y; echo end", "sure? end\n"),
        ("sort | wc -l", "0\n"),
        ("bash -c 'read -r x; echo in $x'", "in\n"),
    ] {
        let result = run(&shell, command).await;
        assert_eq!(result.output.clean_text(), output, "{command}");
    }
    assert_eq!(run(&shell, "echo on").await.output.clean_text(), "on\n");
    let result = run(&shell, "echo 'never closed").await;
    assert_eq!(result.status, 130);
    assert_eq!(run(&shell, "echo on").await.output.clean_text(), "on\n");
    shell.stop().await;
}

#[tokio::test]
async fn a_command_is_ended_when_its_time_is_up() {
    let shell = Shell::start(options());
    run(&shell, "x=kept").await;
    for command in [
        "echo on; sleep 100",
        "echo on; while :; do :; done",
        "trap '' INT; echo on; sleep 100",
        "echo on; sh -c 'trap \"\" INT TERM; while :; do sleep 1; done'",
    ] {
        let surroundings = Surroundings { timeout: Some(Duration::from_millis(300)), ..Surroundings::unwatched() };
        let result = shell.run(command, surroundings).await.unwrap();
        assert_eq!(
            (result.ending, result.output.clean_text().starts_with("on\n")),
            (Ending::TimedOut, true),
            "{command}"
        );
        assert_eq!(run(&shell, "trap - INT; echo $x").await.output.clean_text(), "kept\n", "after {command}");
    }
    shell.stop().await;
}

#[tokio::test]
async fn a_cancelled_command_ends_soon() {
    let shell = Shell::start(options());
    shell.ready().await.unwrap();
    let surroundings = Surroundings::unwatched();
    let cancel = surroundings.cancel.clone();
    let (result, ()) = tokio::join!(shell.run("sleep 100", surroundings), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    let result = result.unwrap();
    assert_eq!((result.ending, result.status), (Ending::Cancelled, 130));
    assert!(result.duration < Duration::from_secs(60));
    let surroundings = Surroundings::unwatched();
    surroundings.cancel.cancel();
    let result = Shell::start(options()).run("echo never", surroundings).await.unwrap();
    assert_eq!((result.ending, result.output.total_bytes()), (Ending::Cancelled, 0));
    shell.stop().await;
}

#[tokio::test]
async fn a_command_that_is_cancelled_at_once_costs_no_state() {
    let shell = Shell::start(options());
    run(&shell, "kept=yes").await;
    for round in 0..60 {
        let surroundings = Surroundings::unwatched();
        let cancel = surroundings.cancel.clone();
        let (result, ()) = tokio::join!(shell.run("sleep 100", surroundings), async {
            tokio::time::sleep(Duration::from_micros(100 * round)).await;
            cancel.cancel();
        });
        let result = result.unwrap();
        assert_eq!((result.ending, result.status), (Ending::Cancelled, 130), "round {round}");
        assert_eq!(run(&shell, "echo $kept").await.output.clean_text(), "yes\n", "round {round}");
    }
    shell.stop().await;
}

#[tokio::test]
async fn a_snapshot_is_fresh() {
    let shell = Shell::start(options());
    run(&shell, "alias ll='ls -l' q=\"it's\"; greet() { :; }; export A=$'two\\nlines'; cd /usr; false").await;
    let snapshot = shell.snapshot().await.unwrap();
    assert_eq!(snapshot.aliases.get("ll").map(String::as_str), Some("ls -l"));
    assert_eq!(snapshot.aliases.get("q").map(String::as_str), Some("it's"));
    assert!(
        snapshot.functions.contains("greet") && snapshot.builtins.contains("cd") && snapshot.keywords.contains("while")
    );
    assert!(!snapshot.functions.iter().any(|name| name.starts_with("__aish")));
    assert_eq!(snapshot.environment.get("A").map(String::as_str), Some("two\nlines"));
    assert_eq!((snapshot.cwd, snapshot.status), ("/usr".into(), 1));
    assert_eq!(run(&shell, "echo $?").await.output.clean_text(), "1\n", "a snapshot changes nothing");
    shell.stop().await;
}

#[tokio::test]
async fn programmable_completion_is_asked() {
    let shell = Shell::start(options());
    run(&shell, "_f() { COMPREPLY=($(compgen -W 'start stop status' -- \"$2\")); seen=\"$1,$2,$3,$COMP_CWORD\"; }; complete -F _f svc").await;
    run(&shell, "complete -W 'alpha beta' -o nospace words; complete -d onlydirs").await;
    run(&shell, "_load() { complete -W 'lazy loaded' \"$1\"; return 124; }; complete -D -F _load").await;
    let offered = async |line: &str| -> Vec<String> {
        let offers = shell.complete(line, line.len()).await.unwrap();
        offers.into_iter().map(|offer| format!("{}:{}", offer.start, offer.text)).collect()
    };
    assert_eq!(offered("svc st").await, ["4:start", "4:stop", "4:status"]);
    assert_eq!(run(&shell, "echo $seen").await.output.clean_text(), "svc,st,svc,1\n");
    assert_eq!(offered("cd /; svc sta").await, ["10:start", "10:status"]);
    assert_eq!(offered("words al").await, ["6:alpha"]);
    assert_eq!(offered("other l").await, ["6:lazy", "6:loaded"]);
    assert_eq!(offered("onlydirs /us").await, ["9:/usr"]);
    assert_eq!(offered("svc zzz").await, Vec::<String>::new());
    run(&shell, "_slow() { sleep 100; }; complete -F _slow slow").await;
    assert!(matches!(shell.complete("slow x", 6).await, Err(aish_shell::ShellError::NoAnswer)));
    assert_eq!(run(&shell, "echo still here").await.output.clean_text(), "still here\n");
    shell.stop().await;
}

#[tokio::test]
async fn what_bash_has_lists_of_is_offered_where_nothing_else_is_known() {
    let shell = Shell::start(options());
    run(&shell, "complete -r; marked_variable=1; alias marked_alias=ls; sleep 1000 & marked_function() { :; }").await;
    let offered = async |line: &str| -> Vec<String> {
        let offers = shell.complete(line, line.len()).await.unwrap();
        offers.into_iter().map(|offer| offer.text).collect()
    };
    assert_eq!(offered("kill -KI").await, Vec::<String>::new());
    assert_eq!(offered("kill -SIGKI").await, ["-SIGKILL"]);
    assert_eq!(offered("kill %sl").await, ["%sleep"]);
    assert_eq!(offered("fg ").await, ["%sleep"]);
    assert_eq!(offered("trap x SIGTER").await, ["SIGTERM"]);
    assert_eq!(offered("type marked").await, ["marked_alias", "marked_function"]);
    assert_eq!(offered("unset marked_v").await, ["marked_variable"]);
    assert_eq!(offered("unalias ma").await, ["marked_alias"]);
    assert_eq!(offered("shopt extg").await, ["extglob"]);
    assert_eq!(offered("id roo").await, ["root"]);
    let shells = run(&shell, "echo $$").await.output.clean_text();
    assert_eq!(offered(&format!("kill {}", shells.trim())).await, [shells.trim()]);
    assert_eq!(offered("ls --col").await, Vec::<String>::new());
    shell.stop().await;
}

#[tokio::test]
async fn nothing_is_left_when_the_shell_is_stopped() {
    let sleepers = Sleepers::new(2000, "5");
    let length = &sleepers.length;
    let shell = Shell::start(options());
    run(&shell, &format!("nohup sleep {length} >/dev/null 2>&1 & sleep {length} & trap '' HUP TERM; (trap '' HUP TERM; sleep {length}) &")).await;
    run(&shell, &format!("setsid sleep {length} &")).await;
    sleepers.wait_for(4).await;
    shell.stop().await;
    assert_eq!(sleepers.alive(), Vec::<i32>::new());
}

#[tokio::test]
async fn what_a_person_told_not_to_mind_a_hang_up_goes_on_when_the_shell_is_stopped() {
    let sleepers = Sleepers::new(2000, "25");
    let length = &sleepers.length;
    let shell = Shell::start(crate::start_up::watched());
    run(&shell, &format!("sleep {length} &")).await;
    run(&shell, &format!("nohup sleep {length} >/dev/null 2>&1 & echo $!")).await;
    sleepers.wait_for(2).await;
    shell.stop().await;
    let left = sleepers.alive();
    for process in &left {
        rustix::process::kill_process(rustix::process::Pid::from_raw(*process).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
    }
    assert_eq!(left.len(), 1);
}

#[tokio::test]
async fn output_of_a_job_in_the_background_is_told() {
    let mut shell = Shell::start(options());
    let mut events = shell.take_events().unwrap();
    run(&shell, "(sleep 0.2; echo from the background) &").await;
    assert_eq!(events.recv().await, Some(aish_shell::ShellEvent::Output(b"from the background\r\n".to_vec())));
    shell.stop().await;
}
