//! `:memory add|search|list|forget`.

use std::path::PathBuf;

use crate::command::memory::{Verb, act};
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let (verb, rest) = rest.split_once(char::is_whitespace).map_or((rest, ""), |(verb, rest)| (verb, rest.trim()));
    let verb = match (verb, rest) {
        ("" | "list", _) => Verb::List,
        ("add", "") => return repl.complain(":memory add takes the fact, in words"),
        ("add", text) => match text.strip_prefix("--project ") {
            Some(text) => Verb::Add { text: text.trim().to_owned(), in_project: true },
            None => Verb::Add { text: text.to_owned(), in_project: false },
        },
        ("search", "") => return repl.complain(":memory search takes words to look for"),
        ("search", words) => Verb::Search(words.to_owned()),
        ("forget", "") => return repl.complain(":memory forget takes numbers, as `:memory list` shows them"),
        ("forget", ids) => Verb::Forget(ids.split_whitespace().map(str::to_owned).collect()),
        (other, _) => return repl.complain(&format!(":memory takes add, search, list or forget, not {other:?}")),
    };
    match act(&repl.base, &PathBuf::from(repl.folder()), &verb) {
        Ok(lines) => lines.iter().for_each(|line| repl.print_words(line)),
        Err(why) => repl.fail(&why),
    }
}
