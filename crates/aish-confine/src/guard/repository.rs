//! Paths in a repository's own folder: ordinary is what git writes there every day, by its shape; all else is asked about.

use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use super::{GONE, Judge, git_config};
use crate::attributes::{self, Attributes, FileKind};
use crate::changes::ChangeKind;
use crate::contents;
use crate::tree;

/// Files of a git folder that git writes every day and runs nothing from.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "index", "HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD",
    "REVERT_HEAD", "AUTO_MERGE", "SQUASH_MSG", "packed-refs", "COMMIT_EDITMSG", "TAG_EDITMSG", "description", "gc.log",
    "shallow", "info/exclude", "info/refs",
];

/// What git makes once and never takes away: with it goes what was only committed, staged or noted there.
#[rustfmt::skip]
const LASTING: &[&str] = &[
    "HEAD", "config", "packed-refs", "index", "objects", "objects/pack", "refs", "refs/heads", "refs/tags", "logs",
    "logs/HEAD", "lfs", "lfs/objects", "modules",
];

/// By what git takes a folder for a repository's own.
pub(super) const MARKS: &[&str] = &["HEAD", "objects", "refs", "commondir"];

/// Bytes of a file that holds the name of an object or a reference.
const LONGEST_REFERENCE: u64 = 4096;

/// Why an object is asked about that was there and is another one.
const LOST: &str = "git never changes what it stored, and has it nowhere else";

/// Why a path in a git folder is asked about that git does not write every day.
const OWN: &str = "it is git's own";

impl Judge<'_> {
    /// Returns the repository's own folder that a path is in, and where in it: git takes every folder for one that looks like
    /// one, whatever it is called, and runs what its configuration names.
    pub(super) fn below_repository(&self, path: &Path) -> Option<(PathBuf, PathBuf)> {
        let folder = path.ancestors().skip(1).find(|folder| {
            let key = (self.root, (*folder).to_owned());
            let known = self.known.repositories.borrow().get(&key).copied();
            known.unwrap_or_else(|| {
                let is = self.is_repository(folder);
                self.known.repositories.borrow_mut().insert(key, is);
                is
            })
        })?;
        Some((folder.to_owned(), path.strip_prefix(folder).ok()?.to_owned()))
    }

    fn is_repository(&self, folder: &Path) -> bool {
        let has = |name: &str| self.kind_now(&folder.join(name)).is_some();
        is_named_git(folder)
            || has("HEAD") && (has("commondir") || has("objects") && has("refs"))
            || tree::is_repository(&self.layer.tree(self.root).join(folder))
    }

    /// Says whether a change makes a repository of a folder that was there before: what lies in it is a hook or a
    /// configuration from then on.
    pub(super) fn makes_repository(&self, path: &Path, kind: ChangeKind) -> bool {
        let is_mark = path.file_name().is_some_and(|name| MARKS.iter().any(|mark| name == *mark));
        let Some(folder) = path.parent().filter(|_| is_mark && kind == ChangeKind::New) else { return false };
        let before = self.layer.tree(self.root).join(folder);
        before.is_dir() && !tree::is_repository(&before) && self.is_repository(folder)
    }

    /// Judges a path in a repository's own folder.
    pub(super) fn in_git(
        &self,
        path: &Path,
        (folder, below): (&Path, &Path),
        kind: ChangeKind,
    ) -> Option<&'static str> {
        let text = below.to_string_lossy();
        let text = text.trim_end_matches(".lock");
        let parts: Vec<&str> = text.split('/').collect();
        if kind == ChangeKind::Deleted {
            let is_object = parts.first() == Some(&"objects") && !self.has_new_pack(folder);
            let is_lasting = LASTING.contains(&text) || text.starts_with("lfs/objects/") || is_object;
            return is_lasting.then_some(GONE);
        }
        match self.kind_now(path) {
            Some(FileKind::Link) => return Some("git follows it to where it leads"),
            Some(FileKind::Folder) => return (!is_folder(&parts)).then_some(OWN),
            Some(FileKind::File) if self.is_executable(path) && !is_sample(&parts) => {
                return Some("it can be run from now on");
            }
            Some(_) | None => {}
        }
        match &parts[..] {
            ["config"] => {
                let same = self.contents(path).is_some_and(|(old, new)| git_config::runs_the_same(&old, &new));
                (!same).then_some("git runs what it names")
            }
            ["objects", "info", name] if name.ends_with("alternates") => Some("git takes objects from elsewhere by it"),
            ["index"] if path.ends_with("index") => self.staged(path, folder),
            _ if kind == ChangeKind::Changed && is_written_once(&parts) && !self.has_same_content(path) => Some(LOST),
            ["hooks", name, ..] if !name.ends_with(".sample") => Some("git runs it"),
            ["refs", ..] | ["HEAD" | "ORIG_HEAD"] => {
                let file = self.layer.upper(self.root).join(path);
                // A lock that was left is empty.
                let is_left = path.extension().is_some_and(|end| end == "lock") && is_empty(&file);
                (!is_left && !is_reference(&file)).then_some(OWN)
            }
            _ => (!is_file(text, &parts)).then_some(OWN),
        }
    }

    /// Says whether only attributes of a file changed.
    fn has_same_content(&self, path: &Path) -> bool {
        let (old, new) = (self.layer.tree(self.root).join(path), self.layer.upper(self.root).join(path));
        let (Ok(Some(old_is)), Ok(Some(new_is))) = (Attributes::of(&old), Attributes::of(&new)) else { return false };
        contents::is_same_content(&old, &old_is, &new, &new_is).unwrap_or(false)
    }

    /// Says whether a pack came into a repository's folder: then objects that go have a place in it.
    fn has_new_pack(&self, folder: &Path) -> bool {
        let packs = folder.join("objects/pack");
        let (above, before) = (self.layer.upper(self.root).join(&packs), self.layer.tree(self.root).join(&packs));
        fs::read_dir(&above).into_iter().flatten().flatten().any(|entry| {
            let name = entry.file_name();
            let is_pack = is_pack_file(&name.to_string_lossy()) && name.to_string_lossy().ends_with(".pack");
            is_pack && before.join(&name).symlink_metadata().is_err() && begins_with(&entry.path(), b"PACK")
        })
    }

    /// Judges a `.git` that is no folder: a work tree takes its configuration from where it leads.
    pub(super) fn pointer(&self, path: &Path) -> Option<&'static str> {
        let named = tree::pointer(&self.layer.upper(self.root).join(path));
        let is_module = named.is_some_and(|named| {
            let mut below = path.parent().unwrap_or(Path::new("")).to_owned();
            let stays = named.components().all(|part| match part {
                Component::ParentDir => below.pop(),
                Component::Normal(name) => {
                    below.push(name);
                    true
                }
                Component::CurDir => true,
                Component::RootDir | Component::Prefix(_) => false,
            });
            stays && below.starts_with(".git/modules")
        });
        (!is_module).then_some("git takes its configuration from where it leads")
    }

    /// Finds what a person decides on in a folder that is gone as a whole: repositories, with all that was only committed
    /// there, and guarded names.
    pub(super) fn gone(&self, path: &Path, found: &mut Vec<super::Guarded>) {
        let below = self.layer.tree(self.root);
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            let before = below.join(&folder);
            if is_named_git(&folder) || tree::is_repository(&before) {
                // Git takes away by itself what a linked work tree had.
                if !before.join("commondir").is_file() {
                    self.add(&folder, GONE, found);
                }
                continue;
            }
            let is_built = self.is_built(&folder);
            for entry in fs::read_dir(&before).into_iter().flatten().flatten() {
                let path = folder.join(entry.file_name());
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                // A `.git` that is a file only says where a repository is.
                let is_judged = !is_built && !is_named_git(&path);
                let why = is_judged.then(|| self.path(&path, ChangeKind::Deleted)).flatten();
                if let Some(why) = why {
                    self.add(&path, why, found);
                } else if is_folder {
                    folders.push(path);
                }
            }
        }
    }
}

/// Says whether a folder is called as git calls a repository's own.
pub(super) fn is_named_git(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == ".git")
}

/// Says whether git makes such a folder, or one below it.
fn is_folder(parts: &[&str]) -> bool {
    match parts {
        ["objects", name] => is_hex(name, 2..=2) || matches!(*name, "pack" | "info"),
        ["objects", rest @ ..] => matches!(rest, [] | ["info", "commit-graphs"]),
        ["logs", rest @ ..] => matches!(rest, [] | ["refs", ..]),
        ["lfs", rest @ ..] => is_lfs_folder(rest),
        ["hooks" | "info" | "branches" | "reftable"] | ["worktrees"] | ["worktrees", _] => true,
        ["refs" | "modules", ..] => true,
        _ => false,
    }
}

/// Says whether git writes such a file every day and runs nothing from it.
fn is_file(text: &str, parts: &[&str]) -> bool {
    let is_temporary = |name: &str| name.starts_with("tmp_");
    match parts {
        ["objects", "pack", name] => is_pack_file(name) || is_temporary(name),
        ["objects", "info", name] => matches!(*name, "packs" | "commit-graph"),
        ["objects", "info", "commit-graphs", name] => name.ends_with(".graph") || *name == "commit-graph-chain",
        ["objects", folder, name] => is_hex(folder, 2..=2) && (is_hex(name, 38..=62) || is_temporary(name)),
        ["logs", "HEAD"] | ["logs", "refs", ..] => true,
        ["lfs", rest @ .., _] => !rest.is_empty() && is_lfs_folder(rest),
        ["reftable", name] => *name == "tables.list" || name.starts_with("0x") && name.ends_with(".ref"),
        ["hooks", name] => name.ends_with(".sample"),
        [name] if name.starts_with("sharedindex.") => is_hex(name.trim_start_matches("sharedindex."), 40..=64),
        _ => FILES.contains(&text),
    }
}

/// Says whether git writes such a file once, under a name that its content gives.
fn is_written_once(parts: &[&str]) -> bool {
    match parts {
        ["objects", "pack", name] => is_pack_file(name) && name.ends_with(".pack"),
        ["objects", folder, name] => is_hex(folder, 2..=2) && is_hex(name, 38..=62),
        ["lfs", "objects", .., name] => is_hex(name, 64..=64),
        _ => false,
    }
}

fn is_lfs_folder(parts: &[&str]) -> bool {
    match parts {
        ["objects", rest @ ..] => rest.len() <= 2 && rest.iter().all(|part| is_hex(part, 2..=2)),
        [] | ["tmp" | "cache" | "incomplete" | "logs", ..] => true,
        _ => false,
    }
}

/// Says whether a file in the folder of packs is called as git calls them.
fn is_pack_file(name: &str) -> bool {
    if name.starts_with("multi-pack-index") {
        return true;
    }
    // A repack that was cut leaves its work under a name of its own.
    let name = name.strip_prefix(".tmp-").and_then(|rest| rest.split_once('-')).map_or(name, |(_, name)| name);
    let Some((hex, ending)) = name.strip_prefix("pack-").and_then(|rest| rest.split_once('.')) else { return false };
    is_hex(hex, 40..=64) && ending.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn is_sample(parts: &[&str]) -> bool {
    matches!(parts, ["hooks", name] if name.ends_with(".sample"))
}

fn is_hex(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Says whether a file holds the name of an object, or leads to another reference.
fn is_reference(file: &Path) -> bool {
    let is_short = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST_REFERENCE);
    let mut text = String::new();
    let read = is_short && attributes::open(file).is_ok_and(|mut file| file.read_to_string(&mut text).is_ok());
    let is_one = |text: &str| match text.strip_prefix("ref: ") {
        Some(name) => name.starts_with("refs/"),
        None => is_hex(text, 40..=64),
    };
    read && text.strip_suffix('\n').is_some_and(|line| !line.contains('\n') && is_one(line))
}

fn is_empty(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() == 0)
}

fn begins_with(file: &Path, mark: &[u8]) -> bool {
    let mut start = vec![0; mark.len()];
    attributes::open(file).and_then(|mut file| file.read_exact(&mut start)).is_ok_and(|()| start == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_every_day_is_known_by_its_shape() {
        let hex = "0123456789abcdef0123456789abcdef01234567";
        let is = |text: &str| is_file(text, &text.split('/').collect::<Vec<_>>());
        for text in [
            "index",
            "objects/ab/0123456789abcdef0123456789abcdef012345",
            "objects/ab/tmp_obj_x1",
            &format!("objects/pack/pack-{hex}.idx"),
            &format!("objects/pack/.tmp-12-pack-{hex}.pack"),
            "objects/info/commit-graph",
            "logs/HEAD",
            "logs/refs/heads/a/b",
            "hooks/update.sample",
            &format!("sharedindex.{hex}"),
            &format!("lfs/objects/ab/cd/{hex}"),
            "info/exclude",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "objects/app/CLAUDE.md",
            "objects/ab/x",
            "objects/pack/pack-x.pack",
            "logs/run",
            "logs/.envrc",
            "branches/evil",
            "lfs/hooks",
            "lfs/x",
            "modules/x",
            "worktrees/x",
            "commondir",
            "config.worktree",
            "remotes/x",
            "index/x",
        ] {
            assert!(!is(text), "{text}");
        }
        assert!(is_folder(&["modules", "a", "b"]) && is_folder(&["objects", "ab"]) && is_folder(&["branches"]));
        assert!(!is_folder(&["objects", "app"]) && !is_folder(&["remotes"]) && !is_folder(&["lfs", "hooks"]));
    }

    #[test]
    fn a_reference_is_a_name_and_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let hex = "0123456789abcdef0123456789abcdef01234567";
        for (text, is) in [
            (format!("{hex}\n"), true),
            ("ref: refs/heads/main\n".into(), true),
            (String::new(), false),
            (format!("{hex}\n# Read this\n"), false),
            ("ref: ../x\n".into(), false),
            ("Run x\n".into(), false),
            ("x".repeat(5_000), false),
        ] {
            fs::write(&file, &text).unwrap();
            assert_eq!(is_reference(&file), is, "{text:.50}");
        }
    }
}
