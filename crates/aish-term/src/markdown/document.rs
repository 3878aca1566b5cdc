//! The reply as far as it is known: what of it is final, and what is still open.
//!
//! Only whole lines decide where blocks end, so that the result does not depend on how the text was cut into pieces.

use super::fence::Fence;
use super::render::{Marker, Renderer};
use super::split::{Block, Kind, blank_before, blocks};
use crate::styled::Styled;
use crate::wrap;

/// In fewer columns a wide character may not fit, which terminals take badly.
const NARROW: usize = 4;

/// A reply that grows.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// What is not final, from the end of the last final block on.
    pub(super) source: String,
    fence: Option<Fence>,
    state: State,
    /// How much of `source` was looked at already and left open: nothing new to decide before another line ends.
    settled: usize,
}

/// What the next block has to know of those before it.
#[derive(Debug, Clone, Default)]
struct State {
    /// Something was drawn before.
    begun: bool,
    /// The last line before `source` is blank.
    blank: bool,
    /// The marker of the next item, where the last thing drawn was an item of a list that may go on.
    list: Option<Marker>,
}

impl Document {
    /// Returns the lines that have become final.
    pub(super) fn advance(&mut self, renderer: &mut Renderer, width: usize) -> Vec<Styled> {
        let mut out = Vec::new();
        loop {
            let went_on = if self.fence.is_some() {
                self.advance_fence(renderer, width, &mut out)
            } else {
                self.advance_blocks(renderer, width, &mut out)
            };
            if !went_on {
                return out;
            }
        }
    }

    /// Returns all that is left; nothing follows.
    pub(super) fn finish(&mut self, renderer: &mut Renderer, width: usize) -> Vec<Styled> {
        if !self.source.is_empty() && !self.source.ends_with('\n') {
            self.source.push('\n');
        }
        self.settled = 0;
        let mut out = self.advance(renderer, width);
        let source = std::mem::take(&mut self.source);
        draw_all(&source, &mut self.state, renderer, width, &mut out);
        *self = Self::default();
        out
    }

    /// Returns the lines of what is open, as they look now.
    pub(super) fn open_lines(&self, renderer: &mut Renderer, width: usize) -> Vec<Styled> {
        let mut out = Vec::new();
        if let Some(fence) = &self.fence {
            if !self.source.is_empty() {
                let line = wrap::expand_tabs(fence.stripped(&self.source));
                out.push(fence.code.clone().line(&line, &renderer.theme));
            }
            return out;
        }
        draw_all(&self.source, &mut self.state.clone(), renderer, width, &mut out);
        out
    }

    /// Writes the whole lines of fenced code; true when the fence was closed.
    fn advance_fence(&mut self, renderer: &Renderer, width: usize, out: &mut Vec<Styled>) -> bool {
        let mut from = 0;
        let mut closed = false;
        while let Some(fence) = &mut self.fence {
            let Some(end) = self.source.get(from..).and_then(|rest| rest.find('\n')) else { break };
            let line = self.source.get(from..from + end).unwrap_or_default();
            from += end + 1;
            if fence.is_closed_by(line) {
                out.extend(wrap::hard(&Styled::of(renderer.theme.dim, &fence.shown()), width));
                self.fence = None;
                closed = true;
            } else {
                let line = wrap::expand_tabs(fence.stripped(line));
                let styled = fence.code.line(&line, &renderer.theme);
                if width < NARROW {
                    out.extend(wrap::hard(&styled, width));
                } else {
                    // Not broken: the terminal wraps it, and what is copied from there is the line.
                    out.push(styled);
                }
            }
        }
        self.source.drain(..from);
        self.settled = 0;
        self.state.blank = false;
        closed
    }

    /// Writes the blocks that whole lines have ended; true when fenced code was entered.
    fn advance_blocks(&mut self, renderer: &mut Renderer, width: usize, out: &mut Vec<Styled>) -> bool {
        let Some(end) = self.source.rfind('\n').map(|at| at + 1) else { return false };
        if end <= self.settled {
            return false;
        }
        let whole = self.source.get(..end).unwrap_or_default().to_owned();
        let found = blocks(&whole, renderer.mark);
        let mut done = 0;
        let mut entered = false;
        for (at, block) in found.iter().enumerate() {
            let last = at + 1 == found.len();
            if block.kind == Kind::Fence {
                // What the parser took for the fence's end does not matter: lines are read one by one from here on.
                entered = self.enter_fence(&whole, block, renderer, width, out);
                if entered {
                    return true;
                }
            }
            if last && !is_over(&whole, block) {
                if let Some((&item, _)) = block.items.split_last().filter(|(_, before)| !before.is_empty()) {
                    draw(
                        &whole,
                        &Block { range: block.range.start..item, ..block.clone() },
                        &mut self.state,
                        renderer,
                        width,
                        out,
                    );
                    done = item;
                    self.state.blank = blank_before(&whole, item).unwrap_or(false);
                }
                break;
            }
            draw(&whole, block, &mut self.state, renderer, width, out);
            self.state.list = None;
            done = block.range.end;
            self.state.blank = ends_blank(&whole, done);
        }
        self.source.drain(..done);
        self.settled = end - done;
        entered
    }

    fn enter_fence(
        &mut self,
        whole: &str,
        block: &Block,
        renderer: &mut Renderer,
        width: usize,
        out: &mut Vec<Styled>,
    ) -> bool {
        let rest = whole.get(block.range.start..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let Some(fence) = Fence::open(line) else { return false };
        gap(whole, block, &mut self.state, out);
        self.state.list = None;
        out.extend(wrap::hard(&Styled::of(renderer.theme.dim, &format!("{}{}", fence.shown(), fence.language)), width));
        self.fence = Some(fence);
        self.source.drain(..block.range.start + line.len() + 1);
        self.settled = 0;
        true
    }
}

/// Says whether the last block cannot go on.
fn is_over(whole: &str, block: &Block) -> bool {
    match block.kind {
        Kind::Short | Kind::Literal => whole
            .strip_suffix('\n')
            .and_then(|text| text.rsplit('\n').next())
            .is_some_and(|line| line.trim().is_empty()),
        Kind::Command => true,
        Kind::Long | Kind::List | Kind::Fence => false,
    }
}

/// Says whether the line that ends at `end` is blank.
fn ends_blank(source: &str, end: usize) -> bool {
    source.get(..end).is_some_and(|text| text.ends_with('\n')) && blank_before(source, end).unwrap_or(false)
}

/// Draws every block of a source, its last ones with no regard to what may follow.
fn draw_all(source: &str, state: &mut State, renderer: &mut Renderer, width: usize, out: &mut Vec<Styled>) {
    for block in blocks(source, renderer.mark) {
        draw(source, &block, state, renderer, width, out);
        state.list = None;
    }
}

fn draw(source: &str, block: &Block, state: &mut State, renderer: &mut Renderer, width: usize, out: &mut Vec<Styled>) {
    let text = source.get(block.range.clone()).unwrap_or_default();
    match block.kind {
        Kind::List => {
            let starts: Vec<usize> = block.items.iter().copied().filter(|at| block.range.contains(at)).collect();
            let ends = starts.iter().copied().skip(1).chain([block.range.end]);
            for (start, end) in starts.iter().copied().zip(ends) {
                let item = Block { kind: Kind::List, range: start..end, items: Vec::new() };
                let text = source.get(start..end).unwrap_or_default();
                let (lines, next) = renderer.item(text, width, state.list);
                put(lines, source, &item, state, out);
                state.list = Some(next);
            }
        }
        Kind::Short | Kind::Long | Kind::Fence => {
            put(renderer.block(text, width), source, block, state, out);
        }
        Kind::Literal => {
            put(renderer.literal(text, width), source, block, state, out);
        }
        Kind::Command => {
            let line = renderer.command(text);
            // Not broken, as code is not, but where the terminal is too narrow for that.
            let lines = if width < NARROW { wrap::hard(&line, width) } else { vec![line] };
            put(lines, source, block, state, out);
        }
    }
}

fn put(lines: Vec<Styled>, source: &str, block: &Block, state: &mut State, out: &mut Vec<Styled>) {
    if !lines.is_empty() {
        gap(source, block, state, out);
        out.extend(lines);
    }
}

/// Puts a blank line before a block: always, but before a list, its items and a command only where one was written.
fn gap(source: &str, block: &Block, state: &mut State, out: &mut Vec<Styled>) {
    let wanted = match block.kind {
        Kind::List | Kind::Command => blank_before(source, block.range.start).unwrap_or(state.blank),
        Kind::Short | Kind::Long | Kind::Fence | Kind::Literal => true,
    };
    if state.begun && wanted {
        out.push(Styled::default());
    }
    state.begun = true;
}
