//! `climax import-fig`: configs from the specifications of an npm package, one file a command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aish_process::Exit as Ended;
use climax::import::fig;
use tokio_util::sync::CancellationToken;

use super::{Exit, output, run};

/// How long the package may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// Bytes of specifications that are read.
const MAX_BYTES: usize = 512 * 1024 * 1024;

/// Arguments of `import-fig`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The package's folder, as in node_modules/@withfig/autocomplete; its modules are run with node
    folder: PathBuf,
    /// The folder for the configs; it is made when it is not there
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
}

/// Imports.
pub(super) fn run(args: &Args) -> Exit {
    let imported = specifications(&args.folder).and_then(|lines| write(&lines, &args.output));
    match imported {
        Ok((files, tools)) => {
            output::tell(&format!("{tools} tools in {files} files. Risks are guessed: look at every one of them."));
            Exit::Success
        }
        Err(message) => {
            output::tell(&format!("error: {message}"));
            Exit::Failure
        }
    }
}

/// Has node write the specifications.
fn specifications(folder: &Path) -> Result<String, String> {
    if !folder.join("build/index.js").is_file() && !folder.join("index.js").is_file() {
        return Err(format!("{} is not the folder of @withfig/autocomplete: it has no index.js", folder.display()));
    }
    let runtime = run::runtime().ok_or("there is no runtime")?;
    let command = aish_process::Command::new("node").args(["--no-warnings", "--input-type=module", "-e", fig::READER]);
    let command = command.arg(folder).timeout(PATIENCE).output_cap(MAX_BYTES);
    let outcome = runtime.block_on(aish_process::run(&command, &CancellationToken::new()));
    runtime.shutdown_background();
    let outcome = outcome.map_err(|error| match error {
        aish_process::SpawnError::NotFound { .. } => {
            "the package's modules are run with node, and there is none: install Node.js 18 or later".to_owned()
        }
        other => other.to_string(),
    })?;
    let told = outcome.stderr.clean_text();
    match outcome.exit {
        Ended::Code(0) if outcome.stdout.truncated() => {
            Err("the package has more than 512 MiB of specifications".into())
        }
        Ended::Code(0) => {
            if !told.trim().is_empty() {
                output::tell(&format!("note: {}", told.trim()));
            }
            Ok(outcome.stdout.clean_text())
        }
        Ended::TimedOut => Err(format!("node was not done after {} s", PATIENCE.as_secs())),
        Ended::Code(_) | Ended::Signal(_) | Ended::Cancelled => Err(format!("node failed: {}", told.trim())),
    }
}

/// Writes a file for every command line that has tools; returns how many files and tools there are.
fn write(lines: &str, folder: &Path) -> Result<(usize, usize), String> {
    let failed = |path: &Path, error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let (mut files, mut tools) = (0, 0);
    for line in lines.lines() {
        let draft = fig::draft(line).map_err(|error| format!("a specification is not understood: {error}"))?;
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name: String = draft.program().chars().map(|c| if fits(c) { c } else { '_' }).collect();
        if draft.is_empty() || name.is_empty() || name.starts_with('.') {
            continue;
        }
        let path = folder.join(format!("{name}.yaml"));
        std::fs::write(&path, draft.yaml()).map_err(|error| failed(&path, error))?;
        files += 1;
        tools += draft.len();
    }
    Ok((files, tools))
}
