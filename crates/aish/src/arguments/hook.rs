//! The flags of `aish hook`.

use std::path::PathBuf;

use aish_hook::agent::{Agent, Scope};
use clap::{Args, Subcommand};

/// `aish hook`.
#[derive(Debug, Clone, Subcommand)]
pub enum HookCommand {
    /// Let an agent ask aish before it runs a command.
    Install(HookInstallFlags),
    /// Take aish's entries out of an agent's settings again.
    Uninstall {
        /// The agent.
        #[arg(value_parser = agent)]
        agent: Agent,
        /// Whose settings.
        #[command(flatten)]
        scope: HookScope,
    },
    /// Show where hooks are installed, whether they would run, and what they cannot see.
    Status {
        /// The agent; without one, all.
        #[arg(value_parser = agent)]
        agent: Option<Agent>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Judge what an agent sends on standard input; agents start this.
    Run {
        /// The agent.
        #[arg(value_parser = agent)]
        agent: Agent,
        /// The event, in the agent's own word.
        event: String,
    },
}

/// `aish hook install`.
#[derive(Debug, Clone, Args)]
pub struct HookInstallFlags {
    /// The agent: claude, codex, gemini, opencode, cursor, copilot, qwen, goose or crush.
    #[arg(value_parser = agent)]
    pub agent: Agent,
    /// Whose settings.
    #[command(flatten)]
    pub scope: HookScope,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The program that the agent starts; this one without it.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
}

/// Whose settings an agent's hooks are written to.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct HookScope {
    /// Yours, in every project; this is the default.
    #[arg(long)]
    pub user: bool,
    /// Those of the project in this folder.
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// Those that the project's repository shares (Claude Code alone).
    #[arg(long, conflicts_with_all = ["user", "project"])]
    pub shared: bool,
}

impl HookScope {
    /// Returns the scope that was chosen.
    pub const fn chosen(self) -> Scope {
        match (self.project, self.shared) {
            (_, true) => Scope::Shared,
            (true, false) => Scope::Project,
            (false, false) => Scope::User,
        }
    }
}

fn agent(name: &str) -> Result<Agent, String> {
    let names = || Agent::ALL.map(Agent::name).join(", ");
    Agent::of(name).ok_or_else(|| format!("the agents are {}", names()))
}
