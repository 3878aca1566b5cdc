//! What awk runs: `system(…)`, `print | "cmd"`, `"cmd" | getline`, `print > "file"`.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::super::walk::Walker;
use super::super::word::{Stream, Taint, Word};
use super::literal;
use super::scan::lines;
use crate::rules::programs;
use crate::rules::rule::Effect;
use crate::verdict::Verdict;

/// The most lines of input that are tried in the place of `$0`.
const MAX_LINES: usize = 16;

/// Judges what `system(…)` is given as far as that can be put together: variables of `-v` and of the program, the line
/// of input, the environment.
pub(crate) fn systems(walker: &mut Walker<'_>, arguments: &[Word], text: &str, stdin: &Stream) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let given = match word.text.as_str() {
            "-v" | "--assign" => words.next().map(|word| word.text.as_str()),
            text => text.strip_prefix("-v"),
        };
        if let Some((name, value)) = given.and_then(|given| given.split_once('=')) {
            names.insert(name.into(), value.into());
        }
    }
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let before = rest.get(..at).unwrap_or_default().trim_end();
        let from = before.rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_')).map_or(0, |at| at + 1);
        rest = rest.get(at + 1..).unwrap_or_default();
        if let (Some(name), Some((value, _))) = (before.get(from..), literal::read(rest.trim_start())) {
            names.insert(name.into(), value);
        }
    }
    let known = stdin.text.clone().unwrap_or_default();
    for source in text.split("system(").skip(1).take(64) {
        for line in known.lines().take(MAX_LINES).map(Some).chain([None]) {
            if let Some(command) = joined(walker, source, &names, line) {
                walker.suspect(&command);
            }
        }
    }
}

/// Puts the parts of an expression side by side; none where one of them is not known.
fn joined(walker: &Walker<'_>, source: &str, names: &BTreeMap<String, String>, line: Option<&str>) -> Option<String> {
    let mut out = String::new();
    let mut rest = source.trim_start();
    while !rest.starts_with(')') {
        if let Some((value, length)) = literal::read(rest) {
            out.push_str(&value);
            rest = rest.get(length..)?;
        } else if let Some(tail) = rest.strip_prefix("$0") {
            out.push_str(line?);
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix("ENVIRON[") {
            let (name, length) = literal::read(tail)?;
            let value = walker.state.variables.get(name.as_str())?.first()?.first()?;
            out.push_str(&value.text);
            rest = tail.get(length..)?.strip_prefix(']')?;
        } else {
            let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))?;
            out.push_str(names.get(rest.get(..end)?)?);
            rest = rest.get(end..)?;
        }
        rest = rest.trim_start();
    }
    Some(out)
}

/// Returns what a program made of `print "…"` alone writes.
pub(crate) fn printed(text: &str) -> Option<String> {
    let body = text.trim().strip_prefix("BEGIN")?.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut out = String::new();
    for statement in body.split(';').map(str::trim).filter(|statement| !matches!(*statement, "" | "exit")) {
        let (value, length) = literal::read(statement.strip_prefix("print")?.trim_start())?;
        if !statement.strip_prefix("print")?.trim_start().get(length..)?.trim().is_empty() {
            return None;
        }
        out.push_str(&value);
        out.push('\n');
    }
    Some(out)
}

/// Says whether what stands before a pipe prints a line of the input as it is.
fn prints_its_input(before: &str) -> bool {
    let bare = before.trim_end().trim_end_matches('|').trim_end();
    bare.ends_with("print") || bare.ends_with("print $0") || bare.ends_with("print($0)")
}

/// `print | "cmd"`, `"cmd" | getline`, `print > "file"`.
pub(super) fn awk(walker: &mut Walker<'_>, text: &str) {
    let mut rest = text;
    let mut before = ' ';
    let mut suspected = false;
    while let Some(letter) = rest.chars().next() {
        if letter == '"'
            && let Some((value, length)) = literal::read(rest)
        {
            let after = rest.get(length..).unwrap_or_default();
            if before == '|'
                || after.trim_start().starts_with("| getline")
                || after.trim_start().starts_with("|getline")
            {
                if before == '|' && programs::SHELLS.contains(&value.rsplit('/').next().unwrap_or_default()) {
                    if !core::mem::replace(&mut suspected, true) {
                        for line in lines(text).take(64) {
                            walker.suspect(&line);
                        }
                    }
                    if prints_its_input(text.get(..text.len() - rest.len()).unwrap_or_default()) {
                        walker.note_plain(
                            &value,
                            Verdict::Halt,
                            Effect::RunForeign,
                            "interpreters.awk-run",
                            "runs the lines of its input as commands",
                        );
                    }
                }
                walker.text(&value, &Stream::unknown(Taint::NONE));
            } else if before == '>' {
                walker.write_file(&Word::literal(value), false, &Stream::unknown(Taint::NONE));
            }
            rest = after;
            before = '"';
            continue;
        }
        if letter == '/' && !before.is_alphanumeric() && before != ')' {
            // A pattern, not a division.
            let inside = rest.get(1..).unwrap_or_default();
            rest = inside.find('/').and_then(|end| inside.get(end + 1..)).unwrap_or_default();
            before = '/';
            continue;
        }
        if !letter.is_whitespace() {
            before = letter;
        }
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
}
