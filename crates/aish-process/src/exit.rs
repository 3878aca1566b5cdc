//! How a command ended.

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code, 0 to 255.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It ran longer than it may and was ended.
    TimedOut,
    /// Its caller cancelled it and it was ended.
    Cancelled,
}

impl Exit {
    /// Returns whether the command exited by itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    /// Returns the code as a shell's `$?` shows it: 128 and the signal's number for a signal, 124 for a timeout
    /// (as `timeout` does), 130 for a cancellation (as Ctrl-C does).
    pub fn shell_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
            Self::TimedOut => 124,
            Self::Cancelled => 130,
        }
    }
}
