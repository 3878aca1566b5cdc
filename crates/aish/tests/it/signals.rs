//! aish ended, stopped and left: by signals, with jobs, by the death of its shell.

use std::path::PathBuf;
use std::time::Duration;

use aish_testkit::model_server::{End, Expect, ModelServer, OpenAiStream, Script};
use aish_testkit::send_signal;

use crate::person::{Home, Person};

/// Reads a number that the screen shows behind a mark.
fn number(person: &Person, mark: &str) -> u32 {
    let screen = person.screen();
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    let found = screen.split(mark).skip(1).map(digits).find(|digits| !digits.is_empty());
    found.unwrap_or_else(|| panic!("no number behind {mark}:\n{screen}")).parse().unwrap()
}

/// Says whether a process is gone, or only waits for its parent.
fn is_gone(process: u32) -> bool {
    let stat = std::fs::read_to_string(PathBuf::from(format!("/proc/{process}/stat"))).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
}

/// Has aish run below a bash that says how it ended and what the terminal's modes are then.
fn below(home: &Home) -> Person {
    let line =
        "\"$AISH\"; echo \"ended $?\"; stty -a | tr ' ;' '\\n\\n' | grep -x -e '-*echo' -e '-*icanon'; echo over";
    let person = home.start_below(&["-c", line]);
    person.prompt();
    person
}

/// Starts a job in the live shell; returns the numbers of aish, of the live shell and of the job.
fn with_a_job(person: &Person) -> [u32; 3] {
    person.runs("echo aish-$PPID. shell-$$.", "\naish-");
    person.runs("sleep 1000 & echo job-$!.", "\njob-");
    ["\naish-", "shell-", "\njob-"].map(|mark| number(person, mark))
}

fn ended(person: &Person, status: u32, processes: &[u32]) {
    person.sees(&format!("ended {status}")).sees_line("over");
    let screen = person.screen();
    let (_, after) = screen.rsplit_once("ended ").unwrap();
    assert!(after.lines().any(|line| line == "echo") && after.lines().any(|line| line == "icanon"), "{screen}");
    person.waits("the end of all processes", |_| processes.iter().all(|&process| is_gone(process)));
}

#[test]
fn a_term_at_the_prompt_ends_all_and_gives_the_terminal_back() {
    let home = Home::new();
    let person = below(&home);
    let processes = with_a_job(&person);
    person.types("half a line").sees("half a line");
    send_signal("TERM", processes[0]);
    ended(&person, 143, &processes);
    // What was entered is in the history.
    let again = home.sit_down();
    again.types("\x1b[A").ends_with("❯ sleep 1000 &").types("\x03").prompt();
    assert_eq!(again.leaves("\x04"), Some(0));
}

#[test]
fn a_hangup_while_a_command_runs_ends_all_and_gives_the_terminal_back() {
    let home = Home::new();
    let person = below(&home);
    let processes = with_a_job(&person);
    person.types("sh -c 'echo inner-$$.; exec sleep 1000'\r").sees("\ninner-");
    let inner = number(&person, "\ninner-");
    send_signal("HUP", processes[0]);
    ended(&person, 129, &[processes[0], processes[1], processes[2], inner]);
}

#[test]
fn a_term_in_the_middle_of_an_answer_keeps_the_question() {
    let reply = OpenAiStream::new("scripted").role().text("Once upon a time").reply().end(End::Hang);
    let server = ModelServer::start(Script::new().always(Expect::chat(), reply)).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    let person = below(&home);
    person.runs("echo aish-$PPID.", "\naish-");
    let aish = number(&person, "\naish-");
    person.types("?tell me a story\r").sees("Once upon a time");
    send_signal("TERM", aish);
    ended(&person, 143, &[aish]);
    let sessions = std::fs::read_dir(home.path(".local/state/aish/sessions")).unwrap();
    let logs: Vec<String> = sessions.flatten().map(|log| std::fs::read_to_string(log.path()).unwrap()).collect();
    assert!(logs.iter().any(|log| log.contains("tell me a story")), "{logs:?}");
}

#[test]
fn a_stop_from_outside_gives_the_terminal_back_until_it_goes_on() {
    let home = Home::new().with("PS1", "outer$ ");
    let person = home.start_below(&["--norc", "--noprofile", "--noediting", "-i"]);
    person.ends_with("outer$").types("\"$AISH\"\r").prompt().runs("echo aish-$PPID.", "\naish-");
    let aish = number(&person, "\naish-");
    let stopped = |times: usize| {
        send_signal("TSTP", aish);
        person.waits("a stop", |screen| screen.matches("Stopped").count() == times).ends_with("outer$");
        person.types("stty -a | grep -ow -e '-*icanon' -e '-*echo'; echo modes-$((1+1))\r").sees_line("modes-2");
        assert!(!person.screen().contains("-icanon"), "{}", person.screen());
    };
    person.types("echo he").ends_with("❯ echo he");
    stopped(1);
    person.types("clear; fg\r").ends_with("❯ echo he").types("re-$((20+1))\r").sees_line("here-21").prompt();
    person.types("echo working; cat\r").sees_line("working").types("first\r").sees("\nfirst\nfirst");
    send_signal("TSTP", aish);
    person.ends_with("outer$").types("clear; fg\r").ends_with("AISH").types("second\r");
    person.sees("\nsecond\nsecond").types("\x04").prompt();
    person.types("\x04").ends_with("outer$");
    assert_eq!(person.leaves("exit\r"), Some(0));
}

#[test]
fn a_shell_that_stops_itself_stops_the_program_or_goes_on() {
    let home = Home::new().with("PS1", "outer$ ");
    let person = home.start_below(&["--norc", "--noprofile", "--noediting", "-i"]);
    person.ends_with("outer$").types("\"$AISH\"\r").prompt();
    person.types("suspend; echo back-$((20+1))\r").sees("Stopped").ends_with("outer$");
    person.types("clear; fg\r").sees_line("back-21").prompt();
    person.types("\x04").ends_with("outer$");
    assert_eq!(person.leaves("exit\r"), Some(0));
    let alone = home.sit_down();
    alone.types("suspend\r").sees("nothing would continue it").prompt();
    alone.types("kill -STOP $$; echo on-$((20+2))\r").sees_line("on-22").prompt();
    assert_eq!(alone.leaves("\x04"), Some(0));
}

#[test]
fn the_end_of_the_input_is_asked_about_where_jobs_would_end_with_it() {
    let home = Home::new();
    let person = home.sit_down();
    let [_, shell, job] = with_a_job(&person);
    person.types("\x04").sees("Ctrl-D once more ends it all").prompt();
    assert!(person.screen().contains("[aish] [1]+  Running"), "{}", person.screen());
    person.runs("echo still here", "\nstill here\n");
    person.types("\x04").waits("the warning again", |screen| screen.matches("Ctrl-D once more").count() == 2).prompt();
    assert!(!is_gone(job));
    assert_eq!(person.leaves("\x04"), Some(0));
    assert!(is_gone(job) && is_gone(shell));
}

#[test]
fn an_exit_is_refused_once_where_jobs_are_stopped() {
    let home = Home::new();
    let person = home.sit_down();
    person.types("sh -c 'echo working; exec cat'\r").sees_line("working").types("\x1a").sees("Stopped").prompt();
    person.types("exit 3\r").sees("There are stopped jobs.").prompt();
    assert_eq!(person.leaves("exit 3\r"), Some(3));
}

#[test]
fn an_exit_is_refused_once_where_jobs_run() {
    let home = Home::new();
    let person = home.sit_down();
    let [_, shell, job] = with_a_job(&person);
    person.types("exit 3\r").sees("There are running jobs.").prompt();
    assert!(!is_gone(job));
    assert_eq!(person.leaves("exit 3\r"), Some(3));
    assert!(is_gone(job) && is_gone(shell));
}

#[test]
fn a_shell_that_dies_is_started_again_in_its_folder() {
    let home = Home::new();
    let person = home.sit_down();
    person.runs("cd /usr", "/usr ❯").runs("kill -9 $$", "a new shell was started").runs("pwd", "\n/usr\n");
    let again = |screen: &str| screen.matches("a new shell was started").count() == 2;
    person.types("exec true\r").waits("another shell", again).prompt().runs("echo $PWD-$((1+1))", "\n/usr-2\n");
    assert_eq!(person.leaves("exit 3\r"), Some(3));
}

#[test]
fn two_interrupts_end_a_command_and_no_more() {
    let home = Home::new();
    let person = home.sit_down();
    person.types("sh -c 'echo on; exec sleep 1000'\r").sees_line("on").types("\x03\x03").ends_with("[130] ❯");
    let empty = |screen: &str| screen.trim_end().lines().last().is_some_and(|line| line.ends_with('❯'));
    person.types("half").ends_with("❯ half").types("\x03").waits("an empty prompt", empty);
    person.runs("echo whole", "\nwhole\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn vim_follows_the_size() {
    if aish_testkit::is_missing("vim_follows_the_size", "vim") {
        return;
    }
    let home = Home::new();
    let person = home.sit_down();
    person.types("vim -u NONE -N note.txt\r").sees("[New]");
    // While it starts, Vim may miss a change.
    person.types(":echo 'vim is' 'up'\r").sees("vim is up");
    // Its terminal has another size a moment later. It tells Vim of each change once, which Vim misses now and then.
    let follows = |columns: u16, rows: u16| {
        person.session.resize(columns, rows).unwrap();
        (0..60).any(|_| {
            person.types(":!stty size\r");
            let size = format!("{rows} {columns}");
            let told = person.session.wait_until(Duration::from_secs(1), |screen| screen.contains(&size));
            person.types("\r");
            told
        })
    };
    let told = [(50, 12), (52, 14)].into_iter().cycle().take(20).any(|(columns, rows)| {
        assert!(follows(columns, rows), "{}", person.screen());
        person.types("\x0c:echo 'wide' &columns 'high' &lines\r");
        let shown = format!("wide {columns} high {rows}");
        person.session.wait_until(Duration::from_secs(5), |screen| screen.contains(&shown))
    });
    assert!(told, "{}", person.screen());
    assert!(follows(50, 12), "{}", person.screen());
    person.types(":q!\r").prompt();
    person.runs("stty size", "\n12 50\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}

#[test]
fn an_answer_goes_on_in_another_width() {
    let pieces =
        ["Words that are ", "shown in ", "a wide terminal first ", "and then in one ", "that is narrow. ", "End."];
    let mut stream = OpenAiStream::new("scripted").role();
    for piece in pieces {
        stream = stream.text(piece);
    }
    let reply = stream.finish("stop").done().reply().pause_between(Duration::from_millis(300));
    let server = ModelServer::start(Script::new().always(Expect::chat(), reply)).unwrap();
    let home = Home::new().with("OPENAI_BASE_URL", &server.url()).with("OPENAI_MODEL", "scripted");
    let person = home.sit_down();
    person.types("?tell me\r").sees("Words that are shown in");
    person.session.resize(30, 20).unwrap();
    person.sees("End.").prompt();
    let screen = person.screen();
    let words: Vec<&str> = screen.split_whitespace().collect();
    assert!(words.join(" ").contains(pieces.concat().trim()), "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 30), "{screen}");
    person.runs("stty size", "\n20 30\n");
    assert_eq!(person.leaves("\x04"), Some(0));
}
