//! Failures as a person reads them: what happened, whose matter it is, and what to do next.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::io;

pub use aish_types::chain;

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
    /// Nobody: whoever read the output went away.
    BrokenPipe,
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
            FailureKind::User | FailureKind::Config | FailureKind::Network | FailureKind::BrokenPipe => {
                self.message.clone()
            }
        };
        let usual = match self.kind {
            FailureKind::User | FailureKind::BrokenPipe => None,
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
        let itself = (&error as &dyn Any).downcast_ref::<io::Error>();
        let kind = match itself.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            true => FailureKind::BrokenPipe,
            false => kind_of(&error),
        };
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

/// Says of a result that failed what was being done.
pub trait ResultExt<T> {
    /// Puts words before the message: what was being done.
    ///
    /// # Errors
    /// When the result is one.
    fn at<D: fmt::Display>(self, place: impl FnOnce() -> D) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> ResultExt<T> for Result<T, E> {
    fn at<D: fmt::Display>(self, place: impl FnOnce() -> D) -> Result<T, Failure> {
        self.map_err(|error| error.into().at(place()))
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
        let written: Result<(), _> = Err(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(written.at(|| "writing").unwrap_err().kind(), FailureKind::BrokenPipe);
        let placed: Result<(), _> = Err(Failure::config("wrong"));
        let placed = placed.at(|| "models.a").unwrap_err();
        assert_eq!((placed.kind(), placed.to_string()), (FailureKind::Config, "models.a: wrong".to_owned()));
    }
}
