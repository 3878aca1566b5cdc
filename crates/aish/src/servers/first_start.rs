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
        let digest = digest(options)?;
        let words = match self.known.get(&options.alias) {
            Some(known) if *known == digest => return None,
            Some(_) => "its command has changed and is now",
            None => "starts for the first time:",
        };
        let folder = match &options.endpoint {
            Endpoint::Stdio { cwd: Some(cwd), .. } => Some(cwd.as_path()),
            Endpoint::Stdio { cwd: None, .. } | Endpoint::Http { .. } => read_here(options),
        };
        let folder = folder.map(|folder| format!(" (in {})", folder.display())).unwrap_or_default();
        Some(format!("mcp: {}: {words} {}{folder}", options.alias, options.endpoint.shown()))
    }

    /// Notes that a server's command line was shown.
    pub fn note(&mut self, options: &ServerOptions) {
        let Some(digest) = digest(options) else { return };
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
fn digest(options: &ServerOptions) -> Option<String> {
    match &options.endpoint {
        Endpoint::Stdio { command, args, env, cwd } => {
            let names: Vec<&String> = env.keys().collect();
            let value = match read_here(options) {
                Some(folder) => json!([command, args, cwd, names, folder]),
                None => json!([command, args, cwd, names]),
            };
            Some(Digest::of(canonical(&value).as_bytes()).to_string())
        }
        Endpoint::Http { .. } => None,
    }
}

/// Returns the folder that a server starts in, where an argument is the path of a file that lies in it: `python server.py`
/// is another program in each folder.
fn read_here(options: &ServerOptions) -> Option<&Path> {
    let Endpoint::Stdio { args, cwd: None, .. } = &options.endpoint else { return None };
    let folder = options.roots.first()?;
    let is_here = |word: &String| Path::new(word).is_relative() && folder.join(word).is_file();
    args.iter().any(is_here).then_some(folder.as_path())
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

    #[test]
    fn safety_10_a_command_that_reads_a_file_of_the_folder_is_shown_in_each() {
        let (state, here, there) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut shown = ShownCommands::open(state.path().join("commands.json"));
        let within = |folder: &Path| ServerOptions { roots: vec![folder.to_owned()], ..server(&["-y", "index.js"]) };
        shown.note(&within(here.path()));
        assert_eq!(shown.line(&within(there.path())), None);
        std::fs::write(there.path().join("index.js"), "").unwrap();
        let line = shown.line(&within(there.path())).unwrap();
        assert!(line.ends_with(&format!("(in {})", there.path().display())), "{line}");
        shown.note(&within(there.path()));
        assert_eq!(shown.line(&within(there.path())), None);
    }
}
