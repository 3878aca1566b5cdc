//! What becomes of a line before it is sent its way: copied prompts go, and history is expanded.

use aish_route::{Line, Route, decide, parse_line};
use aish_term::history::TextFilter;

use super::Repl;
use super::expansion::{self, EventDesignator, Expanded};

/// A line names an event that the history does not have.
#[derive(Debug, thiserror::Error)]
#[error("{0}: event not found")]
pub(super) struct EventNotFound(String);

impl Repl {
    /// Expands `!!`, `!$`, `^a^b` and the like in a line, and shows what came of it.
    ///
    /// # Errors
    /// The event that is not there.
    pub(super) fn expanded(&self, typed: &str) -> Result<String, EventNotFound> {
        if matches!(parse_line(typed.trim_start()), Line::Meta(..) | Line::Question(_)) {
            return Ok(typed.to_owned());
        }
        match expansion::expanded(typed, &|wanted| self.earlier(wanted)) {
            Expanded::Same => Ok(typed.to_owned()),
            // A question may be about such marks, or have an exclamation mark in it.
            Expanded::To(_) if !typed.trim_start().starts_with(['!', '^']) && self.is_question(typed) => {
                Ok(typed.to_owned())
            }
            Expanded::NotFound(_) if self.is_question(typed) => Ok(typed.to_owned()),
            Expanded::To(line) => {
                self.print(&line);
                Ok(line)
            }
            Expanded::NotFound(event) => Err(EventNotFound(event)),
        }
    }

    fn is_question(&self, typed: &str) -> bool {
        decide(typed, &self.names()).route == Route::Ai
    }

    /// Returns an earlier command line.
    fn earlier(&self, wanted: &EventDesignator<'_>) -> Option<String> {
        let text = match wanted {
            EventDesignator::Back(back) => return self.history.commands(*back, None).into_iter().nth(back - 1),
            EventDesignator::Begins(text) => TextFilter::Prefix((*text).to_owned()),
            EventDesignator::Has(text) => TextFilter::Contains((*text).to_owned()),
        };
        self.history.commands(1, Some(text)).into_iter().next()
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
