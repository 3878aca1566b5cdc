//! Programs that take the terminal, job control, and much or early input, as a person has them in aish.

use crate::person::Home;

#[test]
fn vim_edits_and_saves_a_file() {
    if aish_testkit::is_missing("vim_edits_and_saves_a_file", "vim") {
        return;
    }
    let home = Home::new();
    let person = home.sit_down();
    person.types("vim -u NONE -N note.txt\r").sees("[New]");
    person.types("ihello from vim\x1b").sees("hello from vim").types(":wq\r");
    person.prompt().runs("echo status $?", "\nstatus 0\n");
    assert_eq!(std::fs::read_to_string(home.work().join("note.txt")).unwrap(), "hello from vim\n");
    assert!(!person.screen().contains("hello from vim"), "{}", person.screen());
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn less_pages_and_top_shows() {
    let home = Home::new();
    let person = home.sit_down();
    if !aish_testkit::is_missing("less_pages_and_top_shows", "less") {
        person.types("seq 1 1000 | less\r").sees("\n23");
        person.types("G").sees("1000").types("q").prompt();
    }
    if !aish_testkit::is_missing("less_pages_and_top_shows", "top") {
        person.types("top\r").sees("load average").types("q").prompt();
    }
    person.runs("echo sane-$((6*7))", "\nsane-42\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

/// What ssh does: a password from `/dev/tty`, then bytes as they come to a shell behind a terminal of its own.
#[test]
fn ssh_has_a_terminal_of_its_own() {
    if aish_testkit::is_missing("ssh_has_a_terminal_of_its_own", "script") {
        return;
    }
    let home = Home::new();
    home.program(
        "ssh",
        "#!/bin/bash\nstty -echo </dev/tty; printf \"%s's password: \" \"$1\" >/dev/tty; read -r word </dev/tty\n\
         stty echo </dev/tty; echo >/dev/tty\n[ \"$word\" = hunter2 ] || exit 5\n\
         exec script -qec 'bash --norc --noediting -i' /dev/null\n",
    );
    let person = home.sit_down();
    person.types("ssh me@there\r").sees("me@there's password: ").types("hunter2\r").ends_with("bash-");
    person.types("echo far-$((40+2))\r").sees_line("far-42").ends_with("bash-");
    person.types("sh -c 'echo deep; exec sleep 1000'\r").sees_line("deep").types("\x03").sees("^C").ends_with("bash-");
    person.types("exit 7\r").ends_with("[7] ❯").runs("echo near", "\nnear\n");
    assert!(!person.screen().contains("hunter2"), "{}", person.screen());
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn sudo_asks_for_its_password_on_the_terminal() {
    let home = Home::new();
    home.program(
        "sudo",
        "#!/bin/bash\nstty -echo </dev/tty; printf '[sudo] password for %s: ' \"$USER\" >/dev/tty; read -r word </dev/tty\n\
         stty echo </dev/tty; echo >/dev/tty\n[ \"$word\" = hunter2 ] || { echo 'Sorry, try again.' >&2; exit 1; }\nexec \"$@\"\n",
    );
    let person = home.sit_down();
    person.types("echo piped | sudo tr a-z A-Z\r").sees("[sudo] password for tester: ");
    person.types("hunter2\r").sees_line("PIPED").prompt();
    person
        .types("sudo true\r")
        .waits("another question", |screen| screen.matches("[sudo]").count() == 2)
        .types("wrong\r")
        .sees("Sorry")
        .ends_with("[1] ❯");
    assert!(!person.screen().contains("hunter2"), "{}", person.screen());
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn read_gets_what_is_typed() {
    let home = Home::new();
    let person = home.sit_down();
    person.types("read -p 'name? ' name; read -sp 'word? ' word; echo; echo \"$name/$word\"\r").ends_with("name?");
    person.types("Ada\r").ends_with("word?").types("secret\r").sees_line("Ada/secret").prompt();
    person.runs("echo $name again", "\nAda again\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn jobs_stop_and_go_on() {
    let home = Home::new();
    let person = home.sit_down();
    person.types("echo working; cat\r").sees_line("working").types("first\r").sees("\nfirst\nfirst");
    person.types("\x1a").sees("Stopped").ends_with("[148] ❯");
    person.runs("jobs", "[1]+  Stopped");
    person.types("fg\r").sees_line("cat").types("second\r").sees("\nsecond\nsecond").types("\x04").prompt();
    person.types("sh -c 'echo asleep; exec sleep 1000'\r").sees_line("asleep").types("\x1a").ends_with("[148] ❯");
    person.runs("bg", "sleep 1000' &\n").runs("jobs", "Running");
    person.runs("kill %1; wait; echo all done", "\nall done\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn a_job_that_ends_in_the_background_is_told_of() {
    let home = Home::new();
    let person = home.sit_down();
    person.runs("sh -c 'exit 3' &", "\n[1] ");
    // Bash tells at a prompt after it heard of the end.
    for _ in 0..50 {
        person.runs("wait -n; echo next", "\nnext\n");
        if person.screen().contains("[1]+  Exit 3") {
            assert_eq!(person.leaves("\x04"), Some(0));
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("no notice:\n{}", person.screen());
}

#[test]
fn signals_end_the_command_and_not_aish() {
    let home = Home::new();
    let person = home.sit_down();
    person.runs("kept=value; ulimit -c 0", "❯");
    person.types("sh -c 'echo on; exec sleep 1000'\r").sees_line("on").types("\x03").ends_with("[130] ❯");
    person.types("sh -c 'echo again; exec sleep 1000'\r").sees_line("again").types("\x1c").ends_with("[131] ❯");
    // Bash keeps a status of 128 and more where an interrupt comes before the next one.
    person.types("true; echo still; while :; do :; done\r").sees_line("still").types("\x03").ends_with("[130] ❯");
    person.runs("echo $kept is here", "\nvalue is here\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn the_size_follows_while_one_types_and_while_a_command_runs() {
    let home = Home::new();
    let person = home.sit_down();
    person.runs("stty size", "\n24 80\n");
    person.types("echo 'words that are longer than forty columns'").sees("forty columns'");
    person.session.resize(40, 20).unwrap();
    person.types("; stty size\r").sees_line("20 40").prompt();
    let waiting = "echo ready; until [ \"$(stty size)\" = '10 60' ]; do sleep 0.02; done; echo it is known\r";
    person.types(waiting).sees_line("ready");
    person.session.resize(60, 10).unwrap();
    person.sees_line("it is known").prompt();
    person.runs("echo end", "\nend\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn a_hundred_thousand_lines_come_through() {
    let home = Home::new();
    let person = home.sit_down();
    person.types("seq 1 100000; echo last-$((6*7))\r").sees("\n99999\n100000\nlast-42").prompt();
    person.runs("echo after", "\nafter\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn two_hundred_pasted_lines_are_one_input() {
    let home = Home::new();
    let person = home.sit_down();
    let lines: Vec<String> = (1..=200).map(|number| format!("echo line {number} >> out.txt")).collect();
    person.types(&format!("\x1b[200~{}\x1b[201~", lines.join("\n"))).sees("line 200");
    assert!(!home.work().join("out.txt").exists(), "nothing runs before Enter");
    person.types("\r").prompt().runs("wc -l < out.txt; tail -n 1 out.txt", "\n200\nline 200\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn what_is_typed_ahead_runs_in_order() {
    let home = Home::new();
    let person = home.sit_down();
    // The first goes to the command that reads, the second becomes a line, the third waits to be ended.
    person.types("echo on; read x; sleep 1; echo got $x\r").sees_line("on");
    person.types("early\recho ahead-$((1+1))\recho half").sees("got early").sees_line("ahead-2");
    person.ends_with("❯ echo half").types("-whole\r").sees_line("half-whole").prompt();
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn two_sessions_share_their_history() {
    let home = Home::new();
    let (first, second) = (home.sit_down(), home.sit_down());
    first.runs("echo from the first", "\nfrom the first\n");
    second.runs("echo from the second", "\nfrom the second\n");
    second.types("\x12").sees("history: ");
    second.types("fst first").sees("echo from the first").types("\r\r").sees_line("from the first").prompt();
    first.types("\x1b[A").ends_with("❯ echo from the first").types("\x1b[A").ends_with("❯ echo from the second");
    first.types("\r").sees_line("from the second").prompt();
    assert_eq!((first.leaves("\x04"), second.leaves("\x04")), (Some(0), Some(0)));
}

#[test]
fn a_search_typed_in_one_go_takes_what_was_searched() {
    let home = Home::new();
    let (person, other) = (home.sit_down(), home.sit_down());
    person.runs("echo the oldest", "\nthe oldest\n").runs("echo the middle", "\nthe middle\n");
    person.types("\x12oldest\r").ends_with("❯ echo the oldest").types("\r").prompt();
    // What another session ran since the last search is found too, and a step down the list counts.
    other.runs("echo the newest", "\nthe newest\n");
    person.types("\x12newest\r").ends_with("❯ echo the newest").types("\x15").prompt();
    person.types("\x12echo the\x1b[B\x1b[B\r").ends_with("❯ echo the middle").types("\x15").prompt();
    // Where nothing is found, the text stays and does not run.
    person.types("\x12touch made-by-a-search\r").ends_with("❯ touch made-by-a-search").types("\x15").prompt();
    person.runs("ls | wc -l", "\n0\n");
    assert_eq!((person.leaves("\x04"), other.leaves("\x04")), (Some(0), Some(0)));
}

#[test]
fn the_prompt_of_starship_may_be_taken_and_ours_stands_where_it_is_not() {
    let home = Home::new();
    let folder = home.path(".config/aish");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "[ui]\nprompt = \"starship\"\n").unwrap();
    // As `starship init bash` leaves it.
    std::fs::write(home.path(".bashrc"), "export STARSHIP_SHELL=bash\n").unwrap();
    home.program(
        "starship",
        "#!/bin/sh\ncase \"$1 $2\" in 'prompt --status') echo; printf \"star${STARSHIP_SHELL-$3}> \" ;;\n\
         'prompt --right') printf \"right${STARSHIP_SHELL-$4}\" ;; *) exit 1 ;; esac\n",
    );
    let person = home.start();
    person.ends_with("right0");
    assert!(person.screen().lines().last().is_some_and(|row| row.starts_with("star0> ")), "{}", person.screen());
    person.types("cd /usr; false\r").ends_with("right1");
    assert!(person.screen().lines().last().is_some_and(|row| row.starts_with("star1> ")), "{}", person.screen());
    assert_eq!(person.leaves("exit\r"), Some(1));
    std::fs::remove_file(home.path("bin/starship")).unwrap();
    let person = home.sit_down();
    assert!(!person.screen().contains("starship"), "{}", person.screen());
    assert_eq!(person.leaves("exit 0\r"), Some(0));
}
