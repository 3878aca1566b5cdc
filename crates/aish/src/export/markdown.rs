//! A session as Markdown. Code stays code, and HTML in it is shown and not taken for markup.

use aish_term::html::inert;
use aish_types::attachment::parts;
use aish_types::{Message, sanitize};

use super::{Exported, pretty};

pub(super) fn write(exported: &Exported<'_>) -> String {
    let mut out = format!("# {}\n\n", one_line(exported.title()));
    for (name, value) in exported.facts() {
        out.push_str(&format!("- {name}: {}\n", one_line(&value)));
    }
    for turn in &exported.session.turns {
        match &turn.message {
            Message::User { content, .. } => user(&mut out, content),
            Message::Assistant { content, .. } => {
                if !content.trim().is_empty() {
                    out.push_str(&format!("\n## Assistant\n\n{}\n", inert(&sanitize(content)).trim()));
                }
                for (call, result) in exported.calls(turn) {
                    out.push_str(&format!("\n### Call of {}\n\n", one_line(call.name.as_str())));
                    fenced(&mut out, "json", &pretty(&call.arguments));
                    if let Some(result) = result {
                        out.push('\n');
                        fenced(&mut out, "text", result);
                    }
                }
            }
            // Results stand with their calls.
            Message::Tool { .. } | Message::System { .. } => {}
        }
    }
    out
}

fn user(out: &mut String, content: &str) {
    let parts = parts(content);
    for (heading, text) in [("Memory", parts.memory), ("Output", parts.outputs)] {
        if !text.is_empty() {
            out.push_str(&format!("\n### {heading}\n\n"));
            fenced(out, "text", text);
        }
    }
    if !parts.question.is_empty() {
        out.push_str(&format!("\n## User\n\n{}\n", inert(&sanitize(parts.question)).trim()));
    }
    if !parts.input.is_empty() {
        out.push_str("\n### Input\n\n");
        fenced(out, "text", parts.input);
    }
}

/// Writes a block of code whose fence is longer than any in it.
fn fenced(out: &mut String, language: &str, text: &str) {
    let text = sanitize(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    out.push_str(&format!("{fence}{language}\n{}\n{fence}\n", text.trim_end()));
}

fn one_line(text: &str) -> String {
    inert(&sanitize(text).split_whitespace().collect::<Vec<_>>().join(" "))
}
