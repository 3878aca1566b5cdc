//! The real terminal: standard error shows, standard input is read key by key.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use reedline::Signal;

use super::aside::Aside;
use super::terminal::{AskTerminal, Key};
use crate::capability::Capabilities;
use crate::cooked;
use crate::editor::{EditorOptions, Reach, edit_text};
use crate::guard::{AT_ONCE, RawGuard};

/// How often it is looked whether the question was withdrawn.
const POLL: Duration = Duration::from_millis(50);

/// For how long nothing may have been typed before a question is shown. A line that is typed by a program, or that comes
/// through a slow connection, comes in pieces.
const QUIET: Duration = Duration::from_millis(200);

/// For how long nothing may follow a key that answers.
const ALONE: Duration = Duration::from_millis(100);

/// Puts a question on the process's terminal, once nothing is typed any more; none where there is no terminal. What was typed
/// before and is no answer goes to `aside`.
pub(crate) fn on_terminal<T>(
    options: &EditorOptions,
    withdrawn: &dyn Fn() -> bool,
    aside: &mut Aside,
    put: impl FnOnce(&mut dyn AskTerminal) -> T,
) -> Option<T> {
    if !io::stdin().is_terminal() {
        return None;
    }
    let mut tty = Tty { options, withdrawn, aside, raw: None, interrupted: false };
    if let Err(error) = tty.set_aside(QUIET) {
        tracing::debug!(%error, "what was typed ahead could not be read");
    }
    Some(put(&mut tty))
}

struct Tty<'a> {
    options: &'a EditorOptions,
    withdrawn: &'a dyn Fn() -> bool,
    aside: &'a mut Aside,
    raw: Option<RawGuard>,
    /// Ctrl-C was typed ahead: that alone counts.
    interrupted: bool,
}

impl Tty<'_> {
    fn raw(&mut self) -> io::Result<()> {
        if self.raw.is_none() {
            self.raw = Some(RawGuard::enter()?);
        }
        Ok(())
    }

    /// Sets aside what was typed, until nothing more comes for a while.
    fn set_aside(&mut self, quiet: Duration) -> io::Result<()> {
        self.raw()?;
        while !self.interrupted && !(self.withdrawn)() && event::poll(quiet)? {
            let event = event::read()?;
            self.keep(&event);
        }
        Ok(())
    }

    fn keep(&mut self, event: &Event) {
        match meant(event) {
            // It takes back what was typed before it, as in a line that the terminal reads.
            Some(Key::Interrupt) => {
                *self.aside = Aside::default();
                self.interrupted = true;
            }
            _ => self.aside.keep(event),
        }
    }

    /// Waits for a key that nothing follows at once; an Enter behind it belongs to it.
    fn next_key(&mut self) -> io::Result<Key> {
        loop {
            if self.interrupted || (self.withdrawn)() {
                return Ok(Key::Interrupt);
            }
            if !event::poll(POLL)? {
                continue;
            }
            let event = event::read()?;
            let Some(key) = meant(&event) else { continue };
            if key == Key::Interrupt || !event::poll(ALONE)? {
                return Ok(key);
            }
            let next = event::read()?;
            match meant(&next) {
                // The terminal was resized, or a key was let go.
                None => return Ok(key),
                Some(Key::Enter) if matches!(key, Key::Char(_)) && !event::poll(ALONE)? => return Ok(key),
                Some(_) => {
                    self.keep(&event);
                    self.keep(&next);
                    self.set_aside(ALONE)?;
                }
            }
        }
    }

    /// Shows a text and reads a line where keys cannot be read one by one: no text at the end of the input, none where it
    /// was given up. The terminal acts on its own keys before the text is shown, so that Ctrl-C right behind it counts.
    fn line(&mut self, text: &str) -> io::Result<Option<String>> {
        self.raw = None;
        let line = cooked::line(|| show(text), self.withdrawn)?;
        Ok(line.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn show(text: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(text.replace('\n', "\r\n").as_bytes())?;
    stderr.flush()
}

fn meant(event: &Event) -> Option<Key> {
    let Event::Key(key) = event else { return None };
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c') if control => Key::Interrupt,
        KeyCode::Char('d') if control => Key::EndOfInput,
        KeyCode::Char(_) if control || key.modifiers.contains(KeyModifiers::ALT) => Key::Other,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        _ => Key::Other,
    })
}

/// What stands behind the keys of the choices.
const WORDS: &[&str] = &[
    "yes", "no", "edit", "always", "why", "instead", "shell", "ai", "cancel", "run", "skip", "change", "end", "try",
    "keep", "diff",
];

/// A line stands for a key where it is that key or the word behind it.
fn word(line: &str) -> Key {
    let mut chars = line.chars();
    match (chars.next(), chars.next()) {
        (None, _) => Key::Enter,
        (Some(c), None) => Key::Char(c),
        (Some(c), Some(_)) => match WORDS.contains(&line) {
            true => Key::Char(c),
            false => Key::Other,
        },
    }
}

impl AskTerminal for Tty<'_> {
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.options.capabilities;
        if let Ok((width, height)) = crossterm::terminal::size()
            && width > 0
            && height > 0
        {
            (capabilities.width, capabilities.height) = (width, height);
        }
        capabilities
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        show(text)
    }

    fn offer(&mut self, choice: &str, answers: &dyn Fn(Key) -> bool) -> io::Result<Key> {
        self.set_aside(AT_ONCE)?;
        if self.interrupted {
            return Ok(Key::Interrupt);
        }
        if self.options.reach == Reach::Full {
            self.write(choice)?;
        }
        loop {
            let key = match self.options.reach {
                Reach::Full => {
                    self.raw()?;
                    self.next_key()?
                }
                Reach::Plain => match self.line(choice)? {
                    Some(line) if line.is_empty() => Key::EndOfInput,
                    Some(line) => word(line.trim()),
                    None => Key::Interrupt,
                },
            };
            if key == Key::Interrupt || answers(key) {
                return Ok(key);
            }
        }
    }

    fn keep_words(&mut self, words: String) {
        self.aside.words = Some(words);
    }

    fn refuse(&mut self, text: &str) -> io::Result<()> {
        self.set_aside(QUIET)?;
        show(text)
    }

    fn edit(&mut self, label: &str, text: &str) -> io::Result<Option<String>> {
        match self.options.reach {
            // The keys come one by one before it and behind it: a terminal that reads lines would act on some itself.
            Reach::Full => {
                self.raw()?;
                if self.interrupted {
                    return Ok(None);
                }
                let signal = edit_text(self.options, label, text);
                self.raw = None;
                self.raw()?;
                match signal? {
                    Signal::Success(text) => Ok(Some(text)),
                    _ => Ok(None),
                }
            }
            Reach::Plain => {
                let line = self.line(&format!("{}\n{label}", aish_types::visible(text)))?.unwrap_or_default();
                let line = line.trim_end_matches(['\n', '\r']);
                Ok((!line.is_empty()).then(|| line.to_owned()))
            }
        }
    }
}
