//! The flags of `aish mcp`.

use std::path::PathBuf;

use aish_hook::server::Program;
use clap::{Args, Subcommand};
use climax::serve::ServeFlags;

/// `aish mcp add`.
#[derive(Debug, Clone, Args)]
pub struct McpAddFlags {
    /// The server's name: its tools are NAME.TOOL.
    pub name: String,
    /// A URL, or a program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "URL|COMMAND")]
    pub target: Vec<String>,
    /// A variable of the program's environment; before the command.
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// A header of every request; before the URL.
    #[arg(long, value_name = "NAME=VALUE")]
    pub header: Vec<String>,
    /// The variable that holds the bearer token; before the URL.
    #[arg(long, value_name = "NAME")]
    pub auth_env: Option<String>,
}

/// `aish mcp install` and `aish mcp uninstall`.
#[derive(Debug, Clone, Args)]
pub struct McpInstallFlags {
    /// The program: claude, codex, cursor, vscode, gemini or zed.
    #[arg(value_parser = program)]
    pub program: Program,
    /// The settings of the project in this folder, not your own.
    #[arg(long)]
    pub project: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The aish that is started; this one without it.
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
}

fn program(name: &str) -> Result<Program, String> {
    let names = || Program::ALL.map(Program::name).join(", ");
    Program::of(name).ok_or_else(|| format!("the programs are {}", names()))
}

/// `aish mcp`.
#[derive(Debug, Clone, Subcommand)]
pub enum McpCommand {
    /// List the configured servers.
    List,
    /// Offer aish's own tools to other agents.
    Serve {
        /// How clients connect.
        #[command(flatten)]
        serve: ServeFlags,
        /// Offer a persistent shell too, with tools that show what its commands changed and bring it back.
        #[arg(long)]
        shell: bool,
    },
    /// Add a server to the configuration.
    Add(McpAddFlags),
    /// Add the servers of another program's mcp.json to the configuration.
    Import {
        /// The file: Claude's, Cursor's or VS Code's.
        file: PathBuf,
    },
    /// Let another program start aish as an MCP server.
    Install(McpInstallFlags),
    /// Take aish out of another program's MCP servers again.
    Uninstall(McpInstallFlags),
    /// Connect to a server, list its tools, call one.
    Test {
        /// A URL, a command line, or the name of a configured server.
        target: String,
        /// The tool to call.
        #[arg(long, value_name = "TOOL")]
        call: Option<String>,
        /// Its arguments as a JSON object.
        #[arg(long, value_name = "JSON", default_value = "{}")]
        args: String,
        /// Print a JSON object.
        #[arg(long)]
        json: bool,
        /// Seconds that connecting, listing and the call may take each; a server on this machine that does nothing is
        /// given up sooner without it.
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
        timeout: Option<u64>,
    },
    /// Sign in at a configured server that asks for it, in the browser.
    Login {
        /// The server's name.
        alias: String,
    },
}
