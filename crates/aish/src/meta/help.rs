//! `:help`.

use super::{COMMANDS, MetaCommand};
use crate::repl::Repl;

/// Columns of the usage.
const WIDTH: usize = 20;

/// Lists all commands, or says what one is.
pub(super) fn run(repl: &mut Repl, rest: &str) {
    let name = rest.trim().trim_start_matches(':');
    if !name.is_empty() {
        return match super::find(name) {
            Some(command) => repl.print_words(&format!("{} - {}", broken(usage(command), repl), command.summary)),
            None => repl.complain(&super::unknown(name)),
        };
    }
    repl.print_words(
        "A line is a shell command or a question. `!line` forces the shell, `?line` the model; Shift-Tab flips it.",
    );
    let shown: Vec<(String, &str)> = COMMANDS.iter().map(|command| (usage(command), command.summary)).collect();
    let narrow = repl.screen.err.width < 70;
    for (name, summary) in shown {
        // A long usage has its summary below it, so that every row fits.
        if narrow {
            repl.print_words(&format!("  {}\n    {summary}", broken(name, repl)));
        } else if name.len() > WIDTH {
            repl.print_words(&format!("  {name}\n  {:WIDTH$}  {summary}", ""));
        } else {
            repl.print_words(&format!("  {name:WIDTH$}  {summary}"));
        }
    }
    repl.print_words("Ctrl-C stops an answer or a command, Ctrl-D ends aish.");
}

fn usage(command: &MetaCommand) -> String {
    format!(":{} {}", command.name, command.usage).trim_end().to_owned()
}

/// Lets a list of words that is longer than a row be broken between them.
fn broken(usage: String, repl: &Repl) -> String {
    if usage.len() + 2 > usize::from(repl.screen.err.width) { usage.replace('|', " | ") } else { usage }
}
