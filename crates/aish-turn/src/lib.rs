//! The turn as a pure state machine: events in, effects out.
//!
//! Reading order: [`transcript`] (what was said), [`budget`] (what of it still fits), [`summary`] (what is kept of the
//! rest), [`command_line`] (`CMD:` lines), [`event`], [`effect`], [`turn`], the machine itself, and [`run`], the autonomous run
//! round it, with its [`limits`].
//! This crate never does I/O and never waits: the driver performs the effects and feeds back what came of them.
#![no_std]

extern crate alloc;

pub mod budget;
pub mod command_line;
pub mod effect;
pub mod event;
pub mod limits;
pub mod run;
pub mod summary;
pub mod transcript;
pub mod turn;

pub use budget::{Budget, Eviction};
pub use effect::{Effect, Record, Status};
pub use event::{Event, Finish, Judged};
pub use limits::{Limit, Limits, Spent};
pub use run::{Checked, End, Next, Run};
pub use transcript::{Counted, Entry, ToolResults, Transcript};
pub use turn::{Cap, Faults, Offer, Outcome, Turn, TurnOptions};
