//! The index of a git work tree: which content git has of a path (git's `index-format`, versions 2 to 4).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sha1::{Digest as _, Sha1};

use crate::dotenv::is_dotenv_bytes;
use crate::dotenv_folder;
use crate::key_files;
use crate::tree::pointer;

/// Bytes of an index that is read.
const LONGEST: u64 = 256 << 20;

/// Bytes of a file that is compared.
const LONGEST_FILE: u64 = 1 << 20;

/// Bytes of an entry before the object's name, and of the flags behind it.
const BEFORE_NAME: usize = 40;
const FLAGS: usize = 2;

/// Bytes of an object's name: of SHA-1 and of SHA-256.
const NAMES: [usize; 2] = [20, 32];

/// The flag of an entry with two more bytes of flags.
const EXTENDED: u8 = 0x40;

/// Paths and the objects that git has for them; only those of files that may be secret by their names.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    /// Folders of a few names with something in them that git has; none where that is not known.
    folders: Option<BTreeSet<Vec<u8>>>,
}

/// Returns the work trees that a folder of a tree is in, from the nearest to the tree's own, with the folder's path below each.
/// Both paths are relative.
pub(crate) fn around<'a>(tree: &'a Path, folder: &'a Path) -> impl Iterator<Item = (&'a Path, &'a Path)> {
    let is_work_tree = |above: &Path| tree.join(above).join(".git").symlink_metadata().is_ok();
    let above = folder.ancestors().skip(1).filter(move |above| is_work_tree(above));
    above.filter_map(|above| Some((above, folder.strip_prefix(above).ok()?)))
}

impl Index {
    /// Reads the index of a work tree; none where there is none. `names` are those of folders that [`Index::has_in`] is asked
    /// about.
    pub(crate) fn of(work_tree: &Path, names: &[&str]) -> Option<Self> {
        let git = work_tree.join(".git");
        let git = pointer(&git).map_or(git, |named| work_tree.join(named));
        Self::read(&git.join("index"), names)
    }

    /// The same of the file of an index.
    pub(crate) fn read(file: &Path, names: &[&str]) -> Option<Self> {
        fs::symlink_metadata(file).ok()?;
        // The format does not say how long names are, but what follows the entries has to be right to the end.
        let parse = |bytes: &[u8]| NAMES.iter().find_map(|length| Self::parse(bytes, *length, names));
        Some(bytes_of(file).as_deref().and_then(parse).unwrap_or_default())
    }

    fn parse(bytes: &[u8], name_length: usize, names: &[&str]) -> Option<Self> {
        let (mut entries, mut folders) = (Vec::new(), BTreeSet::new());
        visit(bytes, name_length, &mut |path, object| {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            if is_dotenv_bytes(name) || key_files::is_named(name) || dotenv_folder::may_be_below(path) {
                entries.push((path.to_vec(), object.to_vec()));
            }
            add_folders(path, names, &mut folders);
        })?;
        Some(Self { entries, folders: Some(folders) })
    }

    /// Says whether git has something in a folder of one of the names, or may have.
    pub(crate) fn has_in(&self, folder: &[u8]) -> bool {
        self.folders.as_ref().is_none_or(|folders| folders.contains(folder))
    }

    /// Lists the folders of those names in which git has something, where that is known.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &[u8]> {
        self.folders.iter().flatten().map(Vec::as_slice)
    }

    /// Says whether the content of a file is the one that git has for a path.
    pub(crate) fn has(&self, path: &[u8], file: &Path) -> bool {
        let Some((_, object)) = self.entries.iter().find(|(known, _)| known == path) else { return false };
        let is_short = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST_FILE);
        let Some(Ok(content)) = is_short.then(|| fs::read(file)) else { return false };
        is_blob(object, &content)
    }
}

/// Hands each entry of the file of an index to a function; none where it cannot be read to its end.
pub(crate) fn entries(file: &Path, each: &mut dyn FnMut(&[u8], &[u8])) -> Option<()> {
    let bytes = bytes_of(file)?;
    let length = NAMES.iter().find(|length| visit(&bytes, **length, &mut |_, _| {}).is_some())?;
    visit(&bytes, *length, each)
}

/// Says whether an object is of some content; of one by SHA-256 that is not known.
pub(crate) fn is_blob(object: &[u8], content: &[u8]) -> bool {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", content.len()));
    hash.update(content);
    hash.finalize()[..] == *object
}

fn bytes_of(file: &Path) -> Option<Vec<u8>> {
    let meta = fs::symlink_metadata(file).ok()?;
    (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read(file).ok())?
}

/// Hands each entry of an index to a function, its path and its object; none where it is no index, or not all of one.
fn visit(bytes: &[u8], name_length: usize, each: &mut dyn FnMut(&[u8], &[u8])) -> Option<()> {
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(bytes, 4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut path: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..number(bytes, 8)? {
        let start = at;
        let flags = start + BEFORE_NAME + name_length;
        let object = bytes.get(start + BEFORE_NAME..flags)?;
        let is_extended = version >= 3 && bytes.get(flags)? & EXTENDED != 0;
        at = flags + FLAGS + if is_extended { 2 } else { 0 };
        if version == 4 {
            let (strip, read) = offset(bytes.get(at..)?)?;
            at += read;
            path.truncate(path.len().checked_sub(strip)?);
        } else {
            path.clear();
        }
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(rest.get(..length)?);
        at += length;
        // Up to version 3 entries are filled with one to eight NULs.
        at = if version == 4 { at + 1 } else { start + ((at - start) / 8 + 1) * 8 };
        each(&path, object);
    }
    is_end(bytes, at, name_length).then_some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Adds the folders of a path that have one of the names.
fn add_folders(path: &[u8], names: &[&str], folders: &mut BTreeSet<Vec<u8>>) {
    let mut start = 0;
    for (end, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/' && !names.is_empty()) {
        let name = path.get(start..end).unwrap_or_default();
        if names.iter().any(|known| known.as_bytes() == name) {
            let folder = path.get(..end).unwrap_or_default();
            if !folders.contains(folder) {
                folders.insert(folder.to_vec());
            }
        }
        start = end + 1;
    }
}

/// Says whether whole extensions and a checksum follow the entries, and nothing is elsewhere: an index that is split has its other
/// part in another file.
fn is_end(bytes: &[u8], entries_end: usize, name_length: usize) -> bool {
    let mut at = entries_end;
    while let Some(left) = bytes.len().checked_sub(at).filter(|left| *left > name_length) {
        let name = bytes.get(at..at + 4);
        let (Some(name), Some(length)) = (name, number(bytes, at + 4)) else { return false };
        let Ok(length) = usize::try_from(length) else { return false };
        if name == b"link" || length > left {
            return false;
        }
        at += 8 + length;
    }
    bytes.len() == at + name_length
}

/// Reads a number as version 4 writes how much of the path before goes, and how many bytes it took.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (position, byte) in bytes.iter().enumerate().take(5) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, position + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_index_is_none() {
        let end = [0; 20];
        for bytes in
            [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"DIRC\0\0\0\x09\0\0\0\0", b"PACK\0\0\0\x02\0\0\0\0"]
        {
            assert!(Index::parse(&[bytes, &end].concat(), 20, &["build"]).is_none(), "{bytes:?}");
        }
        let empty = b"DIRC\0\0\0\x02\0\0\0\0";
        assert!(Index::parse(&[&empty[..], &end].concat(), 20, &[]).unwrap().entries.is_empty());
        assert!(Index::parse(&[&empty[..], b"TREE\0\0\0\x01x", &end].concat(), 20, &[]).is_some());
        for rest in [&b"TREE\0\0\0\x02x"[..], b"link\0\0\0\0", b"x", b"TREE\xff\xff\xff\xff"] {
            assert!(Index::parse(&[&empty[..], rest, &end].concat(), 20, &[]).is_none(), "{rest:?}");
        }
        assert!(Index::parse(&[b"DIRC\0\0\0\x02\xff\xff\xff\xff".to_vec(), vec![1; 200]].concat(), 20, &[]).is_none());
        assert!(Index::default().has_in(b"build"), "what cannot be read may have it");
    }

    #[test]
    fn what_git_has_is_known_in_every_form_of_index() {
        let folder = tempfile::tempdir().unwrap();
        for (name, set_up) in [
            ("plain", "git init -q . && git add ."),
            ("four", "git init -q . && git add . && git update-index --index-version 4"),
            ("sha256", "git init -q --object-format=sha256 . && git add ."),
            ("split", "git init -q . && git add . && git update-index --split-index && touch z && git add z"),
        ] {
            let tree = folder.path().join(name);
            fs::create_dir_all(tree.join("sub/build")).unwrap();
            fs::write(tree.join("sub/build/a"), "x").unwrap();
            let done = std::process::Command::new("sh").args(["-c", set_up]).current_dir(&tree).status().unwrap();
            assert!(done.success());
            let index = Index::of(&tree, &["build"]).unwrap();
            assert!(index.has_in(b"sub/build"), "{name}");
            assert_eq!(index.has_in(b"build"), name == "split", "{name}: what is elsewhere is not known");
        }
        let found: Vec<_> = around(folder.path(), Path::new("plain/sub/build")).collect();
        assert_eq!(found, [(Path::new("plain"), Path::new("sub/build"))]);
    }
}
