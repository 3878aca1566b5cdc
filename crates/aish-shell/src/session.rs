//! One live bash: its terminal, its process, the way to it, and what it was last heard of.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use aish_process::{Change, Command, Detached, Exit, TerminalChild};
use tokio::time::{Instant, timeout, timeout_at};

use crate::delivery::Delivery;
use crate::exchange::Exchange;
use crate::line::Line;
use crate::mark::{Mark, Piece, Scanner};
use crate::options::{Options, Rc};
use crate::report::Report;
use crate::shell::ShellError;

/// How long output is still read after the shell has ended.
const LAST_OUTPUT: Duration = Duration::from_millis(50);

/// How long a report may be on its way once its mark is there; it is written before the mark.
const REPORT_LIMIT: Duration = Duration::from_secs(5);

/// How long a shell may take to come back from a query that was interrupted.
const QUERY_END: Duration = Duration::from_secs(2);

/// How often the hook is put back without an end mark that comes of it.
const MOST_REARMS: u32 = 10;

/// What was heard of the shell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Output(Vec<u8>),
    Mark(Mark),
    /// The shell itself was stopped, as its `suspend` does.
    Stopped,
    Ended(Exit),
}

/// One live bash.
pub(crate) struct Session {
    pub(crate) line: Line,
    pub(crate) report: Report,
    /// Whether the hook waits for a command.
    pub(crate) at_prompt: bool,
    pub(crate) since: Instant,
    /// The number of the last command that was sent.
    number: u64,
    /// What was typed last to make the shell run a command; a shell that dies first leaves it unread.
    typed: String,
    /// Whether the hook was put back since the last end mark.
    rearmed: bool,
    /// How often it was put back since then.
    rearms: u32,
    child: TerminalChild,
    exchange: Exchange,
    scanner: Scanner,
    heard: VecDeque<Heard>,
    ended: Option<Exit>,
    /// A report that came before its mark.
    reported: Option<Vec<u8>>,
    /// Until when the report of an end mark that was read is awaited; the mark is heard once it is there.
    report_due: Option<Instant>,
    buffer: Box<[u8]>,
}

impl Session {
    /// Starts a bash; it is at its prompt once the first end mark is heard.
    pub(crate) async fn start(options: &Options, rc: &Rc) -> Result<Self, ShellError> {
        let io = |source| ShellError::Start { source };
        let nonce = nonce().map_err(io)?;
        let exchange = Exchange::create(nonce.clone(), rc).map_err(io)?;
        let (line, shells) = Line::open(options.size).map_err(io)?;
        let mut words = options.program.iter();
        let program = words.next().cloned().unwrap_or_else(|| "bash".into());
        let mut command = Command::new(program).args(words).arg("--noediting");
        command = match rc {
            Rc::Skip => command.arg("--norc"),
            Rc::User | Rc::File(_) => command.arg("--rcfile").arg(exchange.rc()),
        };
        if options.detached == Detached::Leave {
            // Its jobs end with it, so that it says which they are and goes at the second exit. Start-up files may change that.
            command = command.args(["-O", "checkjobs"]);
        }
        command = command.arg("-i");
        command.environment = options.environment.clone();
        command.cwd.clone_from(&options.cwd);
        if *rc == Rc::Skip {
            // Bash reads the system's start-up file before a named one. Without any, the first prompt says that the
            // hook is missing, and it is put there as it is put back when it was lost.
            command = command.env("PS1", Scanner::prompt(&nonce)).env("HISTIGNORE", "*__aish_*");
        }
        if !options.history {
            command = command.env("HISTFILE", "");
        }
        if options.program.len() > 1 {
            // A launcher that confines the shell must leave it the way to us.
            command = command.env("AISH_SHELL_FOLDER", exchange.folder());
        }
        let child = TerminalChild::start(&command, shells, options.detached)
            .await
            .map_err(|source| ShellError::Start { source: io::Error::other(source) })?;
        Ok(Self {
            line,
            report: Report::default(),
            at_prompt: false,
            since: Instant::now(),
            number: 0,
            typed: String::new(),
            rearmed: false,
            rearms: 0,
            child,
            scanner: Scanner::new(&nonce),
            exchange,
            heard: VecDeque::new(),
            ended: None,
            reported: None,
            report_due: None,
            buffer: vec![0; 64 * 1024].into(),
        })
    }

    /// Waits for the next thing that is heard; its order is that on the terminal. An end mark comes with its report
    /// taken in. Cancel-safe: what was read and not returned, a mark without its report too, is heard by the next call.
    pub(crate) async fn hear(&mut self) -> Heard {
        loop {
            if let Some(due) = self.report_due {
                self.await_report(due).await;
                return Heard::Mark(Mark::End);
            }
            match self.heard.pop_front() {
                Some(Heard::Mark(Mark::End)) => {
                    self.report_due = Some(Instant::now() + REPORT_LIMIT);
                    continue;
                }
                Some(heard) => return heard,
                None => {}
            }
            if let Some(exit) = self.ended {
                return Heard::Ended(exit);
            }
            tokio::select! {
                biased;
                read = self.line.read(&mut self.buffer) => match read {
                    Ok(count) => {
                        let pieces = self.scanner.feed(self.buffer.get(..count).unwrap_or_default());
                        self.heard.extend(pieces.into_iter().map(Heard::from));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the shell's terminal cannot be read");
                        self.ended = Some(self.child.wait().await);
                    }
                },
                report = self.exchange.receive(), if self.reported.is_none() => self.reported = report.ok(),
                change = self.child.changed() => match change {
                    Change::Stopped => self.heard.push_back(Heard::Stopped),
                    Change::Ended(exit) => self.ended = Some(self.hear_the_rest(exit).await),
                },
            }
        }
    }

    /// Takes in what the shell wrote before it ended.
    async fn hear_the_rest(&mut self, exit: Exit) -> Exit {
        while let Ok(Ok(count)) = timeout(LAST_OUTPUT, self.line.read(&mut self.buffer)).await {
            let pieces = self.scanner.feed(self.buffer.get(..count).unwrap_or_default());
            self.heard.extend(pieces.into_iter().map(Heard::from));
        }
        let rest = self.scanner.flush();
        if !rest.is_empty() {
            self.heard.push_back(Heard::Output(rest));
        }
        exit
    }

    /// Waits for the report of an end mark and takes it in. Cancel-safe.
    async fn await_report(&mut self, due: Instant) {
        if self.reported.is_none() {
            self.reported = timeout_at(due, self.exchange.receive()).await.ok().and_then(Result::ok);
        }
        self.report_due = None;
        match self.reported.take().as_deref().and_then(Report::parse) {
            Some(report) => self.report = report,
            None => {
                tracing::warn!("the shell's report cannot be read");
                self.report.number = self.number;
            }
        }
        // A hook that was put back may print an end mark too many; it is that of an earlier command.
        self.at_prompt = self.report.number == self.number;
        self.rearmed = false;
        self.rearms = 0;
        aish_process::reap_orphans();
    }

    /// Says whether putting the hook back may help: it has not failed again and again.
    pub(crate) fn may_rearm(&self) -> bool {
        self.rearms < MOST_REARMS
    }

    /// Puts the hook back; the shell must be reading its terminal.
    pub(crate) fn rearm(&mut self) {
        self.rearmed = true;
        self.rearms += 1;
        self.reported = None;
        self.exchange.clear();
        // What was typed ahead would be run as commands.
        let _ = self.line.discard_type_ahead();
        if let Err(error) = self.line.type_to_reader(&self.exchange.rearm_line()) {
            tracing::warn!(%error, "the shell's hook cannot be put back");
        }
    }

    /// Takes what was typed and not read. The shell must not be reading.
    pub(crate) fn take_type_ahead(&self) -> io::Result<Vec<u8>> {
        let mut keys = self.line.take_type_ahead()?;
        if keys.starts_with(self.typed.as_bytes()) {
            keys.drain(..self.typed.len());
        }
        // A hook that was put back twice left the second line unread.
        let line = self.exchange.rearm_line();
        match String::from_utf8(keys) {
            Ok(keys) => Ok(keys.replace(&line, "").into_bytes()),
            Err(error) => Ok(error.into_bytes()),
        }
    }

    /// Hands a command to the shell, which must be at its prompt and have nothing typed ahead.
    pub(crate) async fn send(&mut self, command: &str) -> io::Result<()> {
        let delivery = Delivery::choose(command, self.report.takes_alias);
        let first = if self.report.edits { Delivery::UNEDITED } else { "" };
        self.typed = format!("{first}{}", delivery.trigger());
        self.line.type_unseen(&self.typed)?;
        self.at_prompt = false;
        self.number += 1;
        self.exchange.send(delivery.kind(), self.number, command).await
    }

    /// Asks the shell, which must be at its prompt, to run a script without a terminal, and returns what it printed.
    pub(crate) async fn ask(&mut self, script: &str, limit: Duration) -> Result<Vec<u8>, ShellError> {
        self.reported = None;
        self.exchange.clear();
        let io = |source| ShellError::Terminal { source };
        let answer = timeout(limit, async {
            self.exchange.send("query", 0, script).await?;
            self.exchange.receive().await
        });
        match answer.await {
            Ok(answer) => answer.map_err(io),
            Err(_) => {
                self.abandon_query().await;
                Err(ShellError::NoAnswer)
            }
        }
    }

    /// Interrupts a query that hangs: the shell leaves its hook, says so with its prompt, and gets the hook back.
    async fn abandon_query(&mut self) {
        self.at_prompt = false;
        self.since = Instant::now();
        let _ = self.line.try_type(b"\x03");
        let give_up = Instant::now() + QUERY_END;
        while Instant::now() < give_up && self.ended.is_none() && !self.at_prompt {
            match timeout(QUERY_END / 4, self.hear()).await {
                Ok(Heard::Output(_) | Heard::Mark(Mark::Started | Mark::More | Mark::End) | Heard::Ended(_)) => {}
                Ok(Heard::Mark(Mark::Prompt)) => self.rearm(),
                Ok(Heard::Stopped) => self.go_on(),
                // The terminal's own signal did not reach it, or the hook's return was cut off.
                Err(_) if self.rearmed => self.rearm(),
                Err(_) => self.child.interrupt(),
            }
        }
    }

    /// Says whether the shell has been at its prompt before.
    pub(crate) fn was_ready(&self) -> bool {
        self.report != Report::default()
    }

    /// The process id of the shell.
    pub(crate) fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// Continues a shell that was stopped, as by its own `suspend`.
    pub(crate) fn go_on(&self) {
        self.child.go_on();
    }

    /// Sends INT to the shell's own process group.
    pub(crate) fn interrupt(&self) {
        self.child.interrupt();
    }

    /// Ends the shell: as a closing terminal does, then by force.
    pub(crate) async fn stop(self, patience: Duration) {
        self.child.stop(patience).await;
    }
}

impl From<Piece> for Heard {
    fn from(piece: Piece) -> Self {
        match piece {
            Piece::Output(bytes) => Self::Output(bytes),
            Piece::Mark(mark) => Self::Mark(mark),
        }
    }
}

/// 128 random bits in hexadecimal, so that no output can hold a mark by chance or by intent.
pub(crate) fn nonce() -> io::Result<String> {
    let mut bytes = [0; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_is_missed_by_listening_that_is_given_up() {
        let options = Options { rc: Rc::Skip, ..Options::headless() };
        let mut session = Session::start(&options, &options.rc).await.unwrap();
        let give_up = Instant::now() + Duration::from_secs(20);
        while !session.at_prompt {
            assert!(Instant::now() < give_up, "the end mark or its report was lost");
            // Listens once, as one does to whom a request comes.
            let heard = tokio::select! {
                biased;
                heard = session.hear() => Some(heard),
                () = std::future::ready(()) => None,
            };
            match heard {
                Some(Heard::Mark(Mark::Prompt)) => session.rearm(),
                Some(Heard::Ended(exit)) => panic!("{exit:?}"),
                Some(Heard::Output(_) | Heard::Stopped | Heard::Mark(Mark::End | Mark::Started | Mark::More)) => {}
                None => tokio::task::yield_now().await,
            }
        }
        session.stop(Duration::from_secs(1)).await;
    }
}
