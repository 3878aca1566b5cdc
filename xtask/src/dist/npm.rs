//! The package for npm: `npx` and `npm install --global`.

use serde_json::{Map, Value, json};

use super::contents::Contents;
use super::entry::Entry;
use super::facts::Facts;
use super::tarball;

/// Returns the file name that `npm pack` would give it.
pub(super) fn file_name(facts: &Facts) -> String {
    format!("{}-{}.tgz", facts.name, facts.version)
}

/// Packs programs, manual pages and licences.
pub(super) fn pack(facts: &Facts, contents: &Contents, clock: u64) -> anyhow::Result<Vec<u8>> {
    let mut entries = vec![Entry::data("package.json", manifest(facts, contents)?)];
    entries.extend(contents.programs().cloned());
    entries.extend(contents.shared().cloned());
    entries.extend(contents.licences().map(|entry| {
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        entry.at(name)
    }));
    entries.push(Entry::data("README.md", format!("# {}\n\n{}\n", facts.name, facts.description)));
    let entries: Vec<Entry> = entries.iter().map(|entry| entry.below("package")).collect();
    tarball::gz(&entries, clock)
}

fn manifest(facts: &Facts, contents: &Contents) -> anyhow::Result<Vec<u8>> {
    // `npx NAME` starts the program of the package's own name.
    let mut bin: Map<String, Value> = [(facts.name.clone(), json!("bin/aish"))].into_iter().collect();
    bin.extend(facts.programs.iter().map(|name| (name.clone(), json!(format!("bin/{name}")))));
    let pages: Vec<&str> = contents
        .entries
        .iter()
        .map(|entry| entry.path.as_str())
        .filter(|path| path.starts_with("share/man/"))
        .collect();
    let manifest = json!({
        "name": facts.name,
        "version": facts.version,
        "description": facts.summary,
        "license": format!("({})", facts.license),
        "repository": { "type": "git", "url": format!("git+{}.git", facts.repository) },
        "os": ["linux"],
        "cpu": ["x64"],
        "libc": ["glibc"],
        "bin": bin,
        "man": pages,
    });
    let mut bytes = serde_json::to_vec_pretty(&manifest)?;
    bytes.push(b'\n');
    Ok(bytes)
}
