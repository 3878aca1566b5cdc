//! Text for a person: the answer on standard output, everything else on standard error.

mod waiting;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

use aish_safety::{Judgement, UNRECORDED};
use aish_term::capability::terminal_size;
use aish_term::frame::{Ending, Frames};
use aish_term::message::columns_of;
use aish_term::spinner::Spinner;
use aish_term::{Capabilities, Markdown, Theme};
use aish_turn::{Checked, End, command_line};
use aish_types::{ToolCall, ToolName, ToolOutcome, head_and_tail, sanitize};

use super::proposals::Proposals;
use super::{Shown, Surface};
use crate::config::section::Thoughts;
use crate::output::Output;
use crate::shell_tool::{SHELL, exit_line};

/// How much is said beside the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// Calls, results and status lines.
    Normal,
    /// The answer alone; failures all the same.
    Quiet,
}

/// Who shows commands and what they print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commands {
    /// The commands themselves, at the person's terminal.
    Live,
    /// What they printed is shown when they are done.
    Printed,
    /// The same, between a line before it and one after it: in a run of Norris.
    Framed,
}

/// The tool whose result is the list of steps, which is shown whole.
const STEPS: &str = "todo";

/// How many bytes of an answer are held back at most.
const HELD: usize = 8 * 1024;

/// How long a terminal's size is taken for known while an answer streams.
const SIZE_KNOWN: Duration = Duration::from_millis(50);

/// Characters of a command's output that are shown of a run; the model and the log get more.
const SHOWN: usize = 2000;

/// Writes a turn for a person.
pub struct TextSurface {
    theme: Theme,
    out: Capabilities,
    err: Capabilities,
    frames: Frames,
    verbosity: Verbosity,
    markdown_wanted: bool,
    markdown: Option<Markdown>,
    spinner: Option<Spinner>,
    commands: Commands,
    /// What the answer proposes.
    proposals: Proposals,
    /// The commands of calls that were told of and have not ended.
    calls: VecDeque<String>,
    /// True while what was last written to standard output did not end its line.
    open_line: bool,
    /// How many cells an open line has that went through as it came.
    column: usize,
    /// Drawn pieces of the answer that came at once, and are written at once.
    held: String,
    /// When the terminal was last asked for its size.
    measured: Option<Duration>,
    thoughts: Thoughts,
    /// The line of reasoning that runs, and when it was drawn last.
    thought: String,
    thought_drawn: Option<Duration>,
    /// When the last piece of the answer that streams came; `None` before its first and after its end.
    heard: Option<Duration>,
}

impl TextSurface {
    /// Makes a surface over the two standard streams.
    pub fn new(theme: Theme, out: Capabilities, err: Capabilities, verbosity: Verbosity, markdown: bool) -> Self {
        let frames = Frames::new(theme.clone(), err);
        Self {
            theme,
            out,
            err,
            frames,
            verbosity,
            markdown_wanted: markdown,
            markdown: None,
            spinner: None,
            commands: Commands::Printed,
            proposals: if markdown && out.live { Proposals::parted() } else { Proposals::default() },
            calls: VecDeque::new(),
            open_line: false,
            column: 0,
            held: String::new(),
            measured: None,
            thoughts: Thoughts::Line,
            thought: String::new(),
            thought_drawn: None,
            heard: None,
        }
    }

    /// Leaves the output of commands to the terminal that they run at.
    #[must_use]
    pub fn with_live_commands(mut self) -> Self {
        self.commands = Commands::Live;
        self
    }

    /// Sets how the model's reasoning is shown.
    #[must_use]
    pub fn with_thoughts(mut self, thoughts: Thoughts) -> Self {
        self.thoughts = thoughts;
        self
    }

    /// Makes a surface like this one for an autonomous run.
    pub fn of_run(&self) -> Self {
        let mut surface = Self::new(self.theme.clone(), self.out, self.err, self.verbosity, self.markdown_wanted);
        surface.commands = Commands::Framed;
        surface.thoughts = self.thoughts;
        surface
    }

    /// Shows what a command of an autonomous run printed, head and tail, and how it ended.
    fn framed(&mut self, outcome: &ToolOutcome, took: Duration) {
        let status = outcome.exit.as_ref().map(|exit| exit.code);
        let text = sanitize(&outcome.text);
        let text = status.and_then(|code| text.rsplit_once(&exit_line(code))).map_or(&*text, |(text, _)| text);
        self.write_err(&head_and_tail(text, SHOWN).text);
        let end = match status {
            Some(status) => self.frames.exec_end(status, took),
            None => Some(self.frames.tool_end(Ending::Failed, "", took)),
        };
        if let Some(line) = end {
            self.write_err(&line);
        }
    }

    /// Holds a text back until [`Surface::flush`], or until it is long.
    fn hold(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.held.push_str(text);
        self.open_line = !text.ends_with('\n');
        if self.held.len() > HELD {
            self.release();
        }
    }

    /// Writes what was held back.
    fn release(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let mut out = Output;
        // A reader that went away is no fault of the turn.
        let _ = out.write_all(self.held.as_bytes());
        let _ = out.flush();
        self.held.clear();
    }

    fn write_out(&mut self, text: &str) {
        self.hold(text);
        self.release();
    }

    fn write_err(&mut self, text: &str) {
        self.release();
        self.clear_spinner();
        let mut err = io::stderr().lock();
        let _ = err.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = err.write_all(b"\n");
        }
        let _ = err.flush();
    }

    /// Takes in that the terminal was resized, also in the middle of an answer.
    fn follow_size(&mut self, now: Duration) {
        let known = self.measured.is_some_and(|at| now.saturating_sub(at) < SIZE_KNOWN);
        if known || !(self.out.live || self.err.live) {
            return;
        }
        self.measured = Some(now);
        let Some((width, height)) = terminal_size() else { return };
        if (self.out.width, self.out.height) == (width, height) {
            return;
        }
        (self.out.width, self.out.height) = (width, height);
        (self.err.width, self.err.height) = (width, height);
        self.frames.resize(width);
        if let Some(markdown) = &mut self.markdown {
            markdown.resize(width, height);
        }
    }

    fn end_answer(&mut self) {
        self.clear_spinner();
        let waiting = self.proposals.end();
        self.draw(&waiting, Duration::ZERO);
        if let Some(mut markdown) = self.markdown.take() {
            let mut text = String::new();
            markdown.finish(&mut text);
            self.write_out(&text);
        }
        if self.open_line {
            self.write_out("\n");
        }
        self.release();
    }

    /// Shows a piece of the answer. A proposal is no part of it: it is shown where it is asked about, run or left out.
    fn push(&mut self, piece: &str, now: Duration) {
        self.clear_spinner();
        let rest = self.proposals.without(piece);
        self.draw(&rest, now);
    }

    fn draw(&mut self, piece: &str, now: Duration) {
        if piece.is_empty() {
            return;
        }
        if !self.markdown_wanted {
            let text = sanitize(piece);
            self.column = waiting::column_behind(if self.open_line { self.column } else { 0 }, &text);
            self.hold(&text);
            return;
        }
        self.follow_size(now);
        let mut text = String::new();
        let markdown = self
            .markdown
            .get_or_insert_with(|| Markdown::new(self.theme.clone(), self.out).with_commands(command_line::MARK));
        markdown.push(piece, now, &mut text);
        self.hold(&text);
    }

    /// Takes in the terminal's width as it is now.
    fn measure(&mut self) {
        if let Some(columns) = columns_of(io::stderr()) {
            self.frames.resize(u16::try_from(columns).unwrap_or(u16::MAX));
        }
    }

    fn status(&mut self, text: &str) {
        self.measure();
        let line = self.frames.status(text);
        self.write_err(&line);
    }

    fn warn(&mut self, text: &str) {
        self.measure();
        let line = self.frames.warning(text);
        self.write_err(&line);
    }

    /// Says why a call was not run.
    fn not_run(&mut self, tool: &ToolName, judgement: &Judgement) {
        self.end_answer();
        if tool.as_str() == SHELL
            && let Some(command) = self.calls.pop_back()
        {
            self.write_err(&self.frames.exec_begin(&command));
        }
        // What cannot be written down is not run for anybody.
        let nobody = if &*judgement.rule == UNRECORDED { "" } else { "; nobody is here to approve it" };
        self.warn(&format!("{tool} was not run: {} ({}){nobody}", judgement.reason, judgement.rule));
    }

    fn calling(&mut self, call: &ToolCall) {
        self.end_answer();
        let command = (call.name.as_str() == SHELL).then(|| command_of(&call.arguments));
        match (command, call.name.as_str()) {
            (None, STEPS) => {}
            (None, name) => self.write_err(&self.frames.tool_begin(name, &call.arguments)),
            (Some(command), _) => match self.commands {
                Commands::Live => {}
                Commands::Printed => self.calls.push_back(command),
                Commands::Framed => self.write_err(&self.frames.exec_begin(&command)),
            },
        }
    }

    fn outcome(&mut self, tool: &ToolName, outcome: &ToolOutcome) {
        let took = Duration::from_millis(outcome.duration_ms);
        if tool.as_str() == STEPS && outcome.is_success() {
            return self.status(&sanitize(&outcome.text));
        }
        if tool.as_str() != SHELL {
            let ending = if outcome.is_success() { Ending::Done } else { Ending::Failed };
            let line = self.frames.tool_end(ending, &outcome.text, took);
            return self.write_err(&line);
        }
        match self.commands {
            // What a command showed and how it ended is on the screen; not so why there was none.
            Commands::Live if outcome.is_success() || outcome.exit.is_some() => {}
            Commands::Live => self.warn(&format!("{tool}: {}", outcome.text)),
            Commands::Printed => {
                if let Some(command) = self.calls.pop_front() {
                    self.write_err(&self.frames.exec_begin(&command));
                }
                self.write_err(&sanitize(&outcome.text));
            }
            Commands::Framed => self.framed(outcome, took),
        }
    }

    /// Shows what a command changed in its layer.
    fn changes(&mut self, command: Option<&str>, lines: &[String], end: &str) {
        self.end_answer();
        if !lines.is_empty() {
            let command = command.map(|command| aish_types::visible(command).replace('\n', " "));
            match command {
                Some(command) => {
                    self.measure();
                    self.write_err(&self.frames.command("ran apart: ", &command));
                }
                None => self.status("ran apart"),
            }
        }
        for line in lines {
            self.status(&format!("  {}", aish_types::visible(line)));
        }
        self.status(end);
    }
}

/// Writes to standard error at once.
fn to_err(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

impl Surface for TextSurface {
    fn show(&mut self, shown: Shown<'_>, now: Duration) {
        let quiet = self.verbosity == Verbosity::Quiet;
        match shown {
            Shown::Verdict { tool, judgement, approved: false } if self.commands == Commands::Printed => {
                self.not_run(tool, judgement);
            }
            Shown::TurnStart => self.calls.clear(),
            Shown::Verdict { .. } | Shown::Usage { .. } | Shown::TurnEnd(_) => {}
            Shown::Waiting => {
                self.heard = None;
                self.wait("thinking", now, now);
            }
            Shown::Text(piece) => {
                self.heard = Some(now);
                self.fold();
                self.push(piece, now);
            }
            Shown::Reasoning(piece) => {
                self.heard = Some(now);
                self.think(piece, now);
            }
            Shown::AnswerEnd => {
                self.heard = None;
                self.fold();
                self.end_answer();
            }
            Shown::Fitting(answer) => {
                self.fold();
                self.end_answer();
                self.write_out(&answer.text);
                self.end_answer();
            }
            Shown::Calling(call) if !quiet => self.calling(call),
            Shown::Outcome { tool, outcome } if !quiet => self.outcome(tool, outcome),
            Shown::Calling(_) | Shown::Outcome { .. } => {}
            Shown::Changes { command, lines, end, .. } => self.changes(command, lines, end),
            Shown::Notice(text) => {
                self.end_answer();
                if !quiet {
                    self.status(text);
                }
            }
            Shown::RunEnd { end, text, used, .. } => {
                self.end_answer();
                let text = format!("norris: {text}; {used}");
                match end {
                    End::Done(Checked::Yes) if quiet => {}
                    End::Done(Checked::Yes) => self.status(&text),
                    _ => self.warn(&text),
                }
            }
            Shown::Error(text) => {
                self.end_answer();
                self.warn(text);
            }
        }
    }

    fn deadline(&self) -> Option<Duration> {
        let spinning = self.spinner.as_ref().map(|_| Duration::ZERO);
        self.markdown.as_ref().and_then(Markdown::deadline).or(spinning).or_else(|| self.falls_silent())
    }

    fn tick(&mut self, now: Duration) {
        if let Some(markdown) = &mut self.markdown {
            let mut text = String::new();
            markdown.tick(now, &mut text);
            self.write_out(&text);
        }
        if let Some(since) = self.heard.filter(|_| self.falls_silent().is_some_and(|at| now >= at)) {
            self.wait("waiting", since, now);
        }
        self.spin(now);
    }

    fn flush(&mut self) {
        self.release();
    }
}

fn command_of(arguments: &str) -> String {
    let arguments: Option<serde_json::Value> = serde_json::from_str(arguments).ok();
    let command = arguments.as_ref().and_then(|arguments| arguments.get("command")?.as_str());
    command.unwrap_or_default().to_owned()
}
