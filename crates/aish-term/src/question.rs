//! What a person is asked at the gate, and how the answer is read.
//!
//! Order: [`body`] draws the question whole, [`dialogue`] shows it and offers the choices, [`terminal`] is the one way in
//! which keys are read for any question, what was typed ahead is set aside ([`aside`]) by it,
//! [`halt`] does so at the HALT gate of an autonomous run, [`changes`] asks what becomes of a layer,
//! [`tty`] is the real terminal, [`approver`] the gate's port.

mod approver;
mod aside;
mod body;
mod changes;
mod dialogue;
mod halt;
mod terminal;
mod tty;
mod typed_before;

pub use approver::TerminalApprover;
pub(crate) use aside::Aside;
pub use body::question_lines;
pub use changes::{changes, changes_lines, diff_lines};
pub use dialogue::{CANCEL, ask, choose};
pub use halt::{HaltAnswer, halt};
pub use terminal::{AskTerminal, Key};
pub(crate) use tty::on_terminal;
pub use typed_before::discard_typed_before;
