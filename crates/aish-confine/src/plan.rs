//! What a confined run is: a value that the caller makes and the launcher process reads from its arguments.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// How a run is confined, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// Name spaces of its own: what it writes below its roots goes to a layer, all else is read-only or hidden.
    Namespaces,
    /// Landlock and a filter on system calls: it can read listed folders, and write nothing.
    Landlock,
    /// A cleaned environment, limits, and nothing that outlives it.
    Bare,
}

impl Mechanism {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
            Self::Bare => "bare",
        }
    }

    /// Says what it does, and what it does not, in one line.
    pub const fn say(self) -> &'static str {
        match self {
            Self::Namespaces => "commands run over a layer: what they change is shown, kept or dropped",
            Self::Landlock => {
                "commands can be kept to reading, without a network; there are no layers, and `aish try` does not work"
            }
            Self::Bare => "nothing holds a command here; only what is known to do no harm runs unasked",
        }
    }

    pub(crate) fn parse(word: &OsStr) -> Option<Self> {
        [Self::Namespaces, Self::Landlock, Self::Bare].into_iter().find(|one| word == one.as_str())
    }
}

/// A folder that is written to through a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The folder, absolute and without links in it.
    pub path: PathBuf,
    /// Where changes go; empty at the start.
    pub upper: PathBuf,
    /// Work space of overlayfs, on the same mount as `upper`.
    pub work: PathBuf,
}

/// Whether other hosts can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// A loopback interface of its own, and a resolver that knows no name.
    Loopback,
    /// The network of the machine.
    Machine,
}

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Processes and threads at one time.
    pub processes: u64,
    /// Bytes of the layer; past them the run is ended.
    pub layer_bytes: u64,
    /// Bytes of the private temporary folders.
    pub scratch_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { processes: 4096, layer_bytes: 4 << 30, scratch_bytes: 1 << 30 }
    }
}

/// One confined run of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// How.
    pub mechanism: Mechanism,
    /// Folders that are written to through a layer.
    pub roots: Vec<Root>,
    /// The working folder, absolute.
    pub folder: PathBuf,
    /// Files and folders that seem empty inside.
    pub hidden: Vec<PathBuf>,
    /// Files that are there inside and cannot be opened.
    pub locked: Vec<PathBuf>,
    /// Files and folders that stay visible though they lie below a private or hidden folder.
    pub shown: Vec<PathBuf>,
    /// Whether other hosts can be reached.
    pub network: Network,
    /// Whether descriptor 0 is a terminal that becomes the controlling one.
    pub terminal: bool,
    /// Whether there is nothing to read, whatever descriptor 0 is.
    pub no_input: bool,
    /// Limits.
    pub limits: Limits,
    /// Where the [`Report`](crate::Report) is written when the run has ended.
    pub report: Option<PathBuf>,
    /// Variables of the command; none for those of the launcher. Only for a launcher that waits: arguments can be read by
    /// every process.
    pub environment: Option<Vec<(OsString, OsString)>>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

impl Plan {
    /// Plans a run without roots, with nothing hidden and no network.
    pub fn new(mechanism: Mechanism, folder: impl Into<PathBuf>, command: Vec<OsString>) -> Self {
        Self {
            mechanism,
            roots: Vec::new(),
            folder: folder.into(),
            hidden: Vec::new(),
            locked: Vec::new(),
            shown: Vec::new(),
            network: Network::Loopback,
            terminal: false,
            no_input: false,
            limits: Limits::default(),
            report: None,
            environment: None,
            command,
        }
    }

    /// Writes the plan as arguments of the launcher.
    pub fn to_arguments(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.mechanism.as_str().into(), self.folder.clone().into()];
        for root in &self.roots {
            words.push("--root".into());
            words.extend([&root.path, &root.upper, &root.work].map(|path| path.clone().into_os_string()));
        }
        for (name, paths) in [("--hide", &self.hidden), ("--lock", &self.locked), ("--show", &self.shown)] {
            words.extend(paths.iter().flat_map(|path| [name.into(), path.clone().into_os_string()]));
        }
        if self.network == Network::Machine {
            words.push("--net".into());
        }
        if self.terminal {
            words.push("--terminal".into());
        }
        if self.no_input {
            words.push("--no-input".into());
        }
        let limits = &self.limits;
        words.push("--limits".into());
        words.extend(
            [limits.processes, limits.layer_bytes, limits.scratch_bytes].map(|number| number.to_string().into()),
        );
        if let Some(report) = &self.report {
            words.extend(["--report".into(), report.clone().into_os_string()]);
        }
        if let Some(variables) = &self.environment {
            words.push("--only-these-variables".into());
            for (name, value) in variables {
                words.extend(["--variable".into(), name.clone(), value.clone()]);
            }
        }
        words.push("--".into());
        words.extend(self.command.iter().cloned());
        words
    }

    /// Reads a plan back.
    ///
    /// # Errors
    /// The argument that was missing or not understood.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, PlanError> {
        let mut words = arguments.into_iter();
        let mut next = |what: &'static str| words.next().ok_or(PlanError::Missing(what));
        let word = next("the mechanism")?;
        let mechanism = Mechanism::parse(&word).ok_or(PlanError::Unknown(word))?;
        let mut plan = Self::new(mechanism, PathBuf::from(next("the folder")?), Vec::new());
        loop {
            let word = next("--")?;
            match word.to_str() {
                Some("--root") => plan.roots.push(Root {
                    path: next("a root")?.into(),
                    upper: next("an upper folder")?.into(),
                    work: next("a work folder")?.into(),
                }),
                Some("--hide") => plan.hidden.push(next("a hidden path")?.into()),
                Some("--lock") => plan.locked.push(next("a locked path")?.into()),
                Some("--show") => plan.shown.push(next("a shown path")?.into()),
                Some("--net") => plan.network = Network::Machine,
                Some("--terminal") => plan.terminal = true,
                Some("--no-input") => plan.no_input = true,
                Some("--limits") => {
                    plan.limits = Limits {
                        processes: number(next("a number of processes")?)?,
                        layer_bytes: number(next("bytes of the layer")?)?,
                        scratch_bytes: number(next("bytes of temporary folders")?)?,
                    };
                }
                Some("--report") => plan.report = Some(next("a report")?.into()),
                Some("--only-these-variables") => plan.environment = Some(Vec::new()),
                Some("--variable") => {
                    let variable = (next("a name")?, next("a value")?);
                    plan.environment.get_or_insert_default().push(variable);
                }
                Some("--") => break,
                Some(_) | None => return Err(PlanError::Unknown(word)),
            }
        }
        plan.command = words.collect();
        if plan.command.is_empty() { Err(PlanError::Missing("a command")) } else { Ok(plan) }
    }
}

fn number(word: OsString) -> Result<u64, PlanError> {
    word.to_str().and_then(|text| text.parse().ok()).ok_or(PlanError::Unknown(word))
}

/// Why arguments are no plan.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PlanError {
    /// An argument is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// An argument is not understood.
    #[error("{} is not understood", .0.display())]
    Unknown(OsString),
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn a_plan_survives_its_arguments() {
        let odd = || PathBuf::from(OsString::from_vec(b"/a b/\xff:\\--root".to_vec()));
        let mut plan = Plan::new(Mechanism::Namespaces, odd(), vec!["--".into(), "--net".into(), "".into()]);
        plan.roots.push(Root { path: odd(), upper: "/u".into(), work: "/w".into() });
        plan.hidden.push("--".into());
        plan.locked.push("--hide".into());
        plan.shown.push(odd());
        plan.network = Network::Machine;
        plan.terminal = true;
        plan.no_input = true;
        plan.limits = Limits { processes: 1, layer_bytes: 2, scratch_bytes: 3 };
        plan.report = Some(odd());
        assert_eq!(Plan::from_arguments(plan.to_arguments()).as_ref(), Ok(&plan));
        plan.environment = Some(Vec::new());
        assert_eq!(Plan::from_arguments(plan.to_arguments()).as_ref(), Ok(&plan));
        plan.environment = Some(vec![("--".into(), odd().into()), ("A".into(), "".into())]);
        assert_eq!(Plan::from_arguments(plan.to_arguments()), Ok(plan));
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        let parse = |words: &[&str]| Plan::from_arguments(words.iter().map(OsString::from)).unwrap_err().to_string();
        assert_eq!(parse(&[]), "the mechanism is missing");
        assert_eq!(parse(&["magic"]), "magic is not understood");
        assert_eq!(parse(&["bare", "/", "--wish"]), "--wish is not understood");
        assert_eq!(parse(&["bare", "/", "--"]), "a command is missing");
        assert_eq!(parse(&["bare", "/", "--limits", "1", "x"]), "x is not understood");
    }
}
