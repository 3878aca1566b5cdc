//! `write_file`: a new file, or new content for one that was read.

use std::sync::Arc;

use aish_files::Encoding;
use aish_types::{CallContext, ToolDefinition};
use serde_json::Value;

use super::change::FileChange;
use super::edit_file::{cannot_hold, changing};
use super::{Files, fault, shown, text};
use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::plan::Plan;
use crate::schema::Faults;

/// The tool.
pub(crate) struct WriteFile(pub(crate) Arc<Files>);

impl Builtin for WriteFile {
    fn definition(&self) -> ToolDefinition {
        let parameters =
            [Parameter::required("path", ParameterKind::String), Parameter::required("content", ParameterKind::String)];
        changing(definition("write_file", "Make a file, or replace one that was read.", &parameters))
    }

    fn plan(self: Arc<Self>, arguments: &Value, context: &CallContext) -> Result<Plan, Faults> {
        let files = Arc::clone(&self.0);
        let tree = files.tree(context)?;
        let located = tree.locate(text(arguments, "path")).map_err(fault)?;
        if located.is_folder || located.below.as_os_str().is_empty() {
            return Err(fault(format!("{} is a folder", shown(&located))));
        }
        let content = text(arguments, "content").to_owned();
        if content.len() as u64 > aish_files::MOST_BYTES {
            return Err(fault("the content is too long"));
        }
        let change = match located.exists {
            false => {
                let bytes = content.clone().into_bytes();
                FileChange { located, old: None, new: Some((content, bytes)), like: None, lines: None }
            }
            true => {
                let (old, before) = files.text(&tree, &located)?;
                let is_seen = files.seen.check(&context.session, &located.absolute, &old.hash);
                is_seen.map_err(|why| fault(format!("{} {why}", shown(&located))))?;
                // The mark is no part of the text, and is not doubled.
                let content = match before.encoding {
                    Encoding::Utf8 | Encoding::Latin1 => content,
                    Encoding::Utf8Marked | Encoding::Utf16Little | Encoding::Utf16Big => {
                        content.strip_prefix('\u{feff}').map_or(content.clone(), str::to_owned)
                    }
                };
                // A file of CRLF stays one, unless the new content says otherwise.
                let is_crlf = before.text.contains("\r\n") && !before.text.replace("\r\n", "").contains('\n');
                let content = match is_crlf && !content.contains('\r') {
                    true => content.replace('\n', "\r\n"),
                    false => content,
                };
                if content == before.text {
                    return Err(fault(format!("{} holds that already", shown(&located))));
                }
                let bytes = before.encode(&content).map_err(|c| cannot_hold(&shown(&located), c, before.encoding))?;
                let old = Some((before.text, old.hash));
                FileChange { located, old, new: Some((content, bytes)), like: None, lines: None }
            }
        };
        files.changing(tree, vec![change], "", context)
    }
}
