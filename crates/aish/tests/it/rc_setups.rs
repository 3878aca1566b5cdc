//! The keys of `aish init` beside what people have in their rc files: each set-up before ours and behind it.

use crate::line_keys::{BASH, Desk, FISH, Kind, ZSH, answering};

const REQUEST: &str = "please show me the word";
const COMMAND: &str = "printf '%s-%s\\n' disk 42";

/// A part of an rc file: what it is, and its lines.
struct Setup {
    name: String,
    lines: String,
}

/// Reads the set-ups of a shell; those whose programs are not installed are left out.
fn setups(text: &str) -> Vec<Setup> {
    let mut setups: Vec<(Setup, bool)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("## needs "), line.strip_prefix("## ")) {
            (Some(file), _) => {
                let (setup, is_there) = setups.last_mut().unwrap();
                *is_there = std::path::Path::new(file).exists();
                if !*is_there {
                    aish_testkit::skip(&format!("the keys beside {}", setup.name), &format!("{file} is missing"));
                }
            }
            (None, Some(name)) => setups.push((Setup { name: name.to_owned(), lines: String::new() }, true)),
            (None, None) => {
                let (setup, _) = setups.last_mut().unwrap();
                setup.lines.push_str(line);
                setup.lines.push('\n');
            }
        }
    }
    setups.into_iter().filter(|(_, is_there)| *is_there).map(|(setup, _)| setup).collect()
}

fn check(kind: Kind, text: &str) {
    let server = answering(COMMAND);
    let each = setups(text);
    assert!(each.len() >= 4, "{} set-ups", each.len());
    let all: String = each.iter().map(|setup| setup.lines.as_str()).collect();
    let one = |setup: &Setup| (setup.name.clone(), setup.lines.clone());
    for (name, lines) in each.iter().map(one).chain([("all of them".to_owned(), all)]) {
        for (before, behind) in [(lines.as_str(), ""), ("", lines.as_str())] {
            let Some(desk) = Desk::start(kind, &server, before, behind) else { return };
            println!("{} beside {name}", kind.name);
            desk.types(REQUEST).prompt(REQUEST).types(kind.ask).prompt(COMMAND).types("\r").line("disk-42").prompt("");
            // A status is what it was behind a key, no job was counted, and each command brings one prompt.
            let (fails, tells) = match kind.name {
                "fish" => ("sh -c 'exit 3' | sh -c 'exit 4'", "echo told-$pipestatus[1]-$pipestatus[2]"),
                "zsh" => ("(exit 3) | (exit 4)", "echo told-${pipestatus[1]}-${pipestatus[2]}"),
                _ => ("(exit 3) | (exit 4)", "echo told-${PIPESTATUS[0]}-${PIPESTATUS[1]}"),
            };
            desk.types(&format!("{fails}\r")).prompt("");
            desk.types(REQUEST).prompt(REQUEST).types(kind.ask).prompt(COMMAND).types("\x15").prompt("");
            desk.types(&format!("{tells}\r")).sees("told-").prompt("");
            if name != "all of them" && !lines.contains("PROMPT_COMMAND") && !lines.contains("precmd") {
                desk.line("told-3-4");
            }
            assert!(!desk.screen().lines().any(|line| line.starts_with("[1]")), "{name}: {}", desk.screen());
        }
    }
}

#[test]
fn beside_what_people_have_in_bash() {
    check(BASH, include_str!("rc/bash.txt"));
}

#[test]
fn beside_what_people_have_in_zsh() {
    check(ZSH, include_str!("rc/zsh.txt"));
}

#[test]
fn beside_what_people_have_in_fish() {
    check(FISH, include_str!("rc/fish.txt"));
}
