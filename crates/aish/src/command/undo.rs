//! `aish undo`: bring back what the model's last command changed, or list what could be.

use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::undo::answer::answer;

/// Undoes the last step or the named one, or lists them; exit code 1 when not everything came back.
///
/// # Errors
/// When there is nothing to undo, or the journal cannot be used.
pub fn run(base: &Base, what: Option<&str>, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let mut say = |line: &str| print(&aish_types::visible(line));
    let whole = answer(base, None, ("aish undo", what.unwrap_or_default().trim()), &mut say)?;
    Ok(if whole { ExitCode::Ok } else { ExitCode::Error })
}
