//! What an index of git has from now on: `git checkout` writes it into the work tree without a question, so that what it has of a
//! guarded path is what that path holds, and folders of sources do not become those that builds fill.

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::repository::is_named_git;
use super::{BUILT, Judge};
use crate::attributes::FileKind;
use crate::changes::ChangeKind;
use crate::git_index::{self, Index};

/// Bytes of a file that is compared.
const LONGEST: u64 = 4 << 20;

/// Entries for guarded paths that are looked at; each is one that differs from before.
const MOST: usize = 10_000;

const UNREADABLE: &str = "it cannot be read what git has from now on";
const OTHER: &str = "git has other content for a guarded path, and a checkout brings it there";
const DROPPED: &str = "git has nothing more in a folder that is called as one that builds fill";

impl Judge<'_> {
    /// Judges the index at a path, in a repository's own folder.
    pub(super) fn staged(&self, path: &Path, folder: &Path) -> Option<&'static str> {
        let (old, new) = (self.layer.tree(self.root).join(path), self.layer.upper(self.root).join(path));
        let hasher = RandomState::new();
        let mut before = HashSet::new();
        let is_known = git_index::entries(&old, &mut |path, object| {
            before.insert(hasher.hash_one((path, object)));
        });
        let mut changed: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        let is_read = git_index::entries(&new, &mut |path, object| {
            if changed.len() < MOST && (is_known.is_none() || !before.contains(&hasher.hash_one((path, object)))) {
                changed.push((std::ffi::OsStr::from_bytes(path).into(), object.to_vec()));
            }
        });
        if is_read.is_none() || is_known.is_none() && old.symlink_metadata().is_ok() || changed.len() >= MOST {
            return Some(UNREADABLE).filter(|_| is_read.is_none() || self.has_guarded(folder, &changed));
        }
        if self.has_guarded(folder, &changed) {
            return Some(OTHER);
        }
        let (old, new) = (Index::read(&old, BUILT), Index::read(&new, BUILT));
        let work_tree = self.work_tree(folder);
        let stays = |below: &[u8]| {
            let below = Path::new(std::ffi::OsStr::from_bytes(below));
            work_tree.as_ref().is_none_or(|(root, work_tree)| {
                self.in_root(*root).kind_now(&work_tree.join(below)) == Some(FileKind::Folder)
            })
        };
        let dropped =
            old.iter().flat_map(Index::folders).filter(|folder| !new.as_ref().is_some_and(|new| new.has_in(folder)));
        dropped.into_iter().any(stays).then_some(DROPPED)
    }

    /// Says whether an entry is for a path that a person decides on, and not what is there.
    fn has_guarded(&self, folder: &Path, changed: &[(PathBuf, Vec<u8>)]) -> bool {
        let work_tree = self.work_tree(folder);
        let (root, work_tree) = work_tree.map_or((None, PathBuf::new()), |(root, path)| (Some(root), path));
        let judge = self.in_root(root.unwrap_or(self.root));
        changed.iter().any(|(below, object)| {
            let path = work_tree.join(below);
            // Git has nothing of its own folder.
            below.ancestors().any(is_named_git)
                || judge.path(&path, ChangeKind::Changed).is_some() && (root.is_none() || !judge.holds(&path, object))
        })
    }

    /// Says whether what is at a path after the run is what an object is of.
    fn holds(&self, path: &Path, object: &[u8]) -> bool {
        let above = self.layer.upper(self.root).join(path);
        let is_above = above.symlink_metadata().is_ok();
        let file = if is_above { above } else { self.layer.tree(self.root).join(path) };
        let content = match self.kind_now(path) {
            Some(FileKind::Link) => fs::read_link(&file).map(|target| target.as_os_str().as_bytes().to_vec()).ok(),
            Some(FileKind::File) => {
                let is_short = file.symlink_metadata().is_ok_and(|meta| meta.len() <= LONGEST);
                is_short.then(|| fs::read(&file).ok()).flatten()
            }
            Some(_) | None => None,
        };
        content.is_some_and(|content| git_index::is_blob(object, &content))
    }

    fn in_root(&self, root: usize) -> Judge<'_> {
        Judge { layer: self.layer, root, settings: self.settings, known: self.known }
    }

    /// Returns the work tree of a repository's own folder, by root; none where it is in no root or not known.
    fn work_tree(&self, folder: &Path) -> Option<(usize, PathBuf)> {
        let git = self.layer.tree(self.root).join(folder);
        let at = |below: &str| fs::read_to_string(git.join(below)).ok();
        let linked = || Some(PathBuf::from(at("gitdir")?.trim_end()).parent()?.to_owned());
        // A submodule's repository says where its work tree is.
        let module = || {
            let config = at("config")?;
            let values = config.lines().filter_map(|line| line.trim().strip_prefix("worktree"));
            let value = values.filter_map(|rest| rest.trim_start().strip_prefix('=')).next_back()?;
            fs::canonicalize(git.join(value.trim().trim_matches('"'))).ok()
        };
        let work_tree = match is_named_git(&git) {
            true => git.parent().map(Path::to_owned),
            false => linked().or_else(module),
        }?;
        let roots = self.layer.about.covered.iter().enumerate().filter(|(_, covered)| !covered.cache);
        let mut within =
            roots.filter_map(|(root, covered)| Some((root, work_tree.strip_prefix(&covered.path).ok()?.to_owned())));
        within.next()
    }
}
