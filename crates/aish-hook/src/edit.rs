//! An agent's file with our entries put in or taken out; everything else stays byte by byte.

mod handler;

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use crate::agent::{Agent, Comments, Event, Form};
use crate::own::{self, Own};

/// The largest file that is edited, in bytes.
pub const MAX_BYTES: usize = 4 << 20;

/// What became of a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    /// Nothing has to change.
    Same,
    /// The new text.
    Text(String),
    /// Nothing but an empty object is left.
    Empty(String),
}

/// Why a file cannot be edited; it is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is too large.
    #[error("it is larger than 4 MiB")]
    TooLarge,
    /// It is not JSON.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Something in it has another type than the agent reads there.
    #[error("`{path}` is not {expected}")]
    Shape {
        /// Where, as in `hooks.PreToolUse`.
        path: String,
        /// What should be there.
        expected: &'static str,
    },
}

/// Puts our entries into a file: one for each event that the agent has. An entry of ours that is there already is
/// rewritten where it differs, and a second one for the same event goes.
///
/// # Errors
/// When the text is not JSON (with comments where `comments` says so), or not of the agent's shape.
pub fn install(old: &str, agent: Agent, comments: Comments, program: &Path) -> Result<Edited, EditError> {
    let file = File::parse(old, comments)?;
    let root = file.object()?;
    if matches!(agent, Agent::Cursor | Agent::Copilot) && root.get("version").is_none() {
        root.append("version", CstInputValue::Number("1".to_owned()));
    }
    let hooks = child_object(&root, "hooks")?;
    for event in Event::ALL {
        let Some(name) = agent.event_name(event) else { continue };
        let Some(handler) = handler::handler(agent, event, program) else { continue };
        let entries = child_array(&hooks, name)?;
        let mut found = own_handlers(&entries, agent, Some(program)).into_iter();
        match found.next() {
            Some((node, _)) => {
                if node.to_serde_value().as_ref() != Some(&handler)
                    && let Some(object) = node.as_object()
                {
                    object.replace_with(input(&handler));
                }
            }
            None => append(&entries, &handler::entry(agent, event, handler)),
        }
        for (second, _) in found {
            take_out(second);
        }
    }
    Ok(file.finish())
}

/// Takes our entries out, and then what that left empty.
///
/// # Errors
/// As [`install`].
pub fn uninstall(old: &str, agent: Agent, comments: Comments, running: Option<&Path>) -> Result<Edited, EditError> {
    let file = File::parse(old, comments)?;
    let root = file.object()?;
    let Some(hooks) = root.object_value("hooks") else { return Ok(Edited::Same) };
    for event in Event::ALL {
        let Some(name) = agent.event_name(event) else { continue };
        let Some(entries) = hooks.array_value(name) else { continue };
        let own = own_handlers(&entries, agent, running);
        if own.is_empty() {
            continue;
        }
        own.into_iter().for_each(|(handler, _)| take_out(handler));
        if entries.elements().is_empty()
            && let Some(property) = hooks.get(name)
        {
            property.remove();
        }
    }
    if hooks.properties().is_empty()
        && let Some(property) = root.get("hooks")
    {
        property.remove();
    }
    Ok(file.finish())
}

/// Returns our entries of a file, in its order.
///
/// # Errors
/// As [`install`].
pub fn find(text: &str, agent: Agent, comments: Comments, running: Option<&Path>) -> Result<Vec<Own>, EditError> {
    let file = File::parse(text, comments)?;
    let Some(hooks) = file.object()?.object_value("hooks") else { return Ok(Vec::new()) };
    let names = Event::ALL.into_iter().filter_map(|event| agent.event_name(event));
    let arrays = names.filter_map(|name| hooks.array_value(name));
    Ok(arrays.flat_map(|entries| own_handlers(&entries, agent, running)).map(|(_, own)| own).collect())
}

/// Reads a file of settings as a value, with comments where the agent takes them.
///
/// # Errors
/// As [`install`].
pub fn value(text: &str, comments: Comments) -> Result<Value, EditError> {
    let file = File::parse(text, comments)?;
    Ok(file.root.to_serde_value().unwrap_or_default())
}

/// Returns what differs between two texts, as a unified diff with three lines of context.
pub fn diff(old: &str, new: &str) -> String {
    aish_diff::unified(old, new, None)
}

/// A file while it is edited.
pub(crate) struct File<'a> {
    /// A byte order mark, which the parser does not know.
    mark: &'static str,
    old: &'a str,
    root: CstRootNode,
}

impl<'a> File<'a> {
    pub(crate) fn parse(old: &'a str, comments: Comments) -> Result<Self, EditError> {
        if old.len() > MAX_BYTES {
            return Err(EditError::TooLarge);
        }
        let (mark, text) = old.strip_prefix('\u{feff}').map_or(("", old), |text| ("\u{feff}", text));
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        if comments == Comments::Refused {
            serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| EditError::Syntax {
                line: error.line(),
                column: error.column(),
                message: error.to_string(),
            })?;
        }
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let root = CstRootNode::parse(text, &options).map_err(|error| EditError::Syntax {
            line: error.line_display(),
            column: error.column_display(),
            message: error.kind().to_string(),
        })?;
        Ok(Self { mark, old, root })
    }

    pub(crate) fn object(&self) -> Result<CstObject, EditError> {
        let shape = || EditError::Shape { path: "the file".to_owned(), expected: "a JSON object" };
        self.root.object_value().ok_or_else(shape)
    }

    pub(crate) fn finish(self) -> Edited {
        let text = format!("{}{}", self.mark, self.root);
        let empty = self.root.object_value().is_some_and(|object| {
            // A file of Cursor's or Copilot's says its version, and nothing else of ours.
            object.properties().iter().all(|property| property.decoded_name().as_deref() == Some("version"))
        });
        match text {
            text if text == self.old => Edited::Same,
            text if empty => Edited::Empty(text),
            text => Edited::Text(text),
        }
    }
}

pub(crate) fn child_object(parent: &CstObject, name: &str) -> Result<CstObject, EditError> {
    match parent.get(name) {
        None => Ok(parent.object_value_or_set(name)),
        Some(property) => {
            property.object_value().ok_or_else(|| EditError::Shape { path: name.to_owned(), expected: "an object" })
        }
    }
}

fn child_array(hooks: &CstObject, name: &str) -> Result<CstArray, EditError> {
    match hooks.get(name) {
        None => Ok(hooks.array_value_or_set(name)),
        Some(property) => property
            .array_value()
            .ok_or_else(|| EditError::Shape { path: format!("hooks.{name}"), expected: "an array" }),
    }
}

fn append(entries: &CstArray, entry: &Value) {
    entries.ensure_multiline();
    entries.append(input(entry));
}

/// Finds our handlers below an event, with what their commands say.
fn own_handlers(entries: &CstArray, agent: Agent, running: Option<&Path>) -> Vec<(CstNode, Own)> {
    let grouped = agent.form() == Form::Grouped;
    let handlers = entries.elements().into_iter().flat_map(|entry| {
        if !grouped {
            return vec![entry];
        }
        let handlers = entry.as_object().and_then(|group| group.array_value("hooks"));
        handlers.map(|handlers| handlers.elements()).unwrap_or_default()
    });
    let read = |handler: CstNode| {
        let command = handler.as_object()?.get(handler::command_key(agent))?.value()?;
        let command = command.as_string_lit()?.decoded_value().ok()?;
        Some((handler, own::read(&command, agent, running)?))
    };
    handlers.filter_map(read).collect()
}

/// Removes a handler, and its group where nothing else is in it.
fn take_out(handler: CstNode) {
    let list = handler.parent().and_then(|parent| parent.as_array());
    handler.remove();
    let Some(list) = list.filter(|list| list.elements().is_empty()) else { return };
    let group = list.parent().and_then(|property| property.as_object_prop()?.parent()?.as_object());
    if let Some(group) = group.filter(|group| group.get("hooks").is_some()) {
        group.remove();
    }
}

/// Turns a value into what the editor inserts.
pub(crate) fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
