//! The folders of a tree, and those names in them that somebody looks for, remembered from one look to the next: a folder
//! whose time of change is the same has the same names in it, so that a look costs one call a folder and not one a file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, fstat, openat, statat};
use rustix::io::Errno;

use crate::noting::notes_changes;

/// Names that are read in one look; with more nobody knows what is in a tree.
const MOST_NAMES: usize = 8_000_000;

/// Bytes of names that are read at once.
const PIECE: usize = 64 * 1024;

/// Bytes of what is remembered of one tree.
const LONGEST: u64 = 64 << 20;

/// How files begin in which looks are remembered; the inode of the root in hexadecimal follows.
const PREFIX: &str = "folders-";

/// Bytes in which the root stands at the start of one.
const LONGEST_HEADER: u64 = 8 * 1024;

/// Files in folders that are looked for from which on no more are listed.
pub(crate) const MOST_INSIDE: usize = 2_000;

/// Seconds for which a folder that changed is not taken for known: its clock may be too coarse to tell two changes apart.
const SETTLED: i64 = 2;

/// What a folder was when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    inode: u64,
    changed: (i64, i64),
}

/// What is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Sought {
    /// Says yes to names of files and links.
    pub(crate) names: fn(&[u8]) -> bool,
    /// Says yes to folders of which all files are looked for.
    pub(crate) folders: fn(&Path) -> bool,
}

/// What a look found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// By their names, and folders that cannot be read.
    pub(crate) named: Vec<PathBuf>,
    /// Files in folders that are looked for; of more than [`MOST_INSIDE`] those alone that were met first.
    pub(crate) inside: Vec<PathBuf>,
    /// Those folders.
    pub(crate) folders: Vec<PathBuf>,
}

/// What is in a folder: names of folders, and those that are looked for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Names<'a> {
    folders: Vec<std::borrow::Cow<'a, [u8]>>,
    found: Vec<std::borrow::Cow<'a, [u8]>>,
}

/// Lists the paths below a root whose names are looked for, files and links alike, and folders of this person that cannot be
/// read: who owns one can open it, and nobody knows what is in it. `memory` is a file where the look is
/// remembered; without it everything is read, as folders that are looked for always are. `now` is in seconds since 1970.
///
/// # Errors
/// When there are more names than can be looked through; folders of others that cannot be read are passed over.
pub(crate) fn find(root: &Path, memory: Option<&Path>, sought: Sought, now: i64) -> io::Result<Found> {
    let (device, memory) = match openat(CWD, root, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
    {
        Ok(opened) => (fstat(&opened).ok().map(|stat| stat.st_dev), memory.filter(|_| notes_changes(&opened))),
        Err(_) => (None, None),
    };
    let remembered = memory.and_then(|file| {
        let meta = fs::symlink_metadata(file).ok()?;
        (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read(file).ok())?
    });
    let known = remembered.as_deref().and_then(|bytes| read(bytes, root)).unwrap_or_default();
    let mut look =
        Look { wanted: Wanted::Names(sought.names), left: MOST_NAMES, buffer: vec![MaybeUninit::uninit(); PIECE] };
    let (mut out, mut text, mut news) = (Found::default(), header(root), 0_usize);
    let mut folders = vec![root.to_owned()];
    let own = rustix::process::geteuid().as_raw();
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        if folder != root && (sought.folders)(&folder) {
            look.read_all(&folder, &mut out)?;
            continue;
        }
        let Ok(stat) = statat(CWD, &folder, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let version =
            Version { inode: stat.st_ino, changed: (stat.st_ctime, i64::try_from(stat.st_ctime_nsec).unwrap_or(0)) };
        let path = folder.as_os_str().as_bytes();
        let fresh;
        let names = match known.get(path) {
            Some((as_known, names)) if *as_known == version && Some(stat.st_dev) == device => names,
            _ => {
                let Some(read) = look.read(&folder)? else {
                    out.named.extend((stat.st_uid == own).then_some(folder));
                    continue;
                };
                fresh = read;
                news += 1;
                &fresh
            }
        };
        count += 1;
        // Pushed the last first, so that the order is that of the names.
        folders.extend(names.folders.iter().rev().map(|name| folder.join(OsStr::from_bytes(name))));
        out.named.extend(names.found.iter().map(|name| folder.join(OsStr::from_bytes(name))));
        if version.changed.0.saturating_add(SETTLED) < now && Some(stat.st_dev) == device {
            write(path, version, names, &mut text);
        }
    }
    if let Some(file) = memory
        && (news > 0 || count != known.len())
    {
        // Not remembered, it is only read again.
        let beside = file.with_extension(std::process::id().to_string());
        let _ = fs::write(&beside, &text).and_then(|()| fs::rename(&beside, file));
    }
    out.named.sort();
    out.inside.sort();
    Ok(out)
}

/// Lists the names below a root of files with one of some inodes, which are numbers of whatever file system a name is on. Nothing
/// of it is remembered: it is looked at only where a secret has several names.
///
/// # Errors
/// When there are more names than can be looked through.
pub(crate) fn with_inodes(root: &Path, inodes: &[u64]) -> io::Result<Vec<PathBuf>> {
    let mut look =
        Look { wanted: Wanted::Inodes(inodes), left: MOST_NAMES, buffer: vec![MaybeUninit::uninit(); PIECE] };
    let (mut out, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        let Some(names) = look.read(&folder)? else { continue };
        folders.extend(names.folders.iter().map(|name| folder.join(OsStr::from_bytes(name))));
        out.extend(names.found.iter().map(|name| folder.join(OsStr::from_bytes(name))));
    }
    out.sort();
    Ok(out)
}

/// Returns where the look through a tree is remembered: beside the layers; none before there are any.
pub(crate) fn memory(layers: &Path, root: &Path) -> Option<PathBuf> {
    let inode = fs::symlink_metadata(root).ok()?.ino();
    layers.is_dir().then(|| layers.join(format!("{PREFIX}{inode:x}")))
}

/// Deletes what is remembered below a folder of trees that are gone, or are other folders by now.
pub(crate) fn forget(layers: &Path) {
    for entry in fs::read_dir(layers).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(inode) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        // One that is being written has its writer's number behind a dot.
        let (inode, writer) = inode.split_once('.').map_or((inode, None), |(inode, writer)| (inode, Some(writer)));
        let is_written = writer.is_some_and(|writer| Path::new("/proc").join(writer).exists());
        let is_there = || {
            let root = root_of(&entry.path())?;
            Some(format!("{:x}", fs::symlink_metadata(root).ok()?.ino()) == inode)
        };
        if !is_written && (writer.is_some() || is_there() != Some(true)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the root that a file remembers.
fn root_of(file: &Path) -> Option<PathBuf> {
    let mut start = Vec::new();
    let meta = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    fs::File::open(file).ok()?.take(meta.len().min(LONGEST_HEADER)).read_to_end(&mut start).ok()?;
    let root = start.split(|byte| *byte == 0).nth(1)?;
    Some(PathBuf::from(OsStr::from_bytes(root)))
}

/// What is looked for.
enum Wanted<'a> {
    /// All.
    All,
    /// Names that this says yes to.
    Names(fn(&[u8]) -> bool),
    /// Names of these files.
    Inodes(&'a [u64]),
}

struct Look<'a> {
    wanted: Wanted<'a>,
    left: usize,
    buffer: Vec<MaybeUninit<u8>>,
}

impl Look<'_> {
    /// Lists the files below a folder that is looked for.
    fn read_all(&mut self, folder: &Path, out: &mut Found) -> io::Result<()> {
        let wanted = std::mem::replace(&mut self.wanted, Wanted::All);
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop().filter(|_| out.inside.len() <= MOST_INSIDE) {
            match self.read(&folder)? {
                Some(names) => {
                    folders.extend(names.folders.iter().map(|name| folder.join(OsStr::from_bytes(name))));
                    out.inside.extend(names.found.iter().map(|name| folder.join(OsStr::from_bytes(name))));
                }
                None => out.named.push(folder),
            }
        }
        self.wanted = wanted;
        out.folders.push(folder.to_owned());
        Ok(())
    }

    /// Reads a folder; none where that is not allowed.
    fn read(&mut self, folder: &Path) -> io::Result<Option<Names<'static>>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut names = Names::default();
        let opened = match openat(CWD, folder, flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(Errno::ACCESS) => return Ok(None),
            Err(_) => return Ok(Some(names)),
        };
        let mut entries = RawDir::new(opened, &mut self.buffer);
        while let Some(Ok(entry)) = entries.next() {
            let too_many =
                || io::Error::other(format!("more than {MOST_NAMES} files are too many to look for secrets"));
            self.left = self.left.checked_sub(1).ok_or_else(too_many)?;
            let name = entry.file_name().to_bytes();
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    fs::symlink_metadata(folder.join(OsStr::from_bytes(name))).map_or(FileType::Unknown, |meta| {
                        if meta.is_dir() { FileType::Directory } else { FileType::RegularFile }
                    })
                }
                known => known,
            };
            if kind == FileType::Directory {
                // Git keeps objects in hundreds of folders, and nobody's settings.
                let is_store = name == b"objects" && folder.ends_with(".git");
                if name != b"." && name != b".." && !is_store {
                    names.folders.push(name.to_vec().into());
                }
            } else if self.wanted.has(name, entry.ino()) {
                names.found.push(name.to_vec().into());
            }
        }
        Ok(Some(names))
    }
}

impl Wanted<'_> {
    fn has(&self, name: &[u8], inode: u64) -> bool {
        match self {
            Self::All => true,
            Self::Names(wanted) => wanted(name),
            Self::Inodes(inodes) => inodes.contains(&inode),
        }
    }
}

/// Its number is another one whenever other names are looked for.
fn header(root: &Path) -> Vec<u8> {
    [b"aish-folders-3\0", root.as_os_str().as_bytes(), b"\0"].concat()
}

/// Adds a folder: its path, inode, time of change, and two lists of names with their lengths, all ended by NUL.
fn write(path: &[u8], version: Version, names: &Names<'_>, text: &mut Vec<u8>) {
    let Version { inode, changed: (seconds, nanoseconds) } = version;
    text.extend_from_slice(path);
    let numbers = format!("\0{inode}\0{seconds}\0{nanoseconds}\0{}\0{}\0", names.folders.len(), names.found.len());
    text.extend_from_slice(numbers.as_bytes());
    for name in names.folders.iter().chain(&names.found) {
        text.extend_from_slice(name);
        text.push(0);
    }
}

type Known<'a> = HashMap<&'a [u8], (Version, Names<'a>)>;

/// Reads what was remembered of a root; none where it is of another, or not whole.
fn read<'a>(bytes: &'a [u8], root: &Path) -> Option<Known<'a>> {
    let rest = bytes.strip_prefix(&header(root)[..])?;
    let mut fields = rest.split(|byte| *byte == 0);
    let mut known = Known::new();
    loop {
        let path = fields.next()?;
        let Some(first) = fields.next() else { return path.is_empty().then_some(known) };
        let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse::<i64>().ok();
        let inode = std::str::from_utf8(first).ok()?.parse().ok()?;
        let changed = (number(fields.next()?)?, number(fields.next()?)?);
        let (folders, found) = (number(fields.next()?)?, number(fields.next()?)?);
        let mut names = Names::default();
        for _ in 0..folders {
            names.folders.push(fields.next()?.into());
        }
        for _ in 0..found {
            names.found.push(fields.next()?.into());
        }
        known.insert(path, (Version { inode, changed }, names));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    const SOUGHT: Sought =
        Sought { names: |name| name.starts_with(b"w"), folders: |folder| folder.ends_with("inside") };

    #[test]
    fn what_was_remembered_is_read_back_and_nothing_else() {
        let names = |list: &[&'static str]| list.iter().map(|name| name.as_bytes().into()).collect::<Vec<_>>();
        let version = Version { inode: u64::MAX, changed: (-1, 999_999_999) };
        let one = Names { folders: names(&["a", "b c"]), found: names(&["w"]) };
        let root = Path::new("/r");
        let mut text = header(root);
        write(b"/r", version, &one, &mut text);
        write(b"/r/\xff", version, &Names::default(), &mut text);
        let known = read(&text, root).unwrap();
        assert_eq!(known.get(&b"/r"[..]), Some(&(version, one)));
        assert_eq!(known.len(), 2);
        assert!(read(&text, Path::new("/other")).is_none());
        for length in header(root).len() + 1..text.len() {
            assert!(read(&text[..length], root).is_none_or(|known| known.len() < 2), "{length}");
        }
    }

    #[test]
    fn a_look_with_a_memory_finds_what_one_without_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("tree");
        let memory = folder.path().join("memory");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join(".git/objects/ab")).unwrap();
        fs::write(root.join(".git/objects/ab/w"), "").unwrap();
        fs::write(root.join("a/b/w1"), "").unwrap();
        std::os::unix::fs::symlink("x", root.join("w2")).unwrap();
        // As if the folders had been left alone for long.
        let look = |memory| find(&root, memory, SOUGHT, i64::MAX).unwrap().named;
        let first = [root.join("a/b/w1"), root.join("w2")];
        assert_eq!(look(None), first);
        assert_eq!(look(Some(&memory)), first);
        // A name that only the memory has shows that the folder is not read again, and then that it is.
        let text = String::from_utf8(fs::read(&memory).unwrap()).unwrap();
        fs::write(&memory, text.replace("\0w1\0", "\0w0\0")).unwrap();
        assert_eq!(look(Some(&memory)), [root.join("a/b/w0"), root.join("w2")]);
        let inner = root.join("a/b");
        let changed = || fs::metadata(&inner).map(|meta| (meta.ctime(), meta.ctime_nsec())).unwrap();
        let before = changed();
        while changed() == before {
            fs::write(inner.join("w3"), "").unwrap();
            fs::remove_file(inner.join("w3")).unwrap();
        }
        assert_eq!(look(Some(&memory)), first);
        fs::write(&memory, "what is no memory").unwrap();
        assert_eq!(look(Some(&memory)), first);
        // What changed a moment ago is never remembered.
        fs::remove_file(&memory).unwrap();
        find(&root, Some(&memory), SOUGHT, 0).unwrap();
        assert_eq!(fs::read(&memory).unwrap(), header(&root));
    }

    #[test]
    fn of_a_folder_that_is_looked_for_all_files_are_found_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("tree");
        let (memory, inside) = (folder.path().join("memory"), root.join("a/inside"));
        fs::create_dir_all(inside.join("deep")).unwrap();
        for file in ["a/x", "a/w", "a/inside/x", "a/inside/deep/y"] {
            fs::write(root.join(file), "").unwrap();
        }
        for _ in 0..2 {
            let found = find(&root, Some(&memory), SOUGHT, i64::MAX).unwrap();
            assert_eq!((found.named, found.folders), (vec![root.join("a/w")], vec![inside.clone()]));
            assert_eq!(found.inside, [inside.join("deep/y"), inside.join("x")]);
        }
    }
}
