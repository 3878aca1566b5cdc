//! `search_files`: lines of files by a regular expression.

use std::sync::Arc;

use aish_files::Asked;
use aish_types::{CallContext, ToolDefinition, ToolOutcome};
use serde_json::Value;

use super::{Files, existing, reading, text};
use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::plan::Plan;
use crate::schema::Faults;

/// The tool.
pub(crate) struct SearchFiles(pub(crate) Arc<Files>);

impl Builtin for SearchFiles {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::required("pattern", ParameterKind::String),
            Parameter::optional("path", ParameterKind::String),
            Parameter::optional("glob", ParameterKind::String),
        ];
        ToolDefinition {
            category: "files".into(),
            examples: vec!["where is this used".into()],
            ..definition("search_files", "Search files by regex.", &parameters)
        }
    }

    fn plan(self: Arc<Self>, arguments: &Value, context: &CallContext) -> Result<Plan, Faults> {
        let files = Arc::clone(&self.0);
        let tree = files.tree(context)?;
        let path = Some(text(arguments, "path")).filter(|path| !path.is_empty()).unwrap_or(".");
        let at = existing(&tree, path)?;
        let (pattern, glob) = (text(arguments, "pattern").to_owned(), text(arguments, "glob").to_owned());
        // Of a single file, a person decides as for reading it; in a folder, such files are left out.
        let concern = files.secret(&tree, &at).filter(|_| !at.is_folder);
        let target = at.clone();
        let accesses = if at.is_folder { Vec::new() } else { vec![&target] };
        Ok(reading(&accesses, concern, move |stop| {
            let glob = Some(glob.as_str()).filter(|glob| !glob.is_empty());
            // Without capitals in the pattern, the case of letters does not matter.
            let ignore_case = !pattern.chars().any(char::is_uppercase);
            let asked = Asked { pattern: &pattern, glob, ignore_case, context: 0 };
            let is_hidden = |path: &std::path::Path| at.is_folder && files.places.is_hidden(path);
            match aish_files::search(&tree, &at, &asked, &is_hidden, stop) {
                Ok(found) => {
                    let mut out = found.text;
                    if found.matches == 0 {
                        out.push_str("(no line matches)\n");
                    }
                    if found.is_plain {
                        out.push_str("[the pattern is no regular expression and was searched for as it is]\n");
                    }
                    if !found.hidden.is_empty() {
                        let mut names = found.hidden.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
                        if found.hidden.len() > 5 {
                            names.push_str(&format!(" and {} more", found.hidden.len() - 5));
                        }
                        out.push_str(&format!("[not searched, because they may hold secrets: {names}]\n"));
                    }
                    if found.is_cut {
                        out.push_str("[there may be more; name a path or a glob]\n");
                    }
                    let mut outcome = ToolOutcome::success(out);
                    outcome.truncated = found.is_cut;
                    outcome
                }
                Err(why) => ToolOutcome::failure(why.to_string()),
            }
        }))
    }
}
