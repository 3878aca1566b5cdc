//! `climax completions`: a script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Exit, output};

/// Arguments of `completions`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the script.
pub(super) fn run(args: &Args) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "climax", &mut script);
    output::data(&String::from_utf8_lossy(&script));
    Exit::Success
}
