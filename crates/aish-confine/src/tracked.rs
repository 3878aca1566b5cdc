//! Whether git has the content of a file of a work tree, so that whoever reads the repository has it anyway.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use sha1::{Digest as _, Sha1};

use crate::tree::pointer;

/// Bytes of an index that is read.
const LONGEST: u64 = 256 << 20;

/// Bytes of a file that is compared.
const LONGEST_FILE: u64 = 1 << 20;

/// The indexes of work trees, read when they are first asked.
#[derive(Default)]
pub(crate) struct Tracked {
    indexes: HashMap<PathBuf, Option<Vec<u8>>>,
}

impl Tracked {
    /// Says whether the index of the work tree around a file has an object with exactly its content.
    pub(crate) fn has(&mut self, root: &Path, file: &Path) -> bool {
        let is_work_tree = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
        let mut around = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        let Some(work_tree) = around.find(is_work_tree) else { return false };
        // Git never has anything of its own folder.
        if file.strip_prefix(work_tree).is_ok_and(|below| below.starts_with(".git")) {
            return false;
        }
        let is_short = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST_FILE);
        let Some(Ok(content)) = is_short.then(|| fs::read(file)) else { return false };
        let mut hash = Sha1::new();
        hash.update(format!("blob {}\0", content.len()));
        hash.update(&content);
        let object = hash.finalize();
        let index = self.indexes.entry(work_tree.to_owned()).or_insert_with(|| read(work_tree));
        index.as_ref().is_some_and(|index| index.windows(object.len()).any(|part| part == &object[..]))
    }
}

fn read(work_tree: &Path) -> Option<Vec<u8>> {
    let git = work_tree.join(".git");
    let git = pointer(&git).map_or(git, |named| work_tree.join(named));
    let file = git.join("index");
    let meta = fs::symlink_metadata(&file).ok()?;
    (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read(file).ok())?
}
