//! The task that keeps the live shell: it serves requests one after the other, listens while nothing runs, and starts
//! the shell again when it dies.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::attendance::Attendance;
use crate::event::{RestartCause, ShellEvent};
use crate::mark::Mark;
use crate::options::{Options, Rc};
use crate::passage::{AtTerminal, Passage};
use crate::report::Report;
use crate::session::{Heard, Session};
use crate::shell::{Request, ShellError};
use crate::snapshot::Snapshot;
use crate::told::Told;

/// How long the shell has to go after it was hung up.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a shell that was at its prompt before may take to be there again.
const COME_BACK: Duration = Duration::from_secs(3);

/// How often a shell that is starting is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// How long a query may take that only lists names.
const LIST_LIMIT: Duration = Duration::from_secs(5);

/// The live shell's keeper.
pub(crate) struct Keeper {
    pub(crate) options: Options,
    events: mpsc::Sender<ShellEvent>,
    attendance: Arc<Attendance>,
    session: Option<Session>,
    /// The start-up file of the next start; left out once it led to no prompt.
    rc: Rc,
    /// Whether the shell has exited for good.
    pub(crate) exited: bool,
    /// Whether the last command was an exit that the shell refused, as it does once where jobs are stopped.
    pub(crate) refused_exit: bool,
}

impl Keeper {
    pub(crate) fn new(options: Options, events: mpsc::Sender<ShellEvent>, attendance: Arc<Attendance>) -> Self {
        Self { rc: options.rc.clone(), options, events, attendance, session: None, exited: false, refused_exit: false }
    }

    /// Serves until it is stopped or its owner is gone, then ends the shell.
    pub(crate) async fn serve(mut self, mut inbox: mpsc::Receiver<Request>, stop: CancellationToken) {
        if let Err(error) = self.start_session().await {
            tracing::warn!(%error, "the live shell did not start");
        }
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                request = inbox.recv() => match request {
                    Some(request) => tokio::select! {
                        () = stop.cancelled() => break,
                        () = self.answer(request) => {}
                    },
                    None => break,
                },
                heard = self.listen() => tokio::select! {
                    () = stop.cancelled() => break,
                    () = self.notice(heard) => {}
                },
            }
        }
        if let Some(session) = self.session.take() {
            session.stop(PATIENCE).await;
        }
    }

    async fn answer(&mut self, request: Request) {
        // A caller that has gone needs no answer.
        match request {
            Request::Ready(reply) => drop(reply.send(self.become_ready(&mut Passage::open(None)).await)),
            Request::Run { command, surroundings, reply } => drop(reply.send(self.run(&command, &surroundings).await)),
            Request::Ask { script, limit, reply } => drop(reply.send(self.ask(&script, limit).await)),
            Request::Snapshot(reply) => drop(reply.send(self.snapshot().await)),
        }
    }

    /// Listens to a shell that runs nothing: a job in the background may write, and the shell may die. Cancel-safe.
    async fn listen(&mut self) -> Heard {
        match &mut self.session {
            Some(session) => session.hear().await,
            None => std::future::pending().await,
        }
    }

    /// Acts on what was heard of a shell that runs nothing. A request that comes meanwhile waits, as a shell whose new
    /// start was given up half-way would be lost.
    async fn notice(&mut self, heard: Heard) {
        let Some(session) = &mut self.session else { return };
        match heard {
            Heard::Output(bytes) => self.tell(ShellEvent::Output(bytes)),
            Heard::Mark(Mark::Prompt) if session.may_rearm() => session.rearm(),
            Heard::Mark(Mark::Prompt) => {
                if let Err(error) = self.restart(RestartCause::Dumb).await {
                    tracing::warn!(%error, "the live shell did not start again");
                }
            }
            Heard::Mark(Mark::End | Mark::Started | Mark::More) => {}
            Heard::Stopped => session.go_on(),
            Heard::Ended(exit) => {
                let cause = match session.was_ready() {
                    true => RestartCause::Died(exit),
                    false => RestartCause::StartUpFiles,
                };
                if let Err(error) = self.restart(cause).await {
                    tracing::warn!(%error, "the live shell did not start again");
                }
            }
        }
    }

    /// Tells the owner, unless nobody listens or reads.
    pub(crate) fn tell(&self, event: ShellEvent) {
        let _ = self.events.try_send(event);
    }

    async fn start_session(&mut self) -> Result<(), ShellError> {
        self.session = Some(Session::start(&self.options, &self.rc).await?);
        Ok(())
    }

    /// The shell at its prompt, or the reason why there is none.
    pub(crate) fn session(&mut self) -> Result<&mut Session, ShellError> {
        match (self.exited, &mut self.session) {
            (true, _) => Err(ShellError::Exited),
            (false, Some(session)) => Ok(session),
            (false, None) => Err(ShellError::NoPrompt),
        }
    }

    /// Puts a new shell in the place of the old one, in its folder, and tells why.
    pub(crate) async fn restart(&mut self, cause: RestartCause) -> Result<(), ShellError> {
        // Before anything is waited for, so that a command that is given up meanwhile leaves it to the next one to start
        // the shell as it is to be started.
        let folder = self.folder();
        if folder.is_some() {
            self.options.cwd.clone_from(&folder);
        }
        if let Some(session) = self.session.as_ref().filter(|session| session.was_ready()) {
            // What was exported lasts; functions, aliases and jobs cannot.
            for (name, value) in &session.report.environment {
                if !matches!(name.as_str(), "_" | "SHLVL" | "PWD" | "OLDPWD") {
                    self.options.environment.set(name, value);
                }
            }
        }
        let without_files = self.rc == Rc::Skip;
        if cause == RestartCause::StartUpFiles {
            self.rc = Rc::Skip;
        }
        if let Some(session) = self.session.take() {
            session.stop(Duration::from_millis(100)).await;
        }
        if cause == RestartCause::StartUpFiles && without_files {
            return Err(ShellError::NoPrompt);
        }
        let started = match self.start_session().await {
            // The folder may be gone.
            Err(_) if self.options.cwd.take().is_some() => self.start_session().await,
            started => started,
        };
        self.tell(ShellEvent::Restarted { cause, folder });
        started
    }

    /// The folder that the shell was last known to be in.
    fn folder(&self) -> Option<PathBuf> {
        let known = self.session.as_ref().map(|session| session.report.cwd.clone());
        known.filter(|folder| folder.is_absolute())
    }

    /// Ends the shell for good, after an `exit` that a person typed.
    pub(crate) async fn leave(&mut self) {
        self.exited = true;
        if let Some(session) = self.session.take() {
            session.stop(PATIENCE).await;
        }
    }

    /// Waits until the shell is at its prompt. Meanwhile the start-up files have the user's terminal, if one is there.
    pub(crate) async fn become_ready(&mut self, passage: &mut Passage) -> Result<(), ShellError> {
        if self.exited {
            return Err(ShellError::Exited);
        }
        if self.session.is_none() {
            self.start_session().await?;
        }
        let attendance = Arc::clone(&self.attendance);
        // Who sees what start-up files ask has Ctrl-C.
        let mut is_attended = false;
        loop {
            let start_limit = self.options.start_limit;
            let alone = self.options.program.len() == 1;
            let session = self.session()?;
            let (limit, cause) = match session.was_ready() {
                true => (COME_BACK, RestartCause::Stuck),
                false => (start_limit, RestartCause::StartUpFiles),
            };
            if session.at_prompt {
                return Ok(());
            }
            let look = sleep_until(Instant::now() + LOOK);
            tokio::select! {
                heard = session.hear(), if passage.is_clear() => match heard {
                    Heard::Output(bytes) if passage.is_watched() => passage.show(&bytes),
                    Heard::Output(bytes) => self.tell(ShellEvent::Output(bytes)),
                    Heard::Mark(Mark::Prompt) if session.may_rearm() => session.rearm(),
                    Heard::Mark(Mark::Prompt) => self.restart(RestartCause::Dumb).await?,
                    Heard::Mark(Mark::End | Mark::Started | Mark::More) => {}
                    Heard::Stopped => session.go_on(),
                    Heard::Ended(_) => self.restart(cause).await?,
                },
                at_terminal = passage.next() => match at_terminal {
                    AtTerminal::Keys => {
                        let typed = session.line.try_type(&passage.keys).unwrap_or(passage.keys.len());
                        passage.keys.drain(..typed);
                    }
                    AtTerminal::Resized(size) => drop(session.line.resize(size)),
                    AtTerminal::Shown | AtTerminal::HungUp => {}
                },
                terminal = attendance.taken(), if !passage.is_watched() && !session.was_ready() => {
                    *passage = Passage::open(Some(&terminal));
                    drop(session.line.resize(terminal.size()));
                    is_attended = true;
                }
                () = look => {
                    if (!is_attended && session.since.elapsed() > limit) || (alone && is_another_program(session.pid())) {
                        self.restart(cause).await?;
                    }
                }
            }
        }
    }

    async fn ask(&mut self, script: &str, limit: Duration) -> Result<Vec<u8>, ShellError> {
        self.become_ready(&mut Passage::open(None)).await?;
        self.session()?.ask(script, limit).await
    }

    /// The values that the owner wants to know, as far as the shell, which must be at its prompt, tells them.
    pub(crate) async fn told(&mut self) -> Told {
        let wanted = self.options.wanted.clone();
        let Ok(session) = self.session() else { return Told::default() };
        let Report { variables, environment, .. } = &session.report;
        let mut told = Told::of_environment(environment, &wanted);
        let query = Told::query(variables, environment, &wanted).filter(|_| session.at_prompt);
        if let Some(query) = query
            && let Ok(answer) = session.ask(&query, LIST_LIMIT).await
        {
            told.add(&answer);
        }
        told
    }

    async fn snapshot(&mut self) -> Result<Snapshot, ShellError> {
        let answer = self.ask(Snapshot::QUERY, LIST_LIMIT).await?;
        let told = self.told().await;
        let report = &self.session()?.report;
        Ok(Snapshot {
            told,
            variables: report.variables.iter().filter(|name| !name.starts_with("__aish_")).cloned().collect(),
            environment: report.environment.clone(),
            cwd: report.cwd.clone(),
            status: report.status,
            ..Snapshot::read(&answer)
        })
    }
}

/// Says whether a start-up file put a program that is no bash in the shell's place.
fn is_another_program(pid: u32) -> bool {
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    program
        .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .is_some_and(|name| !name.contains("bash"))
}
