//! The scan of general code: calls with their string arguments, and what they lead to.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::super::sql;
use super::super::walk::Walker;
use super::super::word::{HOLE, Stream, Taint, Word};
use super::literal;
use crate::rules::rule::Effect;
use crate::rules::{calls, programs};
use crate::verdict::Verdict;

/// One call found in code.
struct Call {
    /// The last part of the callee: `rmtree` of `shutil.rmtree`.
    name: String,
    /// The string literals among its arguments, in order; those that are added together as one.
    strings: Vec<String>,
    /// The source of its arguments.
    source: String,
    /// True where an argument is not a literal.
    open: bool,
}

/// Scans code for shell-outs, destructive calls, fetched or decoded code, and secrets sent out.
pub(super) fn scan(walker: &mut Walker<'_>, program: &str, text: &str) {
    if program.ends_with("awk") {
        awk(walker, text);
    }
    if program.starts_with("ipython") {
        for line in text.lines().filter_map(|line| line.trim_start().strip_prefix('!')) {
            walker.text(line.trim_start_matches('!'), &Stream::default());
        }
    }
    if matches!(program, "puppet" | "chef-apply" | "chef-shell" | "cf-agent") {
        for line in lines(text).take(64) {
            walker.suspect(&line);
        }
    }
    let calls = find(text);
    let lower = text.to_ascii_lowercase();
    let has = |table: &[&str]| table.iter().any(|word| lower.contains(word));
    let runs = calls
        .iter()
        .any(|call| calls::RUN.contains(&call.name.as_str()) || calls::EVALUATE.contains(&call.name.as_str()))
        || has(calls::EVALUATE_TEXT);
    if runs && (has(calls::FETCH) || has(calls::DECODE)) {
        let remote = has(calls::FETCH);
        walker.foreign(program, if remote { Taint::REMOTE } else { Taint::DECODED });
    }
    if has(calls::SOCKET) && has(calls::SOCKET_SHELL) {
        walker.note_plain(
            text,
            Verdict::Halt,
            Effect::RunForeign,
            "network.reverse-shell",
            "hands a shell to another machine",
        );
    }
    if has(calls::SEND) && names_secret(walker, text) {
        walker.note_plain(
            text,
            Verdict::Halt,
            Effect::SendSecret,
            "exfiltration.code",
            "reads secrets and talks to another machine",
        );
    }
    if lower.contains("fork") && has(calls::ENDLESS) {
        walker.note_plain(text, Verdict::Halt, Effect::Exhaust, "processes.fork-bomb", "starts processes without end");
    }
    if has(calls::MASS_KILL) {
        walker.note_plain(
            text,
            Verdict::Halt,
            Effect::Stop,
            "processes.kill-all",
            "ends every process that it may end",
        );
    }
    if has(calls::DELETE_DATA) {
        walker.note_plain(
            text,
            Verdict::Halt,
            Effect::DeleteRemote,
            "databases.delete-by-code",
            "deletes all records by code",
        );
    }
    if calls.iter().any(|call| calls::RUN.contains(&call.name.as_str()) && call.open && call.strings.is_empty()) {
        // What is run stands elsewhere in the code: perhaps in one of its strings, or in several side by side.
        for line in lines(text).take(64) {
            if walker.suspect(&line) {
                break;
            }
        }
    }
    let walks = has(calls::WALK);
    for call in calls {
        judge(walker, &call, walks);
    }
}

fn judge(walker: &mut Walker<'_>, call: &Call, walks: bool) {
    let name = call.name.as_str();
    if calls::RUN.contains(&name) {
        run(walker, call);
    }
    if calls::EVALUATE.contains(&name) {
        for string in &call.strings {
            scan(walker, "eval", string);
        }
    }
    if calls::DELETE_TREE.contains(&name) || calls::DELETE_TREE_IF.contains(&name) && call.source.contains("recursive")
    {
        delete(walker, call, "-rf");
    } else if calls::DELETE.contains(&name) && (!call.strings.is_empty() || walks) {
        if walks && call.strings.iter().all(|string| !string.contains('/')) {
            walker.note_plain(
                &call.source,
                Verdict::Halt,
                Effect::Delete,
                "files.delete-by-code",
                "deletes every file that it finds",
            );
        } else {
            delete(walker, call, "-f");
        }
    }
    if name == "open" {
        // Perl's `open(F, "|command")` and `open(F, "command|")`.
        for string in &call.strings {
            let piped = string.trim().strip_prefix('|').or_else(|| string.trim().strip_suffix('|'));
            if let Some(line) = piped.filter(|line| !line.trim_matches(['-', '|', ' ']).is_empty()) {
                walker.text(line, &Stream::default());
            }
        }
    }
    if calls::WRITE.contains(&name)
        && let Some(path) = call.strings.first()
        && (name != "open"
            || call.strings.get(1).is_some_and(|mode| mode.starts_with(['w', 'a', 'x', '>']) || mode.contains('+')))
    {
        walker.write_file(&Word::literal(path.as_str()), false, &Stream::unknown(Taint::NONE));
    }
    if calls::CHANGE_MODE.contains(&name)
        && let Some(path) = call.strings.last()
    {
        let digits: String = call.source.replace("0o", "").chars().filter(char::is_ascii_digit).take(4).collect();
        let words = ["chmod", digits.as_str(), path.as_str()].map(Word::literal);
        walker.run(&words, &Stream::default());
    }
    if calls::QUERY.contains(&name) {
        for string in &call.strings {
            sql::judge(walker, "sql", string);
        }
    }
}

fn run(walker: &mut Walker<'_>, call: &Call) {
    match call.strings.as_slice() {
        [] => {
            let text = call.source.trim();
            if call.open && !text.is_empty() {
                walker.note_plain(
                    text,
                    Verdict::Ask,
                    Effect::Run,
                    "interpreters.run",
                    "runs a command that is put together by code",
                );
            }
        }
        [line] => {
            let mut line = line.clone();
            if call.open && !line.contains(' ') {
                line.push(' ');
                line.push(HOLE);
            }
            walker.text(&line, &Stream::default());
        }
        several => {
            let listed: Vec<Word> = several.iter().map(|string| Word::literal(string.as_str())).collect();
            walker.run(&listed, &Stream::default());
            if let Some(first) = several.first().filter(|first| first.contains(' ')) {
                walker.text(first, &Stream::default());
            }
        }
    }
}

fn delete(walker: &mut Walker<'_>, call: &Call, flags: &str) {
    let mut words = vec![Word::literal("rm"), Word::literal(flags)];
    if call.strings.is_empty() {
        words.push(Word::unknown(Taint::NONE));
    }
    words.extend(call.strings.iter().filter(|string| !string.is_empty()).map(|string| Word {
        text: string.clone(),
        glob: string.contains('*'),
        taint: Taint::NONE,
    }));
    walker.run(&words, &Stream::default());
}

/// Goes through the strings of code that hold more than one word, up to 4,096 bytes each; strings in a list are one
/// line.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let mut found: Vec<String> = Vec::new();
    let mut listed = false;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match literal::read(rest) {
            Some((value, length)) => {
                match found.last_mut() {
                    Some(last) if listed => {
                        last.push(' ');
                        last.push_str(&value);
                    }
                    _ => found.push(value),
                }
                listed = true;
                at += length;
            }
            None => {
                let letter = rest.chars().next().unwrap_or(' ');
                listed &= letter.is_whitespace() || letter == ',';
                at += letter.len_utf8();
            }
        }
    }
    found.into_iter().filter(|line| line.contains(' ') && line.len() <= 4_096)
}

fn names_secret(walker: &Walker<'_>, text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"']) {
        rest = rest.get(at..).unwrap_or_default();
        match literal::read(rest) {
            Some((value, length)) => {
                if !value.contains("://") && walker.is_secret_word(&Word::literal(value)) {
                    return true;
                }
                rest = rest.get(length..).unwrap_or_default();
            }
            None => rest = rest.get(1..).unwrap_or_default(),
        }
    }
    calls::ENVIRONMENT.iter().any(|word| text.contains(word))
}

/// Finds calls: `name(…)`, `name "…"`, backticks, `qx{…}`, `%x(…)`.
fn find(text: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut name = String::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or(' ');
        if letter.is_alphanumeric() || matches!(letter, '_' | '!' | '$') {
            name.push(letter);
            at += letter.len_utf8();
            continue;
        }
        match letter {
            '(' | '{' | '[' | '<' | '/' if matches!(name.as_str(), "qx" | "x") => {
                if let Some((value, length)) = literal::bracketed(rest) {
                    calls.push(Call {
                        name: "system".into(),
                        strings: vec![value],
                        source: String::new(),
                        open: false,
                    });
                    at += length;
                } else {
                    at += 1;
                }
                name.clear();
                continue;
            }
            '(' => {
                let inside = rest.get(1..).unwrap_or_default();
                if !name.is_empty() && calls.len() < 2_000 {
                    let end = close(inside);
                    calls.push(call(&name, inside.get(..end).unwrap_or_default()));
                }
                at += 1;
            }
            '`' => {
                if let Some((value, length)) = literal::read(rest) {
                    // A template of JavaScript and a command of the others look alike.
                    calls.push(Call {
                        name: "system".into(),
                        strings: vec![value],
                        source: String::new(),
                        open: false,
                    });
                    at += length;
                } else {
                    at += 1;
                }
            }
            '\'' | '"' => {
                let read = literal::read(rest);
                at += read.as_ref().map_or(1, |(_, length)| *length);
                if let Some((value, length)) = read
                    && runs_itself(rest.get(length..).unwrap_or_default())
                {
                    calls.push(Call {
                        name: "system".into(),
                        strings: vec![value],
                        source: String::new(),
                        open: false,
                    });
                }
            }
            ' ' | '\t' if !name.is_empty() => {
                let after = rest.trim_start_matches([' ', '\t']);
                whole_name(&mut name, text.get(..at).unwrap_or_default());
                if after.starts_with(['\'', '"', '[', '~']) && is_listed(&name) {
                    let end = after.find([';', '\n']).unwrap_or(after.len());
                    calls.push(call(&name, after.get(..end).unwrap_or_default()));
                } else if matches!(name.as_str(), "qx" | "x")
                    && let Some((value, _)) = literal::bracketed(after)
                {
                    calls.push(Call {
                        name: "system".into(),
                        strings: vec![value],
                        source: String::new(),
                        open: false,
                    });
                } else if is_listed(&name)
                    && after.starts_with(|letter: char| letter == '$' || letter == '<' || letter.is_alphabetic())
                {
                    let end = after.find([';', '\n', '}']).unwrap_or(after.len());
                    calls.push(call(&name, after.get(..end).unwrap_or_default()));
                }
                at += rest.len() - after.len();
            }
            _ => at += letter.len_utf8(),
        }
        name.clear();
    }
    calls
}

/// Says whether a string that is followed by this runs as a command: `"…".execute()` of Groovy, `"…".!` of Scala.
fn runs_itself(after: &str) -> bool {
    [".execute(", ".!", ".lineStream", ".lazyLines"].iter().any(|suffix| after.starts_with(suffix))
}

/// Finishes names that are written with `-` or in several words.
fn whole_name(name: &mut String, before: &str) {
    let whole = match name.as_str() {
        "directory" if before.ends_with("delete-directory") => "delete_directory",
        "file" if before.ends_with("delete-file") => "delete_file",
        "script" if before.ends_with("do shell script") => "system",
        _ => return,
    };
    name.clear();
    name.push_str(whole);
}

fn is_listed(name: &str) -> bool {
    [calls::RUN, calls::DELETE, calls::DELETE_TREE, calls::QUERY, calls::EVALUATE]
        .iter()
        .any(|table| table.contains(&name))
}

/// Finds the bracket that closes a call, past string literals; at most 4,096 bytes on.
fn close(inside: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty() && at < 4_096) {
        let letter = rest.chars().next().unwrap_or(' ');
        match letter {
            '\'' | '"' | '`' => {
                at += literal::read(rest).map_or(1, |(_, length)| length);
                continue;
            }
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
        at += letter.len_utf8();
    }
    at.min(inside.len())
}

fn call(name: &str, source: &str) -> Call {
    let mut strings: Vec<String> = Vec::new();
    let mut between = String::new();
    let mut open = false;
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or(' ');
        if matches!(letter, '\'' | '"' | '`')
            && let Some((value, length)) = literal::read(rest)
        {
            let glue = between.trim();
            match strings.last_mut() {
                Some(last)
                    if glue.is_empty() && !between.is_empty()
                        || matches!(glue, "+" | "." | ".." | "<>" | "++" | "&") =>
                {
                    last.push_str(&value);
                }
                _ => strings.push(value),
            }
            between.clear();
            at += length;
            continue;
        }
        // `q{…}` and `qq{…}` of Perl, `%q(…)` of Ruby.
        let quoting = matches!(between.trim_start().trim_start_matches('%'), "q" | "qq" | "Q");
        if quoting && let Some((value, length)) = literal::bracketed(rest) {
            strings.push(value);
            open = false;
            between.clear();
            at += length;
            continue;
        }
        open |= letter.is_alphanumeric() || letter == '$';
        between.push(letter);
        at += letter.len_utf8();
    }
    Call { name: name.into(), strings, source: source.chars().take(400).collect::<String>().to_string(), open }
}

/// Says whether what stands before a pipe prints a line of the input as it is.
fn prints_its_input(before: &str) -> bool {
    let bare = before.trim_end().trim_end_matches('|').trim_end();
    bare.ends_with("print") || bare.ends_with("print $0") || bare.ends_with("print($0)")
}

/// `print | "cmd"`, `"cmd" | getline`, `print > "file"`.
fn awk(walker: &mut Walker<'_>, text: &str) {
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
