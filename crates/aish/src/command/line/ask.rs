//! The key that turns a line into a command.

use aish_route::{PriorTurn, Route};
use aish_safety::{Judgement, Verdict};
use anstyle::{AnsiColor, Style};

use super::desk::Desk;
use super::proposal::{Proposal, Unusable};
use super::request;
use crate::arguments::LineShell;
use crate::command::route::routed;
use crate::exit::ExitCode;
use crate::names::PathNames;
use crate::run::print;

/// What was on the line.
pub(super) struct Asked<'a> {
    /// The text.
    pub(super) line: &'a str,
    /// The shell that it was typed in.
    pub(super) shell: LineShell,
    /// The exit status of the command before it.
    pub(super) status: i32,
    /// The keys came once more: it is asked about also where it is a command already.
    pub(super) again: bool,
}

/// What becomes of a command that is halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halted {
    /// It is a comment in the line.
    Comment,
    /// It is shown above the line alone, where the shell takes no comments there.
    Shown,
}

/// Prints a command in place of the line.
pub(super) async fn run(desk: &Desk<'_>, asked: &Asked<'_>, halted: Halted) -> ExitCode {
    let base = desk.base;
    let dim = Style::new().dimmed();
    let line = asked.line.trim();
    if line.is_empty() {
        return desk.failed("the line is empty");
    }
    // bash has cleared its line; the others leave it above.
    if asked.shell == LineShell::Bash {
        desk.say(&format!("› {}", aish_types::visible(line).replace('\n', " ")), dim);
    }
    let names = PathNames::new(&base.variable("PATH").unwrap_or_default(), &base.folder);
    if !asked.again && routed(line, &names, PriorTurn::Other).0 == Route::Shell {
        return desk.failed("that is a command already; the same keys once more ask all the same");
    }
    let answer = match request::answer(desk, system(asked.shell), user(desk, asked)).await {
        Ok(answer) => answer,
        Err(code) => return code,
    };
    let proposal = match Proposal::read(&answer) {
        Ok(proposal) => proposal,
        Err(why @ Unusable::Told(_)) => return desk.failed(&why.to_string()),
        Err(why) => return desk.failed(&format!("{why}; the line is as it was")),
    };
    put(desk, &proposal, &proposal.judged(base, asked.shell), halted)
}

/// Prints a proposal for the line, its judgement above it.
pub(super) fn put(desk: &Desk<'_>, proposal: &Proposal, judgement: &Judgement, halted: Halted) -> ExitCode {
    let (reason, rule) = (&judgement.reason, &judgement.rule);
    match judgement.verdict {
        Verdict::Allow => desk.say("allow", Style::new().dimmed()),
        Verdict::Ask => desk.say(&aish_types::visible(&format!("ask: {reason} ({rule})")), Style::new().dimmed()),
        Verdict::Halt => {
            let style = Style::new().fg_color(Some(AnsiColor::Red.into()));
            desk.say(&aish_types::visible(&format!("halt: {reason} ({rule})")), style);
            if halted == Halted::Shown {
                desk.say(&proposal.command, Style::new());
                return ExitCode::Halted;
            }
            print(&proposal.as_comment());
            return ExitCode::Ok;
        }
    }
    print(&proposal.command);
    ExitCode::Ok
}

fn system(shell: LineShell) -> String {
    format!(
        "You turn what a user writes at the prompt of {} on {} into one command for that shell. Answer with the command \
         alone: no explanation, no code block. Use what is usually installed. It is put into the user's line, and the user \
         reads it before it runs. Where no command does it, answer with one line that begins with # and says why.",
        shell.name(),
        std::env::consts::OS
    )
}

fn user(desk: &Desk<'_>, asked: &Asked<'_>) -> String {
    let folder = desk.base.folder.display();
    format!("Folder: {folder}\nExit status of the last command: {}\n\n{}", asked.status, asked.line.trim())
}
