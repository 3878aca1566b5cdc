//! Our completion port in the line editor library's terms.

use std::sync::Arc;

use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::session::Shared;

pub(super) struct CompleterAdapter {
    shared: Arc<Shared>,
}

impl CompleterAdapter {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
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
}
