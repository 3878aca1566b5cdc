//! What aish does with lines and commands: shell, routing, policy, sandbox, undo, autonomous runs, what it keeps.

use serde::{Deserialize, Serialize};

use super::super::key::{AMOUNT, COUNT, COUNT_32, Kind, MANY, Overlay};
use super::super::word::one_of;
use super::words;

section! {
    /// `[shell]`.
    ShellSection in "shell" {
        /// The bash that lines run in.
        program: String = "bash".to_owned(), Kind::Text, Overlay::Never;
        /// Reads your `.bashrc` at the start.
        rc: bool = true, Kind::Bool, Overlay::Free;
        /// Asks before each command that a model proposes; false runs those that are known to be harmless, and shows them.
        confirm_cmd: bool = false, Kind::Bool, Overlay::Only(true);
        /// Sends what your last commands wrote along with the next question.
        output_to_model: bool = true, Kind::Bool, Overlay::Only(false);
        /// The most bytes of that output.
        output_bytes: usize = 16_384, Kind::Whole(256, MANY), Overlay::Free;
    }
}

section! {
    /// `[route]`.
    Route in "route" {
        /// Asks where a line belongs when it is not clear; false gives such lines to the shell.
        ask: bool = true, Kind::Bool, Overlay::Only(true);
    }
}

/// One rule of `[policy]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PolicyRule {
    /// The pattern of the command.
    pub r#match: String,
    /// `allow`, `ask` or `halt`.
    pub verdict: String,
    /// Why, in words.
    pub reason: String,
    /// Commands that the pattern must match.
    pub examples: Vec<String>,
}

section! {
    /// `[policy]`.
    PolicySection in "policy" {
        /// Your own rules for commands and tools, the strictest that matches wins.
        rules: Vec<PolicyRule> = Vec::new(), Kind::Rules, Overlay::Tighten;
    }
}

one_of! {
    /// Whether a run's commands are in a sandbox.
    SandboxMode {
        /// Where one works.
        Auto = "auto",
        /// Never.
        Off = "off",
        /// Always; nothing runs where none works.
        Required = "required",
    }
}

section! {
    /// `[sandbox]`.
    Sandbox in "sandbox" {
        /// Runs a run's commands in a sandbox where one works (`auto`), never (`off`), or refuses to run without (`required`).
        mode: SandboxMode = SandboxMode::Auto, SandboxMode::WORDS, Overlay::Never;
        /// Lets commands in the sandbox reach the network.
        network: bool = false, Kind::Bool, Overlay::Only(false);
        /// The folders that commands in the sandbox may write below; an empty list means the project and the temporary folder.
        write: Vec<String> = Vec::new(), Kind::Texts, Overlay::Never;
    }
}

one_of! {
    /// When a person is asked before a command.
    ApprovalMode {
        /// Before commands that are not known to be harmless.
        Ask = "ask",
        /// About what is not ordinary.
        Auto = "auto",
        /// As `ask`, at each.
        Strict = "strict",
    }
}

section! {
    /// `[approval]`.
    Approval in "approval" {
        /// Asks before commands that are not harmless (`ask`), about what is not ordinary (`auto`), or as `ask` at each (`strict`).
        mode: ApprovalMode = ApprovalMode::Ask, ApprovalMode::WORDS, Overlay::Never;
    }
}

section! {
    /// `[confine]`.
    Confine in "confine" {
        /// More files and folders that are empty for confined commands: absolute, below `~/`, or below the tree.
        hidden: Vec<String> = Vec::new(), Kind::Texts, Overlay::Never;
        /// Variables that confined commands may have though their names or values look secret.
        keep_variables: Vec<String> = Vec::new(), Kind::Texts, Overlay::Never;
        /// Paths of the tree that are kept unasked though they are guarded; `DIR/**` means all below it.
        ordinary: Vec<String> = Vec::new(), Kind::Texts, Overlay::Never;
        /// The folders of caches that confined commands may write to, in layers of their own.
        caches: Vec<String> = aish_confine::Settings::default().caches, Kind::Texts, Overlay::Never;
    }
}

section! {
    /// `[undo]`.
    Undo in "undo" {
        /// Puts files aside before a model's command deletes or overwrites them.
        enabled: bool = true, Kind::Bool, Overlay::Only(true);
        /// The most bytes that are kept; the oldest go first.
        max_bytes: u64 = 256 * 1024 * 1024, COUNT, Overlay::Never;
        /// The days after which they are dropped.
        keep_days: u64 = 7, COUNT, Overlay::Never;
    }
}

section! {
    /// `[norris]`.
    Norris in "norris" {
        /// The most requests to the model in a run.
        max_steps: u32 = 25, COUNT_32, Overlay::Lower;
        /// The most calls and commands in a run.
        max_tool_calls: u32 = 50, COUNT_32, Overlay::Lower;
        /// The most tokens of a run.
        max_tokens: u64 = 200_000, COUNT, Overlay::Lower;
        /// The most dollars of a run.
        max_dollars: f64 = 1.0, AMOUNT, Overlay::Lower;
        /// The most minutes of a run; the time in which it waits for you does not count.
        max_minutes: f64 = 30.0, AMOUNT, Overlay::Lower;
        /// Leaves everything to you that is not known to be harmless.
        read_only: bool = false, Kind::Bool, Overlay::Only(true);
    }
}

one_of! {
    /// What another agent is told about a command that is only worth a question.
    HookAsk {
        /// Nothing: it decides by itself.
        Abstain = "abstain",
        /// To ask.
        Ask = "ask",
        /// Not to run it.
        Deny = "deny",
    }
}

one_of! {
    /// What another agent is told about a command that destroys.
    HookHalt {
        /// Not to run it.
        Deny = "deny",
        /// To ask.
        Ask = "ask",
    }
}

section! {
    /// `[hooks]`.
    Hooks in "hooks" {
        /// What another agent is told about a command that is only worth a question.
        ask: HookAsk = HookAsk::Abstain, HookAsk::WORDS, Overlay::Deny;
        /// What another agent is told about a command that destroys.
        halt: HookHalt = HookHalt::Deny, HookHalt::WORDS, Overlay::Deny;
        /// Tells another agent that it need not ask about a harmless command.
        allow: bool = false, Kind::Bool, Overlay::Only(false);
        /// Lets Claude Code ask about a command in a layer in place of the command itself, so that it can be taken back exactly.
        transactions: bool = false, Kind::Bool, Overlay::Only(false);
    }
}

section! {
    /// `[key]`.
    KeySection in "key" {
        /// The keys by which `aish init` turns the line of your own shell into a command, as in "ctrl-x ctrl-a"; "none" binds none.
        ask: String = "default".to_owned(), Kind::Text, Overlay::Never;
        /// The keys by which it explains what failed.
        explain: String = "default".to_owned(), Kind::Text, Overlay::Never;
    }
}

section! {
    /// `[memory]`.
    Memory in "memory" {
        /// Uses memory at all.
        enabled: bool = true, Kind::Bool, Overlay::Only(false);
        /// Keeps facts about you at the end of a session.
        auto: bool = true, Kind::Bool, Overlay::Only(false);
        /// The most tokens of memories in a prompt.
        max_prompt_tokens: u64 = 300, COUNT, Overlay::Free;
    }
}

section! {
    /// `[project]`.
    Project in "project" {
        /// The names of instruction files, looked for in each folder from the project's root down.
        instructions: Vec<String> = words(&["AGENTS.md", ".aish/instructions.md"]), Kind::Texts, Overlay::Free;
    }
}

section! {
    /// `[history]`.
    History in "history" {
        /// Keeps the messages of each session, so that it can be gone on with.
        sessions: bool = true, Kind::Bool, Overlay::Only(false);
        /// The most lines of the line history; the oldest go first.
        size: u64 = 100_000, COUNT, Overlay::Never;
    }
}
