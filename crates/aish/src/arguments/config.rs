//! `aish config`, and the names of keys on a command line.

use std::ffi::OsStr;

use clap::Subcommand;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

use crate::config::keys::names;

/// `aish config`.
#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Print what holds and where each value comes from.
    Show {
        /// A key or a section; without it all.
        #[arg(value_parser = KeyNames)]
        name: Option<String>,
    },
    /// Print what is wrong; exit code 1 when something is.
    Check,
    /// Print the path of the file.
    Path,
    /// Write the file, with every key behind `#`; one that is there stays.
    Init,
    /// Open the file in $EDITOR; one that is not there yet begins with every key behind `#`.
    Edit,
}

/// Takes any text, and names the sections and keys for completion; those below names of yours are yours to write.
#[derive(Clone)]
struct KeyNames;

impl TypedValueParser for KeyNames {
    type Value = String;

    fn parse_ref(&self, cmd: &clap::Command, arg: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names().map(|name| PossibleValue::new(name).hide(name.contains('.')))))
    }
}
