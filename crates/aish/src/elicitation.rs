//! The gate's question to the person behind an MCP client.

use aish_mcp::server::{CallScope, ElicitAnswer};
use aish_safety::{Answer, Approver, Question, Subject, Verdict};
use aish_types::{BoxFuture, visible};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// A question on its way to whoever answers it.
pub type Asked = (Question, oneshot::Sender<Answer>);

/// Hands questions to the call's own task, which has the way back to the client.
pub struct Relay(pub mpsc::Sender<Asked>);

impl Approver for Relay {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            if self.0.send((question.clone(), reply)).await.is_err() {
                return Answer::Nobody;
            }
            answer.await.unwrap_or(Answer::Nobody)
        })
    }
}

/// Asks the person behind the client; one that cannot ask is nobody.
pub async fn ask(question: &Question, scope: &CallScope) -> Answer {
    let schema = json!({"type": "object", "properties": {}});
    match scope.elicit(&sentence(question), schema).await {
        Ok(ElicitAnswer::Accepted(content)) if says_no(&content) => Answer::No,
        Ok(ElicitAnswer::Accepted(_)) => Answer::Yes,
        Ok(ElicitAnswer::Declined | ElicitAnswer::Cancelled) => Answer::No,
        Err(_) => Answer::Nobody,
    }
}

/// Writes the question: the tool's own sentence, else its name and arguments, then the words that would run, then why.
fn sentence(question: &Question) -> String {
    let own = question.confirm_message.clone();
    let mut text = own.unwrap_or_else(|| format!("Run {} {}?", question.tool, question.arguments));
    match &question.subject {
        Subject::Argv { words } => text.push_str(&format!("\n\n{}", shell_words::join(words))),
        Subject::Command { text: line } => text.push_str(&format!("\n\n{line}")),
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
