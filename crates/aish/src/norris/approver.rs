//! The HALT gate: a call that only a person may let through is shown to them, while the run's clock stands still.

use std::sync::Arc;

use aish_safety::{Answer, Approver, ChangesAnswer, ChangesQuestion, Mode, Question};
use aish_term::LineEditor;
use aish_term::question::HaltAnswer;
use aish_types::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::driver::clock::RunClock;

/// Asks at the terminal.
pub struct HaltApprover {
    editor: Arc<LineEditor>,
    clock: Arc<RunClock>,
    interrupt: CancellationToken,
}

impl HaltApprover {
    /// Makes an approver; Ctrl-C at its question cancels `interrupt`.
    pub fn new(editor: Arc<LineEditor>, clock: Arc<RunClock>, interrupt: CancellationToken) -> Self {
        Self { editor, clock, interrupt }
    }
}

impl Approver for HaltApprover {
    fn mode(&self) -> Mode {
        Mode::Autonomous
    }

    fn changes<'a>(&'a self, question: &'a ChangesQuestion) -> BoxFuture<'a, ChangesAnswer> {
        Box::pin(async move {
            let _pause = self.clock.asking_now();
            let answer = self.editor.changes(question.clone()).await;
            if answer == ChangesAnswer::Stop {
                self.interrupt.cancel();
            }
            answer
        })
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let _pause = self.clock.asking_now();
            match self.editor.halt(question.clone()).await {
                HaltAnswer::Run => Answer::Yes,
                HaltAnswer::Skip => Answer::No,
                HaltAnswer::Change(text) => Answer::Edit(text),
                HaltAnswer::End => Answer::Stop,
                HaltAnswer::Interrupted => {
                    self.interrupt.cancel();
                    Answer::Stop
                }
                HaltAnswer::Nobody => Answer::Nobody,
            }
        })
    }
}
