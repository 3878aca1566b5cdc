//! `:tools` and `:tool last`.

use crate::repl::Repl;

pub(super) fn run(repl: &Repl) {
    let offered = repl.conversation.driver.asker.offered();
    if offered.is_empty() {
        return repl.print_words("no tools are offered (tools.builtin is empty and no server is connected)");
    }
    let width = offered.iter().map(|tool| tool.name.as_str().len()).max().unwrap_or(0);
    for tool in offered {
        let first = tool.description.lines().next().unwrap_or_default();
        repl.print_words(&format!("{:width$}  {first}", tool.name.as_str()));
    }
}

pub(super) fn last(repl: &mut Repl, rest: &str) {
    if rest != "last" {
        return repl.complain(":tool takes `last`");
    }
    match repl.conversation.driver.seen.last_outcome.clone() {
        Some((tool, text)) => {
            repl.print(&format!("{tool}:"));
            repl.print(&text);
        }
        None => repl.print_words("no tool has run yet"),
    }
}
