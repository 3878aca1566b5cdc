//! `climax manual`: the manual page, or those of all commands in a folder.

use std::path::PathBuf;

use clap::CommandFactory;

use super::{Cli, Exit, output};

/// Arguments of `manual`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// A folder; `climax.1`, `climax-run.1` and the others are written into it
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Prints the page of climax itself, or writes all pages.
pub(super) fn run(args: &Args) -> Exit {
    let written = match &args.folder {
        None => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
            output::data(&String::from_utf8_lossy(&page));
            rendered
        }
        Some(folder) => std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder)),
    };
    match written {
        Ok(()) => Exit::Success,
        Err(error) => {
            output::tell(&format!("climax: the manual is not written: {error}"));
            Exit::Failure
        }
    }
}
