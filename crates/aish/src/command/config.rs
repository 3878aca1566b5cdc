//! `aish config`: what holds, and what is wrong with it.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::Command;

use aish_types::near::slip;

use crate::arguments::ConfigCommand;
use crate::base::{Base, MissingConfig, read_config};
use crate::config::keys::{names, near};
use crate::config::show::show;
use crate::config::template::template;
use crate::exit::ExitCode;
use crate::failure::{Failure, ResultExt as _};
use crate::models::Collector;
use crate::prompt::{Drawn, unknown_names};
use crate::run::complain;

/// The editor of whoever names none.
const DEFAULT_EDITOR: &str = "vi";

/// Lists values that are well formed and cannot be used: models, the shell's program, names in the prompt.
fn unfit(base: &Base) -> Vec<String> {
    let mut found = Collector::faults(&base.config, &|name| base.variable(name));
    found.extend(base.shell_fault());
    if let Drawn::Template(template) = Drawn::of(base.config.ui.prompt.as_deref()) {
        found.extend(unknown_names(template).iter().map(|name| format!("ui.prompt: {{{name}}} stands for nothing")));
    }
    found
}

/// Runs a sub-command; `print` writes a line to standard output.
///
/// # Errors
/// When the editor cannot be started or the file's folder cannot be made.
pub fn run(base: &Base, command: &ConfigCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    match command {
        ConfigCommand::Show { name } => {
            base.faults().iter().for_each(|fault| complain(fault));
            let shown = show(&base.loaded, name.as_deref());
            if shown.is_empty() {
                complain(&unknown(name.as_deref().unwrap_or_default()));
                return Ok(ExitCode::Usage);
            }
            print(&shown);
            Ok(ExitCode::Ok)
        }
        ConfigCommand::Check => {
            base.faults().iter().for_each(|fault| print(fault));
            if base.has_errors() {
                return Ok(ExitCode::Error);
            }
            let unfit = unfit(base);
            unfit.iter().for_each(|why| print(&format!("warning: {why}")));
            let is_fine = base.diagnostics.is_empty() && unfit.is_empty();
            print(if is_fine { "nothing is wrong" } else { "warnings only" });
            Ok(ExitCode::Ok)
        }
        ConfigCommand::Path | ConfigCommand::Init | ConfigCommand::Edit => {
            let Some(path) = &base.config_path else {
                complain("there is no place for a configuration: HOME is not set; use --config FILE");
                return Ok(ExitCode::Error);
            };
            match command {
                ConfigCommand::Init => init(path, print),
                ConfigCommand::Edit => edit(base, path),
                ConfigCommand::Path | ConfigCommand::Show { .. } | ConfigCommand::Check => {
                    print(&path.display().to_string());
                    Ok(ExitCode::Ok)
                }
            }
        }
    }
}

/// Says that there is no key of a name, and which one may be meant.
pub fn unknown(name: &str) -> String {
    let path: Vec<String> = name.split('.').map(str::to_owned).collect();
    let meant = near(&path).or_else(|| slip(name, names()).map(str::to_owned));
    let near = meant.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    format!("there is no key or section `{name}`{near}")
}

/// Writes the template where there is no file; says whether it did.
fn begin(path: &Path) -> Result<bool, Failure> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        crate::paths::make_private(folder).at(|| format!("making {}", folder.display()))?;
    }
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => {
            file.write_all(template().as_bytes()).at(|| format!("writing {}", path.display()))?;
            Ok(true)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).at(|| format!("writing {}", path.display())),
    }
}

fn init(path: &Path, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    if begin(path)? {
        print(&format!("{} is written; `aish config edit` opens it", path.display()));
        return Ok(ExitCode::Ok);
    }
    complain(&format!("{} is there already and stays as it is; `aish config edit` opens it", path.display()));
    Ok(ExitCode::Error)
}

fn edit(base: &Base, path: &Path) -> Result<ExitCode, Failure> {
    begin(path)?;
    let (program, words) = editor(&|name| base.variable(name));
    if program == DEFAULT_EDITOR && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Failure::user(format!("{program} needs a terminal"))
            .hint(format!("edit {} by other means, or set $EDITOR", path.display())));
    }
    let status = Command::new(&program).args(words).arg(path).status();
    match status {
        Ok(status) if status.success() => {
            let mut faults = Vec::new();
            let text = read_config(path, MissingConfig::IsFine, &mut faults).unwrap_or_default();
            faults.extend(crate::config::load(Some((path, &text)), &[], &[]).diagnostics);
            faults.iter().for_each(|fault| complain(&aish_types::sanitize(&fault.to_string())));
            Ok(ExitCode::Ok)
        }
        Ok(_) => Ok(ExitCode::Error),
        Err(error) => {
            complain(&format!("{program} cannot be started: {error}; set $EDITOR"));
            Ok(ExitCode::Error)
        }
    }
}

/// Returns the person's editor and its arguments, split as a shell does; an empty variable is none.
fn editor(variable: &dyn Fn(&str) -> Option<String>) -> (String, Vec<String>) {
    let set = ["VISUAL", "EDITOR"].into_iter().filter_map(variable).find(|editor| !editor.trim().is_empty());
    let line = set.unwrap_or_default();
    let words = shell_words::split(&line).unwrap_or_else(|_| line.split_whitespace().map(str::to_owned).collect());
    let mut words = words.into_iter();
    (words.next().unwrap_or_else(|| DEFAULT_EDITOR.to_owned()), words.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_has_arguments_as_in_a_shell() {
        for (visual, own, expected) in [
            (None, None, &["vi"][..]),
            (Some(""), Some(" "), &["vi"]),
            (Some(""), Some("nano"), &["nano"]),
            (Some("code --wait"), Some("nano"), &["code", "--wait"]),
            (None, Some("emacsclient -c -a ''"), &["emacsclient", "-c", "-a", ""]),
            (None, Some("'/opt/my editor/bin/e' -w"), &["/opt/my editor/bin/e", "-w"]),
            (None, Some("odd \"one"), &["odd", "\"one"]),
        ] {
            let (program, words) = editor(&|name| if name == "VISUAL" { visual } else { own }.map(str::to_owned));
            assert_eq!([vec![program], words].concat(), expected, "{visual:?} {own:?}");
        }
    }
}
