//! The workspace and everything it is built from, as `cargo metadata` tells it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tree;
use anyhow::{Context, ensure};

/// How one package needs another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// It is linked.
    Normal,
    /// Its build script needs it.
    Build,
    /// Its tests need it.
    Dev,
}

/// One package, of ours or of others.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its licence expression, where it gives one.
    pub(crate) licence: Option<String>,
    /// The folder of its manifest.
    pub(crate) folder: PathBuf,
    /// The registry that it comes from; none for ours.
    pub(crate) registry: Option<String>,
    /// What it needs on this platform, by package id.
    pub(crate) needs: Vec<(Kind, String)>,
}

/// All packages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Workspace {
    /// By package id.
    pub(crate) packages: BTreeMap<String, Package>,
    /// The ids of the workspace's own.
    pub(crate) members: BTreeSet<String>,
}

impl Workspace {
    /// Asks cargo, for the platform we run on, with the versions of `Cargo.lock`.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &platform])
            .current_dir(tree::root())
            .output()
            .context("cargo cannot be started")?;
        ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        Self::read(serde_json::from_slice(&output.stdout).context("cargo metadata is no JSON")?)
    }

    fn read(metadata: wire::Metadata) -> anyhow::Result<Self> {
        let mut needs: BTreeMap<String, Vec<(Kind, String)>> = BTreeMap::new();
        for node in metadata.resolve.nodes {
            let arrows = node.deps.into_iter().flat_map(|dependency| {
                let target = dependency.pkg;
                dependency.dep_kinds.into_iter().map(move |entry| (Kind::from(entry.kind), target.clone()))
            });
            needs.insert(node.id, arrows.collect());
        }
        let mut packages = BTreeMap::new();
        for package in metadata.packages {
            // A package of another platform is listed and not resolved.
            let Some(needs) = needs.remove(&package.id) else { continue };
            let facts = Package {
                name: package.name,
                version: package.version,
                licence: package.license,
                folder: package.manifest_path.parent().map(Path::to_path_buf).unwrap_or_default(),
                registry: package.source,
                needs,
            };
            packages.insert(package.id, facts);
        }
        ensure!(needs.is_empty(), "cargo metadata resolves packages that it does not describe");
        Ok(Self { packages, members: metadata.workspace_members })
    }

    /// Lists our own packages.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Package> {
        self.members.iter().filter_map(|id| self.packages.get(id))
    }

    /// Lists what a package needs directly, by name, with whether it is ours.
    pub(crate) fn needs<'a>(&'a self, package: &'a Package) -> impl Iterator<Item = (Kind, &'a str, bool)> {
        package.needs.iter().filter_map(|(kind, id)| {
            let target = self.packages.get(id)?;
            Some((*kind, target.name.as_str(), self.members.contains(id)))
        })
    }

    /// Lists what is linked into a package because it names it itself.
    pub(crate) fn linked_directly<'a>(&'a self, package: &'a Package) -> impl Iterator<Item = &'a Package> {
        let normal = package.needs.iter().filter(|(kind, _)| *kind == Kind::Normal);
        normal.filter_map(|(_, id)| self.packages.get(id))
    }

    /// Returns the names of all that is linked into a package of ours.
    pub(crate) fn linked(&self, name: &str) -> BTreeSet<&str> {
        self.linked_packages(name).into_values().map(|package| package.name.as_str()).collect()
    }

    /// Returns all that is linked into a package of ours, by package id.
    pub(crate) fn linked_packages(&self, name: &str) -> BTreeMap<&str, &Package> {
        let mut seen = BTreeMap::new();
        let mut open: Vec<&Package> = self.own().filter(|package| package.name == name).collect();
        while let Some(package) = open.pop() {
            for (kind, id) in &package.needs {
                if *kind == Kind::Normal
                    && let Some(target) = self.packages.get(id)
                    && seen.insert(id.as_str(), target).is_none()
                {
                    open.push(target);
                }
            }
        }
        seen
    }
}

impl From<wire::Kind> for Kind {
    fn from(kind: wire::Kind) -> Self {
        match kind {
            wire::Kind::Normal => Self::Normal,
            wire::Kind::Build => Self::Build,
            wire::Kind::Dev => Self::Dev,
        }
    }
}

/// What cargo prints, as far as it is read.
mod wire {
    use std::collections::BTreeSet;

    use serde::{Deserialize, Deserializer};

    #[derive(Deserialize)]
    pub(super) struct Metadata {
        pub(super) packages: Vec<Package>,
        pub(super) workspace_members: BTreeSet<String>,
        pub(super) resolve: Resolve,
    }

    #[derive(Deserialize)]
    pub(super) struct Package {
        pub(super) id: String,
        pub(super) name: String,
        pub(super) version: String,
        pub(super) license: Option<String>,
        pub(super) manifest_path: std::path::PathBuf,
        pub(super) source: Option<String>,
    }

    #[derive(Deserialize)]
    pub(super) struct Resolve {
        pub(super) nodes: Vec<Node>,
    }

    #[derive(Deserialize)]
    pub(super) struct Node {
        pub(super) id: String,
        pub(super) deps: Vec<Dependency>,
    }

    #[derive(Deserialize)]
    pub(super) struct Dependency {
        pub(super) pkg: String,
        pub(super) dep_kinds: Vec<Entry>,
    }

    #[derive(Deserialize)]
    pub(super) struct Entry {
        #[serde(deserialize_with = "kind")]
        pub(super) kind: Kind,
    }

    pub(super) enum Kind {
        Normal,
        Build,
        Dev,
    }

    /// Reads cargo's `null`, `"build"` or `"dev"`.
    fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        match Option::<String>::deserialize(deserializer)?.as_deref() {
            None => Ok(Kind::Normal),
            Some("build") => Ok(Kind::Build),
            Some("dev") => Ok(Kind::Dev),
            Some(other) => Err(serde::de::Error::custom(format!("no kind of dependency: {other}"))),
        }
    }
}
