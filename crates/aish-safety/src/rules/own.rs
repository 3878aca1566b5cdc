//! This program's own commands, and those of climax: what they delete or let in is decided by a person.

use super::rule::Effect::{Delete, Run, Unprotect, Write};
use super::rule::{Rule, allow, ask, halt};

/// The family.
pub const RULES: &[Rule] = &[
    halt(
        "own.sessions-delete",
        Delete,
        "aish sessions|session delete|rm|remove|prune|clear",
        "deletes kept sessions of this program: {targets}",
        &["aish sessions delete 3f2a", "aish sessions delete --all"],
        &["aish sessions list", "aish sessions export 3f2a"],
    ),
    halt(
        "own.memory-forget",
        Delete,
        "aish memory forget|clear|delete",
        "forgets what this program remembers of the person: {targets}",
        &["aish memory forget 12", "aish memory clear"],
        &["aish memory list", "aish memory add 'likes tea'"],
    ),
    halt(
        "own.policy-change",
        Unprotect,
        "aish policy|project allow|trust|add|remove|set|reset|clear",
        "changes what this program may do unasked",
        &["aish policy allow 'rm x'", "aish project trust"],
        &["aish policy show", "aish policy test rules.toml"],
    ),
    allow(
        "own.show",
        "aish|climax check|route|tokenize|doctor|cost|list|search|validate",
        "shows what this program knows",
        &["aish check 'rm -rf /'", "climax list"],
        &["aish ask hi"],
    ),
    allow(
        "own.show-part",
        "aish sessions|memory|policy|config|tools|model|mcp|project list|search|show|check|path|test|describe",
        "shows what this program keeps",
        &["aish sessions list", "aish policy test rules.toml"],
        &["aish memory add x"],
    ),
    ask(
        "own.run",
        Run,
        "aish|climax norris|ask|call|run|mcp|service|model|undo|-c|--norris",
        "lets this program act",
        &["aish norris 'tidy up'", "climax call x"],
        &["aish sessions list"],
    ),
    ask("own.other", Write, "aish|climax", "changes what this program keeps", &["aish memory add x"], &[]),
];
