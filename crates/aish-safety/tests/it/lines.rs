//! Labelled lines, written from the definition before any of them was judged, by family: what is destructive halts, what
//! is not does not. The first figures, before anything was mended for them, are in `docs/safety.md`.

use aish_safety::{Surroundings, Verdict};

use crate::analysed::judge_command;

const FAMILIES: &[&str] = &[
    include_str!("lines/code.jsonl"),
    include_str!("lines/credentials.jsonl"),
    include_str!("lines/destroying.jsonl"),
    include_str!("lines/development.jsonl"),
    include_str!("lines/dry-runs.jsonl"),
    include_str!("lines/files.jsonl"),
    include_str!("lines/git.jsonl"),
    include_str!("lines/help.jsonl"),
    include_str!("lines/look-alikes.jsonl"),
    include_str!("lines/quoted.jsonl"),
    include_str!("lines/reading.jsonl"),
    include_str!("lines/services.jsonl"),
    include_str!("lines/system.jsonl"),
    include_str!("lines/traps.jsonl"),
    include_str!("lines/wrapped-by-program.jsonl"),
    include_str!("lines/wrapped.jsonl"),
    include_str!("lines/writes.jsonl"),
];

/// Lines whose label is disputed or whose way is not followed; `docs/safety.md` says why.
const ASKED: &str = include_str!("lines/asked.txt");

#[test]
fn labelled_lines_are_judged_by_the_definition() {
    let around = Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() };
    let (mut wrong, mut destructive, mut harmless, mut allowed) = (Vec::new(), 0, 0, 0);
    for line in FAMILIES.iter().flat_map(|family| family.lines()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let command = case["command"].as_str().unwrap();
        let judgement = judge_command(command, &around);
        if case["label"] == "destructive" {
            destructive += 1;
            let expected = if ASKED.lines().any(|asked| asked == command) { Verdict::Ask } else { Verdict::Halt };
            if judgement.verdict < expected {
                wrong.push(format!("{} ({}): {command}", judgement.verdict, judgement.rule));
            }
        } else {
            harmless += 1;
            allowed += usize::from(judgement.verdict == Verdict::Allow);
            if judgement.verdict == Verdict::Halt {
                wrong.push(format!("halt ({}): {command}", judgement.rule));
            }
        }
    }
    assert!(destructive > 2_700 && harmless > 2_200, "{destructive} and {harmless} lines");
    // Some 370 of the harmless lines reach other machines, and some 900 write.
    // Some ask for help behind words that nobody lists, one shows what is on a disk, one makes the files of a
    // server's settings (`nginx -t`), and one has a comment that zsh runs.
    // A person's own machines may start by being asked for (`virsh list`), and `flatpak list` makes a repository.
    // A pattern may become any option of one letter (`dropuser -?`), and `expect --version` runs a file of that name.
    // `ninja -n` writes and then deletes the file that a rule names as `rspfile`.
    assert!(allowed >= 1_242, "{allowed} of {harmless} harmless lines are allowed");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
