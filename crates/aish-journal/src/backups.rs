//! Files of other programs that we write to: what was in one before is kept, so that it can come back.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::replace::{ReplaceError, led_to, remove_others, replace, replace_others, replace_shared};

/// A file before and after our entries came into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// What it would be without our entries; none where there would be no file.
    pub before: Option<String>,
    /// What we wrote.
    pub after: String,
    /// Folders that were made for it, the innermost first.
    #[serde(default)]
    pub made: Vec<PathBuf>,
    /// The names of our entries, where there may be several.
    #[serde(default)]
    pub names: Vec<String>,
}

/// Who reads a file that we make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Its owner alone.
    Owner,
    /// Whoever works on the project: it is committed and shared.
    Project,
}

/// A folder of backups, one for each file.
#[derive(Debug, Clone)]
pub struct Backups {
    folder: PathBuf,
}

impl Backups {
    /// Makes the list over a folder, which need not be there yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Names the backup of a file: its path, with what no file's name may hold written out.
    fn path(&self, path: &Path) -> PathBuf {
        let name: String = path.display().to_string().replace('%', "%25").replace('/', "%2F");
        self.folder.join(format!("{name}.json"))
    }

    /// Returns the backup of a file.
    pub fn get(&self, path: &Path) -> Option<Backup> {
        let text = std::fs::read_to_string(self.path(path)).ok()?;
        serde_json::from_str::<Backup>(&text).ok().filter(|backup| backup.path == path)
    }

    /// Returns all backups; one that cannot be understood is passed over.
    ///
    /// # Errors
    /// When the folder or a file in it cannot be read.
    pub fn all(&self) -> io::Result<Vec<Backup>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut backups = Vec::new();
        for entry in entries {
            let text = std::fs::read_to_string(entry?.path())?;
            backups.extend(serde_json::from_str::<Backup>(&text).ok());
        }
        Ok(backups)
    }

    /// Writes `after` into a file and keeps the backup first. The folders that have to be made for it are added to those that
    /// were made for it earlier.
    ///
    /// # Errors
    /// When it cannot be written, or is not ours to write to; file and backup are as they were then.
    pub fn write(&self, mut backup: Backup, readers: Readers) -> Result<(), ReplaceError> {
        let old = self.get(&backup.path);
        backup.made = missing_folders(&backup.path);
        backup.made.extend(old.iter().flat_map(|old| old.made.iter().cloned()));
        self.remember(&backup)?;
        let written = match readers {
            Readers::Owner => replace_others(&backup.path, backup.after.as_bytes()),
            Readers::Project => replace_shared(&backup.path, backup.after.as_bytes()),
        };
        if let Err(error) = written {
            match &old {
                Some(old) => self.remember(old)?,
                None => self.forget(&backup.path),
            }
            return Err(error);
        }
        Ok(())
    }

    fn remember(&self, backup: &Backup) -> Result<(), ReplaceError> {
        let path = self.path(&backup.path);
        match serde_json::to_string(backup) {
            Ok(text) => replace(&path, text.as_bytes()),
            Err(error) => Err(ReplaceError { path, source: error.into() }),
        }
    }

    /// Puts back what was in a file, or takes away a file that was made, with the folders that were made for it and hold
    /// nothing else; forgets the backup.
    ///
    /// # Errors
    /// When it cannot be written, or is not ours to write to; it is as it was then.
    pub fn put_back(&self, path: &Path, before: Option<&str>) -> Result<(), ReplaceError> {
        match before {
            Some(before) => replace_others(path, before.as_bytes())?,
            None => remove_others(path)?,
        }
        let made = self.get(path).map(|kept| kept.made).unwrap_or_default();
        self.forget(path);
        // The first that holds something of others keeps all above it.
        let _ = made.iter().filter(|_| before.is_none()).try_for_each(std::fs::remove_dir);
        Ok(())
    }

    /// Forgets a file's backup.
    pub fn forget(&self, path: &Path) {
        let _ = std::fs::remove_file(self.path(path));
    }
}

/// Returns the folders that have to be made for a file, the innermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let real = led_to(path);
    let above = real.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    above.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_shared_file_is_for_everybody_and_goes_with_its_folders() {
        let home = tempfile::tempdir().unwrap();
        let backups = Backups::new(home.path().join("state"));
        let write = |path: &Path, readers| {
            let (path, after) = (path.to_owned(), "x".to_owned());
            backups.write(Backup { path, before: None, after, made: vec![], names: vec![] }, readers).unwrap();
        };
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let plain = home.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        let (shared, own) = (home.path().join("p/.vscode/mcp.json"), home.path().join("h/.claude.json"));
        write(&shared, Readers::Project);
        write(&own, Readers::Owner);
        assert_eq!((mode(&shared), mode(&own)), (mode(&plain), 0o600));
        std::fs::create_dir(home.path().join("folder")).unwrap();
        assert_eq!(mode(shared.parent().unwrap()), mode(&home.path().join("folder")));
        backups.put_back(&shared, None).unwrap();
        assert!(!home.path().join("p").exists() && backups.get(&shared).is_none());
        assert_eq!(backups.all().unwrap().len(), 1);
    }
}
