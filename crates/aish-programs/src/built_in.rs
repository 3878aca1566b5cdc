//! The tables of `programs/` and `shared/`, laid out when this crate is compiled.

use aish_program_format::Tables;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

pub(super) static TABLES: Tables = TABLES_OF_FILES;
