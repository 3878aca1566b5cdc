//! Wrappers: programs that run what they are given, one table per kind.

use super::names::{self, NameIndex};
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

const COUNT: usize = {
    let (mut table, mut count) = (0, 0);
    while table < TABLES.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated when compiled")]
        let rows = TABLES[table].len();
        count += rows;
        table += 1;
    }
    count
};

/// All wrappers, one list.
static FLAT: [&Wrapper; COUNT] = FLAT_TABLE;

const FLAT_TABLE: [&Wrapper; COUNT] = flat();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn flat() -> [&'static Wrapper; COUNT] {
    let mut out = [&TABLES[0][0]; COUNT];
    let (mut table, mut next) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            out[next] = &TABLES[table][row];
            next += 1;
            row += 1;
        }
        table += 1;
    }
    out
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const NAMES: [&str; COUNT] = {
    let mut out = [""; COUNT];
    let mut at = 0;
    while at < COUNT {
        out[at] = FLAT_TABLE[at].names;
        at += 1;
    }
    out
};

static INDEX: NameIndex<{ names::count(&NAMES) }> = names::build(&NAMES);

/// Goes through the wrappers of a program.
pub(crate) fn find(program: &str) -> impl Iterator<Item = &'static Wrapper> {
    INDEX.candidates(program).filter_map(|at| FLAT.get(at).copied())
}

/// Goes through the programs' names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().flat_map(|wrapper| wrapper.names.split(' ')).filter_map(|name| name.split('/').next())
}
