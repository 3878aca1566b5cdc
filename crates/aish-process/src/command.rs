//! What is to be run, and within which bounds.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of each output stream that are kept when nothing else is said: 256 KiB.
pub const DEFAULT_OUTPUT_CAP: usize = 256 * 1024;

/// How long output is still read after the command itself has ended, when nothing else is said: 500 ms.
pub const DEFAULT_DRAIN: Duration = Duration::from_millis(500);

/// How long a tree has between TERM and KILL when nothing else is said: 2 s.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);

/// A program with its arguments, its surroundings and its bounds; no shell reads any of it.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program: a path when it has a slash, else a name that is looked up in the child's `PATH`.
    pub program: OsString,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The environment of the child.
    pub environment: Environment,
    /// The child's working directory; ours when `None`.
    pub cwd: Option<PathBuf>,
    /// What the child reads.
    pub stdin: Stdin,
    /// How long the command may run; for ever when `None`. Not used by a [`crate::Server`].
    pub timeout: Option<Duration>,
    /// Bytes that are kept of each output stream, head and tail together.
    pub output_cap: usize,
    /// How long output is still read after the command has ended while a descendant holds its streams open.
    pub drain: Duration,
    /// How long the tree has between TERM and KILL.
    pub grace: Duration,
}

impl Command {
    /// Makes a command with the inherited environment, an empty stdin, no timeout and the default bounds.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            environment: Environment::inherited(),
            cwd: None,
            stdin: Stdin::Null,
            timeout: None,
            output_cap: DEFAULT_OUTPUT_CAP,
            drain: DEFAULT_DRAIN,
            grace: DEFAULT_GRACE,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<I, S>(mut self, args: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<OsString>,
    {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the child's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.set(name, value);
        self
    }

    /// Sets the environment as a whole.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets what the child reads.
    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Sets how long the command may run.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how many bytes of each stream are kept.
    #[must_use]
    pub fn output_cap(mut self, bytes: usize) -> Self {
        self.output_cap = bytes;
        self
    }

    /// Sets how long output is read after the command's end.
    #[must_use]
    pub fn drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    /// Sets how long the tree has between TERM and KILL.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
}

/// What a command reads on its standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing: `/dev/null`.
    #[default]
    Null,
    /// These bytes through a pipe, then its end.
    Bytes(Vec<u8>),
}

/// The environment of a child: what is inherited, and what is set on top.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    inherit: Inherit,
    changes: Vec<(OsString, OsString)>,
}

#[derive(Debug, Clone, Default)]
enum Inherit {
    #[default]
    All,
    Only(Vec<OsString>),
}

impl Environment {
    /// Everything that this process has.
    pub fn inherited() -> Self {
        Self::default()
    }

    /// Nothing but what is set later.
    pub fn empty() -> Self {
        Self::only(Vec::<OsString>::new())
    }

    /// These variables, and nothing of this process.
    pub fn of<N: Into<OsString>, V: Into<OsString>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut environment = Self::empty();
        variables.into_iter().for_each(|(name, value)| environment.set(name, value));
        environment
    }

    /// The named variables of this process, as far as they are set.
    pub fn only<I, S>(names: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<OsString>,
    {
        Self { inherit: Inherit::Only(names.into_iter().map(Into::into).collect()), changes: Vec::new() }
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.changes.push((name.into(), value.into()));
    }

    /// Lists the variables as the child gets them, the last change of a name winning.
    pub fn resolve(&self) -> Vec<(OsString, OsString)> {
        let mut variables: Vec<(OsString, OsString)> = match &self.inherit {
            Inherit::All => std::env::vars_os().collect(),
            Inherit::Only(names) => {
                names.iter().filter_map(|name| Some((name.clone(), std::env::var_os(name)?))).collect()
            }
        };
        for (name, value) in &self.changes {
            match variables.iter_mut().find(|(known, _)| known == name) {
                Some((_, before)) => before.clone_from(value),
                None => variables.push((name.clone(), value.clone())),
            }
        }
        variables
    }
}

/// Finds a variable in a resolved environment.
pub(crate) fn lookup<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_change_of_a_name_wins() {
        let mut environment = Environment::empty();
        environment.set("A", "1");
        environment.set("B", "2");
        environment.set("A", "3");
        assert_eq!(environment.resolve(), [("A".into(), "3".into()), ("B".into(), "2".into())]);
    }

    #[test]
    fn an_allow_list_inherits_what_is_set() {
        let environment = Environment::only(["PATH", "AISH_NO_SUCH_VARIABLE"]);
        let names: Vec<_> = environment.resolve().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["PATH"]);
    }
}
