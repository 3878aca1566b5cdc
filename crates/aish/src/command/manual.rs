//! `aish manual`: the manual page, or those of all commands in a folder.

use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::arguments::Arguments;
use crate::exit::ExitCode;

/// Prints the page of `aish`, or writes a page for each command into a folder, which is made where it is missing.
///
/// # Errors
/// When the folder cannot be written.
pub fn run(folder: Option<&Path>, print: &mut dyn FnMut(&str)) -> anyhow::Result<ExitCode> {
    let command = Arguments::command();
    match folder {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            print(String::from_utf8_lossy(&page).trim_end());
        }
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
            clap_mangen::generate_to(command, folder).with_context(|| format!("writing into {}", folder.display()))?;
        }
    }
    Ok(ExitCode::Ok)
}
