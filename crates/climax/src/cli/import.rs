//! `climax import`: a config from a program's own help.

mod walk;

use std::path::PathBuf;

use super::{Exit, output, run};

/// Arguments of `import`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The program; it is run with --help, and so are its sub-commands
    command: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Imports.
pub(super) fn run(args: &Args) -> Exit {
    let Some(runtime) = run::runtime() else { return Exit::Failure };
    let draft = runtime.block_on(walk::draft(&args.command));
    runtime.shutdown_background();
    let draft = match draft {
        Ok(draft) => draft,
        Err(message) => {
            output::tell(&format!("error: {message}"));
            return Exit::Failure;
        }
    };
    for remark in &draft.remarks {
        output::tell(&format!("note: {remark}"));
    }
    let count = draft.len();
    let tools = if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    output::tell(&format!("{tools}. Risks are guessed by name: look at every one of them."));
    let yaml = draft.yaml();
    match &args.output {
        None => output::data(&yaml),
        Some(path) => {
            if let Err(error) = std::fs::write(path, yaml) {
                output::tell(&format!("error: {} cannot be written: {error}", path.display()));
                return Exit::Failure;
            }
        }
    }
    Exit::Success
}
