//! A launcher that was started beforehand: its name spaces are made while nobody waits for them, and the plan comes later:
//! as the first bytes of its standard input, of which the rest is the command's own, or on a descriptor of its own.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command, Stdio};

use crate::plan::Plan;
use crate::set_up_error::SetUpError;
use crate::sys;

/// Where a launcher that waits is told its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// On its standard input.
    Input,
    /// On descriptor 3.
    Beside,
}

impl Told {
    /// Returns the launcher's argument that makes it wait.
    pub const fn as_argument(self) -> &'static str {
        match self {
            Self::Input => "--wait",
            Self::Beside => "--wait-beside",
        }
    }

    /// Reads such an argument; none where it is another.
    pub fn from_argument(argument: &OsStr) -> Option<Self> {
        [Self::Input, Self::Beside].into_iter().find(|told| argument == told.as_argument())
    }
}

impl Plan {
    /// Returns what a launcher that waits is told.
    ///
    /// # Errors
    /// When the plan is longer than 4 MiB.
    pub fn to_told(&self) -> io::Result<Vec<u8>> {
        framed(&self.to_arguments())
    }
}

/// Bytes of a plan, and of what is covered.
const LONGEST: usize = 4 << 20;

/// A launcher that waits for its plan.
#[derive(Debug)]
pub struct Ready {
    child: Option<Child>,
}

impl Ready {
    /// Starts a launcher: a command that has no plan among its arguments, with its streams but for standard input.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(launcher: &mut Command) -> io::Result<Self> {
        Ok(Self { child: Some(launcher.arg(Told::Input.as_argument()).stdin(Stdio::piped()).spawn()?) })
    }

    /// Runs a plan. It is one without a terminal; its variables are those that it names. The child's standard input is the
    /// command's.
    ///
    /// # Errors
    /// When the launcher has ended, or the plan is longer than 4 MiB. Then nothing ran.
    pub fn run(mut self, plan: &Plan) -> io::Result<Child> {
        let told = plan.to_told()?;
        let child = self.child.as_mut().and_then(|child| child.stdin.as_mut());
        let stdin = child.ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(&told)?;
        self.child.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // At the end of its input it ends, and before it the process inside.
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// Reads the plan that a waiting launcher is told; none at the end of input.
pub(crate) fn read_plan(told: Told) -> Result<Option<Plan>, SetUpError> {
    plan_from(match told {
        Told::Input => rustix::stdio::stdin(),
        Told::Beside => sys::handed_on(3),
    })
}

/// Reads a plan; none where it is not whole.
pub(crate) fn plan_from(from: BorrowedFd<'_>) -> Result<Option<Plan>, SetUpError> {
    let words = read_framed(from)?;
    words.map(|words| Plan::from_arguments(words).map_err(|error| SetUpError::unfit(error.to_string()))).transpose()
}

/// Writes words with their length before them.
pub(crate) fn framed(words: &[OsString]) -> io::Result<Vec<u8>> {
    let bytes = join(words);
    if bytes.len() > LONGEST {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    Ok([&length.to_le_bytes()[..], &bytes].concat())
}

/// Reads what [`framed`] wrote; none where it is not whole.
pub(crate) fn read_framed(from: BorrowedFd<'_>) -> Result<Option<Vec<OsString>>, SetUpError> {
    let mut length = [0; 4];
    if !fill(from, &mut length)? {
        return Ok(None);
    }
    let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
    if length > LONGEST {
        return Err(SetUpError::unfit("the plan is too long"));
    }
    let mut bytes = vec![0; length];
    Ok(fill(from, &mut bytes)?.then(|| split(&bytes).collect()))
}

/// Reads exactly as many bytes, and none that belong to the command; `false` where there are fewer.
fn fill(from: BorrowedFd<'_>, mut to: &mut [u8]) -> io::Result<bool> {
    while !to.is_empty() {
        match rustix::io::read(from, &mut *to) {
            Ok(0) => return Ok(false),
            Ok(read) => to = to.get_mut(read..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Joins words that have no NUL in them, as no argument of a program has; one that has would end there.
fn join(words: &[OsString]) -> Vec<u8> {
    let first = |word: &OsString| word.as_bytes().split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
    words.iter().flat_map(|word| [first(word), vec![0]].concat()).collect()
}

fn split(bytes: &[u8]) -> impl Iterator<Item = OsString> {
    let whole = bytes.strip_suffix(b"\0");
    whole.into_iter().flat_map(|bytes| bytes.split(|byte| *byte == 0)).map(|word| OsStr::from_bytes(word).to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;
    use crate::plan::Mechanism;

    /// Returns a pipe with bytes in it, of which the other end is closed.
    fn pipe(bytes: &[u8]) -> std::io::PipeReader {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(bytes).unwrap();
        reader
    }

    #[test]
    fn a_plan_and_what_is_covered_come_one_after_the_other() {
        let plan = Plan::new(Mechanism::Namespaces, "/a b", vec!["x".into(), "".into(), "--".into()]);
        let orders: Vec<OsString> = vec!["/run/\n".into(), "/s".into()];
        for orders in [orders, Vec::new()] {
            let from = pipe(&[plan.to_told().unwrap(), framed(&orders).unwrap()].concat());
            assert_eq!(plan_from(from.as_fd()).unwrap().as_ref(), Some(&plan));
            assert_eq!(read_framed(from.as_fd()).unwrap(), Some(orders));
            assert_eq!(read_framed(from.as_fd()).unwrap(), None);
        }
    }

    #[test]
    fn what_is_cut_is_no_plan() {
        let told = Plan::new(Mechanism::Namespaces, "/", vec!["x".into()]).to_told().unwrap();
        for end in [0, 3, 4, told.len() - 1] {
            assert_eq!(plan_from(pipe(&told[..end]).as_fd()).unwrap(), None);
        }
        assert!(plan_from(pipe(&[255; 8]).as_fd()).is_err());
        assert!(plan_from(pipe(&framed(&["magic".into()]).unwrap()).as_fd()).is_err());
    }
}
