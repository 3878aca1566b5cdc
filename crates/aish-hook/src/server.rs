//! The entry of an MCP server in another program's settings: where it stands, and how it is put in and taken out.

mod place;

use std::path::Path;

use serde_json::{Value, json};
use toml_edit::{Array, DocumentMut, Item, Table};

use crate::edit::{EditError, Edited, File, MAX_BYTES, child_object, input};
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
    if old.len() > MAX_BYTES {
        return Err(EditError::TooLarge);
    }
    let mut file: DocumentMut = old.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| old.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        EditError::Syntax { line, column, message: error.message().to_owned() }
    })?;
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
    let text = file.to_string();
    Ok(match text {
        text if text == old => Edited::Same,
        text if text.trim().is_empty() => Edited::Empty(text),
        text => Edited::Text(text),
    })
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
