//! What awk runs: `system(…)`, `print | "cmd"`, `"cmd" | getline`, `print > "file"`.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Trait;

use super::super::budget::{Budget, Work};
use super::super::walk::Walker;
use super::super::word::{HOLE, Stream, Taint, Word};
use super::literal;
use super::scan::lines;
use crate::rules::Effect;
use crate::rules::programs;
use crate::verdict::Verdict;
use reading::Out;

mod reading;
mod token;

pub(crate) use reading::is_contained;

/// The most lines of input that are tried in the place of `$0`.
const MAX_LINES: usize = 16;

/// The most pipes that are followed.
const MAX_PIPES: usize = 64;

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
        let value = rest.trim_start();
        let name = before.get(from..).filter(|name| !name.is_empty());
        if let (Some(name), Some((mut text, length))) = (name, literal::read(value, &walker.budget)) {
            let behind = value.get(length..).unwrap_or_default().trim_start_matches([' ', '\t']);
            if !behind.is_empty() && !behind.starts_with([';', '}', ')', '\n', ',']) {
                // Something is put behind it.
                text.push(HOLE);
            }
            names.insert(name.into(), text);
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
    let pipes = piped(text, &walker.budget);
    if pipes.len() == MAX_PIPES {
        asks(walker, text);
    }
    let mut fed = 0;
    for source in pipes {
        match joined(walker, &source, &names, None) {
            Some(command) => {
                if is_shell(&command) {
                    suspect_lines(walker, text);
                }
                walker.text(&command, &Stream::unknown(Taint::NONE));
                if fed < 4 {
                    fed += 1;
                    printed_to(walker, &command, text);
                }
            }
            None => asks(walker, &source),
        }
    }
}

fn asks(walker: &mut Walker<'_>, source: &str) {
    let reason = "runs a command that it puts together";
    walker.note_plain(source, Verdict::Ask, Effect::Run, "interpreters.awk-pipe", reason);
}

/// Finds the commands behind and before pipes that are more than one string: `print | name`, `"a " name | getline`;
/// each with a bracket that ends it.
fn piped(text: &str, budget: &Budget) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    // Where the present statement or bracket begins, and its last letter so far.
    let (mut from, mut last) = (0, None);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty() && out.len() < MAX_PIPES) {
        let letter = rest.chars().next().unwrap_or(' ');
        let mut length = letter.len_utf8();
        match letter {
            '"' => length = literal::read(rest, budget).map_or(1, |(_, length)| length),
            '/' if last.is_none_or(|last| matches!(last, '~' | '!' | '&' | '|' | ',')) => {
                let end = rest.get(1..).and_then(|inside| inside.find('/'));
                length = end.map_or(1, |end| end + 2);
            }
            '|' if rest.starts_with("||") => length = 2,
            '|' => {
                let after = rest.trim_start_matches(['|', '&']).trim_start();
                let command = match after.strip_prefix("getline") {
                    Some(_) => text.get(from..at).unwrap_or_default().trim(),
                    None => after.get(..end_of_statement(after, budget)).unwrap_or_default().trim(),
                };
                let one_string = literal::read(command, budget).is_some_and(|(_, length)| length == command.len());
                if !command.is_empty() && !one_string {
                    out.push(alloc::format!("{})", command.trim_start_matches("while").trim_start()));
                }
            }
            _ => {}
        }
        at += length;
        if matches!(letter, ';' | '{' | '}' | '\n' | '(' | '!' | '|') {
            (from, last) = (at, None);
        } else if !letter.is_whitespace() {
            last = Some(letter);
        }
    }
    out
}

/// Finds where a statement ends, past its strings.
fn end_of_statement(text: &str, budget: &Budget) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.starts_with([';', '}', '\n', ')']) && !rest.is_empty()) {
        if !budget.pay(Work::Scan, 2) {
            return at;
        }
        let letter = rest.chars().next().map_or(1, char::len_utf8);
        at += if rest.starts_with('"') { literal::read(rest, budget).map_or(1, |(_, length)| length) } else { letter };
    }
    at
}

/// Puts the parts of an expression side by side; none where one of them is not known.
fn joined(walker: &Walker<'_>, source: &str, names: &BTreeMap<String, String>, line: Option<&str>) -> Option<String> {
    let budget = &walker.budget;
    let mut out = String::new();
    let mut rest = source.trim_start();
    while !rest.starts_with(')') {
        if !budget.pay(Work::Scan, 16 + out.len()) {
            return None;
        }
        if let Some((value, length)) = literal::read(rest, budget) {
            out.push_str(&value);
            rest = rest.get(length..)?;
        } else if let Some(tail) = rest.strip_prefix("$0") {
            out.push_str(line?);
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix("ENVIRON[") {
            let (name, length) = literal::read(tail, budget)?;
            let value = walker.state.variables.get(name.as_str())?.first()?.first()?;
            out.push_str(&value.text);
            rest = tail.get(length..)?.strip_prefix(']')?;
        } else {
            let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).filter(|end| *end > 0)?;
            out.push_str(names.get(rest.get(..end)?)?);
            rest = rest.get(end..)?;
        }
        rest = rest.trim_start();
    }
    Some(out)
}

/// Returns what a program made of `print "…"` alone writes.
pub(crate) fn printed(text: &str, budget: &Budget) -> Option<String> {
    let body = text.trim().strip_prefix("BEGIN")?.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut out = String::new();
    for statement in body.split(';').map(str::trim).filter(|statement| !matches!(*statement, "" | "exit")) {
        let (value, length) = literal::read(statement.strip_prefix("print")?.trim_start(), budget)?;
        if !statement.strip_prefix("print")?.trim_start().get(length..)?.trim().is_empty() {
            return None;
        }
        out.push_str(&value);
        out.push('\n');
    }
    Some(out)
}

fn is_shell(command: &str) -> bool {
    programs::is(command.trim().rsplit('/').next().unwrap_or_default(), Trait::Shell)
}

/// Looks at the strings of a program whose output a shell runs.
fn suspect_lines(walker: &mut Walker<'_>, text: &str) {
    for mut line in lines(text, &walker.budget).take(64) {
        if line.ends_with(' ') {
            // Something is put behind it: a field, a variable.
            line.push(HOLE);
        }
        walker.suspect(&line);
    }
}

/// Judges the program behind a pipe with the strings of the code as its input, where that halts.
fn printed_to(walker: &mut Walker<'_>, command: &str, text: &str) {
    let given: String = super::scan::strings_of(text, &walker.budget)
        .take(64)
        .filter(|string| string != command)
        .collect::<Vec<_>>()
        .join("\n");
    let words: Vec<Word> = command.split_whitespace().map(Word::literal).collect();
    if !given.is_empty() && !words.is_empty() {
        walker.guess_program(&words, &Stream::known(given));
    }
}

/// Says whether what stands before a pipe prints a line of the input as it is.
fn prints_its_input(before: &str) -> bool {
    let bare = before.trim_end_matches(['|', '&', ' ']);
    bare.ends_with("print") || bare.ends_with("print $0") || bare.ends_with("print($0)")
}

/// Asks about what the program reads or writes by names that are put together, and what it loads.
fn unknown_files(walker: &mut Walker<'_>, text: &str) {
    let mut ask = |effect: Effect, rule: &'static str, reason: &str| {
        walker.note_plain(text.trim(), Verdict::Ask, effect, rule, reason);
    };
    if writes_by_name(text) {
        ask(Effect::Write, "interpreters.awk-write", "writes a file whose name it puts together");
    }
    if text.contains("@include") || text.contains("@load") || text.contains("@namespace") {
        ask(Effect::Run, "interpreters.awk-load", "loads more code");
    }
    if ["\"/inet", "/inet/tcp", "/inet/udp", "/inet/raw", "/inet4/", "/inet6/"].iter().any(|place| text.contains(place))
    {
        ask(Effect::Network, "network.socket", "talks to another machine");
    }
}

/// Says whether a `print` goes to a file whose name is no string: `print > f`; in brackets a `>` compares.
fn writes_by_name(text: &str) -> bool {
    let (mut prints, mut depth, mut quote) = (false, 0_usize, false);
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if quote {
            match letter {
                '\\' => drop(letters.next()),
                '"' => quote = false,
                _ => {}
            }
            continue;
        }
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        if matches!(word.as_str(), "print" | "printf") {
            (prints, depth) = (true, 0);
        }
        word.clear();
        match letter {
            '"' => quote = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' | '}' | '\n' => prints = false,
            '>' if prints && depth == 0 => {
                while letters.next_if(|next| matches!(next, '>' | ' ' | '\t')).is_some() {}
                if letters.peek() != Some(&'"') {
                    return true;
                }
                // A string with something behind it is only the beginning of a name.
                letters.next();
                while letters.next_if(|next| *next != '"').is_some() {}
                letters.next();
                while letters.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
                if letters.peek().is_some_and(|next| !matches!(next, ';' | '}' | '\n' | ')')) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Judges what a program leads to: what is read of it by itself, and what is guessed of a program that is not understood.
pub(super) fn awk(walker: &mut Walker<'_>, text: &str) {
    unknown_files(walker, text);
    let mut fed = Fed::default();
    match reading::outs(text) {
        Some(outs) => outs.into_iter().for_each(|out| led_to(walker, text, out, &mut fed)),
        None => guessed(walker, text, &mut fed),
    }
}

/// What has been done for the commands that a program feeds.
#[derive(Default)]
struct Fed {
    suspected: bool,
    count: usize,
}

fn led_to(walker: &mut Walker<'_>, text: &str, out: Out<'_>, fed: &mut Fed) {
    match out {
        Out::Read(name) => drop(walker.read_file(&Word::literal(name))),
        Out::Write(name) => walker.write_file(&Word::literal(name), &Stream::unknown(Taint::NONE)),
        Out::Run(command) => {
            walker.text(command, &Stream::unknown(Taint::NONE));
        }
        Out::Feed(command, as_it_is) => {
            if is_shell(command) {
                if !core::mem::replace(&mut fed.suspected, true) {
                    suspect_lines(walker, text);
                }
                if as_it_is {
                    let reason = "runs the lines of its input as commands";
                    walker.note_plain(command, Verdict::Halt, Effect::RunForeign, "interpreters.awk-run", reason);
                }
            }
            walker.text(command, &Stream::unknown(Taint::NONE));
            if fed.count < 4 {
                fed.count += 1;
                printed_to(walker, command, text);
            }
        }
    }
}

/// Judges `print | "cmd"`, `"cmd" | getline`, `print > "file"` wherever they may stand.
fn guessed(walker: &mut Walker<'_>, text: &str, fed: &mut Fed) {
    let budget = walker.budget.clone();
    let mut rest = text;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        if letter == '"'
            && let Some((value, length)) = literal::read(rest, &budget)
        {
            let after = rest.get(length..).unwrap_or_default();
            let from_it = after.trim_start().strip_prefix('|').map(|after| after.trim_start_matches(['&', ' ']));
            match before {
                '|' => {
                    let printed = text.get(..text.len() - rest.len()).unwrap_or_default();
                    led_to(walker, text, Out::Feed(&value, prints_its_input(printed)), fed);
                }
                _ if from_it.is_some_and(|after| after.starts_with("getline")) => {
                    led_to(walker, text, Out::Run(&value), fed);
                }
                '<' => led_to(walker, text, Out::Read(&value), fed),
                '>' => led_to(walker, text, Out::Write(&value), fed),
                _ => {}
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
        // Both ways is a pipe too.
        if !letter.is_whitespace() && (letter != '&' || before != '|') {
            before = letter;
        }
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_put_together_are_told_from_strings_and_comparisons() {
        for text in ["{print > f}", "{print >> $1}", "{printf \"a\" > f}", "{print > \"x\" $1}", "{print \"a>\" > f}"] {
            assert!(writes_by_name(text), "{text}");
        }
        for text in
            ["$1 > 5 {print}", "{print > \"x\"}", "{print ($1 > 5)}", "{if ($1 > 2) print $2}", "{print \"a > b\"}"]
        {
            assert!(!writes_by_name(text), "{text}");
        }
    }

    #[test]
    fn commands_that_are_put_together_are_found() {
        let check = |text: &str, expected: &[&str]| assert_eq!(piped(text, &Budget::default()), expected, "{text}");
        check("BEGIN{c=\"a\"; c | getline; close(c)}", &["c)"]);
        check("BEGIN{while ((c | getline x) > 0) print x}", &["c)"]);
        check("{\"a \" $1 | getline x}", &["\"a \" $1)"]);
        check("{print $1 | c; print | \"sort -\" x}", &["c)", "\"sort -\" x)"]);
        check("{print |& c}", &["c)"]);
        for text in
            ["{print | \"sort\"}", "\"date\" | getline d", "/a|b/ || $1 ~ /c|d/", "{print \"a|b\"}", "a || b", ""]
        {
            check(text, &[]);
        }
        assert_eq!(
            piped(&"| x ".repeat(10_000), &Budget::default()).len(),
            MAX_PIPES,
            "more than these are asked about"
        );
        assert!(piped(&" ".repeat(60_000), &Budget::default()).is_empty());
    }
}
