//! `find_files`: files by the patterns of their names.

use std::sync::Arc;

use aish_types::{CallContext, ToolDefinition, ToolOutcome};
use serde_json::Value;

use super::{Files, existing, fault, reading, text};
use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::plan::Plan;
use crate::schema::Faults;

/// The most files of one answer.
const MOST: usize = 200;

/// The tool.
pub(crate) struct FindFiles(pub(crate) Arc<Files>);

impl Builtin for FindFiles {
    fn definition(&self) -> ToolDefinition {
        let parameters =
            [Parameter::required("pattern", ParameterKind::String), Parameter::optional("path", ParameterKind::String)];
        ToolDefinition {
            category: "files".into(),
            examples: vec!["which files are there".into()],
            ..definition("find_files", "Find project files by glob, newest first.", &parameters)
        }
    }

    fn plan(self: Arc<Self>, arguments: &Value, context: &CallContext) -> Result<Plan, Faults> {
        let tree = self.0.tree(context)?;
        let path = Some(text(arguments, "path")).filter(|path| !path.is_empty()).unwrap_or(".");
        let folder = existing(&tree, path)?;
        if !folder.is_folder {
            return Err(fault(format!("{path} is a file, not a folder")));
        }
        let pattern = Some(text(arguments, "pattern")).filter(|pattern| !pattern.is_empty()).unwrap_or("*").to_owned();
        Ok(reading(&[], None, move |stop| match aish_files::find(&tree, &folder, &pattern, MOST, stop) {
            Ok(found) if found.paths.is_empty() && !found.is_cut => ToolOutcome::success("(no such file)"),
            Ok(found) => {
                let mut out = from_folder(&found.paths, &tree);
                if found.is_cut {
                    out.push_str("[not all of the project was looked at; name a path]\n");
                } else if found.paths.len() < found.total {
                    out.push_str(&format!("[{} of {}]\n", found.paths.len(), found.total));
                }
                let mut outcome = ToolOutcome::success(out);
                outcome.truncated = found.is_cut || found.paths.len() < found.total;
                outcome
            }
            Err(why) => ToolOutcome::failure(why.to_string()),
        }))
    }
}

/// Writes paths so that they can be used from the folder of the call.
pub(super) fn from_folder(paths: &[String], tree: &aish_files::Tree) -> String {
    paths.iter().map(|path| format!("{}\n", tree.name(std::path::Path::new(path)))).collect()
}
