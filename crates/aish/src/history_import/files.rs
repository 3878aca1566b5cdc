//! Which history files of other shells there are.

use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use aish_store::history_import::{ImportedLine, read_atuin};

use super::formats;
use crate::failure::Failure;
use crate::paths::Paths;

/// Bytes that are read of a file, from its end.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// How a history file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Bash,
    Zsh,
    Fish,
    Atuin,
}

/// A history file as it was found.
pub struct Source {
    /// The shell's name.
    pub(super) name: &'static str,
    /// The file.
    pub(super) path: PathBuf,
    format: Format,
    /// Its bytes when it was found; what is written later is of this session.
    length: u64,
}

/// Returns the files that are there.
pub(super) fn found(paths: &Paths, variables: &[(String, String)]) -> Vec<Source> {
    let Some(home) = &paths.home else { return Vec::new() };
    let variable = |name: &str| variables.iter().find(|(key, _)| key == name).map(|(_, value)| PathBuf::from(value));
    let data = variable("XDG_DATA_HOME").filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(".local/share"));
    // `HISTFILE` is exported by few, and does not say of which shell it is.
    let named = variable("HISTFILE").filter(|path| path.is_absolute());
    let zsh_folder = variable("ZDOTDIR").filter(|path| path.is_absolute()).unwrap_or_else(|| home.clone());
    let is_zsh = |path: &PathBuf| path.to_string_lossy().contains("zsh");
    let candidates = [
        (
            "bash",
            named.clone().filter(|path| !is_zsh(path)).unwrap_or_else(|| home.join(".bash_history")),
            Format::Bash,
        ),
        ("zsh", named.filter(is_zsh).unwrap_or_else(|| zsh_folder.join(".zsh_history")), Format::Zsh),
        ("fish", data.join("fish/fish_history"), Format::Fish),
        ("atuin", data.join("atuin/history.db"), Format::Atuin),
    ];
    let there = candidates.into_iter().filter_map(|(name, path, format)| {
        let file = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        Some(Source { name, path, format, length: file.len() })
    });
    there.collect()
}

impl Source {
    /// Reads the newest lines, oldest first.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub(super) fn read(&self, most: usize) -> Result<Vec<ImportedLine>, Failure> {
        let text = || self.bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let mut lines = match self.format {
            Format::Atuin => read_atuin(&self.path, most)?,
            Format::Bash => formats::bash(&text()?, self.changed_ms()),
            Format::Zsh => formats::zsh(&self.bytes()?, self.changed_ms()),
            Format::Fish => formats::fish(&text()?),
        };
        lines.retain(|line| !line.command.trim().is_empty() && !line.command.contains('\0'));
        lines.drain(..lines.len().saturating_sub(most));
        Ok(lines)
    }

    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = std::fs::File::open(&self.path)?;
            let from = self.length.saturating_sub(MOST_BYTES);
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(self.length.min(MOST_BYTES)).read_to_end(&mut bytes)?;
            if from > 0 {
                // It begins in the middle of a line.
                let end = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
                bytes.drain(..end);
            }
            Ok(bytes)
        };
        Ok(read()?)
    }

    /// When the file was written last: the time of lines that have none of their own.
    fn changed_ms(&self) -> i64 {
        let changed = std::fs::metadata(&self.path).and_then(|metadata| metadata.modified()).ok();
        let since = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or_default()
    }
}
