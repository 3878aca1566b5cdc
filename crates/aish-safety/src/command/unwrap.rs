//! Wrappers: what they run is found by their table entry and judged.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::{Form, Language, Trait, Wrapper};

use super::arguments::Arguments;
use super::budget::Work;
use super::code;
use super::hint::FALLBACK;
use super::setting::typed;
use super::split::{Split, behind, is_assignment, split};
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::programs;
use crate::verdict::Verdict;

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
        let Some(known) = programs::find(program) else { return floor };
        let mut done = None;
        for (wrapper, used) in known.wrappers() {
            // Of several ways to write its sub-commands the first that fits counts.
            if self.dropped == Some(wrapper.id()) || done == Some(used.wrapper) {
                continue;
            }
            let Some(rest) = behind(wrapper.tables(), used.after, arguments) else { continue };
            done = Some(used.wrapper);
            if wrapper.forms().iter().all(Form::is_sql) && Arguments::new(program, arguments).is_dry() {
                floor = floor.max(Some(wrapper.floor()));
                continue;
            }
            let fleeting = self.fleeting;
            let sql = wrapper.forms().iter().any(Form::is_sql).then(|| Arguments::new(program, arguments));
            self.fleeting |=
                sql.as_ref().and_then(|sorted| sorted.operand(0)).is_some_and(|(_, word, _)| word.text == ":memory:");
            let label = Self::label(program, wrapper.tables().text(used.path));
            let mut ran = false;
            let mut least = wrapper.floor();
            if least == Verdict::Allow && !self.runs_harmlessly(program, &split(wrapper, rest, 1)) {
                least = Verdict::Ask;
            }
            self.trail.push(label);
            for form in wrapper.forms() {
                ran |= self.form(wrapper, form, program, rest, stdin, out, ran);
            }
            self.trail.pop();
            self.fleeting = fleeting;
            if ran {
                floor = Some(floor.map_or(least, |found: Verdict| found.max(least)));
            }
        }
        floor
    }

    /// Judges what a program runs by a person's own file about it: that may only raise the verdict, so that nothing else
    /// is left out for it.
    pub(crate) fn unwrap_own(&mut self, program: &str, arguments: &[Word], stdin: &Stream) {
        let rules = self.rules;
        let Some(known) = rules.program(program) else { return };
        for (wrapper, used) in known.wrappers() {
            let Some(rest) = behind(wrapper.tables(), used.after, arguments) else { continue };
            let mut ran = false;
            self.trail.push(Self::label(program, wrapper.tables().text(used.path)));
            for form in wrapper.forms() {
                ran |= self.form(wrapper, form, program, rest, stdin, &mut None, ran);
            }
            self.trail.pop();
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one call site; they are the whole of a form's context")]
    fn form(
        &mut self,
        wrapper: Wrapper<'_>,
        form: &Form,
        program: &str,
        arguments: &[Word],
        stdin: &Stream,
        out: &mut Option<Stream>,
        ran: bool,
    ) -> bool {
        let tables = wrapper.tables();
        let texts = |list| tables.texts(list).collect::<Vec<&str>>();
        match *form {
            Form::Program { skip } => {
                let split = split(wrapper, arguments, usize::from(skip) + 1);
                if programs::is(program, Trait::Tells)
                    && arguments.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V"))
                {
                    return false;
                }
                let Some(inner) = inner_program(arguments, &split, skip) else { return false };
                if inner.is_empty() {
                    self.assignments(arguments, &split);
                    return false;
                }
                let mark = self.state.variables.mark();
                self.assignments(arguments, &split);
                self.outside = !programs::is(program, Trait::KeepsFunctions);
                *out = Some(self.deeper(|walker| walker.run(inner, stdin)));
                self.outside = false;
                self.state.variables.back(mark);
                self.as_line(inner);
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
                if inner.len() > 1 && inner.iter().any(|word| word.text.contains(' ')) {
                    // Joining takes a level of quotes away; what was meant is judged too.
                    self.guess_program(inner, stdin);
                }
                true
            }
            Form::TextWith { options } => {
                let split = split(wrapper, arguments, 1);
                let given = split.options.iter().any(|(option, _)| tables.holds(options, option));
                let Some(inner) = inner_program(arguments, &split, 0).filter(|inner| given && !inner.is_empty()) else {
                    return false;
                };
                let (text, taint, known) = join(inner);
                *out = Some(self.code(program, &text, taint, known, Language::Shell, stdin));
                true
            }
            Form::Entry { option, skip } => {
                // What stands behind the image is the program's, options too.
                let split = split(wrapper, arguments, usize::from(skip).max(1));
                let entry = split.options.iter().find(|(given, _)| *given == tables.text(option));
                let Some((_, Some(entry))) = entry else { return false };
                let mut inner = alloc::vec![entry.clone()];
                let first = split.operands.last().copied();
                let behind = first.map_or(arguments.len(), |at| if skip == 0 { at } else { at + 1 });
                inner.extend(arguments.get(behind..).unwrap_or_default().iter().cloned());
                *out = Some(self.deeper(|walker| walker.run(&inner, stdin)));
                true
            }
            Form::Code { options, prefix, language } => {
                let split = split(wrapper, arguments, usize::MAX);
                let mut found = false;
                // `bash -c 'code' name a b`: the operands are `$0`, `$1`, … .
                let given = split.operands.first().filter(|_| language == Language::Shell);
                let given = given.and_then(|at| arguments.get(at + 1..)).unwrap_or_default();
                let given = Rc::new(given.to_vec());
                for (option, value) in &split.options {
                    if !tables.holds(options, option) {
                        continue;
                    }
                    // A single dash stands for what comes in.
                    let Some(value) = value.as_ref().filter(|value| value.text != "-") else { continue };
                    let prefix = tables.text(prefix);
                    let Some(text) = value.text.strip_prefix(prefix) else { continue };
                    found = true;
                    if !prefix.is_empty() && text.starts_with('[') {
                        // A list in JSON: `commands=["…"]`.
                        code::listed(self, text);
                        continue;
                    }
                    let text = text.to_string();
                    let positional = core::mem::take(&mut self.state.positional);
                    if language == Language::Shell {
                        self.state.positional = Rc::clone(&given);
                        if let Some(word) = split.operands.first().and_then(|at| arguments.get(*at)) {
                            self.state.variables.insert(String::from("0"), alloc::vec![alloc::vec![word.clone()]]);
                        }
                    }
                    let known = value.is_known();
                    self.touching_brackets(program, &text);
                    *out = Some(self.code(program, &text, value.taint, known, language, stdin));
                    self.state.positional = positional;
                    self.state.variables.remove("0");
                }
                found
            }
            Form::Marked { markers, ends } => self.marked(program, &texts(markers), &texts(ends), arguments, out),
            // Where options give the script, all operands are files.
            Form::Operand { language: Language::Editor, .. } if ran => false,
            Form::Operand { at, language } => {
                let split = split(wrapper, arguments, usize::MAX);
                let mut operands = split.operands.iter().filter_map(|at| arguments.get(*at));
                // An empty one is no script: the editors of BSD take an ending for copies, which may be empty (`sed -i '' s/a/b/ f`).
                let word =
                    operands.nth(usize::from(at)).filter(|word| !word.text.is_empty() || language != Language::Editor);
                let Some(word) = word.or_else(|| operands.next()) else { return false };
                let word = word.clone();
                *out = Some(self.code(program, &word.text, word.taint, word.is_known(), language, stdin));
                if programs::is(program, Trait::Awk) {
                    code::awk::systems(self, arguments, &word.text, stdin);
                }
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
            Form::Typed => {
                let split = split(wrapper, arguments, 1);
                // Behind the first of them an option is typed too.
                let words = split.operands.first().and_then(|at| arguments.get(*at..)).unwrap_or_default();
                let text: String = words.iter().map(|word| typed(&word.text)).collect();
                let taint = words.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
                let known = words.iter().all(Word::is_known);
                *out = Some(self.code(program, &text, taint, known, Language::Shell, stdin));
                !words.is_empty()
            }
            Form::Script { at, language } => {
                if ran {
                    return false;
                }
                let split = split(wrapper, arguments, usize::from(at) + 1);
                let Some(index) = split.operands.get(usize::from(at)) else { return false };
                let Some(word) = arguments.get(*index).cloned() else { return false };
                let reads = language == Language::Shell && split.options.iter().any(|(option, _)| *option == "-s");
                if word.text == "-" || reads {
                    return false;
                }
                let stream = self.script(&word, stdin);
                if !self.budget.pay(Work::Argument, arguments.len() / 4) {
                    return false;
                }
                let positional = core::mem::take(&mut self.state.positional);
                self.state.positional = Rc::new(arguments.get(index + 1..).unwrap_or_default().to_vec());
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
                    || programs::is(program, Trait::ReadsStatements);
                // `sh -s a b`: the operands are `$1`, `$2`, … .
                let given: Vec<Word> = match language {
                    Language::Shell => split.operands.iter().filter_map(|at| arguments.get(*at)).cloned().collect(),
                    _ => Vec::new(),
                };
                let module = split.options.iter().any(|(option, _)| *option == "-m") && language == Language::General;
                if !reads || module {
                    return false;
                }
                let positional = core::mem::replace(&mut self.state.positional, Rc::new(given));
                match &stdin.text {
                    Some(text) => {
                        let text = text.clone();
                        let known = !text.contains(super::word::HOLE);
                        self.touching_brackets(program, &text);
                        *out = Some(self.code(program, &text, stdin.taint, known, language, &Stream::default()));
                    }
                    None if stdin.taint.foreign() && language != Language::Sql => self.foreign(program, stdin.taint),
                    None if matches!(language, Language::Shell | Language::Sql) => self.suspect_templates(program),
                    None => {}
                }
                self.state.positional = positional;
                true
            }
            Form::ScriptOption { options, language } => {
                let split = split(wrapper, arguments, usize::MAX);
                let file = split.options.iter().find(|(option, _)| tables.holds(options, option));
                let Some((_, Some(word))) = file else { return false };
                let stream = self.script(word, stdin);
                self.stream_code(program, &stream, language, out)
            }
            Form::StdinAlways { language } => {
                !ran && stdin.connected && self.stream_code(program, stdin, language, out)
            }
            Form::StdinWith { options, language } => {
                let given = arguments.iter().any(|word| tables.holds(options, &word.text));
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
            Form::PrefixedOperands { prefix, blank, language } => {
                let mut found = false;
                for word in arguments {
                    if let Some(text) = word.text.strip_prefix(tables.text(prefix)) {
                        found = true;
                        let text = match tables.text(blank) {
                            "" => text.to_string(),
                            blank => text.replace(blank, "\\ "),
                        };
                        self.code(program, &text, word.taint, word.is_known(), language, stdin);
                    }
                }
                found
            }
            Form::Named { option, known } => self.named_program(wrapper, tables.text(option), known, arguments, stdin),
            Form::MakeFile => {
                let split = split(wrapper, arguments, usize::MAX);
                let named = split.options.iter().find(|(option, _)| matches!(*option, "-f" | "--file" | "--makefile"));
                let stream = match named {
                    Some((_, Some(word)))
                        if matches!(word.text.as_str(), "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") =>
                    {
                        stdin.clone()
                    }
                    Some((_, Some(word))) => self.script_file(word),
                    _ => self.script_file(&Word::literal("Makefile")),
                };
                stream.text.is_some() && self.stream_code(program, &stream, Language::Make, out)
            }
            Form::Screen => {
                // `-S` with a name may end a cluster of other letters, as in `-dmS`.
                let mut at = 0;
                while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
                    at += 1 + usize::from(
                        !word.text.starts_with("--")
                            && word.text.ends_with(['S', 'c', 'e', 'h', 'p', 's', 't', 'T', 'X']),
                    );
                    if word.text.ends_with('X') {
                        return false;
                    }
                }
                let inner = arguments.get(at..).unwrap_or_default().to_vec();
                if inner.is_empty() {
                    return false;
                }
                *out = Some(self.deeper(|walker| walker.run(&inner, stdin)));
                true
            }
            Form::PairSetting { names } => {
                let split = split(wrapper, arguments, usize::MAX);
                let words: Vec<&Word> = split.operands.iter().filter_map(|at| arguments.get(*at)).collect();
                let Some([.., name, value]) = words.get(..) else { return false };
                let pair =
                    [Word { text: alloc::format!("{}={}", name.text, value.text), glob: false, taint: value.taint }];
                self.setting(&[], &texts(names), &pair, program)
            }
            Form::StdinArguments => self.stdin_arguments(wrapper, arguments, stdin, out),
            Form::ParallelArguments => self.parallel(wrapper, arguments, stdin),
            Form::Setting { options, names } => self.setting(&texts(options), &texts(names), arguments, program),
        }
    }

    /// Judges `((…))` as what it is to shells without arithmetic commands, a subshell in a subshell, where that halts.
    fn touching_brackets(&mut self, program: &str, text: &str) {
        if programs::is(program, Trait::PlainShell) && text.contains("((") {
            self.suspect(&text.replace("((", "( (").replace("$( (", "$(("));
        }
    }

    /// Judges a text that comes from a file or a pipe as code.
    fn stream_code(&mut self, program: &str, stream: &Stream, language: Language, out: &mut Option<Stream>) -> bool {
        match &stream.text {
            Some(text) => {
                let text = text.clone();
                *out = Some(self.code(program, &text, stream.taint, true, language, &Stream::default()));
            }
            // What goes over a plain connection is data as a rule.
            None if stream.taint.foreign() && language != Language::Keys => self.foreign(program, stream.taint),
            None => {}
        }
        true
    }

    /// Judges code in some language.
    pub(crate) fn code(
        &mut self,
        program: &str,
        text: &str,
        taint: Taint,
        known: bool,
        language: Language,
        stdin: &Stream,
    ) -> Stream {
        if language != Language::Keys && taint.foreign() && (!known || taint.has(Taint::REMOTE)) {
            self.foreign(program, taint);
            return Stream::unknown(taint);
        }
        match language {
            Language::Shell => self.deeper(|walker| walker.text(text, stdin)),
            Language::General
            | Language::Editor
            | Language::Make
            | Language::CMake
            | Language::Recipes
            | Language::Sql
            | Language::Tcl
            | Language::Crontab
            | Language::Transfer
            | Language::Words
            | Language::Bindings
            | Language::Keys
            | Language::Socat => self.deeper(|walker| {
                code::judge(walker, program, text, language);
                Stream::unknown(taint | code::written(text, language))
            }),
        }
    }

    pub(crate) fn script_file(&self, word: &Word) -> Stream {
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

    /// Returns what is known of a script, which may be what comes in.
    fn script(&self, word: &Word, stdin: &Stream) -> Stream {
        match word.text.as_str() {
            "-" | "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0" => stdin.clone(),
            _ => self.script_file(word),
        }
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
        let names: Vec<String> = assigned.iter().map(|one| one.name.clone()).collect();
        let program = split.operands.last().and_then(|at| arguments.get(*at)).map(|word| word.text.clone());
        self.environment(names.iter().map(String::as_str), program.as_deref());
        for one in assigned {
            self.state.assign(&one.name, one.value);
        }
    }

    /// Judges a program whose only word holds blanks as the line that it most likely is, and what stands behind a `--`
    /// that the caller takes for itself; noted only where that halts.
    fn as_line(&mut self, inner: &[Word]) {
        if self.dropped == Some(FALLBACK) {
            return;
        }
        match inner {
            [line, ..] if line.text.contains(' ') => {
                self.suspect(&line.text);
            }
            [first, dashes, rest @ ..] if dashes.text == "--" && !rest.is_empty() => {
                let mut words = alloc::vec![first.clone()];
                words.extend(rest.iter().cloned());
                self.guess_program(&words, &Stream::default());
            }
            _ => {}
        }
    }
}

/// Returns the words of the inner program, after `skip` operands.
pub(crate) fn inner_program<'w>(arguments: &'w [Word], split: &Split<'_>, skip: u8) -> Option<&'w [Word]> {
    match split.operands.get(usize::from(skip)) {
        Some(at) => arguments.get(*at..),
        None => Some(&[]),
    }
}

pub(crate) fn join(words: &[Word]) -> (String, Taint, bool) {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let taint = words.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
    (text, taint, words.iter().all(Word::is_known))
}
