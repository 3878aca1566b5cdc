//! Lists, chains of `&&` and `||`, and pipes: what of them runs for sure, and what perhaps.

use alloc::string::String;

use brush_parser::ast;

use super::budget::Work;
use super::simple::redirects_something;
use super::walk::Walker;
use super::ways::{Taken, Ways};
use super::word::Stream;
use crate::rules::Effect;
use crate::rules::variables::settable;
use crate::verdict::Verdict;

impl Walker<'_> {
    /// Walks a list of commands.
    pub(crate) fn list(&mut self, list: &ast::CompoundList, stdin: &Stream) -> Stream {
        let mut out = Stream::default();
        for (at, ast::CompoundListItem(item, separator)) in list.0.iter().enumerate() {
            let disowned = at > 0 && item.first.bang && item.first.seq.is_empty();
            if disowned {
                let reason = "goes on when the shell ends";
                self.note_plain("&!", Verdict::Ask, Effect::Run, "zsh.disown", reason);
            }
            if matches!(separator, ast::SeparatorOperator::Async) {
                self.apart += 1;
                // What it sets stays in a shell of its own, or comes later.
                let depth = self.state.begin_branch();
                out.append(self.and_or(item, stdin));
                self.state.end_branch(depth);
                self.apart -= 1;
            } else {
                out.append(self.and_or(item, stdin));
            }
            self.ask_special();
        }
        // One of them may end the shell, or the function, before the next one writes.
        if list.0.len() > 1 { out.perhaps() } else { out }
    }

    /// Walks one of several lines. Where something in it fails, as a sum or `${x?}`, a shell leaves the rest of it out and goes on with the
    /// next: what it sets is a guess to those behind it.
    pub(crate) fn line(&mut self, list: &ast::CompoundList, stdin: &Stream) -> Stream {
        if list.0.iter().all(|ast::CompoundListItem(item, _)| item.additional.is_empty() && surely_sets(&item.first)) {
            return self.list(list, stdin);
        }
        let depth = self.state.begin();
        let out = self.list(list, stdin);
        self.state.end_line(depth);
        out
    }

    fn and_or(&mut self, item: &ast::AndOrList, stdin: &Stream) -> Stream {
        if !Self::ends_in_dash(item) {
            return self.and_or_once(item, stdin);
        }
        self.in_some_shells(|walker| walker.and_or_once(item, stdin))
    }

    /// Does something whose settings and output not each shell has.
    fn in_some_shells(&mut self, inside: impl FnOnce(&mut Self) -> Stream) -> Stream {
        let depth = self.state.begin_branch();
        let out = inside(self);
        self.state.end_branch(depth);
        out.perhaps()
    }

    fn and_or_once(&mut self, item: &ast::AndOrList, stdin: &Stream) -> Stream {
        let mut out = self.pipeline(&item.first, stdin);
        if let [ast::AndOr::And(then), ast::AndOr::Or(other)] = item.additional.as_slice()
            && only_sets(then)
        {
            // The other one runs where this one does not.
            let mut ways = Ways::default();
            for pipeline in [then, other] {
                let branches = self.state.branches;
                let depth = self.state.begin_branch();
                out.append(self.pipeline(pipeline, stdin));
                let returned = self.state.branches > branches + 1;
                self.state.end_way(depth, &mut ways);
                self.state.branches = branches + usize::from(returned);
            }
            self.state.join_ways(&ways, Taken::One);
            return out.perhaps();
        }
        let mut open: Option<(usize, bool)> = None;
        for more in &item.additional {
            let (pipeline, follows) = match more {
                ast::AndOr::And(pipeline) => (pipeline, true),
                ast::AndOr::Or(pipeline) => (pipeline, false),
            };
            // Behind `a && b &&` all of it ran; behind `a && b ||` perhaps not.
            if let Some((depth, _)) = open.take_if(|(_, followed)| !(follows && *followed)) {
                self.state.end_branch(depth);
            }
            open.get_or_insert_with(|| (self.state.begin_branch(), follows));
            out.append(self.pipeline(pipeline, stdin));
        }
        if let Some((depth, _)) = open {
            self.state.end_branch(depth);
        }
        if item.additional.is_empty() { out } else { out.perhaps() }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, stdin: &Stream) -> Stream {
        if let (true, Some(first)) = (pipeline.timed.is_some(), pipeline.seq.first()) {
            self.timed_by_dash(first);
        }
        let [command] = pipeline.seq.as_slice() else {
            self.apart += 1;
            let mut stream = stdin.clone();
            let outer = core::mem::take(&mut self.feeding);
            for (at, command) in pipeline.seq.iter().enumerate() {
                self.piped = at > 0;
                // What it sets stays in a shell of its own, in some shells and places.
                let depth = self.state.begin_branch();
                stream = self.started(command, &stream);
                self.state.end_branch(depth);
                stream.connected = true;
                let is_empty = stream.text.as_ref().is_some_and(String::is_empty);
                let is_redirected = match command {
                    ast::Command::Simple(simple) => redirects_something(simple),
                    ast::Command::Compound(_, redirects) => redirects.is_some(),
                    _ => false,
                };
                if is_empty && is_redirected && at + 1 < pipeline.seq.len() {
                    // In zsh a pipe gets what goes to a file, too.
                    stream.text = None;
                }
                if let ast::Command::Simple(simple) = command {
                    self.feeding.extend(arguments_of(simple));
                }
            }
            self.piped = false;
            self.feeding = outer;
            self.apart -= 1;
            return stream;
        };
        // What is timed is a program to dash, and runs in a shell of its own in zsh.
        if !may_fail_to_start(command) && pipeline.timed.is_none() {
            return self.started(command, stdin);
        }
        self.in_some_shells(|walker| walker.command(command, stdin))
    }

    /// Walks a command; what it writes is sure where no redirect can keep it from that, or adds to it.
    fn started(&mut self, command: &ast::Command, stdin: &Stream) -> Stream {
        let out = self.command(command, stdin);
        // An assignment before a command may fail; redirects alone copy what they read in zsh, and not in bash.
        let is_prefixed = matches!(command, ast::Command::Simple(simple) if simple.prefix.is_some());
        if !is_prefixed && redirects_of(command).all(is_quiet) { out } else { out.perhaps() }
    }

    /// Does something once for each of the values that variables in it may have.
    pub(crate) fn with_each_value(&mut self, mut inside: impl FnMut(&mut Self)) {
        let (outer_choice, outer_widest) = (self.state.choice, self.state.widest);
        let outer_picked = self.state.picked.clone();
        let mut choice = 0;
        loop {
            self.state.choose(outer_choice, choice);
            inside(self);
            choice += 1;
            if choice >= self.state.widest || outer_choice > 0 || !self.budget.pay(Work::Command, 1) {
                break;
            }
        }
        self.state.choice = outer_choice;
        self.state.widest = outer_widest.max(self.state.widest);
        self.state.picked = outer_picked;
    }
}

/// Says whether a pipeline only sets variables, to what cannot fail: nothing runs in it.
fn only_sets(pipeline: &ast::Pipeline) -> bool {
    let [ast::Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
    let items = simple.prefix.iter().flat_map(|prefix| prefix.0.iter());
    !pipeline.bang
        && simple.word_or_name.is_none()
        && items.clone().count() > 0
        && items.into_iter().all(|item| match item {
            ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => !word.value.contains(['(', '`', '?']),
            _ => false,
        })
}

/// Says whether a pipeline only sets variables of one's own, to texts that are known.
fn surely_sets(pipeline: &ast::Pipeline) -> bool {
    let [ast::Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
    let is_plain = |item: &ast::CommandPrefixOrSuffixItem| match item {
        ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
            let name = word.value.split_once('=').map_or("", |(name, _)| name);
            !word.value.contains(['(', '`', '?', '~', '{', '['])
                && !word.value.contains("==")
                && settable(name).is_none()
        }
        _ => false,
    };
    only_sets(pipeline) && simple.prefix.iter().flat_map(|prefix| prefix.0.iter()).all(is_plain)
}

/// Says whether a redirect may fail, so that nothing of its command runs: a file may not be there.
fn may_fail(redirect: &ast::IoRedirect) -> bool {
    match redirect {
        ast::IoRedirect::File(_, _, ast::IoFileRedirectTarget::Filename(word)) => word.value != "/dev/null",
        ast::IoRedirect::File(_, _, ast::IoFileRedirectTarget::Duplicate(_)) => true,
        ast::IoRedirect::OutputAndError(..) => true,
        ast::IoRedirect::File(..) | ast::IoRedirect::HereDocument(..) | ast::IoRedirect::HereString(..) => false,
    }
}

/// Says whether one of a block's redirects may fail.
pub(crate) fn any_may_fail(redirects: Option<&ast::RedirectList>) -> bool {
    redirects.iter().flat_map(|list| list.0.iter()).any(may_fail)
}

/// Says whether a command does not run where one of its redirects fails.
fn may_fail_to_start(command: &ast::Command) -> bool {
    redirects_of(command).any(may_fail)
}

/// Returns the redirects of a command.
fn redirects_of(command: &ast::Command) -> impl Iterator<Item = &ast::IoRedirect> {
    let (simple, list) = match command {
        ast::Command::Simple(simple) => (Some(simple), None),
        ast::Command::Compound(_, redirects) | ast::Command::ExtendedTest(_, redirects) => (None, redirects.as_ref()),
        ast::Command::Function(_) => (None, None),
    };
    let prefix = simple.into_iter().flat_map(|simple| simple.prefix.iter().flat_map(|prefix| prefix.0.iter()));
    let suffix = simple.into_iter().flat_map(|simple| simple.suffix.iter().flat_map(|suffix| suffix.0.iter()));
    let written = prefix.chain(suffix).filter_map(|item| match item {
        ast::CommandPrefixOrSuffixItem::IoRedirect(redirect) => Some(redirect),
        _ => None,
    });
    written.chain(list.into_iter().flat_map(|list| list.0.iter()))
}

/// Says whether a redirect leaves what a command writes as it is: it gives it a text, or sends its errors to nobody.
fn is_quiet(redirect: &ast::IoRedirect) -> bool {
    match redirect {
        ast::IoRedirect::HereString(None, word) => !word.value.contains(['$', '`', '~', '=']),
        ast::IoRedirect::HereDocument(None, document) => {
            !document.requires_expansion || !document.doc.value.contains(['$', '`'])
        }
        ast::IoRedirect::File(Some(2), ast::IoFileRedirectKind::Write, ast::IoFileRedirectTarget::Filename(word)) => {
            word.value == "/dev/null"
        }
        _ => false,
    }
}

/// Returns the arguments of a command as they are written, where they may hold more than one word.
fn arguments_of(simple: &ast::SimpleCommand) -> impl Iterator<Item = String> {
    let items = simple.suffix.iter().flat_map(|suffix| suffix.0.iter());
    items.filter_map(|item| match item {
        ast::CommandPrefixOrSuffixItem::Word(word) if word.value.contains(' ') && word.value.len() <= 4_096 => {
            Some(word.value.clone())
        }
        ast::CommandPrefixOrSuffixItem::IoRedirect(ast::IoRedirect::HereString(_, word))
            if word.value.len() <= 4_096 =>
        {
            Some(word.value.clone())
        }
        _ => None,
    })
}
