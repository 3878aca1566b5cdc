//! What the sub-commands of a program that keeps a repository put back or throw away, as it is written.

use alloc::string::String;
use alloc::vec::Vec;

use crate::builder::Builder;
use crate::fact::named;
use crate::file::Words;
use crate::tables::{Id, List};

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

named! {
    /// What tracked files are put back to.
    Against {
        /// The first operand.
        FirstOperand = "first",
        /// The last operand.
        LastOperand = "last",
        /// The first operand, where there are several.
        FirstOfSeveral = "first-of-several",
        /// The value of an option.
        OfOption = "option",
        /// A record by its name.
        ByName = "named",
    }
}

named! {
    /// Which files are meant.
    Paths {
        /// All.
        All = "all",
        /// What stands behind `--`.
        Behind = "behind",
        /// The operands before `--`; where there are none, no file is.
        Before = "before",
        /// What stands behind `--`, and the operands where there is none.
        Meant = "meant",
        /// All words that are no options.
        Bare = "words",
    }
}

#[expect(clippy::derivable_impls, reason = "a macro makes the enum")]
impl Default for Paths {
    fn default() -> Self {
        Self::All
    }
}

named! {
    /// What becomes of files that are named.
    Files {
        /// They are removed.
        Removed = "removed",
        /// They get other names.
        Moved = "moved",
    }
}

named! {
    /// Which records change.
    Records {
        /// The branch that is checked out.
        Branch = "branch",
        /// One by its name.
        OneName = "named",
        /// Those that the operands name.
        EachOperand = "operands",
    }
}

/// What one use of a sub-command loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// The sub-command.
    pub on: Id,
    /// What its first operand is; none for anything.
    pub first: List,
    /// Options of which one is given; none for any use.
    pub with: List,
    /// True where `--` is given.
    pub dashed: bool,
    /// True where nothing is lost.
    pub nothing: bool,
    /// What tracked files are put back to.
    pub tracked: Option<Against>,
    /// Options whose value that is, or what it is called.
    pub against: List,
    /// Which files.
    pub paths: Paths,
    /// True where untracked files go.
    pub untracked: bool,
    /// Options with which ignored ones go too.
    pub ignored: List,
    /// What becomes of the files that are named.
    pub files: Option<Files>,
    /// Which records change.
    pub records: Option<Records>,
    /// What those are called.
    pub refs: Id,
}

/// Keeps what one use loses.
pub(crate) fn kept(text: &LossText, builder: &mut Builder) -> Loss {
    Loss {
        on: builder.text(&text.on),
        first: builder.list(&text.first),
        with: builder.list(&text.with.0),
        dashed: text.dashed,
        nothing: text.nothing,
        tracked: text.tracked,
        against: builder.list(&text.against.0),
        paths: text.paths,
        untracked: text.untracked,
        ignored: builder.list(&text.ignored.0),
        files: text.files,
        records: text.records,
        refs: builder.text(&text.refs),
    }
}
