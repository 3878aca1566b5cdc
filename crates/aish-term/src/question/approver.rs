//! The gate's port to the person at the terminal.

use std::sync::Arc;

use aish_safety::{Answer, Approver, ChangesAnswer, ChangesQuestion, Question};
use aish_types::BoxFuture;

use crate::editor::LineEditor;

/// Asks through the line editor, which owns the terminal: questions wait for one another, and a line that is being
/// typed is put aside while one is asked.
#[derive(Clone)]
pub struct TerminalApprover {
    editor: Arc<LineEditor>,
    stop: Arc<dyn Fn() + Send + Sync>,
}

impl TerminalApprover {
    /// Makes an approver; Ctrl-C at its question calls `stop`, which ends what wanted to be approved.
    pub fn new(editor: Arc<LineEditor>, stop: impl Fn() + Send + Sync + 'static) -> Self {
        Self { editor, stop: Arc::new(stop) }
    }
}

impl Approver for TerminalApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let answer = self.editor.ask(question.clone()).await;
            if answer == Answer::Stop {
                (self.stop)();
            }
            answer
        })
    }

    fn changes<'a>(&'a self, question: &'a ChangesQuestion) -> BoxFuture<'a, ChangesAnswer> {
        Box::pin(async move {
            let answer = self.editor.changes(question.clone()).await;
            if answer == ChangesAnswer::Stop {
                (self.stop)();
            }
            answer
        })
    }
}
