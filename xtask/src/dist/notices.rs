//! The licences of what others wrote and is linked into the programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;

use super::facts::Facts;
use super::sbom;
use crate::workspace::{Package, Workspace};

/// Licences of what a package carries in folders of its own, by package.
const WITHIN: [(&str, &str); 1] = [("llama-cpp-sys-2", "llama.cpp/LICENSE")];

/// Writes every licence once, with the packages that come under it.
pub(super) fn write(facts: &Facts, workspace: &Workspace) -> anyhow::Result<Vec<u8>> {
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut named = String::new();
    for package in sbom::linked(facts, workspace).into_iter().filter(|package| package.registry.is_some()) {
        let title = format!("{} {}", package.name, package.version);
        let licence = package.licence.as_deref().unwrap_or("no licence named");
        writeln!(named, "{title}: {licence}")?;
        for text in texts(package)? {
            by_text.entry(text).or_default().push(title.clone());
        }
    }
    let mut out =
        format!("{} consists of our own code ({}) and of these packages:\n\n{named}", facts.name, facts.license);
    let mut groups: Vec<(Vec<String>, String)> = by_text.into_iter().map(|(text, titles)| (titles, text)).collect();
    groups.sort();
    for (titles, text) in groups {
        write!(out, "\n{}\n{}\n\n{text}\n", "=".repeat(80), titles.join(", "))?;
    }
    Ok(out.into_bytes())
}

/// Reads the licences and notices that a package brings.
fn texts(package: &Package) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&package.folder).with_context(|| format!("reading {}", package.folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() && is_notice(&entry.file_name().to_string_lossy()) {
            files.push(entry.path());
        }
    }
    files.extend(WITHIN.iter().filter(|(name, _)| *name == package.name).map(|(_, path)| package.folder.join(path)));
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned())
}

fn is_notice(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"].iter().any(|stem| name.starts_with(stem))
}
