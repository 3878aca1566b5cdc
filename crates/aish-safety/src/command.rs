//! The judgement of a command line by its parsed effect.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::verdict::{Judgement, Verdict};

/// What is known around a command when it is judged; values, read by nobody here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// The working directory, absolute.
    pub folder: Option<String>,
    /// The person's home folder, absolute.
    pub home: Option<String>,
    /// Shell aliases, name to text.
    pub aliases: BTreeMap<String, String>,
    /// Shell functions, name to body.
    pub functions: BTreeMap<String, String>,
    /// Variables whose values are known.
    pub variables: BTreeMap<String, String>,
    /// Files and folders of ours (config, policy, audit, history, binary) that nothing but a person may change.
    pub protected: Vec<String>,
}

/// Judges one command line. Pure, linear, never panics on purpose; past a bound it is the strictest verdict.
pub fn judge_command(command: &str, surroundings: &Surroundings) -> Judgement {
    let _ = (command, surroundings);
    Judgement::new(Verdict::Ask, "unknown", "what this does is not known")
}

/// Judges a program with its arguments, no shell involved.
pub fn judge_argv(words: &[String], surroundings: &Surroundings) -> Judgement {
    let _ = (words, surroundings);
    Judgement::new(Verdict::Ask, "unknown", "what this does is not known")
}
