//! Wrappers: programs that run what they are given, one table per kind.

use super::wrapper::Wrapper;

pub mod archives;
pub mod build;
pub mod editors;
pub mod interpreters;
pub mod plain;
pub mod remote;
pub mod shells;
pub mod terminals;
pub mod versions;

/// All tables.
pub const TABLES: &[&[Wrapper]] = &[
    plain::WRAPPERS,
    shells::WRAPPERS,
    remote::WRAPPERS,
    interpreters::WRAPPERS,
    editors::WRAPPERS,
    archives::WRAPPERS,
    build::WRAPPERS,
    terminals::WRAPPERS,
    versions::WRAPPERS,
];

/// Goes through all wrappers.
pub fn all() -> impl Iterator<Item = &'static Wrapper> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// Goes through the wrappers of a program.
pub(crate) fn find(program: &str) -> impl Iterator<Item = &'static Wrapper> {
    all().filter(move |wrapper| wrapper.names.split(' ').any(|name| name.split('/').next() == Some(program)))
}

/// Goes through the programs' names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().flat_map(|wrapper| wrapper.names.split(' ')).filter_map(|name| name.split('/').next())
}
