//! What is known of a program besides its rules, as numbers into the tables.

use crate::fact::{Change, Output, Traits};
use crate::ids::{Id, List};

/// Which files sub-commands of a program open for their content; those in neither list may open anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Opens {
    /// Those that open none.
    pub nothing: List,
    /// Those that open what their words name and nothing else.
    pub named: List,
    /// Options with which they open more.
    pub more: List,
    /// Options with which they open all below their folders.
    pub below: List,
    /// Options with which hidden files are among that.
    pub hidden: List,
}

/// What is known of a program besides its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// True where a file says something about options.
    pub options: bool,
    /// Options that take the next argument as their value.
    pub takes: List,
    /// Options that make it only show what it would do.
    pub dry: List,
    /// True where long options may be shortened.
    pub shortens: bool,
    /// True where one dash and two dashes mean the same, and letters do not cluster.
    pub single_dash: bool,
    /// True where `takes` is complete: every other option takes no argument after it.
    pub complete: bool,
    /// True where options end at the first operand.
    pub stops: bool,
    /// True where a letter with a value stands last in its cluster, and the value is the next argument.
    pub apart: bool,
    /// True where it is known exactly which options take a value: what stands behind one is that, whatever it looks like.
    pub exact: bool,
    /// Options that take a value in some sub-commands and none in others: what stands behind them may be that.
    pub varies: List,
    /// True where every option is harmless: none writes, runs, sends or reads settings.
    pub harmless: bool,
    /// Options that take nothing and are harmless.
    pub flags: List,
    /// Options that take a value and are harmless whatever it is; they are among `takes` too.
    pub values: List,
    /// Variables, as globs, that change only how it works or what it shows.
    pub variables: List,
    /// Files of settings that a folder may bring, and that make it run what they say.
    pub settings: List,
    /// Sub-commands that reach no other machine; `*` for all, the empty text for none.
    pub local: List,
    /// Which files it opens for their content.
    pub opens: Opens,
    /// Words, as globs, that are names and texts to it though they look like an address, a coder or a command.
    pub plain: List,
    /// Options whose value chooses what is shown.
    pub chooses: List,
    /// What of that only shows, as globs.
    pub chosen: List,
    /// Words with which it fetches what anybody may have; `!` stands before those with which it does not.
    pub anonymous: List,
    /// What is true of it.
    pub traits: Traits,
    /// What it writes to the pipe.
    pub output: Output,
    /// Arguments of which one alone makes it write a number; `none` where it does so without any.
    pub numbers: List,
    /// What it changes among files.
    pub change: Change,
    /// Which of its arguments name what it writes to, in the table of these.
    pub writes: List,
    /// Where it keeps a repository: what its sub-commands lose, in the table of these.
    pub loses: List,
    /// Where it keeps a repository: options whose value is the folder to work in.
    pub folder: List,
    /// Where it keeps a repository: options with which its files lie elsewhere.
    pub elsewhere: List,
    /// The ending of the files that it packs.
    pub packs: Id,
    /// Commands that print secrets.
    pub secrets: List,
    /// Options whose values are statements.
    pub statements: List,
    /// Calls of a document database that only read, where the statements are such calls.
    pub documents: List,
    /// Operands that change something, or take a request for help behind them for what they are about.
    pub changing: List,
    /// Sub-commands that talk to another machine.
    pub talking: List,
    /// What else it is called, as a package or an image.
    pub packages: List,
    /// Routing: how many plain words it takes at most, plus one; 0 where any number is usual.
    pub words: u8,
    /// Routing: plain words that it always takes.
    pub taken: List,
    /// Routing: how many operands it cannot do without.
    pub least: u8,
    /// Routing: true where the first operand has a shape that no plain word has.
    pub shaped: bool,
    /// Routing: the plain words that the first operand may be for all that.
    pub shape: List,
    /// Routing: its sub-commands.
    pub subcommands: List,
}

#[expect(clippy::derivable_impls, reason = "a macro makes the enum")]
impl Default for Change {
    fn default() -> Self {
        Self::Nothing
    }
}

/// What is known of a program of which nothing is.
pub(crate) static NO_FACTS: Facts = Facts {
    options: false,
    takes: List { from: 0, count: 0 },
    dry: List { from: 0, count: 0 },
    shortens: false,
    single_dash: false,
    complete: false,
    stops: false,
    apart: false,
    exact: false,
    varies: List { from: 0, count: 0 },
    harmless: false,
    flags: List { from: 0, count: 0 },
    values: List { from: 0, count: 0 },
    variables: List { from: 0, count: 0 },
    settings: List { from: 0, count: 0 },
    local: List { from: 0, count: 0 },
    opens: Opens {
        nothing: List { from: 0, count: 0 },
        named: List { from: 0, count: 0 },
        more: List { from: 0, count: 0 },
        below: List { from: 0, count: 0 },
        hidden: List { from: 0, count: 0 },
    },
    plain: List { from: 0, count: 0 },
    chooses: List { from: 0, count: 0 },
    chosen: List { from: 0, count: 0 },
    anonymous: List { from: 0, count: 0 },
    traits: Traits(0),
    output: Output::Mixed,
    numbers: List { from: 0, count: 0 },
    change: Change::Nothing,
    writes: List { from: 0, count: 0 },
    loses: List { from: 0, count: 0 },
    folder: List { from: 0, count: 0 },
    elsewhere: List { from: 0, count: 0 },
    packs: Id(0),
    secrets: List { from: 0, count: 0 },
    statements: List { from: 0, count: 0 },
    documents: List { from: 0, count: 0 },
    changing: List { from: 0, count: 0 },
    talking: List { from: 0, count: 0 },
    packages: List { from: 0, count: 0 },
    words: 0,
    taken: List { from: 0, count: 0 },
    least: 0,
    shaped: false,
    shape: List { from: 0, count: 0 },
    subcommands: List { from: 0, count: 0 },
};
