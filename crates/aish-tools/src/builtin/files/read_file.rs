//! `read_file`: lines of a file with their numbers, or an image.

use std::sync::Arc;

use aish_files::Encoding;
use aish_types::{CallContext, ToolDefinition, ToolOutcome};
use serde_json::Value;

use super::{Files, existing, fault, image, number, reading, shown, text};
use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::plan::Plan;
use crate::schema::Faults;

/// The most lines of one answer.
const MOST_LINES: usize = 2_000;
/// The most characters of a line.
const LONGEST_LINE: usize = 2_000;
/// The most bytes of one answer.
const MOST_BYTES: usize = 64 * 1024;

/// What is told of a file that is not saved.
const UNSAVED: &str = "[as it stands in the editor, where it is not saved yet; it cannot be changed until it is]\n";

/// The tool.
pub(crate) struct ReadFile(pub(crate) Arc<Files>);

impl Builtin for ReadFile {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::required("path", ParameterKind::String),
            Parameter::optional("start_line", ParameterKind::Integer),
            Parameter::optional("end_line", ParameterKind::Integer),
        ];
        ToolDefinition {
            category: "files".into(),
            examples: vec!["show me the file".into()],
            ..definition("read_file", "Read a project file or image.", &parameters)
        }
    }

    fn plan(self: Arc<Self>, arguments: &Value, context: &CallContext) -> Result<Plan, Faults> {
        let files = Arc::clone(&self.0);
        let tree = files.tree(context)?;
        let located = existing(&tree, text(arguments, "path"))?;
        if located.is_folder {
            return Err(fault(format!("{} is a folder; find_files lists what is in it", shown(&located))));
        }
        let (from, to) = (number(arguments, "start_line"), number(arguments, "end_line"));
        let (session, concern) = (context.session.clone(), files.secret(&tree, &located));
        let target = located.clone();
        Ok(reading(&[&target], concern, move |_stop| {
            let content = match tree.read(&located) {
                Ok(content) => content,
                Err(error) => return ToolOutcome::failure(error.to_string()),
            };
            files.seen.put(&session, &located.absolute, content.hash);
            if let Some(block) = image::block(&content.bytes) {
                let mut outcome = ToolOutcome::success(format!("{} ({} bytes)", shown(&located), content.bytes.len()));
                outcome.blocks = vec![block];
                return outcome;
            }
            match aish_files::Text::decode(&content.bytes) {
                Ok(text) => {
                    let from = from.unwrap_or(1).max(1);
                    let Some(unsaved) = files.unsaved(&located.absolute, &text.text) else {
                        return lines(&text.text, text.encoding, from, to);
                    };
                    let mut outcome = lines(&unsaved, Encoding::Utf8, from, to);
                    outcome.text.push_str(UNSAVED);
                    outcome
                }
                Err(why) => {
                    let length = content.bytes.len();
                    ToolOutcome::failure(format!("{} {why} ({length} bytes)", shown(&located)))
                }
            }
        }))
    }
}

/// Writes lines with their numbers, and how to go on where there are more.
fn lines(text: &str, encoding: Encoding, from: usize, to: Option<usize>) -> ToolOutcome {
    let total = text.lines().count();
    if total == 0 {
        return ToolOutcome::success("(the file is empty)");
    }
    if from > total {
        return ToolOutcome::failure(format!("the file has {total} lines"));
    }
    let last = to.unwrap_or(total).clamp(from, total);
    let mut out = String::new();
    let mut shown = from.saturating_sub(1);
    for (at, line) in text.lines().enumerate().skip(from - 1).take((last + 1 - from).min(MOST_LINES)) {
        let cut: String = line.chars().take(LONGEST_LINE).collect();
        let more = if cut.len() < line.len() { "…" } else { "" };
        if out.len() + cut.len() > MOST_BYTES {
            break;
        }
        out.push_str(&format!("{}\t{cut}{more}\n", at + 1));
        shown = at + 1;
    }
    if encoding != Encoding::Utf8 {
        out.push_str(&format!("[{}]\n", encoding.as_str()));
    }
    let is_cut = shown < last;
    if is_cut {
        out.push_str(&format!("[lines {from} to {shown} of {total}; go on with start_line {}]\n", shown + 1));
    } else if (from, last) != (1, total) {
        out.push_str(&format!("[lines {from} to {last} of {total}]\n"));
    }
    let mut outcome = ToolOutcome::success(out);
    outcome.truncated = is_cut;
    outcome
}
