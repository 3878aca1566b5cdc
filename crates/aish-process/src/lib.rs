//! Child processes with an owner.
//!
//! A [`Command`] is run to its end with [`run`], or started as a long-lived [`Server`]; either way the whole tree
//! of what it started dies with its owner: on a timeout, a cancellation, a drop, and when this process is killed.
//! Output is kept with a bound, head and tail. No shell is ever involved, and this crate judges nothing: what may
//! run is decided before it is called.
//!
//! Linux only: it stands on pidfds, `PR_SET_PDEATHSIG`, `PR_SET_CHILD_SUBREAPER` and `/proc`.

pub mod capture;
pub mod command;
pub mod exit;
pub mod run;
pub mod sandbox;
pub mod server;
pub mod terminal;
pub mod watch;

mod child;
mod clone;
mod file_limit;
mod image;
mod registry;
mod resident;
mod spawner;
mod table;
mod tree;

pub use capture::{Capture, Captured};
pub use command::{Command, Environment, Stdin};
pub use exit::Exit;
pub use file_limit::survive_file_limit;
pub use image::SpawnError;
pub use registry::{kill_all, reap_orphans};
pub use resident::{release_code, share_heap};
pub use run::{RunOutcome, run};
pub use server::{Server, ServerOptions};
pub use terminal::{Change, Detached, TerminalChild};
pub use watch::Watched;
