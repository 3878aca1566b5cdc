//! The scan of general code: calls with their string arguments, and what they lead to.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::{Act, Trait};
use aish_programs::words::{calls, code_marks};

use super::super::budget::{Budget, Work};
use super::super::sql;
use super::super::walk::Walker;
use super::super::word::{HOLE, Stream, Taint, Word};
use super::awk::awk;
use super::find::{Beside, Call, find};
use super::literal;
use super::names::filled;
use crate::rules::Effect;
use crate::rules::programs;
use crate::verdict::Verdict;

/// Scans code for shell-outs, destructive calls, fetched or decoded code, and secrets sent out.
pub(super) fn scan(walker: &mut Walker<'_>, program: &str, text: &str) {
    if !walker.budget.pay(Work::Text, 1) || !walker.budget.pay(Work::Code, text.len()) {
        return;
    }
    run_by_syntax(walker, program, text);
    let beside = if programs::is(program, Trait::Lisp) { Beside::Apart } else { Beside::Joined };
    let calls = find(text, beside, &walker.budget.clone());
    let lower = text.to_ascii_lowercase();
    judge_marks(walker, program, text, &lower, &calls);
    suspect_texts(walker, text, &lower, &calls);
    let walks = calls::WALK.iter().any(|word| lower.contains(word));
    if walks && deletes_topic(text) {
        walker.note_plain(
            text,
            Verdict::Halt,
            Effect::Delete,
            "files.delete-by-code",
            "deletes every file that it finds",
        );
    }
    fed(walker, &calls, text);
    let hidden =
        |call: &Call| calls::DELETE.contains(&call.name.as_str()) && call.strings.is_empty() && call.open && !walks;
    if calls.iter().any(hidden) {
        deletes_elsewhere(walker, text);
    }
    for call in &calls {
        judge(walker, call, walks);
    }
}

/// Judges what a language runs by a syntax of its own.
fn run_by_syntax(walker: &mut Walker<'_>, program: &str, text: &str) {
    if programs::is(program, Trait::Awk) {
        awk(walker, text);
    }
    if programs::is(program, Trait::Bang) {
        for line in text.lines().filter_map(|line| line.trim_start().strip_prefix('!')) {
            walker.text(line.trim_start_matches('!'), &Stream::default());
        }
    }
    if programs::is(program, Trait::Recipe) {
        let budget = walker.budget.clone();
        for line in lines(text, &budget).take(64) {
            walker.suspect(&line);
        }
    }
}

/// Judges texts in code that it may run in a way that is not seen; `lower` is the code in small letters.
fn suspect_texts(walker: &mut Walker<'_>, text: &str, lower: &str, calls: &[Call]) {
    let budget = walker.budget.clone();
    let is_put_together =
        |call: &Call| calls::RUN.contains(&call.name.as_str()) && call.open && call.strings.is_empty();
    if calls.iter().any(is_put_together) || code_marks::INDIRECT.iter().any(|word| lower.contains(word)) {
        // What is run stands elsewhere in the code: perhaps in one of its strings, or in several side by side.
        suspect_lines(walker, text);
    }
    if text.contains(['|', '<']) {
        // A file whose name is a command: `open("|cmd")`, `plot '< cmd'`.
        for string in strings_of(text, &budget).take(64) {
            let line = string.trim_start().strip_prefix(['|', '<']).or_else(|| string.trim_end().strip_suffix('|'));
            if let Some(line) = line.filter(|line| line.contains(' ')) {
                walker.suspect(line);
            }
        }
    }
    if let Some(filled) = filled(text, &budget) {
        suspect_lines(walker, &filled);
    }
    bare_commands(walker, text);
    if text.contains("].execute(") {
        suspect_lines(walker, text);
    }
}

/// Judges what words in the code tell by standing in it together, wherever that is; `lower` is the code in small letters.
fn judge_marks(walker: &mut Walker<'_>, program: &str, text: &str, lower: &str, calls: &[Call]) {
    let has = |table: &[&str]| table.iter().any(|word| lower.contains(word));
    let runs = calls
        .iter()
        .any(|call| calls::RUN.contains(&call.name.as_str()) || calls::EVALUATE.contains(&call.name.as_str()))
        || has(calls::EVALUATE_TEXT);
    let fetches = has(code_marks::FETCH);
    if lower.contains("eval get(") || lower.contains("eval(get(") || lower.contains("eval { get(") {
        walker.foreign(program, Taint::REMOTE);
    }
    if runs && (fetches || has(code_marks::DECODE)) {
        walker.foreign(program, if fetches { Taint::REMOTE } else { Taint::DECODED });
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
    if has(calls::DELETE_DATA) || has(calls::ORDERS) && has(calls::SENDS) {
        walker.note_plain(
            text,
            Verdict::Halt,
            Effect::DeleteRemote,
            "databases.delete-by-code",
            "deletes all records by code",
        );
    }
}

/// Judges programs that code starts and writes to, with the strings of the code as what they are given; noted only where
/// that halts.
fn fed(walker: &mut Walker<'_>, calls: &[Call], text: &str) {
    let starts = |call: &&Call| calls::RUN.contains(&call.name.as_str()) || call.name == "open";
    for call in calls.iter().filter(starts).take(16) {
        if call.open && runs_what_it_fetches(call, calls) {
            walker.foreign(&call.name, Taint::REMOTE);
        }
    }
    if !calls::FEED.iter().any(|word| text.contains(word)) || !calls.iter().any(|call| starts(&call)) {
        return;
    }
    let strings: Vec<String> = strings_of(text, &walker.budget.clone()).take(64).collect();
    for call in calls.iter().filter(starts).take(16) {
        let command: Vec<&str> = call
            .strings
            .iter()
            .map(|string| string.trim_matches(['|', '-', ' ']))
            .filter(|string| !string.is_empty() && !calls::MODES.contains(string))
            .collect();
        let Some(first) = command.first() else { continue };
        let program = first.split([' ', '/']).next_back().unwrap_or_default();
        let program = if first.contains(' ') { first.split(' ').next().unwrap_or_default() } else { program };
        if !programs::is(program.rsplit('/').next().unwrap_or_default(), Trait::Fed) {
            continue;
        }
        let words: Vec<Word> = if first.contains(' ') {
            first.split_whitespace().map(Word::literal).collect()
        } else {
            command.iter().take(8).filter(|word| !word.contains(' ')).map(|word| Word::literal(*word)).collect()
        };
        let mut given = String::new();
        for string in strings.iter().filter(|string| !call.strings.contains(string)) {
            given.push_str(string);
            given.push('\n');
        }
        walker.guess_program(&words, &Stream::known(given));
    }
}

/// Judges the deletion of what stands elsewhere in the code, where it is one of its strings and that halts.
fn deletes_elsewhere(walker: &mut Walker<'_>, text: &str) {
    let budget = walker.budget.clone();
    let named = strings_of(text, &budget).filter(|string| string.starts_with(['/', '~'])).take(16);
    let mut words: Vec<Word> = programs::stand_in(Act::RemoveAll).map(Word::literal).collect();
    let before = words.len();
    words.extend(named.map(Word::literal));
    if words.len() > before {
        walker.guess_program(&words, &Stream::default());
    }
}

/// Says whether a call runs what another call in it fetches: `os.execute(io.popen("curl …"):read())`.
fn runs_what_it_fetches(call: &Call, calls: &[Call]) -> bool {
    calls.iter().take(64).any(|inner| {
        let program = inner.strings.first().and_then(|line| line.split_whitespace().next()).unwrap_or_default();
        calls::RUN.contains(&inner.name.as_str())
            && programs::is(program.rsplit('/').next().unwrap_or_default(), Trait::Fetches)
            && inner.source.len() < call.source.len()
            && call.source.contains(inner.source.as_str())
    })
}

/// Goes through the strings of code.
pub(crate) fn strings_of<'s>(text: &'s str, budget: &'s Budget) -> impl Iterator<Item = String> + 's {
    let mut rest = text;
    core::iter::from_fn(move || {
        loop {
            rest = rest.get(rest.find(['\'', '"'])?..)?;
            match literal::read(rest, budget) {
                Some((value, length)) => {
                    rest = rest.get(length..).unwrap_or_default();
                    return Some(value);
                }
                None => rest = rest.get(1..)?,
            }
        }
    })
}

/// Says whether Perl code deletes what `$_` names.
fn deletes_topic(text: &str) -> bool {
    calls::DELETE_TOPIC.iter().any(|name| {
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + name.len()..).unwrap_or_default().trim_start();
            !before.ends_with(|letter: char| letter.is_alphanumeric() || "_$@%&.>:'\"/-".contains(letter))
                && (after.is_empty() || calls::AFTER_TOPIC.iter().any(|word| after.starts_with(word)))
        })
    })
}

/// Judges the strings of code that hold more than one word as lines; those of a list together and each by itself.
fn suspect_lines(walker: &mut Walker<'_>, text: &str) {
    let budget = walker.budget.clone();
    for line in lines(text, &budget).take(64) {
        if walker.suspect(&line) {
            return;
        }
    }
    let mut rest = text;
    for _ in 0..64 {
        let Some(at) = rest.find(['\'', '"', '`']) else { return };
        rest = rest.get(at..).unwrap_or_default();
        let (value, length) = literal::read(rest, &budget).unwrap_or((String::new(), 1));
        if value.contains(' ') && value.len() <= 4_096 && walker.suspect(&value) {
            return;
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// Judges what stands between a mark and an end in languages whose strings are not quoted: macros, TeX.
fn bare_commands(walker: &mut Walker<'_>, text: &str) {
    for (mark, end) in [("syscmd(", ')'), ("write18{", '}')] {
        for rest in text.split(mark).skip(1).take(16) {
            let line = rest.rsplit_once(end).map_or(rest, |(line, _)| line);
            walker.suspect(line.trim_matches(['`', '\'', '"', '[', ']']));
        }
    }
}

fn judge(walker: &mut Walker<'_>, call: &Call, walks: bool) {
    let name = call.name.as_str();
    if calls::RUN.contains(&name) {
        run(walker, call);
    }
    if calls::EVALUATE.contains(&name) {
        for string in &call.strings {
            walker.deeper(|walker| {
                scan(walker, "eval", string);
                Stream::default()
            });
        }
    }
    judge_deletion(walker, call, walks);
    if name == "open" {
        run_opened(walker, call);
    }
    judge_writing(walker, call);
    if calls::CHANGE_MODE.contains(&name)
        && let Some(path) = call.strings.last()
    {
        let digits: String = call.source.replace("0o", "").chars().filter(char::is_ascii_digit).take(4).collect();
        let words = programs::stand_in(Act::ChangeMode).chain([digits.as_str(), path.as_str()]).map(Word::literal);
        walker.run(&words.collect::<Vec<_>>(), &Stream::default());
    }
    if calls::QUERY.contains(&name) {
        for string in &call.strings {
            sql::judge(walker, "sql", string);
        }
    }
}

/// Judges a call that deletes; `walks` says whether the code goes through folders.
fn judge_deletion(walker: &mut Walker<'_>, call: &Call, walks: bool) {
    let name = call.name.as_str();
    if calls::DELETE_TREE.contains(&name) || calls::DELETE_TREE_IF.contains(&name) && call.source.contains("recursive")
    {
        delete(walker, call, Act::RemoveTree);
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
            delete(walker, call, Act::RemoveAll);
        }
    }
}

/// Judges a call that writes to a file.
fn judge_writing(walker: &mut Walker<'_>, call: &Call) {
    let name = call.name.as_str();
    if let Some(path) = named_by_its_mode(call) {
        walker.write_file(&Word::literal(path), &Stream::unknown(Taint::NONE));
    } else if calls::PUT.contains(&name)
        && let [.., from, to] = call.strings.as_slice()
    {
        let words = programs::stand_in(Act::Copy).chain([from.as_str(), to.as_str()]).map(Word::literal);
        walker.guess_program(&words.collect::<Vec<_>>(), &Stream::default());
    }
    if calls::WRITE.contains(&name)
        && let Some(path) = call.strings.first()
        && (name != "open"
            || call.strings.get(1).is_some_and(|mode| mode.starts_with(['w', 'a', 'x', '>']) || mode.contains('+')))
    {
        walker.write_file(&Word::literal(path.as_str()), &Stream::unknown(Taint::NONE));
    }
}

/// Follows what is opened as a command: Perl's `open(F, "|command")`, `open(F, "command|")` and `open(F, "-|", "command")`.
fn run_opened(walker: &mut Walker<'_>, call: &Call) {
    if let Some(at) = call.strings.iter().position(|mode| matches!(mode.as_str(), "-|" | "|-")) {
        let listed: Vec<Word> = call.strings.iter().skip(at + 1).map(|word| Word::literal(word.as_str())).collect();
        match listed.as_slice() {
            [line] => {
                walker.text(&line.text.clone(), &Stream::default());
            }
            words => {
                walker.run(words, &Stream::default());
            }
        }
    }
    for string in &call.strings {
        let piped = string.trim().strip_prefix('|').or_else(|| string.trim().strip_suffix('|'));
        if let Some(line) = piped.filter(|line| !line.trim_matches(['-', '|', ' ']).is_empty()) {
            walker.text(line, &Stream::default());
        }
    }
}

/// Returns the file that is written by `open(F, ">", "x")` and `open F, ">x"` of Perl, or by `File.write("/x", …)`.
fn named_by_its_mode(call: &Call) -> Option<&str> {
    let is_mode = |text: &str| text.starts_with('>') || text.starts_with("+<") || text.starts_with("+>");
    match (call.name.as_str(), call.strings.as_slice()) {
        ("open", [mode, path, ..]) if is_mode(mode) && mode.len() <= 16 && !path.is_empty() => Some(path),
        ("open", [only]) if is_mode(only) => Some(only.trim_start_matches(['>', '+', '<', ' '])),
        ("write", [path, ..]) if call.source.contains(',') && path.starts_with(['/', '~']) => Some(path),
        _ => None,
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
            for line in several.iter().skip(1).filter(|line| line.contains(' ')).take(16) {
                walker.suspect(line);
            }
        }
    }
}

fn delete(walker: &mut Walker<'_>, call: &Call, act: Act) {
    let mut words: Vec<Word> = programs::stand_in(act).map(Word::literal).collect();
    if call.strings.is_empty() {
        words.push(Word::unknown(Taint::NONE));
    }
    words.extend(call.strings.iter().filter(|string| !string.is_empty()).map(|string| Word {
        text: string.clone(),
        glob: string.contains('*'),
        ..Word::default()
    }));
    walker.run(&words, &Stream::default());
}

/// Goes through the strings of code that hold more than one word, up to 4,096 bytes each; strings in a list are one
/// line.
pub(super) fn lines(text: &str, budget: &Budget) -> impl Iterator<Item = String> + use<> {
    let mut found: Vec<String> = Vec::new();
    let mut listed = false;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match literal::read(rest, budget) {
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
        match literal::read(rest, &walker.budget) {
            Some((value, length)) => {
                if !value.contains("://")
                    && walker.budget.pay(Work::Place, 1 + value.len() / 64)
                    && walker.is_secret_word(&Word::literal(value))
                {
                    return true;
                }
                rest = rest.get(length..).unwrap_or_default();
            }
            None => rest = rest.get(1..).unwrap_or_default(),
        }
    }
    calls::ENVIRONMENT.iter().any(|word| text.contains(word))
}
