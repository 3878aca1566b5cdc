//! What the parts of an engine share with the thread that drives it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, tcgetattr};

use super::options::{EditorOptions, PasteListener, WholenessCheck};
use super::port::{LineCompleter, Route, RouteHint, Wholeness};
use super::resized::Drawing;

/// How long after its begin the first key of a read may be one that came meanwhile: nobody answers a prompt that soon.
const AHEAD: Duration = Duration::from_millis(250);

/// State and ports of a read. The locks are taken by the editor's thread alone; they let an engine be built anew.
pub(super) struct Shared {
    flipped: AtomicBool,
    /// A menu may be open.
    has_menu: AtomicBool,
    /// The line as it was drawn last, and the cursor in it, in bytes.
    painted: Mutex<Option<(String, usize)>>,
    /// When the read began, until a key comes in it.
    begun: Mutex<Option<Instant>>,
    /// The terminal had something for the read when it began, until a key comes in it.
    had_lines: AtomicBool,
    /// What stands on the screen up to the cursor, for a resize.
    drawing: Mutex<Drawing>,
    folder: Mutex<Option<String>>,
    /// What the read offers on its empty line.
    suggestion: Mutex<Option<String>>,
    route: Option<Mutex<Box<dyn RouteHint>>>,
    completer: Option<Mutex<Box<dyn LineCompleter>>>,
    wholeness: Option<Mutex<WholenessCheck>>,
    pasted: Option<PasteListener>,
}

/// Says whether a terminal that collects lines has one, or an end, that nobody has read.
fn has_lines() -> bool {
    let input = io::stdin();
    let collects = tcgetattr(&input).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ICANON));
    let at_once = Timespec::default();
    collects && poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&at_once)).is_ok_and(|ready| ready > 0)
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Takes the ports out of the options.
    pub(super) fn new(options: &mut EditorOptions) -> Self {
        Self {
            flipped: AtomicBool::new(false),
            has_menu: AtomicBool::new(false),
            painted: Mutex::new(None),
            begun: Mutex::new(None),
            had_lines: AtomicBool::new(false),
            drawing: Mutex::default(),
            folder: Mutex::new(None),
            suggestion: Mutex::new(None),
            route: options.route.take().map(Mutex::new),
            completer: options.completer.take().map(Mutex::new),
            wholeness: options.wholeness.take().map(Mutex::new),
            pasted: options.pasted.take(),
        }
    }

    /// Tells who listens what was pasted.
    pub(super) fn paste(&self, text: &str) {
        if let Some(listener) = &self.pasted {
            listener(text);
        }
    }

    /// Notes whether a menu is open.
    pub(super) fn set_menu(&self, is_open: bool) {
        self.has_menu.store(is_open, Ordering::Relaxed);
    }

    /// Returns whether a menu may be open.
    pub(super) fn has_menu(&self) -> bool {
        self.has_menu.load(Ordering::Relaxed)
    }

    /// Notes the line that is drawn.
    pub(super) fn paint(&self, line: &str, cursor: usize) {
        let mut drawing = locked(&self.drawing);
        line.get(..cursor).unwrap_or(line).clone_into(&mut drawing.before);
        drawing.erased = None;
        drop(drawing);
        *locked(&self.painted) = Some((line.to_owned(), cursor));
    }

    /// Notes the prompt that is drawn before the line, and the terminal it is drawn on.
    pub(super) fn draw(&self, drawing: Drawing) {
        *locked(&self.drawing) = drawing;
    }

    /// Takes the line and its prompt off a terminal that was resized; they are drawn anew then. `mode` stands between. Returns
    /// the columns and rows that the terminal has by now, where it tells.
    pub(super) fn follow_resize(&self, mode: &str) -> Option<(u16, u16)> {
        let mut drawing = locked(&self.drawing);
        let plain = drawing.left.len();
        drawing.left.push_str(mode);
        let followed = drawing.follow();
        drawing.left.truncate(plain);
        match followed {
            Ok((columns, rows)) => Some((u16::try_from(columns).ok()?, u16::try_from(rows).ok()?)),
            Err(error) => {
                tracing::debug!(%error, "where the line stands after a resize is not known");
                crossterm::terminal::size().ok()
            }
        }
    }

    /// Says that a key came which the line on the screen does not show yet.
    pub(super) fn key(&self) {
        *locked(&self.painted) = None;
        *locked(&self.begun) = None;
        self.had_lines.store(false, Ordering::Relaxed);
    }

    /// Says whether a key that comes now is the first of the read and was typed before it.
    pub(super) fn was_typed_before(&self) -> bool {
        self.had_lines.load(Ordering::Relaxed) || locked(&self.begun).is_some_and(|begun| begun.elapsed() < AHEAD)
    }

    /// Returns the line on the screen and the cursor; none where keys came since it was drawn.
    pub(super) fn painted(&self) -> Option<(String, usize)> {
        locked(&self.painted).clone()
    }

    pub(super) fn is_flipped(&self) -> bool {
        self.flipped.load(Ordering::Relaxed)
    }

    pub(super) fn flip(&self) {
        self.flipped.fetch_xor(true, Ordering::Relaxed);
    }

    pub(super) fn start(&self, folder: Option<String>, suggestion: Option<String>) {
        self.had_lines.store(has_lines(), Ordering::Relaxed);
        *locked(&self.begun) = Some(Instant::now());
        self.flipped.store(false, Ordering::Relaxed);
        self.set_menu(false);
        *locked(&self.folder) = folder;
        *locked(&self.suggestion) = suggestion.map(|text| aish_types::sanitize(&text).into_owned());
    }

    pub(super) fn suggestion(&self) -> Option<String> {
        locked(&self.suggestion).clone()
    }

    pub(super) fn folder(&self) -> Option<String> {
        locked(&self.folder).clone()
    }

    /// Returns the route of a line as it is shown, flipped where it was; none where nothing classifies.
    pub(super) fn route(&self, line: &str) -> Option<Route> {
        let route = locked(self.route.as_ref()?).classify(line);
        Some(if self.is_flipped() { route.flipped() } else { route })
    }

    pub(super) fn complete(&self, line: &str, cursor: usize) -> Vec<super::Candidate> {
        self.completer.as_ref().map_or_else(Vec::new, |completer| locked(completer).complete(line, cursor))
    }

    /// Returns how many candidates the last completion left out.
    pub(super) fn left_out(&self) -> usize {
        self.completer.as_ref().map_or(0, |completer| locked(completer).left_out())
    }

    /// A line that goes to the model is whole; one that goes to the shell is what the shell says it is.
    pub(super) fn wholeness(&self, line: &str) -> Wholeness {
        match self.route(line) {
            Some(Route::Model | Route::Meta) if self.is_flipped() => Wholeness::Whole,
            Some(Route::Meta) => Wholeness::Whole,
            Some(Route::Shell | Route::Model | Route::Ask) | None => {
                self.wholeness.as_ref().map_or(Wholeness::Whole, |check| locked(check)(line))
            }
        }
    }
}
