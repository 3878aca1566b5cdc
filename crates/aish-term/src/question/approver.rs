//! The gate's port to the person at the terminal.

use std::sync::Arc;

use aish_safety::{Answer, Approver, Question};
use aish_types::BoxFuture;

use crate::editor::LineEditor;

/// Asks through the line editor, which owns the terminal: questions wait for one another, and a line that is being
/// typed is put aside while one is asked.
#[derive(Debug, Clone)]
pub struct TerminalApprover {
    editor: Arc<LineEditor>,
}

impl TerminalApprover {
    /// Makes an approver.
    pub fn new(editor: Arc<LineEditor>) -> Self {
        Self { editor }
    }
}

impl Approver for TerminalApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(self.editor.ask(question.clone()))
    }
}
