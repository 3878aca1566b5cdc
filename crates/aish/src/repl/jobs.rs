//! What jobs in the background and start-up files write: shown above the prompt, line by line.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_shell::ShellEvent;
use aish_term::{Printer, StyledLines};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How long the rest of a line is waited for before its beginning is shown.
const LINE: Duration = Duration::from_millis(100);

/// Shows what happens outside commands. Bytes become lines; a line without an end is shown after a moment.
#[derive(Clone)]
pub(super) struct JobOutput {
    printer: Printer,
    lines: Arc<Mutex<Lines>>,
    /// Told when a line without an end was shown, as one that asks for something is.
    unended: Arc<Notify>,
}

#[derive(Default)]
struct Lines {
    cut: StyledLines,
    flush: Option<JoinHandle<()>>,
}

impl JobOutput {
    pub(super) fn new(printer: Printer) -> Self {
        Self { printer, lines: Arc::default(), unended: Arc::default() }
    }

    /// Returns what is told when a line without an end was shown.
    pub(super) fn unended(&self) -> Arc<Notify> {
        Arc::clone(&self.unended)
    }

    /// Takes an event; needs a tokio runtime with time.
    pub(super) fn take(&self, event: &ShellEvent) {
        match event {
            ShellEvent::Output(bytes) => {
                let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(flush) = lines.flush.take() {
                    flush.abort();
                }
                let whole = lines.cut.push(bytes);
                if !whole.is_empty() {
                    self.printer.print(&whole.join("\n"));
                }
                if lines.cut.has_rest() {
                    let this = self.clone();
                    lines.flush = Some(tokio::spawn(async move {
                        tokio::time::sleep(LINE).await;
                        this.end_line();
                        this.unended.notify_one();
                    }));
                }
            }
            ShellEvent::Restarted { cause, .. } => {
                self.end_line();
                self.printer.say(&format!("{cause}; a new shell was started"));
            }
        }
    }

    fn end_line(&self) {
        let rest = self.lines.lock().unwrap_or_else(PoisonError::into_inner).cut.finish();
        if let Some(rest) = rest {
            self.printer.print(&rest);
        }
    }
}
