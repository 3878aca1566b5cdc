//! Command lines of MCP servers that were started before: a new or changed one is shown whole before it runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aish_journal::{hold, replace};
use aish_mcp::client::{Endpoint, ServerOptions};
use aish_safety::pin::{Digest, canonical};
use serde_json::json;

/// The command lines that were shown, by alias, in a file.
#[derive(Debug)]
pub struct ShownCommands {
    path: PathBuf,
    known: BTreeMap<String, String>,
}

impl ShownCommands {
    /// Reads the file; one that is not there or cannot be read knows nothing, so that everything is shown again.
    pub fn open(path: PathBuf) -> Self {
        let known = read(&path);
        Self { path, known }
    }

    /// Returns the line to show before a server starts; none for a URL and for a command line that was shown before.
    pub fn line(&self, options: &ServerOptions) -> Option<String> {
        let digest = digest(&options.endpoint)?;
        let words = match self.known.get(&options.alias) {
            Some(known) if *known == digest => return None,
            Some(_) => "its command has changed and is now",
            None => "starts for the first time:",
        };
        let folder = match &options.endpoint {
            Endpoint::Stdio { cwd: Some(cwd), .. } => format!(" (in {})", cwd.display()),
            Endpoint::Stdio { cwd: None, .. } | Endpoint::Http { .. } => String::new(),
        };
        Some(format!("mcp: {}: {words} {}{folder}", options.alias, options.endpoint.shown()))
    }

    /// Notes that a server's command line was shown.
    pub fn note(&mut self, options: &ServerOptions) {
        let Some(digest) = digest(&options.endpoint) else { return };
        let _held = hold(&self.path);
        // Other sessions have shown theirs meanwhile.
        self.known.extend(read(&self.path));
        self.known.insert(options.alias.clone(), digest);
        // What cannot be kept is shown again.
        if let Ok(bytes) = serde_json::to_vec_pretty(&self.known) {
            let _ = replace(&self.path, &bytes);
        }
    }
}

fn read(path: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Hashes what would run; the values of variables are no part of what is shown.
fn digest(endpoint: &Endpoint) -> Option<String> {
    match endpoint {
        Endpoint::Stdio { command, args, env, cwd } => {
            let names: Vec<&String> = env.keys().collect();
            Some(Digest::of(canonical(&json!([command, args, cwd, names])).as_bytes()).to_string())
        }
        Endpoint::Http { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(args: &[&str]) -> ServerOptions {
        let args = args.iter().map(|word| (*word).to_owned()).collect();
        let endpoint = Endpoint::Stdio { command: "npx".into(), args, env: BTreeMap::new(), cwd: None };
        ServerOptions::new("files", endpoint)
    }

    #[test]
    fn safety_10_a_command_is_shown_whole_before_its_first_start_and_again_when_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("commands.json");
        let mut shown = ShownCommands::open(path.clone());
        let long = "x".repeat(5000);
        let first = server(&["-y", "a b", &long]);
        let line = shown.line(&first).unwrap();
        assert!(line.contains("first time") && line.contains(&format!("npx -y 'a b' {long}")), "{line}");
        shown.note(&first);
        let shown = ShownCommands::open(path.clone());
        assert_eq!(shown.line(&first), None);
        assert!(shown.line(&server(&["-y", "evil"])).unwrap().contains("has changed"));
        let url = Endpoint::Http { url: "http://h".into(), headers: BTreeMap::new(), token: None };
        assert_eq!(shown.line(&ServerOptions::new("files", url)), None);
        std::fs::write(&path, "no json").unwrap();
        assert!(ShownCommands::open(path).line(&first).is_some());
    }
}
