//! The line editor: reads a line on a thread of its own, while the caller awaits it.
//!
//! Order: [`view`] (what the prompt shows), [`input`] (what comes back), [`port`] (route hints, completion, wholeness),
//! [`options`], then the thread that owns the terminal while it reads.

mod adapter;
mod assemble;
mod chosen;
mod complete;
mod completion_menu;
mod hangup;
mod highlight;
mod hint;
mod idle;
mod input;
mod keys;
mod names;
mod options;
mod plain;
mod port;
mod printer;
mod prompt;
pub mod readline;
mod resized;
mod search_menu;
mod session;
mod shell_words;
mod style;
mod text_editor;
mod thread;
mod view;
mod waiting;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, mpsc};
use std::time::Duration;

use aish_safety::{Answer, ChangesAnswer, ChangesQuestion, Question};
use tokio::sync::oneshot;

pub(crate) use assemble::edit_text;
pub use input::{EditorError, Input, Line};
pub use options::{EditorOptions, Exported, KeyMode, PasteListener, Reach, WholenessCheck};
pub use port::{Candidate, LineCompleter, Route, RouteHint, Wholeness};
pub use printer::Printer;
pub use view::PromptView;

use crate::question::HaltAnswer;
use hangup::Hangup;
use thread::{Asked, Beside, Job};

/// How soon a prompt is written once its text is made.
const WRITTEN: Duration = Duration::from_millis(1);

/// The line editor. Its thread starts at once and ends when the editor is dropped; it holds the terminal only while
/// a read or a question is under way.
#[derive(Debug)]
pub struct LineEditor {
    jobs: mpsc::Sender<Job>,
    printer: Printer,
    beside: Arc<Beside>,
    hangup: Hangup,
}

impl LineEditor {
    /// Starts the editor's thread.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(options: EditorOptions) -> Result<Self, EditorError> {
        let (jobs, inbox) = mpsc::channel();
        let printer = Printer::default();
        let (shared, beside) = (printer.clone(), Arc::new(Beside::default()));
        let left = Arc::clone(&beside);
        std::thread::Builder::new()
            .name("line-editor".into())
            .spawn(move || {
                idle::sleep_soundly();
                thread::run(options, &shared, &left, &inbox);
            })
            .map_err(EditorError::Thread)?;
        Ok(Self { jobs, printer, beside, hangup: Hangup::watch() })
    }

    /// Reads a line.
    ///
    /// When the future is dropped the terminal is given back within a tenth of a second, which [`LineEditor::release`]
    /// waits for, and the text typed so far is kept for the next read.
    ///
    /// # Errors
    /// When the terminal cannot be read, or the editor's thread has ended.
    pub async fn read(&self, view: PromptView) -> Result<Input, EditorError> {
        self.begin(view)?.line().await
    }

    /// Begins to read a line: the prompt is drawn while the caller goes on.
    ///
    /// # Errors
    /// When the editor's thread has ended.
    pub fn begin(&self, view: PromptView) -> Result<Reading, EditorError> {
        let (answer, reply) = oneshot::channel();
        self.jobs.send(Job::Read { view: Box::new(view), answer }).map_err(|_| EditorError::Ended)?;
        Ok(Reading { reply: KnockOnDrop(Some(self.printer.clone()), reply), hangup: self.hangup.clone() })
    }

    /// Waits until a prompt that was begun is drawn: what else there is to do would only keep its thread from that.
    ///
    /// Where the terminal does not answer, or none is drawn on, that takes until the caller gives up.
    pub async fn drawn(&self) {
        self.beside.drawn.notified().await;
        tokio::time::sleep(WRITTEN).await;
    }

    /// Asks the gate's question. End of input and a terminal that cannot be read are no, an interrupt stops what wanted it.
    pub async fn ask(&self, question: Question) -> Answer {
        let asked = |answer| Asked::Gate { question: Box::new(question), answer };
        self.put(asked, Answer::No).await.unwrap_or(Answer::Nobody)
    }

    /// Has the thread put a question, with the answer where the terminal cannot be read; none where the thread has ended.
    async fn put<T>(&self, asked: impl FnOnce(oneshot::Sender<T>) -> Asked, unread: T) -> Option<T> {
        let (answer, reply) = oneshot::channel();
        self.jobs.send(Job::Ask(asked(answer))).ok()?;
        self.printer.knock();
        Some(self.hangup.unless(reply).await.and_then(Result::ok).unwrap_or(unread))
    }

    /// Says that Ctrl-C came as a signal, as it does where the terminal edits the lines itself.
    pub fn interrupt(&self) {
        self.beside.interrupted.store(true, Ordering::Relaxed);
    }

    /// Takes what the person said beside the last no: what is to be done instead.
    pub fn take_words(&self) -> Option<String> {
        self.beside.words.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Takes what was typed behind the last line, in the same go: for the program that the line runs, as its terminal would
    /// have it. Enter is a newline; the keys that a terminal acts on are their control characters. What is not taken is
    /// for the next read, as is a Ctrl-D that nothing else stands before.
    pub fn take_behind(&self) -> String {
        let mut behind = self.beside.behind.lock().unwrap_or_else(PoisonError::into_inner);
        if behind.starts_with(waiting::END) { String::new() } else { std::mem::take(&mut behind) }
    }

    /// Asks at the HALT gate of an autonomous run. End of input and a terminal that cannot be read end the run.
    pub async fn halt(&self, question: Question) -> HaltAnswer {
        let asked = |answer| Asked::Halt { question: Box::new(question), answer };
        self.put(asked, HaltAnswer::End).await.unwrap_or(HaltAnswer::Nobody)
    }

    /// Asks what becomes of a layer. End of input and a terminal that cannot be read drop it.
    pub async fn changes(&self, question: ChangesQuestion) -> ChangesAnswer {
        let asked = |answer| Asked::Changes { question: Box::new(question), answer };
        self.put(asked, ChangesAnswer::Drop).await.unwrap_or(ChangesAnswer::Nobody)
    }

    /// Lets the person press one of some keys, after a label is shown. What was typed before does not count and waits for
    /// the next read. None for Enter, Escape, Ctrl-C, the end of the input, and where there is no terminal.
    pub async fn choose(&self, label: &str, keys: &[char]) -> Option<char> {
        let asked = |answer| Asked::Choice { label: label.to_owned(), keys: keys.to_vec(), answer };
        self.put(asked, None).await.flatten()
    }

    /// Waits until the terminal is free: after a read that was given up, and before anything else is written to it.
    pub async fn release(&self) {
        let (answer, reply) = oneshot::channel();
        if self.jobs.send(Job::Release { answer }).is_ok() {
            let _ = self.hangup.unless(reply).await;
        }
    }

    /// Returns what to do before this process is stopped and after it was continued: the terminal is given back, taken
    /// again, and what is being typed is drawn anew.
    pub fn pauses(&self) -> (impl Fn() + Send + use<>, impl Fn() + Send + use<>) {
        let (paused, printer) = (Arc::new(AtomicBool::new(false)), self.printer.clone());
        let before = Arc::clone(&paused);
        let pause = move || before.store(crate::guard::pause(), Ordering::Relaxed);
        let resume = move || {
            if paused.swap(false, Ordering::Relaxed) {
                crate::guard::resume();
                printer.knock();
            }
        };
        (pause, resume)
    }

    /// Returns a handle that prints lines above the prompt, from any thread.
    pub fn printer(&self) -> Printer {
        self.printer.clone()
    }
}

/// Waits for the answer; dropped before it came, it makes the thread look up and give the terminal back.
/// A line that is being read. Dropped, it gives the read up, as [`LineEditor::read`] does.
#[derive(Debug)]
pub struct Reading {
    reply: KnockOnDrop<Result<Input, EditorError>>,
    hangup: Hangup,
}

impl Reading {
    /// Waits for the line.
    ///
    /// # Errors
    /// As [`LineEditor::read`].
    pub async fn line(self) -> Result<Input, EditorError> {
        match self.hangup.unless(self.reply.wait()).await {
            Some(reply) => reply.map_err(|_| EditorError::Ended)?,
            None => Ok(Input::EndOfInput),
        }
    }
}

#[derive(Debug)]
struct KnockOnDrop<T>(Option<Printer>, oneshot::Receiver<T>);

impl<T> KnockOnDrop<T> {
    async fn wait(mut self) -> Result<T, oneshot::error::RecvError> {
        let reply = (&mut self.1).await;
        self.0 = None;
        reply
    }
}

impl<T> Drop for KnockOnDrop<T> {
    fn drop(&mut self) {
        if let Some(printer) = &self.0 {
            self.1.close();
            printer.knock();
        }
    }
}
