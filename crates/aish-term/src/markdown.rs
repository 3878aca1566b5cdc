//! Streamed markdown: text of a model goes in as it comes, what to write comes out.
//!
//! Finished blocks are written once and never touched again; only the block that is still open is drawn anew, at most
//! sixty times a second, and more seldom where it is long. Where the cursor may not be moved, the text goes through as it comes, clean and undecorated.

mod document;
mod fence;
mod highlight;
mod inline;
mod language;
mod lexer;
mod render;
mod split;
mod table;
mod tail;

use std::time::Duration;

use crate::capability::Capabilities;
use crate::clean::Cleaner;
use crate::styled::{Ink, Styled};
use crate::theme::Theme;

use document::Document;
use render::Renderer;
use tail::Tail;

/// The shortest time between two drawings, for each so many bytes that are still open: all of them are drawn anew.
const FRAME: Duration = Duration::from_millis(16);
const DRAWN_IN_A_FRAME: usize = 16 * 1024;

/// Colours a whole block of code in a language, named as after a fence; a line each.
pub fn code_lines(language: &str, text: &str, theme: &Theme) -> Vec<Styled> {
    let mut code = highlight::Code::new(language);
    text.strip_suffix('\n').unwrap_or(text).split('\n').map(|line| code.line(line, theme)).collect()
}

/// A renderer of one reply.
#[derive(Debug)]
pub struct Markdown {
    capabilities: Capabilities,
    cleaner: Cleaner,
    document: Document,
    renderer: Renderer,
    tail: Tail,
    /// When it was drawn last.
    drawn: Option<Duration>,
    /// Something came that is not drawn.
    waiting: bool,
    /// The text that went through last ended with a newline, or none came.
    at_line_start: bool,
    /// A line below all that came, which is no part of the reply.
    sign: Option<Styled>,
}

impl Markdown {
    /// Makes a renderer. The cursor must stand at the start of a line.
    pub fn new(theme: Theme, capabilities: Capabilities) -> Self {
        Self {
            capabilities,
            cleaner: Cleaner::default(),
            document: Document::default(),
            renderer: Renderer::new(theme, capabilities.unicode),
            tail: Tail::new(capabilities.reflows),
            drawn: None,
            waiting: false,
            at_line_start: true,
            sign: None,
        }
    }

    /// Gives lines that begin with a mark, as proposed commands do, a line of their own, and shows them as they stand.
    #[must_use]
    pub fn with_commands(mut self, mark: &'static str) -> Self {
        self.renderer.mark = Some(mark);
        self
    }

    /// Takes a piece of the reply at a time (any monotonic clock), and appends what to write to `out`.
    pub fn push(&mut self, piece: &str, now: Duration, out: &mut String) {
        if !self.capabilities.live {
            let from = out.len();
            self.cleaner.push(piece, out);
            if out.len() > from {
                self.at_line_start = out.ends_with('\n');
            }
            return;
        }
        self.cleaner.push(piece, &mut self.document.source);
        self.waiting = true;
        self.tick(now, out);
    }

    /// Returns when [`Markdown::tick`] wants to be called, where something waits to be drawn.
    pub fn deadline(&self) -> Option<Duration> {
        let frames = 1 + self.document.source.len() / DRAWN_IN_A_FRAME;
        let frame = FRAME.saturating_mul(u32::try_from(frames).unwrap_or(u32::MAX));
        self.waiting.then(|| self.drawn.map_or(Duration::ZERO, |drawn| drawn.saturating_add(frame)))
    }

    /// Draws what waits, if it is time.
    pub fn tick(&mut self, now: Duration, out: &mut String) {
        if self.deadline().is_some_and(|deadline| now >= deadline) {
            self.drawn = Some(now);
            self.draw(out);
        }
    }

    /// Shows a line below all that came, or takes it away: the sign that a reply which is silent still goes on. It goes by
    /// itself at the reply's end. Nothing where the cursor may not be moved.
    pub fn sign(&mut self, sign: Option<Styled>, out: &mut String) {
        if self.capabilities.live && self.sign != sign {
            self.sign = sign;
            self.draw(out);
        }
    }

    fn draw(&mut self, out: &mut String) {
        self.waiting = false;
        let width = usize::from(self.capabilities.width);
        let done = self.document.advance(&mut self.renderer, width);
        let mut open = self.document.open_lines(&mut self.renderer, width);
        open.extend(self.sign.clone());
        self.tail.draw(&done, &open, self.size(), self.ink(), out);
    }

    /// Ends the reply, or interrupts it before something else is written: all that came is final, and the cursor stands
    /// at the start of a line. What is pushed later is a new document.
    pub fn finish(&mut self, out: &mut String) {
        if !self.capabilities.live {
            let from = out.len();
            self.cleaner.finish(out);
            if out.len() > from {
                self.at_line_start = out.ends_with('\n');
            }
            if !self.at_line_start {
                out.push('\n');
                self.at_line_start = true;
            }
            return;
        }
        self.sign = None;
        self.cleaner.finish(&mut self.document.source);
        let done = self.document.finish(&mut self.renderer, usize::from(self.capabilities.width));
        self.tail.draw(&done, &[], self.size(), self.ink(), out);
        self.waiting = false;
        self.drawn = None;
    }

    /// Tells of a new size of the terminal, in columns and rows. What is final stays as it is; the open block is drawn
    /// in the new width from now on.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.capabilities.width = width.max(1);
        self.capabilities.height = height.max(1);
        self.waiting = true;
    }

    fn size(&self) -> (usize, usize) {
        (usize::from(self.capabilities.width), usize::from(self.capabilities.height))
    }

    fn ink(&self) -> Ink {
        Ink { color: self.capabilities.color, links: self.capabilities.links }
    }
}
