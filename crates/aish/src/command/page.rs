//! `aish __page`, hidden: turns a page of the web from standard input into markdown, within bounds of the kernel.

use crate::exit::ExitCode;

/// Does it, where aish was started for that, before anything else is read or made.
pub fn launched(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Option<ExitCode> {
    if arguments.next()? != aish_web::markdown::CHILD {
        return None;
    }
    Some(match aish_web::markdown::serve() {
        Ok(()) => ExitCode::Ok,
        Err(_) => ExitCode::Error,
    })
}
