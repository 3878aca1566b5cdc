//! `:help`.

use super::COMMANDS;
use crate::repl::Repl;

/// Columns of the usage.
const WIDTH: usize = 20;

pub(super) fn run(repl: &Repl) {
    repl.print_words(
        "A line is a shell command or a question. `!line` forces the shell, `?line` the model; Shift-Tab flips it.",
    );
    let shown: Vec<(String, &str)> =
        COMMANDS.iter().map(|command| (format!(":{} {}", command.name, command.usage), command.summary)).collect();
    let narrow = repl.err.width < 70;
    for (name, summary) in shown {
        // A long usage has its summary below it, so that every row fits.
        if narrow {
            repl.print_words(&format!("  {name}\n    {summary}"));
        } else if name.len() > WIDTH {
            repl.print_words(&format!("  {name}\n  {:WIDTH$}  {summary}", ""));
        } else {
            repl.print_words(&format!("  {name:WIDTH$}  {summary}"));
        }
    }
    repl.print_words("Ctrl-C stops an answer or a command, Ctrl-D ends aish.");
}
