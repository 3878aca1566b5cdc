//! One line in a bash of its own, behind a launcher that confines it: on a pseudo-terminal of its own, with the person's
//! terminal in front of it or nobody.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aish_process::{Capture, Captured, Environment, Exit, TerminalChild};
use tempfile::NamedTempFile;
use tokio::time::{Instant, sleep_until, timeout};

use crate::alternate_screen::AlternateScreen;
use crate::command_result::Ending;
use crate::left_modes::LeftModes;
use crate::line::Line;
use crate::mark::{Mark, Piece, Scanner};
use crate::options::Size;
use crate::passage::{AtTerminal, Passage};
use crate::state::{self, ShellState};
use crate::surroundings::Surroundings;
use crate::waiting::{self, Waiting};

/// The most of a state that is read, in bytes.
const LONGEST_STATE: usize = 8 << 20;

/// How long output is still read after a run that could not say its end.
const LAST_OUTPUT: Duration = Duration::from_millis(50);

/// How long a run may take to end after a Ctrl-C, before all of it is ended.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a line is run apart.
pub struct Apart {
    /// The launcher with its arguments.
    pub launcher: Vec<OsString>,
    /// One that waits for the same, and what it is told; it is used in place of the other where it fits and has not ended.
    pub waiting: Option<(Waiting, Vec<u8>)>,
    /// The environment.
    pub environment: Environment,
    /// The size of the terminal where no person's says otherwise.
    pub size: Size,
    /// Bytes of output that are kept, head and tail together.
    pub output_cap: usize,
    /// The mark of this run, which no earlier run has seen.
    pub mark: String,
}

/// A file with a shell's state, in a folder that a confined run has for itself, so that it is seen there and nothing
/// beside it. It goes away with this value.
#[derive(Debug)]
pub struct StateFile(NamedTempFile);

impl StateFile {
    /// Writes a state.
    ///
    /// # Errors
    /// When there is no folder that can be written.
    pub fn write(state: &ShellState) -> io::Result<Self> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.starts_with("/run"));
        let places = runtime.into_iter().chain([PathBuf::from("/dev/shm"), PathBuf::from("/tmp")]);
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for place in places {
            match tempfile::Builder::new().prefix("aish-state-").tempfile_in(place) {
                Ok(mut file) => {
                    file.write_all(state.to_script().as_bytes())?;
                    return Ok(Self(file));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// What came of a line that ran apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApartResult {
    /// The launcher's exit code, 0 to 255: that of the line, or 128 and the number of a signal.
    pub status: i32,
    /// What it showed, as bytes of a terminal, without what it drew on the alternate screen.
    pub output: Captured,
    /// Whether it used the alternate screen.
    pub full_screen: bool,
    /// What the person typed and it did not read.
    pub type_ahead: Vec<u8>,
    /// Lines that were not shown, as [`Surroundings::rows`] wants it.
    pub folded: usize,
    /// How it ended: by itself, cancelled, or after its time.
    pub ending: Ending,
    /// What its shell was at its end; none where that ended without a word.
    pub state: Option<ShellState>,
    /// From its start to its end.
    pub duration: Duration,
}

impl Apart {
    /// Makes a mark: 128 random bits in hexadecimal.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn new_mark() -> io::Result<String> {
        crate::session::nonce()
    }

    /// Returns the words of the bash that runs a line: `program` is bash, `state` the file that gives it a state.
    pub fn bash(program: &str, state: Option<&Path>, mark: &str, line: &str) -> Vec<OsString> {
        let script = include_str!("apart.bash").replace("@STATE@", state::SCRIPT);
        let state = state.map(|path| path.as_os_str().to_owned()).unwrap_or_default();
        let words = [program, "--norc", "--noprofile", "-c", &script, "bash"].map(OsString::from);
        words.into_iter().chain([state, mark.into(), line.into()]).collect()
    }

    /// Starts the launcher, or tells the one that waits.
    async fn start(&mut self, size: Size, is_watched: bool) -> io::Result<(Line, TerminalChild)> {
        if let Some((waiting, plan)) = self.waiting.take()
            // One that has ended cannot be told.
            && let Ok(told) = waiting.tell(&plan, size)
        {
            return Ok(told);
        }
        let (line, terminal) = Line::open(size)?;
        // Without a person nothing can be read, not even from the terminal itself.
        let input = if is_watched { None } else { Some(OwnedFd::from(File::open("/dev/null")?)) };
        let child = waiting::start(&self.launcher, self.environment.clone(), input, terminal, None).await?;
        Ok((line, child))
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// When there is no terminal to be had, or the launcher cannot be started.
    pub async fn run(mut self, surroundings: &Surroundings) -> io::Result<ApartResult> {
        let started = Instant::now();
        let mut passage = Passage::open(surroundings.terminal.as_ref());
        passage.fold_behind(surroundings.rows);
        let (line, child) = self.start(passage.size().unwrap_or(self.size), passage.is_watched()).await?;
        let mut run = Run::new(line, child, &self);
        let ending = run.follow(&mut passage, surroundings, started).await;
        run.rest(&mut passage).await;
        let folded = passage.unfold();
        passage.show(&run.modes.back());
        passage.finish().await;
        let type_ahead = std::mem::take(&mut passage.keys);
        drop(passage);
        let status = run.exit.map_or(137, Exit::shell_code);
        run.capture.push(&run.screen.flush());
        Ok(ApartResult {
            status,
            full_screen: run.screen.used,
            output: run.capture.finish(),
            type_ahead,
            folded,
            ending,
            state: run.tail.as_deref().and_then(|tail| as_state(tail, &self.mark)),
            duration: started.elapsed(),
        })
    }
}

/// One run.
struct Run {
    line: Line,
    /// None once it was ended by force.
    child: Option<TerminalChild>,
    exit: Option<Exit>,
    scanner: Scanner,
    capture: Capture,
    screen: AlternateScreen,
    modes: LeftModes,
    /// What came behind the last mark.
    tail: Option<Vec<u8>>,
    end: Vec<u8>,
    buffer: Box<[u8]>,
}

impl Run {
    fn new(line: Line, child: TerminalChild, apart: &Apart) -> Self {
        Self {
            line,
            child: Some(child),
            exit: None,
            scanner: Scanner::new(&apart.mark),
            capture: Capture::new(apart.output_cap),
            screen: AlternateScreen::default(),
            modes: LeftModes::default(),
            tail: None,
            end: format!("\0{}\0", apart.mark).into_bytes(),
            buffer: vec![0; 64 * 1024].into(),
        }
    }

    /// Moves bytes until the launcher has ended.
    async fn follow(&mut self, passage: &mut Passage, surroundings: &Surroundings, started: Instant) -> Ending {
        let mut wish = None;
        let mut force_at: Option<Instant> = None;
        loop {
            let time_is_up = surroundings.timeout.map(|limit| started + limit).filter(|_| wish.is_none());
            let mut stop = None;
            tokio::select! {
                read = self.line.read(&mut self.buffer), if passage.is_clear() => match read {
                    Ok(count) => self.take(count, passage),
                    // A terminal that cannot be read says nothing more; the launcher's end does.
                    Err(_) => self.exit = Some(ended(&mut self.child).await),
                },
                exit = ended(&mut self.child) => self.exit = Some(exit),
                at_terminal = passage.next() => match at_terminal {
                    AtTerminal::Keys => {
                        let typed = self.line.try_type(&passage.keys).unwrap_or(passage.keys.len());
                        passage.keys.drain(..typed);
                    }
                    AtTerminal::Resized(size) => drop(self.line.resize(size)),
                    AtTerminal::Shown => {}
                    AtTerminal::HungUp => stop = Some(Ending::Cancelled),
                },
                () = surroundings.cancel.cancelled(), if wish.is_none() => stop = Some(Ending::Cancelled),
                () = at(time_is_up) => stop = Some(Ending::TimedOut),
                () = at(force_at) => {
                    if let Some(child) = self.child.take() {
                        self.exit = Some(child.end().await);
                    }
                }
            }
            if let Some(ending) = stop.filter(|_| wish.is_none()) {
                wish = Some(ending);
                // As a person ends it, where it has a terminal; and all of it, where that does nothing.
                let mut force = Instant::now();
                if surroundings.terminal.is_some() {
                    let _ = self.line.try_type(b"\x03");
                    force += PATIENCE;
                }
                force_at = Some(force);
            }
            if self.exit.is_some() {
                return wish.unwrap_or(Ending::Completed);
            }
        }
    }

    fn take(&mut self, count: usize, passage: &mut Passage) {
        for piece in self.scanner.feed(self.buffer.get(..count).unwrap_or_default()) {
            match (piece, &mut self.tail) {
                (Piece::Mark(Mark::End), tail) => *tail = Some(Vec::new()),
                (Piece::Mark(Mark::Prompt | Mark::Started | Mark::More), _) => {}
                (Piece::Output(bytes), Some(tail)) => {
                    let room = LONGEST_STATE.saturating_sub(tail.len());
                    tail.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
                }
                (Piece::Output(bytes), None) => {
                    self.modes.feed(&bytes);
                    self.capture.push(&self.screen.feed(&bytes));
                    passage.show(&bytes);
                }
            }
        }
    }

    /// Takes what was written before the end and is still on its way.
    async fn rest(&mut self, passage: &mut Passage) {
        while self.tail.as_ref().is_none_or(|tail| !tail.ends_with(&self.end)) {
            match timeout(LAST_OUTPUT, self.line.read(&mut self.buffer)).await {
                Ok(Ok(count)) if count > 0 => self.take(count, passage),
                Ok(_) | Err(_) => break,
            }
        }
        let held = self.scanner.flush();
        if self.tail.is_none() && !held.is_empty() {
            self.capture.push(&self.screen.feed(&held));
            passage.show(&held);
        }
    }
}

/// Waits for the launcher; for ever where it was ended already. Cancel-safe.
async fn ended(child: &mut Option<TerminalChild>) -> Exit {
    match child {
        Some(child) => child.wait().await,
        None => std::future::pending().await,
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Reads the state behind the mark: the terminal put a carriage return before each line end.
fn as_state(tail: &[u8], mark: &str) -> Option<ShellState> {
    let tail = tail.strip_suffix(format!("\0{mark}\0").as_bytes())?;
    let mut text = Vec::with_capacity(tail.len());
    let mut rest = tail.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\r' || rest.peek() != Some(&b'\n') {
            text.push(byte);
        }
    }
    // What ends the last part came before the mark.
    ShellState::read(&text)
}
