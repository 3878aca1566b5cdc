//! Extended attributes of a file as they are compared, put back and copied.
//!
//! Overlayfs keeps notes of its own under names that begin with `user.overlay.`. What a command calls so it writes down under
//! another name, and what a file below is called so it does not show.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, XattrFlags};
use rustix::io::Errno;

/// Overlayfs keeps notes of its own under these names.
const OVERLAY: &[u8] = b"user.overlay.";

/// Under these it keeps what a command gave a name of the others.
const ESCAPED: &[u8] = b"user.overlay.overlay.";

/// That overlayfs copied something in a folder.
const IMPURE: &[u8] = b"user.overlay.impure";

/// What the system keeps for itself and changes on its own: labels and sums. Capabilities are somebody's.
fn is_systems(name: &[u8]) -> bool {
    name.starts_with(b"security.") && name != b"security.capability"
}

/// Where overlayfs copied a file from.
const ORIGIN: &[u8] = b"user.overlay.origin";

/// Bytes of one extended attribute; the kernel allows no more.
const LONGEST_VALUE: usize = 65_536;

/// Bytes of names and values that are read without a buffer of the greatest length, which takes time to be made.
const USUAL: usize = 1024;

/// Reads into a buffer of the usual length, or of the greatest where that is too short.
fn read(fill: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    let mut usual = [0; USUAL];
    match fill(&mut usual) {
        Ok(length) => Ok(usual.get(..length).unwrap_or_default().to_vec()),
        Err(Errno::RANGE) => {
            let mut longest = vec![0; LONGEST_VALUE];
            let length = fill(&mut longest)?;
            longest.truncate(length);
            Ok(longest)
        }
        Err(error) => Err(error),
    }
}

/// A file by its path, or open: for a path that leads through `/proc` each call takes some microseconds more.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of<'a> {
    Path(&'a Path),
    Open(BorrowedFd<'a>),
}

/// Does something with a plain file below an open folder: open where it can be opened, else by a path to it.
pub(crate) fn with_file<T>(
    folder: BorrowedFd<'_>,
    name: &Path,
    work: impl Fn(Of<'_>) -> io::Result<T>,
) -> io::Result<T> {
    // Nothing is waited for, and no time is changed.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOATIME | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::openat(folder, name, flags, Mode::empty())
        && let Ok(done) = work(Of::Open(file.as_fd()))
    {
        return Ok(done);
    }
    work(Of::Path(&PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name)))
}

/// Lists the names of a file's extended attributes.
fn names<'a>(of: impl Into<Of<'a>>) -> io::Result<Vec<Vec<u8>>> {
    let of = of.into();
    let listed = read(|buffer| match of {
        Of::Path(path) => rustix::fs::llistxattr(path, buffer),
        Of::Open(file) => rustix::fs::flistxattr(file, buffer),
    });
    match listed {
        Ok(listed) => Ok(listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()),
        Err(Errno::NOTSUP) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Reads the value of an extended attribute.
fn value(of: Of<'_>, name: &[u8]) -> rustix::io::Result<Vec<u8>> {
    let name = OsStr::from_bytes(name);
    read(|buffer| match of {
        Of::Path(path) => rustix::fs::lgetxattr(path, name, buffer),
        Of::Open(file) => rustix::fs::fgetxattr(file, name, buffer),
    })
}

/// Reads a value that is listed; none where it went meanwhile. What may not be read is an error: taken for empty, it would be
/// lost when it is put back.
fn value_of(of: Of<'_>, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
    match value(of, name) {
        Ok(value) => Ok(Some(value)),
        Err(Errno::NODATA) => Ok(None),
        // What belongs to the system is not put back.
        Err(_) if is_systems(name) => Ok(Some(Vec::new())),
        Err(error) => Err(error.into()),
    }
}

impl<'a> From<&'a Path> for Of<'a> {
    fn from(path: &'a Path) -> Self {
        Self::Path(path)
    }
}

impl<'a> From<&'a PathBuf> for Of<'a> {
    fn from(path: &'a PathBuf) -> Self {
        Self::Path(path)
    }
}

/// Says whether a folder of a layer takes the place of the one below and shows nothing of it.
pub(crate) fn is_opaque(path: &Path) -> bool {
    let mut value = [0; 8];
    rustix::fs::lgetxattr(path, "user.overlay.opaque", &mut value[..])
        .is_ok_and(|length| value.get(..length) == Some(b"y"))
}

/// Says whether overlayfs noted that it copied a path of a layer from the one below: it does not for a file with several names.
pub(crate) fn is_copied(path: &Path) -> io::Result<bool> {
    Ok(names(path)?.iter().any(|name| name == ORIGIN))
}

/// Says whether overlayfs noted that it copied something in a folder of a layer.
pub(crate) fn has_copies(folder: &Path) -> io::Result<bool> {
    Ok(names(folder)?.iter().any(|name| name == IMPURE))
}

/// Notes the same, for a copy that was made by hand.
pub(crate) fn note_copies(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::lsetxattr(folder, OsStr::from_bytes(IMPURE), b"y", XattrFlags::empty())?)
}

/// Says whether a command gave a path of a layer an attribute that is called like a note of overlayfs.
pub(crate) fn is_escaped(path: &Path) -> io::Result<bool> {
    Ok(names(path)?.iter().any(|name| name.starts_with(ESCAPED)))
}

/// Says whether everybody may write to what is made in a folder from now on, as its access list for that has it (`acl(5)`, as the
/// kernel writes it down: a version, then for each entry who it is for, what he may do, and a number).
pub(crate) fn opens_what_comes(folder: &Path) -> bool {
    const VERSION: usize = 4;
    const OTHERS: u16 = 0x20;
    const WRITE: u16 = 2;
    let list = value(folder.into(), b"system.posix_acl_default").unwrap_or_default();
    let number = |entry: &[u8], at: usize| Some(u16::from_le_bytes(entry.get(at..at + 2)?.try_into().ok()?));
    list.get(VERSION..)
        .unwrap_or_default()
        .chunks(8)
        .any(|entry| number(entry, 0) == Some(OTHERS) && number(entry, 2).is_some_and(|may| may & WRITE != 0))
}

/// What is known of a path's extended attributes without their values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Whether some have names of overlayfs.
    pub(crate) noted: bool,
    /// Whether a command gave such a name, where it is a path of a layer.
    pub(crate) escaped: bool,
    /// Whether overlayfs noted that it copied it: it does not for a file with several names.
    pub(crate) copied: bool,
    /// Tells versions of all others apart that somebody gave it; 0 where there are none.
    pub(crate) print: u64,
}

/// Looks at a file's extended attributes.
pub(crate) fn known<'a>(of: impl Into<Of<'a>>) -> io::Result<Known> {
    let of = of.into();
    let mut known = Known::default();
    let mut others = Values::new();
    for name in names(of)? {
        if name.starts_with(OVERLAY) {
            known.noted = true;
            known.escaped |= name.starts_with(ESCAPED);
            known.copied |= name == ORIGIN;
        } else if !is_systems(&name) {
            others.extend(value_of(of, &name)?.map(|value| (name, value)));
        }
    }
    if !others.is_empty() {
        let mut hasher = DefaultHasher::new();
        others.hash(&mut hasher);
        known.print = hasher.finish();
    }
    Ok(known)
}

/// Takes overlayfs's own notes off a file, and says whether there were any. Time of modification stays.
pub(crate) fn strip<'a>(of: impl Into<Of<'a>>) -> io::Result<bool> {
    let of = of.into();
    let mut names = names(of)?;
    names.retain(|name| name.starts_with(OVERLAY));
    for name in &names {
        match of {
            Of::Path(path) => remove(path, name)?,
            Of::Open(file) => rustix::fs::fremovexattr(file, OsStr::from_bytes(name))?,
        }
    }
    Ok(!names.is_empty())
}

fn remove(path: &Path, name: &[u8]) -> rustix::io::Result<()> {
    even_read_only(path, || rustix::fs::lremovexattr(path, OsStr::from_bytes(name)))
}

/// Gives a path an extended attribute. What the system keeps for itself (labels, capabilities) is not ours to set.
fn set(path: &Path, name: &[u8], value: &[u8]) -> io::Result<()> {
    let name = OsStr::from_bytes(name);
    match even_read_only(path, || rustix::fs::lsetxattr(path, name, value, XattrFlags::empty())) {
        Ok(()) | Err(Errno::PERM | Errno::NOTSUP | Errno::ACCESS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Changes extended attributes of a path, also where its mode forbids its owner to write (as git's objects do): the mode is
/// another one for that moment.
fn even_read_only(path: &Path, change: impl Fn() -> rustix::io::Result<()>) -> rustix::io::Result<()> {
    let done = change();
    if done != Err(Errno::ACCESS) {
        return done;
    }
    let stat = rustix::fs::lstat(path)?;
    let mode = stat.st_mode & 0o7777;
    if stat.st_mode & 0o170_000 == 0o120_000 || mode & 0o200 != 0 {
        return done;
    }
    rustix::fs::chmod(path, Mode::from_raw_mode(mode | 0o200))?;
    let done = change();
    rustix::fs::chmod(path, Mode::from_raw_mode(mode))?;
    done
}

/// Which extended attributes of a path are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those that a command sees.
    Seen,
    /// All, also what is called as overlayfs calls its notes.
    All,
}

type Values = BTreeMap<Vec<u8>, Vec<u8>>;

fn values(path: &Path, which: Which) -> io::Result<Values> {
    let mut all = Values::new();
    for name in names(path)? {
        if which == Which::All || !name.starts_with(OVERLAY) {
            all.extend(value_of(path.into(), &name)?.map(|value| (name, value)));
        }
    }
    Ok(all)
}

/// Makes a path's extended attributes, access control lists among them, those of another.
pub(crate) fn copy(from: &Path, to: &Path, which: Which) -> io::Result<()> {
    let wanted = values(from, which)?;
    for name in values(to, which)?.keys().filter(|name| !wanted.contains_key(*name)) {
        let _ = remove(to, name);
    }
    wanted.iter().try_for_each(|(name, value)| set(to, name, value))
}

/// Says whether two paths have the same extended attributes but for overlayfs's own.
pub(crate) fn is_same(a: &Path, b: &Path) -> io::Result<bool> {
    Ok(values(a, Which::Seen)? == values(b, Which::Seen)?)
}

/// Lists names of extended attributes that differ between two paths.
fn differing(from: &Values, wanted: &Values) -> Vec<Vec<u8>> {
    let mut names: Vec<_> =
        from.keys().chain(wanted.keys()).filter(|name| from.get(*name) != wanted.get(*name)).collect();
    names.sort();
    names.dedup();
    names.into_iter().cloned().collect()
}

/// Says whether all extended attributes that differ between two paths are as in the second.
pub(crate) fn is_changed(from: &Path, wanted: &Path, path: &Path) -> io::Result<bool> {
    let (from, wanted, now) = (values(from, Which::Seen)?, values(wanted, Which::Seen)?, values(path, Which::Seen)?);
    Ok(differing(&from, &wanted).iter().all(|name| now.get(name) == wanted.get(name)))
}

/// Makes those extended attributes of a path that differ between two others what they are in the second. Where one of them is as
/// in neither, nothing is done but with `force`, and `false` is returned.
pub(crate) fn change(from: &Path, wanted: &Path, path: &Path, force: bool) -> io::Result<bool> {
    let (from, wanted, now) = (values(from, Which::Seen)?, values(wanted, Which::Seen)?, values(path, Which::Seen)?);
    let mut names = differing(&from, &wanted);
    names.retain(|name| now.get(name) != wanted.get(name));
    if !force && names.iter().any(|name| now.get(name) != from.get(name)) {
        return Ok(false);
    }
    for name in &names {
        match wanted.get(name) {
            Some(value) => set(path, name, value)?,
            None => _ = remove(path, name),
        }
    }
    Ok(true)
}
