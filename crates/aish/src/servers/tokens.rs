//! Tokens of MCP servers that a person signed in at: one file a server, for the person's eyes alone.

use std::path::PathBuf;

use aish_mcp::client::TokenStore;
use aish_safety::pin::Digest;
use aish_types::Secret;
use serde::{Deserialize, Serialize};

use crate::base::Base;

/// Keeps tokens in a folder.
#[derive(Debug)]
pub struct TokenFolder {
    folder: PathBuf,
}

/// The file of one server.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The server's identity, so that a file is never taken for another server's.
    server: String,
    tokens: String,
}

impl TokenFolder {
    /// Returns the folder of this person's tokens.
    pub fn of(base: &Base) -> Self {
        Self::new(base.in_state("mcp-tokens"))
    }

    /// Names the folder; it is made at the first sign-in.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn path(&self, source: &str) -> PathBuf {
        self.folder.join(format!("{}.json", Digest::of(source.as_bytes())))
    }
}

impl TokenStore for TokenFolder {
    fn load(&self, source: &str) -> Option<Secret> {
        let text = std::fs::read_to_string(self.path(source)).ok()?;
        let kept: Kept = serde_json::from_str(&text).ok()?;
        (kept.server == source).then(|| Secret::new(kept.tokens))
    }

    fn save(&self, source: &str, tokens: Option<Secret>) {
        let path = self.path(source);
        let Some(tokens) = tokens else {
            // One that is not there is forgotten already.
            let _ = std::fs::remove_file(path);
            return;
        };
        let kept = Kept { server: source.to_owned(), tokens: tokens.expose().to_owned() };
        // Whoever signs in looks whether it was kept.
        if let Ok(bytes) = serde_json::to_vec(&kept) {
            let _ = aish_journal::replace(&path, &bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn safety_11_tokens_are_for_one_server_and_one_person() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = TokenFolder::new(folder.path().join("mcp-tokens"));
        assert!(tokens.load("mcp:a#1").is_none());
        tokens.save("mcp:a#1", Some(Secret::new("first".into())));
        tokens.save("mcp:b#2", Some(Secret::new("second".into())));
        assert_eq!(tokens.load("mcp:a#1").map(|secret| secret.expose().to_owned()).as_deref(), Some("first"));
        for entry in std::fs::read_dir(folder.path().join("mcp-tokens")).unwrap() {
            assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        tokens.save("mcp:a#1", None);
        assert!(tokens.load("mcp:a#1").is_none() && tokens.load("mcp:b#2").is_some());
    }
}
