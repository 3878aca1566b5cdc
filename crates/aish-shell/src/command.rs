//! One command in the live shell, from its sending to its end mark.

use std::io;
use std::time::Duration;

use aish_process::{Capture, Captured, Exit};
use rustix::process::{Signal, kill_process_group};
use tokio::time::{Instant, sleep_until};

use crate::alternate_screen::AlternateScreen;
use crate::command_result::{CommandResult, Ending};
use crate::event::RestartCause;
use crate::left_modes::LeftModes;
use crate::mark::Mark;
use crate::options::Size;
use crate::passage::{AtTerminal, Passage};
use crate::running::Keeper;
use crate::session::{Heard, Session};
use crate::shell::ShellError;
use crate::stops::stop_this_process;
use crate::surroundings::{AtExit, Surroundings};
use crate::told::Told;

/// How often a command that nobody watches is looked at: when it reads the terminal, it is told that there is nothing.
const END_OF_INPUT: Duration = Duration::from_millis(200);

/// How long the shell may take until it says that a command begins to run. A Ctrl-C that comes before would cut its reading of
/// the command off, and the rest would be read as the next one.
const TAKEN: Duration = Duration::from_secs(1);

/// For how long after its start a command's first process may not be in place.
const MISSES_INTERRUPTS: Duration = Duration::from_millis(100);

/// How often and for how long it is looked whether a job began in spite of a Ctrl-C that the shell got itself.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
const LOOKS: u32 = 10;

/// Ctrl-C.
const INTERRUPT: &[u8] = b"\x03";

/// Comes before an exit that was refused once. Bash exits at the second one, but only right after the first, or after
/// `jobs`; between the two our hook has run.
const INSIST: &str = "\\builtin jobs >/dev/null; ";

/// What was heard of a command in all.
enum Outcome {
    End,
    Ended(Exit),
    Stuck,
    /// Its hook works no more, and nothing says when a command has ended.
    Dumb,
}

impl Outcome {
    /// Says how the command ended; `exits` says whether a shell that is gone was left.
    fn ending(&self, wish: Option<Ending>, exits: impl FnOnce(Exit) -> bool) -> Ending {
        match *self {
            Self::End => wish.unwrap_or(Ending::Completed),
            Self::Ended(exit) if exits(exit) => Ending::Exited,
            Self::Ended(exit) => Ending::Died(exit),
            Self::Stuck => wish.unwrap_or(Ending::Cancelled),
            Self::Dumb => Ending::Died(Exit::Cancelled),
        }
    }
}

/// What is kept of the output.
struct Keep {
    capture: Capture,
    screen: AlternateScreen,
    modes: LeftModes,
}

impl Keep {
    fn new(most: usize) -> Self {
        Self { capture: Capture::new(most), screen: AlternateScreen::default(), modes: LeftModes::default() }
    }

    /// Returns the output, and whether the other screen was used.
    fn finish(mut self) -> (Captured, bool) {
        self.capture.push(&self.screen.flush());
        (self.capture.finish(), self.screen.used)
    }
}

/// The steps from a wish to end a command to its end, and the time that each leaves the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopping {
    /// The shell has not begun to run the command.
    Wanted,
    /// It had just begun: bash misses an interrupt between its fork and the job's turn at the terminal.
    Early,
    /// Interrupted once; on a busy machine that may have been missed too.
    Interrupted,
    InterruptedAgain,
    Terminated,
    Killed,
}

impl Keeper {
    /// Runs a command.
    pub(crate) async fn run(
        &mut self,
        command: &str,
        surroundings: &Surroundings,
    ) -> Result<CommandResult, ShellError> {
        let started = Instant::now();
        let mut passage = Passage::open(surroundings.terminal.as_ref());
        let ended_before = tokio::select! {
            ready = self.become_ready(&mut passage) => ready.map(|()| None)?,
            () = surroundings.cancel.cancelled() => Some(Ending::Cancelled),
            () = at(surroundings.timeout.map(|limit| started + limit)) => Some(Ending::TimedOut),
        };
        if let Some(ending) = ended_before {
            return Ok(self.not_run(command, ending, passage));
        }
        if let Some(size) = passage.size() {
            self.options.size = size;
        }
        let (size, cap) = (self.options.size, self.options.output_cap);
        let refused_exit = std::mem::take(&mut self.refused_exit);
        let session = self.session()?;
        let before = session.report.clone();
        let insist = if refused_exit && is_exit(command) { INSIST } else { "" };
        let handed = hand_over(session, &mut passage, surroundings, size, &format!("{insist}{command}")).await;
        handed.map_err(|source| ShellError::Terminal { source })?;
        let mut keep = Keep::new(cap);
        let following = Following::new(session, &mut passage, &mut keep, surroundings, started);
        let (heard, wish) = following.follow().await;
        let folded = passage.unfold();
        // A program that was killed leaves the mouse on, or the other screen.
        passage.show(&keep.modes.back());
        passage.finish().await;
        let type_ahead = typed_ahead(session, passage);
        let (output, full_screen) = keep.finish();
        let leaves = surroundings.terminal.is_some() && surroundings.at_exit == AtExit::Leaves;
        let ending = heard.ending(wish, |exit| leaves && asked_to_exit(command, &output.text(), exit));
        let told = if matches!(heard, Outcome::End) { self.told().await } else { Told::default() };
        let report = &self.session()?.report;
        let (status, changed, kept) = match heard {
            Outcome::End => (report.status, report.changed_since(&before), report.kept),
            Outcome::Ended(exit) => (exit.shell_code(), Vec::new(), is_kept(command)),
            Outcome::Stuck | Outcome::Dumb => (137, Vec::new(), is_kept(command)),
        };
        let result = CommandResult {
            told,
            kept,
            jobs: report.jobs,
            status,
            cwd: report.cwd.clone(),
            output,
            full_screen,
            duration: started.elapsed(),
            changed,
            type_ahead,
            folded,
            ending,
        };
        self.go_on_after(command, heard, ending).await?;
        Ok(result)
    }

    /// Sees to it that there is a shell for the next command, unless the person left it.
    async fn go_on_after(&mut self, command: &str, heard: Outcome, ending: Ending) -> Result<(), ShellError> {
        match heard {
            Outcome::End => self.refused_exit = is_exit(command),
            Outcome::Ended(_) if ending == Ending::Exited => self.leave().await,
            Outcome::Ended(exit) => self.restart(RestartCause::Died(exit)).await?,
            Outcome::Stuck => self.restart(RestartCause::Stuck).await?,
            Outcome::Dumb => self.restart(RestartCause::Dumb).await?,
        }
        Ok(())
    }

    /// The result of a command that ended before the shell was ready for it.
    fn not_run(&mut self, command: &str, ending: Ending, passage: Passage) -> CommandResult {
        CommandResult {
            told: Told::default(),
            kept: is_kept(command),
            jobs: 0,
            status: 130,
            cwd: self.session().map(|session| session.report.cwd.clone()).unwrap_or_default(),
            output: Captured::default(),
            full_screen: false,
            duration: Duration::ZERO,
            changed: Vec::new(),
            type_ahead: passage.keys,
            folded: 0,
            ending,
        }
    }
}

/// Sends a command to the shell; what was typed before it has begun waits for it.
async fn hand_over(
    session: &mut Session,
    passage: &mut Passage,
    surroundings: &Surroundings,
    size: Size,
    command: &str,
) -> io::Result<()> {
    session.line.resize(size)?;
    let mut early = match passage.is_watched() {
        // What the shell's terminal has by now was typed while it came to its prompt, and so behind the keys.
        true => [surroundings.keys.clone(), session.take_type_ahead()?].concat(),
        false => session.line.discard_type_ahead().map(|()| Vec::new())?,
    };
    early.append(&mut passage.keys);
    passage.keys = early;
    passage.fold_behind(surroundings.rows);
    session.send(command).await
}

/// Returns what was typed while a command ran, and is not its own.
fn typed_ahead(session: &mut Session, mut passage: Passage) -> Vec<u8> {
    let mut keys = match passage.is_watched() {
        true => session.take_type_ahead().unwrap_or_default(),
        false => Vec::new(),
    };
    keys.append(&mut passage.keys);
    keys
}

/// Says whether the history keeps a command, where the shell did not say it.
fn is_kept(command: &str) -> bool {
    !command.starts_with([' ', '\t'])
}

/// A command that runs, until its end mark.
struct Following<'a> {
    session: &'a mut Session,
    passage: &'a mut Passage,
    keep: &'a mut Keep,
    surroundings: &'a Surroundings,
    started: Instant,
    /// By when the shell has taken the command, whatever it says.
    taken_by: Instant,
    /// Since when it runs the command.
    runs_since: Option<Instant>,
    /// Prompts of the shell's own that came.
    prompts: usize,
    /// Why the command is being ended.
    wish: Option<Ending>,
    /// The step that was taken towards its end, and when the next one is due.
    stopping: Option<(Stopping, Instant)>,
    /// The looks that are left after a Ctrl-C that may have been missed, and when the next one is due.
    looks: Option<(u32, Instant)>,
    end_of_input: Instant,
}

impl<'a> Following<'a> {
    fn new(
        session: &'a mut Session,
        passage: &'a mut Passage,
        keep: &'a mut Keep,
        surroundings: &'a Surroundings,
        started: Instant,
    ) -> Self {
        let now = Instant::now();
        Self {
            session,
            passage,
            keep,
            surroundings,
            started,
            taken_by: now + TAKEN,
            runs_since: None,
            prompts: 0,
            wish: None,
            stopping: None,
            looks: None,
            end_of_input: now + END_OF_INPUT,
        }
    }

    /// Moves bytes until the command's end mark.
    async fn follow(mut self) -> (Outcome, Option<Ending>) {
        loop {
            let taken = self.is_taken();
            let next_step = self.stopping.map(|(_, at)| at);
            let limit = self.surroundings.timeout.map(|limit| self.started + limit);
            let time_is_up = limit.filter(|_| self.stopping.is_none());
            tokio::select! {
                heard = self.session.hear(), if self.passage.is_clear() => {
                    if let Some(outcome) = self.hear(heard) {
                        return (outcome, self.wish);
                    }
                }
                at_terminal = self.passage.next() => self.attend(at_terminal),
                () = self.surroundings.cancel.cancelled(), if self.stopping.is_none() => self.end(Ending::Cancelled),
                () = at(time_is_up) => self.end(Ending::TimedOut),
                () = std::future::ready(()), if taken && matches!(self.stopping, Some((Stopping::Wanted, _))) => {
                    self.stopping = Some(stop(self.session, Some(Stopping::Wanted)));
                }
                () = at(self.looks.map(|(_, at)| at)) => self.looks = look_again(self.session, self.looks),
                () = at(next_step) => match self.stopping {
                    Some((Stopping::Killed, _)) => return (Outcome::Stuck, self.wish),
                    Some((step, _)) => self.stopping = Some(stop(self.session, Some(step))),
                    None => {}
                },
                () = sleep_until(self.end_of_input), if self.surroundings.terminal.is_none() => {
                    // A shell that lost its hook reads a command, and would take this for the end of everything.
                    if self.prompts < 2 && is_reading_the_terminal(self.session) {
                        self.session.line.end_input();
                    }
                    self.end_of_input = Instant::now() + END_OF_INPUT;
                }
            }
        }
    }

    /// Says whether the shell runs the command by now, as far as it tells.
    fn is_taken(&self) -> bool {
        self.runs_since.is_some() || Instant::now() >= self.taken_by
    }

    /// Takes in what was heard of the shell; returns how the command ended, once it has.
    fn hear(&mut self, heard: Heard) -> Option<Outcome> {
        match heard {
            // Once the hook is put back, the user's own prompt commands run a second time.
            Heard::Output(_) if self.prompts > 1 => {}
            // A shell that edits its lines shows the one that makes it run the command.
            Heard::Output(_) if self.session.report.edits && self.runs_since.is_none() => {}
            Heard::Output(bytes) => {
                self.keep.modes.feed(&bytes);
                self.keep.capture.push(&self.keep.screen.feed(&bytes));
                self.passage.show(&bytes);
            }
            Heard::Mark(Mark::End) => return self.session.at_prompt.then_some(Outcome::End),
            // The first one comes before the command; another one is the shell's only without its hook. A shell within
            // this one has prompts of its own.
            Heard::Mark(Mark::Prompt) if is_the_shell(self.session) => {
                self.prompts += 1;
                if !self.session.report.tells_start {
                    self.begins();
                }
                if self.prompts > 1 {
                    if !self.session.may_rearm() {
                        return Some(Outcome::Dumb);
                    }
                    self.session.rearm();
                }
            }
            Heard::Mark(Mark::Prompt) => {}
            Heard::Mark(Mark::Started) => self.begins(),
            Heard::Mark(Mark::More) => {
                self.begins();
                if !self.passage.is_watched() {
                    let _ = self.session.line.try_type(INTERRUPT);
                }
            }
            Heard::Stopped => self.stop_as_it_did(),
            Heard::Ended(exit) => return Some(Outcome::Ended(exit)),
        }
        None
    }

    /// Stops this process as the shell stopped itself, with `suspend` or a signal: whoever continues this one continues both.
    fn stop_as_it_did(&mut self) {
        // What it has left to do waits on its terminal until this process is back.
        self.session.go_on();
        if self.passage.is_watched() && !stop_this_process() {
            self.passage.show(b"[aish] the shell stopped itself, and goes on: nothing would continue it\r\n");
        }
    }

    fn begins(&mut self) {
        self.runs_since.get_or_insert_with(Instant::now);
    }

    /// Takes in what happened at the person's terminal.
    fn attend(&mut self, at_terminal: AtTerminal) {
        match at_terminal {
            AtTerminal::Keys if !self.is_taken() => {}
            AtTerminal::Keys => {
                let may_miss = is_yet_to_begin(self.session);
                let keys = &mut self.passage.keys;
                let typed = self.session.line.try_type(keys).unwrap_or(keys.len());
                if keys.drain(..typed).any(|key| INTERRUPT.contains(&key)) && may_miss {
                    self.looks = Some((LOOKS, Instant::now() + LOOK_AGAIN));
                }
            }
            AtTerminal::Resized(size) => drop(self.session.line.resize(size)),
            AtTerminal::Shown => {}
            AtTerminal::HungUp => self.end(Ending::Cancelled),
        }
    }

    /// Takes the first step towards the end of the command, or waits until the shell has taken it.
    fn end(&mut self, why: Ending) {
        let just_begun = self.runs_since.is_some_and(|since| since.elapsed() < MISSES_INTERRUPTS);
        self.wish = Some(why);
        self.stopping = Some(match self.is_taken() {
            false => (Stopping::Wanted, Instant::now() + TAKEN),
            true if just_begun => stop(self.session, Some(Stopping::Wanted)),
            true => stop(self.session, None),
        });
    }
}

/// Sends a Ctrl-C again to a job that began in spite of it: bash misses one between a builtin and the next job's turn at the
/// terminal. Says how many looks are left, and when the next one is due.
fn look_again(session: &Session, looks: Option<(u32, Instant)>) -> Option<(u32, Instant)> {
    if !is_yet_to_begin(session) {
        let _ = session.line.try_type(INTERRUPT);
        return None;
    }
    let (left, _) = looks?;
    (left > 1).then(|| (left - 1, Instant::now() + LOOK_AGAIN))
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Says whether the shell itself, and none of its jobs, has the terminal.
fn is_the_shell(session: &Session) -> bool {
    let foreground = session.line.foreground();
    foreground.is_none_or(|group| group.as_raw_nonzero().get().unsigned_abs() == session.pid())
}

/// Says whether the terminal is the shell's, or that of a job of its that has not become another program: until then a Ctrl-C
/// may be missed.
fn is_yet_to_begin(session: &Session) -> bool {
    let Some(group) = session.line.foreground() else { return true };
    let command = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).ok();
    let leader = group.as_raw_nonzero().get().unsigned_abs();
    leader == session.pid() || command(leader).is_some_and(|line| Some(line) == command(session.pid()))
}

/// Says whether the foreground job waits for its terminal, as far as the kernel tells.
fn is_reading_the_terminal(session: &Session) -> bool {
    let Some(group) = session.line.foreground() else { return false };
    match std::fs::read_to_string(format!("/proc/{}/wchan", group.as_raw_nonzero())) {
        Ok(place) => matches!(place.trim(), "wait_woken" | "n_tty_read" | "0" | ""),
        // The first process of a pipe may have ended.
        Err(_) => true,
    }
}

/// Takes the next step towards the end of a command, and says when the one after it is due.
fn stop(session: &Session, done: Option<Stopping>) -> (Stopping, Instant) {
    let signal_job = |signal| {
        if let Some(group) = session.line.foreground()
            && !is_the_shell(session)
        {
            let _ = kill_process_group(group, signal);
        }
    };
    match done {
        Some(Stopping::Wanted) => {
            let _ = session.line.try_type(INTERRUPT);
            (Stopping::Early, Instant::now() + MISSES_INTERRUPTS)
        }
        None | Some(Stopping::Early) => {
            let _ = session.line.try_type(INTERRUPT);
            (Stopping::Interrupted, Instant::now() + Duration::from_millis(500))
        }
        Some(Stopping::Interrupted) => {
            let _ = session.line.try_type(INTERRUPT);
            (Stopping::InterruptedAgain, Instant::now() + Duration::from_millis(500))
        }
        Some(Stopping::InterruptedAgain) => {
            signal_job(Signal::TERM);
            session.interrupt();
            (Stopping::Terminated, Instant::now() + Duration::from_secs(2))
        }
        Some(Stopping::Terminated | Stopping::Killed) => {
            signal_job(Signal::KILL);
            (Stopping::Killed, Instant::now() + Duration::from_secs(1))
        }
    }
}

fn is_exit(command: &str) -> bool {
    matches!(command.split_whitespace().next(), Some("exit" | "logout"))
}

/// Says whether a shell that ended did so because it was told to: an interactive bash says `exit` or `logout` when it
/// is, and so does the command as a rule.
fn asked_to_exit(command: &str, output: &str, exit: Exit) -> bool {
    let is_word = |word: &str| word == "exit" || word == "logout";
    let said = || output.lines().rev().take(20).any(|line| is_word(line.trim()));
    let typed = || command.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').any(is_word);
    matches!(exit, Exit::Code(_)) && (said() || typed())
}
