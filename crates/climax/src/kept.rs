//! Very many tools, kept from one start to the next: reading their files again takes seconds.
//!
//! Two files for one list of sources. The first has the configurations, each with the stamp of the file that it was read from:
//! what has another stamp now is read anew, and so is what had a fault, an API or servers. The second has the index of exactly
//! these tools, told by a hash of all that it was made of. Both are of one build, have a checksum, and are replaced as a whole;
//! whatever is wrong with one of them, everything is read anew.

mod configs;
mod file;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aish_tools::Index;

use crate::catalogue::Catalogue;
use crate::load::{self, Loaded, Source};
use configs::Kept;
pub(crate) use file::Sum;

/// Tools from which on they are kept.
pub(crate) const MIN_TOOLS: usize = 2_000;
/// Bytes from which on a single file is looked up.
const LARGE: u64 = 256 * 1024;

/// What is kept of one list of sources.
#[derive(Debug, Default)]
pub struct KeptTools {
    /// The files without their endings; none where nothing is kept.
    path: Option<PathBuf>,
    /// What can be kept of the sources, in their order.
    kept: Vec<Kept>,
    /// True when a configuration was read anew that can be kept.
    is_stale: bool,
    /// True when the index came out of its file.
    has_index: AtomicBool,
}

impl KeptTools {
    /// Loads sources, out of what is kept in a folder where they are still the same.
    pub fn load(folder: Option<&Path>, sources: &[Source]) -> (Loaded, Self) {
        let Some(folder) = folder.filter(|_| is_worth_a_look(sources)) else {
            return (load::load(sources), Self::default());
        };
        let path = folder.join("kept").join(file::name_of(sources));
        let mut kept: Vec<Kept> = sources.iter().map(Kept::of).collect();
        if let Some(file) = file::read(&path.with_extension("configs")) {
            configs::find(file.content(), &mut kept);
        }
        let unknown = sources.iter().zip(&kept).filter(|(_, kept)| kept.config.is_none());
        let unknown: Vec<Source> = unknown.map(|(source, _)| source.clone()).collect();
        let mut read = load::read_all(&unknown).into_iter();
        let (mut loaded, mut is_stale) = (Loaded::default(), false);
        for (number, kept) in kept.iter_mut().enumerate() {
            if let Some(config) = &kept.config {
                loaded.take(number, Some(Arc::clone(config)), Vec::new());
                continue;
            }
            let Some((config, faults)) = read.next() else { continue };
            let config = config.map(Arc::new);
            kept.config = config.clone().filter(|config| faults.is_empty() && kept.can_hold(config));
            is_stale |= kept.config.is_some();
            loaded.take(number, config, faults);
        }
        (loaded, Self { path: Some(path), kept, is_stale, has_index: AtomicBool::new(false) })
    }

    /// Returns the kept index of these tools, where there is one.
    pub fn index(&self, catalogue: &Catalogue) -> Option<Index> {
        if !catalogue.has_many_tools() {
            return None;
        }
        let file = file::read(&self.path.as_ref()?.with_extension("index"))?;
        let (made_of, stored) = file.content().split_at_checked(size_of::<u64>())?;
        if made_of != catalogue.fingerprint().to_le_bytes() {
            return None;
        }
        let index = Index::restore(catalogue.groups(), catalogue.definitions(), stored);
        self.has_index.store(index.is_some(), Ordering::Relaxed);
        index
    }

    /// Says whether what is kept is not what was read.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Writes what is not kept yet, of the index of the catalogue's tools alone; a failure is logged.
    pub fn write(&self, catalogue: &Catalogue, index: &Index) {
        let Some(path) = self.path.as_ref().filter(|_| catalogue.has_many_tools()) else { return };
        if self.is_stale {
            file::write(&path.with_extension("configs"), configs::write(&self.kept, file::room()));
        }
        let is_of_these = index.len() == catalogue.definitions().len();
        if is_of_these && !self.has_index.load(Ordering::Relaxed) {
            let mut head = file::room();
            head.extend(catalogue.fingerprint().to_le_bytes());
            index.store(head).into_iter().for_each(|bytes| file::write(&path.with_extension("index"), bytes));
        }
        file::forget_old(path);
    }
}

/// Says whether sources may have many tools.
fn is_worth_a_look(sources: &[Source]) -> bool {
    match sources {
        [Source::File(path)] => path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() >= LARGE),
        [] | [Source::Bundled(_)] => false,
        _ => sources.iter().any(|source| matches!(source, Source::File(_))),
    }
}

#[cfg(test)]
mod mutated;
#[cfg(test)]
mod tests;
