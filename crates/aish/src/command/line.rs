//! `aish line`: what the keys of `aish init` start.
//!
//! The line comes on standard input and its replacement goes to standard output, and nothing else does: what a person
//! reads goes to the terminal. On every exit code but 0 the shell keeps the line that it has.

mod ask;
mod desk;
mod explain;
mod proposal;
mod request;
pub mod screen;

use std::io::Read as _;

use aish_term::Beside;
use tokio_util::sync::CancellationToken;

use crate::arguments::{LineCommand, SharedFlags};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use desk::Desk;

/// The longest line, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Handles a key.
///
/// # Errors
/// When standard input cannot be read or no runtime can be made.
pub fn run(shared: &SharedFlags, command: &LineCommand) -> Result<ExitCode, Failure> {
    // First of all: until then Ctrl-C costs the shell its line.
    let beside = Beside::open();
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let watch = beside.as_ref().map(|beside| beside.watch(move || stop.cancel())).transpose()?;
    let mut line = Vec::new();
    std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut line)?;
    let base = Base::load(shared);
    let desk = Desk { base: &base, shared, beside: beside.as_ref(), cancel };
    let code = match String::from_utf8(line) {
        Ok(line) if line.len() as u64 <= LONGEST => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let code = runtime.block_on(async {
                match command {
                    LineCommand::Ask { shell, status, again, no_comments } => {
                        let asked = ask::Asked { line: &line, shell: *shell, status: *status, again: *again };
                        let halted = if *no_comments { ask::Halted::Shown } else { ask::Halted::Comment };
                        ask::run(&desk, &asked, halted).await
                    }
                    LineCommand::Explain { shell, status } => explain::run(&desk, &line, *shell, *status).await,
                }
            });
            runtime.shutdown_background();
            code
        }
        _ => desk.failed("the line is longer than 64 KiB, or no UTF-8"),
    };
    // Keys that are typed from now on are the shell's.
    drop(watch);
    Ok(code)
}
