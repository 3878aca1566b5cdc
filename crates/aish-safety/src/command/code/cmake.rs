//! Scripts of CMake: `file(REMOVE_RECURSE …)`, `execute_process(COMMAND …)` and others that lead out of them.
//!
//! Commands in branches and bodies are judged as if they ran. What is included is not read.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Act;

use super::super::budget::{Budget, Work};
use super::super::walk::Walker;
use super::super::word::{HOLE, Stream, Taint, Word};
use crate::rules::programs;

/// Words that end the arguments of a process's command.
const BEHIND_COMMAND: &[&str] = &[
    "COMMAND",
    "WORKING_DIRECTORY",
    "TIMEOUT",
    "RESULT_VARIABLE",
    "RESULTS_VARIABLE",
    "OUTPUT_VARIABLE",
    "ERROR_VARIABLE",
    "INPUT_FILE",
    "OUTPUT_FILE",
    "ERROR_FILE",
    "OUTPUT_QUIET",
    "ERROR_QUIET",
    "COMMAND_ECHO",
    "ENCODING",
    "ECHO_OUTPUT_VARIABLE",
    "ECHO_ERROR_VARIABLE",
    "COMMAND_ERROR_IS_FATAL",
    "OUTPUT_STRIP_TRAILING_WHITESPACE",
    "ERROR_STRIP_TRAILING_WHITESPACE",
];

/// Judges a script.
pub(super) fn judge(walker: &mut Walker<'_>, text: &str) {
    if !walker.budget.pay(Work::Text, 1) || !walker.budget.pay(Work::Code, text.len()) {
        return;
    }
    let mut rest = text;
    while let Some((name, arguments, behind)) = next(rest, &walker.budget.clone()) {
        command(walker, &name, &arguments);
        rest = behind;
    }
}

fn command(walker: &mut Walker<'_>, name: &str, arguments: &[String]) {
    let words = |from: usize| arguments.get(from..).unwrap_or_default().iter().map(|text| word(text));
    match (name, arguments.first().map_or("", String::as_str)) {
        ("file", "REMOVE_RECURSE") => run(walker, Some(Act::RemoveTree), Some("--"), words(1)),
        ("file", "REMOVE") => run(walker, Some(Act::RemoveAll), Some("--"), words(1)),
        ("file", "RENAME") => run(walker, Some(Act::Move), None, words(1).take(2)),
        ("file", "COPY_FILE") => run(walker, Some(Act::Copy), None, words(1).take(2)),
        ("file", "CREATE_LINK") => run(walker, Some(Act::Link), None, words(1).take(2)),
        ("file", "DOWNLOAD") => {
            run(walker, Some(Act::FetchTo), None, words(1).take(2).collect::<Vec<_>>().into_iter().rev());
        }
        ("file", "UPLOAD") => run(walker, Some(Act::Send), None, words(1).take(2)),
        ("file", "WRITE" | "APPEND" | "TOUCH" | "GENERATE" | "CONFIGURE") => {
            let named = words(1).find(|word| word.text != "OUTPUT");
            if let Some(target) = named {
                walker.write_file(&target, &Stream::unknown(Taint::NONE));
            }
        }
        ("execute_process", _) => {
            for command in arguments.split(|text| text == "COMMAND").skip(1) {
                let end = command.iter().position(|text| BEHIND_COMMAND.contains(&text.as_str()));
                let inside = command.get(..end.unwrap_or(command.len())).unwrap_or_default();
                run(walker, None, None, inside.iter().map(|text| word(text)));
            }
        }
        ("exec_program", _) => run(walker, None, None, words(0)),
        ("cmake_language", "EVAL") => {
            for text in arguments.iter().skip_while(|text| *text != "CODE").skip(1) {
                walker.deeper(|walker| {
                    judge(walker, text);
                    Stream::default()
                });
            }
        }
        _ => {}
    }
}

/// Runs what does an act to the rest, or the rest.
fn run(walker: &mut Walker<'_>, act: Option<Act>, mark: Option<&str>, rest: impl Iterator<Item = Word>) {
    let first = act.into_iter().flat_map(programs::stand_in).chain(mark);
    let mut words: Vec<Word> = first.map(Word::literal).collect();
    let before = words.len();
    words.extend(rest);
    if words.len() > before {
        walker.run(&words, &Stream::default());
    }
}

/// A variable stands for what is not known.
fn word(text: &str) -> Word {
    let mut known = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        known.push_str(before);
        known.push(HOLE);
        rest = behind.split_once('}').map_or("", |(_, behind)| behind);
    }
    known.push_str(rest);
    Word::literal(known)
}

/// Returns the next command, in lower case, with its arguments and what stands behind it.
fn next<'t>(text: &'t str, budget: &Budget) -> Option<(String, Vec<String>, &'t str)> {
    let mut rest = text;
    let name = loop {
        rest = rest.trim_start();
        if rest.starts_with('#') {
            rest = behind_comment(rest);
            continue;
        }
        let letter = rest.chars().next()?;
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(rest.len());
        let (name, behind) = rest.split_at_checked(end)?;
        rest = behind.trim_start_matches([' ', '\t']);
        if !name.is_empty() && rest.starts_with('(') {
            break name.to_ascii_lowercase();
        }
        if name.is_empty() {
            rest = rest.get(letter.len_utf8()..)?;
        }
    };
    let (arguments, behind) = arguments(rest.get(1..)?, budget);
    Some((name, arguments, behind))
}

fn behind_comment(text: &str) -> &str {
    match text.strip_prefix("#[[") {
        Some(inside) => inside.split_once("]]").map_or("", |(_, behind)| behind),
        None => text.split_once('\n').map_or("", |(_, behind)| behind),
    }
}

/// Reads arguments up to the bracket that closes them; returns what stands behind it.
fn arguments<'t>(text: &'t str, budget: &Budget) -> (Vec<String>, &'t str) {
    let mut out: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut rest = text;
    // True where the next letter goes on with the argument before it.
    let mut open = false;
    while let Some(letter) = rest.chars().next().filter(|_| budget.pay(Work::Scan, 2)) {
        let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = tail;
        match letter {
            ')' if depth == 0 => return (out, rest),
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' | '\t' | '\r' | '\n' | ';' => {}
            '#' if !open => rest = behind_comment(text.get(text.len() - tail.len() - 1..).unwrap_or_default()),
            '"' => {
                let (value, behind) = quoted(tail);
                out.push(value);
                rest = behind;
            }
            '[' if !open && tail.trim_start_matches('=').starts_with('[') => {
                let equals = tail.len() - tail.trim_start_matches('=').len();
                let mut end = String::from("]");
                end.extend(core::iter::repeat_n('=', equals));
                end.push(']');
                let inside = tail.get(equals + 1..).unwrap_or_default();
                let (value, behind) = inside.split_once(end.as_str()).unwrap_or((inside, ""));
                out.push(value.into());
                rest = behind;
            }
            _ => {
                match out.last_mut().filter(|_| open) {
                    Some(last) => last.push(letter),
                    None => out.push(String::from(letter)),
                }
                open = true;
                continue;
            }
        }
        open = false;
    }
    (out, rest)
}

/// Reads a text in quotes, of which the first is gone; returns what stands behind it.
fn quoted(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => out.extend(letters.next().map(|(_, next)| if next == 'n' { '\n' } else { next })),
            '"' => return (out, text.get(at + 1..).unwrap_or_default()),
            _ => out.push(letter),
        }
    }
    (out, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, Vec<String>, &str)> {
        next(text, &Budget::default())
    }

    #[test]
    fn commands_are_read_with_their_arguments() {
        let (name, arguments, behind) =
            read("# x(y)\n#[[ a(b) ]] FILE ( WRITE \"a b\\\"\" [=[c ]] d]=] e;f # g )\n (h) i\\ ) foo(").unwrap();
        assert_eq!(name, "file");
        assert_eq!(arguments, ["WRITE", "a b\"", "c ]] d", "e", "f", "h", "i\\"]);
        assert_eq!(behind, " foo(");
        let (name, arguments, behind) = read(behind).unwrap();
        assert_eq!((name.as_str(), arguments.len(), behind), ("foo", 0, ""));
        assert_eq!(read("a b c"), None);
        assert_eq!(word("${A}/b").text, alloc::format!("{HOLE}/b"));
    }
}
