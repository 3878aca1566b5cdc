//! `climax skill`: what a model must know to write a config.

use std::path::PathBuf;

use climax::skill::TEXT;

use super::{Exit, output};

/// Arguments of `skill`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Only say where `--install` puts it
    #[arg(long, conflicts_with = "install")]
    path: bool,
    /// Write it below the home folder, where models look for skills
    #[arg(long)]
    install: bool,
}

/// Shows the skill, its place, or installs it.
pub(super) fn run(args: &Args) -> Exit {
    if !args.path && !args.install {
        output::data(TEXT);
        return Exit::Success;
    }
    let Some(path) = place() else {
        output::tell("error: there is no home folder (HOME is not set)");
        return Exit::Failure;
    };
    if args.install {
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| std::fs::write(&path, TEXT)) {
            output::tell(&format!("error: {} cannot be written: {error}", path.display()));
            return Exit::Failure;
        }
    }
    output::line(&path.to_string_lossy());
    Exit::Success
}

fn place() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())?;
    Some(home.join(".claude/skills/climax/SKILL.md"))
}
