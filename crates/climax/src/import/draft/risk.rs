//! What a tool may do, as far as its help and the judgement of command lines know it.
//!
//! Nothing is guessed to be `read`: what looks like reading is `judged`, which runs unasked only where the judgement of the
//! very command line knows that it reads.

use aish_safety::{Analysis, Effect, PolicyRules, Surroundings, Verdict, analyse_argv};

use crate::import::help::{Help, HelpOption};

/// Words of sub-commands that only look.
const READS: &[&str] = &[
    "list", "ls", "show", "get", "view", "status", "info", "describe", "inspect", "search", "find", "cat", "read",
    "check", "diff", "log", "logs", "version", "tree", "count", "stats", "top", "ps", "whoami", "history", "doctor",
    "verify", "validate", "explain", "is", "grep", "head", "tail", "wc", "stat", "which", "du", "df", "ping", "dig",
];
/// Words of sub-commands that may lose something.
#[rustfmt::skip]
const DESTROYS: &[&str] = &[
    "delete", "remove", "rm", "destroy", "purge", "prune", "drop", "kill", "reset", "clean", "clear", "erase", "wipe",
    "terminate", "uninstall", "rollback", "force", "truncate", "format", "publish", "halt", "poweroff", "reboot",
    "shutdown",
];
/// Words with which an option begins or ends that writes.
#[rustfmt::skip]
const WRITES: &[&str] = &[
    "fix", "fixes", "write", "overwrite", "save", "update", "upgrade", "add", "edit", "create", "delete", "remove", "prune",
    "clean", "install", "apply", "replace", "generate", "init", "exec", "execute", "noqa", "place", "inplace", "dump",
    "export", "download", "force",
];
/// Words with which an option ends that names where something is written.
#[rustfmt::skip]
const PLACES: &[&str] = &["output", "out", "outfile", "outdir", "directory", "dir", "o"];
/// Words with which an option begins that names where something is read.
#[rustfmt::skip]
const READ_FROM: &[&str] = &[
    "exclude", "include", "ignore", "skip", "input", "source", "src", "base", "root", "config", "search", "work", "working",
    "from", "in", "plugins", "template", "project", "current", "git",
];
/// Verbs with which a description begins, of commands that write.
const WRITING_VERBS: &[&str] = &[
    "add",
    "adds",
    "append",
    "apply",
    "applies",
    "bump",
    "bumps",
    "change",
    "changes",
    "copy",
    "create",
    "creates",
    "delete",
    "deletes",
    "deploy",
    "download",
    "downloads",
    "edit",
    "edits",
    "execute",
    "executes",
    "fix",
    "fixes",
    "format",
    "formats",
    "generate",
    "generates",
    "initialize",
    "initialise",
    "install",
    "installs",
    "launch",
    "make",
    "merge",
    "modify",
    "move",
    "publish",
    "push",
    "put",
    "register",
    "remove",
    "removes",
    "rename",
    "replace",
    "reset",
    "restart",
    "restore",
    "rewrite",
    "run",
    "runs",
    "save",
    "saves",
    "send",
    "sends",
    "set",
    "sets",
    "start",
    "starts",
    "stop",
    "stops",
    "store",
    "update",
    "updates",
    "upgrade",
    "upload",
    "write",
    "writes",
];

/// What a config says of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    /// Each call is judged by its command line.
    Judged,
    Write,
    Destructive,
}

impl Guess {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Judged => "judged",
            Self::Write => "write",
            Self::Destructive => "destructive",
        }
    }
}

/// Guesses what a program's sub-command may do; `words` are those of the sub-command.
pub(super) fn guess(program: &str, words: &[String], help: &Help) -> Guess {
    let own = [program.to_owned()];
    let named = if words.is_empty() { &own } else { words };
    let parts: Vec<&str> = named.iter().flat_map(|word| word.split(['-', '_', ':'])).collect();
    let line: Vec<String> = own.iter().chain(words).cloned().collect();
    if parts.iter().any(|part| DESTROYS.contains(part)) {
        return Guess::Destructive;
    }
    let found = judged(&line);
    if destroys(&found) {
        return Guess::Destructive;
    }
    let writing: Vec<&HelpOption> = help.options.iter().filter(|option| writes(option)).collect();
    if reads(&found) {
        // What the judgement does not know of an option it must not be asked about later.
        let passes = |option: &&&HelpOption| reads(&judged(&with(&line, option)));
        return if writing.iter().any(|option| passes(&option)) { Guess::Write } else { Guess::Judged };
    }
    let verb = help.about.split_whitespace().next().unwrap_or_default().to_lowercase();
    let verb = verb.trim_matches(|c: char| !c.is_alphabetic());
    let looks = parts.iter().any(|part| READS.contains(part)) && !WRITING_VERBS.contains(&verb);
    if looks && writing.is_empty() { Guess::Judged } else { Guess::Write }
}

/// Puts an option behind a command line, with a value where it takes one.
fn with(line: &[String], option: &HelpOption) -> Vec<String> {
    let mut line = line.to_vec();
    match (&option.value, option.flag.ends_with('=')) {
        (None, _) => line.push(option.flag.clone()),
        (Some(_), true) => line.push(format!("{}value", option.flag)),
        (Some(_), false) => line.extend([option.flag.clone(), "value".to_owned()]),
    }
    line
}

/// Says whether an option looks as if a command wrote with it; one that names a form of the output does not.
fn writes(option: &HelpOption) -> bool {
    let flag = option.flag.trim_matches(['-', '=']).to_lowercase();
    let parts: Vec<&str> = flag.split(['-', '_']).collect();
    let (first, last) = (parts.first().copied().unwrap_or_default(), parts.last().copied().unwrap_or_default());
    if matches!(first, "no" | "not" | "without") {
        return false;
    }
    let description = option.description.to_lowercase();
    let is_form = ["format", "mode", "one of", "style"].iter().any(|word| description.contains(word))
        || !option.choices.is_empty();
    let is_place = PLACES.contains(&last) && !READ_FROM.contains(&first)
        || matches!(last, "file" | "path") && parts.contains(&"output");
    let says = ["in place", "in-place", "write to", "writes to", "write the output", "save to"];
    WRITES.contains(&first)
        || WRITES.contains(&last)
        || is_place && option.value.is_some() && !is_form
        || says.iter().any(|words| description.contains(words))
}

fn judged(line: &[String]) -> Analysis {
    analyse_argv(line, &Surroundings::default(), &PolicyRules::default())
}

fn reads(analysis: &Analysis) -> bool {
    analysis.judgement.verdict == Verdict::Allow
}

fn destroys(analysis: &Analysis) -> bool {
    let effects = [Effect::Delete, Effect::Discard, Effect::DestroyDisk, Effect::DeleteRemote, Effect::Publish];
    analysis.judgement.verdict == Verdict::Halt || analysis.parts.iter().any(|part| effects.contains(&part.effect))
}
