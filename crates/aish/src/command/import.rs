//! `aish import`: what other programs of this kind have, taken over.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::aichat;
use crate::arguments::{ImportCommand, ImportFlags};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::prompts::names;

/// Runs a sub-command; `print` writes a line to standard output.
///
/// # Errors
/// When there is nothing to take over, or no place for it; a role that cannot be taken is said.
pub fn run(base: &Base, command: &ImportCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let ImportCommand::Aichat(flags) = command;
    aichat(base, flags, print)?;
    Ok(ExitCode::Ok)
}

fn aichat(base: &Base, flags: &ImportFlags, print: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    let variable = |name: &str| base.variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = || {
        let config = variable("XDG_CONFIG_HOME").or_else(|| Some(base.paths.home.as_ref()?.join(".config")));
        config.map(|config| config.join("aichat"))
    };
    let from = flags.from.clone().or_else(|| variable("AICHAT_CONFIG_DIR")).or_else(usual);
    let from = from
        .filter(|folder| folder.is_dir())
        .ok_or_else(|| Failure::user("aichat has no configuration folder here").hint("--from names another one"))?;
    let roles = variable("AICHAT_ROLES_DIR").filter(|_| flags.from.is_none()).unwrap_or_else(|| from.join("roles"));
    let own = base.paths.config.as_ref().and_then(|file| file.parent());
    let own = own.ok_or_else(|| Failure::user("there is no configuration folder"))?;
    let prompts = own.join("prompts");
    let mut taken = 0;
    for file in names(&roles).iter().filter(|name| name.ends_with(".md")) {
        let role = file.trim_end_matches(".md");
        match take(&roles.join(file), role, &prompts, flags.dry_run) {
            Ok(line) => {
                taken += 1;
                print(&line);
            }
            Err(why) => print(&format!("{}: not taken: {why}", aish_types::visible(role))),
        }
    }
    let done = match (flags.dry_run, taken) {
        (true, _) => "would be",
        (false, 1) => "was",
        (false, _) => "were",
    };
    let roles = if taken == 1 { "role" } else { "roles" };
    print(&format!("{taken} {roles} {done} taken over as prompts; `:prompts` lists them"));
    if let Ok(text) = read(&from.join("config.yaml")) {
        match aichat::models(&text) {
            Ok(models) if models.is_empty() => {}
            Ok(models) => {
                print("\n# aichat's models, for `aish config edit`; keys are named by variables and not copied:");
                print(&models);
            }
            Err(why) => print(&format!("{}: {why}", from.join("config.yaml").display())),
        }
    }
    Ok(())
}

/// Takes one role over, unless there is a prompt of its name; returns what to say.
fn take(path: &Path, role: &str, prompts: &Path, is_dry: bool) -> Result<String, Failure> {
    let made =
        aichat::role(&aish_types::sanitize(role), &read(path)?).ok_or_else(|| Failure::user("it says nothing"))?;
    let name = aichat::prompt_name(role).ok_or_else(|| Failure::user("its name cannot be typed"))?;
    let target = prompts.join(format!("{name}.md"));
    if target.exists() {
        return Err(Failure::user(format!("{} is there already", target.display())));
    }
    if !is_dry {
        std::fs::create_dir_all(prompts).map_err(|error| Failure::from(error).at(prompts.display()))?;
        let file = OpenOptions::new().write(true).create_new(true).open(&target);
        file.and_then(|mut file| file.write_all(made.text.as_bytes()))
            .map_err(|error| Failure::from(error).at(target.display()))?;
    }
    let left = if made.left.is_empty() { String::new() } else { format!(" (without {})", made.left.join(", ")) };
    Ok(aish_types::sanitize(&format!(":{name}{left}")).into_owned())
}

fn read(path: &Path) -> Result<String, Failure> {
    let meta = std::fs::metadata(path)?;
    if !meta.is_file() || meta.len() > aichat::LONGEST {
        return Err(Failure::user("it is no small file"));
    }
    Ok(std::fs::read_to_string(path)?)
}
