//! Plain acts, and the program that stands for each: what other languages and tools do is judged as if that program did it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::fact::named;
use crate::ids::{Id, List};

named! {
    /// A plain act.
    Act {
        /// Shows what a file holds.
        Show = "show",
        /// Prints its arguments.
        Print = "print",
        /// Removes a file.
        Remove = "remove",
        /// Removes files, and is no more said where there is none.
        RemoveAll = "remove-all",
        /// Removes folders with what is in them.
        RemoveTree = "remove-tree",
        /// Gives a file another name.
        Move = "move",
        /// Copies a file over another.
        Copy = "copy",
        /// Gives a file another mode.
        ChangeMode = "change-mode",
        /// Makes a link in the place of a file.
        Link = "link",
        /// Fetches an address and shows it.
        Fetch = "fetch",
        /// Fetches an address to the file that is named first.
        FetchTo = "fetch-to",
        /// Sends the file that is named first to an address.
        Send = "send",
        /// Asks a server to delete what an address names.
        DeleteThere = "delete-there",
        /// Sends a command to a store of keys.
        TellStore = "tell-store",
        /// Ends the processes whose command lines hold a text, without asking them.
        EndByName = "end-by-name",
    }
}

/// An act that a program stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandIn {
    /// The act.
    pub act: Act,
    /// The program.
    pub program: Id,
    /// Its first arguments.
    pub arguments: List,
}

/// Parses `remove-tree -rf`: the act, then the arguments with which the program does it.
///
/// # Errors
/// In words.
pub fn parse(text: &str) -> Result<(Act, Vec<&str>), String> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let act = Act::named(name).ok_or_else(|| format!("`{name}` is no act that a program stands for"))?;
    Ok((act, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_parsed_with_their_arguments() {
        assert_eq!(parse("remove-tree -rf --"), Ok((Act::RemoveTree, alloc::vec!["-rf", "--"])));
        assert_eq!(parse("print"), Ok((Act::Print, Vec::new())));
        assert!(parse("removes -rf").is_err() && parse("").is_err());
    }
}
