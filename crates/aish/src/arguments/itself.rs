//! The flags of `aish self`.

use clap::{Args, Subcommand};

/// `aish self`.
#[derive(Debug, Clone, Subcommand)]
pub enum SelfCommand {
    /// Take out hooks, entries in other programs and the line in your shell's file.
    Uninstall(SelfUninstallFlags),
    /// Say how a newer version comes.
    Update,
}

/// `aish self uninstall`.
#[derive(Debug, Clone, Default, Args)]
pub struct SelfUninstallFlags {
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Keep configuration, history, memory, sessions and models; this is the default.
    #[arg(long)]
    pub keep_state: bool,
    /// Delete configuration, history, memory, sessions and models too.
    #[arg(long, conflicts_with = "keep_state")]
    pub delete_state: bool,
}
