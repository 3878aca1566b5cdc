//! What is installed: a tree as it lies below `/usr` or any other prefix.

use anyhow::{Context, ensure};

use super::entry::Entry;
use super::facts::Facts;
use super::notices;
use super::programs::Programs;
use super::sbom;
use super::sources::Sources;
use crate::tree;
use crate::workspace::Workspace;

/// The tree, and the bill of materials that a release shows beside it too.
#[derive(Debug, Clone)]
pub(super) struct Contents {
    /// Sorted by path.
    pub(super) entries: Vec<Entry>,
    /// CycloneDX.
    pub(super) sbom: Vec<u8>,
}

/// The programs whose manual and completions are written by themselves.
const TALKING: [&str; 2] = ["aish", "climax"];

impl Contents {
    /// Collects programs, manual pages, completions, licences and notices.
    pub(super) fn collect(
        facts: &Facts,
        workspace: &Workspace,
        sources: &Sources,
        programs: &Programs,
    ) -> anyhow::Result<Self> {
        let mut entries = programs.entries()?;
        for name in TALKING {
            let completions = [
                ("bash", format!("share/bash-completion/completions/{name}")),
                ("zsh", format!("share/zsh/site-functions/_{name}")),
                ("fish", format!("share/fish/vendor_completions.d/{name}.fish")),
            ];
            for (shell, path) in completions {
                entries.push(Entry::data(path, programs.say(name, &["completions", shell])?));
            }
            entries.extend(manual(programs, name)?);
        }
        let doc = format!("share/doc/{}", facts.name);
        for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            let bytes = std::fs::read(tree::root().join(name)).with_context(|| format!("reading {name}"))?;
            entries.push(Entry::data(format!("{doc}/{name}"), bytes));
        }
        let sbom = sbom::write(facts, workspace)?;
        entries.push(Entry::data(format!("{doc}/NOTICES"), notices::write(facts, workspace)?));
        entries.push(Entry::data(format!("{doc}/sbom.cdx.json"), sbom.clone()));
        entries.push(Entry::data(format!("share/{}/sources.sha256", facts.name), format!("{}\n", sources.hash)));
        entries.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Self { entries, sbom })
    }

    /// Lists the programs.
    pub(super) fn programs(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.executable)
    }

    /// Lists the licences and notices.
    pub(super) fn licences(&self) -> impl Iterator<Item = &Entry> {
        let is_one = |entry: &&Entry| entry.path.contains("/LICENSE-") || entry.path.ends_with("/NOTICES");
        self.entries.iter().filter(is_one)
    }

    /// Lists the files that are neither a program nor of the documentation.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.path.starts_with("share/") && !entry.path.starts_with("share/doc/"))
    }
}

/// Has a program write its manual pages.
fn manual(programs: &Programs, name: &str) -> anyhow::Result<Vec<Entry>> {
    let folder = tempfile::tempdir().context("making a temporary folder")?;
    let text = folder.path().to_str().context("the temporary folder has an odd name")?;
    programs.say(name, &["manual", text])?;
    let mut pages = Vec::new();
    for page in std::fs::read_dir(folder.path())? {
        let page = page?;
        let path = format!("share/man/man1/{}", page.file_name().to_string_lossy());
        pages.push(Entry::data(path, std::fs::read(page.path())?));
    }
    ensure!(!pages.is_empty(), "{name} manual wrote no page");
    Ok(pages)
}
