//! One file of what is installed.

use std::path::Path;

use anyhow::Context;

/// A file: where it goes below the prefix, whether it is started, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its path, with slashes, without one at its beginning.
    pub(super) path: String,
    /// True for a program.
    pub(super) executable: bool,
    /// What is in it.
    pub(super) bytes: Vec<u8>,
}

impl Entry {
    /// Makes a file that is read.
    pub(super) fn data(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), executable: false, bytes: bytes.into() }
    }

    /// Makes a file that is started.
    pub(super) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { executable: true, ..Self::data(path, bytes) }
    }

    /// Returns the same file in a folder.
    pub(super) fn below(&self, folder: &str) -> Self {
        Self { path: format!("{folder}/{}", self.path), ..self.clone() }
    }

    /// Returns the same file at another place.
    pub(super) fn at(&self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self.clone() }
    }

    /// Returns the mode of its owner, group and others.
    pub(super) const fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }

    /// Writes it into a folder, with the folders that it needs.
    pub(super) fn write_below(&self, folder: &Path) -> anyhow::Result<()> {
        let path = folder.join(&self.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("making {}", parent.display()))?;
        }
        std::fs::write(&path, &self.bytes).with_context(|| format!("writing {}", path.display()))?;
        set_mode(&path, self.mode()).with_context(|| format!("changing the mode of {}", path.display()))
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}
