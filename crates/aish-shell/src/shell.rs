//! The live shell as its owner sees it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::attendance::{Attendance, Attending};
use crate::command_result::CommandResult;
use crate::completion::{self, Completion};
use crate::event::ShellEvent;
use crate::options::Options;
use crate::running::Keeper;
use crate::snapshot::Snapshot;
use crate::state::ShellState;
use crate::surroundings::Surroundings;
use crate::user_terminal::UserTerminal;

/// Why the live shell could not do something.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// The shell could not be started.
    #[error("the shell cannot be started")]
    Start {
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The shell was started and came to no prompt, with and without its start-up files.
    #[error("the shell came to no prompt")]
    NoPrompt,
    /// The shell has exited.
    #[error("the shell has exited")]
    Exited,
    /// The shell gave no answer in time.
    #[error("the shell gave no answer in time")]
    NoAnswer,
    /// A NUL byte, which no shell can be given.
    #[error("a NUL byte in the command")]
    Nul,
    /// The shell's terminal failed.
    #[error("the shell's terminal failed")]
    Terminal {
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// What the shell's task is asked to do.
pub(crate) enum Request {
    Ready(oneshot::Sender<Result<(), ShellError>>),
    Run { command: String, surroundings: Surroundings, reply: oneshot::Sender<Result<CommandResult, ShellError>> },
    Ask { script: String, limit: Duration, reply: oneshot::Sender<Result<Vec<u8>, ShellError>> },
    Snapshot(oneshot::Sender<Result<Snapshot, ShellError>>),
}

/// The live shell: one bash whose state lasts from command to command.
///
/// Commands run one after the other; a second one waits for the first. Dropped, it hangs up in the background;
/// [`Shell::stop`] waits until nothing of the shell's session is left.
#[derive(Debug)]
pub struct Shell {
    requests: mpsc::Sender<Request>,
    events: Option<mpsc::Receiver<ShellEvent>>,
    attendance: Arc<Attendance>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Shell {
    /// Starts a shell in the background and returns at once. Needs a tokio runtime with I/O and time.
    pub fn start(options: Options) -> Self {
        let (requests, inbox) = mpsc::channel(16);
        let (outbox, events) = mpsc::channel(256);
        let stop = CancellationToken::new();
        let attendance = Arc::default();
        let keeper = Keeper::new(options, outbox, Arc::clone(&attendance));
        let task = tokio::spawn(keeper.serve(inbox, stop.clone()));
        Self { requests, events: Some(events), attendance, stop, task }
    }

    /// Takes the stream of what happens outside commands; it may be left.
    pub fn take_events(&mut self) -> Option<mpsc::Receiver<ShellEvent>> {
        self.events.take()
    }

    /// Gives start-up files that have not led to a prompt yet a terminal, so that they can ask for something. They may take as
    /// long as they like then.
    pub fn attend(&self, terminal: &Arc<UserTerminal>) -> Attending {
        Attending::offer(&self.attendance, terminal)
    }

    /// Waits until the shell is at its prompt.
    ///
    /// # Errors
    /// When it came to none, or has exited.
    pub async fn ready(&self) -> Result<(), ShellError> {
        self.request(Request::Ready).await
    }

    /// Runs a command at the shell's top level.
    ///
    /// # Errors
    /// When the command holds a NUL byte, or there is no shell to run it. A command that fails is a result.
    pub async fn run(&self, command: &str, surroundings: Surroundings) -> Result<CommandResult, ShellError> {
        if command.contains('\0') {
            return Err(ShellError::Nul);
        }
        let command = command.to_owned();
        self.request(|reply| Request::Run { command, surroundings, reply }).await
    }

    /// Takes a fresh snapshot of the names that the shell knows and of its environment.
    ///
    /// # Errors
    /// When there is no shell, or it gave no answer.
    pub async fn snapshot(&self) -> Result<Snapshot, ShellError> {
        self.request(Request::Snapshot).await
    }

    /// Takes what another bash needs to be like this one; 5 s at most.
    ///
    /// # Errors
    /// When there is no shell, or it gave no answer that can be read.
    pub async fn state(&self) -> Result<ShellState, ShellError> {
        let (script, limit) = (crate::state::SCRIPT.to_owned(), Duration::from_secs(5));
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        ShellState::read(&answer).ok_or(ShellError::NoAnswer)
    }

    /// Lists the jobs that run or are stopped, a line each as `jobs` shows them.
    ///
    /// # Errors
    /// When there is no shell, or it gave no answer.
    pub async fn jobs(&self) -> Result<Vec<String>, ShellError> {
        let (script, limit) = ("\\builtin jobs -r; \\builtin jobs -s".to_owned(), Duration::from_secs(2));
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        Ok(text.lines().map(str::trim_end).filter(|line| line.starts_with('[')).map(str::to_owned).collect())
    }

    /// Lists the lines of the shell's own history, oldest first. 2 s at most.
    ///
    /// # Errors
    /// When there is no shell, or it gave no answer.
    pub async fn history_list(&self) -> Result<Vec<String>, ShellError> {
        let script = "function __aish_list { \\builtin local HISTTIMEFORMAT=; \\builtin history; }\n__aish_list\n\
                      \\builtin unset -f __aish_list"
            .to_owned();
        let limit = Duration::from_secs(2);
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        Ok(listed(&String::from_utf8_lossy(&answer)))
    }

    /// Expands what a line says of the shell's history (`!!`, `!$:h`, `^a^b`); `None` where the history has no such event, or
    /// the event no such words. A shell with `histexpand` switched off leaves the line as it is. 2 s at most.
    ///
    /// # Errors
    /// When there is no shell, it gave no answer, or the line holds a NUL byte.
    pub async fn expand_history(&self, line: &str) -> Result<Option<String>, ShellError> {
        if line.contains('\0') {
            return Err(ShellError::Nul);
        }
        let quoted = format!("'{}'", line.replace('\'', r"'\''"));
        // In a subshell, as `history -p` takes off the list what it holds for its own command.
        let script = format!(
            "if [[ -o histexpand ]]; then ( \\builtin history -p -- {quoted} && \\builtin printf '\\0' )\n\
             else \\builtin printf '%s\\n\\0' {quoted}; fi"
        );
        let limit = Duration::from_secs(2);
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        Ok(answer.strip_suffix(b"\n\0").and_then(|text| String::from_utf8(text.to_vec()).ok()))
    }

    /// Returns the value of a variable, exported or not; none of one that is not set, or of what is no name. 2 s at most.
    ///
    /// # Errors
    /// When there is no shell, or it gave no answer.
    pub async fn value_of(&self, name: &str) -> Result<Option<String>, ShellError> {
        let is_name = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
        if !is_name {
            return Ok(None);
        }
        let script = format!("[[ -v {name} ]] && \\builtin printf '%s\\0' \"${name}\"");
        let limit = Duration::from_secs(2);
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        Ok(answer.strip_suffix(b"\0").and_then(|value| String::from_utf8(value.to_vec()).ok()))
    }

    /// Tells what bash tells of jobs before a prompt: those that have ended since it last did, a line each, and how many run or
    /// are stopped now. 2 s at most.
    ///
    /// # Errors
    /// When there is no shell, or it gave no answer.
    pub async fn job_news(&self) -> Result<(Vec<String>, usize), ShellError> {
        let script = "\\builtin jobs -n; \\builtin printf '\\0'; \\builtin jobs -r; \\builtin printf '\\0'; \
                      \\builtin jobs -rp; \\builtin jobs -sp"
            .to_owned();
        let limit = Duration::from_secs(2);
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        let text = String::from_utf8_lossy(&answer);
        let mut parts = text.split('\0');
        let (Some(news), Some(running), Some(left)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(ShellError::NoAnswer);
        };
        Ok((ended(news, running), left.lines().count()))
    }

    /// Expands the prompt that the start-up files or the person set (`PS1`), as it stands after a command that ended with
    /// this status; empty where there is none, and before bash 4.4. 2 s at most.
    ///
    /// # Errors
    /// When there is no shell, or it gave no answer.
    pub async fn prompt(&self, status: i32) -> Result<String, ShellError> {
        let limit = Duration::from_secs(2);
        let status = status.clamp(0, 255);
        let script = format!(
            "function __aish_status_of {{ \\builtin return {status}; }}\n__aish_status_of\n\
             \\builtin printf '%s' \"${{__aish_ps1@P}}\"\n\\builtin unset -f __aish_status_of\n"
        );
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Asks bash's programmable completion about a line; `point` is the byte that the cursor is before. Answers
    /// nothing where no completion is defined for the line's command. 2 s at most.
    ///
    /// # Errors
    /// When there is no shell, or the completion function gave no answer.
    pub async fn complete(&self, line: &str, point: usize) -> Result<Vec<Completion>, ShellError> {
        let Some(query) = completion::Query::new(line, point) else { return Ok(Vec::new()) };
        let script = query.script();
        let limit = Duration::from_secs(2);
        let answer = self.request(|reply| Request::Ask { script, limit, reply }).await?;
        Ok(query.read(&answer))
    }

    /// Ends the shell as a closing terminal does: HUP to it and its jobs, and after a second KILL to what is left.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let _ = (&mut self.task).await;
    }

    async fn request<T>(
        &self,
        make: impl FnOnce(oneshot::Sender<Result<T, ShellError>>) -> Request,
    ) -> Result<T, ShellError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(make(reply)).await.map_err(|_| ShellError::Exited)?;
        answer.await.map_err(|_| ShellError::Exited)?
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Returns the lines of `jobs -n` that are not of jobs that run: those that were just started are among them.
fn ended(news: &str, running: &str) -> Vec<String> {
    let number =
        |line: &str| line.split_once(']').filter(|_| line.starts_with('[')).map(|(number, _)| number.to_owned());
    let running: Vec<String> = running.lines().filter_map(number).collect();
    let mut is_told = false;
    let told = news.lines().filter(|line| {
        // A command of several lines goes on below its first.
        if let Some(number) = number(line) {
            is_told = !running.contains(&number);
        }
        is_told
    });
    told.map(|line| line.trim_end().to_owned()).collect()
}

/// Takes the output of `history` apart: a number, `*` where the line was changed, and the line, which may go on.
fn listed(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for row in text.lines() {
        let bare = row.trim_start();
        let behind = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let line =
            behind.strip_prefix("  ").or_else(|| behind.strip_prefix("* ")).filter(|_| behind.len() < bare.len());
        match (line, lines.last_mut()) {
            (Some(line), _) => lines.push(line.to_owned()),
            (None, Some(last)) => {
                last.push('\n');
                last.push_str(row);
            }
            (None, None) => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{ended, listed};

    #[test]
    fn jobs_that_run_are_no_news() {
        let news = "[1]   Running   sleep 9 &\n[2]-  Done      for i in 1\ndo x\n[3]+  Running   a\nb\n";
        assert_eq!(ended(news, "[1]   Running\n[3]+  Running   a\nb\n"), ["[2]-  Done      for i in 1", "do x"]);
    }

    #[test]
    fn the_list_is_taken_apart() {
        assert_eq!(
            listed("    1  ls\n    2* cd x\n  103  for i in 1\ndo x\ndone\n"),
            ["ls", "cd x", "for i in 1\ndo x\ndone"]
        );
        assert_eq!(listed(""), [""; 0]);
    }
}
