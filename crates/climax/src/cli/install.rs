//! `climax install`: climax among the MCP servers of another program.

use std::path::{Path, PathBuf};

use aish_hook::agent::Scope;
use aish_hook::edit::{Edited, diff};
use aish_hook::server::{Program, ServerEntry, install, uninstall};

use super::{Exit, output};

/// Arguments of `install`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The program: claude, codex, cursor, vscode, gemini or zed
    #[arg(value_parser = program)]
    program: Program,
    /// Bundled configs by name, or files and folders by path
    #[arg(value_name = "NAME|PATH")]
    names: Vec<String>,
    /// The server's name in the program
    #[arg(long, default_value = "climax")]
    server: String,
    /// The settings of the project in this folder, not your own
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the server out again
    #[arg(long, conflicts_with = "names")]
    remove: bool,
}

fn program(name: &str) -> Result<Program, String> {
    let names = || Program::ALL.map(Program::name).join(", ");
    Program::of(name).ok_or_else(|| format!("the programs are {}", names()))
}

/// Writes the program's settings, or shows what would change.
pub(super) fn run(args: &Args) -> Exit {
    match write(args) {
        Ok(line) => {
            output::line(&aish_types::visible(&line));
            Exit::Success
        }
        Err(why) => {
            output::tell(&format!("error: {}", aish_types::visible(&why)));
            Exit::Failure
        }
    }
}

fn write(args: &Args) -> Result<String, String> {
    if args.names.is_empty() && !args.remove {
        return Err("name the configs that the server offers, as in `climax install claude git docker`".to_owned());
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let home = variable("HOME").filter(|home| home.is_absolute());
    let scope = if args.project { Scope::Project } else { Scope::User };
    let path = args.program.settings(scope, &folder, home.as_deref(), variable);
    let path = path.ok_or("there is no home folder (HOME is not set)")?;
    let shown = path.display();
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{shown} cannot be read and was not changed: {error}")),
    };
    let old = before.as_deref().unwrap_or_default();
    let edited = if args.remove {
        uninstall(old, args.program, &args.server)
    } else {
        let command =
            std::env::current_exe().map_err(|error| format!("the path of this program is not known: {error}"))?;
        let words = std::iter::once("run".to_owned()).chain(args.names.iter().map(|name| absolute(&folder, name)));
        install(old, args.program, &ServerEntry::new(&args.server, &command, words.collect()))
    };
    let after = match edited.map_err(|error| format!("{shown} was not changed: {error}"))? {
        Edited::Same => return Ok(format!("{shown} is so already")),
        Edited::Text(text) | Edited::Empty(text) => text,
    };
    if args.dry_run {
        return Ok(format!("{shown}\n{}", diff(old, &after).trim_end()));
    }
    if let Some(before) = &before {
        let mut kept = path.clone().into_os_string();
        kept.push(".before-climax");
        aish_journal::replace(Path::new(&kept), before.as_bytes())
            .map_err(|error| format!("{error}: {}; nothing was changed", error.source))?;
    }
    aish_journal::replace_others(&path, after.as_bytes())
        .map_err(|error| format!("{error}: {}; nothing was changed", error.source))?;
    let kept = if before.is_some() { "; what was there is kept beside it, as .before-climax" } else { "" };
    Ok(format!("{shown}: {} {}{kept}", args.server, if args.remove { "taken out" } else { "put in" }))
}

/// Makes a path absolute; the name of a bundled config stays one.
fn absolute(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    if name.contains('/') || path.exists() { path.to_string_lossy().into_owned() } else { name.to_owned() }
}
