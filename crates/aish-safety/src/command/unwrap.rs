//! Wrappers: what they run is found by their table entry and judged.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::code;
use super::path::glob_match;
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::wrapper::{Form, Language, Wrapper};
use crate::rules::wrappers;
use crate::verdict::Verdict;

/// A wrapper's arguments, split where the table says.
struct Split<'w> {
    /// Options with their values: the value, where there is one.
    options: Vec<(&'w str, Option<Word>)>,
    /// Where the operands begin among the arguments, and each operand's place.
    operands: Vec<usize>,
}

impl Walker<'_> {
    /// Judges what a program is given to run. Returns the least verdict of the wrappers found, none where there is none.
    pub(crate) fn unwrap(
        &mut self,
        program: &str,
        arguments: &[Word],
        stdin: &Stream,
        out: &mut Option<Stream>,
    ) -> Option<Verdict> {
        let mut floor = None;
        for wrapper in wrappers::find(program) {
            if self.dropped == Some(wrapper.id) {
                continue;
            }
            let Some((skip, rest)) = subcommand(wrapper, program, arguments) else { continue };
            let label = match skip {
                "" => Self::label(program, ""),
                words => Self::label(program, words),
            };
            let mut ran = false;
            self.trail.push(label);
            for form in wrapper.forms {
                ran |= self.form(wrapper, form, program, rest, stdin, out, ran);
            }
            self.trail.pop();
            let least = if ran { wrapper.floor } else { Verdict::Allow };
            if ran || wrapper.floor == Verdict::Allow && !is_setting(wrapper) {
                floor = Some(floor.map_or(least, |found: Verdict| found.max(least)));
            }
        }
        floor
    }

    #[expect(clippy::too_many_arguments, reason = "one call site; they are the whole of a form's context")]
    fn form(
        &mut self,
        wrapper: &Wrapper,
        form: &Form,
        program: &str,
        arguments: &[Word],
        stdin: &Stream,
        out: &mut Option<Stream>,
        ran: bool,
    ) -> bool {
        match *form {
            Form::Program { skip } => {
                let split = split(wrapper, arguments, usize::from(skip) + 1);
                self.assignments(arguments, &split);
                let Some(inner) = inner_program(arguments, &split, skip) else { return false };
                if inner.is_empty() {
                    return false;
                }
                *out = Some(self.deeper(|walker| walker.run(inner, stdin, false)));
                true
            }
            Form::Text { skip } => {
                let split = split(wrapper, arguments, usize::from(skip) + 1);
                let Some(inner) = inner_program(arguments, &split, skip) else { return false };
                if inner.is_empty() {
                    return false;
                }
                let (text, taint, known) = join(inner);
                *out = Some(self.code(program, &text, taint, known, Language::Shell, stdin));
                true
            }
            Form::Code { options, prefix, language } => {
                let split = split(wrapper, arguments, usize::MAX);
                let mut found = false;
                for (option, value) in &split.options {
                    if !options.split(' ').any(|known| known == *option) {
                        continue;
                    }
                    let Some(value) = value else { continue };
                    let Some(text) = value.text.strip_prefix(prefix) else { continue };
                    found = true;
                    let text = text.to_string();
                    let positional = core::mem::take(&mut self.state.positional);
                    if language == Language::Shell {
                        // `bash -c 'code' name a b`: the operands are `$0`, `$1`, … .
                        let given = split.operands.iter().skip(1).filter_map(|at| arguments.get(*at)).cloned();
                        self.state.positional = given.collect();
                        self.state.variables.extend(
                            split.operands.first().and_then(|at| arguments.get(*at)).map(|word| {
                                (String::from("0"), alloc::vec![alloc::vec![word.clone()]])
                            }),
                        );
                    }
                    let known = value.is_known();
                    *out = Some(self.code(program, &text, value.taint, known, language, stdin));
                    self.state.positional = positional;
                    self.state.variables.remove("0");
                }
                found
            }
            Form::Marked { markers, ends } => self.marked(markers, ends, arguments, out),
            Form::Operand { at, language } => {
                let split = split(wrapper, arguments, usize::MAX);
                let Some(word) = split.operands.get(usize::from(at)).and_then(|at| arguments.get(*at)) else { return false };
                let word = word.clone();
                *out = Some(self.code(program, &word.text, word.taint, word.is_known(), language, stdin));
                true
            }
            Form::Operands { language } => {
                let split = split(wrapper, arguments, usize::MAX);
                let words: Vec<Word> = split.operands.iter().filter_map(|at| arguments.get(*at)).cloned().collect();
                for word in &words {
                    *out = Some(self.code(program, &word.text, word.taint, word.is_known(), language, stdin));
                }
                !words.is_empty()
            }
            Form::Script { at, language } => {
                if ran {
                    return false;
                }
                let split = split(wrapper, arguments, usize::from(at) + 1);
                let Some(index) = split.operands.get(usize::from(at)) else { return false };
                let Some(word) = arguments.get(*index).cloned() else { return false };
                if word.text == "-" {
                    return false;
                }
                let stream = match word.text.as_str() {
                    "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0" => stdin.clone(),
                    _ => self.script_file(&word),
                };
                let positional = core::mem::take(&mut self.state.positional);
                self.state.positional = arguments.get(index + 1..).unwrap_or_default().to_vec();
                match &stream.text {
                    Some(text) => {
                        let text = text.clone();
                        *out = Some(self.code(program, &text, stream.taint, true, language, &Stream::default()));
                    }
                    None if stream.taint.foreign() => self.foreign(program, stream.taint),
                    None => {}
                }
                self.state.positional = positional;
                true
            }
            Form::Stdin { language } => {
                if ran || !stdin.connected {
                    return false;
                }
                let split = split(wrapper, arguments, usize::MAX);
                let reads = split.options.iter().any(|(option, _)| *option == "-s")
                    || split.operands.first().and_then(|at| arguments.get(*at)).is_none_or(|word| word.text == "-")
                    || program.contains("sql");
                if !reads {
                    return false;
                }
                match &stdin.text {
                    Some(text) => {
                        let text = text.clone();
                        *out = Some(self.code(program, &text, stdin.taint, true, language, &Stream::default()));
                    }
                    None if stdin.taint.foreign() && language != Language::Sql => self.foreign(program, stdin.taint),
                    None => {}
                }
                true
            }
            Form::ScriptOption { options, language } => {
                let split = split(wrapper, arguments, usize::MAX);
                let file = split.options.iter().find(|(option, _)| options.split(' ').any(|known| known == *option));
                let Some((_, Some(word))) = file else { return false };
                let stream = self.script_file(word);
                self.stream_code(program, &stream, language, out)
            }
            Form::StdinAlways { language } => !ran && stdin.connected && self.stream_code(program, stdin, language, out),
            Form::StdinWith { options, language } => {
                let given = arguments.iter().any(|word| options.split(' ').any(|option| option == word.text));
                !ran && stdin.connected && given && self.stream_code(program, stdin, language, out)
            }
            Form::PlusCommands { language } => {
                let mut found = false;
                for word in arguments {
                    if let Some(text) = word.text.strip_prefix('+').filter(|text| !text.is_empty()) {
                        found = true;
                        self.code(program, text, word.taint, word.is_known(), language, stdin);
                    }
                }
                found
            }
            Form::PrefixedOperands { prefix, language } => {
                let mut found = false;
                for word in arguments {
                    if let Some(text) = word.text.strip_prefix(prefix) {
                        found = true;
                        self.code(program, text, word.taint, word.is_known(), language, stdin);
                    }
                }
                found
            }
            Form::MakeFile => {
                let split = split(wrapper, arguments, usize::MAX);
                let named = split.options.iter().find(|(option, _)| matches!(*option, "-f" | "--file" | "--makefile"));
                let stream = match named {
                    Some((_, Some(word))) if word.text == "-" => stdin.clone(),
                    Some((_, Some(word))) => self.script_file(word),
                    _ => self.script_file(&Word::literal("Makefile")),
                };
                stream.text.is_some() && self.stream_code(program, &stream, Language::Make, out)
            }
            Form::Screen => {
                // `-S` with a name may end a cluster of other letters, as in `-dmS`.
                let mut at = 0;
                while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
                    at += 1 + usize::from(!word.text.starts_with("--") && word.text.ends_with(['S', 'c', 'e', 'h', 'p', 's', 't', 'T', 'X']));
                    if word.text.ends_with('X') {
                        return false;
                    }
                }
                let inner = arguments.get(at..).unwrap_or_default().to_vec();
                if inner.is_empty() {
                    return false;
                }
                *out = Some(self.deeper(|walker| walker.run(&inner, stdin, false)));
                true
            }
            Form::PairSetting { names } => {
                let split = split(wrapper, arguments, usize::MAX);
                let words: Vec<&Word> = split.operands.iter().filter_map(|at| arguments.get(*at)).collect();
                let Some([.., name, value]) = words.get(..) else { return false };
                let pair = [Word { text: alloc::format!("{}={}", name.text, value.text), glob: false, taint: value.taint }];
                self.setting("", names, &pair, program)
            }
            Form::StdinArguments => self.stdin_arguments(wrapper, arguments, stdin),
            Form::ParallelArguments => self.parallel(wrapper, arguments, stdin),
            Form::Setting { options, names } => self.setting(options, names, arguments, program),
        }
    }

    /// Judges a text that comes from a file or a pipe as code.
    fn stream_code(&mut self, program: &str, stream: &Stream, language: Language, out: &mut Option<Stream>) -> bool {
        match &stream.text {
            Some(text) => {
                let text = text.clone();
                *out = Some(self.code(program, &text, stream.taint, true, language, &Stream::default()));
            }
            None if stream.taint.foreign() => self.foreign(program, stream.taint),
            None => {}
        }
        true
    }

    /// Judges code in some language.
    fn code(&mut self, program: &str, text: &str, taint: Taint, known: bool, language: Language, stdin: &Stream) -> Stream {
        if taint.foreign() && (!known || taint.has(Taint::REMOTE)) {
            self.foreign(program, taint);
            return Stream::unknown(taint);
        }
        match language {
            Language::Shell => self.deeper(|walker| walker.text(text, stdin)),
            Language::General | Language::Editor | Language::Make | Language::Sql | Language::Tcl | Language::Crontab | Language::Socat => {
                self.deeper(|walker| {
                    code::judge(walker, program, text, language);
                    Stream::unknown(taint)
                })
            }
        }
    }

    fn script_file(&self, word: &Word) -> Stream {
        let place = self.place(word);
        if let Some(file) = self.state.files.get(&place.text) {
            return Stream { text: file.text.clone(), taint: file.taint, connected: true };
        }
        if super::redirect::is_socket(&word.text) {
            return Stream::unknown(Taint::REMOTE);
        }
        let fd = place.text.strip_prefix("/dev/fd/").or_else(|| place.text.strip_prefix("/proc/self/fd/"));
        let stream = fd.and_then(|fd| fd.parse::<i32>().ok()).and_then(|fd| self.state.descriptors.get(&fd));
        stream.cloned().unwrap_or(Stream::unknown(word.taint))
    }

    fn assignments(&mut self, arguments: &[Word], split: &Split<'_>) {
        let end = split.operands.last().copied().unwrap_or(arguments.len());
        let assigned: Vec<super::simple::Assigned> = arguments
            .iter()
            .take(end)
            .filter(|word| is_assignment(&word.text))
            .filter_map(|word| {
                let (name, value) = word.text.split_once('=')?;
                let value = alloc::vec![Word { text: value.into(), glob: false, taint: word.taint }];
                Some(super::simple::Assigned { name: name.into(), value })
            })
            .collect();
        self.code_settings(&assigned);
    }

    fn marked(&mut self, markers: &str, ends: &str, arguments: &[Word], out: &mut Option<Stream>) -> bool {
        let mut found = false;
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            at += 1;
            if !markers.split(' ').any(|marker| marker == word.text) {
                continue;
            }
            let from = at;
            while arguments.get(at).is_some_and(|word| !ends.split(' ').any(|end| end == word.text)) {
                at += 1;
            }
            // What the program finds replaces `{}`; where it starts tells what that can be.
            let start = arguments.iter().find(|word| !word.text.starts_with('-')).cloned().unwrap_or_default();
            let narrow = narrowing(arguments);
            let inner: Vec<Word> = arguments
                .get(from..at)
                .unwrap_or_default()
                .iter()
                .map(|word| if word.text.contains("{}") { replaced(word, &start, narrow) } else { word.clone() })
                .collect();
            if !inner.is_empty() {
                found = true;
                *out = Some(self.deeper(|walker| walker.run(&inner, &Stream::default(), false)));
            }
        }
        found
    }

    fn stdin_arguments(&mut self, wrapper: &Wrapper, arguments: &[Word], stdin: &Stream) -> bool {
        let split = split(wrapper, arguments, 1);
        let Some(inner) = inner_program(arguments, &split, 0) else { return false };
        let mut words: Vec<Word> = if inner.is_empty() { alloc::vec![Word::literal("echo")] } else { inner.to_vec() };
        let mark = split
            .options
            .iter()
            .find(|(option, _)| matches!(*option, "-I" | "-i" | "--replace"))
            .map(|(_, value)| value.as_ref().map_or("{}".to_string(), |value| value.text.clone()));
        let given: Vec<Word> = match &stdin.text {
            Some(text) => text
                .split(if mark.is_some() { &['\n', '\0'][..] } else { &[' ', '\n', '\t', '\0'][..] })
                .filter(|part| !part.is_empty())
                .take(64)
                .map(|part| Word { text: part.trim_matches(['\'', '"']).into(), glob: false, taint: stdin.taint })
                .collect(),
            None => alloc::vec![Word { text: String::from(super::word::HOLE), glob: false, taint: stdin.taint }],
        };
        match mark {
            Some(mark) => {
                for one in given.iter().take(16) {
                    let inner: Vec<Word> = words
                        .iter()
                        .map(|word| Word {
                            text: word.text.replace(&mark, &one.text),
                            glob: word.glob,
                            taint: if word.text.contains(&mark) { word.taint | one.taint } else { word.taint },
                        })
                        .collect();
                    self.deeper(|walker| walker.run(&inner, &Stream::default(), false));
                }
            }
            None => {
                words.extend(given);
                self.deeper(|walker| walker.run(&words, &Stream::default(), false));
            }
        }
        true
    }

    fn parallel(&mut self, wrapper: &Wrapper, arguments: &[Word], stdin: &Stream) -> bool {
        let at = arguments.iter().position(|word| matches!(word.text.as_str(), ":::" | ":::+" | "::::"));
        let (before, after) = match at {
            Some(at) => (arguments.get(..at).unwrap_or_default(), arguments.get(at + 1..).unwrap_or_default()),
            None => (arguments, [].as_slice()),
        };
        let split = split(wrapper, before, 1);
        let command = inner_program(before, &split, 0).unwrap_or_default();
        if command.is_empty() {
            let lines: Vec<Word> = match (at, &stdin.text) {
                (Some(_), _) => after.to_vec(),
                (None, Some(text)) => text.lines().take(500).map(Word::literal).collect(),
                (None, None) => {
                    if stdin.taint.foreign() {
                        self.foreign("parallel", stdin.taint);
                    }
                    return stdin.connected;
                }
            };
            for line in &lines {
                self.code("parallel", &line.text, line.taint, line.is_known(), Language::Shell, &Stream::default());
            }
            return true;
        }
        let given = if after.is_empty() {
            alloc::vec![Word { text: String::from(super::word::HOLE), glob: false, taint: stdin.taint }]
        } else {
            after.to_vec()
        };
        for one in given.iter().take(64) {
            let (mut text, mut taint, known) = join(command);
            if text.contains("{}") {
                text = text.replace("{}", &one.text);
            } else {
                text.push(' ');
                text.push_str(&one.text);
            }
            taint = taint | one.taint;
            self.code("parallel", &text, taint, known && one.is_known(), Language::Shell, &Stream::default());
        }
        true
    }

    fn setting(&mut self, options: &str, names: &str, arguments: &[Word], program: &str) -> bool {
        let mut found = false;
        for (at, word) in arguments.iter().enumerate() {
            let text = if options.is_empty() {
                word.text.as_str()
            } else if let Some(option) = options.split(' ').find(|option| word.text.starts_with(option)) {
                let rest = word.text.get(option.len()..).unwrap_or_default();
                match rest.strip_prefix('=').unwrap_or(rest) {
                    "" => arguments.get(at + 1).map_or("", |word| word.text.as_str()),
                    rest => rest,
                }
            } else {
                continue;
            };
            let Some((name, value)) = text.split_once(['=', ' ']) else { continue };
            let name = name.to_ascii_lowercase();
            if !names.split(' ').any(|glob| glob_match(glob, &name)) || matches!(value, "true" | "false" | "" | "none" | "cat" | "less") {
                continue;
            }
            found = true;
            let (value, taint, known) = (value.to_string(), word.taint, word.is_known());
            let line = match value.strip_prefix('!') {
                Some(line) => line.to_string(),
                None if name.starts_with("alias.") => alloc::format!("git {value}"),
                None => value,
            };
            self.code(program, &line, taint, known, Language::Shell, &Stream::default());
        }
        found
    }
}

/// Says whether a wrapper is one only by a setting among its arguments.
fn is_setting(wrapper: &Wrapper) -> bool {
    wrapper.forms.iter().all(|form| matches!(form, Form::Setting { .. } | Form::Code { .. } | Form::Marked { .. } | Form::Stdin { .. } | Form::Operand { .. } | Form::Script { .. } | Form::ScriptOption { .. } | Form::PlusCommands { .. } | Form::MakeFile))
}

/// Checks a wrapper's subcommands; returns them and the arguments behind them.
fn subcommand<'w>(wrapper: &'static Wrapper, program: &str, arguments: &'w [Word]) -> Option<(&'static str, &'w [Word])> {
    wrapper.names.split(' ').find_map(|name| {
        let mut parts = name.splitn(2, '/');
        if parts.next() != Some(program) {
            return None;
        }
        let Some(wanted) = parts.next() else { return Some(("", arguments)) };
        let mut rest = arguments;
        for part in wanted.split('/') {
            let mut loose = false;
            loop {
                let (word, tail) = rest.split_first()?;
                rest = tail;
                if word.text == part {
                    break;
                }
                if word.text.starts_with('-') && word.text.len() > 1 {
                    loose = !word.text.contains('=');
                } else if loose {
                    loose = false;
                } else {
                    return None;
                }
            }
        }
        Some((wanted, rest))
    })
}

/// Splits a wrapper's arguments; stops after `most` operands.
fn split<'w>(wrapper: &Wrapper, arguments: &'w [Word], most: usize) -> Split<'w> {
    let valued = |option: &str| wrapper.valued.split(' ').any(|known| known == option);
    let mut out = Split { options: Vec::new(), operands: Vec::new() };
    let mut at = 0;
    let mut ended = false;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if ended || text == "-" || !text.starts_with('-') {
            if !(is_assignment(text) && out.operands.is_empty()) {
                out.operands.push(at);
                if out.operands.len() >= most {
                    return out;
                }
            }
            at += 1;
            continue;
        }
        at += 1;
        if text == "--" {
            ended = true;
            continue;
        }
        let with = |text: &str| Word { text: text.into(), glob: word.glob, taint: word.taint };
        if let Some((option, value)) = text.split_once('=')
            && text.starts_with("--")
        {
            out.options.push((option, Some(with(value))));
            continue;
        }
        if valued(text) {
            out.options.push((text, arguments.get(at).cloned()));
            at += 1;
            continue;
        }
        if text.starts_with("--") {
            out.options.push((text, None));
            continue;
        }
        // A cluster: each letter an option, the last with a value perhaps behind it.
        let mut rest = text.get(1..).unwrap_or_default();
        let mut taken = false;
        while let Some(letter) = rest.chars().next() {
            let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
            let Some(option) = wrapper.valued.split(' ').find(|known| {
                known.strip_prefix('-').is_some_and(|known| known.chars().eq(core::iter::once(letter)))
            }) else {
                if let Some(start) = text.len().checked_sub(rest.len()) {
                    out.options.push((short_name(text, start, letter), None));
                }
                rest = tail;
                continue;
            };
            let shell_like = wrapper.forms.iter().any(|form| {
                matches!(form, Form::Code { options, language: Language::Shell, prefix: "" } if options.split(' ').any(|known| known == option))
            });
            if tail.is_empty() || shell_like && tail.chars().all(|letter| letter.is_ascii_alphabetic()) && tail.len() < 4 {
                out.options.push((option, arguments.get(at).cloned()));
                taken = true;
            } else {
                out.options.push((option, Some(with(tail))));
                break;
            }
            rest = tail;
        }
        at += usize::from(taken);
    }
    out
}

/// Returns `-x` for a letter of a cluster where the cluster is just that; else the cluster's own text.
fn short_name(text: &str, start: usize, letter: char) -> &str {
    const NAMES: &[&str] = &["-s", "-n", "-i", "-x", "-l", "-c", "-e"];
    let _ = start;
    NAMES.iter().find(|name| name.ends_with(letter)).copied().unwrap_or(text)
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
    })
}

/// Returns the words of the inner program, after `skip` operands.
fn inner_program<'w>(arguments: &'w [Word], split: &Split<'_>, skip: u8) -> Option<&'w [Word]> {
    match split.operands.get(usize::from(skip)) {
        Some(at) => arguments.get(*at..),
        None => Some(&[]),
    }
}

fn join(words: &[Word]) -> (String, Taint, bool) {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let taint = words.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
    (text, taint, words.iter().all(Word::is_known))
}

/// Says whether a search keeps only what is made again anyway.
fn narrowing(arguments: &[Word]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if matches!(word.text.as_str(), "-name" | "-iname")
            && let Some(pattern) = words.next()
        {
            let place = super::path::place(&Word::literal(pattern.text.as_str()), None, None);
            if place.is_disposable() {
                return true;
            }
        }
    }
    false
}

/// What `{}` may stand for: something below the start of the search.
fn replaced(word: &Word, start: &Word, narrow: bool) -> Word {
    let mut found = String::from(start.text.trim_end_matches('/'));
    found.push_str(if narrow { "/tmp/*.tmp" } else { "/*" });
    Word { text: word.text.replace("{}", &found), glob: true, taint: word.taint | start.taint }
}
