//! The keys of readline: one table of functions and keys, numeric arguments, the kill ring, `~/.inputrc`.
//!
//! Order: [`chord`] (keys and how readline writes them), [`functions`] (what functions there are), [`defaults`] (which
//! keys call them), [`inputrc`] (which the person wants), [`text`] (what our own functions do to a line).

mod chord;
mod defaults;
mod functions;
pub mod inputrc;
mod text;

use std::collections::HashMap;
use std::sync::Arc;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use reedline::{EditCommand, ReedlineEvent};

use functions::{Act, Own};
use inputrc::{Bound, Inputrc};

use super::session::Shared;
use crate::history::{HistoryQuery, HistoryStore, Order};
use chord::{Chord, sequence};

/// How often a numeric argument repeats a function at most.
const MOST: i64 = 1_000;

/// Keys that a macro types at most, with those that it calls, and how deep they call one another.
const MOST_TYPED: usize = 4096;
const DEEPEST: usize = 8;

/// Kills that are kept.
const RING: usize = 32;

/// The keys of the emacs mode with what they are a part of.
pub(super) struct Readline {
    bound: HashMap<Vec<Chord>, Bound>,
    shared: Arc<Shared>,
    history: Arc<dyn HistoryStore>,
    /// The beginning of a key of several.
    pending: Vec<Chord>,
    argument: Option<Argument>,
    waits: Option<Waits>,
    /// What was killed, newest last.
    ring: Vec<String>,
    /// The line and the cursor before a kill whose text is not in the ring yet, and whether it goes on the one before.
    killing: Option<(String, usize, bool)>,
    /// The last kill came in one go with other keys, so that only the engine has its text.
    unseen: bool,
    last: Last,
    mark: usize,
    /// The line that was typed before one of the history was taken.
    typed: Option<String>,
    /// The line and the cursor before the search that is open.
    searched_from: Option<(String, usize)>,
    macros: Macros,
}

/// The macros that are being typed: how deep they call one another, and how many keys they have typed.
#[derive(Debug, Clone, Copy, Default)]
struct Macros {
    depth: usize,
    keys: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Argument {
    negative: bool,
    digits: Option<i64>,
}

impl Argument {
    fn value(self) -> i64 {
        let count = self.digits.unwrap_or(1);
        if self.negative { -count } else { count }
    }
}

/// What the next key is for.
#[derive(Debug, Clone, Copy)]
enum Waits {
    Quoted,
    Search { forward: bool, count: i64 },
}

/// What the key before was, for functions that go on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Last {
    Other,
    Kill,
    /// Text was put in by a yank: how long it is in characters, and which of the ring it was.
    Yank {
        length: usize,
        from_end: usize,
    },
    /// The last word of a line of the history: how long it is, and how many lines back.
    Argument {
        length: usize,
        back: usize,
        nth: Option<i64>,
    },
}

impl Readline {
    pub(super) fn new(inputrc: &Inputrc, shared: Arc<Shared>, history: Arc<dyn HistoryStore>) -> Self {
        let defaults = defaults::KEYS
            .iter()
            .filter_map(|(key, function)| Some((sequence(key)?, Bound::Function(functions::known(function)?))));
        let own = inputrc.keys.iter().filter_map(|(key, bound)| Some((sequence(key)?, bound.clone())));
        let mut bound: HashMap<_, _> = defaults.chain(own).collect();
        // These are ours wherever nobody binds them to something else: the library's word for them has more to it.
        for key in [r"\C-i", r"\e[3~"] {
            let is_default = |what: &Bound| matches!(what, Bound::Function("complete" | "delete-char"));
            if let Some(key) = sequence(key)
                && bound.get(&key).is_some_and(is_default)
            {
                bound.remove(&key);
            }
        }
        Self {
            bound,
            shared,
            history,
            pending: Vec::new(),
            argument: None,
            waits: None,
            ring: Vec::new(),
            killing: None,
            unseen: false,
            last: Last::Other,
            mark: 0,
            typed: None,
            searched_from: None,
            macros: Macros::default(),
        }
    }

    /// Takes a key; none where it is not one of these.
    pub(super) fn take(&mut self, event: &Event) -> Option<ReedlineEvent> {
        let Event::Key(key) = event else { return None };
        if key.kind == KeyEventKind::Release {
            return None;
        }
        self.finish_kill();
        if let Some(waits) = self.waits.take() {
            return Some(self.waited(waits, key));
        }
        self.pending.push(Chord::of(key));
        if let Some(bound) = self.bound.get(&self.pending).cloned() {
            let chords = std::mem::take(&mut self.pending);
            return Some(self.run(&bound, &chords));
        }
        let begins = |keys: &Vec<Chord>| keys.len() > self.pending.len() && keys.starts_with(&self.pending);
        if self.bound.keys().any(begins) {
            return Some(ReedlineEvent::None);
        }
        let was_alone = self.pending.len() == 1;
        self.pending.clear();
        if !matches!(key.code, KeyCode::Char(_) | KeyCode::Up | KeyCode::Down | KeyCode::Backspace) {
            self.searched_from = None;
        }
        self.last = Last::Other;
        if !was_alone {
            // A key of several that means nothing.
            return Some(ReedlineEvent::None);
        }
        let argument = self.argument.take()?.value();
        match key.code {
            KeyCode::Char(c) if key.modifiers.difference(KeyModifiers::SHIFT).is_empty() => {
                let count = usize::try_from(argument.clamp(0, MOST)).unwrap_or_default();
                Some(insert(c.to_string().repeat(count)))
            }
            _ => None,
        }
    }

    fn run(&mut self, bound: &Bound, chords: &[Chord]) -> ReedlineEvent {
        match bound {
            Bound::Nothing => ReedlineEvent::None,
            Bound::Macro(text) => {
                self.last = Last::Other;
                self.typed_by_macro(text)
            }
            Bound::Function("digit-argument") => self.digit(chords),
            Bound::Function(name) => {
                let argument = self.argument.take();
                self.call(name, argument)
            }
        }
    }

    /// Types a macro's keys as a person would; a carriage return is Enter, and a macro may call others.
    fn typed_by_macro(&mut self, text: &str) -> ReedlineEvent {
        if self.macros.depth == DEEPEST {
            return ReedlineEvent::None;
        }
        if self.macros.depth == 0 {
            self.macros.keys = 0;
            // Its keys find another line than the one on the screen.
            self.shared.key();
        }
        self.macros.depth += 1;
        let mut events = Vec::new();
        let mut plain = String::new();
        for chord in chord::chords(text).unwrap_or_default() {
            self.macros.keys += 1;
            if self.macros.keys > MOST_TYPED {
                break;
            }
            let taken = self.take(&Event::Key(KeyEvent::new(chord.code, chord.modifiers)));
            match chord.character().filter(|_| taken.is_none()) {
                Some(c) => plain.push(c),
                None => {
                    if !plain.is_empty() {
                        events.push(insert(std::mem::take(&mut plain)));
                    }
                    events
                        .extend(taken.or_else(|| functions::unbound(chord.code)).filter(|e| *e != ReedlineEvent::None));
                }
            }
        }
        self.macros.depth -= 1;
        if !plain.is_empty() {
            events.push(insert(plain));
        }
        ReedlineEvent::Multiple(events)
    }

    fn digit(&mut self, chords: &[Chord]) -> ReedlineEvent {
        let argument = self.argument.get_or_insert_default();
        match chords.last().map(|chord| chord.code) {
            Some(KeyCode::Char('-')) => argument.negative = true,
            Some(KeyCode::Char(c)) => {
                let digit = c.to_digit(10).map(i64::from).unwrap_or_default();
                argument.digits = Some((argument.digits.unwrap_or(0) * 10 + digit).min(MOST));
            }
            _ => {}
        }
        ReedlineEvent::None
    }

    fn call(&mut self, name: &'static str, argument: Option<Argument>) -> ReedlineEvent {
        let value = argument.map_or(1, Argument::value);
        let turned = if value < 0 { functions::turned(name) } else { None };
        let name = turned.unwrap_or(name);
        let times = usize::try_from(value.unsigned_abs().min(MOST.unsigned_abs())).unwrap_or(1);
        let last = std::mem::replace(&mut self.last, Last::Other);
        let searched_from = self.searched_from.take();
        if let ("abort", Some((line, position))) = (name, &searched_from) {
            let place = EditCommand::MoveToPosition { position: *position, select: false };
            return ReedlineEvent::Multiple(vec![ReedlineEvent::Esc, replaced(line), ReedlineEvent::Edit(vec![place])]);
        }
        self.searched_from = match name {
            "forward-search-history" | "reverse-search-history" => searched_from.or_else(|| self.shared.painted()),
            name if functions::SEARCHING.contains(&name) => searched_from,
            _ => None,
        };
        match functions::act(name) {
            None => ReedlineEvent::None,
            Some(Act::Event(event)) if times == 1 => event(),
            Some(Act::Event(event)) => ReedlineEvent::Multiple((0..times).map(|_| event()).collect()),
            Some(Act::Kill(kill)) => {
                let painted = self.shared.painted();
                self.unseen = painted.is_none();
                self.killing = painted.map(|(line, cursor)| (line, cursor, last == Last::Kill));
                self.last = Last::Kill;
                ReedlineEvent::Edit((0..times).map(|_| kill()).collect())
            }
            Some(Act::Own(own)) => self.own(own, last, argument.map(|_| value)),
        }
    }

    /// Puts what the last kill took into the ring: what is missing of the line since.
    fn finish_kill(&mut self) {
        let Some((before, from, goes_on)) = self.killing.take() else { return };
        let Some((after, to)) = self.shared.painted() else { return };
        let Some(killed) = text::removed(&before, &after, to) else { return };
        match self.ring.last_mut().filter(|_| goes_on) {
            // Killed to the left: it comes before what was killed first.
            Some(last) if to < from => last.insert_str(0, &killed),
            Some(last) => last.push_str(&killed),
            None => self.ring.push(killed),
        }
        let over = self.ring.len().saturating_sub(RING);
        self.ring.drain(..over);
    }

    fn own(&mut self, own: Own, last: Last, argument: Option<i64>) -> ReedlineEvent {
        let painted = self.shared.painted();
        match own {
            Own::Argument => ReedlineEvent::None,
            Own::Quoted => {
                self.waits = Some(Waits::Quoted);
                ReedlineEvent::None
            }
            Own::SearchForward | Own::SearchBackward => {
                self.waits =
                    Some(Waits::Search { forward: own == Own::SearchForward, count: argument.unwrap_or(1).abs() });
                ReedlineEvent::None
            }
            Own::RuboutName => {
                painted.map_or(ReedlineEvent::None, |(line, cursor)| self.rub_name_out(line, cursor, last))
            }
            Own::Comment => ReedlineEvent::Multiple(vec![
                ReedlineEvent::Edit(vec![EditCommand::MoveToStart { select: false }, EditCommand::InsertChar('#')]),
                ReedlineEvent::Submit,
            ]),
            Own::FirstHistory => match (self.of_history(Order::Oldest, 0), painted) {
                (Some(line), Some((typed, _))) => {
                    self.typed.get_or_insert(typed);
                    replaced(&line)
                }
                _ => ReedlineEvent::None,
            },
            Own::LastHistory => self.typed.take().map_or(ReedlineEvent::None, |typed| replaced(&typed)),
            Own::Revert => ReedlineEvent::Edit(vec![EditCommand::Undo; 200]),
            Own::LastArgument => self.argument_of_history(own, last, argument),
            Own::NthArgument => self.argument_of_history(own, Last::Other, Some(argument.unwrap_or(1))),
            Own::SetMark => {
                self.mark = painted.map_or(0, |(_, cursor)| cursor);
                ReedlineEvent::None
            }
            Own::ExchangeMark => {
                painted.map_or(ReedlineEvent::None, |(line, cursor)| self.exchange_mark(&line, cursor))
            }
            Own::DeleteBlanks => painted.map_or(ReedlineEvent::None, |(line, cursor)| blanks_deleted(&line, cursor)),
            Own::Tilde => rewritten(painted, |line, cursor| {
                let home = std::env::home_dir()?.display().to_string();
                text::tilde_expanded(line, cursor, &home)
            }),
            Own::TransposeWords => rewritten(painted, text::transposed),
            Own::Yank => self.yank(),
            Own::YankPop => self.yank_another(last),
        }
    }

    /// Kills the name before the cursor.
    fn rub_name_out(&mut self, line: String, cursor: usize, last: Last) -> ReedlineEvent {
        let count = text::name_before(line.get(..cursor).unwrap_or(&line));
        (self.killing, self.unseen) = (Some((line, cursor, last == Last::Kill)), false);
        self.last = Last::Kill;
        ReedlineEvent::Edit(vec![EditCommand::Backspace; count])
    }

    /// Puts back what was killed last.
    fn yank(&mut self) -> ReedlineEvent {
        if self.unseen {
            return ReedlineEvent::Edit(vec![EditCommand::PasteCutBufferBefore]);
        }
        let Some(killed) = self.ring.last().cloned() else { return ReedlineEvent::None };
        self.last = Last::Yank { length: killed.chars().count(), from_end: 0 };
        insert(killed)
    }

    /// Puts what was killed before it in the place of what was put back last.
    fn yank_another(&mut self, last: Last) -> ReedlineEvent {
        let Last::Yank { length, from_end } = last else { return ReedlineEvent::None };
        let from_end = (from_end + 1) % self.ring.len().max(1);
        let Some(killed) = self.ring.iter().rev().nth(from_end).cloned() else { return ReedlineEvent::None };
        self.last = Last::Yank { length: killed.chars().count(), from_end };
        put_in_place(length, killed)
    }

    /// Goes to the mark, and puts it where the cursor was.
    fn exchange_mark(&mut self, line: &str, cursor: usize) -> ReedlineEvent {
        let position = std::mem::replace(&mut self.mark, cursor).min(line.len());
        let position = (0..=position).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
        ReedlineEvent::Edit(vec![EditCommand::MoveToPosition { position, select: false }])
    }

    /// Puts a word of an earlier line in: the last one, or the nth with a number; again, that of the line before it.
    fn argument_of_history(&mut self, own: Own, last: Last, argument: Option<i64>) -> ReedlineEvent {
        let (length, back, nth) = match last {
            Last::Argument { length, back, nth } => (length, back + 1, nth),
            Last::Other | Last::Kill | Last::Yank { .. } => (0, 0, argument),
        };
        let Some(line) = self.of_history(Order::Newest, back) else {
            self.last = Last::Argument { length, back: back.saturating_sub(1), nth };
            return ReedlineEvent::None;
        };
        let Some(word) = text::word(&line, nth) else { return ReedlineEvent::None };
        if own == Own::LastArgument {
            self.last = Last::Argument { length: word.chars().count(), back, nth };
        }
        put_in_place(length, word)
    }

    /// Returns a line of the history, `back` lines from its end or beginning.
    fn of_history(&self, order: Order, back: usize) -> Option<String> {
        let query = HistoryQuery { order, limit: Some(back + 1), ..HistoryQuery::default() };
        let found = self.history.search(&query).ok()?;
        found.get(back).map(|entry| aish_types::sanitize(&entry.line).into_owned())
    }

    fn waited(&mut self, waits: Waits, key: &KeyEvent) -> ReedlineEvent {
        let c = match (key.code, key.modifiers.difference(KeyModifiers::SHIFT).is_empty()) {
            (KeyCode::Char(c), true) => c,
            (KeyCode::Tab, _) => '\t',
            // A line that controls the terminal would do so as soon as it is drawn.
            _ => return ReedlineEvent::None,
        };
        match waits {
            Waits::Quoted => ReedlineEvent::Edit(vec![EditCommand::InsertChar(c)]),
            Waits::Search { forward, count } => {
                let command = if forward {
                    EditCommand::MoveRightUntil { c, select: false }
                } else {
                    EditCommand::MoveLeftUntil { c, select: false }
                };
                let times = usize::try_from(count.min(MOST)).unwrap_or(1);
                ReedlineEvent::Edit(vec![command; times])
            }
        }
    }
}

fn insert(text: String) -> ReedlineEvent {
    ReedlineEvent::Edit(vec![EditCommand::InsertString(text)])
}

/// Puts a text in the place of so many characters before the cursor.
fn put_in_place(length: usize, text: String) -> ReedlineEvent {
    let mut commands = vec![EditCommand::Backspace; length];
    commands.push(EditCommand::InsertString(text));
    ReedlineEvent::Edit(commands)
}

/// Puts what a change makes of the line in its place, with the cursor where the change leaves it.
fn rewritten(
    painted: Option<(String, usize)>,
    change: impl FnOnce(&str, usize) -> Option<(String, usize)>,
) -> ReedlineEvent {
    let Some((line, position)) = painted.and_then(|(line, cursor)| change(&line, cursor)) else {
        return ReedlineEvent::None;
    };
    ReedlineEvent::Edit(vec![
        EditCommand::Clear,
        EditCommand::InsertString(line),
        EditCommand::MoveToPosition { position, select: false },
    ])
}

fn blanks_deleted(line: &str, cursor: usize) -> ReedlineEvent {
    let (before, behind) = text::blanks_around(line, cursor);
    let mut commands = vec![EditCommand::Backspace; before];
    commands.extend(vec![EditCommand::Delete; behind]);
    ReedlineEvent::Edit(commands)
}

fn replaced(line: &str) -> ReedlineEvent {
    ReedlineEvent::Edit(vec![EditCommand::Clear, EditCommand::InsertString(line.to_owned())])
}

#[cfg(test)]
mod tests;
