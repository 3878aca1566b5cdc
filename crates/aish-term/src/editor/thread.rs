//! The thread that owns the terminal while something is read from it.
//!
//! Order of a read: print what waits, draw the prompt, read; a knock makes the engine return, and then the thread prints,
//! asks or stops, and reads on with the line as it was.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use aish_safety::{Answer, ChangesAnswer, ChangesQuestion, Question};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers};
use reedline::{EditCommand, Reedline, Signal};
use tokio::sync::{Notify, oneshot};

use super::assemble::{self, Carried, engine};
use super::input::{EditorError, Input, Line};
use super::keys::{Behind, SharedMode, edits_of, escape, mode};
use super::names::{EDITOR, ENTER, ESCAPE, FLIP, LINE, UNFOLD};
use super::options::{EditorOptions, KeyMode, Reach};
use super::plain;
use super::port::Wholeness;
use super::printer::{Printer, said};
use super::prompt::DrawnPrompt;
use super::session::Shared;
use super::text_editor;
use super::view::PromptView;
use super::waiting::{Editor, Waiting};
use crate::guard::AT_ONCE;
use crate::question::{self, Aside, HaltAnswer};
use crate::styled::Ink;

/// What the thread is asked to do.
pub(super) enum Job {
    Read { view: Box<PromptView>, answer: oneshot::Sender<Result<Input, EditorError>> },
    Ask(Asked),
    Release { answer: oneshot::Sender<()> },
}

/// What the thread leaves beside its answers.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// What the person said beside the last no.
    pub(super) words: Mutex<Option<String>>,
    /// What was typed behind the last line in the same go.
    pub(super) behind: Mutex<String>,
    /// Told when a prompt's text is made, right before it is written.
    pub(super) drawn: Arc<Notify>,
    /// Ctrl-C came as a signal since the last read or question began.
    pub(super) interrupted: AtomicBool,
}

/// A question that a person answers by keys.
pub(super) enum Asked {
    Gate { question: Box<Question>, answer: oneshot::Sender<Answer> },
    Halt { question: Box<Question>, answer: oneshot::Sender<HaltAnswer> },
    Changes { question: Box<ChangesQuestion>, answer: oneshot::Sender<ChangesAnswer> },
    Choice { label: String, keys: Vec<char>, answer: oneshot::Sender<Option<char>> },
}

/// Works until every handle is gone.
pub(super) fn run(mut options: EditorOptions, printer: &Printer, beside: &Beside, inbox: &mpsc::Receiver<Job>) {
    // The engine draws on standard error; into a file it would only write escapes.
    if !io::stderr().is_terminal() {
        options.reach = Reach::Plain;
    }
    let shared = Arc::new(Shared::new(&mut options));
    let (behind, keys) = (Behind::default(), mode(options.keys));
    // It is made while the caller still puts the rest together.
    let first =
        (options.reach == Reach::Full).then(|| engine(&options, &shared, printer, &behind, &keys, &Carried::default()));
    let mut worker = Worker {
        options,
        shared,
        printer,
        beside,
        inbox,
        engine: first,
        behind,
        keys,
        waiting: Waiting::default(),
        put_off: None,
    };
    while let Some(job) = worker.put_off.take().or_else(|| inbox.recv().ok()) {
        match job {
            Job::Read { view, answer } => worker.read(&view, answer),
            Job::Ask(asked) => worker.question(asked, Editor::Idle),
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
    beside: &'a Beside,
    inbox: &'a mpsc::Receiver<Job>,
    engine: Option<Reedline>,
    behind: Behind,
    /// The keys' mode, which outlives the engines.
    keys: SharedMode,
    waiting: Waiting,
    /// What came while a read was being given up.
    put_off: Option<Job>,
}

impl Worker<'_> {
    fn read(&mut self, view: &PromptView, answer: oneshot::Sender<Result<Input, EditorError>>) {
        self.printer.quiet();
        if answer.is_closed() {
            return;
        }
        self.shared.start(view.folder.clone(), view.suggestion.clone());
        if self.options.keys == KeyMode::Vi {
            // A line begins in the insert mode, also behind one that was given up.
            edits_of(&self.keys, vec![escape(), Event::Key(KeyEvent::new(KeyCode::Char('i'), KeyModifiers::NONE))]);
        }
        self.waiting.put_first(&std::mem::take(&mut *locked(&self.beside.behind)));
        let is_whole = |line: &str| self.shared.wholeness(line) == Wholeness::Whole;
        let enters = self.waiting.begin(&view.initial, is_whole);
        if self.waiting.takes_end() && self.options.reach == Reach::Full {
            let _ = answer.send(Ok(Input::EndOfInput));
            return;
        }
        if !self.waiting.carried.text.is_empty() {
            self.engine = None;
        }
        let enters = enters && self.options.reach == Reach::Full;
        let entered = if enters { self.waiting.entered(is_whole) } else { None };
        let ink = Ink { color: self.options.capabilities.color, links: false };
        let prompt = DrawnPrompt::new(view, ink).telling(&self.beside.drawn);
        let result = match self.options.reach {
            Reach::Full => self.edit(&prompt, entered, &answer),
            Reach::Plain => self.read_plain(&prompt, &answer),
        };
        match result {
            Ok(Some(input)) => {
                if let Err(Ok(Input::Line(line))) = answer.send(Ok(input)) {
                    // Nobody waits for it any more: the person enters it, and what was typed behind it.
                    let behind = std::mem::take(&mut *locked(&self.beside.behind));
                    let text = if behind.is_empty() { line.text } else { format!("{}\n{behind}", line.text) };
                    self.waiting.carried = Carried::at_end(text);
                    self.waiting.question("", Editor::Idle);
                }
            }
            Ok(None) => {}
            Err(error) => {
                self.engine = None;
                let _ = answer.send(Err(EditorError::Terminal(error)));
            }
        }
    }

    fn read_plain(
        &mut self,
        prompt: &DrawnPrompt,
        answer: &oneshot::Sender<Result<Input, EditorError>>,
    ) -> io::Result<Option<Input>> {
        self.beside.interrupted.store(false, Ordering::Relaxed);
        self.print_waiting()?;
        let news = self.waiting.news();
        tell(news.as_deref())?;
        let initial = self.waiting.take_carried().text;
        let mut stderr = io::stderr();
        let mut silent = io::sink();
        let output: &mut dyn io::Write = if io::stdin().is_terminal() { &mut stderr } else { &mut silent };
        let interrupted = || self.beside.interrupted.load(Ordering::Relaxed);
        let read = plain::read(prompt, &self.shared, &initial, &|| interrupted() || answer.is_closed(), output)?;
        if read.is_none() && interrupted() {
            tell(self.waiting.drop_held().as_deref())?;
            return Ok(Some(Input::Interrupted));
        }
        Ok(read)
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
            let once = engine(&self.options, &self.shared, self.printer, &self.behind, &self.keys, &carried);
            return self.enter(once, prompt).map(Some);
        }
        loop {
            self.print_waiting()?;
            self.answer_waiting();
            self.keep_behind();
            let news = self.waiting.news();
            tell(news.as_deref())?;
            if answer.is_closed() {
                return Ok(None);
            }
            let mut engine = match self.engine.take() {
                Some(engine) => engine,
                None => engine(
                    &self.options,
                    &self.shared,
                    self.printer,
                    &self.behind,
                    &self.keys,
                    &self.waiting.take_carried(),
                ),
            };
            let size = crossterm::terminal::size().unwrap_or((80, 24));
            self.shared.draw(prompt.drawing(size, self.options.capabilities.reflows));
            let signal = engine.read_line(prompt)?;
            if let Some(input) = self.follow(signal, engine, prompt)? {
                return Ok(Some(input));
            }
        }
    }

    /// Enters the line that an engine holds.
    fn enter(&mut self, engine: Reedline, prompt: &DrawnPrompt) -> io::Result<Input> {
        let mut engine = engine.with_immediately_accept(true);
        let text = engine.current_buffer_contents().to_owned();
        // A knock ends a read before the line is accepted; what is to be said then waits for the next one.
        while matches!(engine.read_line(prompt)?, Signal::ExternalBreak(_)) {}
        // An engine that accepts at once would do so again.
        self.engine = None;
        self.leave_behind();
        Ok(Input::Line(Line { text, flipped: self.shared.is_flipped() }))
    }

    /// Does what a signal of the engine says; none where the line is read on.
    fn follow(&mut self, signal: Signal, engine: Reedline, prompt: &DrawnPrompt) -> io::Result<Option<Input>> {
        match signal {
            Signal::Success(text) => {
                self.engine = Some(engine);
                self.leave_behind();
                Ok(Some(Input::Line(Line { text, flipped: self.shared.is_flipped() })))
            }
            Signal::CtrlC => {
                self.engine = Some(engine);
                self.waiting.put_first(&text_of(&self.behind.take()));
                tell(self.waiting.drop_held().as_deref())?;
                Ok(Some(Input::Interrupted))
            }
            Signal::CtrlD => {
                self.engine = Some(engine);
                Ok(Some(Input::EndOfInput))
            }
            Signal::HostCommand(command) => self.obey(command, engine, prompt),
            Signal::ExternalBreak(text) => {
                self.waiting.carried = Carried { cursor: engine.current_insertion_point(), text };
                drop(engine);
                self.erase(prompt)?;
                Ok(None)
            }
            // The library may grow signals; one that is unknown ends nothing.
            _ => {
                self.engine = Some(engine);
                Ok(None)
            }
        }
    }

    /// Does what a key of ours is bound to; none where the line is read on.
    fn obey(&mut self, command: String, mut engine: Reedline, prompt: &DrawnPrompt) -> io::Result<Option<Input>> {
        match command.as_str() {
            FLIP => self.shared.flip(),
            ESCAPE => {
                let mut keys = vec![escape()];
                keys.extend(self.behind.take());
                engine.run_edit_commands(&edits_of(&self.keys, keys));
            }
            EDITOR => {
                let text = engine.current_buffer_contents().to_owned();
                drop(engine);
                self.erase(prompt)?;
                let edited = text_editor::edited(&text, &self.options.exported).unwrap_or_else(|error| {
                    self.printer.say(&format!("the line cannot be opened in an editor: {error}"));
                    None
                });
                let Some(edited) = edited else {
                    self.waiting.carried = Carried::at_end(text);
                    return Ok(None);
                };
                // Drawn as if it had been typed.
                let carried = Carried::at_end(edited);
                let once =
                    assemble::engine(&self.options, &self.shared, self.printer, &self.behind, &self.keys, &carried);
                return self.enter(once, prompt).map(Some);
            }
            ENTER => {
                if self.line_feed(&mut engine) {
                    return self.enter(engine, prompt).map(Some);
                }
            }
            line if line.starts_with(LINE) => {
                if line == UNFOLD {
                    // What was typed stands in the next line again.
                    let text = engine.current_buffer_contents().to_owned();
                    self.waiting.carried = Carried { cursor: engine.current_insertion_point(), text };
                }
                drop(engine);
                self.erase(prompt)?;
                self.keep_behind();
                let text = line.trim_start_matches(LINE).to_owned();
                return Ok(Some(Input::Line(Line { text, flipped: false })));
            }
            _ => {
                self.engine = Some(engine);
                return Ok(Some(Input::HostCommand(command)));
            }
        }
        self.engine = Some(engine);
        Ok(None)
    }

    /// Does what Enter does, with what was typed behind it; true when the line is whole.
    fn line_feed(&mut self, engine: &mut Reedline) -> bool {
        let mut behind = text_of(&self.behind.take());
        loop {
            if self.shared.wholeness(engine.current_buffer_contents()) == Wholeness::Whole {
                self.waiting.carried = Carried::at_end(behind);
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

    /// Puts what was typed behind a key of ours, in the same go, into the line that comes next.
    fn keep_behind(&mut self) {
        let typed = text_of(&self.behind.take());
        match &mut self.engine {
            _ if typed.is_empty() => {}
            Some(engine) => engine.run_edit_commands(&[EditCommand::InsertString(typed)]),
            None => self.waiting.carried.insert(&typed),
        }
    }

    /// Leaves what was typed behind a line to the program that the line may run.
    fn leave_behind(&mut self) {
        let mut typed = Aside::default();
        // The library has taken keys from the terminal that it did not look at.
        while event::poll(AT_ONCE).unwrap_or(false)
            && let Ok(event) = event::read()
        {
            typed.keep_all(&event);
        }
        let carried = std::mem::take(&mut self.waiting.carried).text;
        *locked(&self.beside.behind) = carried + &typed.into_text();
    }

    /// Takes the prompt and the line off the screen.
    fn erase(&self, prompt: &DrawnPrompt) -> io::Result<()> {
        let width = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let before = self.waiting.carried.text.get(..self.waiting.carried.cursor).unwrap_or(&self.waiting.carried.text);
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
                Job::Ask(asked) => self.question(asked, Editor::Reading),
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

    /// Puts a question. What was typed before it was shown waits for the prompt.
    fn question(&mut self, asked: Asked, editor: Editor) {
        self.waiting.put_first(&std::mem::take(&mut *locked(&self.beside.behind)));
        let (options, mut aside) = (&self.options, Aside::default());
        self.beside.interrupted.store(false, Ordering::Relaxed);
        let over = |closed: bool| closed || self.beside.interrupted.load(Ordering::Relaxed);
        let theme = &options.theme;
        match asked {
            Asked::Gate { answer, .. } if answer.is_closed() => return,
            Asked::Halt { answer, .. } if answer.is_closed() => return,
            Asked::Changes { answer, .. } if answer.is_closed() => return,
            Asked::Choice { answer, .. } if answer.is_closed() => return,
            Asked::Gate { question, answer } => {
                let over = || over(answer.is_closed());
                let given =
                    question::on_terminal(options, &over, &mut aside, |tty| question::ask(&question, theme, tty));
                // Whoever waits for the answer looks for the words next.
                *locked(&self.beside.words) = aside.words.take();
                let _ = answer.send(given.unwrap_or(Answer::Nobody));
            }
            Asked::Halt { question, answer } => {
                let over = || over(answer.is_closed());
                let given =
                    question::on_terminal(options, &over, &mut aside, |tty| question::halt(&question, theme, tty));
                let _ = answer.send(given.unwrap_or(HaltAnswer::Nobody));
            }
            Asked::Changes { question, answer } => {
                let over = || over(answer.is_closed());
                let given =
                    question::on_terminal(options, &over, &mut aside, |tty| question::changes(&question, theme, tty));
                let _ = answer.send(given.unwrap_or(ChangesAnswer::Nobody));
            }
            Asked::Choice { label, keys, answer } => {
                let over = || over(answer.is_closed());
                let given = question::on_terminal(options, &over, &mut aside, |tty| {
                    question::choose(&label, &keys, theme, tty)
                });
                let _ = answer.send(given.flatten());
            }
        }
        self.waiting.question(&aside.into_text(), editor);
    }
}

/// Returns what keys type.
fn text_of(events: &[Event]) -> String {
    let mut typed = Aside::default();
    for event in events {
        typed.keep_all(event);
    }
    typed.into_text()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a status line above the prompt.
fn tell(line: Option<&str>) -> io::Result<()> {
    match line {
        Some(line) => writeln!(io::stderr(), "{}", said(line)),
        None => Ok(()),
    }
}
