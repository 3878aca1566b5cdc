//! `aish manual`: the manual page, or those of all commands in a folder.

use std::path::Path;

use clap::CommandFactory as _;

use crate::arguments::Arguments;
use crate::config::page;
use crate::exit::ExitCode;
use crate::failure::{Failure, ResultExt as _};

/// Prints the page of `aish`, or writes a page for each command into a folder, which is made where it is missing.
///
/// # Errors
/// When the folder cannot be written.
pub fn run(folder: Option<&Path>, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    match folder {
        None => print(main_page()?.trim_end()),
        Some(folder) => {
            std::fs::create_dir_all(folder).at(|| format!("making {}", folder.display()))?;
            clap_mangen::generate_to(Arguments::command(), folder)
                .at(|| format!("writing into {}", folder.display()))?;
            let path = folder.join("aish.1");
            std::fs::write(&path, main_page()?).at(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(ExitCode::Ok)
}

/// Writes the page of `aish` itself: the command line, then the keys of the configuration.
fn main_page() -> Result<String, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
    Ok(format!("{}\n{}", String::from_utf8_lossy(&page).trim_end(), page::manual()))
}
