//! A state that version 0.1 left. Its files are read as they are; the database was copied before its tables were changed, and what
//! a person may want back is copied here, once. What works otherwise by now is said, once.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::base::Base;

/// The database as the tables of version 0.1 were: it is there once they were changed.
const DATABASE: &str = "aish.db.before-1";
/// Files of the state that are copied beside the configuration.
const COPIED: &[&str] = &["pins.json", "approvals.json", "trust.json"];

/// Where an earlier version's state may be, and what of the configuration matters for it.
pub(super) struct Earlier {
    state: PathBuf,
    config: Option<PathBuf>,
    changes: Vec<String>,
}

impl Earlier {
    /// Looks at the configuration; none where nothing can be kept.
    pub(super) fn of(base: &Base) -> Option<Self> {
        let state = base.paths.state.clone()?;
        let config = base.config_path.clone().or_else(|| base.paths.config.clone());
        Some(Self { state, config, changes: changes(base) })
    }

    /// Copies what may be wanted back, where version 0.1 was here, and returns what is to be said. The database must have been
    /// opened before.
    pub(super) fn take_over(self) -> Vec<String> {
        let copy = self.state.join("before-0.1");
        if !self.state.join(DATABASE).is_file() || copy.exists() {
            return Vec::new();
        }
        let copied = match self.copy(&copy) {
            Ok(()) => format!("copies of what was there are in {} and {DATABASE} beside it", copy.display()),
            Err(error) => format!("it could not be copied to {} ({error})", copy.display()),
        };
        let kept = "history, memory, costs, sessions, approvals, pins and undo of version 0.1 go on";
        [vec![format!("{kept}; {copied}")], self.changes].concat()
    }

    fn copy(&self, folder: &Path) -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(folder)?;
        let kept = COPIED.iter().map(|name| self.state.join(name));
        for file in kept.chain(self.config.clone()) {
            let Some(name) = file.file_name().filter(|_| fs::symlink_metadata(&file).is_ok()) else { continue };
            let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(name))?;
            io::copy(&mut File::open(&file)?, &mut copy)?;
        }
        Ok(())
    }
}

/// Says what a configuration of version 0.1 means otherwise now.
fn changes(base: &Base) -> Vec<String> {
    let is_set = |section: &str, key: &str| {
        let mut paths = base.loaded.merged.settings.keys();
        paths.any(|path| matches!(path.as_slice(), [first, second, ..] if first == section && (key.is_empty() || second == key)))
    };
    let mut changes = Vec::new();
    if !is_set("shell", "confirm_cmd") && !is_set("approval", "mode") {
        let now = "a model's commands that are known to be harmless run unasked now, each is shown";
        changes.push(format!("{now}; `shell.confirm_cmd = true` asks before every one, as before"));
    }
    if is_set("sandbox", "") {
        let now = "commands of autonomous runs are in layers now, where those work";
        changes.push(format!("{now}; `[sandbox]` holds where they do not, with `write` or with `mode = \"off\"`"));
    }
    changes
}
