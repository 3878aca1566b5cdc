//! The allowed arrows, as data.

/// What each crate of ours may know of ours.
const KNOWS: &[(&str, &[&str])] = &[
    ("aish-types", &[]),
    ("aish-process", &["aish-types"]),
    ("aish-acp", &["aish-types"]),
    ("aish-confine", &["aish-diff", "aish-types"]),
    ("aish-diff", &[]),
    ("aish-embedding", &[]),
    ("aish-files", &["aish-diff"]),
    ("aish-journal", &["aish-types", "aish-safety"]),
    ("aish-program-format", &[]),
    ("aish-programs", &["aish-program-format"]),
    ("aish-syntax", &[]),
    ("aish-route", &["aish-program-format", "aish-programs", "aish-syntax"]),
    ("aish-safety", &["aish-types", "aish-program-format", "aish-programs", "aish-syntax"]),
    ("aish-turn", &["aish-types", "aish-safety", "aish-syntax"]),
    ("aish-tools", &["aish-types", "aish-safety", "aish-files"]),
    ("aish-llm", &["aish-types"]),
    ("aish-local", &["aish-types", "aish-embedding", "aish-llm", "aish-process"]),
    ("aish-model", &["aish-confine", "aish-types"]),
    ("aish-mcp", &["aish-types", "aish-tools", "aish-safety", "aish-process"]),
    ("aish-nats", &["aish-types", "aish-tools", "aish-turn", "aish-llm", "aish-safety"]),
    (
        "climax",
        &[
            "aish-types",
            "aish-embedding",
            "aish-hook",
            "aish-tools",
            "aish-safety",
            "aish-process",
            "aish-journal",
            "aish-mcp",
            "climax-yaml",
        ],
    ),
    ("climax-yaml", &[]),
    ("aish-hook", &["aish-diff", "aish-types", "aish-safety"]),
    ("aish-shell", &["aish-process", "aish-syntax"]),
    ("aish-web", &["aish-types", "aish-process", "aish-tools"]),
    ("aish-store", &["aish-types", "aish-tools", "aish-journal"]),
    ("aish-term", &["aish-types", "aish-route", "aish-safety", "aish-syntax"]),
    ("aish", ALL),
    ("aish-testkit", &[]),
    ("xtask", &["aish-embedding", "aish-route", "aish-safety", "aish-tools", "aish-types"]),
];

/// What the program at the edge wires together.
const ALL: &[&str] = &[
    "aish-types",
    "aish-acp",
    "aish-confine",
    "aish-files",
    "aish-process",
    "aish-journal",
    "aish-route",
    "aish-safety",
    "aish-turn",
    "aish-tools",
    "aish-llm",
    "aish-local",
    "aish-mcp",
    "aish-nats",
    "aish-hook",
    "climax",
    "climax-yaml",
    "aish-shell",
    "aish-store",
    "aish-syntax",
    "aish-term",
    "aish-web",
];

/// Heavy crates of others and those who may use them; tests may use any.
const OWNERS: &[(&str, &[&str])] = &[
    ("agent-client-protocol", &["aish-acp"]),
    ("async-nats", &["aish-nats"]),
    ("brush-parser", &["aish-safety", "aish-route"]),
    ("crossterm", &["aish-term"]),
    ("dashu-base", &["aish-tools"]),
    ("dashu-float", &["aish-tools"]),
    ("dashu-int", &["aish-tools"]),
    ("dashu-ratio", &["aish-tools"]),
    ("grep-regex", &["aish-files"]),
    ("grep-searcher", &["aish-files"]),
    ("htmd", &["aish-web"]),
    ("ignore", &["aish-files"]),
    ("kitoken", &["aish-llm"]),
    ("landlock", &["aish-process", "aish-confine"]),
    ("llama-cpp-2", &["aish-model"]),
    ("llama-cpp-sys-2", &["aish-model"]),
    ("minijinja", &["aish-model"]),
    ("pty-process", &["aish-shell", "aish-testkit"]),
    ("pulldown-cmark", &["aish-term"]),
    ("reedline", &["aish-term"]),
    ("reqwest", &["aish-llm", "aish-mcp", "aish-local", "aish-web", "climax"]),
    ("rmcp", &["aish-mcp"]),
    ("rusqlite", &["aish-store"]),
    ("seccompiler", &["aish-process", "aish-confine"]),
    ("serde-saphyr", &["climax-yaml", "aish-testkit"]),
    ("shimmytok", &["aish-llm"]),
    ("similar", &["aish-diff"]),
    ("syntect", &["aish-term"]),
    ("two-face", &["aish-term"]),
    ("vt100", &["aish-testkit"]),
    ("zip", &["aish-local", "xtask"]),
];

/// The crates that compute and do nothing else.
pub(super) const PURE: [&str; 7] =
    ["aish-types", "aish-program-format", "aish-programs", "aish-syntax", "aish-turn", "aish-safety", "aish-route"];

/// What a pure crate may use: none of it opens a file, a socket or a clock for us.
pub(super) const PURE_MAY_USE: &[&str] = &[
    "brush-parser",
    "memchr",
    "phf",
    "regex",
    "secrecy",
    "serde",
    "serde_json",
    "sha2",
    "shell-words",
    "strsim",
    "thiserror",
    "toml",
    "tracing",
];

/// Programs and what must not be linked into them, however far behind.
pub(super) const PROGRAMS_WITHOUT: &[(&str, &[&str])] = &[
    ("climax", &["reedline", "crossterm", "rusqlite", "libsqlite3-sys", "llama-cpp-2", "syntect"]),
    ("aish", &["llama-cpp-2", "llama-cpp-sys-2", "openssl-sys", "aws-lc-sys", "onig_sys"]),
];

/// The most files of a crate that may import one another in a circle: a module and its parts are one thing.
const CIRCLE: usize = 3;

/// Crates with larger circles than [`CIRCLE`], and how large they are; a row goes when its circle is cut.
const LARGER_CIRCLES: &[(&str, usize)] = &[("aish-safety", 18)];

/// Modules of the crate `aish` that only some of its modules may import: what is put together of all is for commands.
pub(super) const IMPORTED_BY: &[(&str, &[&str])] = &[
    ("command", &["meta", "run"]),
    ("conversation", &["command", "meta", "norris", "repl"]),
    ("meta", &["command", "completion", "repl", "texts"]),
    ("repl", &["command", "completion", "meta"]),
];

/// Modules of the crate `aish` that may import no others of it than these.
pub(super) const IMPORTS_ONLY: &[(&str, &[&str])] = &[
    (
        "base",
        &[
            "arguments",
            "config",
            "config::diagnostic",
            "config::policy",
            "config::section",
            "paths",
            "project",
            "secrets",
        ],
    ),
    ("surface", &["structured"]),
    ("structured", &["failure"]),
    ("shell_tool", &["failure"]),
];

/// Returns the names of our crates.
pub(super) fn crates() -> impl Iterator<Item = &'static str> {
    KNOWS.iter().map(|(name, _)| *name)
}

/// Returns the most files of a crate that may import one another in a circle.
pub(super) fn circle(name: &str) -> usize {
    LARGER_CIRCLES.iter().find(|(crate_name, _)| *crate_name == name).map_or(CIRCLE, |(_, files)| *files)
}

/// Returns what a crate of ours may know, or nothing for a crate without a row.
pub(super) fn knows(name: &str) -> Option<&'static [&'static str]> {
    KNOWS.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, known)| *known)
}

/// Returns who may use a heavy crate; nothing for a crate that anybody may use.
pub(super) fn owners(name: &str) -> Option<&'static [&'static str]> {
    OWNERS.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, owners)| *owners)
}

/// Tells whether a crate is one of the pure ones.
pub(super) fn is_pure(name: &str) -> bool {
    PURE.contains(&name)
}
