//! The files of the repository as a check sees them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

/// One file of the repository.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// Path from the root, with slashes.
    pub(crate) path: String,
    /// Its text; empty for what is not UTF-8.
    pub(crate) text: String,
    /// True when the owner may execute it.
    pub(crate) executable: bool,
}

impl File {
    /// Returns the last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the name without `.rs`, for Rust files.
    pub(crate) fn module(&self) -> Option<&str> {
        self.name().strip_suffix(".rs")
    }

    /// Returns the folder, without a slash at its end; empty for the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// The files of the repository.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    /// In the order of their paths.
    pub(crate) files: Vec<File>,
}

impl Tree {
    /// Reads what git knows or would add.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let root = root();
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&root)
            .output()
            .context("git cannot be started")?;
        ensure!(output.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        let mut files = Vec::new();
        for path in String::from_utf8_lossy(&output.stdout).split('\0').filter(|path| !path.is_empty()) {
            let full = root.join(path);
            // A file that is deleted but not yet staged is no longer there.
            let Ok(bytes) = std::fs::read(&full) else { continue };
            let text = String::from_utf8(bytes).unwrap_or_default();
            files.push(File { path: path.into(), text, executable: is_executable(&full) });
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Self { files })
    }

    /// Finds a file by its path.
    pub(crate) fn find(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Lists the Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}
