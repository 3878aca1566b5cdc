//! Scripts of a stream editor: `e` runs, `w` writes, `s///e` and `s///w file` do both.

use super::super::walk::Walker;
use super::super::word::{Stream, Word, is_numeric};
use crate::rules::Effect;
use crate::verdict::Verdict;
use script::Step;

mod pattern;
mod script;

/// The most parts of a script that is not understood that are looked at.
const MAX_PARTS: usize = 64;

/// Says whether a script is understood and runs nothing; what it reads and writes by name is judged by itself.
pub(super) fn is_contained(text: &str) -> bool {
    is_numeric(text) && script::read(text).is_contained()
}

/// Judges a script: what each command runs, writes and reads; what is not understood is asked about.
pub(super) fn judge(walker: &mut Walker<'_>, text: &str) {
    let script = script::read(text);
    for step in script.steps {
        match step {
            Step::Run(line) => runs(walker, text, line),
            Step::RunReplaced(replacement) => {
                let reason = "runs what it replaces as commands";
                walker.note_plain(text, Verdict::Halt, Effect::RunForeign, "interpreters.sed-run", reason);
                walker.text(replacement, &Stream::default());
            }
            Step::Read(name) => drop(walker.read_file(&Word::literal(name))),
            Step::Write(name) => walker.write_file(&Word::literal(name), &Stream::default()),
        }
    }
    if let Some(rest) = script.rest {
        asks(walker, rest);
        suspected(walker, rest);
    }
}

fn asks(walker: &mut Walker<'_>, rest: &str) {
    let reason = "has a script that is not understood";
    walker.note_plain(rest, Verdict::Ask, Effect::Unknown, "interpreters.sed-script", reason);
}

/// Looks at what may be a command to run in a script that is not understood.
fn suspected(walker: &mut Walker<'_>, rest: &str) {
    let ends = |letter: char| ";\n{}!/|],".contains(letter) || letter.is_ascii_digit();
    let places = rest.match_indices(ends).map(|(at, _)| at + 1);
    for place in [0].into_iter().chain(places).take(MAX_PARTS) {
        let line = rest.get(place..).unwrap_or_default().trim_start_matches([' ', '\t']);
        let line = line.lines().next().unwrap_or_default();
        if let Some(line) = line.strip_prefix('e').map(str::trim).filter(|line| !line.is_empty()) {
            walker.suspect(line);
        }
    }
}

fn runs(walker: &mut Walker<'_>, script: &str, line: &str) {
    if line.is_empty() {
        let reason = "runs the lines of its input as commands";
        walker.note_plain(script, Verdict::Halt, Effect::RunForeign, "interpreters.sed-run", reason);
    } else {
        walker.text(line, &Stream::default());
    }
}

#[cfg(test)]
mod tests {
    use crate::verdict::Verdict;
    use crate::{PolicyRules, Surroundings, analyse};

    #[test]
    fn every_command_that_writes_or_runs_is_found() {
        let verdict = |script: &str| {
            analyse(&alloc::format!("sed '{script}' f"), &Surroundings::default(), &PolicyRules::default())
                .judgement
                .verdict
        };
        for script in
            ["w x", "/a/!w x", "\\,a,w x", "s/a/b/gw x", "1,3{w x\n}", "y/a/b/;w x", "$!W x", "r .env", "s/a/b/;k"]
        {
            assert_ne!(verdict(script), Verdict::Allow, "{script}");
        }
        for script in ["e", "s/a/b/e", "s a b e", "sxaxbxe", "1e rm -rf /srv", "\\,a,e rm -rf /srv"] {
            assert_eq!(verdict(script), Verdict::Halt, "{script}");
        }
        for script in [
            "p",
            "1,5p",
            "s/a/b/g;s|c|d|2",
            "/a/,/b/d",
            "$!N;P;D",
            ":a;N;$!ba;s/\\n/ /g",
            "a\\\nw x",
            "/a/{s/b/c/;p}",
            "y/abc/xyz/",
            "1!G;h;$!d",
            "s/w x/e/",
        ] {
            assert_eq!(verdict(script), Verdict::Allow, "{script}");
        }
    }
}
