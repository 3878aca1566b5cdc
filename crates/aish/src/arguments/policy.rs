//! The arguments of `aish policy`.

use clap::Subcommand;

/// `aish policy`.
#[derive(Debug, Clone, Subcommand)]
pub enum PolicyCommand {
    /// Print the rules that hold; with a command, what decides about it, and why.
    Show {
        /// The command.
        command: Vec<String>,
    },
    /// Take back what `always` approved for good in this project, by its text as `show` lists it.
    Forget {
        /// The text.
        text: Vec<String>,
    },
    /// Try the examples of a file's rules; exit code 1 when one fails.
    Test {
        /// A file with `[[policy.rules]]`; the configuration where none is named.
        file: Option<std::path::PathBuf>,
    },
}
