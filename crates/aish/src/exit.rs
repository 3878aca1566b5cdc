//! The exit codes, all in one place.

use std::process;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// It did what was asked.
    Ok,
    /// It could not.
    Error,
    /// The command line was wrong.
    Usage,
    /// Something was halted or not approved.
    Halted,
    /// The budget is used up.
    Budget,
    /// Ctrl-C.
    Interrupted,
    /// The exit code of a command that was run on the user's behalf, or of a checked one.
    Of(u8),
}

impl ExitCode {
    /// Returns the number: 0, 1, 2, 3, 4, 130, or the command's own.
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Error => 1,
            Self::Usage => 2,
            Self::Halted => 3,
            Self::Budget => 4,
            Self::Interrupted => 130,
            Self::Of(code) => code,
        }
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.code())
    }
}
