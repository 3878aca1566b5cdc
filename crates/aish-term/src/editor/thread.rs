//! The thread that owns the terminal while something is read from it.
//!
//! Order of a read: print what waits, draw the prompt, read; a knock makes the engine return, and then the thread prints,
//! asks or stops, and reads on with the line as it was.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use aish_safety::{Answer, Question};
use crossterm::event::{self, Event, KeyCode, KeyModifiers};
use reedline::{EditCommand, Reedline, Signal};
use tokio::sync::oneshot;

use super::assemble::{Carried, engine};
use super::input::{EditorError, Input, Line};
use super::keys::{Behind, ENTER, FLIP};
use super::options::{EditorOptions, Reach};
use super::plain;
use super::port::Wholeness;
use super::printer::Printer;
use super::prompt::DrawnPrompt;
use super::session::Shared;
use super::view::PromptView;
use crate::guard::RawGuard;
use crate::question::{self, HaltAnswer};
use crate::styled::Ink;

/// What the thread is asked to do.
pub(super) enum Job {
    Read { view: Box<PromptView>, answer: oneshot::Sender<Result<Input, EditorError>> },
    Ask { question: Box<Question>, answer: oneshot::Sender<Answer> },
    Halt { question: Box<Question>, answer: oneshot::Sender<HaltAnswer> },
    Choose { label: String, keys: Vec<char>, answer: oneshot::Sender<Option<char>> },
    TypedAhead { answer: oneshot::Sender<String> },
    Release { answer: oneshot::Sender<()> },
}

/// Works until every handle is gone.
pub(super) fn run(mut options: EditorOptions, printer: &Printer, inbox: &mpsc::Receiver<Job>) {
    // The engine draws on standard error; into a file it would only write escapes.
    if !io::stderr().is_terminal() {
        options.reach = Reach::Plain;
    }
    let shared = Arc::new(Shared::new(&mut options));
    let behind = Behind::default();
    // It is made while the caller still puts the rest together.
    let first =
        (options.reach == Reach::Full).then(|| engine(&options, &shared, printer, &behind, &Carried::default()));
    let mut worker = Worker {
        options,
        shared,
        printer,
        inbox,
        engine: first,
        behind,
        carried: Carried::default(),
        accepted: false,
        put_off: None,
    };
    while let Some(job) = worker.put_off.take().or_else(|| inbox.recv().ok()) {
        match job {
            Job::Read { view, answer } => worker.read(&view, answer),
            Job::Ask { question, answer } => worker.ask(&question, answer),
            Job::Halt { question, answer } => worker.halt(&question, answer),
            Job::Choose { label, keys, answer } => worker.choose(&label, &keys, answer),
            Job::TypedAhead { answer } => {
                // What was typed behind a line feed came before what still waits in the terminal.
                let text = std::mem::take(&mut worker.carried.text) + &typed_ahead();
                if let Err(text) = answer.send(text) {
                    worker.carried = Carried::at_end(text);
                }
            }
            Job::Release { answer } => {
                let _ = answer.send(());
            }
        }
    }
}

struct Worker<'a> {
    options: EditorOptions,
    shared: Arc<Shared>,
    printer: &'a Printer,
    inbox: &'a mpsc::Receiver<Job>,
    engine: Option<Reedline>,
    behind: Behind,
    carried: Carried,
    /// The engine was told to accept the line as it is.
    accepted: bool,
    /// What came while a read was being given up.
    put_off: Option<Job>,
}

impl Worker<'_> {
    fn read(&mut self, view: &PromptView, answer: oneshot::Sender<Result<Input, EditorError>>) {
        self.printer.quiet();
        if answer.is_closed() {
            return;
        }
        self.shared.start(view.folder.clone());
        if !view.initial.is_empty() {
            // What was kept from an earlier read comes first: it was typed first.
            let text = std::mem::take(&mut self.carried.text) + &aish_types::sanitize(&view.initial);
            self.carried = Carried::at_end(text);
            self.engine = None;
        }
        if !self.carried.text.is_empty() {
            self.engine = None;
        }
        let entered = self.entered();
        let ink = Ink { color: self.options.capabilities.color, links: false };
        let prompt = DrawnPrompt::new(view, ink);
        let result = match self.options.reach {
            Reach::Full => self.edit(&prompt, entered, &answer),
            Reach::Plain => self.read_plain(&prompt),
        };
        match result {
            Ok(Some(input)) => {
                if let Err(Ok(Input::Line(line))) = answer.send(Ok(input)) {
                    self.carried = Carried::at_end(line.text);
                }
            }
            Ok(None) => {}
            Err(error) => {
                self.engine = None;
                let _ = answer.send(Err(EditorError::Terminal(error)));
            }
        }
    }

    /// Takes the first line out of what was typed ahead, if Enter was typed behind it; the rest waits for later reads.
    fn entered(&mut self) -> Option<String> {
        if self.options.reach == Reach::Plain {
            return None;
        }
        let text = &self.carried.text;
        let end = text
            .match_indices('\n')
            .map(|(at, _)| at)
            .find(|&at| text.get(..at).is_some_and(|line| self.shared.wholeness(line) == Wholeness::Whole))?;
        let line = text.get(..end)?.to_owned();
        self.carried = Carried::at_end(text.get(end + 1..).unwrap_or_default().to_owned());
        Some(line)
    }

    fn read_plain(&mut self, prompt: &DrawnPrompt) -> io::Result<Option<Input>> {
        self.print_waiting()?;
        let initial = std::mem::take(&mut self.carried.text);
        let mut stderr = io::stderr();
        let mut silent = io::sink();
        let output: &mut dyn io::Write = if io::stdin().is_terminal() { &mut stderr } else { &mut silent };
        plain::read(prompt, &self.shared, &initial, &mut io::stdin().lock(), output).map(Some)
    }

    /// Reads with the engine; none where nobody waits for the line any more.
    fn edit(
        &mut self,
        prompt: &DrawnPrompt,
        entered: Option<String>,
        answer: &oneshot::Sender<Result<Input, EditorError>>,
    ) -> io::Result<Option<Input>> {
        self.print_waiting()?;
        if let Some(line) = entered {
            // Drawn as if it had been typed now.
            let carried = Carried::at_end(line);
            let mut once =
                engine(&self.options, &self.shared, self.printer, &self.behind, &carried).with_immediately_accept(true);
            once.read_line(prompt)?;
            self.engine = None;
            return Ok(Some(Input::Line(Line { text: carried.text, flipped: false })));
        }
        loop {
            self.print_waiting()?;
            self.answer_waiting();
            if answer.is_closed() {
                return Ok(None);
            }
            let mut engine = match self.engine.take() {
                Some(engine) => engine,
                None => {
                    engine(&self.options, &self.shared, self.printer, &self.behind, &std::mem::take(&mut self.carried))
                }
            };
            let signal = engine.read_line(prompt)?;
            match signal {
                Signal::Success(text) => {
                    // An engine that accepts at once would do so again.
                    self.engine = (!self.accepted).then_some(engine);
                    self.accepted = false;
                    return Ok(Some(Input::Line(Line { text, flipped: self.shared.is_flipped() })));
                }
                Signal::CtrlC => {
                    self.engine = Some(engine);
                    return Ok(Some(Input::Interrupted));
                }
                Signal::CtrlD => {
                    self.engine = Some(engine);
                    return Ok(Some(Input::EndOfInput));
                }
                Signal::HostCommand(command) if command == FLIP => {
                    self.shared.flip();
                    self.engine = Some(engine);
                }
                Signal::HostCommand(command) if command == ENTER => {
                    if self.line_feed(&mut engine) {
                        self.accepted = true;
                        engine = engine.with_immediately_accept(true);
                    }
                    self.engine = Some(engine);
                }
                Signal::HostCommand(command) => {
                    self.engine = Some(engine);
                    return Ok(Some(Input::HostCommand(command)));
                }
                Signal::ExternalBreak(text) => {
                    self.carried = Carried { cursor: engine.current_insertion_point(), text };
                    drop(engine);
                    self.erase(prompt)?;
                }
                // The library may grow signals; one that is unknown ends nothing.
                _ => self.engine = Some(engine),
            }
        }
    }

    /// Does what Enter does, with what was typed behind it; true when the line is whole.
    fn line_feed(&mut self, engine: &mut Reedline) -> bool {
        let mut behind = self.behind.take();
        loop {
            if self.shared.wholeness(engine.current_buffer_contents()) == Wholeness::Whole {
                self.carried = Carried::at_end(behind);
                return true;
            }
            let (line, rest) =
                behind.split_once('\n').map_or((behind.as_str(), None), |(line, rest)| (line, Some(rest)));
            let inserted = aish_types::sanitize(line).into_owned();
            engine.run_edit_commands(&[EditCommand::InsertNewline, EditCommand::InsertString(inserted)]);
            match rest {
                Some(rest) => behind = rest.to_owned(),
                None => return false,
            }
        }
    }

    /// Takes the prompt and the line off the screen.
    fn erase(&self, prompt: &DrawnPrompt) -> io::Result<()> {
        let width = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let before = self.carried.text.get(..self.carried.cursor).unwrap_or(&self.carried.text);
        let rows = prompt.rows_to_cursor(before, width);
        let mut stderr = io::stderr();
        if rows > 0 {
            write!(stderr, "\u{1b}[{rows}A")?;
        }
        write!(stderr, "\r\u{1b}[J")?;
        stderr.flush()
    }

    /// Questions do not wait for the line to be finished; another read waits for this one's end.
    fn answer_waiting(&mut self) {
        while self.put_off.is_none()
            && let Ok(job) = self.inbox.try_recv()
        {
            match job {
                Job::Ask { question, answer } => self.ask(&question, answer),
                Job::Halt { question, answer } => self.halt(&question, answer),
                Job::Choose { label, keys, answer } => self.choose(&label, &keys, answer),
                Job::TypedAhead { answer } => {
                    let _ = answer.send(String::new());
                }
                job @ (Job::Read { .. } | Job::Release { .. }) => self.put_off = Some(job),
            }
        }
    }

    fn print_waiting(&self) -> io::Result<()> {
        self.printer.quiet();
        let waiting = self.printer.take();
        if waiting.is_empty() {
            return Ok(());
        }
        let mut stderr = io::stderr().lock();
        for text in waiting {
            for line in text.split('\n') {
                writeln!(stderr, "{line}")?;
            }
        }
        stderr.flush()
    }

    fn ask(&mut self, question: &Question, answer: oneshot::Sender<Answer>) {
        if answer.is_closed() {
            return;
        }
        let given = question::ask_on_terminal(question, &self.options, &|| answer.is_closed());
        let _ = answer.send(given);
    }

    fn halt(&mut self, question: &Question, answer: oneshot::Sender<HaltAnswer>) {
        if answer.is_closed() {
            return;
        }
        let given = question::halt_on_terminal(question, &self.options, &|| answer.is_closed());
        let _ = answer.send(given);
    }

    fn choose(&mut self, label: &str, keys: &[char], answer: oneshot::Sender<Option<char>>) {
        if answer.is_closed() {
            return;
        }
        let chosen = question::choose_on_terminal(label, keys, &self.options, &|| answer.is_closed());
        let _ = answer.send(chosen);
    }
}

/// Takes the keys that the terminal library has read and not yet handed out.
fn typed_ahead() -> String {
    let mut out = String::new();
    let Ok(_guard) = RawGuard::enter() else { return out };
    while event::poll(Duration::ZERO).unwrap_or(false) {
        let Ok(Event::Key(key)) = event::read() else { continue };
        match key.code {
            KeyCode::Char(c) if key.modifiers.contains(KeyModifiers::CONTROL) => {
                if let Some(control) = u8::try_from(c.to_ascii_uppercase()).ok().map(|byte| byte & 0x1f) {
                    out.push(char::from(control));
                }
            }
            KeyCode::Char(c) => out.push(c),
            KeyCode::Enter => out.push('\n'),
            KeyCode::Tab => out.push('\t'),
            KeyCode::Backspace => out.push('\u{7f}'),
            KeyCode::Esc => out.push('\u{1b}'),
            _ => {}
        }
    }
    out
}
