//! `aish config`: what holds, and what is wrong with it.

use std::process::Command;

use crate::arguments::ConfigCommand;
use crate::base::Base;
use crate::config::show::show;
use crate::exit::ExitCode;

/// Runs a sub-command; `print` writes a line to standard output, `complain` one to standard error.
///
/// # Errors
/// When the editor cannot be started or the file's folder cannot be made.
pub fn run(
    base: &Base,
    command: &ConfigCommand,
    print: &mut dyn FnMut(&str),
    complain: &mut dyn FnMut(&str),
) -> anyhow::Result<ExitCode> {
    match command {
        ConfigCommand::Show => {
            base.faults().iter().for_each(|fault| complain(fault));
            print(show(&base.loaded).trim_end());
            Ok(ExitCode::Ok)
        }
        ConfigCommand::Check => {
            base.faults().iter().for_each(|fault| print(fault));
            if base.has_errors() {
                return Ok(ExitCode::Error);
            }
            print(if base.diagnostics.is_empty() { "nothing is wrong" } else { "warnings only" });
            Ok(ExitCode::Ok)
        }
        ConfigCommand::Path => match &base.config_path {
            Some(path) => {
                print(&path.display().to_string());
                Ok(ExitCode::Ok)
            }
            None => {
                complain("there is no place for a configuration: HOME is not set; use --config FILE");
                Ok(ExitCode::Error)
            }
        },
        ConfigCommand::Edit => edit(base, complain),
    }
}

fn edit(base: &Base, complain: &mut dyn FnMut(&str)) -> anyhow::Result<ExitCode> {
    let Some(path) = &base.config_path else {
        complain("there is no place for a configuration: HOME is not set; use --config FILE");
        return Ok(ExitCode::Error);
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let editor = base.variable("VISUAL").or_else(|| base.variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let Some(program) = words.next() else {
        complain("$EDITOR is empty");
        return Ok(ExitCode::Error);
    };
    let status = Command::new(program).args(words).arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(ExitCode::Ok),
        Ok(_) => Ok(ExitCode::Error),
        Err(error) => {
            complain(&format!("{program} cannot be started: {error}; set $EDITOR"));
            Ok(ExitCode::Error)
        }
    }
}
