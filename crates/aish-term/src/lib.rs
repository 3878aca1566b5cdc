//! The terminal: line editor, streamed markdown, frames and the gate's question.
//!
//! Reading order: [`capability`] (what the terminal can do), [`theme`], [`styled`] (text with styles), [`cells`] and
//! [`wrap`] (how wide text is and where it breaks), [`message`] (what aish itself says), [`clean`] (the sanitiser for streams), [`markdown`], [`html`], [`frame`],
//! [`spinner`], [`history`], [`editor`], [`beside`] (the terminal of a shell that waits for us) and last [`question`], what a person is
//! asked at the gate.
//!
//! This crate never talks to a model, a shell or a database: they come in as traits and closures. Nothing here reads a
//! clock; times are passed in. Renderers return text for the caller to write; only [`editor`], [`question`] and
//! [`beside`] own the terminal, while they read from it.

pub mod ansi;
pub mod beside;
pub mod capability;
pub mod cells;
pub mod clean;
mod cooked;
pub mod editor;
pub mod frame;
pub mod guard;
pub mod history;
pub mod html;
pub mod markdown;
pub mod message;
pub mod question;
pub mod spinner;
pub mod styled;
pub mod styled_lines;
pub mod theme;
pub mod wrap;

pub use beside::Beside;
pub use capability::{Capabilities, ColorPolicy, Facts};
pub use editor::{
    Candidate, EditorError, EditorOptions, Exported, Input, KeyMode, Line, LineCompleter, LineEditor, Printer,
    PromptView, Reach, Reading, Route, RouteHint, Wholeness,
};
pub use history::{HistoryEntry, HistoryError, HistoryQuery, HistoryStore, MemoryHistory};
pub use markdown::Markdown;
pub use question::{TerminalApprover, diff_lines, discard_typed_before};
pub use styled::{Span, Styled};
pub use styled_lines::StyledLines;
pub use theme::Theme;
