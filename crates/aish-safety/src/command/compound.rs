//! Blocks: groups, subshells, branches, functions.

use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use brush_parser::ast;

use super::budget::Work;
use super::lists::any_may_fail;
use super::redirect::COPROCESS;
use super::state::Body;
use super::walk::Walker;
use super::ways::{Taken, Ways};
use super::word::{Stream, Taint, Word};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

impl Walker<'_> {
    /// Walks a compound command.
    pub(crate) fn compound(&mut self, command: &ast::CompoundCommand, stdin: &Stream) -> Stream {
        let runs_once = matches!(command, ast::CompoundCommand::BraceGroup(_) | ast::CompoundCommand::Subshell(_));
        // A command in it reads what those before it left.
        let stdin = stdin.clone().perhaps();
        let out = if self.is_none_to_fish(command) {
            let depth = self.state.begin_branch();
            self.arguments += 1;
            let out = self.compound_once(command, &stdin);
            self.arguments -= 1;
            self.state.end_branch(depth);
            out
        } else {
            self.compound_once(command, &stdin)
        };
        if runs_once { out } else { out.perhaps() }
    }

    /// Says whether fish takes a block for the name of a program that is not there, and goes on behind it: what the block sets is not
    /// set then. A line with a function is none to fish.
    fn is_none_to_fish(&self, command: &ast::CompoundCommand) -> bool {
        let is_name = matches!(command, ast::CompoundCommand::BraceGroup(_) | ast::CompoundCommand::UntilClause(_));
        is_name && self.in_function == 0
    }

    fn compound_once(&mut self, command: &ast::CompoundCommand, stdin: &Stream) -> Stream {
        match command {
            ast::CompoundCommand::Arithmetic(arithmetic) => {
                self.with_each_value(|walker| drop(walker.arithmetic(&arithmetic.expr.value)));
                self.brackets_of_dash(&arithmetic.expr.value);
                self.note_plain("((…))", Verdict::Allow, Effect::Read, "shell.arithmetic", "computes");
                Stream::default()
            }
            ast::CompoundCommand::ArithmeticForClause(clause) => {
                let compute = |walker: &mut Walker<'_>| {
                    for expression in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                        walker.with_each_value(|walker| drop(walker.arithmetic(&expression.value)));
                    }
                };
                compute(self);
                self.repeated(
                    clause.condition.is_none(),
                    |walker| walker.list(&clause.body.list, stdin),
                    |walker| {
                        compute(walker);
                        walker.list(&clause.body.list, stdin);
                    },
                )
            }
            ast::CompoundCommand::BraceGroup(group) => self.list(&group.list, stdin),
            ast::CompoundCommand::Subshell(subshell) => self.apart_from(|walker| walker.list(&subshell.list, stdin)),
            ast::CompoundCommand::ForClause(clause) => self.for_clause(clause, stdin),
            ast::CompoundCommand::CaseClause(clause) => self.case_clause(clause, stdin),
            ast::CompoundCommand::IfClause(clause) => self.if_clause(clause, stdin),
            ast::CompoundCommand::WhileClause(clause) | ast::CompoundCommand::UntilClause(clause) => {
                let ast::WhileOrUntilClauseCommand(condition, body, _) = clause;
                let endless = is_constant(condition);
                let mut out = self.list(condition, stdin);
                out.append(self.repeated(
                    endless,
                    |walker| walker.list(&body.list, stdin),
                    |walker| {
                        walker.list(condition, stdin);
                        walker.list(&body.list, stdin);
                    },
                ));
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
                (self.apart, self.arguments) = (self.apart + 1, self.arguments + 1);
                let out = self.coprocess(coprocess, stdin);
                (self.apart, self.arguments) = (self.apart - 1, self.arguments - 1);
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
        // Before a block it is expanded.
        self.expand_one(name);
        self.state.assign(name, alloc::vec![Word::literal("-1"), Word::literal("-1")]);
        self.state.assign(&alloc::format!("{name}_PID"), alloc::vec![Word::number(Taint::GUESSED)]);
        Stream::default()
    }

    /// Runs `inside` so that what it assigns does not stay.
    pub(crate) fn apart_from(&mut self, inside: impl FnOnce(&mut Self) -> Stream) -> Stream {
        let before = self.state.enter();
        let out = inside(self);
        self.state.leave(before);
        out
    }

    fn if_clause(&mut self, clause: &ast::IfClauseCommand, stdin: &Stream) -> Stream {
        let mut out = self.list(&clause.condition, stdin);
        let mut ways = Ways::default();
        let mut taken = Taken::OneOrNone;
        out.append(self.way(&mut ways, &clause.then, stdin));
        for branch in clause.elses.iter().flatten() {
            match &branch.condition {
                Some(condition) => {
                    let depth = self.state.begin_branch();
                    out.append(self.list(condition, stdin));
                    self.state.end_branch(depth);
                }
                None => taken = Taken::One,
            }
            out.append(self.way(&mut ways, &branch.body, stdin));
        }
        self.state.join_ways(&ways, taken);
        out
    }

    /// Walks one of several ways, from what was there before the others.
    fn way(&mut self, ways: &mut Ways, list: &ast::CompoundList, stdin: &Stream) -> Stream {
        let branches = self.state.branches;
        let depth = self.state.begin_branch();
        let out = self.list(list, stdin);
        let returned = self.state.branches > branches + 1;
        self.state.end_way(depth, ways);
        self.state.branches = branches + usize::from(returned);
        out
    }

    fn case_clause(&mut self, clause: &ast::CaseClauseCommand, stdin: &Stream) -> Stream {
        self.with_each_value(|walker| drop(walker.expand_one(&clause.value.value)));
        let mut out = Stream::default();
        let mut ways = Ways::default();
        // Where one way goes on to the next, what the first leaves is there for that one too.
        let goes_on = clause.cases.iter().any(|case| !matches!(case.post_action, ast::CaseItemPostAction::ExitCase));
        let mut is_one = false;
        for case in &clause.cases {
            for pattern in &case.patterns {
                is_one |= pattern.value == "*";
                self.expand_one(&pattern.value);
            }
            let Some(list) = &case.cmd else {
                is_one = false;
                continue;
            };
            if goes_on {
                let depth = self.state.begin_branch();
                out.append(self.list(list, stdin));
                self.state.end_branch(depth);
            } else {
                out.append(self.way(&mut ways, list, stdin));
            }
        }
        let is_one = is_one && clause.cases.iter().all(|case| case.cmd.is_some());
        self.state.join_ways(&ways, if is_one { Taken::One } else { Taken::OneOrNone });
        out
    }

    /// Keeps a function for when it is called.
    pub(crate) fn define(&mut self, name: &str, function: &ast::FunctionDefinition) {
        if !self.is_defined_so(name, function) {
            self.state.functions.insert(name.into(), Body::Tree(Rc::new(function.body.clone())));
        }
        self.state.note_defined(name);
        self.beyond.1.insert(name.into());
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

    /// Says whether a function has this body already. Asks where it has another: which of them is called, and what is left in
    /// the shell, depends on what ran before.
    fn is_defined_so(&mut self, name: &str, function: &ast::FunctionDefinition) -> bool {
        let is_same = match self.state.functions.get(name) {
            Some(Body::Tree(old)) => {
                let (old, new) = (old.to_string(), function.body.to_string());
                self.budget.pay(Work::Scan, 8 * (old.len() + new.len())) && old == new
            }
            Some(Body::Text(_)) => false,
            None if !self.called.contains(name) => return false,
            None => false,
        };
        if !is_same {
            let reason = "defines a function twice";
            self.note_plain(name, Verdict::Ask, Effect::Write, "shell.function", reason);
        }
        is_same
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
        if self.state.unsure.contains(name) {
            let reason = "calls a function that is perhaps not defined";
            self.note_plain(name, Verdict::Ask, Effect::Unknown, "shell.function", reason);
        }
        self.calling.push(name.into());
        self.called.insert(name.into());
        self.trail.push(alloc::format!("function {name}").into());
        let given = self.names_found(words.to_vec());
        let positional = core::mem::replace(&mut self.state.positional, Rc::new(given));
        let before = self.apart;
        let outer = core::mem::take(&mut self.locals);
        let (depth, branches) = (self.state.begin(), self.state.branches);
        self.in_function += 1;
        let out = self.body(body, stdin);
        self.in_function -= 1;
        for (name, value) in core::mem::replace(&mut self.locals, outer).into_iter().rev() {
            match value {
                Some(values) => self.state.variables.insert(name, values),
                None => self.state.variables.remove(&name),
            };
        }
        self.state.end_call(depth, branches);
        self.apart = before;
        self.state.positional = positional;
        self.trail.pop();
        self.calling.pop();
        out.perhaps()
    }

    /// Walks what a function is.
    fn body(&mut self, body: &Body, stdin: &Stream) -> Stream {
        match body {
            Body::Tree(body) => {
                let ast::FunctionBody(command, redirects) = body.as_ref();
                if any_may_fail(redirects.as_ref()) {
                    // Nothing of it runs then, as behind a `return`.
                    self.state.returns();
                }
                self.redirected(redirects.as_ref(), stdin, |walker, stdin| {
                    walker.deeper(|walker| walker.compound(command, stdin))
                })
            }
            Body::Text(text) => {
                let text = text.clone();
                self.deeper(|walker| walker.text(&text, &stdin.clone().perhaps()))
            }
        }
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
