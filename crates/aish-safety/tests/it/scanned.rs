//! What is judged is what is coloured and routed: the commands that the judgement finds are those of the shell's scanner.

use aish_safety::{Part, Surroundings};
use aish_syntax::{Role, scan};
use aish_testkit::shell_lines::ShellLines;

use crate::analysed::explain;

/// The programs of the generator, which the scanner and the judgement must both find.
const PROGRAMS: &[&str] = &["echo", "true", "ls", "cat", "umask", "printf", "sort", "tee"];

fn judged(parts: &[Part], out: &mut Vec<String>) {
    for part in parts {
        let name = part.text.split(' ').find(|word| !word.contains('=') && *word != "!").unwrap_or_default();
        out.extend(PROGRAMS.iter().find(|program| **program == name).map(|program| (*program).to_owned()));
        judged(&part.parts, out);
    }
}

/// Every command that is coloured and completed as one is judged; the judgement may find more, as where `((` could be two
/// subshells. Left out are bodies that run when they are called, and what the parser does not know.
#[test]
fn the_judgement_finds_the_commands_that_the_scanner_finds() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for line in ShellLines::new(23).take(3_000) {
        let found = scan(&line);
        let mut theirs = Vec::new();
        judged(&explain(&line, &Surroundings::default()).parts, &mut theirs);
        let is_left_out = line.contains("f()") || line.contains("select ") || theirs.is_empty();
        if is_left_out || found.end.is_broken || found.end.is_unfinished {
            continue;
        }
        let commands = found.words.iter().filter(|word| word.role == Role::Command);
        let mut ours = commands.filter_map(|word| line.get(word.range())).filter(|word| PROGRAMS.contains(word));
        compared += 1;
        if let Some(missed) = ours.find(|ours| !theirs.iter().any(|judged| judged == ours)) {
            wrong.push(format!("{line:?}: {missed} is not judged"));
        }
    }
    assert!(compared > 1_500, "{compared} were compared");
    assert!(wrong.is_empty(), "{} of {compared} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
