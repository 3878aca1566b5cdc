//! `climax import`: a config from a program's own help.

use std::path::PathBuf;
use std::time::Duration;

use climax::import::{Draft, Help};
use tokio_util::sync::CancellationToken;

use super::{Exit, output, run};

/// How long one help text may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Help texts that are read.
const MAX_TEXTS: usize = 400;
/// Levels of sub-commands.
const MAX_DEPTH: usize = 3;

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
    let draft = runtime.block_on(draft(&args.command));
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
    output::tell(&format!("{} tools. Risks are guessed by name: look at every one of them.", draft.len()));
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

async fn draft(program: &str) -> Result<Draft, String> {
    let top = help(program, &[]).await?;
    let mut draft = Draft::new(program, &top);
    let mut waiting: Vec<Vec<String>> = top.commands.iter().rev().map(|(name, _)| vec![name.clone()]).collect();
    let mut texts = 0_usize;
    while let Some(words) = waiting.pop() {
        texts += 1;
        if texts > MAX_TEXTS {
            draft.remarks.push(format!("there are more than {MAX_TEXTS} sub-commands; the rest was left out"));
            break;
        }
        match help(program, &words).await {
            Ok(help) if !help.commands.is_empty() && words.len() < MAX_DEPTH => {
                waiting
                    .extend(help.commands.iter().rev().map(|(name, _)| [words.clone(), vec![name.clone()]].concat()));
            }
            Ok(help) => draft.add(&words, &help),
            Err(message) => draft.remarks.push(format!("{}: {message}", words.join(" "))),
        }
    }
    Ok(draft)
}

async fn help(program: &str, words: &[String]) -> Result<Help, String> {
    let command = aish_process::Command::new(program).args(words).arg("--help").timeout(PATIENCE);
    let command = command.env("PAGER", "cat").env("MANPAGER", "cat").env("NO_COLOR", "1").env("COLUMNS", "200");
    let outcome = aish_process::run(&command, &CancellationToken::new()).await.map_err(|error| error.to_string())?;
    let (out, err) = (outcome.stdout.clean_text(), outcome.stderr.clean_text());
    let text = if out.trim().is_empty() { err } else { out };
    if text.trim().is_empty() {
        return Err("--help says nothing".into());
    }
    Ok(Help::read(&text))
}
