//! `:history`.

use crate::repl::Repl;

/// Lines that are shown when no count is given.
const COUNT: usize = 20;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    let count = match rest.parse::<usize>() {
        Ok(count) => count,
        Err(_) if rest.is_empty() => COUNT,
        Err(_) => return repl.complain(&format!(":history takes a number, not {rest:?}")),
    };
    let mut entries = repl.history.newest(count);
    entries.reverse();
    for entry in entries {
        let status = match entry.status {
            Some(0) | None => String::new(),
            Some(code) => format!("  [{code}]"),
        };
        repl.print(&format!("{}{status}", entry.line));
    }
}
