//! Wrappers: what they run is found by their table entry and judged.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::{Form, Language, Trait, Wrapper};

use super::arguments::Arguments;
use super::code;
use super::hint::FALLBACK;
use super::redirect::is_standard_input;
use super::split::{Split, behind, is_assignment, split};
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::programs;
use crate::verdict::Verdict;

mod form;

pub(crate) use self::form::Given;

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
            if least == Verdict::Allow {
                let skipped = wrapper.forms().iter().map(skipped).max().unwrap_or_default();
                let split = split(wrapper, rest, skipped + 1);
                let end = split.operands.get(skipped).copied().unwrap_or(rest.len());
                let before = rest.get(..end).unwrap_or_default();
                let is_path = |word: &Word| is_assignment(&word.text) && word.text.contains('/');
                // What takes no assignments runs the file of that name.
                let runs_path = !known.is(Trait::TakesAssignments) && before.iter().any(is_path);
                if runs_path || !self.runs_harmlessly(program, &split, before) {
                    least = Verdict::Ask;
                }
            }
            self.trail.push(label);
            let mut judge = |walker: &mut Self| {
                for form in wrapper.forms() {
                    ran |= walker.form(form, &Given { wrapper, program, arguments: rest, stdin, ran }, out);
                }
            };
            match known.is(Trait::Builtin) || known.is(Trait::KeepsFunctions) {
                true => judge(self),
                false => self.in_another_program(judge),
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
                ran |= self.form(form, &Given { wrapper, program, arguments: rest, stdin, ran }, &mut None);
            }
            self.trail.pop();
        }
    }

    /// Judges `((…))` as what it is to shells without arithmetic commands, a subshell in a subshell, where that halts.
    fn touching_brackets(&mut self, program: &str, text: &str) {
        if programs::is(program, Trait::PlainShell) && text.contains("((") {
            self.suspect(&text.replace("((", "( (").replace("$( (", "$(("));
        }
    }

    /// Runs `inside` in the folder where a wrapper's options make it start.
    fn in_folder_of(
        &mut self,
        wrapper: Wrapper<'_>,
        split: &Split<'_>,
        inside: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let before = self.state.folder.clone();
        if !self.start_elsewhere(wrapper, split) {
            return inside(self);
        }
        let out = inside(self);
        self.state.folder = before;
        out
    }

    /// Goes to the folder where a wrapper's options make what it runs start, as `cd` does; says whether they do.
    fn start_elsewhere(&mut self, wrapper: Wrapper<'_>, split: &Split<'_>) -> bool {
        let mut moved = false;
        for (_, folder) in split.options.iter().filter(|(option, _)| moves(wrapper, option)) {
            let folder = folder.clone().unwrap_or_else(|| Word::unknown(Taint::NONE));
            self.enter_folder(&folder);
            moved = true;
        }
        moved
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
            name if name == "-" || is_standard_input(name) => stdin.clone(),
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
                let value = alloc::vec![Word { text: value.into(), taint: word.taint, ..Word::default() }];
                Some(super::simple::Assigned { name: name.into(), value })
            })
            .collect();
        self.code_settings(&assigned);
        let names: Vec<String> = assigned.iter().map(|one| one.name.clone()).collect();
        let program = split.operands.last().and_then(|at| arguments.get(*at)).map(|word| word.text.clone());
        self.environment(names.iter().map(String::as_str), program.as_deref());
        for one in assigned {
            self.state.keep(&one.name, one.value);
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

/// Returns how many operands of a wrapper's own stand before what it runs.
fn skipped(form: &Form) -> usize {
    match form {
        Form::Program { skip } | Form::Text { skip } | Form::Entry { skip, .. } => usize::from(*skip),
        _ => 0,
    }
}

/// Says whether an option makes what a wrapper runs start in another folder.
pub(crate) fn moves(wrapper: Wrapper<'_>, option: &str) -> bool {
    wrapper.moves(option.split('=').next().unwrap_or_default())
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
