//! Simple commands: assignments, redirects and words become an argument vector.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Trait;
use aish_programs::words::builtins;
use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item};

use super::budget::{Work, beyond_ordinary};
use super::redirect::Redirects;
use super::state::{FileContent, Kind};
use super::walk::Walker;
use super::ways::{Taken, Ways};
use super::word::{Stream, Taint, Word};
use crate::rules::programs;

mod assignment;

/// One assignment before a command's name.
#[derive(Clone)]
pub(crate) struct Assigned {
    pub(crate) name: String,
    pub(crate) value: Vec<Word>,
}

/// What is read of a simple command, from left to right.
#[derive(Default)]
struct Read {
    redirects: Redirects,
    /// The assignments before its name.
    assigned: Vec<Assigned>,
    /// Those behind the name of a command that declares variables.
    declared: Vec<Assigned>,
    /// Its name and its arguments.
    words: Vec<Word>,
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
        let mut read = Read::default();
        self.read_prefix(command, &mut read);
        let alias = self.read_name(command, &mut read);
        self.read_suffix(command, &mut read);
        self.declare(&read);
        let Read { mut redirects, assigned, mut words, .. } = read;
        if words.is_empty() {
            return self.without_program(command, &assigned, redirects);
        }
        let input = redirects.input(stdin, piped);
        let program = words.first().map(|word| word.text.clone());
        self.judge_assigned(&assigned, program.as_deref());
        if redirects_something(command) {
            self.named_descriptors(sources(command));
        }
        let may_fail =
            redirects_something(command) && program.as_deref().is_some_and(|name| builtins::DECLARES.contains(&name));
        self.name_descriptor(&mut words, &mut redirects, stdin);
        if redirects_something(command) && words.len() > 1 {
            self.perhaps_descriptors(sources(command));
        }
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

    /// Reads what stands before a command's name.
    fn read_prefix(&mut self, command: &ast::SimpleCommand, read: &mut Read) {
        for item in command.prefix.iter().flat_map(|prefix| prefix.0.iter()) {
            if let Item::AssignmentWord(assignment, _) = item {
                let one = self.assignment(assignment);
                read.assigned.push(one);
            } else {
                self.read_item(item, read);
            }
        }
        self.assigned_first(command, &read.assigned.iter().map(|one| one.name.as_str()).collect::<Vec<_>>());
    }

    /// Reads a command's name; returns the alias that it is.
    fn read_name(&mut self, command: &ast::SimpleCommand, read: &mut Read) -> Option<(String, String)> {
        let word = command.word_or_name.as_ref()?;
        let alias = self.alias(&word.value);
        read.words.extend(self.expand(&word.value));
        alias
    }

    /// Reads what stands behind a command's name.
    fn read_suffix(&mut self, command: &ast::SimpleCommand, read: &mut Read) {
        let declares = read.words.first().is_some_and(|word| builtins::DECLARES.contains(&word.text.as_str()));
        for item in command.suffix.iter().flat_map(|suffix| suffix.0.iter()) {
            match item {
                Item::AssignmentWord(assignment, word) if declares => {
                    let one = self.declared(assignment, &word.value, &read.words);
                    read.words.push(Word::literal(alloc::format!("{}=", one.name)));
                    read.declared.push(one);
                }
                _ => self.read_item(item, read),
            }
        }
    }

    /// Reads a redirect or a word, as which an assignment counts too.
    fn read_item(&mut self, item: &Item, read: &mut Read) {
        match item {
            Item::IoRedirect(redirect) => self.redirect(redirect, &mut read.redirects),
            Item::AssignmentWord(_, word) | Item::Word(word) => read.words.extend(self.expand(&word.value)),
            Item::ProcessSubstitution(kind, subshell) => {
                let file = self.substituted_file(kind, subshell, &mut read.redirects);
                read.words.push(file);
            }
        }
    }

    /// Sets what a command declares: all words are expanded before any of the assignments holds.
    fn declare(&mut self, read: &Read) {
        let declares = read.words.first().map_or("", |word| word.text.as_str());
        let is_everywhere = declares == "export" || declares == "local" && self.in_function > 0;
        let is_local = declares != "export";
        self.set_perhaps(!is_everywhere, |walker| {
            for one in &read.declared {
                if is_local {
                    walker.keep_local(&one.name);
                }
                walker.set(one);
            }
        });
    }

    /// Judges the variables that are set for a program alone.
    fn judge_assigned(&mut self, assigned: &[Assigned], program: Option<&str>) {
        // `IFS= read`: the separators are those of that one line.
        let reads = program.is_some_and(|name| matches!(name, "read" | "mapfile" | "readarray"));
        let judged: Vec<Assigned> = assigned.iter().filter(|one| !(reads && one.name == "IFS")).cloned().collect();
        self.code_settings(&judged);
        self.environment(assigned.iter().map(|one| one.name.as_str()), program);
        let known = program.and_then(programs::find);
        self.specials_before(&judged, known.is_some_and(|known| known.is(Trait::Builtin)));
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
