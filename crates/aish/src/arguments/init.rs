//! The flags of `aish init`.

use clap::{Args, ValueEnum};

/// `aish init`.
#[derive(Debug, Clone, Args)]
pub struct InitFlags {
    /// The shell; `status` says which keys are bound in the one that this is called from.
    #[arg(value_enum)]
    pub target: InitTarget,
    /// The keys that turn the line into a command, as in "ctrl-x ctrl-a"; "none" binds none.
    #[arg(long, value_name = "KEYS")]
    pub key_ask: Option<String>,
    /// The keys that explain what failed.
    #[arg(long, value_name = "KEYS")]
    pub key_explain: Option<String>,
    /// Bind no keys.
    #[arg(long)]
    pub no_keys: bool,
}

/// What `aish init` is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitTarget {
    /// bash, from 4.0 on.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
    /// The state of the shell that this is called from.
    Status,
}
