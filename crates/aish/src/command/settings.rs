//! Files of other programs' settings that we write to: what was in one before is kept, so that it can come back.

use std::path::Path;

use aish_journal::Backups;

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
    /// Returns the backups of the files with such entries.
    pub(super) fn backups(self, base: &Base) -> Backups {
        Backups::new(base.in_state(self.folder()))
    }

    const fn folder(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::Server => "mcp-installed",
        }
    }
}

/// Reads a file that is to be changed; none where there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match aish_journal::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at(|| format!("{} cannot be read and was not changed", path.display())),
    }
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
    let backups = what.backups(base);
    for kept in backups.all().at(|| format!("{} cannot be read", base.in_state(what.folder()).display()))? {
        let mut say = |words: &str| print(&aish_types::visible(&format!("{words}: {}", kept.path.display())));
        match read(&kept.path)? {
            None => backups.forget(&kept.path),
            Some(now) if now == kept.after && dry_run => say("would be as it was"),
            Some(now) if now == kept.after => {
                backups.put_back(&kept.path, kept.before.as_deref())?;
                say("is as it was");
            }
            // Those of this folder and of the person were dealt with before; a dry run has left them as they are.
            Some(_) => say("was changed after aish wrote into it; run `aish self uninstall` in its project"),
        }
    }
    Ok(())
}
