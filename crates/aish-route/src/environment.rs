//! What is known of the machine when a line is routed.

use alloc::collections::BTreeSet;
use alloc::string::String;

/// Answers what a first word or an argument may be. Must answer from memory.
pub trait Environment {
    /// Says whether the word is an alias, a function, a builtin or a program on `PATH`.
    fn is_command(&self, word: &str) -> bool;

    /// Says whether a path names something that exists, seen from the folder.
    fn exists(&self, path: &str) -> bool;
}

/// An environment of plain sets of names.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Commands of every kind.
    pub commands: BTreeSet<String>,
    /// Names of the folder.
    pub files: BTreeSet<String>,
}

impl Environment for Names {
    fn is_command(&self, word: &str) -> bool {
        self.commands.contains(word)
    }

    fn exists(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        let first = path.split('/').next().unwrap_or(path);
        !first.is_empty() && self.files.contains(first)
    }
}
