//! What a layer changed, as facts.
//!
//! A layer is compared with the tree below it: marks for "deleted", new paths, files that differ, folders whose mode or
//! owner do. A new or deleted folder is one fact with the number of its files.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::attributes::{self, Attributes, FileKind};
use crate::cache;
use crate::layer::{Layer, LayerError, at};
use crate::parts;

/// How a path changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It is gone.
    Deleted,
    /// It is another.
    Changed,
    /// It was not there.
    New,
}

impl ChangeKind {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Changed => "changed",
            Self::New => "new",
        }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The number of the root in the layer.
    pub root: usize,
    /// The path below the root.
    pub path: PathBuf,
    /// How it changed.
    pub kind: ChangeKind,
    /// What was there.
    pub before: Option<FileKind>,
    /// What is there.
    pub after: Option<FileKind>,
    /// Files in it, itself included, where it is a folder that came or went as a whole; else 1.
    pub files: u64,
    /// Bytes of those that came, or of those that went.
    pub bytes: u64,
    /// Mode before and after, where both are there and differ.
    pub mode: Option<(u32, u32)>,
    /// Whether only attributes differ and the content does not.
    pub attributes_only: bool,
    /// Whether the folder takes the place of one, of which nothing is left.
    pub replaces: bool,
    /// Attributes of what was there, as it was compared.
    pub(crate) old: Option<Attributes>,
    /// Attributes of what is there.
    pub(crate) new: Option<Attributes>,
}

/// A path that is not kept, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The number of the root.
    pub root: usize,
    /// The path below it.
    pub path: PathBuf,
    /// Why, in words.
    pub why: &'static str,
}

/// All changes of a layer, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// What would be kept.
    pub changes: Vec<Change>,
    /// What would not.
    pub refused: Vec<Refused>,
    /// Folders, by root and path, of which the time of modification alone differs: something came in them and went. No
    /// facts, and kept with the rest.
    pub times: Vec<(usize, PathBuf)>,
}

impl Changes {
    /// Says whether nothing changed but times of folders.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.refused.is_empty()
    }
}

/// System folders that a link may lead into: nobody's own files are there.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix/store", "/dev/null"];

/// What becomes of the caches of package managers that a layer covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caches {
    /// Their changes are not looked at, and stay in the layer.
    LeftOut,
    /// Their changes count like those of the tree.
    Included,
}

impl Layer {
    /// Says what changed in the roots.
    ///
    /// # Errors
    /// When the layer or the tree cannot be read.
    pub fn changes(&self, caches: Caches) -> Result<Changes, LayerError> {
        self.unveil()?;
        let mut out = Changes::default();
        for (root, covered) in self.about.covered.iter().enumerate() {
            if caches == Caches::Included || !covered.cache {
                let is_shared = covered.cache && cache::is_shared(&covered.path);
                let walk = Walk { root, tree: &covered.path, upper: self.upper(root), is_shared };
                walk.folder(Path::new(""), &mut out)?;
            }
        }
        Ok(out)
    }
}

/// Links that are followed to find out where one leads; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// Folders in one another.
const DEEPEST: usize = 500;

/// Bytes of two files that are compared at once.
const PIECE: usize = 64 * 1024;

struct Walk<'a> {
    root: usize,
    tree: &'a Path,
    upper: PathBuf,
    /// Whether it is a folder of caches of which not each holds downloads alone.
    is_shared: bool,
}

impl Walk<'_> {
    /// Compares a folder that is both in the layer and below it.
    fn folder(&self, path: &Path, out: &mut Changes) -> Result<(), LayerError> {
        self.is_too_deep(path)?;
        let (above, below) = (self.upper.join(path), self.tree.join(path));
        if let (Some(old), Some(new)) = (at(&below, Attributes::of(&below))?, at(&above, Attributes::of(&above))?) {
            let alike = old.permissions() == new.permissions();
            if !alike || !at(&above, attributes::has_same_extended(&below, &above))? {
                let change = self.change(path, Some(&old), Some(&new));
                out.changes.push(Change { attributes_only: true, ..change });
            } else if old.modified != new.modified {
                out.times.push((self.root, path.to_owned()));
            }
        }
        for part in parts::of(&names(&above)?, |names| self.entries(path, names)) {
            let part = part?;
            out.changes.extend(part.changes);
            out.refused.extend(part.refused);
            out.times.extend(part.times);
        }
        Ok(())
    }

    /// Compares entries of a folder of the layer with those below it.
    fn entries(&self, folder: &Path, names: &[OsString]) -> Result<Changes, LayerError> {
        let mut out = Changes::default();
        for path in names.iter().map(|name| folder.join(name)) {
            if self.is_shared && !cache::is_fetched(&path) {
                continue;
            }
            let (above, below) = (self.upper.join(&path), self.tree.join(&path));
            let Some(new) = at(&above, Attributes::of(&above))? else { continue };
            let old = at(&below, Attributes::of(&below))?;
            self.entry(&path, old, &new, &mut out)?;
        }
        Ok(out)
    }

    fn entry(
        &self,
        path: &Path,
        old: Option<Attributes>,
        new: &Attributes,
        out: &mut Changes,
    ) -> Result<(), LayerError> {
        let (above, below) = (self.upper.join(path), self.tree.join(path));
        match (new.kind, &old) {
            (FileKind::Whiteout, None) => {}
            (FileKind::Whiteout, Some(old)) => {
                let mut change = self.change(path, Some(old), None);
                (change.files, change.bytes) = count(&below, old);
                out.changes.push(change);
            }
            (FileKind::Special, _) => self.refuse(path, "it is a device, a socket or a FIFO", out),
            (FileKind::Folder, Some(old)) if old.kind == FileKind::Folder && !attributes::is_opaque(&above) => {
                self.folder(path, out)?;
            }
            (FileKind::Folder, old) => {
                let mut change = self.change(path, old.as_ref(), Some(new));
                change.replaces = old.is_some();
                (change.files, change.bytes) = count(&above, new);
                self.refuse_inside(path, out)?;
                out.changes.push(change);
            }
            (FileKind::File | FileKind::Link, old) => {
                if let Some(why) = at(&above, self.fault(path, new))? {
                    self.refuse(path, why, out);
                    return Ok(());
                }
                let same_content = match old {
                    Some(old) => at(&above, is_same_content(&below, old, &above, new))?,
                    None => false,
                };
                if let Some(old) = old
                    && same_content
                    && old.is_alike(new)
                    && at(&above, attributes::has_same_extended(&below, &above))?
                {
                    return Ok(());
                }
                let change = self.change(path, old.as_ref(), Some(new));
                out.changes.push(Change { attributes_only: same_content, bytes: new.size, ..change });
            }
        }
        Ok(())
    }

    fn change(&self, path: &Path, old: Option<&Attributes>, new: Option<&Attributes>) -> Change {
        let kind = match (old, new) {
            (None, _) => ChangeKind::New,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Changed,
        };
        let mode = old.zip(new).map(|(old, new)| (old.mode, new.mode)).filter(|(old, new)| old != new);
        Change {
            root: self.root,
            path: path.to_owned(),
            kind,
            before: old.map(|old| old.kind),
            after: new.map(|new| new.kind),
            files: 1,
            bytes: 0,
            mode,
            attributes_only: false,
            replaces: false,
            old: old.cloned(),
            new: new.cloned(),
        }
    }

    fn refuse(&self, path: &Path, why: &'static str, out: &mut Changes) {
        out.refused.push(Refused { root: self.root, path: path.to_owned(), why });
    }

    /// Says why a file or link of a layer must not come into the tree.
    fn fault(&self, path: &Path, new: &Attributes) -> io::Result<Option<&'static str>> {
        if new.kind == FileKind::File && new.mode & 0o6000 != 0 {
            return Ok(Some("it would run with the rights of its owner (setuid)"));
        }
        if new.kind == FileKind::Link {
            let target = fs::read_link(self.upper.join(path))?;
            if leads_out(path, &target, self.tree) || self.is_led_out(path, target)? {
                return Ok(Some("it is a link that leads out of the tree"));
            }
        }
        Ok(None)
    }

    /// Says whether a link leads out of the tree by way of other links, as they are in the layer and below it.
    fn is_led_out(&self, path: &Path, target: PathBuf) -> io::Result<bool> {
        let parts = |path: &Path| path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
        let mut at = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut left: Vec<PathBuf> = parts(&target);
        let mut links = 0;
        while let Some(part) = left.pop() {
            if part.is_absolute() {
                // Put together again: it is in the tree, or ends here.
                let whole: PathBuf = std::iter::once(part).chain(left.drain(..).rev()).collect();
                let Ok(below) = whole.strip_prefix(self.tree) else {
                    let climbs = whole.components().any(|part| part == std::path::Component::ParentDir);
                    return Ok(climbs || !SYSTEM.iter().any(|folder| whole.starts_with(folder)));
                };
                (at, left) = (PathBuf::new(), parts(below));
                continue;
            }
            match part.as_os_str().as_encoded_bytes() {
                b"." => continue,
                b".." if at.pop() => continue,
                b".." => return Ok(true),
                _ => at.push(&part),
            }
            if let Some(target) = self.link(&at)? {
                links += 1;
                if links > MOST_LINKS {
                    return Ok(true);
                }
                at.pop();
                left.extend(parts(&target));
            }
        }
        Ok(false)
    }

    /// Returns where a link leads that is in the layer, or in the tree and not covered; none for everything else.
    fn link(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        let (above, below) = (self.upper.join(path), self.tree.join(path));
        let there = match Attributes::of(&above)? {
            Some(attributes) => Some((above, attributes)),
            None => Attributes::of(&below)?.map(|attributes| (below, attributes)),
        };
        let link = there.filter(|(_, attributes)| attributes.kind == FileKind::Link);
        link.map(|(path, _)| fs::read_link(path)).transpose()
    }

    /// Gives up where folders lie so deep in one another that the system soon takes no path to them any more.
    fn is_too_deep(&self, path: &Path) -> Result<(), LayerError> {
        let mut parts = path.components();
        let first = parts.next().map(|first| self.tree.join(first.as_os_str()));
        let source = || io::Error::other(format!("folders lie more than {DEEPEST} deep in one another"));
        match first.filter(|_| parts.count() >= DEEPEST) {
            Some(path) => Err(LayerError { path, source: source() }),
            None => Ok(()),
        }
    }

    /// Lists what must not be kept in a folder that is new as a whole.
    fn refuse_inside(&self, path: &Path, out: &mut Changes) -> Result<(), LayerError> {
        self.is_too_deep(path)?;
        let above = self.upper.join(path);
        for name in names(&above)? {
            let path = path.join(name);
            let above = self.upper.join(&path);
            let Some(new) = at(&above, Attributes::of(&above))? else { continue };
            match new.kind {
                FileKind::Folder => self.refuse_inside(&path, out)?,
                FileKind::Special => self.refuse(&path, "it is a device, a socket or a FIFO", out),
                FileKind::File | FileKind::Link => {
                    if let Some(why) = at(&above, self.fault(&path, &new))? {
                        self.refuse(&path, why, out);
                    }
                }
                FileKind::Whiteout => {}
            }
        }
        Ok(())
    }
}

/// Says whether a link leads out of the tree by its words alone, and not into the system's folders. One that climbs behind a
/// name does, too: where the name is a link itself, now or later, it climbs from where that leads.
fn leads_out(path: &Path, target: &Path, tree: &Path) -> bool {
    use std::path::Component;
    if target.is_absolute() {
        let climbs = target.components().any(|part| part == Component::ParentDir);
        return climbs || !(target.starts_with(tree) || SYSTEM.iter().any(|folder| target.starts_with(folder)));
    }
    let depth = path.components().count().saturating_sub(1);
    let climbs = |part: &Component<'_>| *part == Component::ParentDir;
    let parts = || target.components().filter(|part| *part != Component::CurDir);
    let up = parts().take_while(climbs).count();
    up > depth || parts().skip(up).any(|part| climbs(&part))
}

/// Lists names of a folder in order.
pub(crate) fn names(folder: &Path) -> Result<Vec<OsString>, LayerError> {
    let list = || -> io::Result<Vec<OsString>> { fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect() };
    let mut names = match list() {
        // The command took the right to read it away; it is ours all the same.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let was = at(folder, fs::symlink_metadata(folder))?.permissions();
            let open = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            at(folder, fs::set_permissions(folder, open))?;
            let names = list();
            at(folder, fs::set_permissions(folder, was))?;
            at(folder, names)?
        }
        names => at(folder, names)?,
    };
    names.sort();
    Ok(names)
}

/// Counts the files and bytes of what came or went as a whole.
fn count(path: &Path, attributes: &Attributes) -> (u64, u64) {
    if attributes.kind != FileKind::Folder {
        return (1, attributes.size);
    }
    let (mut files, mut bytes) = (0_u64, 0_u64);
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            match Attributes::from_metadata(&meta).kind {
                FileKind::Folder => folders.push(entry.path()),
                FileKind::Whiteout => {}
                FileKind::File | FileKind::Link | FileKind::Special => {
                    files += 1;
                    bytes = bytes.saturating_add(meta.len());
                }
            }
        }
    }
    (files, bytes)
}

/// Compares contents; read only where size and kind are equal.
fn is_same_content(a: &Path, a_is: &Attributes, b: &Path, b_is: &Attributes) -> io::Result<bool> {
    if a_is.kind != b_is.kind || a_is.size != b_is.size {
        return Ok(false);
    }
    if a_is.kind == FileKind::Link {
        return Ok(fs::read_link(a)? == fs::read_link(b)?);
    }
    let (mut a, mut b) = match (attributes::open(a), attributes::open(b)) {
        (Ok(a), Ok(b)) => (a, b),
        // What cannot be read is told as changed.
        (Err(_), _) | (_, Err(_)) => return Ok(false),
    };
    // One byte more than the file, so that its end is seen at once.
    let piece = usize::try_from(a_is.size).unwrap_or(PIECE).saturating_add(1).min(PIECE);
    let (mut left, mut right) = (vec![0; piece], vec![0; piece]);
    loop {
        let read = a.read(&mut left)?;
        if read == 0 {
            return Ok(b.read(&mut right)? == 0);
        }
        let (Some(left), Some(right)) = (left.get(..read), right.get_mut(..read)) else { return Ok(false) };
        if b.read_exact(right).is_err() || left != right {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_by_their_words() {
        let leads = |path: &str, target: &str| leads_out(Path::new(path), Path::new(target), Path::new("/home/a/tree"));
        for target in ["b", "./b", "../b", "../c/b", "/home/a/tree/x", "/usr/bin/python3"] {
            assert!(!leads("a/l", target), "{target}");
        }
        for target in [
            "../c/../b",
            "c/..",
            "./../c/..",
            "../../b",
            "/home/a",
            "/home/a/tree/../x",
            "/usr/../etc/passwd",
            "../c/../../b",
            "/tmp/x",
        ] {
            assert!(leads("a/l", target), "{target}");
        }
    }
}
