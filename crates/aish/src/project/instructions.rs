//! The trusted instructions as one text for the system prompt: bounded, each file between its own marks.

use aish_types::{head_and_tail, sanitize};

use super::{Kind, Project, Standing};

/// The most of all instructions, in bytes, however large the context is.
const MOST: usize = 32 * 1024;
/// The least, however small it is.
const LEAST: usize = 1024;

/// Instructions for the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instructions {
    /// The text; none without trusted files.
    pub text: Option<String>,
    /// The files of which parts were left out.
    pub cut: Vec<String>,
}

/// Writes the instructions of a project into a quarter of a token budget. Files deeper down are nearer to the work:
/// they get their room first, and stand last.
pub fn write(project: &Project, token_budget: u64) -> Instructions {
    // A quarter of the tokens, four bytes a token.
    let mut room = usize::try_from(token_budget).unwrap_or(MOST).clamp(LEAST, MOST);
    let mut parts = Vec::new();
    let mut cut = Vec::new();
    let files = project.files.iter().filter(|file| file.kind == Kind::Instructions);
    for file in files.filter(|file| file.standing == Standing::Trusted).rev() {
        let text = sanitize(&file.text);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let kept = head_and_tail(text, room);
        if kept.omitted > 0 {
            cut.push(file.name.clone());
        }
        room = room.saturating_sub(kept.text.len());
        parts.push(format!(
            "<instructions file=\"{}\">\n{}\n</instructions>",
            attribute(&file.name),
            inside(&kept.text)
        ));
    }
    parts.reverse();
    cut.reverse();
    Instructions { text: (!parts.is_empty()).then(|| parts.join("\n")), cut }
}

/// Keeps a text from ending its own mark.
fn inside(text: &str) -> String {
    text.replace("</instructions", "<\\/instructions")
}

fn attribute(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '"' | '<' | '>' | '\n')).collect()
}
