//! `apply_patch`: changes of several files at once, in the format that models of the GPT and Codex families were trained on.

use std::collections::HashSet;
use std::sync::Arc;

use aish_files::{Located, Section, Tree};
use aish_types::{CallContext, ToolDefinition};
use serde_json::Value;

use super::change::FileChange;
use super::edit_file::{cannot_hold, changing};
use super::{Files, existing, fault, shown, text};
use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::plan::Plan;
use crate::schema::Faults;

/// What is told where a hunk was found by its words alone.
const LOOSER: &str = "[some lines stand there with other white space than in the patch]\n";

/// The tool.
pub(crate) struct ApplyPatch(pub(crate) Arc<Files>);

impl Builtin for ApplyPatch {
    fn definition(&self) -> ToolDefinition {
        let parameters = [Parameter::required("input", ParameterKind::String)];
        changing(definition("apply_patch", "Change files: *** Begin Patch … *** End Patch.", &parameters))
    }

    fn plan(self: Arc<Self>, arguments: &Value, context: &CallContext) -> Result<Plan, Faults> {
        let files = Arc::clone(&self.0);
        let tree = files.tree(context)?;
        let sections = aish_files::parse(text(arguments, "input")).map_err(fault)?;
        let (mut changes, mut is_looser) = (Vec::new(), false);
        for section in sections {
            let looser = files.section(&tree, section, &mut changes)?;
            is_looser |= looser;
        }
        let mut named = HashSet::new();
        if let Some(twice) = changes.iter().find(|change| !named.insert(&change.located.absolute)) {
            return Err(fault(format!("{} is changed by two sections; put them into one", shown(&twice.located))));
        }
        files.changing(tree, changes, if is_looser { LOOSER } else { "" }, context)
    }
}

impl Files {
    /// Works out what a section changes; says whether white space differed. A hunk says itself what it read, so that the
    /// file need not have been read before.
    fn section(&self, tree: &Tree, section: Section, changes: &mut Vec<FileChange>) -> Result<bool, Faults> {
        match section {
            Section::Add { path, text } => {
                let located = vacant(tree, &path)?;
                let bytes = text.clone().into_bytes();
                changes.push(FileChange { located, old: None, new: Some((text, bytes)), like: None, lines: None });
                Ok(false)
            }
            Section::Delete { path } => {
                let located = not_a_link(tree, &path)?;
                let content = tree.read(&located).map_err(fault)?;
                let text = aish_files::Text::decode(&content.bytes).map(|text| text.text);
                let text = text.unwrap_or_else(|_| format!("({} bytes that are no text)\n", content.bytes.len()));
                let old = Some((text, content.hash));
                changes.push(FileChange { located, old, new: None, like: None, lines: None });
                Ok(false)
            }
            Section::Update { path, to, hunks } => {
                let located = existing(tree, &path)?;
                let (content, before) = self.text(tree, &located)?;
                let (after, looser) = aish_files::apply(&shown(&located), &before.text, &hunks).map_err(fault)?;
                let bytes = before.encode(&after).map_err(|c| cannot_hold(&shown(&located), c, before.encoding))?;
                let old = Some((before.text, content.hash));
                match to {
                    None => {
                        changes.push(FileChange { located, old, new: Some((after, bytes)), like: None, lines: None });
                    }
                    Some(to) => {
                        let (target, from) = (vacant(tree, &to)?, not_a_link(tree, &path)?);
                        let new = Some((after, bytes));
                        changes.push(FileChange { located: target, old: None, new, like: Some(from), lines: None });
                        changes.push(FileChange { located, old, new: None, like: None, lines: None });
                    }
                }
                Ok(looser)
            }
        }
    }
}

/// Finds a file that is to go from its place. What a link leads to would go instead of the link.
fn not_a_link(tree: &Tree, path: &str) -> Result<Located, Faults> {
    let located = existing(tree, path)?;
    match tree.is_link(&located) {
        true => Err(fault(format!("{path} is a link to {}; a command takes links away", shown(&located)))),
        false => Ok(located),
    }
}

/// Finds the place of a new file.
fn vacant(tree: &Tree, path: &str) -> Result<Located, Faults> {
    let located = tree.locate(path).map_err(fault)?;
    if located.exists {
        return Err(fault(format!("{} is there already; update it", shown(&located))));
    }
    Ok(located)
}
