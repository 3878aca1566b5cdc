//! Starts a launcher from a program with a person in front of it: on a pseudo-terminal of its own, or on pipes. Nothing
//! of the caller's own streams is handed on, so that nothing can be done to them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};

/// Where a command's output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// To this process's own.
    Own,
    /// All of it to standard error.
    Error,
}

/// Runs a launcher on pipes that are copied from and to this process's streams.
///
/// # Errors
/// When it cannot be started.
pub fn run_on_pipes(command: &mut Command, streams: Streams) -> io::Result<ExitStatus> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // Waits for input that may never come; it ends with this process.
    thread::spawn(move || stdin.map(|mut to| copy(io::stdin().lock(), &mut to)));
    let output = thread::spawn(move || {
        stdout.map(|from| match streams {
            Streams::Own => copy(from, &mut io::stdout()),
            Streams::Error => copy(from, &mut io::stderr()),
        })
    });
    let errors = thread::spawn(move || stderr.map(|from| copy(from, &mut io::stderr())));
    // Its own process is the last that holds the pipes: the run is over when they are closed.
    let _ = output.join();
    let _ = errors.join();
    child.wait()
}

/// Copies piece by piece, so that nothing waits for more. Whoever no longer listens ends it.
fn copy(mut from: impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut piece = [0; 16 * 1024];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(piece.get(..read).unwrap_or_default())?;
        to.flush()?;
    }
}

/// Puts the terminal back as it was.
struct Raw {
    before: Termios,
}

impl Raw {
    fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// Runs a launcher on a pseudo-terminal that is relayed to the terminal of this process. The plan must say `terminal`.
///
/// # Errors
/// When there is no terminal, or the launcher cannot be started.
pub fn run_on_terminal(command: &mut Command) -> io::Result<ExitStatus> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = || -> io::Result<OwnedFd> {
        Ok(rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
    };
    let mut size = tcgetwinsize(io::stdout())?;
    tcsetwinsize(&master, size)?;
    let mut child = command.stdin(slave()?).stdout(slave()?).stderr(slave()?).spawn()?;
    // The slave's last descriptors here are in the command's value.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _raw = Raw::enter()?;
    let mut master = File::from(master);
    let mut listens = true;
    let mut piece = [0; 16 * 1024];
    loop {
        let pause = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
        let (from_command, from_person) = {
            let stdin = io::stdin();
            let mut watched = vec![PollFd::new(&master, PollFlags::IN)];
            watched.extend(listens.then(|| PollFd::new(&stdin, PollFlags::IN)));
            let _ = poll(&mut watched, Some(&pause));
            let speaks = |at: usize| watched.get(at).is_some_and(|one| !one.revents().is_empty());
            (speaks(0), speaks(1))
        };
        if let Ok(now) = tcgetwinsize(io::stdout())
            && (now.ws_row, now.ws_col) != (size.ws_row, size.ws_col)
        {
            size = now;
            tcsetwinsize(&master, size)?;
        }
        if from_command {
            // When the last descriptor of the other end is closed, reading is an error.
            match master.read(&mut piece) {
                Ok(read) if read > 0 => {
                    let mut out = io::stdout();
                    out.write_all(piece.get(..read).unwrap_or_default())?;
                    out.flush()?;
                }
                Ok(_) | Err(_) => break,
            }
        }
        if from_person {
            let read = rustix::io::read(io::stdin(), &mut piece).unwrap_or(0);
            listens = read > 0;
            master.write_all(piece.get(..read).unwrap_or_default())?;
        }
    }
    child.wait()
}
