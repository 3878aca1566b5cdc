//! Blocks: groups, subshells, loops, branches, functions.

use alloc::rc::Rc;
use alloc::vec::Vec;

use brush_parser::ast;

use super::budget::Work;
use super::redirect::COPROCESS;
use super::state::{Body, MAX_ALTERNATIVES};
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

/// How many more rounds of a loop that changes its folder are looked at.
const MAX_ROUNDS: usize = 3;

impl Walker<'_> {
    /// Walks a compound command.
    pub(crate) fn compound(&mut self, command: &ast::CompoundCommand, stdin: &Stream) -> Stream {
        match command {
            ast::CompoundCommand::Arithmetic(arithmetic) => {
                self.arithmetic(&arithmetic.expr.value);
                self.note_plain("((…))", Verdict::Allow, Effect::Read, "shell.arithmetic", "computes");
                Stream::default()
            }
            ast::CompoundCommand::ArithmeticForClause(clause) => {
                for expression in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.arithmetic(&expression.value);
                }
                let (endless, from) = (clause.condition.is_none(), self.state.folder.clone());
                let out = self.repeated(endless, |walker| walker.list(&clause.body.list, stdin));
                self.goes_round(from.as_deref(), |walker| drop(walker.list(&clause.body.list, stdin)));
                out
            }
            ast::CompoundCommand::BraceGroup(group) => self.list(&group.list, stdin),
            ast::CompoundCommand::Subshell(subshell) => self.apart_from(|walker| walker.list(&subshell.list, stdin)),
            ast::CompoundCommand::ForClause(clause) => self.for_clause(clause, stdin),
            ast::CompoundCommand::CaseClause(clause) => self.case_clause(clause, stdin),
            ast::CompoundCommand::IfClause(clause) => {
                let mut out = self.list(&clause.condition, stdin);
                self.state.branches += 1;
                out.append(self.list(&clause.then, stdin));
                for branch in clause.elses.iter().flatten() {
                    if let Some(condition) = &branch.condition {
                        out.append(self.list(condition, stdin));
                    }
                    out.append(self.list(&branch.body, stdin));
                }
                self.state.branches -= 1;
                out
            }
            ast::CompoundCommand::WhileClause(clause) | ast::CompoundCommand::UntilClause(clause) => {
                let ast::WhileOrUntilClauseCommand(condition, body, _) = clause;
                let (endless, from) = (is_constant(condition), self.state.folder.clone());
                let mut out = self.list(condition, stdin);
                out.append(self.repeated(endless, |walker| walker.list(&body.list, stdin)));
                self.goes_round(from.as_deref(), |walker| {
                    walker.list(condition, stdin);
                    walker.list(&body.list, stdin);
                });
                if endless && starts_more(&body.list) {
                    self.note_plain(
                        "while true",
                        Verdict::Halt,
                        Effect::Exhaust,
                        "processes.endless-start",
                        "starts processes in the background without end",
                    );
                }
                out
            }
            ast::CompoundCommand::Coprocess(coprocess) => {
                self.apart += 1;
                let out = self.coprocess(coprocess, stdin);
                self.apart -= 1;
                out
            }
        }
    }

    fn coprocess(&mut self, coprocess: &ast::CoprocessCommand, stdin: &Stream) -> Stream {
        let list = ast::CompoundList(alloc::vec![ast::CompoundListItem(
            ast::AndOrList {
                first: ast::Pipeline { timed: None, bang: false, seq: alloc::vec![(*coprocess.body).clone()] },
                additional: Vec::new(),
            },
            ast::SeparatorOperator::Sequence,
        )]);
        let out = self.within("coproc".into(), |walker| walker.apart_from(|walker| walker.list(&list, stdin)));
        // What is written to it later is its input.
        self.coprocess = Some(ast::SubshellCommand { list, loc: brush_parser::SourceSpan::default() });
        // Its output is read through a descriptor whose number is in a variable.
        self.state.descriptors.insert(COPROCESS, out);
        let name = coprocess.name.as_ref().map_or("COPROC", |name| name.value.as_str());
        self.state.assign(name, alloc::vec![Word::literal("-1"), Word::literal("-1")]);
        Stream::default()
    }

    /// Runs `inside` so that what it assigns does not stay.
    pub(crate) fn apart_from(&mut self, inside: impl FnOnce(&mut Self) -> Stream) -> Stream {
        let before = self.state.enter();
        let out = inside(self);
        self.state.leave(before);
        out
    }

    /// Walks a body that may run any number of times.
    fn repeated(&mut self, endless: bool, body: impl FnOnce(&mut Self) -> Stream) -> Stream {
        let loops = self.endless;
        self.endless = endless;
        self.state.branches += 1;
        let out = body(self);
        self.state.branches -= 1;
        self.endless = loops;
        out
    }

    /// Judges the later rounds of a loop that leaves its folder, where the same names mean other files.
    fn goes_round(&mut self, from: Option<&str>, round: impl Fn(&mut Walker<'_>)) {
        if self.guessing || self.state.folder.as_deref() == from || self.verdict() > Verdict::Allow {
            return;
        }
        let verdict = self.verdict_on(|walker| {
            walker.state.rewalks = true;
            for _ in 0..MAX_ROUNDS {
                round(walker);
            }
            walker.state.rewalks = false;
        });
        if verdict > Verdict::Allow {
            let reason = "does something else in a folder that a loop goes to";
            self.note_plain("", Verdict::Ask, Effect::Unknown, "shell.loop", reason);
        }
    }

    fn for_clause(&mut self, clause: &ast::ForClauseCommand, stdin: &Stream) -> Stream {
        let mut values: Vec<Word> = match &clause.values {
            Some(words) => words.iter().flat_map(|word| self.expand(&word.value)).collect(),
            None => self.state.positional.to_vec(),
        };
        if values.len() > MAX_ALTERNATIVES {
            values.truncate(MAX_ALTERNATIVES - 1);
            values.push(Word::unknown(Taint::NONE));
        }
        let values: Vec<_> = self.names_found(values).into_iter().map(|value| alloc::vec![value]).collect();
        self.state.note_taken(&clause.variable_name);
        for value in &values {
            self.state.note_special(&clause.variable_name, value);
            self.state.note_computed(&clause.variable_name, value);
        }
        if self.state.branches > 0 {
            // An outer loop comes back to what stands before this one.
            self.state.note_again(&clause.variable_name);
        }
        self.state.variables.insert(clause.variable_name.clone(), values);
        let from = self.state.folder.clone();
        let out = self.repeated(false, |walker| walker.list(&clause.body.list, stdin));
        self.goes_round(from.as_deref(), |walker| drop(walker.list(&clause.body.list, stdin)));
        out
    }

    fn case_clause(&mut self, clause: &ast::CaseClauseCommand, stdin: &Stream) -> Stream {
        self.expand_one(&clause.value.value);
        let mut out = Stream::default();
        self.state.branches += 1;
        for case in &clause.cases {
            for pattern in &case.patterns {
                self.expand_one(&pattern.value);
            }
            if let Some(list) = &case.cmd {
                out.append(self.list(list, stdin));
            }
        }
        self.state.branches -= 1;
        out
    }

    /// Keeps a function for when it is called.
    pub(crate) fn define(&mut self, name: &str, function: &ast::FunctionDefinition) {
        self.state.functions.insert(name.into(), Body::Tree(Rc::new(function.body.clone())));
        // A function that is defined anew while it runs is another one.
        for called in self.calling.iter_mut().filter(|called| *called == name) {
            called.clear();
        }
        self.note_plain(name, Verdict::Allow, Effect::Read, "shell.function", "defines a function");
        self.defined.push(name.into());
        let is_taken = programs::is_known(name)
            || OWN.contains(&name)
            || self.around.functions.contains_key(name)
            || self.around.aliases.contains_key(name);
        if is_taken {
            let reason = "gives the name of another command to a function, which later lines call";
            self.note_plain(name, Verdict::Ask, Effect::Write, "shell.function", reason);
        }
        if is_handler(name)
            && let Some(body) = self.state.functions.get(name).cloned()
        {
            let reason = "defines a function that the shell calls by itself";
            self.note_plain(name, Verdict::Ask, Effect::Write, "shell.function", reason);
            // Here, for a subshell calls some where it ends.
            self.call(name, &body, &[], &Stream::default());
        }
    }

    /// Keeps what a variable holds, to be restored when the function that declares it ends.
    pub(crate) fn keep_local(&mut self, name: &str) {
        if self.in_function > 0 {
            self.locals.push((name.into(), self.state.variables.get(name).cloned()));
        }
    }

    /// Calls a function.
    pub(crate) fn call(&mut self, name: &str, body: &Body, words: &[Word], stdin: &Stream) -> Stream {
        if self.calling.iter().any(|called| called == name) {
            if self.apart > 0 {
                self.note_plain(
                    name,
                    Verdict::Halt,
                    Effect::Exhaust,
                    "processes.fork-bomb",
                    "starts itself again and again until the machine stops answering",
                );
            }
            let reason = "calls itself, and what it finds then is not followed";
            self.note_plain(name, Verdict::Ask, Effect::Unknown, "shell.function", reason);
            return Stream::unknown(Taint::NONE);
        }
        if !self.budget.pay(Work::Call, 1) {
            return Stream::unknown(Taint::NONE);
        }
        self.calling.push(name.into());
        self.called.insert(name.into());
        self.trail.push(alloc::format!("function {name}").into());
        let given = self.names_found(words.to_vec());
        let positional = core::mem::replace(&mut self.state.positional, Rc::new(given));
        let before = self.apart;
        let outer = core::mem::take(&mut self.locals);
        self.in_function += 1;
        let out = match body {
            Body::Tree(body) => {
                let ast::FunctionBody(command, redirects) = body.as_ref();
                self.redirected(redirects.as_ref(), stdin, |walker, stdin| {
                    walker.deeper(|walker| walker.compound(command, stdin))
                })
            }
            Body::Text(text) => {
                let text = text.clone();
                self.deeper(|walker| walker.text(&text, stdin))
            }
        };
        self.in_function -= 1;
        for (name, value) in core::mem::replace(&mut self.locals, outer).into_iter().rev() {
            match value {
                Some(values) => self.state.variables.insert(name, values),
                None => self.state.variables.remove(&name),
            };
        }
        self.apart = before;
        self.state.positional = positional;
        self.trail.pop();
        self.calling.pop();
        out
    }

    /// Judges functions that were defined and never called: whoever reads the line next may call them.
    pub(crate) fn uncalled(&mut self) {
        let defined = core::mem::take(&mut self.defined);
        let only_defines = !defined.is_empty() && self.parts.len() == defined.len();
        let called = core::mem::take(&mut self.called);
        for name in defined.iter().filter(|name| !called.contains(*name)) {
            let Some(body) = self.state.functions.get(name).cloned() else { continue };
            let verdict = self.verdict_on(|walker| {
                walker.call(name, &body, &[], &Stream::default());
            });
            if verdict > Verdict::Allow {
                let reason = "defines a function that does more than look, and does not call it";
                self.note_plain(name, Verdict::Ask, Effect::Write, "shell.function", reason);
            }
        }
        if only_defines {
            // The line only defines: that is a change of the shell, to be asked about.
            self.note_plain("", Verdict::Ask, Effect::Write, "shell.function", "defines functions in the live shell");
        }
    }
}

/// Commands of a shell's own that are followed and stand in no table.
const OWN: &[&str] = &[
    "alias",
    "cd",
    "chdir",
    "declare",
    "export",
    "fc",
    "local",
    "mapfile",
    "pushd",
    "r",
    "read",
    "readarray",
    "readonly",
    "set",
    "shift",
    "typeset",
    "unset",
];

/// Functions that a shell calls by itself.
const HANDLERS: &[&str] = &[
    "command_not_found_handle",
    "command_not_found_handler",
    "precmd",
    "preexec",
    "chpwd",
    "periodic",
    "zshexit",
    "zshaddhistory",
    "zsh_directory_name",
    "fish_prompt",
    "fish_command_not_found",
];

/// Says whether a shell calls a function of this name by itself: when something happens, or when a signal comes.
fn is_handler(name: &str) -> bool {
    HANDLERS.contains(&name) || name.starts_with("TRAP")
}

/// Says whether a loop's body starts processes in the background and waits for none.
fn starts_more(list: &ast::CompoundList) -> bool {
    let ends = |item: &ast::AndOrList| {
        item.iter().any(|(_, pipeline)| {
            pipeline.seq.iter().any(|command| match command {
                ast::Command::Simple(simple) => simple.word_or_name.as_ref().is_some_and(|word| {
                    matches!(word.value.as_str(), "wait" | "break" | "exit" | "return" | "sleep" | "read" | "exec")
                }),
                ast::Command::Compound(..) | ast::Command::Function(_) | ast::Command::ExtendedTest(..) => false,
            })
        })
    };
    list.0.iter().any(|ast::CompoundListItem(_, separator)| matches!(separator, ast::SeparatorOperator::Async))
        && !list.0.iter().any(|ast::CompoundListItem(item, _)| ends(item))
}

/// Says whether a loop's condition is always the same.
fn is_constant(condition: &ast::CompoundList) -> bool {
    let [ast::CompoundListItem(item, _)] = condition.0.as_slice() else { return false };
    let [ast::Command::Simple(simple)] = item.first.seq.as_slice() else {
        return matches!(item.first.seq.as_slice(), [ast::Command::ExtendedTest(test, _)] if matches!(&test.expr, ast::ExtendedTestExpr::UnaryTest(_, word) if word.value == "1"));
    };
    simple.suffix.is_none()
        && simple
            .word_or_name
            .as_ref()
            .is_some_and(|word| matches!(word.value.as_str(), ":" | "true" | "false" | "/bin/true" | "/usr/bin/true"))
}
