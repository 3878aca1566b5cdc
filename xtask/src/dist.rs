//! `dist`: the programs, archives and packages of a release.
//!
//! The same commit gives the same bytes: nothing of the machine, the clock or the folder goes into them. What the packages say
//! of themselves is one table, `[workspace.metadata.dist]` and `[workspace.package]` in the root's `Cargo.toml`.

mod build;
mod contents;
mod deb;
mod entry;
mod facts;
mod libc;
mod notices;
mod npm;
mod programs;
mod recipes;
mod sbom;
mod sources;
mod sums;
mod tarball;
mod wheel;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::tree;
use crate::workspace::Workspace;
use contents::Contents;
use entry::Entry;
use facts::Facts;
use libc::Libc;
use programs::Programs;
use sources::Sources;

/// What is made of what.
struct Options {
    /// The C libraries that are linked, one build each.
    libcs: Vec<Libc>,
    /// Programs that were built before; they are built where none is named.
    programs: Option<PathBuf>,
    /// Where the files go.
    out: PathBuf,
}

impl Options {
    fn read(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self { libcs: Vec::new(), programs: None, out: tree::root().join("target/dist") };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let value = rest.next().with_context(|| format!("{name} has no value"))?;
            match name.as_str() {
                "--libc" => options.libcs.push(Libc::named(value)?),
                "--programs" => options.programs = Some(value.into()),
                "--out" => options.out = value.into(),
                _ => bail!("dist has no option {name}: --libc gnu|static, --programs FOLDER, --out FOLDER"),
            }
        }
        if options.libcs.is_empty() {
            options.libcs = vec![Libc::Static, Libc::Gnu];
        }
        if options.programs.is_some() && options.libcs.len() != 1 {
            bail!("--programs are of one C library: name it with --libc");
        }
        Ok(options)
    }
}

/// Builds and packs.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = Options::read(arguments)?;
    let facts = Facts::load()?;
    let workspace = Workspace::load()?;
    let sources = Sources::load(options.programs.is_none())?;
    std::fs::create_dir_all(&options.out).with_context(|| format!("making {}", options.out.display()))?;
    for libc in &options.libcs {
        let programs = match &options.programs {
            Some(folder) => Programs::in_folder(folder, &facts)?,
            None => build::build(&facts, *libc, &sources)?,
        };
        pack(&facts, &workspace, &sources, *libc, &programs, &options.out)?;
    }
    recipes::write(&facts, &options.out)?;
    sums::write(&options.out)
}

/// Packs the programs of one C library in all the ways that take them.
fn pack(
    facts: &Facts,
    workspace: &Workspace,
    sources: &Sources,
    libc: Libc,
    programs: &Programs,
    out: &Path,
) -> anyhow::Result<()> {
    let contents = Contents::collect(facts, workspace, sources, programs)?;
    let keep = |name: String, bytes: Vec<u8>| {
        eprintln!("dist: {name}, {} bytes", bytes.len());
        let path = out.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    };
    let stem = format!("{}-{}-{}", facts.name, facts.version, libc.platform());
    let prefixed: Vec<Entry> = contents.entries.iter().map(|entry| entry.below(&stem)).collect();
    keep(format!("{stem}.tar.gz"), tarball::gz(&prefixed, sources.clock)?)?;
    keep(format!("{}-{}.cdx.json", facts.name, facts.version), contents.sbom.clone())?;
    keep(wheel::file_name(facts, libc), wheel::pack(facts, libc, &contents)?)?;
    if libc == Libc::Gnu {
        keep(deb::file_name(facts), deb::pack(facts, &contents, sources.clock)?)?;
        keep(npm::file_name(facts), npm::pack(facts, &contents, sources.clock)?)?;
    }
    unpack(&out.join(&stem), &contents.entries)
}

/// Lays the tree out as it is installed: what `./run` takes programs from.
fn unpack(folder: &Path, entries: &[Entry]) -> anyhow::Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("clearing {}", folder.display()))?;
    }
    for entry in entries {
        entry.write_below(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
