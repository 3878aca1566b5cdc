//! What a command would change, named as far as its text names it: the question before something is put aside.
//!
//! Pure like the judgement, and made by the same walk: through wrappers, `&&`, subshells, `cd`, functions and variables.
//! Patterns are not expanded here and nothing is looked at; whoever puts files aside does that. Where the text does not
//! tell, the answer is too much rather than too little, and what cannot be named is said in words.

use alloc::string::String;
use alloc::vec::Vec;

/// How a path is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// Mode, owner or times change; the content stays.
    Attributes,
    /// It is renamed: its content lives on under another name.
    Move,
    /// The name is taken away, or another file gets it: the old content is not written to.
    Remove,
    /// Something is written into it.
    Write,
}

/// How far below a path the change goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// The path itself.
    Itself,
    /// Everything below it too.
    Tree,
}

/// A path as a command writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PathText {
    /// Where the line had gone by then: absolute, below `~`, or relative to the folder it started in; none for that one.
    pub folder: Option<String>,
    /// The text: absolute, below `~`, or relative to the folder.
    pub text: String,
    /// True where `*`, `?` and `[…]` in the text are a pattern.
    pub pattern: bool,
}

/// One thing that is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// What is at a path.
    Path {
        /// The path.
        path: PathText,
        /// How it is changed.
        how: How,
        /// How far.
        reach: Reach,
        /// Only what is below and has a name that matches one of these patterns; empty for all.
        names: Vec<String>,
    },
    /// What is at the destination, or, when that is a folder, what has the sources' names in it.
    Into {
        /// The destination.
        destination: PathText,
        /// The sources.
        sources: Vec<PathText>,
        /// How it is changed.
        how: How,
        /// How far.
        reach: Reach,
    },
    /// Something that git knows the extent of.
    Git {
        /// The folder that git works in; its text is `.` but for `git -C`.
        folder: PathText,
        /// What.
        what: GitChange,
    },
}

/// What git changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitChange {
    /// Tracked files are put back to what a commit or the index says.
    Tracked {
        /// The commit, where one is named.
        against: Option<String>,
        /// The paths; empty for all.
        paths: Vec<PathText>,
    },
    /// Untracked files are deleted.
    Untracked {
        /// Ignored files too.
        ignored: bool,
        /// The paths; empty for all.
        paths: Vec<PathText>,
    },
    /// The repository's own records: where branches, tags and the stash point.
    Records {
        /// Names below `refs/`; empty for the branch that is checked out.
        refs: Vec<String>,
    },
}

/// What a command changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// What can be named, in the order of the line.
    pub targets: Vec<Target>,
    /// What cannot, a phrase each that goes on after "cannot bring back".
    pub unnamed: Vec<String>,
}

impl Changes {
    /// Says whether there is nothing to put aside and nothing to warn of.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty() && self.unnamed.is_empty()
    }
}

/// Matches a whole name against a pattern with `*`, `?` and `[…]`, as the shell does but for leading dots.
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    crate::command::glob_match(pattern, name)
}
