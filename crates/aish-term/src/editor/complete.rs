//! Our completion port in the line editor library's terms.

use std::sync::Arc;

use reedline::{Completer, CompletionResult, CompletionStatus, Span, Suggestion};

use super::printer::Printer;
use super::session::Shared;
use crate::guard::hung_up;

pub(super) struct CompleterAdapter {
    shared: Arc<Shared>,
    printer: Printer,
}

impl CompleterAdapter {
    pub(super) fn new(shared: Arc<Shared>, printer: Printer) -> Self {
        Self { shared, printer }
    }
}

impl Completer for CompleterAdapter {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let found: Vec<Suggestion> = self
            .shared
            .complete(line, pos)
            .into_iter()
            // A span that does not lie on the line would be spliced wrongly.
            .filter(|candidate| line.get(candidate.span.clone()).is_some())
            .map(|candidate| Suggestion {
                display_override: Some(
                    aish_types::visible(candidate.display.as_deref().unwrap_or(&candidate.value))
                        .replace(['\n', '\t'], " "),
                ),
                value: candidate.value,
                description: candidate.description.map(|text| aish_types::sanitize(&text).replace(['\n', '\t'], " ")),
                span: Span::new(candidate.span.start, candidate.span.end),
                append_whitespace: candidate.space_after,
                ..Suggestion::default()
            })
            .collect();
        CompletionResult::fresh(found)
    }

    /// The one place that the engine comes by while it waits: it is also looked whether the terminal is still there.
    fn poll_completion(&mut self) -> CompletionStatus {
        if hung_up() {
            self.printer.knock();
        }
        CompletionStatus::Idle
    }
}
