//! The tools that read, find, search and change files of the project: what they have in common.
//!
//! Order of a change: the plan reads the file, makes the new content and the difference that is asked about; the run writes
//! exactly that content, and only where the file still holds what the plan read. [`seen`] knows what the model has read.

pub(super) mod apply_patch;
mod change;
pub(super) mod edit_file;
mod editor;
pub(super) mod find_files;
mod image;
pub(super) mod read_file;
pub(super) mod search_files;
mod seen;
pub(super) mod write_file;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aish_files::{Content, Located, Text, Tree};
use aish_safety::{Act, FileAccess, Subject};
use aish_types::near::near;
use aish_types::{CallContext, ToolOutcome};
use serde_json::Value;

use crate::plan::{Plan, blocking};
use crate::schema::Faults;
pub use editor::Editor;
use seen::Seen;

/// Where file tools may work, and which places a person decides about.
pub trait FilePlaces: Send + Sync {
    /// Returns the root of the tree around a folder, absolute and without links; none where there is none.
    fn tree(&self, folder: &Path) -> Option<PathBuf>;

    /// Says whether a file may hold secrets: it is read after a question alone, and no search shows its lines.
    fn is_hidden(&self, path: &Path) -> bool;

    /// Says why a change of a file is one that a person decides about in any case. `below` is below the tree's root; the texts
    /// are empty for a file that is not there.
    fn guarded(&self, root: &Path, below: &Path, old: &str, new: &str) -> Option<&'static str>;
}

/// What the file tools of a registry share.
pub struct Files {
    places: Arc<dyn FilePlaces>,
    seen: Seen,
    editor: Option<Arc<dyn Editor>>,
}

impl Files {
    /// Makes the state of file tools over places.
    pub fn new(places: Arc<dyn FilePlaces>) -> Self {
        Self { places, seen: Seen::default(), editor: None }
    }

    /// Lets an editor show what it has not saved, and write what is changed.
    #[must_use]
    pub fn with_editor(self, editor: Arc<dyn Editor>) -> Self {
        Self { editor: Some(editor), ..self }
    }

    /// Opens the tree of a call.
    fn tree(&self, context: &CallContext) -> Result<Tree, Faults> {
        let folder = context.folder.as_deref().map(Path::new).ok_or_else(|| fault("no folder is known here"))?;
        let folder = aish_files::real(folder).map_err(fault)?;
        let root = self.places.tree(&folder).ok_or_else(|| {
            fault(format!("{} is in no project, and file tools work in one alone; use commands here", folder.display()))
        })?;
        Tree::open(&root, &folder).map_err(fault)
    }

    /// Reads a file that is text.
    fn text(&self, tree: &Tree, located: &Located) -> Result<(Content, Text), Faults> {
        let content = tree.read(located).map_err(fault)?;
        let text = Text::decode(&content.bytes).map_err(|why| fault(format!("{} {why}", shown(located))))?;
        Ok((content, text))
    }

    /// Says why reading a file is left to a person, where it is: for where it lies, or for the link that leads there.
    fn secret(&self, tree: &Tree, located: &Located) -> Option<String> {
        let asked = tree.root().join(&located.asked);
        let is_hidden = self.places.is_hidden(&located.absolute) || self.places.is_hidden(&asked);
        is_hidden.then(|| format!("{} may hold secrets", one_line(located)))
    }
}

/// Makes the fault of a plan.
fn fault(why: impl ToString) -> Faults {
    Faults(vec![why.to_string()])
}

/// Names a file as the model may name it again.
fn shown(located: &Located) -> String {
    located.name.clone()
}

/// Names a file in what a person is asked: a name cannot begin a line there.
fn one_line(located: &Located) -> String {
    shown(located).replace('\n', "\\n")
}

fn text<'a>(arguments: &'a Value, key: &str) -> &'a str {
    arguments.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(arguments: &Value, key: &str) -> Option<usize> {
    arguments.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// Finds an existing file; the error names near ones.
fn existing(tree: &Tree, path: &str) -> Result<Located, Faults> {
    let located = tree.locate(path).map_err(fault)?;
    if located.exists {
        return Ok(located);
    }
    let names = tree.neighbours(&located);
    let wanted = located.absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let near = near(&wanted, names.iter().map(String::as_str), 3);
    let hint = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
    Err(fault(format!("there is no {}{hint}", shown(&located))))
}

/// Makes the plan of a call that reads.
fn reading<F>(accesses: &[&Located], concern: Option<String>, run: F) -> Plan
where
    F: FnOnce(&dyn Fn() -> bool) -> ToolOutcome + Send + Sync + 'static,
{
    let access = |located: &&Located| FileAccess { path: located.absolute.display().to_string(), act: Act::Read };
    let accesses = accesses.iter().map(access).collect();
    Plan::of(Subject::Files { accesses, concern, difference: String::new() }, move |_call, context| {
        blocking(context, run)
    })
}

/// Numbers lines of a text, from one to another, as `12<tab>line`.
fn numbered(text: &str, from: usize, to: usize) -> String {
    let lines = text.lines().enumerate().skip(from.saturating_sub(1)).take((to + 1).saturating_sub(from));
    lines.map(|(at, line)| format!("{}\t{line}\n", at + 1)).collect()
}
