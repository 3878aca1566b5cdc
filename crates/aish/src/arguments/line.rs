//! The flags of `aish line`.

use clap::{Subcommand, ValueEnum};

/// `aish line`.
#[derive(Debug, Clone, Subcommand)]
pub enum LineCommand {
    /// Turn the line on standard input into a command, which is printed and not run.
    Ask {
        /// The shell that the command is for.
        #[arg(long, value_enum)]
        shell: LineShell,
        /// The exit status of the last command.
        #[arg(long, default_value_t = 0)]
        status: i32,
        /// Ask even where the line is a command already.
        #[arg(long)]
        again: bool,
        /// The shell takes no comments on its line.
        #[arg(long)]
        no_comments: bool,
    },
    /// Explain why the command on standard input failed; a mended one is printed and not run.
    Explain {
        /// The shell that it ran in.
        #[arg(long, value_enum)]
        shell: LineShell,
        /// Its exit status.
        #[arg(long)]
        status: i32,
    },
}

/// A shell that people have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LineShell {
    /// bash.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
}

impl LineShell {
    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
        }
    }
}
