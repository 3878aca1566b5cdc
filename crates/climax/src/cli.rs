//! The command line: arguments as clap reads them, one sub-command a file.

mod call;
mod completions;
mod configs;
mod dev;
mod import;
mod import_fig;
mod install;
mod last_good;
mod list;
mod log;
mod manual;
mod output;
mod places;
mod refresh;
mod run;
mod search;
mod skill;
mod status;
mod validate;
mod watch;
mod watched;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Command-line programs and MCP servers as MCP tools.
#[derive(Debug, Parser)]
#[command(name = "climax", version, disable_version_flag = true, args_conflicts_with_subcommands = true)]
#[command(after_help = "`climax git docker` is short for `climax run git docker`.")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Args,
    /// Show the version
    #[arg(short = 'V', long, action = clap::ArgAction::Version)]
    version: Option<bool>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the tools of configs over MCP (the word `run` may be left out)
    Run(run::Args),
    /// Check configs and policies, with every fault's place
    Validate(validate::Args),
    /// List the tools of configs
    List(list::Args),
    /// Find tools by what you want done
    Search(search::Args),
    /// Watch a config while you write it: its faults, what an agent sees and pays, a search and a call
    Dev(dev::Args),
    /// Run one tool
    Call(call::Args),
    /// Start MCP servers, list what they have for searches, and stop them again
    Refresh(refresh::Args),
    /// Show how MCP servers do
    Status(status::Args),
    /// Show or install the skill that teaches a model to write configs
    Skill(skill::Args),
    /// Make a config from a program's --help
    Import(import::Args),
    /// Make configs from the specifications of the npm package @withfig/autocomplete (needs node)
    ImportFig(import_fig::Args),
    /// Let another program start climax as an MCP server
    Install(install::Args),
    /// Write a completion script for a shell
    Completions(completions::Args),
    /// Print the manual page, or write those of all commands into a folder
    Manual(manual::Args),
}

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// All went well.
    Success,
    /// What was asked for failed.
    Failure,
    /// The command line cannot be understood.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::from(1),
            Exit::Usage => Self::from(2),
        }
    }
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    aish_process::survive_file_limit();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let usage = error.use_stderr();
            error.print().unwrap_or_else(|error| output::not_written(&error));
            return ended(if usage { Exit::Usage } else { Exit::Success }).into();
        }
    };
    let exit = match cli.command.unwrap_or(Command::Run(cli.run)) {
        Command::Run(args) => run::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::List(args) => list::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Dev(args) => dev::run(&args),
        Command::Call(args) => call::run(&args),
        Command::Refresh(args) => refresh::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Skill(args) => skill::run(&args),
        Command::Import(args) => import::run(&args),
        Command::ImportFig(args) => import_fig::run(&args),
        Command::Install(args) => install::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Manual(args) => manual::run(&args),
    };
    ended(exit).into()
}

/// Ends well only where all that was asked for was written.
fn ended(exit: Exit) -> Exit {
    match (exit, output::fault()) {
        (Exit::Success, Some(why)) => {
            output::tell(&format!("error: standard output cannot be written: {why}"));
            Exit::Failure
        }
        (exit, _) => exit,
    }
}
