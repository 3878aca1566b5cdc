//! What a configuration says about confined runs.

use std::path::PathBuf;

/// Caches of builds and downloads below the home folder.
const CACHES: &[&str] = &[
    "~/.cache",
    "~/.cargo/registry",
    "~/.cargo/git",
    "~/.npm",
    "~/.pnpm-store",
    "~/.local/share/pnpm/store",
    "~/.bun/install/cache",
    "~/.yarn/berry/cache",
    "~/go/pkg",
    "~/.gradle/caches",
    "~/.m2/repository",
    "~/.nuget/packages",
];

/// What a configuration says about confined runs.
///
/// A path is absolute, begins with `~/` for the home folder, or lies below the tree. The last component of a hidden one may
/// begin or end with `*`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// More files and folders that seem empty.
    pub hidden: Vec<String>,
    /// Names of variables that stay although they may hold secrets.
    pub keep_variables: Vec<String>,
    /// Paths below the tree that are ordinary though they are in a guarded place; `/**` at the end means all below.
    pub ordinary: Vec<String>,
    /// Folders that builds and downloads fill; each has a layer of its own.
    pub caches: Vec<String>,
    /// Says of a file's name whether programs take settings from such files.
    pub is_settings_file: fn(&str) -> bool,
    /// Whether files of secret settings in the tree (`.env` and its like) can be read.
    pub dotenv: Dotenv,
    /// The person's home folder, without links in its path: settings of git and instructions for models there name guarded
    /// places of trees.
    pub home: Option<PathBuf>,
}

/// Whether files of secret settings in the tree can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dotenv {
    /// They are there, and opening them is refused.
    Locked,
    /// A person said yes to that.
    Readable,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hidden: Vec::new(),
            keep_variables: Vec::new(),
            ordinary: Vec::new(),
            caches: CACHES.iter().map(|path| (*path).to_owned()).collect(),
            is_settings_file: |_| false,
            dotenv: Dotenv::Locked,
            home: None,
        }
    }
}
