//! Properties that hold for any command.

use aish_safety::{Surroundings, Verdict};
use proptest::prelude::*;

use crate::analysed::judge_command;

const PARTS: &[&str] = &[
    "ls -la",
    "rm -rf /srv/data",
    "git status",
    "git reset --hard",
    "cat README.md",
    "curl https://example.com",
    "touch x",
    "kubectl delete ns prod",
    "echo hi",
    "rm -rf node_modules",
    "dd if=/dev/zero of=/dev/sda",
    "npm test",
    "cat .env",
    "docker ps",
    "unknown-tool --flag",
    "psql -c 'DROP TABLE x'",
    "find . -name x",
    "chmod -R 777 /etc",
];
const WRAPPERS: &[(&str, &str)] = &[
    ("sudo ", ""),
    ("nice -n 5 ", ""),
    ("env A=b ", ""),
    ("nohup ", ""),
    ("timeout 5 ", ""),
    ("( ", " )"),
    ("{ ", "; }"),
    ("if true; then ", "; fi"),
    ("f() { ", "; }; f"),
    ("eval '", "'"),
    ("bash -c '", "'"),
    ("echo $( ", " )"),
    ("cat <( ", " )"),
    ("setsid ", ""),
    ("for i in 1; do ", "; done"),
    ("time ", ""),
    ("command ", ""),
    ("x=$( ", " )"),
    ("ssh host '", "'"),
];
const HARMLESS: &[&str] = &["ls", "true", "pwd", "echo ok", "git status", "date +%F"];

fn verdict(command: &str) -> Verdict {
    judge_command(command, &Surroundings::default()).verdict
}

/// Puts a command into single quotes where the wrapper quotes it.
///
/// A program that takes a program cannot take a block: there the block goes through a shell.
fn wrap(command: &str, (open, close): (&str, &str)) -> String {
    if close.is_empty() && !command.starts_with(|letter: char| letter.is_ascii_lowercase())
        || ["if ", "for ", "f()"].iter().any(|word| command.starts_with(word)) && close.is_empty()
    {
        return wrap(&wrap(command, ("bash -c '", "'")), (open, close));
    }
    let inner = if open.ends_with('\'') { command.replace('\'', "'\\''") } else { command.to_string() };
    format!("{open}{inner}{close}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wrapping_never_lowers(part in prop::sample::select(PARTS), one in prop::sample::select(WRAPPERS), two in prop::sample::select(WRAPPERS)) {
        let bare = verdict(part);
        let wrapped = wrap(&wrap(part, one), two);
        prop_assert!(verdict(&wrapped) >= bare, "{wrapped}");
    }

    #[test]
    fn a_harmless_part_never_lowers(part in prop::sample::select(PARTS), more in prop::sample::select(HARMLESS), joint in prop::sample::select(&["; ", " && ", " || ", " | ", "\n", " & "][..])) {
        let bare = verdict(part);
        for line in [format!("{part}{joint}{more}"), format!("{more}{joint}{part}")] {
            prop_assert!(verdict(&line) >= bare, "{line}");
        }
    }

    #[test]
    fn quoted_data_never_halts(part in prop::sample::select(PARTS), text in "[ -~]{0,40}") {
        for data in [part, text.as_str()] {
            let quoted = data.replace('\'', "'\\''");
            for line in [format!("echo '{quoted}'"), format!("grep -- '{quoted}' notes.txt"), format!("git commit -m '{quoted}'"), format!("printf '%s\\n' '{quoted}'")] {
                prop_assert!(verdict(&line) < Verdict::Halt, "{line}");
            }
        }
    }

    #[test]
    fn any_text_has_a_verdict(text in "\\PC{0,200}") {
        let _ = verdict(&text);
    }

    #[test]
    fn any_shell_like_text_has_a_verdict(tokens in prop::collection::vec(prop::sample::select(&["rm", "-rf", "/", "$(", ")", "{", "}", "'", "\"", "`", ";", "&&", "|", "<<X", "\n", "X", "${a", "[[", "]]", "if", "then", "fi", "$", "\\", "*", "((", "))", "case", "esac", "in", "=", "a=", ">", "<(", "#", "!", "xargs", "bash -c", "python -c", "sed", "eval", "awk", "%", "é", "{1..3}", "{a,b}"][..]), 0..60)) {
        let _ = verdict(&tokens.join(" "));
        let _ = verdict(&tokens.concat());
    }
}
