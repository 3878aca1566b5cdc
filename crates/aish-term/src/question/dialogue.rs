//! Shows a question and reads the answer. Everything but a plain yes leaves the call unapproved.

use std::io;

use aish_safety::{Answer, Question, Subject};

use super::body::{question_lines, shown_json, why_lines};
use super::terminal::{AskTerminal, Key};
use crate::styled::{Ink, Styled};
use crate::theme::Theme;

/// Asks a question on a terminal. End of input, an interrupt, Escape and a closed terminal are no.
pub fn ask(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> Answer {
    converse(question, theme, terminal).unwrap_or_else(|error| {
        tracing::debug!(%error, "the question could not be asked");
        Answer::No
    })
}

fn converse(question: &Question, theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<Answer> {
    let lines = question_lines(question, theme, &terminal.capabilities());
    if !paged(&lines, theme, terminal)? {
        return Ok(Answer::No);
    }
    loop {
        terminal.discard_typed_ahead()?;
        show(&choices(question, theme), terminal, "")?;
        let answer = match wait_for_choice(question, terminal)? {
            Choice::Yes => said(terminal, "yes", Some(Answer::Yes))?,
            Choice::No => said(terminal, "no", Some(Answer::No))?,
            Choice::Edit => {
                said(terminal, "edit", None)?;
                edited(question, terminal)?
            }
            Choice::Always(offered) => {
                said(terminal, "always", None)?;
                let kept = terminal.edit("always allow: ", &offered)?;
                kept.filter(|text| !text.trim().is_empty()).map(Answer::Always)
            }
            Choice::Why => {
                said(terminal, "why", None)?;
                let width = usize::from(terminal.capabilities().width);
                for line in why_lines(question, theme, width) {
                    show(&line, terminal, "\n")?;
                }
                None
            }
        };
        if let Some(answer) = answer {
            return Ok(answer);
        }
    }
}

enum Choice {
    Yes,
    No,
    Edit,
    Always(String),
    Why,
}

fn choices(question: &Question, theme: &Theme) -> Styled {
    let mut line = Styled::default();
    let always = if question.always.is_some() { "  [a]lways" } else { "" };
    line.push(theme.strong, &format!("[y]es  [n]o  [e]dit{always}  [?]why"));
    line.push(theme.dim, " (no) ");
    line
}

/// Unknown keys are passed over: neither a yes nor a no was meant.
fn wait_for_choice(question: &Question, terminal: &mut dyn AskTerminal) -> io::Result<Choice> {
    loop {
        match terminal.key()? {
            Key::Char('y' | 'Y') => return Ok(Choice::Yes),
            Key::Char('n' | 'N') | Key::Enter | Key::Escape | Key::Interrupt | Key::EndOfInput => {
                return Ok(Choice::No);
            }
            Key::Char('e' | 'E') => return Ok(Choice::Edit),
            Key::Char('?' | 'w' | 'W') => return Ok(Choice::Why),
            Key::Char('a' | 'A') => {
                if let Some(offered) = &question.always {
                    return Ok(Choice::Always(offered.clone()));
                }
            }
            Key::Char(_) | Key::Other => {}
        }
    }
}

fn said(terminal: &mut dyn AskTerminal, word: &str, answer: Option<Answer>) -> io::Result<Option<Answer>> {
    terminal.write(&format!("{word}\n"))?;
    Ok(answer)
}

/// An edit that is given up, or that leaves nothing, goes back to the question.
fn edited(question: &Question, terminal: &mut dyn AskTerminal) -> io::Result<Option<Answer>> {
    let text = match &question.subject {
        Subject::Command { text } => text.clone(),
        Subject::Argv { .. } | Subject::Tool => shown_json(&question.arguments),
    };
    let changed = terminal.edit("edit: ", &text)?;
    Ok(changed.filter(|text| !text.trim().is_empty()).map(Answer::Edit))
}

fn show(line: &Styled, terminal: &mut dyn AskTerminal, end: &str) -> io::Result<()> {
    let capabilities = terminal.capabilities();
    let mut text = line.to_text(Ink { color: capabilities.color, links: false });
    text.push_str(end);
    terminal.write(&text)
}

/// Shows lines page by page where they do not fit; false when the person gave up before the end.
fn paged(lines: &[Styled], theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<bool> {
    let mut shown = 0;
    loop {
        let room = usize::from(terminal.capabilities().height).saturating_sub(3).max(1);
        let left = lines.len().saturating_sub(shown);
        let take = if left <= room { left } else { room.saturating_sub(1).max(1) };
        let mut page = String::new();
        let ink = Ink { color: terminal.capabilities().color, links: false };
        for line in lines.iter().skip(shown).take(take) {
            line.write(ink, &mut page);
            page.push('\n');
        }
        terminal.write(&page)?;
        shown += take;
        if shown >= lines.len() {
            return Ok(true);
        }
        terminal.discard_typed_ahead()?;
        let mut more = Styled::default();
        more.push(theme.dim, &format!("-- {} of {} lines; space for more, n for no --", shown, lines.len()));
        show(&more, terminal, "")?;
        loop {
            match terminal.key()? {
                Key::Char(' ') | Key::Enter => break,
                Key::Char('n' | 'N' | 'q') | Key::Escape | Key::Interrupt | Key::EndOfInput => {
                    terminal.write("\n")?;
                    return Ok(false);
                }
                Key::Char(_) | Key::Other => {}
            }
        }
        terminal.write("\n")?;
    }
}
