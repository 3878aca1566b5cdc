//! Server lists of other programs (`--servers FILE`).

use std::path::Path;

use aish_mcp::client::WrittenEndpoint;

use super::entry::{ServerEntry, ServerFile, url_fault};

/// Bytes that a list may have.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A list of servers.
#[derive(Debug)]
pub struct ServerList {
    /// The servers.
    pub servers: Vec<ServerEntry>,
    /// Sentences on servers that cannot be used and are left out.
    pub left_out: Vec<String>,
    /// Sentences on what was not taken over of the others.
    pub notes: Vec<String>,
}

/// Reads a list in the form of Claude, Cursor, VS Code, Gemini, opencode (JSON) or Codex (TOML).
///
/// # Errors
/// In words, when the file cannot be read or names no servers.
pub fn read_list(path: &Path) -> Result<ServerList, String> {
    let name = path.to_string_lossy();
    let text = crate::load::read_text_within(path, MAX_BYTES).map_err(|why| format!("{name}: {why}"))?;
    let text = in_workspace(text, path);
    let (servers, faults) = aish_mcp::client::import(&text).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{name}: {error}{cause}")
    })?;
    let place = |server: &str| line_of(&text, server).map_or_else(|| name.to_string(), |line| format!("{name}:{line}"));
    let left = |fault: &String| {
        let server = fault.split(": ").next().unwrap_or_default();
        format!("{}: {fault}; it is left out", place(server))
    };
    let mut left_out: Vec<String> = faults.iter().map(left).collect();
    let mut notes = Vec::new();
    let mut entries = Vec::with_capacity(servers.len());
    let file = ServerFile::List(path.to_path_buf());
    for server in servers {
        let told = server
            .notes
            .iter()
            .map(|note| format!("{}: {}: {note}", place(&server.alias), server.alias))
            .collect::<Vec<_>>();
        let entry = ServerEntry { files: vec![file.clone()], ..ServerEntry::from(server) };
        match &entry.reach {
            Some(WrittenEndpoint::Http { url, .. }) if let Some(fault) = url_fault(url) => {
                left_out.push(format!("{}: {}: {fault}; it is left out", place(&entry.alias), entry.alias));
            }
            Some(_) | None => {
                notes.extend(told);
                entries.push(entry);
            }
        }
    }
    Ok(ServerList { servers: entries, left_out, notes })
}

/// Fills in the folder that VS Code has open where it reads a list: the one with `.vscode` in it.
fn in_workspace(text: String, path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().filter(|parent| parent.ends_with(".vscode")).and_then(Path::parent);
    let Some(folder) = folder.and_then(Path::to_str) else { return text };
    let written = serde_json::Value::from(folder).to_string();
    text.replace("${workspaceFolder}", written.trim_matches('"'))
}

/// Returns the line, from 1, where a file begins to speak of a server: its name as a key in JSON, or the head of its table.
fn line_of(text: &str, server: &str) -> Option<usize> {
    let key = serde_json::Value::from(server).to_string();
    let is_key = |line: &str| line.split_once(&key).is_some_and(|(_, rest)| rest.trim_start().starts_with(':'));
    let is_head = |line: &str| {
        let inner = line.trim().strip_prefix('[').and_then(|line| line.split(']').next()).unwrap_or_default();
        inner.rsplit_once('.').is_some_and(|(_, last)| last == server || last == key)
    };
    text.lines().position(|line| is_key(line) || is_head(line)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_workspace_is_filled_in() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"{"servers": {"files": {"command": "x", "args": ["${workspaceFolder}/a"]}}}"#;
        for (place, expected) in
            [(".vscode", format!("{}/a", folder.path().display())), ("b", "${workspaceFolder}/a".into())]
        {
            let path = folder.path().join(place).join("mcp.json");
            std::fs::create_dir(folder.path().join(place)).unwrap();
            std::fs::write(&path, text).unwrap();
            let list = read_list(&path).unwrap();
            let Some(WrittenEndpoint::Stdio { args, .. }) = &list.servers[0].reach else { panic!("{list:?}") };
            assert_eq!(*args, [expected]);
            assert_eq!(list.notes.len(), usize::from(place == "b"), "{:?}", list.notes);
        }
    }

    #[test]
    fn a_file_without_an_end_is_no_list() {
        let why = read_list(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(why, "/dev/zero: the file has more than 4 MiB");
    }
}
