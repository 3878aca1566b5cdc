//! Failures as a person reads them: what happened, whose matter it is, and what to do next.

use std::error::Error;
use std::fmt;
use std::io;

/// Joins an error and its causes with colons.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Who can mend a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The person: what was asked for is not there, or a file cannot be read or written.
    User,
    /// The person, in the configuration.
    Config,
    /// Nobody here: a host does not answer, or refuses.
    Network,
    /// We: this should not happen.
    Internal,
}

/// A failure of a command, with a hint where there is one to give.
///
/// It is no [`Error`] itself, so that `?` turns every error into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    kind: FailureKind,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// The person asked for what is not there, or cannot be done.
    pub fn user(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::User, message: message.into(), hint: None }
    }

    /// The configuration is wrong.
    pub fn config(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Config, ..Self::user(message) }
    }

    /// A host does not answer, or refuses.
    pub fn network(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Network, ..Self::user(message) }
    }

    /// This should not happen.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Internal, ..Self::user(message) }
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Puts words before the message: what was being done.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Whose matter it is.
    #[cfg(test)]
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// Returns both in one line, for programs that show one.
    pub fn in_a_line(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}; {hint}", self.message),
            None => self.message.clone(),
        }
    }

    /// Returns what to print: the message, and below it what to do.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let message = match self.kind {
            FailureKind::Internal => format!("internal error: {}", self.message),
            FailureKind::User | FailureKind::Config | FailureKind::Network => self.message.clone(),
        };
        let usual = match self.kind {
            FailureKind::User => None,
            FailureKind::Config => Some("`aish config show` has every key, its value and where that is from"),
            FailureKind::Network => Some("`aish doctor` tells which hosts answer"),
            FailureKind::Internal => Some("this is a fault of aish; please report it with what you did before"),
        };
        let hint = self.hint.clone().or(usual.map(str::to_owned)).map(|hint| format!("hint: {hint}"));
        std::iter::once(message).chain(hint)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let kind = kind_of(&error);
        Self { kind, ..Self::user(chain(&error)) }
    }
}

/// Looks for the cause that tells whose matter it is.
fn kind_of(error: &(dyn Error + 'static)) -> FailureKind {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<aish_llm::ChatError>() {
            return FailureKind::Network;
        }
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return match io.kind() {
                io::ErrorKind::ConnectionRefused
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::HostUnreachable
                | io::ErrorKind::NetworkUnreachable
                | io::ErrorKind::TimedOut => FailureKind::Network,
                _ => FailureKind::User,
            };
        }
        cause = error.source();
    }
    FailureKind::User
}

/// A failure on its way through `anyhow`.
#[derive(Debug)]
pub struct Carried(pub Failure);

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Carried {}

impl From<Failure> for anyhow::Error {
    fn from(failure: Failure) -> Self {
        Self::new(Carried(failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(failure: &Failure) -> Vec<String> {
        failure.lines().collect()
    }

    #[test]
    fn each_kind_says_whose_matter_it_is() {
        assert_eq!(lines(&Failure::user("there is no x")), ["there is no x"]);
        assert_eq!(
            lines(&Failure::user("there is no x").hint("`list` shows all")),
            ["there is no x", "hint: `list` shows all"]
        );
        assert_eq!(
            lines(&Failure::config("models.a: it has no endpoint")),
            [
                "models.a: it has no endpoint",
                "hint: `aish config show` has every key, its value and where that is from"
            ]
        );
        assert!(lines(&Failure::network("no answer"))[1].contains("aish doctor"));
        assert!(lines(&Failure::internal("a step without a turn"))[0].starts_with("internal error: "));
    }

    #[test]
    fn errors_become_failures_with_their_causes() {
        let refused = Failure::from(io::Error::from(io::ErrorKind::ConnectionRefused));
        assert_eq!(refused.kind(), FailureKind::Network);
        let missing = Failure::from(std::fs::read("/nonexistent/file").unwrap_err()).at("/nonexistent/file");
        assert_eq!(missing.kind(), FailureKind::User);
        assert!(missing.to_string().starts_with("/nonexistent/file: No such file"));
        let carried = anyhow::Error::from(Failure::config("models.a: wrong"));
        assert_eq!(carried.downcast_ref::<Carried>().unwrap().0.kind(), FailureKind::Config);
    }
}
