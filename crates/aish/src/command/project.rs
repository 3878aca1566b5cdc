//! `aish project`: what the project's files say. Trusting them is a person's part, in the shell.

use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::meta::project::lines;

/// Shows the project's files and whether they are used.
///
/// # Errors
/// None.
pub fn run(base: &Base, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    lines(&base.project).iter().for_each(|line| print(&aish_types::sanitize(line)));
    if base.project.waiting().next().is_some() {
        print("`:project trust` in the shell trusts them");
    }
    Ok(ExitCode::Ok)
}
