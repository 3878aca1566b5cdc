//! `climax install`: climax among the MCP servers of another program.

use std::path::{Path, PathBuf};

use aish_hook::agent::Scope;
use aish_hook::edit::diff;
use aish_hook::server::{Change, Kept, Program, ServerEntry, Settings};
use aish_journal::{Backup, Backups, Readers};
use climax::Severity;
use climax::load::{self, Source};

use super::configs::{self, OrAll, Selection};
use super::{Exit, output, places};

/// Arguments of `install`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The program: claude, codex, cursor, vscode, gemini or zed
    #[arg(value_parser = program)]
    program: Program,
    /// Bundled configs by name, or files and folders by path
    #[arg(value_name = "NAME|PATH")]
    names: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// The program is shown every tool instead of the two that find and call them
    #[arg(long)]
    classic: bool,
    /// The server reads configs again when they change
    #[arg(long)]
    watch: bool,
    /// The server's name in the program
    #[arg(long, default_value = "climax")]
    server: String,
    /// The settings of the project in this folder, not your own
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the server out again; an entry that it replaced comes back
    #[arg(long, conflicts_with_all = ["names", "config", "servers", "policy", "classic", "watch"])]
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
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let home = variable("HOME").filter(|home| home.is_absolute());
    let scope = if args.project { Scope::Project } else { Scope::User };
    let no_home = "there is no home folder (HOME is not set)";
    let path = args.program.settings(scope, &folder, home.as_deref(), variable).ok_or(no_home)?;
    let backups = Backups::new(places::state_folder().ok_or(no_home)?.join("installed"));
    let shown = path.display();
    let now = match aish_journal::read_text(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{shown} cannot be read and was not changed: {error}")),
    };
    let kept = backups.get(&path).map(|Backup { before, after, names, .. }| Kept {
        before,
        after,
        names: names.into_iter().collect(),
    });
    let settings = Settings { program: args.program, now: now.as_deref(), kept: kept.as_ref(), is_own: &is_own };
    let changed = if args.remove {
        settings.uninstall(&args.server)
    } else {
        let command =
            std::env::current_exe().map_err(|error| format!("the path of this program is not known: {error}"))?;
        settings.install(&ServerEntry::new(&args.server, &command, words(args)?))
    };
    let change = match changed.map_err(|error| format!("{shown} was not changed: {error}"))? {
        Some(change) => change,
        None if args.remove => return Ok(format!("{shown} has no server '{}'", args.server)),
        None => return Ok(format!("{shown} is so already")),
    };
    if args.dry_run {
        let diff = diff(now.as_deref().unwrap_or_default(), change.text.as_deref().unwrap_or_default());
        return Ok(format!("{shown}\n{}", diff.trim_end()));
    }
    carry_out(&backups, &path, &change, if args.project { Readers::Project } else { Readers::Owner })?;
    Ok(told(args, &path, &change))
}

/// Writes the file, and what is to be known of it.
fn carry_out(backups: &Backups, path: &Path, change: &Change, readers: Readers) -> Result<(), String> {
    let written = match change.kept.clone() {
        None => backups.put_back(path, change.text.as_deref()),
        Some(Kept { before, after, names }) => {
            let (path, names) = (path.to_owned(), names.into_iter().collect());
            backups.write(Backup { path, before, after, made: Vec::new(), names }, readers)
        }
    };
    written.map_err(|error| format!("{error}: {}; nothing was changed", error.source))
}

/// Says what was done.
fn told(args: &Args, path: &Path, change: &Change) -> String {
    let (shown, server) = (path.display(), &args.server);
    match (&change.other, args.remove) {
        (None, false) => format!("{shown}: {server} put in"),
        (None, true) => format!("{shown}: {server} taken out"),
        (Some(other), false) => {
            format!("{shown}: {server} put in, in the place of `{other}`, which `--remove` brings back")
        }
        (Some(other), true) => format!("{shown}: {server} taken out, and `{other}` is back in its place"),
    }
}

/// Tells an entry of ours by its command: this program, or one of its name that is there no longer.
fn is_own(command: &str, arguments: &[String]) -> bool {
    let command = Path::new(command);
    let this = std::env::current_exe().ok();
    let is_this = match command.canonicalize() {
        Ok(command) => this.and_then(|this| this.canonicalize().ok()) == Some(command),
        Err(_) => command.is_absolute() && command.file_name() == this.as_deref().and_then(Path::file_name),
    };
    is_this && arguments.first().is_some_and(|first| first == "run")
}

/// Makes the arguments with which the server is started, after it was seen that it can be.
fn words(args: &Args) -> Result<Vec<String>, String> {
    let Selection { config, servers, policy } = &args.selection;
    if args.names.is_empty() && config.is_empty() && servers.is_empty() {
        return Err(
            "name the configs that the server offers, as in `climax install claude git docker`, or give a list \
                    of servers with --servers"
                .to_owned(),
        );
    }
    check(args)?;
    let mut words = vec!["run".to_owned()];
    for name in &args.names {
        // As `run` reads them: the name of a bundled config stays one.
        let is_bundled = matches!(Source::find(name).as_deref(), Ok([Source::Bundled(_)]));
        words.push(if is_bundled { name.clone() } else { absolute(Path::new(name))? });
    }
    let files = config.iter().map(|file| ("--config", file)).chain(servers.iter().map(|file| ("--servers", file)));
    for (flag, file) in files.chain(policy.iter().map(|file| ("--policy", file))) {
        words.extend([flag.to_owned(), absolute(file)?]);
    }
    words.extend(
        [(args.classic, "--classic"), (args.watch, "--watch")]
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, flag)| (*flag).to_owned()),
    );
    Ok(words)
}

/// Reads what the server would read; what it could not start with, or would leave out, is an error.
fn check(args: &Args) -> Result<(), String> {
    let none = |what: &str| format!("{what}; nothing was installed");
    let sources = configs::sources(&args.names, &args.selection, OrAll::Bundled);
    let sources = sources.ok_or_else(|| none("not all that was named is there"))?;
    let is_usable = configs::tools(&sources, &args.selection, climax::schema::Flags::Hidden).is_some();
    let broken = load::load(&sources).faults.into_iter().find(|fault| fault.severity == Severity::Error);
    match broken {
        Some(fault) => Err(none(&format!("{} cannot be used: {}", fault.file, fault.message))),
        None if !is_usable => Err(none("the server could not start with this")),
        None => Ok(()),
    }
}

fn absolute(path: &Path) -> Result<String, String> {
    let absolute = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(absolute.to_string_lossy().into_owned())
}
