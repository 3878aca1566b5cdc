//! The forms in which a wrapper is given what it runs, one by one.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::tables::{Id, List};
use aish_program_format::{Form, Language, Trait, Wrapper};

use super::super::arguments::Arguments;
use super::super::budget::Work;
use super::super::code;
use super::super::help::{self, Help};
use super::super::setting::{Settings, typed};
use super::super::split::split;
use super::super::walk::Walker;
use super::super::word::{HOLE, Stream, Taint, Word};
use super::{inner_program, join};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

/// What a wrapper is given.
#[derive(Clone, Copy)]
pub(crate) struct Given<'g> {
    /// The wrapper.
    pub(crate) wrapper: Wrapper<'g>,
    /// The program's name.
    pub(crate) program: &'g str,
    /// The arguments behind its sub-commands.
    pub(crate) arguments: &'g [Word],
    /// What comes in.
    pub(crate) stdin: &'g Stream,
    /// True where another form of the wrapper has found what it runs.
    pub(crate) ran: bool,
}

impl Walker<'_> {
    /// Judges what is run in one form; false where nothing is.
    pub(super) fn form(&mut self, form: &Form, given: &Given<'_>, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, ran } = *given;
        let tables = wrapper.tables();
        let texts = |list| tables.texts(list).collect::<Vec<&str>>();
        match *form {
            Form::Program { skip } => self.program_form(given, skip, out),
            Form::Text { skip } => self.text_form(given, skip, out),
            Form::TextWith { options } => self.text_with(given, options, out),
            Form::Entry { option, skip } => self.entry(given, option, skip, out),
            Form::Code { options, prefix, language } => self.code_options(given, options, prefix, language, out),
            Form::Marked { markers, ends } => self.marked(given, &texts(markers), &texts(ends), out),
            // Where options give the script, all operands are files.
            Form::Operand { language: Language::Editor, .. } if ran => false,
            Form::Operand { at, language } => self.operand_code(given, at, language, out),
            Form::Operands { language } => self.operands_code(given, language, out),
            Form::Typed => self.typed_words(given, out),
            Form::Script { at, language } => self.script_operand(given, at, language, out),
            Form::Stdin { language } => self.stdin_code(given, language, out),
            Form::ScriptOption { options, language } => self.script_option(given, options, language, out),
            Form::StdinAlways { language } => self.whole_stdin(given, language, out),
            Form::StdinWith { options, language } => {
                arguments.iter().any(|word| tables.holds(options, &word.text)) && self.whole_stdin(given, language, out)
            }
            Form::PlusCommands { language } => self.plus_commands(given, language),
            Form::PrefixedOperands { prefix, blank, language } => {
                self.prefixed_operands(given, prefix, blank, language)
            }
            Form::Named { option, known } => self.named_program(wrapper, tables.text(option), known, arguments, stdin),
            Form::MakeFile => self.make_file(given, out),
            Form::Screen => self.screen(given, out),
            Form::PairSetting { names, plain, own, scripts } => {
                let settings = Settings {
                    names: texts(names),
                    plain: texts(plain),
                    own: texts(own),
                    scripts: texts(scripts),
                    ..Settings::default()
                };
                self.pair_setting(given, &settings)
            }
            Form::StdinArguments => self.stdin_arguments(wrapper, arguments, stdin, out),
            Form::ParallelArguments => self.parallel(wrapper, program, arguments, stdin),
            Form::Setting { options, names, plain, own, scripts, held } => {
                let settings = Settings {
                    options: texts(options),
                    names: texts(names),
                    plain: texts(plain),
                    own: texts(own),
                    scripts: texts(scripts),
                    held: texts(held),
                };
                self.setting(&settings, arguments, program)
            }
        }
    }

    /// Judges a program that the rest names.
    fn program_form(&mut self, given: &Given<'_>, skip: u8, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
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
        *out = Some(self.in_folder_of(wrapper, &split, |walker| walker.deeper(|walker| walker.run(inner, stdin))));
        self.outside = false;
        self.state.variables.back(mark);
        self.as_line(inner);
        true
    }

    /// Judges the rest as a line.
    fn text_form(&mut self, given: &Given<'_>, skip: u8, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let split = split(wrapper, arguments, usize::from(skip) + 1);
        let Some(inner) = inner_program(arguments, &split, skip) else { return false };
        if inner.is_empty() {
            return false;
        }
        let (text, taint, known) = join(inner);
        *out = Some(self.code(program, &text, taint, known, Language::Shell, stdin));
        if let Some(word) = inner.iter().find(|word| !word.is_fixed()) {
            let reason = "is put into a line that a shell reads, and what it stands for is not known";
            self.note_plain(&word.text, Verdict::Ask, Effect::Run, "shell.joined", reason);
        }
        if inner.len() > 1 && inner.iter().any(|word| word.text.contains(' ')) {
            // Joining takes a level of quotes away; what was meant is judged too.
            self.guess_program(inner, stdin);
        }
        true
    }

    /// Judges the rest as a line where an option is given.
    fn text_with(&mut self, given: &Given<'_>, options: List, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let tables = wrapper.tables();
        let split = split(wrapper, arguments, 1);
        let given = split.options.iter().any(|(option, _)| tables.holds(options, option));
        let Some(inner) = inner_program(arguments, &split, 0).filter(|inner| given && !inner.is_empty()) else {
            return false;
        };
        let (text, taint, known) = join(inner);
        *out = Some(self.code(program, &text, taint, known, Language::Shell, stdin));
        true
    }

    /// Judges the program that an option names, with what stands behind the operands.
    fn entry(&mut self, given: &Given<'_>, option: Id, skip: u8, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, arguments, stdin, .. } = *given;
        let tables = wrapper.tables();
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

    /// Judges the values of options as code.
    fn code_options(
        &mut self,
        given: &Given<'_>,
        options: List,
        prefix: Id,
        language: Language,
        out: &mut Option<Stream>,
    ) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let tables = wrapper.tables();
        let split = split(wrapper, arguments, usize::MAX);
        let mut found = false;
        // `bash -c 'code' name a b`: the operands are `$0`, `$1`, … .
        let given = split.operands.first().filter(|_| language == Language::Shell);
        let given = given.and_then(|at| arguments.get(at + 1..)).unwrap_or_default();
        let given = Rc::new(given.to_vec());
        let before = self.state.folder.clone();
        let moved = self.start_elsewhere(wrapper, &split);
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
        if moved {
            self.state.folder = before;
        }
        found
    }

    /// Judges an operand as code.
    fn operand_code(&mut self, given: &Given<'_>, at: u8, language: Language, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let split = split(wrapper, arguments, usize::MAX);
        let mut operands = split.operands.iter().filter_map(|at| arguments.get(*at));
        // BSD's editors take an ending for copies, which may be empty (`sed -i '' s/a/b/ f`).
        let word = operands.nth(usize::from(at)).filter(|word| !word.text.is_empty() || language != Language::Editor);
        let Some(word) = word.or_else(|| operands.next()) else { return false };
        let word = word.clone();
        *out = Some(self.code(program, &word.text, word.taint, word.is_known(), language, stdin));
        if programs::is(program, Trait::Awk) {
            code::awk::systems(self, arguments, &word.text, stdin);
        }
        true
    }

    /// Judges every operand as code.
    fn operands_code(&mut self, given: &Given<'_>, language: Language, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let split = split(wrapper, arguments, usize::MAX);
        let words: Vec<Word> = split.operands.iter().filter_map(|at| arguments.get(*at)).cloned().collect();
        for word in &words {
            *out = Some(self.code(program, &word.text, word.taint, word.is_known(), language, stdin));
        }
        !words.is_empty()
    }

    /// Judges what is typed.
    fn typed_words(&mut self, given: &Given<'_>, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let split = split(wrapper, arguments, 1);
        // Behind the first of them an option is typed too.
        let words = split.operands.first().and_then(|at| arguments.get(*at..)).unwrap_or_default();
        let text: String = words.iter().map(|word| typed(&word.text)).collect();
        let taint = words.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
        let known = words.iter().all(Word::is_known);
        *out = Some(self.code(program, &text, taint, known, Language::Shell, stdin));
        !words.is_empty()
    }

    /// Judges the file that an operand names as code.
    fn script_operand(&mut self, given: &Given<'_>, at: u8, language: Language, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, ran } = *given;
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

    /// Judges the file that an option names as code.
    fn script_option(
        &mut self,
        given: &Given<'_>,
        options: List,
        language: Language,
        out: &mut Option<Stream>,
    ) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let tables = wrapper.tables();
        let split = split(wrapper, arguments, usize::MAX);
        let file = split.options.iter().find(|(option, _)| tables.holds(options, option));
        let Some((_, Some(word))) = file else { return false };
        let stream = self.script(word, stdin);
        self.stream_code(program, &stream, language, out)
    }

    /// Judges what comes in as code, whatever is named.
    fn whole_stdin(&mut self, given: &Given<'_>, language: Language, out: &mut Option<Stream>) -> bool {
        let Given { program, stdin, ran, .. } = *given;
        !ran && stdin.connected && self.stream_code(program, stdin, language, out)
    }

    /// Judges what comes in as code, where no file is named.
    fn stdin_code(&mut self, given: &Given<'_>, language: Language, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, ran } = *given;
        if ran || !stdin.connected || help::asked(program, &Arguments::new(program, arguments)) == Help::Plain {
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
                let known = !text.contains(HOLE);
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

    /// Judges `+command`.
    fn plus_commands(&mut self, given: &Given<'_>, language: Language) -> bool {
        let Given { program, arguments, stdin, .. } = *given;
        let mut found = false;
        for word in arguments {
            if let Some(text) = word.text.strip_prefix('+').filter(|text| !text.is_empty()) {
                found = true;
                self.code(program, text, word.taint, word.is_known(), language, stdin);
            }
        }
        found
    }

    /// Judges operands with a prefix as code.
    fn prefixed_operands(&mut self, given: &Given<'_>, prefix: Id, blank: Id, language: Language) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let tables = wrapper.tables();
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

    /// Judges a makefile.
    fn make_file(&mut self, given: &Given<'_>, out: &mut Option<Stream>) -> bool {
        let Given { wrapper, program, arguments, stdin, .. } = *given;
        let split = split(wrapper, arguments, usize::MAX);
        let named = split.options.iter().find(|(option, _)| matches!(*option, "-f" | "--file" | "--makefile"));
        let stream = match named {
            Some((_, Some(word))) => self.script(word, stdin),
            _ => self.script_file(&Word::literal("Makefile")),
        };
        stream.text.is_some() && self.stream_code(program, &stream, Language::Make, out)
    }

    /// Judges the program behind a cluster that takes a name.
    fn screen(&mut self, given: &Given<'_>, out: &mut Option<Stream>) -> bool {
        let Given { arguments, stdin, .. } = *given;
        // `-S` with a name may end a cluster of other letters, as in `-dmS`.
        let mut at = 0;
        while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
            at += 1 + usize::from(
                !word.text.starts_with("--") && word.text.ends_with(['S', 'c', 'e', 'h', 'p', 's', 't', 'T', 'X']),
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

    /// Judges a name and a value as a setting.
    fn pair_setting(&mut self, given: &Given<'_>, settings: &Settings<'_>) -> bool {
        let Given { wrapper, program, arguments, .. } = *given;
        let split = split(wrapper, arguments, usize::MAX);
        let words: Vec<&Word> = split.operands.iter().filter_map(|at| arguments.get(*at)).collect();
        let Some([.., name, value]) = words.get(..) else { return false };
        let pair = [Word { text: alloc::format!("{}={}", name.text, value.text), glob: false, ..(*value).clone() }];
        self.setting(settings, &pair, program)
    }
}
