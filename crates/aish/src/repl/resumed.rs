//! The session that the shell goes on with.

use crate::arguments::ShellFlags;
use crate::base::Base;
use crate::session;

/// Opens the session that `--resume` names; one that cannot be opened is said.
pub(super) fn resume(base: &Base, flags: &ShellFlags, notices: &mut Vec<String>) -> Option<session::ResumedSession> {
    match session::found::open(base, flags.resume.as_deref()?) {
        Ok((resumed, said)) => {
            notices.extend(said);
            Some(resumed)
        }
        Err(why) => {
            notices.push(format!("{why}; a new session was started"));
            None
        }
    }
}
