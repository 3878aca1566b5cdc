//! Lines that were made to write, run or send, and were allowed once because of how options and their values are told apart.

use aish_safety::{Surroundings, Verdict};

use crate::analysed::judge_command;

const LINES: &str = include_str!("hunted.txt");

/// Seen to have an effect in an interactive bash, zsh or fish.
const SHELLS: &str = include_str!("shells.txt");

#[test]
fn no_line_that_was_hunted_is_allowed() {
    let lines: Vec<&str> =
        LINES.lines().chain(SHELLS.lines()).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(lines.len() > 80, "{} lines", lines.len());
    let allowed = lines.iter().filter(|line| judge_command(line, &Surroundings::default()).verdict == Verdict::Allow);
    let allowed: Vec<&&str> = allowed.collect();
    assert!(allowed.is_empty(), "{allowed:#?}");
}

#[test]
fn everyday_words_behind_options_stay_allowed() {
    for command in [
        "git log -p -n 5",
        "git log -n 5 -p -s --oneline",
        "git status -s -b",
        "git show -s --format=%H",
        "git clean -n -f -d",
        "git clean -fdx --dry-run",
        "git diff -b -U 5 --stat",
        "head -n -5 x",
        "find . -mtime -1",
        "find . -perm -u+s",
        "date -d \"-1 days\"",
        "find . -size -5M -print",
        "tail -n +5 -q x",
        "grep -A 3 -B 3 -n x f",
        "ls -l -a -h",
        "ls x -l",
        "du -sh -d 1 .",
        "docker ps -a -q",
        "docker logs -t -n 10 web",
        "journalctl -n 20 -u nginx",
        "tree -L 2 -I target",
        "less -N x",
        "kill -l",
        "unzip -l a.zip x",
    ] {
        assert_eq!(judge_command(command, &Surroundings::default()).verdict, Verdict::Allow, "{command}");
    }
}
