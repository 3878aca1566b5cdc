//! Why a run, or this process, could not be confined.

use std::fmt::Display;
use std::io;

use landlock::RulesetError;
use seccompiler::BackendError;

/// Why a run, or this process, could not be confined.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The system refused a step.
    #[error("{step}: {cause}")]
    Step {
        /// What was being done.
        step: String,
        /// Its answer.
        cause: io::Error,
    },
    /// The system refused, and what was being done says nothing.
    #[error(transparent)]
    System(#[from] io::Error),
    /// A filter on system calls cannot be made.
    #[error(transparent)]
    Filter(#[from] BackendError),
    /// A filter on system calls cannot be set.
    #[error(transparent)]
    FilterUnset(#[from] seccompiler::Error),
    /// Landlock refused.
    #[error(transparent)]
    Landlock(#[from] RulesetError),
    /// What there is does not do, in words.
    #[error("{0}")]
    Unfit(String),
}

impl SetUpError {
    /// Names the step that failed.
    pub(crate) fn at<E: Into<io::Error>>(step: impl Display) -> impl FnOnce(E) -> Self {
        move |error| Self::Step { step: step.to_string(), cause: error.into() }
    }

    /// Says in words what does not do.
    pub(crate) fn unfit(why: impl Into<String>) -> Self {
        Self::Unfit(why.into())
    }
}
