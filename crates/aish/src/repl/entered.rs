//! What becomes of a line before it is sent its way: copied prompts go, and history is expanded.

use aish_route::{Line, Route, decide, parse_line};
use aish_shell::ShellError;

use super::Repl;
use super::expansion;

/// Why a line that speaks of the history is not run.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExpansionError {
    /// The history does not have the event, or the event not these words.
    #[error("{0}: event not found")]
    NotFound(String),
    /// The shell that keeps the history did not answer.
    #[error("the history cannot be looked into")]
    Shell(#[from] ShellError),
}

impl Repl {
    /// Lets bash expand `!!`, `!$:h`, `^a^b` and the like in a line, and shows what came of it. None of a line that is only
    /// shown (`:p`): it stands in the next prompt.
    ///
    /// # Errors
    /// The event that is not there, or the shell's.
    pub(super) async fn expanded(&mut self, typed: &str) -> Result<Option<String>, ExpansionError> {
        let is_shells = !matches!(parse_line(typed.trim_start()), Line::Meta(..) | Line::Question(_));
        let Some(found) = expansion::designators(typed).filter(|_| is_shells) else {
            return Ok(Some(typed.to_owned()));
        };
        // A question may be about such marks, or have an exclamation mark in it.
        if !typed.trim_start().starts_with(['!', '^']) && self.is_question(typed) {
            return Ok(Some(typed.to_owned()));
        }
        self.start_up_is_read().await;
        let expanded = self.live.expand_history(found.text).await?;
        let text = expanded.ok_or_else(|| ExpansionError::NotFound(found.first.to_owned()))?;
        if text == found.text {
            return Ok(Some(typed.to_owned()));
        }
        let line = format!("{}{text}", found.before);
        if found.shows {
            self.prefill(line);
            return Ok(None);
        }
        self.print(&line);
        Ok(Some(line))
    }

    fn is_question(&self, typed: &str) -> bool {
        decide(typed, &self.names()).route == Route::Ai
    }
}

/// Takes the prompts off lines that were copied with them: `$ make`.
pub(super) fn unprompted(typed: &str) -> String {
    let is_copied = |line: &str| line.strip_prefix("$ ").is_some_and(|rest| !rest.trim().is_empty());
    if !is_copied(typed.trim_start()) {
        return typed.to_owned();
    }
    let lines = typed.lines().map(|line| line.trim_start().strip_prefix("$ ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::unprompted;

    #[test]
    fn copied_prompts_go() {
        for (typed, expected) in [
            ("$ make -j4", "make -j4"),
            ("  $ a\n$ b\nc", "a\nb\nc"),
            ("$HOME/bin/x", "$HOME/bin/x"),
            ("$ ", "$ "),
            (" ls", " ls"),
        ] {
            assert_eq!(unprompted(typed), expected, "{typed:?}");
        }
    }
}
