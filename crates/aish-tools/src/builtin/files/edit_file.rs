//! `edit_file`: a passage of a file that stands there once gets another in its place.

use std::sync::Arc;

use aish_types::{CallContext, Risk, ToolDefinition};
use serde_json::Value;

use super::change::FileChange;
use super::{Files, existing, fault, shown, text};
use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::plan::Plan;
use crate::schema::Faults;

/// What is told of a passage that was found by its words alone.
const LOOSER: &str = "[the old text stands there with other white space; the new one was fitted to it]\n";

/// The tool.
pub(crate) struct EditFile(pub(crate) Arc<Files>);

impl Builtin for EditFile {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::required("path", ParameterKind::String),
            Parameter::required("old", ParameterKind::String),
            Parameter::required("new", ParameterKind::String),
        ];
        changing(definition("edit_file", "Replace text found once.", &parameters))
    }

    fn plan(self: Arc<Self>, arguments: &Value, context: &CallContext) -> Result<Plan, Faults> {
        let files = Arc::clone(&self.0);
        let tree = files.tree(context)?;
        let located = existing(&tree, text(arguments, "path"))?;
        let (content, before) = files.text(&tree, &located)?;
        let is_seen = files.seen.check(&context.session, &located.absolute, &content.hash);
        is_seen.map_err(|why| fault(format!("{} {why}", shown(&located))))?;
        let edited = aish_files::edit(&before.text, text(arguments, "old"), text(arguments, "new"))
            .map_err(|why| fault(format!("{}: {why}", shown(&located))))?;
        let bytes = before.encode(&edited.text).map_err(|c| cannot_hold(&shown(&located), c, before.encoding))?;
        let note = if edited.is_looser { LOOSER } else { "" };
        let change = FileChange {
            located,
            old: Some((before.text, content.hash)),
            new: Some((edited.text, bytes)),
            like: None,
            lines: Some(edited.lines),
        };
        files.changing(tree, vec![change], note, context)
    }
}

/// Marks a tool that changes files.
pub(super) fn changing(definition: ToolDefinition) -> ToolDefinition {
    let mut definition = ToolDefinition {
        category: "files".into(),
        risk: Risk::Write,
        examples: vec!["change the file".into()],
        ..definition
    };
    definition.hints.read_only = Some(false);
    definition
}

/// Says that a file's encoding has no bytes for a character.
pub(super) fn cannot_hold(name: &str, c: char, encoding: aish_files::Encoding) -> Faults {
    fault(format!("{name} is written in {}, which has no '{c}'; nothing was changed", encoding.as_str()))
}
