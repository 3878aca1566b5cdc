//! Server lists of other programs (`--servers FILE`).

use std::path::Path;

use super::entry::{Reach, ServerEntry, ServerFile, url_fault};

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
    let unreadable = |error: std::io::Error| format!("{name}: the file cannot be read: {error}");
    if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_BYTES {
        return Err(format!("{name}: the file has more than {} MiB", MAX_BYTES / 1024 / 1024));
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let (servers, faults) = aish_mcp::client::import(&text).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{name}: {error}{cause}")
    })?;
    let mut left_out: Vec<String> = faults.iter().map(|fault| format!("{name}: {fault}; it is left out")).collect();
    let mut notes = Vec::new();
    let mut entries = Vec::with_capacity(servers.len());
    let file = ServerFile::List(path.to_path_buf());
    for server in servers {
        let told = server.notes.iter().map(|note| format!("{name}: {}: {note}", server.alias)).collect::<Vec<_>>();
        let entry = ServerEntry { files: vec![file.clone()], ..ServerEntry::from(server) };
        match &entry.reach {
            Some(Reach::Url { url, .. }) if let Some(fault) = url_fault(url) => {
                left_out.push(format!("{name}: {}: {fault}; it is left out", entry.alias));
            }
            Some(_) | None => {
                notes.extend(told);
                entries.push(entry);
            }
        }
    }
    Ok(ServerList { servers: entries, left_out, notes })
}
