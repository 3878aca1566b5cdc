//! The gate's question to the person behind a client.

use aish_safety::pin::Digest;
use aish_safety::{Answer, Approver, Mode, Question, Subject, Verdict};
use aish_types::{BoxFuture, visible};
use serde_json::{Value, json};

use super::scope::{CallScope, ElicitAnswer};

/// Asks the person behind the client of this call; a client that cannot ask is nobody.
impl Approver for CallScope {
    fn mode(&self) -> Mode {
        if self.client.elicitation { Mode::Interactive } else { Mode::Headless }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let schema = json!({"type": "object", "properties": {}});
            let text = question_text(question);
            // A key of its own: a call may ask something else first in one round, and not any more in the next.
            let digest = Digest::of(text.as_bytes());
            let key = format!("gate-{}", digest.as_str().get(..16).unwrap_or_default());
            match self.elicit_as(Some(&key), &text, schema).await {
                Ok(ElicitAnswer::Accepted(content)) if says_no(&content) => Answer::No,
                Ok(ElicitAnswer::Accepted(_)) => Answer::Yes,
                Ok(ElicitAnswer::Declined | ElicitAnswer::Cancelled) => Answer::No,
                Err(error) => {
                    tracing::warn!(%error, "the client could not be asked");
                    Answer::Nobody
                }
            }
        })
    }
}

/// Writes a question as plain text: the tool's own sentence, else its name and arguments, then the words that would
/// run, what has changed, what is known beside that, and for what may destroy something the reason.
pub fn question_text(question: &Question) -> String {
    let own = question.confirm_message.clone();
    let mut text = own.unwrap_or_else(|| format!("Run {} {}?", question.tool, question.arguments));
    match &question.subject {
        Subject::Argv { words } => text.push_str(&format!("\n\n{}", shell_words::join(words))),
        Subject::Command { text: line } => text.push_str(&format!("\n\n{line}")),
        Subject::Files { difference, .. } => text.push_str(&format!("\n\n{difference}")),
        Subject::Page { address } => text.push_str(&format!("\n\n{address}")),
        Subject::Tool => {}
    }
    if let Some(drift) = &question.drift {
        text.push_str(&format!("\n\nIts definition has changed:\n{drift}"));
    }
    for note in &question.notes {
        text.push_str(&format!("\n\n{note}"));
    }
    if question.judgement.verdict == Verdict::Halt {
        text.push_str(&format!("\n\n{}", question.reason()));
    }
    visible(&text).into_owned()
}

/// A form that was accepted with a plain no in it is a no.
fn says_no(content: &Value) -> bool {
    content.as_object().is_some_and(|fields| fields.values().any(|value| *value == Value::Bool(false)))
}
