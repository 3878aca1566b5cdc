//! The real terminal: standard error shows, standard input is read key by key.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use aish_safety::{Answer, Question};
use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use reedline::Signal;

use super::dialogue::{ask, choose};
use super::halt::{HaltAnswer, halt};
use super::terminal::{AskTerminal, Key};
use crate::capability::Capabilities;
use crate::editor::{EditorOptions, Reach, edit_text};
use crate::guard::RawGuard;

/// How often it is looked whether the question was withdrawn.
const POLL: Duration = Duration::from_millis(50);

/// Asks on the process's terminal; where there is none, nobody is there to be asked.
pub(crate) fn ask_on_terminal(question: &Question, options: &EditorOptions, withdrawn: &dyn Fn() -> bool) -> Answer {
    if !io::stdin().is_terminal() {
        return Answer::Nobody;
    }
    ask(question, &options.theme, &mut Tty { options, withdrawn, raw: None, pushed: None })
}

/// Asks at the HALT gate on the process's terminal; where there is none, nobody is there to be asked.
pub(crate) fn halt_on_terminal(
    question: &Question,
    options: &EditorOptions,
    withdrawn: &dyn Fn() -> bool,
) -> HaltAnswer {
    if !io::stdin().is_terminal() {
        return HaltAnswer::Nobody;
    }
    halt(question, &options.theme, &mut Tty { options, withdrawn, raw: None, pushed: None })
}

/// Offers a choice on the process's terminal; where there is none, nothing is chosen.
pub(crate) fn choose_on_terminal(
    label: &str,
    keys: &[char],
    options: &EditorOptions,
    withdrawn: &dyn Fn() -> bool,
) -> Option<char> {
    if !io::stdin().is_terminal() {
        return None;
    }
    choose(label, keys, &options.theme, &mut Tty { options, withdrawn, raw: None, pushed: None })
}

struct Tty<'a> {
    options: &'a EditorOptions,
    withdrawn: &'a dyn Fn() -> bool,
    raw: Option<RawGuard>,
    /// A key that was read to see whether it was an Enter.
    pushed: Option<Key>,
}

impl Tty<'_> {
    fn raw(&mut self) -> io::Result<()> {
        if self.raw.is_none() {
            self.raw = Some(RawGuard::enter()?);
        }
        Ok(())
    }

    fn next_key(&mut self) -> io::Result<Key> {
        if let Some(key) = self.pushed.take() {
            return Ok(key);
        }
        loop {
            if (self.withdrawn)() {
                return Ok(Key::Interrupt);
            }
            if event::poll(POLL)?
                && let Some(key) = meant(&event::read()?)
            {
                return Ok(key);
            }
        }
    }

    /// Who types `y` and Enter means the Enter for the question, not for what reads next.
    fn swallow_enter(&mut self) -> io::Result<()> {
        if self.pushed.is_none() && event::poll(Duration::ZERO)? {
            self.pushed = meant(&event::read()?).filter(|key| *key != Key::Enter);
        }
        Ok(())
    }
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
        let mut stderr = io::stderr().lock();
        stderr.write_all(text.replace('\n', "\r\n").as_bytes())?;
        stderr.flush()
    }

    fn discard_typed_ahead(&mut self) -> io::Result<()> {
        self.raw()?;
        // First what the kernel holds, then what the terminal library has read already.
        rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush)?;
        while event::poll(Duration::ZERO)? {
            let _ = event::read()?;
        }
        self.pushed = None;
        Ok(())
    }

    fn key(&mut self) -> io::Result<Key> {
        match self.options.reach {
            Reach::Full => {
                self.raw()?;
                let key = self.next_key()?;
                if matches!(key, Key::Char(_)) {
                    self.swallow_enter()?;
                }
                Ok(key)
            }
            Reach::Plain => {
                self.raw = None;
                let mut line = String::new();
                if io::stdin().read_line(&mut line)? == 0 {
                    return Ok(Key::EndOfInput);
                }
                Ok(line.trim().chars().next().map_or(Key::Enter, Key::Char))
            }
        }
    }

    fn edit(&mut self, label: &str, text: &str) -> io::Result<Option<String>> {
        self.raw = None;
        match self.options.reach {
            Reach::Full => match edit_text(self.options, label, text)? {
                Signal::Success(text) => Ok(Some(text)),
                _ => Ok(None),
            },
            Reach::Plain => {
                self.write(&format!("{}\n{label}", aish_types::visible(text)))?;
                let mut line = String::new();
                let read = io::stdin().read_line(&mut line)?;
                let line = line.trim_end_matches(['\n', '\r']);
                Ok(if read == 0 || line.is_empty() { None } else { Some(line.to_owned()) })
            }
        }
    }
}
