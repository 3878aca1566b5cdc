//! The flags of `aish state` and `aish import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `aish state`.
#[derive(Debug, Clone, Subcommand)]
pub enum StateCommand {
    /// Copy everything that is kept into a new folder: history, memory, costs, sessions, approvals, the record of decisions.
    /// Tokens of servers are left out.
    Export {
        /// A folder that is not there yet.
        folder: PathBuf,
    },
    /// Delete everything that is kept, for good; the configuration stays.
    Delete {
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

/// `aish import`.
#[derive(Debug, Clone, Subcommand)]
pub enum ImportCommand {
    /// Take over the roles of aichat as prompts (`:NAME`), and show its models as configuration.
    Aichat(ImportFlags),
}

/// `aish import aichat`.
#[derive(Debug, Clone, Args)]
pub struct ImportFlags {
    /// Say what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// aichat's configuration folder, where it is not the usual one.
    #[arg(long, value_name = "FOLDER")]
    pub from: Option<PathBuf>,
}
