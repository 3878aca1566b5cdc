//! Built-ins that set: `set`, `alias`, `declare` and its like, `printf -v`, `wait -p`.

use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use aish_program_format::Output;
use aish_programs::words::Settable;
use aish_types::{NameContext, is_secret_name};

use super::run::shown;
use super::simple::Assigned;
use super::walk::Walker;
use super::word::{HOLE, Stream, Taint, Word, is_numeric};
use crate::rules::Effect;
use crate::rules::variables::settable;
use crate::verdict::Verdict;

/// Letters of `set` that are harmless in bash, zsh and fish; with `-x` and a name fish puts that into the environment.
/// Not among them: what reads later lines otherwise (`-B`, zsh's `-H`, `-P` and `-T`), and `-t`, with which a shell ends
/// after the next command.
const SET_LETTERS: &str = "efglnquvx";

/// Names behind `set -o` that are harmless.
const SET_NAMES: &[&str] = &["errexit", "nounset", "pipefail", "verbose", "xtrace"];

/// Long options of fish's `set` that are harmless.
const SET_LONG: &[&str] = &["--local", "--global", "--function", "--query", "--erase", "--append", "--prepend"];

/// Letters of `declare` and its like that are harmless. Not among them: `-T`, which ties a name to another, `-m`, which
/// takes patterns, `-k` and `-z`, with which a function is loaded.
const DECLARE_LETTERS: &str = "aAEfFgHhIilnprRtuUxLZ";

/// Letters with which a name alone changes nothing that it holds.
const MARKING: &str = "gpx";

impl Walker<'_> {
    /// `alias`: what is given a name, and what that runs. In fish the second word is what it runs.
    pub(super) fn aliases(&mut self, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let mut defines = arguments.len() > 1 || arguments.iter().any(|word| !word.is_known());
        let mut names = arguments.iter();
        for word in names.by_ref() {
            let (alias, text) = match word.text.split_once('=') {
                Some((alias, text)) => (alias.to_string(), text.to_string()),
                None if word.text.starts_with('-') => {
                    defines |= !matches!(word.text.as_str(), "-p" | "-L");
                    continue;
                }
                None => continue,
            };
            defines = true;
            self.name_command(&alias, &text);
        }
        if let [alias, code, ..] = arguments
            && !alias.text.contains(['=', '-'])
        {
            self.name_command(&alias.text.clone(), &code.text.clone());
        }
        let verdict = if defines { Verdict::Ask } else { Verdict::Allow };
        self.note_plain(&shown(words), verdict, Effect::Write, "shell.alias", "defines or shows aliases");
    }

    fn name_command(&mut self, alias: &str, text: &str) {
        self.state.aliases.insert(alias.into(), text.into());
        self.within("an alias".into(), |walker| walker.apart_from(|walker| walker.text(text, &Stream::default())));
    }

    /// `declare`, `export` and such: variables with their attributes.
    pub(super) fn declares(&mut self, name: &str, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        for word in arguments {
            if let Some((variable, value)) = word.text.split_once('=')
                && !value.is_empty()
            {
                let value = alloc::vec![Word { text: value.into(), taint: word.taint, ..Word::default() }];
                self.state.note_special(variable, &value);
                self.state.note_computed(variable, &value);
                let is_everywhere = name == "export" || name == "readonly" || name == "local" && self.in_function > 0;
                self.set_perhaps(!is_everywhere, |walker| walker.state.keep(variable, value));
            }
        }
        self.attributes(name, arguments);
        self.declared_specials(name, arguments);
        self.declared_empty(name, arguments);
        let assigned: Vec<Assigned> = arguments
            .iter()
            .filter_map(|word| {
                let name = word.text.split('=').next()?.to_string();
                let value = self.state.look_up(&name)?;
                Some(Assigned { name, value })
            })
            .collect();
        self.code_settings(&assigned);
        if name != "export" && self.in_function == 0 && arguments.iter().any(|word| self.is_secret_name(word)) {
            let reason = "shows a variable that holds a secret, in zsh";
            self.note_plain(&shown(words), Verdict::Ask, Effect::ReadSecret, "secrets.show-variable", reason);
        }
        let shows = !arguments.iter().any(|word| !word.text.starts_with('-'))
            || arguments.iter().any(|word| word.text.starts_with('-') && word.text.contains('p'));
        if shows && !arguments.iter().any(|word| matches!(word.text.as_str(), "-f" | "-F")) {
            self.note_environment(words);
            return;
        }
        // A variable that programs have from elsewhere changes for them too.
        let exports =
            name == "export" || arguments.iter().any(|word| word.text.starts_with('-') && word.text.contains('x'));
        let names = assigned.iter().map(|one| one.name.as_str());
        let names: Vec<&str> = names.filter(|name| exports || self.is_inherited(name)).collect();
        self.environment(names.into_iter(), None);
        self.note_plain(&shown(words), Verdict::Allow, Effect::Read, "shell.declare", "sets variables of the shell");
    }

    /// Says whether a word is the name of a variable that may hold a secret.
    fn is_secret_name(&self, word: &Word) -> bool {
        let value = self.state.variables.get(&word.text);
        is_secret_name(word.text.as_bytes(), NameContext::Judged)
            && !word.text.contains('=')
            && value.is_none_or(|values| values.iter().flatten().any(|word| word.taint.has(Taint::SECRET)))
    }

    /// Follows names that a function declares without a value: a variable of its own is empty in bash and zsh, and in dash what
    /// it was outside.
    fn declared_empty(&mut self, name: &str, arguments: &[Word]) {
        let keeps = matches!(name, "export" | "readonly")
            || arguments.iter().any(|word| word.text.starts_with('-') && word.text.contains(['g', 'f', 'F', 'p']));
        if self.in_function == 0 || keeps {
            return;
        }
        for word in arguments.iter().filter(|word| !word.text.starts_with(['-', '+']) && !word.text.contains('=')) {
            self.keep_local(&word.text);
            let depth = self.state.begin_branch();
            self.state.set_to(&word.text, alloc::vec![Vec::new()]);
            self.state.end_branch(depth);
        }
    }

    /// Asks about options that are not known, and about special variables that are declared without a value but changed
    /// for all that: made local, which empties them, or given an attribute.
    fn declared_specials(&mut self, name: &str, arguments: &[Word]) {
        let options = || arguments.iter().filter_map(|word| word.text.strip_prefix(['-', '+']));
        let letters = |known: &str| options().flat_map(str::chars).all(|letter| known.contains(letter));
        let loads = options().any(|option| option.contains('f')) && options().any(|option| option.contains(['u', 'U']));
        if let Some(option) = options().find(|option| !option.chars().all(|letter| DECLARE_LETTERS.contains(letter)))
            && option != "-"
        {
            self.unknown_option(name, option);
        }
        if loads {
            self.unknown_option(name, "-fu");
        }
        let given =
            |wanted: &[char]| arguments.iter().any(|word| word.text.starts_with('-') && word.text.contains(wanted));
        if self.in_function == 0 && given(&['i', 'E', 'l', 'u', 'n', 'L', 'R', 'Z', 'T']) && !given(&['f', 'F', 'p']) {
            let reason = "gives a variable a property that changes what later lines assign to it";
            self.note_plain(name, Verdict::Ask, Effect::Write, "shell.declare", reason);
        }
        let marks = name == "export"
            || !letters("") && letters(MARKING) && !arguments.iter().any(|word| word.text.starts_with('+'));
        if marks && letters(MARKING) || options().any(|option| matches!(option, "f" | "F" | "p")) {
            return;
        }
        for word in arguments.iter().filter(|word| !word.text.starts_with(['-', '+']) && !word.text.contains('=')) {
            self.state.note_special(&word.text, &[Word::unknown(Taint::NONE)]);
        }
    }

    /// `set`: options and arguments of the shell, and in fish a variable.
    pub(super) fn sets(&mut self, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        if arguments.is_empty() {
            self.note_environment(words);
            return;
        }
        let (operands, exports) = self.set_options(arguments);
        let is_of_fish = |word: &Word| word.text.starts_with('-') && word.text.contains(['f', 'g', 'l']);
        if operands.is_empty() && arguments.iter().any(|word| !word.text.starts_with("--") && is_of_fish(word)) {
            // Without a name they are options of the shell.
            self.unknown_option("set", "-f");
        }
        let is_given = operands.len() < arguments.len() && arguments.iter().any(|word| word.text == "--");
        if !operands.is_empty() || is_given {
            self.state.positional = Rc::new(self.names_found(operands.to_vec()));
        }
        if let Some((name, values)) = operands.split_first() {
            let before = arguments.get(..arguments.len() - operands.len()).unwrap_or_default();
            if before.iter().any(|word| word.text == "--erase" || word.text.starts_with("-e")) {
                // What fish keeps for all sessions is removed from its file.
                self.unknown_option("set", "-e");
            }
            self.sets_as_fish(name, values, exports);
        }
        let reason = "sets options or arguments of the shell";
        self.note_plain(&shown(words), Verdict::Allow, Effect::Read, "shell.set", reason);
    }

    /// Reads the options of `set`; returns what stands behind them, and whether fish puts that into the environment.
    fn set_options<'w>(&mut self, arguments: &'w [Word]) -> (&'w [Word], bool) {
        let mut exports = false;
        let mut rest = arguments;
        while let Some((word, tail)) = rest.split_first() {
            let Some(letters) = word.text.strip_prefix(['-', '+']) else { break };
            rest = tail;
            match letters {
                "-" | "" => break,
                _ if word.text.starts_with("--") => {
                    if !SET_LONG.contains(&word.text.as_str()) {
                        self.unknown_option("set", &word.text);
                    }
                }
                // Zsh's lists.
                "A" => {
                    if let Some((name, values)) = tail.split_first() {
                        self.named_variable(name);
                        self.state.assign(&name.text, values.to_vec());
                        self.state.guess(&name.text);
                    }
                    return (&[], false);
                }
                _ => {
                    exports |= letters.contains('x');
                    let known = |letter: char| SET_LETTERS.contains(letter) || letter == 'o';
                    if !letters.chars().all(known) {
                        self.unknown_option("set", &word.text);
                    }
                    if letters.contains('o')
                        && let Some((name, tail)) = tail.split_first()
                    {
                        if !SET_NAMES.contains(&name.text.as_str()) {
                            self.unknown_option("set -o", &name.text);
                        }
                        rest = tail;
                    }
                }
            }
        }
        (rest, exports)
    }

    /// Judges the words of `set` as fish takes them, as a variable and its value.
    fn sets_as_fish(&mut self, name: &Word, values: &[Word], exports: bool) {
        self.named_variable(name);
        if name.glob && !name.text.contains('.') {
            // A file may have the name of any variable.
            self.computes_with_the_unknown(&name.text);
        }
        self.state.note_special(&name.text, values);
        let variable = super::special::bare(&name.text);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if !values.is_empty()
            && variable.chars().all(is_name)
            && !variable.starts_with(|one: char| one.is_ascii_digit())
        {
            self.set_in_some_shells(|walker| walker.state.keep(variable, values.to_vec()));
        }
        self.code_settings(&[Assigned { name: variable.into(), value: values.to_vec() }]);
        if exports || self.is_inherited(variable) {
            self.environment(core::iter::once(variable), None);
        }
    }

    /// `printf -v`: a variable, whose name may stand in the same word.
    pub(super) fn prints_to_variable(&mut self, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let attached = arguments.first().and_then(|word| word.text.strip_prefix("-v")).unwrap_or_default();
        let (variable, rest) = match attached {
            "" => (arguments.get(1).map(|word| word.text.clone()), arguments.get(2..)),
            name => (Some(name.to_string()), arguments.get(1..)),
        };
        let named = arguments.iter().take(2).fold(Taint::NONE, |taint, word| taint | word.taint);
        let rest = rest.unwrap_or_default();
        let is_sure = super::printed::is_sure(Output::Format, rest);
        let guess = if is_sure { Taint::NONE } else { Taint::GUESSED };
        let taint = rest.iter().fold(guess, |taint, word| taint | word.taint);
        if let Some(variable) = variable {
            let word = match super::printed::printf(rest) {
                Some(text) => Word { taint, ..Word::literal(text) },
                None => Word::unknown(taint),
            };
            self.named_variable(&Word { taint: named, ..Word::literal(variable.as_str()) });
            self.state.assign(&variable, alloc::vec![word]);
        }
        self.note_plain(&shown(words), Verdict::Allow, Effect::Read, "shell.printf", "sets a variable");
    }

    /// `wait -p NAME`: the number of the process is put into a variable.
    pub(super) fn waits(&mut self, arguments: &[Word]) {
        // What is not known may be that option, with a name in the same word.
        let open = arguments.iter().find(|word| word.text.starts_with(HOLE) && !is_numeric(&word.text));
        if let Some(word) = open {
            self.computes_with_the_unknown(&word.text);
        }
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Some((_, attached)) = word.text.strip_prefix('-').and_then(|rest| rest.split_once('p')) else {
                continue;
            };
            let attached = Word { text: attached.into(), ..word.clone() };
            let name = if attached.text.is_empty() { words.next().cloned() } else { Some(attached) };
            if let Some(name) = name {
                self.named_variable(&name);
                self.state.assign(&name.text, alloc::vec![Word::number(Taint::UNSET)]);
            }
        }
    }

    /// Sets the variable of `{NAME}<file`: to some shells it is a word.
    pub(super) fn perhaps_descriptors<'s>(&mut self, sources: impl Iterator<Item = &'s str>) {
        for source in sources {
            let name = source.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default();
            let variable = super::special::bare(name);
            if !variable.is_empty() && variable.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                self.set_in_some_shells(|walker| {
                    walker.state.assign(variable, alloc::vec![Word::number(Taint::UNSET | Taint::GUESSED)]);
                });
            }
        }
    }

    /// Notes the variable of `{NAME}<file`, which a shell gives the number of the descriptor.
    pub(super) fn named_descriptors<'s>(&mut self, sources: impl Iterator<Item = &'s str>) {
        for source in sources {
            let name = source.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            let Some(name) = name else { continue };
            let variable = super::special::bare(name);
            if settable(variable) == Some(Settable::Not) {
                self.state.note_special(name, &[Word::number(Taint::NONE)]);
            }
            let index = name.strip_prefix(variable).and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
            if let Some(index) = index
                && variable.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            {
                self.index(variable, index);
            }
        }
    }
}
