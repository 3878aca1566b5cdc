//! `aish __confine`, hidden: the launcher of confined runs. It comes before anything else of a start, in one thread.

use std::ffi::OsString;
use std::io::Write as _;

use aish_confine::{Plan, Told, available, launch, launch_when_told};

use crate::confinement::{LAUNCHER, PROBE};
use crate::exit::ExitCode;

/// Runs the plan that the arguments are, where they are one; or says what works here.
pub fn launched(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.next()? != LAUNCHER {
        return None;
    }
    let mut arguments = arguments.peekable();
    if arguments.peek().is_some_and(|first| first == PROBE) {
        let written = std::io::stdout().write_all(available().to_lines().as_bytes());
        return Some(if written.is_ok() { ExitCode::Ok } else { ExitCode::Error });
    }
    if let Some(told) = arguments.peek().and_then(|first| Told::from_argument(first)) {
        return Some(ExitCode::Of(launch_when_told(told)));
    }
    Some(match Plan::from_arguments(arguments) {
        Ok(plan) => ExitCode::Of(launch(&plan)),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "aish: {error}");
            ExitCode::Usage
        }
    })
}
