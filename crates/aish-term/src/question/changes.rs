//! Asks what becomes of a layer: the facts, and keep, difference or drop.

use std::io;

use aish_safety::{ChangesAnswer, ChangesQuestion};
use aish_types::visible;
use anstyle::Style;

use super::dialogue::{Paged, choice_of, paged};
use super::terminal::{AskTerminal, Key};
use crate::capability::Capabilities;
use crate::message;
use crate::styled::Styled;
use crate::theme::Theme;
use crate::wrap;

/// What `why` says.
const WHY: &str = "It ran in a layer over this tree: what is listed is not in the tree yet. keep moves it there, and \
                   :undo takes it back exactly; no throws it away. A line with ! is a place that acts later, in your \
                   own commands.";

/// Asks on a terminal. Escape, the end of input and a closed terminal drop, an interrupt stops what wanted it.
pub fn changes(question: &ChangesQuestion, theme: &Theme, terminal: &mut dyn AskTerminal) -> ChangesAnswer {
    converse(question, theme, terminal).unwrap_or_else(|error| {
        tracing::debug!(%error, "the question could not be asked");
        ChangesAnswer::Drop
    })
}

fn converse(question: &ChangesQuestion, theme: &Theme, terminal: &mut dyn AskTerminal) -> io::Result<ChangesAnswer> {
    let lines = changes_lines(question, theme, &terminal.capabilities());
    match paged(&lines, theme, terminal)? {
        // Who does not want to read more is asked all the same.
        Paged::Whole | Paged::GivenUp => {}
        Paged::Interrupted => return Ok(ChangesAnswer::Stop),
    }
    let label = match terminal.capabilities().width {
        ..48 => "[k]eep  [d]iff  [n]o  [?]why ",
        _ => "[k]eep  [d]iff  [n]o, drop it  [?]why ",
    };
    let label = Styled::of(theme.strong, label);
    // Who sees "no" answers "yes" too. Enter has no meaning: a layer that took minutes is not lost by it, nor kept.
    let meaning = |key| match key {
        Key::Char('k' | 'K' | 'y' | 'Y') => Some(('k', "keep")),
        Key::Char('n' | 'N') | Key::Escape | Key::EndOfInput => Some(('n', "no")),
        Key::Char('d' | 'D') => Some(('d', "diff")),
        Key::Char('?' | 'w' | 'W') => Some(('?', "why")),
        Key::Interrupt => Some(('c', "")),
        Key::Char(_) | Key::Enter | Key::Other => None,
    };
    loop {
        let key = terminal.offer(&choice_of(std::slice::from_ref(&label), terminal), &|key| meaning(key).is_some())?;
        let (choice, word) = meaning(key).unwrap_or(('n', "no"));
        terminal.write(&format!("{word}\n"))?;
        match choice {
            'k' => return Ok(ChangesAnswer::Keep),
            'n' => return Ok(ChangesAnswer::Drop),
            'd' => {
                let shown = diff_lines(&(question.diff)(), theme, &terminal.capabilities());
                if let Paged::Interrupted = paged(&shown, theme, terminal)? {
                    return Ok(ChangesAnswer::Stop);
                }
            }
            '?' => {
                let shown = paragraph(Style::new(), "  ", WHY, &terminal.capabilities());
                paged(&shown, theme, terminal)?;
            }
            _ => return Ok(ChangesAnswer::Stop),
        }
    }
}

/// Returns the lines of a question about a layer, none wider than the terminal.
pub fn changes_lines(question: &ChangesQuestion, theme: &Theme, capabilities: &Capabilities) -> Vec<Styled> {
    let width = usize::from(capabilities.width).max(1);
    let head = Styled::of(theme.strong, "[aish] ran apart: ");
    let command = Styled::of(Style::new(), &visible(&question.command).replace('\n', " "));
    let mut lines = message::rows_of_command(&head, &command, width);
    for line in &question.lines {
        let style = if line.guarded.is_some() { theme.warn } else { Style::new() };
        let mut text = visible(&line.text).into_owned();
        if let Some(why) = line.guarded {
            text.push_str("  ! ");
            text.push_str(why);
        }
        lines.extend(paragraph(style, "  ", &text, capabilities));
    }
    for remark in &question.remarks {
        lines.extend(paragraph(theme.dim, "  ", &visible(remark), capabilities));
    }
    lines
}

/// Returns the lines of a unified difference in colours, none wider than the terminal.
pub fn diff_lines(diff: &str, theme: &Theme, capabilities: &Capabilities) -> Vec<Styled> {
    let width = usize::from(capabilities.width).max(1);
    let mut lines = Vec::new();
    for line in visible(diff).lines() {
        let style = match line.chars().next() {
            _ if line.starts_with("--- ") || line.starts_with("+++ ") => theme.strong,
            Some('-') => theme.bad,
            Some('+') => theme.good,
            Some('@') => theme.dim,
            _ => Style::new(),
        };
        lines.extend(wrap::hard(&Styled::of(style, &wrap::expand_tabs(line)), width));
    }
    lines
}

fn paragraph(style: Style, indent: &str, text: &str, capabilities: &Capabilities) -> Vec<Styled> {
    let width = usize::from(capabilities.width).max(1);
    let indent = if width >= 12 { indent } else { "" };
    let styled = Styled::of(style, &wrap::expand_tabs(text));
    let head = Styled::of(style, indent);
    // What goes on stands below the path, not below the kind.
    let mut tail = head.clone();
    tail.push(style, if width >= 40 { "  " } else { "" });
    let broken = wrap::words(&styled, width.saturating_sub(tail.width()));
    wrap::prefixed(broken, &head, &tail)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aish_safety::ChangeLine;
    use insta::assert_snapshot;

    use super::super::dialogue::tests::Script;
    use super::*;

    fn question() -> ChangesQuestion {
        let line = |text: &str, guarded| ChangeLine { text: text.to_owned(), guarded };
        ChangesQuestion {
            call: aish_types::CallId::new("c1"),
            command: "make clean && ./configure --prefix=/usr".to_owned(),
            lines: vec![
                line("deleted  build/ (214 files, 3.1 MB)", None),
                line("changed  Cargo.lock +2 \u{2212}2", None),
                line("new      .git/hooks/pre-commit (64 bytes)", Some("git runs it")),
            ],
            remarks: vec!["left out sock because it is a socket".to_owned()],
            diff: Arc::new(|| "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new \u{1b}[31m\n".to_owned()),
            texts: aish_safety::Texts::default(),
        }
    }

    fn answered(keys: &[Key], size: (u16, u16)) -> (ChangesAnswer, String) {
        let mut script = Script::new(keys, size);
        let answer = changes(&question(), &Theme::default(), &mut script);
        (answer, script.shown)
    }

    #[test]
    fn the_facts_at_80_columns() {
        let (answer, shown) = answered(&[Key::Char('d'), Key::Enter, Key::Char('k')], (80, 24));
        assert_eq!(answer, ChangesAnswer::Keep);
        assert_snapshot!(shown);
    }

    #[test]
    fn the_facts_at_40_columns() {
        let (answer, shown) = answered(&[Key::Char('?'), Key::Char('n')], (40, 24));
        assert_eq!(answer, ChangesAnswer::Drop);
        assert!(shown.lines().all(|line| line.chars().count() <= 40), "{shown}");
        assert_snapshot!(shown);
    }

    #[test]
    fn everything_but_a_keep_drops() {
        for (key, answer) in [
            (Key::Char('n'), ChangesAnswer::Drop),
            (Key::Escape, ChangesAnswer::Drop),
            (Key::EndOfInput, ChangesAnswer::Drop),
            (Key::Interrupt, ChangesAnswer::Stop),
            (Key::Char('K'), ChangesAnswer::Keep),
            (Key::Char('y'), ChangesAnswer::Keep),
        ] {
            assert_eq!(answered(&[Key::Enter, Key::Char('x'), key], (80, 24)).0, answer, "{key:?}");
        }
        assert_eq!(answered(&[], (80, 24)).0, ChangesAnswer::Drop, "a closed terminal keeps nothing");
    }
}
