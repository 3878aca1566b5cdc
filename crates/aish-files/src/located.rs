//! Where a path of the tree leads.

use std::path::PathBuf;

/// A path below the tree's root with no link in it, and whether something is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The path below the root.
    pub below: PathBuf,
    /// The same, absolute.
    pub absolute: PathBuf,
    /// The same as it is written from the folder that relative paths begin at.
    pub name: String,
    /// The path below the root as it was asked for; another one where a link was followed.
    pub asked: PathBuf,
    /// True when something is there.
    pub exists: bool,
    /// True when that is a folder.
    pub is_folder: bool,
    /// True when it is a file that has other names too (hard links), which may lie outside the tree.
    pub has_other_names: bool,
}
