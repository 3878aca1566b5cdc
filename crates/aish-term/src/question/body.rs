//! Draws the question: the command or the arguments whole, what hides made visible, the reason, the rule, the difference.

use aish_safety::{Act, FileAccess, Judgement, Question, Subject, Verdict};
use aish_types::visible;
use anstyle::Style;

use crate::capability::Capabilities;
use crate::styled::Styled;
use crate::theme::Theme;
use crate::wrap;

/// Returns the lines of a question, none wider than the terminal, nothing cut.
pub fn question_lines(question: &Question, theme: &Theme, capabilities: &Capabilities) -> Vec<Styled> {
    let width = usize::from(capabilities.width).max(1);
    let mut page = Page { width, theme, lines: Vec::new() };
    let tool = visible(question.tool.as_str()).into_owned();
    match &question.subject {
        Subject::Command { text } => {
            page.heading(&question.judgement, "A command wants to run:");
            page.block(text, "$ ", "> ");
        }
        Subject::Argv { words } => {
            page.heading(&question.judgement, &format!("{tool} wants to run a program:"));
            page.block(&shown_argv(words), "$ ", "> ");
        }
        Subject::Files { accesses, difference, .. } => {
            page.heading(&question.judgement, &format!("{tool} wants to {}:", deed(accesses)));
            page.files(accesses, difference);
        }
        Subject::Page { address } => {
            page.heading(&question.judgement, &format!("{tool} wants to open a page; its server sees this address:"));
            page.block(address, "", "");
        }
        Subject::Tool => {
            page.heading(&question.judgement, &format!("{tool} wants to be called with:"));
            page.block(&shown_json(&question.arguments), "", "");
        }
    }
    if let Some(message) = &question.confirm_message {
        page.paragraph(Style::new(), &visible(message));
    }
    let reason = question.reason();
    if !reason.is_empty() {
        page.paragraph(page.theme.dim, &format!("{} ({})", visible(reason), visible(&question.judgement.rule)));
    }
    for note in &question.notes {
        page.paragraph(page.theme.dim, &visible(note));
    }
    if let Some(drift) = &question.drift {
        page.paragraph(page.theme.warn, "The tool's definition has changed since it was approved:");
        page.difference(drift);
    }
    page.lines
}

/// Returns what `why` adds.
pub(super) fn why_lines(question: &Question, theme: &Theme, width: usize) -> Vec<Styled> {
    let judgement = &question.judgement;
    let mut page = Page { width: width.max(1), theme, lines: Vec::new() };
    page.paragraph(Style::new(), &format!("verdict: {}", judgement.verdict));
    page.paragraph(Style::new(), &format!("rule:    {}", visible(&judgement.rule)));
    page.paragraph(Style::new(), &format!("reason:  {}", visible(question.reason())));
    page.paragraph(Style::new(), &format!("tool:    {}", visible(question.tool.as_str())));
    if let Some(always) = &question.always {
        page.paragraph(Style::new(), &format!("always:  would allow from now on: {}", visible(always)));
    }
    page.lines
}

struct Page<'a> {
    width: usize,
    theme: &'a Theme,
    lines: Vec<Styled>,
}

impl Page<'_> {
    fn heading(&mut self, judgement: &Judgement, text: &str) {
        let (style, mark) = match judgement.verdict {
            Verdict::Halt => (self.theme.bad.bold(), "[aish] HALT: "),
            Verdict::Ask => (self.theme.warn, "[aish] "),
            Verdict::Allow => (self.theme.strong, "[aish] "),
        };
        let mut line = Styled::default();
        line.push(style, mark);
        line.push(self.theme.strong, text);
        self.lines.extend(wrap::words(&line, self.width));
    }

    /// Puts each line of a text whole, with a mark before real lines that wrapped ones do not have.
    fn block(&mut self, text: &str, first: &str, rest: &str) {
        let indent = if self.width >= 12 { "  " } else { "" };
        for (at, line) in visible(text).split('\n').enumerate() {
            let mark = if self.width >= 12 { if at == 0 { first } else { rest } } else { "" };
            let room = self.width.saturating_sub(indent.len() + mark.len()).max(1);
            let broken = wrap::hard(&Styled::plain(wrap::expand_tabs(line)), room);
            let head = Styled::of(self.theme.dim, &format!("{indent}{mark}"));
            let tail = Styled::of(self.theme.dim, &format!("{indent}{}", " ".repeat(mark.len())));
            self.lines.extend(wrap::prefixed(broken, &head, &tail));
        }
    }

    fn paragraph(&mut self, style: Style, text: &str) {
        for line in text.split('\n') {
            let styled = Styled::of(style, &wrap::expand_tabs(line));
            let indent = if self.width >= 12 { Styled::of(style, "  ") } else { Styled::default() };
            let broken = wrap::words(&styled, self.width.saturating_sub(indent.width()));
            self.lines.extend(wrap::prefixed(broken, &indent, &indent));
        }
    }

    /// Names the files where no difference does, and shows the difference.
    fn files(&mut self, accesses: &[FileAccess], difference: &str) {
        if difference.is_empty() {
            accesses.iter().for_each(|access| self.block(&access.path, "", ""));
        }
        self.difference(difference);
    }

    fn difference(&mut self, text: &str) {
        for line in visible(text).lines() {
            let style = match line.chars().next() {
                Some('-') => self.theme.bad,
                Some('+') => self.theme.good,
                _ => Style::new(),
            };
            let styled = Styled::of(style, &wrap::expand_tabs(line));
            let indent = if self.width >= 12 { Styled::of(style, "    ") } else { Styled::default() };
            let broken = wrap::hard(&styled, self.width.saturating_sub(indent.width()));
            self.lines.extend(wrap::prefixed(broken, &indent, &indent));
        }
    }
}

/// Says what is done to the files, in one word.
fn deed(accesses: &[FileAccess]) -> &'static str {
    match accesses.iter().map(|access| access.act).collect::<Vec<_>>().as_slice() {
        acts if acts.iter().all(|act| *act == Act::Read) => "read",
        acts if acts.iter().all(|act| *act == Act::Delete) => "delete",
        _ => "change",
    }
}

/// Shows an argument vector so that its words can be told apart.
fn shown_argv(words: &[String]) -> String {
    let shown: Vec<String> = words
        .iter()
        .map(|word| {
            let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=+,@%".contains(c));
            if plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
        })
        .collect();
    shown.join(" ")
}

pub(super) fn shown_json(arguments: &serde_json::Value) -> String {
    serde_json::to_string_pretty(arguments).unwrap_or_else(|_| arguments.to_string())
}
