//! Rules and wrappers as data: compiled-in tables, one file per family.

pub(crate) mod calls;
pub(crate) mod code_marks;
pub(crate) mod disposable;
pub(crate) mod feeding;
pub(crate) mod globs;
pub(crate) mod help;
pub(crate) mod hints;
pub(crate) mod index;
pub(crate) mod names;
pub(crate) mod places;
pub(crate) mod programs;
pub(crate) mod questions;
pub mod rule;
pub(crate) mod secret_places;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod statements;
pub(crate) mod tools;
pub mod wrapper;
pub mod wrappers;

pub mod backup;
pub mod cloud;
pub mod containers;
pub mod databases;
pub mod disks;
pub mod dry_runs;
pub mod exfiltration;
pub mod files;
pub mod git;
pub mod infrastructure;
pub mod interpreters;
pub mod network;
pub mod own;
pub mod packages;
pub mod privileges;
pub mod processes;
pub mod queries;
pub mod read;
pub mod secrets;
pub mod services;
pub mod shown;
pub mod shown_tools;
pub mod strangers;
pub mod virtualization;

use rule::Rule;

/// All families. The first rule that matches decides, unless one that halts matches too.
pub const FAMILIES: &[&[Rule]] = &[
    shown::RULES,
    shown_tools::RULES,
    secrets::RULES,
    dry_runs::RULES,
    queries::RULES,
    read::RULES,
    backup::RULES,
    infrastructure::RULES,
    cloud::RULES,
    containers::RULES,
    databases::RULES,
    disks::RULES,
    exfiltration::RULES,
    files::RULES,
    git::RULES,
    interpreters::RULES,
    network::RULES,
    own::RULES,
    packages::RULES,
    privileges::RULES,
    processes::RULES,
    services::RULES,
    strangers::RULES,
    virtualization::RULES,
];
