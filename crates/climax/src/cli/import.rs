//! `climax import`: a config from a program's own help, from an API's OpenAPI document, or from what an MCP server has.

mod openapi;
mod server;
mod walk;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::configs::Selection;
use super::{Exit, output, run};

/// Arguments of `import`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The program; it is run with --help, and so are its sub-commands
    #[arg(required_unless_present_any = ["mcp", "openapi"], conflicts_with_all = ["mcp", "openapi"])]
    command: Option<String>,
    /// A server of --servers or --config: it is started, and its tools are written down to be looked through
    #[arg(long, value_name = "SERVER")]
    mcp: Option<String>,
    /// An OpenAPI document (2.0, 3.0 or 3.1; JSON or YAML): a tool an operation, called over HTTP
    #[arg(long, value_name = "FILE", conflicts_with = "mcp")]
    openapi: Option<PathBuf>,
    /// The base URL of the API, in the place of the document's
    #[arg(long, value_name = "URL", requires = "openapi")]
    server: Option<String>,
    /// The environment's variable that holds the API's token. It goes to the host that is confirmed now, and to no other: say
    /// yes at the terminal, or name the host with --server
    #[arg(long, value_name = "NAME", requires = "openapi")]
    auth_env: Option<String>,
    /// Seconds that one help text of the program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600), conflicts_with_all = ["mcp", "openapi"])]
    timeout: u64,
    #[command(flatten)]
    selection: Selection,
    /// Start the server when nobody can be asked about it
    #[arg(long, requires = "mcp")]
    headless_approve: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Imports.
pub(super) fn run(args: &Args) -> Exit {
    if let Some(file) = &args.openapi {
        return match openapi::config(file, args.server.as_deref(), args.auth_env.as_deref()) {
            Some(yaml) => written(&yaml, args.output.as_deref()),
            None => Exit::Failure,
        };
    }
    match (&args.mcp, &args.command) {
        (Some(server), _) => match server::review(server, &args.selection, args.headless_approve) {
            Some(yaml) => written(&yaml, args.output.as_deref()),
            None => Exit::Failure,
        },
        (None, Some(command)) => from_help(command, args),
        (None, None) => Exit::Usage,
    }
}

fn from_help(command: &str, args: &Args) -> Exit {
    let Some(runtime) = run::runtime() else { return Exit::Failure };
    let draft = runtime.block_on(walk::draft(&in_any_folder(command), Duration::from_secs(args.timeout)));
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
    output::tell(&format!("{tools}. Risks are guessed: look at every one of them."));
    written(&draft.yaml(), args.output.as_deref())
}

/// Names a program that lies beside us for a config, which may lie in another folder.
fn in_any_folder(command: &str) -> Cow<'_, str> {
    if command.contains('/') && Path::new(command).is_relative() {
        return std::path::absolute(command)
            .map_or(Cow::Borrowed(command), |path| Cow::Owned(path.to_string_lossy().into_owned()));
    }
    Cow::Borrowed(command)
}

/// Writes the file, or standard output.
fn written(yaml: &str, output: Option<&Path>) -> Exit {
    match output {
        None => output::data(yaml),
        Some(path) => {
            if let Err(error) = std::fs::write(path, yaml) {
                output::tell(&format!("error: {} cannot be written: {error}", path.display()));
                return Exit::Failure;
            }
        }
    }
    Exit::Success
}
