//! What the sub-commands of a program that keeps a repository lose, as it is written in a file about it.

use alloc::string::String;
use alloc::vec::Vec;

use super::Words;
use crate::loses::{Against, Files, Paths, Records};

/// A program's repository, as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RepositoryText {
    /// Options whose value is the folder to work in.
    pub folder: Words,
    /// Options with which the files lie elsewhere, so that nothing can be named.
    pub elsewhere: Words,
}

/// What one use of a sub-command loses, as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LossText {
    /// The sub-command.
    pub on: String,
    /// What its first operand is, one of these; the empty text where there is none.
    pub first: Vec<String>,
    /// Options of which one is given.
    pub with: Words,
    /// True where `--` is given.
    pub dashed: bool,
    /// True where nothing is lost, and that is all there is to say.
    pub nothing: bool,
    /// What tracked files are put back to.
    pub tracked: Option<Against>,
    /// Options whose value that is, or what it is called.
    pub against: Words,
    /// Which files; all where nothing is said.
    pub paths: Paths,
    /// True where untracked files go.
    pub untracked: bool,
    /// Options with which ignored ones go too.
    pub ignored: Words,
    /// What becomes of the files that are named.
    pub files: Option<Files>,
    /// Which records change.
    pub records: Option<Records>,
    /// What those are called, below `refs/`.
    pub refs: String,
}
