//! Who is asked: the person behind the client, the person at the terminal, or nobody.

mod terminal;

use aish_mcp::server::{CallScope, question_text};
use aish_safety::{Answer, Approver, Mode, Nobody, Question};
use aish_types::BoxFuture;

use crate::policy::Headless;
use terminal::Terminal;

/// Whether the controlling terminal may be used for questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalUse {
    /// When it is ours.
    Allowed,
    /// Not at all.
    Never,
}

/// Asks the person at the terminal about something that is no call; none where no terminal is ours.
pub fn ask_at_terminal(sentence: &str) -> Option<Answer> {
    Some(Terminal::open()?.ask_now(sentence))
}

/// Who answers the questions of one call.
pub(crate) enum Asker<'c> {
    /// The person behind the client.
    Client(&'c CallScope),
    /// The person at the terminal.
    Terminal(Terminal),
    /// Nobody; the policy says what that means.
    Nobody(Nobody),
}

impl<'c> Asker<'c> {
    /// Says whether a question reaches somebody, or has its answer beforehand.
    pub(crate) fn can_ask(&self) -> bool {
        !matches!(self, Self::Nobody(nobody) if nobody.mode() == Mode::Headless)
    }

    /// Chooses: the client when it can, else the terminal when it is ours, else nobody.
    pub(crate) fn choose(scope: &'c CallScope, terminal: TerminalUse, headless: Headless) -> Self {
        if scope.client.elicitation {
            return Self::Client(scope);
        }
        let ours = match terminal {
            TerminalUse::Allowed => Terminal::open(),
            TerminalUse::Never => None,
        };
        match (ours, headless) {
            (Some(terminal), _) => Self::Terminal(terminal),
            (None, Headless::Approve) => Self::Nobody(Nobody(Mode::HeadlessYes)),
            (None, Headless::Deny) => Self::Nobody(Nobody(Mode::Headless)),
        }
    }
}

impl Approver for Asker<'_> {
    fn mode(&self) -> Mode {
        match self {
            Self::Client(scope) => scope.mode(),
            Self::Terminal(_) => Mode::Interactive,
            Self::Nobody(nobody) => nobody.mode(),
        }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        match self {
            Self::Client(scope) => scope.ask(question),
            Self::Terminal(terminal) => Box::pin(terminal.ask(question_text(question))),
            Self::Nobody(nobody) => nobody.ask(question),
        }
    }
}
