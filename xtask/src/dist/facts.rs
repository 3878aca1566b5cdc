//! What all packages say of themselves.

use anyhow::Context;
use serde::Deserialize;

use crate::tree;

/// The one table that every package is written from.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Facts {
    /// The name of the packages; the programs have names of their own.
    pub(super) name: String,
    /// The programs, by the name of their crate.
    pub(super) programs: Vec<String>,
    /// One line.
    pub(super) summary: String,
    /// A paragraph.
    pub(super) description: String,
    /// A name and an address.
    pub(super) maintainer: String,
    /// The oldest glibc that the programs run with.
    pub(super) glibc: String,
    /// The version of the workspace.
    #[serde(default)]
    pub(super) version: String,
    /// The licence of the workspace.
    #[serde(default)]
    pub(super) license: String,
    /// Where the sources are.
    #[serde(default)]
    pub(super) repository: String,
}

#[derive(Deserialize)]
struct Manifest {
    workspace: Table,
}

#[derive(Deserialize)]
struct Table {
    package: Package,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Package {
    version: String,
    license: String,
    repository: String,
}

#[derive(Deserialize)]
struct Metadata {
    dist: Facts,
}

impl Facts {
    /// Reads the root's manifest.
    pub(super) fn load() -> anyhow::Result<Self> {
        let path = tree::root().join("Cargo.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let Manifest { workspace } = toml::from_str(&text).context("the root's Cargo.toml")?;
        let Package { version, license, repository } = workspace.package;
        let mut facts = workspace.metadata.dist;
        facts.description = facts.description.trim().to_owned();
        Ok(Self { version, license, repository, ..facts })
    }

    /// Returns the name as Python's modules and wheels write it.
    pub(super) fn module(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns the address of a file of this release.
    pub(super) fn download(&self, file: &str) -> String {
        format!("{}/releases/download/v{}/{file}", self.repository, self.version)
    }
}
