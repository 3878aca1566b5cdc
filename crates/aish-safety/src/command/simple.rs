//! Simple commands: assignments, redirects and words become an argument vector.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Trait;
use aish_programs::words::builtins;
use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item};

use super::budget::{Work, beyond_ordinary};
use super::redirect::Redirects;
use super::state::{Body, FileContent, Kind};
use super::walk::Walker;
use super::ways::{Taken, Ways};
use super::word::{HOLE, Stream, Taint, Word};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

/// One assignment before a command's name.
#[derive(Clone)]
pub(crate) struct Assigned {
    pub(crate) name: String,
    pub(crate) value: Vec<Word>,
}

impl Walker<'_> {
    /// Walks a simple command, once for each of the values that a variable in it may have.
    pub(crate) fn simple(&mut self, command: &ast::SimpleCommand, stdin: &Stream) -> Stream {
        // Without a redirect a pipe changes nothing but what comes in.
        let piped = core::mem::take(&mut self.piped) && redirects_something(command);
        let outer = core::mem::replace(&mut self.is_piped, piped);
        let out = if piped {
            self.each_choice(command, stdin)
        } else {
            self.remembered(command, stdin, |walker| walker.each_choice(command, stdin))
        };
        self.is_piped = outer;
        out
    }

    fn each_choice(&mut self, command: &ast::SimpleCommand, stdin: &Stream) -> Stream {
        let (outer_choice, outer_widest) = (self.state.choice, self.state.widest);
        let outer_picked = self.state.picked.clone();
        let mut out = Stream::default();
        let mut ways = Ways::default();
        let mut choice = 0;
        loop {
            self.state.choose(outer_choice, choice);
            let depth = self.state.begin();
            let folder = self.state.folder.as_deref().map_or(0, beyond_ordinary);
            let is_paid = self.budget.pay(Work::Command, 1) && (folder == 0 || self.budget.pay(Work::Path, folder));
            if is_paid {
                out.append(self.read_by_all(command, stdin));
                choice += 1;
            }
            if !is_paid || choice >= self.state.widest || outer_choice > 0 {
                if choice > 1 {
                    self.state.end_way(depth, &mut ways);
                } else {
                    self.state.end(depth);
                }
                break;
            }
            self.state.end_way(depth, &mut ways);
        }
        self.state.join_ways(&ways, Taken::One);
        self.state.choice = outer_choice;
        self.state.widest = outer_widest.max(self.state.widest);
        self.state.picked = outer_picked;
        if choice > 1
            && let Some(text) = out.text.take()
        {
            out.taint = out.taint | self.taint_of_pieces(&text, "");
        }
        out.connected = true;
        out
    }

    pub(super) fn simple_once(&mut self, command: &ast::SimpleCommand, stdin: &Stream) -> Stream {
        let piped = self.is_piped;
        self.fish_brackets(command);
        self.words_of_dash(command);
        let mut redirects = Redirects::default();
        let mut assigned: Vec<Assigned> = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let items = command.prefix.iter().flat_map(|prefix| prefix.0.iter());
        for item in items {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut redirects),
                Item::AssignmentWord(assignment, _) => {
                    let one = self.assignment(assignment);
                    assigned.push(one);
                }
                Item::Word(word) => words.extend(self.expand(&word.value)),
                Item::ProcessSubstitution(kind, subshell) => {
                    words.push(self.substituted_file(kind, subshell, &mut redirects))
                }
            }
        }
        self.assigned_first(command, &assigned.iter().map(|one| one.name.as_str()).collect::<Vec<_>>());
        let mut alias = None;
        if let Some(word) = &command.word_or_name {
            alias = self.alias(&word.value);
            words.extend(self.expand(&word.value));
        }
        let mut declared: Vec<Assigned> = Vec::new();
        let declares = words.first().is_some_and(|word| builtins::DECLARES.contains(&word.text.as_str()));
        for item in command.suffix.iter().flat_map(|suffix| suffix.0.iter()) {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut redirects),
                Item::AssignmentWord(assignment, word) => {
                    if declares {
                        let one = self.declared(assignment, &word.value, &words);
                        words.push(Word::literal(alloc::format!("{}=", one.name)));
                        declared.push(one);
                    } else {
                        words.extend(self.expand(&word.value));
                    }
                }
                Item::Word(word) => words.extend(self.expand(&word.value)),
                Item::ProcessSubstitution(kind, subshell) => {
                    words.push(self.substituted_file(kind, subshell, &mut redirects))
                }
            }
        }
        // All words are expanded before any of the assignments holds.
        let declares = words.first().map_or("", |word| word.text.as_str());
        let is_everywhere = declares == "export" || declares == "local" && self.in_function > 0;
        let is_local = declares != "export";
        self.set_perhaps(!is_everywhere, |walker| {
            for one in &declared {
                if is_local {
                    walker.keep_local(&one.name);
                }
                walker.set(one);
            }
        });
        if words.is_empty() {
            return self.without_program(command, &assigned, redirects);
        }
        let input = redirects.input(stdin, piped);
        // `IFS= read`: the separators are those of that one line.
        let reads = words.first().is_some_and(|word| matches!(word.text.as_str(), "read" | "mapfile" | "readarray"));
        let judged: Vec<Assigned> = assigned.iter().filter(|one| !(reads && one.name == "IFS")).cloned().collect();
        self.code_settings(&judged);
        let program = words.first().map(|word| word.text.clone());
        self.environment(assigned.iter().map(|one| one.name.as_str()), program.as_deref());
        let known = program.as_deref().and_then(programs::find);
        self.specials_before(&judged, known.is_some_and(|known| known.is(Trait::Builtin)));
        if redirects_something(command) {
            self.named_descriptors(sources(command));
        }
        let may_fail =
            redirects_something(command) && program.as_deref().is_some_and(|name| builtins::DECLARES.contains(&name));
        self.name_descriptor(&mut words, &mut redirects, stdin);
        if let [program] = words.as_slice()
            && program.text == "exec"
        {
            let fds = descriptors(command);
            self.keep_descriptors(&mut redirects, &fds);
        } else {
            // Descriptors of one command are gone after it.
            self.keep_descriptors(&mut redirects, &[]);
        }
        let out = match alias {
            Some((name, text)) => self.run_alias(&name, &text, words.get(1..).unwrap_or_default(), &input),
            None => self.run_with(&assigned, program.as_deref(), &words, &redirects, &input),
        };
        for word in words.iter().filter(|_| may_fail) {
            self.state.forget_keys(word.text.split('=').next().unwrap_or_default());
        }
        self.finish_redirects(&redirects, out)
    }

    /// Reads an assignment behind a command that declares variables, of which `words` are there already.
    fn declared(&mut self, assignment: &ast::Assignment, source: &str, words: &[Word]) -> Assigned {
        if let (ast::AssignmentName::VariableName(name), Some((declares, options))) =
            (&assignment.name, words.split_first())
            && self.certainly_keys(&declares.text, options)
        {
            self.state.declare(name, Kind::Keyed);
        }
        let mut one = self.assignment(assignment);
        if !super::elements::surely_declares(words)
            || super::braces::expand(source, &self.budget) != super::braces::Expanded::Same
        {
            // Bash makes several assignments of a list in braces, of which the last holds.
            for value in &mut one.value {
                value.taint = value.taint | Taint::GUESSED;
            }
        }
        one
    }

    /// Follows a command of assignments and redirects alone.
    fn without_program(
        &mut self,
        command: &ast::SimpleCommand,
        assigned: &[Assigned],
        mut redirects: Redirects,
    ) -> Stream {
        // In dash and fish `x+=y` is no assignment.
        let is_known = |one: &Assigned| self.state.variables.contains_key(&one.name);
        let keeps_others = sets_element(command) && assigned.iter().any(is_known);
        self.set_perhaps(appends(command) || keeps_others, |walker| assigned.iter().for_each(|one| walker.set(one)));
        self.bare(assigned, &redirects, command);
        // `$(< file)` writes the file.
        let read = redirects.stdin.take().filter(|_| assigned.is_empty());
        let nothing = Stream { connected: true, text: Some(String::new()), taint: Taint::NONE };
        self.finish_redirects(&redirects, read.unwrap_or(nothing))
    }

    /// Runs a command with the assignments before it, which are gone after most.
    fn run_with(
        &mut self,
        assigned: &[Assigned],
        program: Option<&str>,
        words: &[Word],
        redirects: &Redirects,
        input: &Stream,
    ) -> Stream {
        let carried = (!assigned.is_empty()).then(|| self.state.variables.mark());
        let keeps = words.first().is_some_and(|word| builtins::KEEPS.contains(&word.text.as_str()));
        let before: Vec<_> = assigned
            .iter()
            .filter(|_| keeps)
            .map(|one| (one.name.clone(), self.state.variables.get(&one.name).cloned()))
            .collect();
        let carried = carried.filter(|_| !keeps);
        for one in assigned {
            self.state.keep(&one.name, one.value.clone());
        }
        let out = self.fed(redirects, |walker| walker.run(words, input));
        if let Some(mark) = carried {
            self.state.variables.back(mark);
        }
        for (name, value) in before {
            // What a built-in of the shell set stays; the assignment before it does not.
            match value {
                Some(value) => self.state.variables.insert(name, value),
                None => self.state.variables.remove(name.as_str()),
            };
        }
        if !assigned.is_empty() && program.is_some_and(|name| builtins::STAYS.contains(&name)) {
            self.set_in_some_shells(|walker| assigned.iter().for_each(|one| walker.set(one)));
        }
        out
    }

    /// Gives a number to the descriptor of `exec {name}< …`, as the shell does, and keeps it in the variable.
    fn name_descriptor(&mut self, words: &mut Vec<Word>, redirects: &mut Redirects, stdin: &Stream) {
        let name = match words.as_slice() {
            [program, name] if matches!(program.text.as_str(), "exec" | ":") => {
                name.text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).map(String::from)
            }
            _ => None,
        };
        let Some(name) = name else { return };
        // The shell begins at 10 too.
        let number = 10 + i32::try_from(self.state.descriptors.len()).unwrap_or_default();
        words.truncate(1);
        self.state.assign(&name, alloc::vec![Word::literal(alloc::format!("{number}"))]);
        let opened = redirects.stdin.take().unwrap_or_else(|| stdin.clone());
        self.state.descriptors.insert(number, opened);
        if redirects.sent {
            self.state.sockets.push(number);
        }
    }

    fn assignment(&mut self, assignment: &ast::Assignment) -> Assigned {
        let (name, index) = match &assignment.name {
            ast::AssignmentName::VariableName(name) => (name.clone(), None),
            ast::AssignmentName::ArrayElementName(name, index) => {
                // An index is evaluated, with the substitutions in it.
                let index = self.index(name, index);
                self.state.note_key(name, &index);
                self.element(name, &index, &assignment.value);
                (name.clone(), Some(index))
            }
        };
        if let ast::AssignmentValue::Array(items) = &assignment.value {
            self.keys(&name, items);
        }
        let mut value = match &assignment.value {
            ast::AssignmentValue::Scalar(word) => alloc::vec![self.expand_one(&word.value)],
            ast::AssignmentValue::Array(items) => {
                let words = items.iter().flat_map(|(_, word)| self.expand(&word.value)).collect();
                self.names_found(words)
            }
        };
        self.assigned_by_dash(assignment, index.as_ref(), &value);
        // The name alone is the first element to bash, which may be none of these.
        for word in value.iter_mut().filter(|_| super::elements::chooses_elements(assignment)) {
            word.taint = word.taint | Taint::GUESSED;
        }
        if self.state.is_computed(&name) {
            for word in &value {
                self.evaluated(word);
            }
        }
        if assignment.append
            && matches!(assignment.value, ast::AssignmentValue::Scalar(_))
            && self.state.look_up(&name).is_none()
            && let [word] = value.as_mut_slice()
        {
            // What it is put behind is not known, or nothing.
            word.taint = word.taint | self.taint_of_any(core::slice::from_ref(word));
            word.text.insert(0, HOLE);
        }
        if let (false, ast::AssignmentValue::Scalar(_)) = (assignment.append, &assignment.value)
            && let Some(values) = self.state.variables.get(&name)
            && let Some(list) = values.iter().find(|list| list.len() > 1)
        {
            // Only the first of a list is another one then, in bash.
            value.extend(list.iter().skip(1).cloned());
        }
        if assignment.append
            && let Some(mut old) = self.state.look_up(&name)
        {
            let is_array = matches!(assignment.value, ast::AssignmentValue::Array(_));
            if let (false, [old], [new]) = (is_array, old.as_mut_slice(), value.as_slice()) {
                if old.text.len() + new.text.len() < 65_536 {
                    old.text.push_str(&new.text);
                    old.taint = old.taint | new.taint;
                }
                value = alloc::vec![old.clone()];
            } else if old.len() < 1_000 {
                old.extend(value);
                value = old;
            }
        }
        Assigned { name, value }
    }

    /// Follows the keys of a table that is set as a whole; one of aliases sets those.
    fn keys(&mut self, name: &str, items: &[(Option<ast::Word>, ast::Word)]) {
        for key in items.iter().filter_map(|(key, _)| key.as_ref()) {
            let key = self.index(name, &key.value);
            self.state.note_key(name, &key);
        }
        if builtins::ALIAS_TABLES.contains(&name) {
            for (key, value) in items {
                let key = key.as_ref().map_or_else(Word::default, |key| self.expand_one(&key.value));
                let value = self.expand_one(&value.value);
                self.alias_in_table(name, &key, &value);
            }
        }
    }

    /// Judges what the assignment of one element does beside keeping it: tables of aliases and functions, and zsh's
    /// `mapfile`, which writes the file.
    fn element(&mut self, name: &str, index: &Word, value: &ast::AssignmentValue) {
        let ast::AssignmentValue::Scalar(value) = value else { return };
        if name == "mapfile" && index.text.contains(|letter: char| !letter.is_ascii_digit()) {
            self.write_file(index, &Stream::unknown(Taint::NONE));
        }
        if builtins::ALIAS_TABLES.contains(&name) {
            let value = self.expand_one(&value.value);
            self.alias_in_table(name, index, &value);
        }
    }

    /// Defines an alias or a function by its entry in the shell's own table of them.
    fn alias_in_table(&mut self, table: &str, name: &Word, value: &Word) {
        if table.ends_with("functions") {
            self.state.functions.insert(name.text.clone(), Body::Text(value.text.clone()));
        } else {
            self.state.aliases.insert(name.text.clone(), value.text.clone());
        }
        self.within("an alias".into(), |walker| {
            walker.apart_from(|walker| walker.text(&value.text, &Stream::default()))
        });
        self.note_plain(&name.text, Verdict::Ask, Effect::Write, "shell.alias", "defines an alias or a function");
    }

    /// Gives a process substitution a file name that carries what it writes.
    fn substituted_file(
        &mut self,
        kind: &ast::ProcessSubstitutionKind,
        subshell: &ast::SubshellCommand,
        redirects: &mut Redirects,
    ) -> Word {
        let path = alloc::format!("/dev/fd/p{}", self.state.files.len());
        let taint = match kind {
            ast::ProcessSubstitutionKind::Read => {
                let stream = self.process_substitution(subshell, &Stream::default());
                self.read_named(stream.clone());
                let taint = stream.taint;
                self.state.note_file(path.clone(), FileContent { text: stream.text, taint });
                taint
            }
            ast::ProcessSubstitutionKind::Write => {
                redirects.readers.push(subshell.clone());
                Taint::NONE
            }
        };
        Word { text: path, taint, ..Word::default() }
    }

    /// Sets variables through `inside`, which not each shell does where `perhaps`.
    pub(super) fn set_perhaps(&mut self, perhaps: bool, inside: impl FnOnce(&mut Self)) {
        if perhaps { self.set_in_some_shells(inside) } else { inside(self) }
    }

    /// Sets variables through `inside`, which not each shell does: they may hold what they held before, too.
    pub(super) fn set_in_some_shells(&mut self, inside: impl FnOnce(&mut Self)) {
        let depth = self.state.begin_branch();
        inside(self);
        self.state.end_branch(depth);
    }

    fn set(&mut self, one: &Assigned) {
        // What is computed of it was judged where it was expanded.
        self.state.note_special(&one.name, &one.value);
        self.state.keep(&one.name, one.value.clone());
    }
}

/// Says whether a command puts text behind that of a variable.
fn appends(command: &ast::SimpleCommand) -> bool {
    let mut items = command.prefix.iter().flat_map(|prefix| prefix.0.iter());
    items.any(|item| matches!(item, Item::AssignmentWord(assignment, _) if assignment.append))
}

/// Says whether a command sets an element of a list, whose others stay.
fn sets_element(command: &ast::SimpleCommand) -> bool {
    let mut items = command.prefix.iter().flat_map(|prefix| prefix.0.iter());
    items.any(|item| {
        matches!(item, Item::AssignmentWord(assignment, _)
            if matches!(assignment.name, ast::AssignmentName::ArrayElementName(..)))
    })
}

/// Goes through the words of a command as they are written.
fn sources(command: &ast::SimpleCommand) -> impl Iterator<Item = &str> {
    let items = command.suffix.iter().flat_map(|suffix| suffix.0.iter());
    let words = items.filter_map(|item| match item {
        Item::Word(word) => Some(word.value.as_str()),
        _ => None,
    });
    command.word_or_name.iter().map(|word| word.value.as_str()).chain(words)
}

/// Says whether a command has redirects.
pub(super) fn redirects_something(command: &ast::SimpleCommand) -> bool {
    let items = command.prefix.iter().flat_map(|prefix| prefix.0.iter());
    let mut items = items.chain(command.suffix.iter().flat_map(|suffix| suffix.0.iter()));
    items.any(|item| matches!(item, Item::IoRedirect(_)))
}

/// Finds the descriptors that a command's redirects open.
fn descriptors(command: &ast::SimpleCommand) -> Vec<i32> {
    let items = command.suffix.iter().flat_map(|suffix| suffix.0.iter());
    items
        .filter_map(|item| match item {
            Item::IoRedirect(ast::IoRedirect::File(fd, ..)) => Some(fd.unwrap_or(1)),
            _ => None,
        })
        .collect()
}
