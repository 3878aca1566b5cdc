//! What may run or not: branches, loops, parts of a pipe, what stands behind a `return`. A variable that is set there holds
//! afterwards what it was set to, or what it held before.
//!
//! While such a part is walked, what it sets is what it holds; where it ends, that is put together with what was there.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::budget::Work;
use super::state::{MAX_ALTERNATIVES, State, Values, size};
use super::word::{Taint, Word};

/// The most arguments that are remembered of those that there were perhaps.
const MAX_MIXED: usize = 128;

/// A part of the line that is walked, with what there was before it.
#[derive(Debug)]
pub(crate) struct Part {
    /// The variables that it sets.
    variables: Held,
    positional: Rc<Vec<Word>>,
    /// The functions that it defines.
    functions: Vec<String>,
}

/// What variables hold; none where one is taken away.
type Held = BTreeMap<String, Option<Values>>;

/// What each of several ways, of which one is taken, leaves in the variables that it sets, and as arguments.
#[derive(Debug, Default)]
pub(crate) struct Ways(Vec<(Held, Rc<Vec<Word>>)>);

/// How many of several ways are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    One,
    OneOrNone,
}

impl State {
    /// Begins a part of the line; what it returns ends it.
    pub(crate) fn begin(&mut self) -> usize {
        let positional = Rc::clone(&self.positional);
        self.held.push(Part { variables: BTreeMap::new(), positional, functions: Vec::new() });
        self.held.len() - 1
    }

    /// Begins a part that may not run.
    pub(crate) fn begin_branch(&mut self) -> usize {
        self.branches += 1;
        self.begin()
    }

    /// Notes a `return`: what stands behind it may not run.
    pub(crate) fn returns(&mut self) {
        self.begin_branch();
    }

    /// Remembers what a variable holds, before it is set.
    pub(super) fn hold(&mut self, name: &str) {
        if self.held.last().is_none_or(|part| part.variables.contains_key(name)) {
            return;
        }
        let old = self.variables.get(name).cloned();
        if self.budget.pay(Work::Scan, name.len() + old.as_deref().map_or(0, size))
            && let Some(part) = self.held.last_mut()
        {
            part.variables.insert(name.into(), old);
        }
    }

    /// Notes that a function is defined: where that may not have run, it is not sure what its name means.
    pub(crate) fn note_defined(&mut self, name: &str) {
        self.unsure.remove(name);
        if let Some(part) = self.held.last_mut() {
            part.functions.push(name.into());
        }
    }

    /// Ends a part that ran.
    pub(crate) fn end(&mut self, depth: usize) {
        let returned = self.settle(depth);
        self.hand_on();
        self.go_on(returned);
    }

    /// Ends a line that may have been left before its end: what it set is a guess, and so is what it took away.
    pub(crate) fn end_line(&mut self, depth: usize) {
        let set = self.held.get(depth).map(|part| part.variables.clone()).unwrap_or_default();
        self.end(depth);
        for (name, old) in set {
            if let Some(now) = self.variables.get(&name).cloned().or(old) {
                self.variables.insert(name, guessed(now));
            }
        }
    }

    /// Notes that a variable may hold something else than what is known of it.
    pub(crate) fn guess(&mut self, name: &str) {
        if let Some(now) = self.variables.get(name).cloned() {
            self.set_to(name, guessed(now));
        }
    }

    /// Ends a function: what stood behind its `return` ends too.
    pub(crate) fn end_call(&mut self, depth: usize, branches: usize) {
        self.settle(depth);
        self.hand_on();
        self.branches = branches;
    }

    /// Ends a part that may not have run; returns the variables that may hold something new.
    pub(crate) fn end_branch(&mut self, depth: usize) -> Vec<String> {
        let returned = self.settle(depth);
        let names = self.join();
        self.branches = self.branches.saturating_sub(1);
        self.go_on(returned);
        names
    }

    /// Ends one of several ways, and takes back what it set.
    pub(crate) fn end_way(&mut self, depth: usize, ways: &mut Ways) {
        let returned = self.settle(depth);
        if let Some(part) = self.held.pop() {
            let mut left = BTreeMap::new();
            for (name, old) in part.variables {
                let now = self.variables.get(&name).cloned();
                self.put_back(&name, old);
                left.insert(name, now);
            }
            self.unsure.extend(part.functions);
            ways.0.push((left, core::mem::replace(&mut self.positional, part.positional)));
        }
        self.go_on(returned);
    }

    /// Puts together what several ways left.
    pub(crate) fn join_ways(&mut self, ways: &Ways, taken: Taken) {
        let mut names: Vec<&String> = ways.0.iter().flat_map(|(way, _)| way.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.hold(name);
            let old = self.variables.get(name).cloned();
            let is_kept =
                taken == Taken::OneOrNone || ways.0.iter().any(|(way, _)| way.get(name).is_none_or(Option::is_none));
            let mut all = if is_kept { Some(old.unwrap_or_else(unset)) } else { None };
            for values in ways.0.iter().filter_map(|(way, _)| way.get(name)?.as_ref()) {
                all = Some(match all {
                    Some(all) => self.both(all, values),
                    None => values.clone(),
                });
            }
            if let Some(all) = all {
                self.variables.insert(name.clone(), all);
            }
        }
        for (_, positional) in &ways.0 {
            self.mix(&Rc::clone(positional));
        }
    }

    /// Sets a variable to several values, of which it holds one.
    pub(crate) fn set_to(&mut self, name: &str, values: Values) {
        self.hold(name);
        self.variables.insert(name.into(), values);
    }

    /// Lets a variable hold what it held before as well, or nothing, where it is not sure that it was set.
    pub(crate) fn or_before(&mut self, name: &str, before: Option<Values>) {
        if let Some(now) = self.variables.get(name).cloned() {
            let all = self.both(before.unwrap_or_else(unset), &now);
            self.variables.insert(name.into(), all);
        }
    }

    /// Forgets what a variable holds but for its marks.
    pub(crate) fn forget(&mut self, name: &str, taint: Taint) {
        self.set_to(name, alloc::vec![alloc::vec![Word::unknown(taint | Taint::UNSET)]]);
    }

    /// Ends what `return` began above a depth; says whether it began something.
    fn settle(&mut self, depth: usize) -> bool {
        let mut returned = false;
        while self.held.len() > depth + 1 {
            self.join();
            returned = true;
        }
        returned
    }

    /// Goes on behind a `return`.
    fn go_on(&mut self, returned: bool) {
        if returned {
            self.begin();
        }
    }

    /// Hands what the last part held before to the part around it.
    fn hand_on(&mut self) {
        if let Some(part) = self.held.pop()
            && let Some(outer) = self.held.last_mut()
        {
            outer.functions.extend(part.functions);
            for (name, old) in part.variables {
                outer.variables.entry(name).or_insert(old);
            }
        }
    }

    /// Puts what the last part set together with what was there before.
    fn join(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        let Some(part) = self.held.pop() else { return names };
        self.unsure.extend(part.functions);
        self.mix(&part.positional);
        for (name, old) in part.variables {
            // A subshell took it back.
            let Some(now) = self.variables.get(&name).cloned() else { continue };
            if old.as_ref() == Some(&now) {
                continue;
            }
            if let Some(outer) = self.held.last_mut() {
                outer.variables.entry(name.clone()).or_insert_with(|| old.clone());
            }
            let all = self.both(old.clone().unwrap_or_else(unset), &now);
            if Some(&all) != old.as_ref() {
                names.push(name.clone());
            }
            self.variables.insert(name, all);
        }
        names
    }

    /// Puts arguments that there are perhaps together with those that there are.
    fn mix(&mut self, others: &Rc<Vec<Word>>) {
        let ours = Rc::clone(&self.positional);
        if ours == *others || !self.budget.pay(Work::Argument, (ours.len() + others.len()) / 4 + 1) {
            return;
        }
        let both = (0..ours.len().max(others.len())).map(|at| match (ours.get(at), others.get(at)) {
            (Some(one), Some(other)) if one == other => one.clone(),
            _ => Word::unknown(Taint::UNSET),
        });
        self.positional = Rc::new(both.collect());
        for word in ours.iter().chain(others.iter()).filter(|word| word.is_known()) {
            if self.mixed.len() < MAX_MIXED && !self.mixed.contains(word) {
                self.mixed.push(word.clone());
            }
        }
    }

    fn put_back(&mut self, name: &str, old: Option<Values>) {
        match old {
            Some(old) => self.variables.insert(name.into(), old),
            None => self.variables.remove(name),
        }
    }

    /// Returns the values of two lists, those that are not known at the end.
    fn both(&self, mut all: Values, more: &[Vec<Word>]) -> Values {
        // Each is held against the others.
        if !self.budget.pay(Work::Scan, size(&all).saturating_mul(1 + more.len() / 4) + size(more)) {
            return unset();
        }
        let open = all.iter().position(|value| *value == unset_value());
        if let Some(at) = open {
            all.remove(at);
        }
        for value in more {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        if open.is_some() && !all.contains(&unset_value()) {
            all.push(unset_value());
        }
        if all.len() > MAX_ALTERNATIVES {
            all.truncate(MAX_ALTERNATIVES - 1);
            all.push(alloc::vec![Word::unknown(Taint::NONE)]);
        }
        all
    }
}

/// What a variable holds that may not be set, or by somebody else.
fn unset_value() -> Vec<Word> {
    alloc::vec![Word::unknown(Taint::UNSET)]
}

fn unset() -> Values {
    alloc::vec![unset_value()]
}

/// Marks values as guesses.
fn guessed(mut values: Values) -> Values {
    for word in values.iter_mut().flatten() {
        word.taint = word.taint | Taint::GUESSED;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Vec<Word> {
        alloc::vec![Word::literal(text)]
    }

    fn texts(state: &State, name: &str) -> Vec<String> {
        let values = state.variables.get(name).cloned().unwrap_or_default();
        values.iter().map(|value| value.iter().map(|word| word.text.as_str()).collect()).collect()
    }

    #[test]
    fn a_branch_leaves_both_values_and_ways_leave_theirs() {
        let mut state = State::default();
        state.keep("a", value("1"));
        let depth = state.begin_branch();
        state.keep("a", value("2"));
        state.keep("b", value("3"));
        assert_eq!(texts(&state, "a"), ["2"]);
        assert_eq!(state.end_branch(depth), ["a", "b"]);
        assert_eq!(texts(&state, "a"), ["1", "2"]);
        assert_eq!(texts(&state, "b"), ["3", "\u{FFFC}"]);

        let mut ways = Ways::default();
        for text in ["4", "5"] {
            let depth = state.begin();
            state.keep("c", value(text));
            if text == "4" {
                state.keep("a", value(text));
            }
            state.end_way(depth, &mut ways);
        }
        assert_eq!(texts(&state, "c").len(), 0);
        state.join_ways(&ways, Taken::One);
        assert_eq!(texts(&state, "c"), ["4", "5"]);
        assert_eq!(texts(&state, "a"), ["1", "2", "4"]);
        assert!(state.held.is_empty());
    }

    #[test]
    fn what_stands_behind_a_return_may_not_run() {
        let mut state = State::default();
        state.keep("a", value("1"));
        let (call, branches) = (state.begin(), state.branches);
        let branch = state.begin_branch();
        state.keep("a", value("2"));
        state.returns();
        state.end_branch(branch);
        assert_eq!(texts(&state, "a"), ["1", "2"]);
        state.keep("a", value("3"));
        assert_eq!(texts(&state, "a"), ["3"]);
        state.end_call(call, branches);
        assert_eq!(texts(&state, "a"), ["1", "2", "3"]);
        assert!(state.held.is_empty() && state.branches == 0);
    }
}
