//! `:help`.

use super::COMMANDS;
use crate::repl::Repl;

pub(super) fn run(repl: &Repl) {
    repl.print(
        "A line is a shell command or a question. `!line` forces the shell, `?line` the model; Shift-Tab flips it.",
    );
    let shown: Vec<(String, &str)> =
        COMMANDS.iter().map(|command| (format!(":{} {}", command.name, command.usage), command.summary)).collect();
    let width = shown.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, summary) in shown {
        repl.print(&format!("  {name:width$}  {summary}"));
    }
    repl.print("Ctrl-C stops an answer or a command, Ctrl-D ends aish.");
}
