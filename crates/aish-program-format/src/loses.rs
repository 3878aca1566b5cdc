//! What the sub-commands of a program that keeps a repository put back or throw away, as it is written.

use crate::fact::named;
use crate::ids::{Id, List};

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
