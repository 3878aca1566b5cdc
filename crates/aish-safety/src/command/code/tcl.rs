//! Scripts of Tcl and expect: what `exec`, `spawn`, `system` and `open |` run, what is typed by `send`, what `file` deletes.
//!
//! Text is told apart into commands and words as Tcl does. Bodies of branches, loops and procedures are judged as if they ran,
//! with what `set` gave a variable last.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Act;

use super::super::budget::{Budget, Work};
use super::super::walk::Walker;
use super::super::word::{HOLE, Stream};
use crate::rules::programs;

/// What variables hold, as far as it is known.
type Variables = BTreeMap<String, String>;

/// A word of a command.
#[derive(Debug, Default, PartialEq)]
struct Item {
    /// What it stands for; a hole where that is not known.
    text: String,
    /// It stands in braces, so that it may be a script.
    braced: bool,
    /// It stands for the words of a list (`{*}`).
    spread: bool,
    /// The scripts between its square brackets.
    scripts: Vec<String>,
}

/// Judges a script.
pub(super) fn judge(walker: &mut Walker<'_>, text: &str) {
    script(walker, text, &mut Variables::new());
}

fn script(walker: &mut Walker<'_>, text: &str, variables: &mut Variables) {
    if !walker.budget.pay(Work::Text, 1) || !walker.budget.pay(Work::Code, text.len()) {
        return;
    }
    let mut rest = text;
    while !rest.is_empty() {
        let (items, behind) = next(rest, variables, &walker.budget.clone());
        command(walker, &items, variables);
        rest = behind;
    }
}

fn deeper(walker: &mut Walker<'_>, text: &str, variables: &mut Variables) {
    walker.deeper(|walker| {
        script(walker, text, variables);
        Stream::default()
    });
}

fn command(walker: &mut Walker<'_>, items: &[Item], variables: &mut Variables) {
    for inside in items.iter().flat_map(|item| &item.scripts) {
        deeper(walker, inside, variables);
    }
    let Some((name, arguments)) = items.split_first() else { return };
    let first = arguments.first().map_or("", |item| item.text.as_str());
    match name.text.trim_start_matches(':') {
        "exec" => run(walker, behind_options(arguments, &["-encoding"])),
        "spawn" => run(walker, behind_options(arguments, &["-open", "-leaveopen", "-ignore"])),
        "system" => {
            walker.text(&joined(arguments), &Stream::default());
        }
        "send" | "send_slow" => {
            let typed = joined(behind_options(arguments, &["-i"]));
            for line in typed.split(['\r', '\n']).filter(|line| !line.trim().is_empty()) {
                walker.text(line, &Stream::default());
            }
        }
        "open" if first.trim_start().starts_with('|') => {
            let list = first.trim_start().trim_start_matches('|');
            run(walker, &next(list, variables, &walker.budget.clone()).0);
        }
        "file" if "delete".starts_with(first) && first.len() > 1 => {
            let forced = arguments.iter().any(|item| item.text == "-force");
            let act = if forced { Act::RemoveTree } else { Act::Remove };
            let named = behind_options(arguments.get(1..).unwrap_or_default(), &[]);
            let mut line = programs::stand_in_text(act);
            named.iter().for_each(|item| add(&mut line, &item.text));
            if !named.is_empty() {
                walker.text(&line, &Stream::default());
            }
        }
        "eval" | "uplevel" => {
            let level = first.trim_start_matches('#');
            let is_level = !level.is_empty() && level.bytes().all(|letter| letter.is_ascii_digit());
            let code = arguments.get(usize::from(is_level)..).unwrap_or_default();
            deeper(walker, &joined(code), variables);
        }
        "set" if arguments.len() == 2 => {
            let value = arguments.get(1).map(|item| item.text.clone()).unwrap_or_default();
            variables.insert(first.into(), value);
        }
        _ => {
            for body in arguments.iter().filter(|item| item.braced) {
                deeper(walker, &body.text, variables);
            }
        }
    }
}

/// Leaves out the options that a command begins with; some of them take the next word.
fn behind_options<'i>(arguments: &'i [Item], taking: &[&str]) -> &'i [Item] {
    let mut rest = arguments;
    while let Some((first, behind)) = rest.split_first().filter(|(first, _)| first.text.starts_with('-')) {
        rest = behind;
        if first.text == "--" {
            break;
        }
        if taking.contains(&first.text.as_str()) {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    rest
}

fn joined(items: &[Item]) -> String {
    items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Judges a command, or several with pipes between them.
fn run(walker: &mut Walker<'_>, items: &[Item]) {
    let mut line = String::new();
    let mut words = items.iter();
    while let Some(item) = words.next() {
        let text = item.text.as_str();
        let plain = text.trim_start_matches('2');
        match (text, plain.chars().next()) {
            _ if item.braced => add(&mut line, text),
            ("|" | "|&" | "&", _) => {
                line.push(' ');
                line.push_str(text);
            }
            // An open channel has no name.
            _ if plain.starts_with(">@") || plain.starts_with(">>@") || plain.starts_with("<@") => {
                if plain.ends_with('@') {
                    words.next();
                }
            }
            (_, Some('<' | '>')) => {
                let name = plain.trim_start_matches(['<', '>', '&']);
                let (sign, _) = text.split_at_checked(text.len() - name.len()).unwrap_or((text, ""));
                line.push(' ');
                line.push_str(if sign.contains("<<") { "<<<" } else { sign });
                if !name.is_empty() {
                    add(&mut line, name);
                }
            }
            _ if item.spread => {
                line.push(' ');
                line.push_str(text);
            }
            _ => add(&mut line, text),
        }
    }
    if !line.is_empty() {
        walker.text(line.trim_start(), &Stream::default());
    }
}

/// Adds a word to a line of the shell's.
fn add(line: &mut String, text: &str) {
    line.push(' ');
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./~:=,+@%-".contains(letter) || letter == HOLE;
    if !text.is_empty() && text.chars().all(is_plain) {
        line.push_str(text);
        return;
    }
    line.push('\'');
    line.push_str(&text.replace('\'', "'\\''"));
    line.push('\'');
}

/// Reads the next command; returns its words and what stands behind it.
fn next<'t>(text: &'t str, variables: &Variables, budget: &Budget) -> (Vec<Item>, &'t str) {
    let mut items = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t', '\r', '\n', ';']);
    if rest.starts_with('#') {
        return (items, rest.split_once('\n').map_or("", |(_, behind)| behind));
    }
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r']);
        rest = match rest.strip_prefix("\\\n") {
            Some(behind) => {
                rest = behind;
                continue;
            }
            None => rest,
        };
        match rest.chars().next() {
            None => return (items, ""),
            Some('\n' | ';') => return (items, rest.get(1..).unwrap_or_default()),
            Some(_) if !budget.pay(Work::Scan, 4) => return (items, ""),
            Some(_) => {
                let (item, behind) = word(rest, variables, budget);
                items.push(item);
                rest = behind;
            }
        }
    }
}

/// Reads a word.
fn word<'t>(text: &'t str, variables: &Variables, budget: &Budget) -> (Item, &'t str) {
    let (spread, text) = match text.strip_prefix("{*}") {
        Some(behind) if !behind.starts_with([' ', '\t', '\n', ';']) && !behind.is_empty() => (true, behind),
        _ => (false, text),
    };
    if let Some(inside) = text.strip_prefix('{') {
        let end = closing(inside, '{', '}', budget);
        let braced = inside.get(..end).unwrap_or_default().replace("\\\n", " ");
        let behind = inside.get(end + 1..).unwrap_or_default();
        return (Item { text: braced, braced: !spread, spread, scripts: Vec::new() }, behind);
    }
    let (quoted, mut rest) = text.strip_prefix('"').map_or((false, text), |inside| (true, inside));
    let mut item = Item { spread, ..Item::default() };
    while let Some(letter) = rest.chars().next().filter(|_| budget.pay(Work::Scan, 2)) {
        let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = match letter {
            '"' if quoted => return (item, tail),
            ' ' | '\t' | '\r' | '\n' | ';' if !quoted => return (item, rest),
            '\\' => escape(tail, &mut item.text),
            '[' => {
                let end = closing(tail, '[', ']', budget);
                item.scripts.push(tail.get(..end).unwrap_or_default().into());
                item.text.push(HOLE);
                tail.get(end + 1..).unwrap_or_default()
            }
            '$' => {
                let (name, behind) = variable(tail);
                match variables.get(name) {
                    _ if name.is_empty() => item.text.push('$'),
                    Some(value) if budget.pay(Work::Scan, value.len()) => item.text.push_str(value),
                    _ => item.text.push(HOLE),
                }
                behind
            }
            _ => {
                item.text.push(letter);
                tail
            }
        };
    }
    (item, "")
}

/// Returns the name of a variable behind its `$`, and what stands behind it.
fn variable(text: &str) -> (&str, &str) {
    if let Some(inside) = text.strip_prefix('{') {
        return inside.split_once('}').unwrap_or((inside, ""));
    }
    let end = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':'));
    let (name, behind) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
    match behind.strip_prefix('(').and_then(|inside| inside.find(')')) {
        Some(at) if !name.is_empty() => text.split_at_checked(name.len() + at + 2).unwrap_or((text, "")),
        _ => (name, behind),
    }
}

/// Adds what an escape stands for; `text` begins behind its backslash.
fn escape<'t>(text: &'t str, out: &mut String) -> &'t str {
    let Some(letter) = text.chars().next() else { return text };
    let tail = text.get(letter.len_utf8()..).unwrap_or_default();
    let number = |base: u32, most: usize, digits: &'t str| {
        let length = digits.bytes().take(most).take_while(|digit| char::from(*digit).is_digit(base)).count();
        let (digits, behind) = digits.split_at_checked(length)?;
        Some((char::from_u32(u32::from_str_radix(digits, base).ok()?)?, behind))
    };
    let coded = match letter {
        'x' => number(16, 2, tail),
        'u' => number(16, 4, tail),
        'U' => number(16, 8, tail),
        '0'..='7' => number(8, 3, text),
        _ => None,
    };
    if let Some((code, behind)) = coded {
        out.push(code);
        return behind;
    }
    out.push(match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'a' | 'b' | 'f' | 'v' | '\n' => ' ',
        other => other,
    });
    tail
}

/// Returns where the bracket stands that closes a text; its end where none does.
fn closing(text: &str, open: char, close: char, budget: &Budget) -> usize {
    let mut depth = 0_usize;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next().filter(|_| budget.pay(Work::Scan, 1)) {
        match letter {
            '\\' => {
                letters.next();
            }
            _ if letter == open => depth += 1,
            _ if letter == close && depth == 0 => return at,
            _ if letter == close => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let variables = Variables::from([("x".into(), "a b".into())]);
        next(text, &variables, &Budget::default()).0.into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn words_are_read_as_by_tcl() {
        assert_eq!(read("spawn sh -c \"rm -rf /\"; next"), ["spawn", "sh", "-c", "rm -rf /"]);
        assert_eq!(read("  exec {a {b} c} $x ${x}y \\\n d\n"), ["exec", "a {b} c", "a b", "a by", "d"]);
        assert_eq!(read("send \\x72\\155\\r"), ["send", "rm\r"]);
        assert_eq!(read("puts [exec ls [pwd]]x"), ["puts", &alloc::format!("{HOLE}x")]);
        assert_eq!(read("# rm\nexec"), Vec::<String>::new());
        assert_eq!(read("set a {b"), ["set", "a", "b"], "what is not closed ends with the text");
    }
}
