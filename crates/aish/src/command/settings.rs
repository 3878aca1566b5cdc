//! Files of other programs' settings that we write to: what was in one before is kept, so that it can come back.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::Base;
use crate::failure::{Failure, ResultExt as _};

/// What we wrote: a file may hold both, and each is taken out by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Hooks.
    Hooks,
    /// An MCP server.
    Server,
}

impl What {
    const fn folder(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::Server => "mcp-installed",
        }
    }
}

/// A file before and after our entries came into it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Backup {
    /// The file.
    pub(super) path: PathBuf,
    /// What was there; none where there was no file.
    pub(super) before: Option<String>,
    /// What we wrote.
    pub(super) after: String,
    /// Folders that were made for it, the innermost first.
    #[serde(default)]
    pub(super) made: Vec<PathBuf>,
}

/// Reads a file that is to be changed; none where there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at(|| format!("{} cannot be read and was not changed", path.display())),
    }
}

/// Names the backup of a file: its path, with what no file's name may hold written out.
fn backup_path(base: &Base, what: What, path: &Path) -> PathBuf {
    let name: String = path.display().to_string().replace('%', "%25").replace('/', "%2F");
    base.in_state(what.folder()).join(format!("{name}.json"))
}

/// Returns the backup of a file.
pub(super) fn backup(base: &Base, what: What, path: &Path) -> Option<Backup> {
    let text = std::fs::read_to_string(backup_path(base, what, path)).ok()?;
    serde_json::from_str::<Backup>(&text).ok().filter(|backup| backup.path == path)
}

/// Keeps a backup.
///
/// # Errors
/// When it cannot be written.
fn remember(base: &Base, what: What, backup: &Backup) -> Result<(), Failure> {
    let text = serde_json::to_string(backup)?;
    aish_journal::replace(&backup_path(base, what, &backup.path), text.as_bytes())?;
    Ok(())
}

/// Writes a file of settings that held `before`, its backup first; nothing is kept where it cannot be written.
///
/// # Errors
/// When it cannot be written, or is not ours to write to; it is as it was then.
pub(super) fn write(base: &Base, what: What, path: &Path, before: Option<String>, after: &str) -> Result<(), Failure> {
    let old = backup(base, what, path);
    // A second installation must not take the first one's result for what was there before.
    let (before, made) = match &old {
        Some(old) if before.as_ref() == Some(&old.after) => (old.before.clone(), old.made.clone()),
        _ => (before, missing_folders(path)),
    };
    remember(base, what, &Backup { path: path.to_owned(), before, after: after.to_owned(), made })?;
    if let Err(error) = aish_journal::replace_others(path, after.as_bytes()) {
        match &old {
            Some(old) => remember(base, what, old)?,
            None => forget(base, what, path),
        }
        return Err(error.into());
    }
    Ok(())
}

/// Returns the folders that have to be made for a file, the innermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let real = aish_journal::led_to(path);
    let above = real.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    above.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect()
}

/// Puts back what was in a file, or takes away a file that was made, with the folders that were made for it and hold nothing
/// else; forgets the backup.
///
/// # Errors
/// When it cannot be written, or is not ours to write to; it is as it was then.
pub(super) fn put_back(base: &Base, what: What, path: &Path, before: Option<&str>) -> Result<(), Failure> {
    match before {
        Some(before) => aish_journal::replace_others(path, before.as_bytes())?,
        None => aish_journal::remove_others(path)?,
    }
    let made = backup(base, what, path).map(|kept| kept.made).unwrap_or_default();
    forget(base, what, path);
    // The first that holds something of others keeps all above it.
    let _ = made.iter().filter(|_| before.is_none()).try_for_each(std::fs::remove_dir);
    Ok(())
}

/// Forgets a file's backup.
fn forget(base: &Base, what: What, path: &Path) {
    let _ = std::fs::remove_file(backup_path(base, what, path));
}

/// Puts back the files of other projects that are as we left them; of those that somebody changed since, it is said where they are.
///
/// # Errors
/// When the list cannot be read or a file cannot be written.
pub(super) fn restore_others(
    base: &Base,
    what: What,
    dry_run: bool,
    print: &mut dyn FnMut(&str),
) -> Result<(), Failure> {
    let folder = base.in_state(what.folder());
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).at(|| format!("{} cannot be read", folder.display())),
    };
    for entry in entries {
        let text = std::fs::read_to_string(entry?.path())?;
        let Ok(kept) = serde_json::from_str::<Backup>(&text) else { continue };
        let mut say = |words: &str| print(&aish_types::visible(&format!("{words}: {}", kept.path.display())));
        match read(&kept.path)? {
            None => forget(base, what, &kept.path),
            Some(now) if now == kept.after && dry_run => say("would be as it was"),
            Some(now) if now == kept.after => {
                put_back(base, what, &kept.path, kept.before.as_deref())?;
                say("is as it was");
            }
            // Those of this folder and of the person were dealt with before; a dry run has left them as they are.
            Some(_) => say("was changed after aish wrote into it; run `aish self uninstall` in its project"),
        }
    }
    Ok(())
}
