//! What a rule is.
//!
//! A rule is data: an id, an effect, a pattern over the arguments, a reason, and lines that it must and must not match.
//!
//! The pattern's first part names the programs (`apt|apt-get`; `?` for those without rules of their own); the others must all hold:
//!
//! | part | holds when |
//! |---|---|
//! | `word`, `a\|b`, `delete-*` | the next operand is that (subcommands in their order) |
//! | `**` | any number of operands before the next word, none of which only asks (`show`, `list`: `rules/questions.rs`) |
//! | `-f\|--force` | one of the options is given |
//! | `--prune=now` | the option has a value of that form |
//! | `!…` | the part does not hold (`!--cached`, `!%all:disposable`) |
//! | `%class` | one of the operands left is of the class (`%system\|home`) |
//! | `%all:class` | all operands left are, and there is one |
//! | `%none`, `%some` | no operand is left, or one |
//! | `%dry` | one of the options is given that the tool's entry calls dry |
//! | `%is:glob` | an operand left, or a part of it after `=` or `:`, matches |
//! | `%pretends` | an option is given by which most tools only show what they would do |
//! | `%has:text` | an argument, whatever its role, contains the text (letter case does not count) |
//! | `<secret`, `<foreign`, `<any` | what comes in through the pipe is secret, fetched or decoded, or there is a pipe |
//!
//! Classes: `root system config home dotfile startup access device repo wide secret scratch disposable remote unknown
//! any url sink listed (names that a search found) private published mode-open mode-suid`.

use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// What a part of a command does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Reads, computes or shows; changes nothing.
    Read,
    /// Reads what is secret.
    ReadSecret,
    /// Changes files, settings or state in an ordinary way.
    Write,
    /// Deletes data.
    Delete,
    /// Throws recorded work away or rewrites it.
    Discard,
    /// Destroys a disk, partition, file system or volume.
    DestroyDisk,
    /// Changes who may do what.
    Permission,
    /// Changes files of the system, its boot or its users.
    System,
    /// Ends processes or takes the machine down.
    Stop,
    /// Uses up memory, disk or processes.
    Exhaust,
    /// Runs code that came from elsewhere or was hidden.
    RunForeign,
    /// Runs a program whose effect is not known.
    Run,
    /// Sends secrets away.
    SendSecret,
    /// Talks to other machines.
    Network,
    /// Deletes state of a cloud, cluster, container or service.
    DeleteRemote,
    /// Publishes, or changes what others depend on.
    Publish,
    /// Takes a protection off.
    Unprotect,
    /// Nothing is known.
    Unknown,
}

impl Effect {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadSecret => "read-secret",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Discard => "discard",
            Self::DestroyDisk => "destroy-disk",
            Self::Permission => "permission",
            Self::System => "system",
            Self::Stop => "stop",
            Self::Exhaust => "exhaust",
            Self::RunForeign => "run-foreign",
            Self::Run => "run",
            Self::SendSecret => "send-secret",
            Self::Network => "network",
            Self::DeleteRemote => "delete-remote",
            Self::Publish => "publish",
            Self::Unprotect => "unprotect",
            Self::Unknown => "unknown",
        }
    }

    /// Says whether what was done cannot be taken back.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Delete | Self::Discard | Self::DestroyDisk | Self::SendSecret | Self::DeleteRemote => true,
            Self::Read
            | Self::ReadSecret
            | Self::Write
            | Self::Permission
            | Self::System
            | Self::Stop
            | Self::Exhaust
            | Self::RunForeign
            | Self::Run
            | Self::Network
            | Self::Publish
            | Self::Unprotect
            | Self::Unknown => false,
        }
    }
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// `family.name`, unique.
    pub id: &'static str,
    /// What is done.
    pub effect: Effect,
    /// The verdict.
    pub verdict: Verdict,
    /// The pattern; see the module's table.
    pub on: &'static str,
    /// What it does, in words, in the third person; `{targets}` stands for the operands, `{program}` for the program.
    pub reason: &'static str,
    /// Lines that it must match.
    pub matches: &'static [&'static str],
    /// Lines that it must not match.
    pub not_matches: &'static [&'static str],
    /// True where what it matches has no effect, whatever rules that halt say about the same words.
    pub shows: bool,
}

const fn rule(
    id: &'static str,
    effect: Effect,
    verdict: Verdict,
    on: &'static str,
    reason: &'static str,
    matches: &'static [&'static str],
    not_matches: &'static [&'static str],
) -> Rule {
    Rule { id, effect, verdict, on, reason, matches, not_matches, shows: false }
}

/// Makes a rule for what stops an autonomous run.
pub const fn halt(
    id: &'static str,
    effect: Effect,
    on: &'static str,
    reason: &'static str,
    matches: &'static [&'static str],
    not_matches: &'static [&'static str],
) -> Rule {
    rule(id, effect, Verdict::Halt, on, reason, matches, not_matches)
}

/// Makes a rule for what is asked.
pub const fn ask(
    id: &'static str,
    effect: Effect,
    on: &'static str,
    reason: &'static str,
    matches: &'static [&'static str],
    not_matches: &'static [&'static str],
) -> Rule {
    rule(id, effect, Verdict::Ask, on, reason, matches, not_matches)
}

/// Makes a rule for what only reads.
pub const fn allow(
    id: &'static str,
    on: &'static str,
    reason: &'static str,
    matches: &'static [&'static str],
    not_matches: &'static [&'static str],
) -> Rule {
    rule(id, Effect::Read, Verdict::Allow, on, reason, matches, not_matches)
}

/// Makes a rule for what only fetches and shows.
pub const fn fetch(
    id: &'static str,
    on: &'static str,
    reason: &'static str,
    matches: &'static [&'static str],
    not_matches: &'static [&'static str],
) -> Rule {
    rule(id, Effect::Network, Verdict::Allow, on, reason, matches, not_matches)
}

/// Makes a rule for a use that only shows, of a program whose same words would otherwise halt: help, lists, dry runs.
pub const fn shows(
    id: &'static str,
    on: &'static str,
    reason: &'static str,
    matches: &'static [&'static str],
    not_matches: &'static [&'static str],
) -> Rule {
    let mut made = allow(id, on, reason, matches, not_matches);
    made.shows = true;
    made
}

/// The same where what a project controls is run on the way.
pub const fn previews(
    id: &'static str,
    on: &'static str,
    reason: &'static str,
    matches: &'static [&'static str],
    not_matches: &'static [&'static str],
) -> Rule {
    let mut made = rule(id, Effect::Run, Verdict::Ask, on, reason, matches, not_matches);
    made.shows = true;
    made
}
