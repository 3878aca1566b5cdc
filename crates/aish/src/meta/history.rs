//! `:history`: the last lines, and lines that are to go.

use crate::repl::Repl;

/// Lines that are shown when no count is given.
const COUNT: usize = 20;

pub(super) async fn run(repl: &mut Repl, rest: &str) {
    let (word, behind) = rest.split_once(char::is_whitespace).map_or((rest, ""), |(word, rest)| (word, rest.trim()));
    match (word, behind) {
        ("delete", "") => repl.complain(":history delete takes a line as it stands there, or `last`"),
        ("delete", text) => delete(repl, text),
        ("clear", "") => repl.clear_history().await,
        _ => show(repl, rest),
    }
}

fn show(repl: &mut Repl, rest: &str) {
    let count = match rest.parse::<usize>() {
        Ok(count) => count,
        Err(_) if rest.is_empty() => COUNT,
        Err(_) => {
            return repl
                .complain(&format!(":history takes a number, `delete TEXT`, `delete last` or `clear`, not {rest:?}"));
        }
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

fn delete(repl: &mut Repl, text: &str) {
    let text = match text {
        // This line itself is kept nowhere.
        "last" => match repl.history.newest(1).pop() {
            Some(entry) => entry.line,
            None => return repl.complain("the history has no lines"),
        },
        text => text.to_owned(),
    };
    match repl.history.delete(Some(&text)) {
        Ok(0) => repl.complain("no line of the history is exactly this; `:history` shows them"),
        Ok(_) => repl.say(&format!("deleted: {text}; bash's own list has its lines still (`history -d NUMBER`)")),
        Err(error) => repl.complain(&crate::failure::chain(&error)),
    }
}
