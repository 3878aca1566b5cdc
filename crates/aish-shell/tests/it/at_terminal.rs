use std::time::Duration;

use aish_process::Exit;
use aish_shell::{Ending, Options, Rc, Shell, ShellError, ShellEvent, Surroundings};

use crate::person::Person;
use crate::start_up::watched;

fn start() -> Shell {
    Shell::start(Options { rc: Rc::Skip, ..watched() })
}

#[tokio::test]
async fn output_is_shown_and_kept() {
    let (shell, person) = (start(), Person::sit_down());
    let result = person.run(&shell, "printf 'one\\ntwo\\n'; [ -t 1 ] && echo terminal").await;
    assert_eq!(result.output.clean_text(), "one\ntwo\nterminal\n");
    person.sees("one\ntwo\nterminal").await;
    assert!(!person.screen().contains("aish"), "{}", person.screen());
    shell.stop().await;
}

#[tokio::test]
async fn read_gets_what_is_typed() {
    let (shell, person) = (start(), Person::sit_down());
    let result = person
        .run_and(&shell, "read -p 'name? ' name; read -s -p 'word? ' word; echo; echo \"$name/$word\"", async {
            person.sees("name? ").await;
            person.type_keys("Ada\n");
            person.sees("word? ").await;
            person.type_keys("secret\n");
        })
        .await;
    assert_eq!(result.output.clean_text(), "name? Ada\nword? \nAda/secret\n");
    let result = person.run(&shell, "echo $name; stty -a | grep -ow -- '-\\?echo'").await;
    assert_eq!(result.output.clean_text(), "Ada\necho\n");
    shell.stop().await;
}

#[tokio::test]
async fn ctrl_c_ends_the_command_and_not_the_shell() {
    let (shell, person) = (start(), Person::sit_down());
    person.run(&shell, "x=kept").await;
    for (command, status) in [
        ("echo on; sleep 100", 130),
        ("echo on; while :; do :; done", 130),
        ("echo on; cat", 130),
        ("echo on; sleep 100; echo never", 130),
        ("sh -c 'trap \"exit 5\" INT; echo on; sleep 100 & wait'", 5),
        ("echo on\nsleep 100", 130),
    ] {
        let result = person
            .run_and(&shell, command, async {
                person.sees("on").await;
                tokio::time::sleep(Duration::from_millis(100)).await;
                person.type_keys("\x03");
            })
            .await;
        assert_eq!((result.status, result.ending), (status, Ending::Completed), "{command}");
        assert!(!result.output.text().contains("never"), "{command}");
        person.forget();
    }
    assert_eq!(person.run(&shell, "echo $x").await.output.clean_text(), "kept\n");
    shell.stop().await;
}

#[tokio::test]
async fn ctrl_c_between_a_builtin_and_the_next_job_ends_the_job() {
    let (shell, person) = (start(), Person::sit_down());
    for round in 0..20 {
        let result = person
            .run_and(&shell, "echo on; sleep 100; echo never", async {
                // At once: bash may be anywhere between its output and the job's turn at the terminal.
                person.sees("on").await;
                person.type_keys("\x03");
            })
            .await;
        assert_eq!((result.status, result.ending), (130, Ending::Completed), "{round}");
        assert!(!result.output.text().contains("never"), "{round}");
        person.forget();
    }
    shell.stop().await;
}

#[tokio::test]
async fn keys_that_were_typed_for_a_command_are_its_first() {
    let (shell, person) = (start(), Person::sit_down());
    let surroundings = Surroundings { keys: b"Ada\rls\r".to_vec(), ..Surroundings::at(person.terminal.clone()) };
    let result = shell.run("read -r name; echo \"it is $name\"", surroundings).await.unwrap();
    assert!(result.output.clean_text().ends_with("it is Ada\n"), "{:?}", result.output.clean_text());
    // What it left is for the next line.
    assert_eq!(String::from_utf8_lossy(&result.type_ahead), "ls\n");
    shell.stop().await;
}

#[tokio::test]
async fn ctrl_backslash_quits() {
    let (shell, person) = (start(), Person::sit_down());
    let result = person
        .run_and(&shell, "ulimit -c 0; echo on; sleep 100", async {
            person.sees("on").await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            person.type_keys("\x1c");
        })
        .await;
    assert_eq!(result.status, 131);
    shell.stop().await;
}

#[tokio::test]
async fn a_job_is_stopped_and_brought_back() {
    let (shell, person) = (start(), Person::sit_down());
    let stopped = person
        .run_and(&shell, "sh -c 'echo working; sleep 1; read x; echo \"read $x\"'", async {
            person.sees("working").await;
            // A shell that is stopped while it makes a process may hang in that.
            tokio::time::sleep(Duration::from_millis(300)).await;
            person.type_keys("\x1a");
        })
        .await;
    assert_eq!(stopped.status, 148);
    assert!(stopped.output.text().contains("Stopped"), "{}", stopped.output.text());
    assert!(person.run(&shell, "jobs").await.output.text().contains("Stopped"));
    let back = person
        .run_and(&shell, "fg", async {
            tokio::time::sleep(Duration::from_millis(1200)).await;
            person.type_keys("back\n");
        })
        .await;
    assert!(back.output.clean_text().ends_with("read back\n"), "{}", back.output.text());
    assert_eq!(back.status, 0);
    shell.stop().await;
}

#[tokio::test]
async fn vim_edits_and_saves() {
    if aish_testkit::is_missing("vim_edits_and_saves", "vim") {
        return;
    }
    let (shell, person) = (start(), Person::sit_down());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("note.txt");
    person.run(&shell, &format!("cd {}; export TERM=xterm-256color", folder.path().display())).await;
    let result = person
        .run_and(&shell, "vim -u NONE -N note.txt", async {
            person.sees("note.txt").await;
            person.type_keys("ihello from vim\x1b");
            person.sees("hello from vim").await;
            person.type_keys(":wq\r");
        })
        .await;
    assert_eq!((result.status, result.full_screen), (0, true));
    assert!(!result.output.clean_text().contains("hello"), "what vim drew is no output: {:?}", result.output.text());
    assert_eq!(std::fs::read_to_string(file).unwrap(), "hello from vim\n");
    assert_eq!(person.run(&shell, "echo sane").await.output.clean_text(), "sane\n");
    shell.stop().await;
}

#[tokio::test]
async fn less_pages() {
    if aish_testkit::is_missing("less_pages", "less") {
        return;
    }
    let (shell, person) = (start(), Person::sit_down());
    let result = person
        .run_and(&shell, "seq 1 1000 | TERM=xterm less", async {
            person.sees("\n23").await;
            person.type_keys("G");
            person.sees("1000").await;
            person.type_keys("q");
        })
        .await;
    assert_eq!(result.status, 0);
    shell.stop().await;
}

#[tokio::test]
async fn a_password_prompt_on_dev_tty_works() {
    let (shell, person) = (start(), Person::sit_down());
    // What sudo and ssh do: the terminal is opened by name, its queue is flushed, the echo is off.
    let script = "stty -echo </dev/tty; printf 'Password: ' >/dev/tty; IFS= read -r p </dev/tty; stty echo </dev/tty; echo; echo got ${#p}";
    let result = person
        .run_and(
            &shell,
            &format!("echo input | sh -c \"{}\"", script.replace('$', "\\$").replace('"', "\\\"")),
            async {
                person.sees("Password: ").await;
                person.type_keys("hunter2\n");
            },
        )
        .await;
    assert_eq!(result.output.clean_text(), "Password: \ngot 7\n");
    assert!(!person.screen().contains("hunter2"));
    shell.stop().await;
}

#[tokio::test]
async fn the_window_size_follows() {
    let (shell, person) = (start(), Person::sit_down());
    assert_eq!(person.run(&shell, "stty size").await.output.clean_text(), "24 80\n");
    person.resize(40, 132);
    assert_eq!(person.run(&shell, "stty size; echo $LINES $COLUMNS").await.output.clean_text(), "40 132\n40 132\n");
    let script = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done";
    let result = person
        .run_and(&shell, &format!("bash -c \"{script}\""), async {
            person.sees("ready").await;
            person.resize(10, 20);
            // The kernel tells whoever owns the terminal; here that is nobody.
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::WINCH).unwrap();
        })
        .await;
    assert_eq!(result.output.clean_text(), "ready\n10 20\n");
    shell.stop().await;
}

#[tokio::test]
async fn what_is_typed_ahead_comes_back() {
    let (shell, person) = (start(), Person::sit_down());
    let result = person
        .run_and(&shell, "echo on; sleep 0.5", async {
            person.sees("on").await;
            person.type_keys("echo typed ahead\nhalf a li");
        })
        .await;
    assert_eq!(String::from_utf8_lossy(&result.type_ahead).replace('\r', "\n"), "echo typed ahead\nhalf a li");
    let next = person.run(&shell, "echo next").await;
    assert_eq!(next.output.clean_text(), "next\n");
    shell.stop().await;
}

#[tokio::test]
async fn a_shell_in_the_shell_is_left_alone() {
    let (shell, person) = (start(), Person::sit_down());
    let result = person
        .run_and(&shell, "bash --norc --noediting", async {
            person.sees("bash-").await;
            person.type_keys("echo $((6*7))\n");
            person.sees("42").await;
            person.type_keys("exit 3\n");
        })
        .await;
    assert_eq!((result.status, result.ending), (3, Ending::Completed));
    assert_eq!(person.run(&shell, "echo back").await.output.clean_text(), "back\n");
    shell.stop().await;
}

#[tokio::test]
async fn an_unfinished_command_can_be_finished() {
    let (shell, person) = (start(), Person::sit_down());
    let result = person
        .run_and(&shell, "echo 'first", async {
            person.sees("> ").await;
            person.type_keys("second'\n");
        })
        .await;
    assert!(result.output.clean_text().ends_with("first\nsecond\n"), "{:?}", result.output.text());
    shell.stop().await;
}

#[tokio::test]
async fn exit_ends_the_shell_and_death_restarts_it() {
    let (mut shell, person) = (start(), Person::sit_down());
    let mut events = shell.take_events().unwrap();
    for (command, exit) in
        [("cd /usr; kill -9 $$", Exit::Signal(9)), ("exec true", Exit::Code(0)), ("set -e; false", Exit::Code(1))]
    {
        let result = person.run(&shell, command).await;
        assert_eq!(result.ending, Ending::Died(exit), "{command}");
        assert!(matches!(events.recv().await, Some(ShellEvent::Restarted { .. })));
        let folder = person.run(&shell, "cd /usr; pwd").await;
        assert_eq!(folder.output.clean_text(), "/usr\n");
    }
    let result = person.run(&shell, "pwd; exit 4").await;
    assert_eq!((result.status, result.ending), (4, Ending::Exited));
    assert_eq!(result.output.clean_text(), "/usr\nexit\n", "restarted in its folder");
    let after = shell.run("echo", Surroundings::at(person.terminal.clone())).await;
    assert!(matches!(after, Err(ShellError::Exited)));
    shell.stop().await;
}
