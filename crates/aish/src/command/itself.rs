//! `aish self`: aish on this machine.

mod rc;
mod uninstall;

use crate::arguments::SelfCommand;
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::installation::Installation;

/// Runs a sub-command.
///
/// # Errors
/// None of its own: what could not be taken out is said, a line each.
pub fn run(base: &Base, command: &SelfCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    match command {
        SelfCommand::Uninstall(flags) => Ok(uninstall::run(base, flags, print)),
        SelfCommand::Update => {
            let here = Installation::here();
            print(
                "aish does not replace itself: a program that does trusts whoever holds the server, and releases are not signed yet.",
            );
            print(&format!("installed by: {}", here.words()));
            print(&format!("a newer version comes by: {}", here.update()));
            Ok(ExitCode::Ok)
        }
    }
}
