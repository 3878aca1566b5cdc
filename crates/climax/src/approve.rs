//! Who is asked: the person behind the client, the person at the terminal, or nobody.

mod terminal;

use aish_mcp::server::{CallScope, ElicitAnswer};
use aish_safety::{Answer, Approver, Mode, Question, Subject};
use aish_types::{BoxFuture, visible};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

pub(crate) use terminal::Terminal;

use crate::policy::Headless;

/// A question on its way to whoever answers it.
pub(crate) type Asked = (Question, oneshot::Sender<Answer>);

/// The gate's approver: hands questions to the call's own task, which has the way back to the client.
pub(crate) struct Relay(pub(crate) mpsc::Sender<Asked>);

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

/// Who answers the questions of one call.
pub(crate) enum Asker {
    /// The person behind the client.
    Client,
    /// The person at the terminal.
    Terminal(Terminal),
    /// Nobody; the policy says what that means.
    Nobody(Headless),
}

impl Asker {
    /// Chooses: the client when it can, else the terminal when it is ours, else nobody.
    pub(crate) fn choose(scope: &CallScope, terminal: TerminalUse, headless: Headless) -> Self {
        if scope.client.elicitation {
            return Self::Client;
        }
        match terminal {
            TerminalUse::Allowed => Terminal::open().map_or(Self::Nobody(headless), Self::Terminal),
            TerminalUse::Never => Self::Nobody(headless),
        }
    }

    /// Returns the gate's mode.
    pub(crate) fn mode(&self) -> Mode {
        match self {
            Self::Client | Self::Terminal(_) => Mode::Interactive,
            Self::Nobody(Headless::Approve) => Mode::HeadlessYes,
            Self::Nobody(Headless::Deny) => Mode::Headless,
        }
    }

    pub(crate) async fn ask(&self, question: &Question, scope: &CallScope) -> Answer {
        match self {
            Self::Client => ask_client(question, scope).await,
            Self::Terminal(terminal) => terminal.ask(sentence(question)).await,
            Self::Nobody(_) => Answer::Nobody,
        }
    }
}

/// Whether the controlling terminal may be used for questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalUse {
    /// When it is ours.
    Allowed,
    /// Not at all.
    Never,
}

/// Writes the question: the tool's own sentence, then the words that would run, then why.
fn sentence(question: &Question) -> String {
    let own = question.confirm_message.clone();
    let mut text = own.unwrap_or_else(|| format!("Approve execution of {}?", question.tool));
    if let Subject::Argv { words } = &question.subject {
        text.push_str("\n\n");
        text.push_str(&shell_words::join(words));
    }
    if question.judgement.verdict == aish_safety::Verdict::Halt {
        text.push_str("\n\n");
        text.push_str(&question.judgement.reason);
    }
    visible(&text).into_owned()
}

async fn ask_client(question: &Question, scope: &CallScope) -> Answer {
    let schema = json!({"type": "object", "properties": {}});
    match scope.elicit(&sentence(question), schema).await {
        Ok(ElicitAnswer::Accepted(content)) if says_no(&content) => Answer::No,
        Ok(ElicitAnswer::Accepted(_)) => Answer::Yes,
        Ok(ElicitAnswer::Declined | ElicitAnswer::Cancelled) => Answer::No,
        Err(error) => {
            tracing::warn!(%error, "the client could not be asked");
            Answer::Nobody
        }
    }
}

/// A form that was accepted with a plain no in it is a no.
fn says_no(content: &Value) -> bool {
    content.as_object().is_some_and(|fields| fields.values().any(|value| *value == Value::Bool(false)))
}
