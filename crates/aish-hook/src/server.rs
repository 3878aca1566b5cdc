//! The entry of an MCP server in another program's settings: where it stands, and how it is put in and taken out.

mod installed;
mod place;

use std::path::Path;

use serde_json::{Value, json};
use toml_edit::{Array, DocumentMut, Item, Table};

use crate::edit::{EditError, Edited, File, MAX_BYTES, child_object, input};
pub use installed::{Change, InstalledError, Kept, Settings};
pub use place::Program;

/// An MCP server as another program is to start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEntry {
    /// Its name there.
    pub name: String,
    /// The program, absolute.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl ServerEntry {
    /// Makes an entry.
    pub fn new(name: &str, command: &Path, arguments: Vec<String>) -> Self {
        Self { name: name.to_owned(), command: command.to_string_lossy().into_owned(), arguments }
    }

    fn value(&self, program: Program) -> Value {
        match program {
            Program::Claude | Program::Vscode => {
                json!({"type": "stdio", "command": self.command, "args": self.arguments})
            }
            Program::Codex | Program::Cursor | Program::Gemini => {
                json!({"command": self.command, "args": self.arguments})
            }
            Program::Zed => json!({"source": "custom", "command": self.command, "args": self.arguments, "env": {}}),
        }
    }
}

/// Puts an entry into a program's settings; one of the same name is replaced.
///
/// # Errors
/// When the text cannot be parsed, or is not of the program's shape.
pub fn install(old: &str, program: Program, entry: &ServerEntry) -> Result<Edited, EditError> {
    if program == Program::Codex {
        return in_toml(old, program, &entry.name, Some(entry));
    }
    let file = File::parse(old, program.comments())?;
    let servers = child_object(&file.object()?, program.key())?;
    let value = entry.value(program);
    match servers.get(&entry.name) {
        Some(property) if property.to_serde_value().as_ref() == Some(&value) => {}
        Some(property) => property.set_value(input(&value)),
        None => {
            servers.ensure_multiline();
            servers.append(&entry.name, input(&value));
        }
    }
    Ok(file.finish())
}

/// An entry as it stands in a program's settings.
#[derive(Debug, Clone, PartialEq)]
struct Standing {
    command: Option<String>,
    arguments: Vec<String>,
    whole: Value,
}

impl Standing {
    fn of(whole: Value) -> Self {
        let text = |value: &Value| value.as_str().map(String::from);
        let command = ["command", "url", "httpUrl"].iter().find_map(|key| whole.get(key).and_then(text));
        let arguments = whole.get("args").and_then(Value::as_array);
        Self { command, arguments: arguments.into_iter().flatten().filter_map(text).collect(), whole }
    }

    /// Writes it as a command line.
    fn shown(&self) -> String {
        let words = self.command.iter().chain(&self.arguments).map(String::as_str);
        shell_words::join(words)
    }
}

/// Looks for the entry of a name.
fn find(text: &str, program: Program, name: &str) -> Result<Option<Standing>, EditError> {
    if program == Program::Codex {
        let file = toml(text)?;
        return Ok(file.get(program.key()).and_then(|servers| servers.get(name)).map(toml_value).map(Standing::of));
    }
    let file = File::parse(text, program.comments())?;
    let entry = file.object()?.object_value(program.key()).and_then(|servers| servers.get(name));
    Ok(entry.and_then(|entry| entry.to_serde_value()).map(Standing::of))
}

/// Reads a TOML item as a value.
fn toml_value(item: &Item) -> Value {
    match item {
        Item::Value(toml_edit::Value::Array(items)) => {
            items.iter().map(|item| toml_value(&Item::Value(item.clone()))).collect()
        }
        Item::Value(toml_edit::Value::String(text)) => text.value().as_str().into(),
        Item::Value(toml_edit::Value::InlineTable(_)) | Item::Table(_) => {
            let fields = item.as_table_like().into_iter().flat_map(|table| table.iter());
            Value::Object(fields.map(|(name, item)| (name.to_owned(), toml_value(item))).collect())
        }
        Item::ArrayOfTables(tables) => tables.iter().map(|table| toml_value(&Item::Table(table.clone()))).collect(),
        Item::None => Value::Null,
        Item::Value(value) => value.to_string().trim().into(),
    }
}

/// Puts the entry of a name into the place of the present one, as it stands in an earlier text of the same file.
fn bring_back(text: &str, program: Program, name: &str, before: &str) -> Result<Edited, EditError> {
    if program == Program::Codex {
        let (mut file, earlier) = (toml(text)?, toml(before)?);
        let entry = earlier.get(program.key()).and_then(|servers| servers.get(name)).cloned();
        let servers = file.get_mut(program.key()).and_then(Item::as_table_like_mut);
        if let (Some(servers), Some(entry)) = (servers, entry) {
            servers.insert(name, entry);
        }
        return Ok(edited(&file, text));
    }
    let file = File::parse(text, program.comments())?;
    let earlier = find(before, program, name)?;
    let entry = file.object()?.object_value(program.key()).and_then(|servers| servers.get(name));
    if let (Some(entry), Some(earlier)) = (entry, earlier) {
        entry.set_value(input(&earlier.whole));
    }
    Ok(file.finish())
}

/// Takes the entry of a name out, and what that left empty.
///
/// # Errors
/// As [`install`].
pub fn uninstall(old: &str, program: Program, name: &str) -> Result<Edited, EditError> {
    if program == Program::Codex {
        return in_toml(old, program, name, None);
    }
    let file = File::parse(old, program.comments())?;
    let root = file.object()?;
    let Some(servers) = root.object_value(program.key()) else { return Ok(Edited::Same) };
    let Some(property) = servers.get(name) else { return Ok(Edited::Same) };
    property.remove();
    if servers.properties().is_empty()
        && let Some(property) = root.get(program.key())
    {
        property.remove();
    }
    Ok(file.finish())
}

/// Puts an entry into a TOML file, or takes it out; all other lines stay as they are.
fn in_toml(old: &str, program: Program, name: &str, entry: Option<&ServerEntry>) -> Result<Edited, EditError> {
    let mut file = toml(old)?;
    let shape = || EditError::Shape { path: program.key().to_owned(), expected: "a table" };
    match entry {
        Some(entry) => {
            let servers = file.entry(program.key()).or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            let servers = servers.as_table_like_mut().ok_or_else(shape)?;
            let mut table = Table::new();
            table.insert("command", toml_edit::value(entry.command.as_str()));
            table.insert("args", toml_edit::value(entry.arguments.iter().map(String::as_str).collect::<Array>()));
            let same = servers.get(name).is_some_and(|old| {
                let field = |name: &str| old.get(name).map(|value| value.to_string().trim().to_owned());
                let new = |name: &str| table.get(name).map(|value| value.to_string().trim().to_owned());
                ["command", "args"].iter().all(|name| field(name) == new(name))
            });
            if !same {
                servers.insert(name, Item::Table(table));
            }
        }
        None => {
            let Some(servers) = file.get_mut(program.key()) else { return Ok(Edited::Same) };
            let servers = servers.as_table_like_mut().ok_or_else(shape)?;
            if servers.remove(name).is_none() {
                return Ok(Edited::Same);
            }
            if servers.is_empty() {
                file.remove(program.key());
            }
        }
    }
    Ok(edited(&file, old))
}

fn toml(text: &str) -> Result<DocumentMut, EditError> {
    if text.len() > MAX_BYTES {
        return Err(EditError::TooLarge);
    }
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        EditError::Syntax { line, column, message: error.message().to_owned() }
    })
}

fn edited(file: &DocumentMut, old: &str) -> Edited {
    match file.to_string() {
        text if text == old => Edited::Same,
        text if text.trim().is_empty() => Edited::Empty(text),
        text => Edited::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> ServerEntry {
        ServerEntry::new("aish", Path::new("/usr/bin/aish"), vec!["mcp".into(), "serve".into()])
    }

    #[test]
    fn an_entry_comes_into_every_programs_settings_and_leaves_them_as_they_were() {
        for (program, before) in [
            (Program::Claude, "{\"numStartups\": 3,\n  \"mcpServers\": {\"git\": {\"command\": \"git-mcp\"}}}"),
            (Program::Cursor, "{}\n"),
            (Program::Vscode, "{\n\t// mine\n\t\"servers\": {\n\t\t\"a\": {\"url\": \"https://a\"},\n\t},\n}\n"),
            (Program::Gemini, "{\"theme\": \"dark\"}"),
            (Program::Zed, "// Zed settings\n{\n  \"theme\": \"One Dark\", // dark\n}\n"),
            (Program::Codex, "# mine\nmodel = \"m\"   # this one\n\n[mcp_servers.git]\ncommand = \"git-mcp\"\n"),
            (Program::Codex, ""),
        ] {
            let Edited::Text(with) = install(before, program, &entry()).unwrap() else { panic!("{program:?}") };
            assert!(with.contains("/usr/bin/aish") && with.contains("serve"), "{with}");
            assert_eq!(install(&with, program, &entry()).unwrap(), Edited::Same, "{program:?}: {with}");
            let moved = ServerEntry { command: "/opt/aish".into(), ..entry() };
            let Edited::Text(moved) = install(&with, program, &moved).unwrap() else { panic!("{program:?}") };
            assert!(moved.contains("/opt/aish") && !moved.contains("/usr/bin/aish"), "{moved}");
            for comment in ["// mine", "// Zed settings", "// dark", "# mine", "# this one"] {
                assert_eq!(before.contains(comment), with.contains(comment), "{program:?}: {with}");
            }
            let without = match uninstall(&with, program, "aish").unwrap() {
                Edited::Text(text) | Edited::Empty(text) => text,
                Edited::Same => panic!("{program:?}: {with}"),
            };
            assert!(!without.contains("aish"), "{without}");
            for kept in ["git-mcp", "numStartups", "https://a", "theme", "# this one"] {
                assert_eq!(before.contains(kept), without.contains(kept), "{program:?}: {without}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for (program, text) in [
            (Program::Claude, "{"),
            (Program::Claude, "// no comments here\n{}"),
            (Program::Cursor, "[]"),
            (Program::Gemini, "{\"mcpServers\": []}"),
            (Program::Codex, "model = "),
            (Program::Codex, "mcp_servers = 3"),
        ] {
            assert!(install(text, program, &entry()).is_err(), "{program:?}: {text}");
        }
        assert_eq!(uninstall("{}", Program::Zed, "aish").unwrap(), Edited::Same);
    }
}
