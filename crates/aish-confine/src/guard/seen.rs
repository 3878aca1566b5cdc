//! Folders as they were read, held while they stay the same: another look at a tree is one call of the system for each folder,
//! and not one for each few hundred entries.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, Stat, fstat, open, statat};

use super::settings_files;
use super::walk::ENVRC;
use crate::noting::notes_changes;

/// Bytes of entries that the kernel hands over at once.
const BUFFER: usize = 64 << 10;

/// Folders that are held; some 150 bytes each, and their names of folders and links.
const MOST: usize = 50_000;

/// How long before it was read a folder was changed for the last time: within it the time of another change may be the same.
const SETTLED: Duration = Duration::from_secs(2);

/// What a walk takes from a folder; most of its entries are files, of which nothing is kept.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) folders: Vec<OsString>,
    pub(super) links: Vec<OsString>,
    /// Files and links that may be settings, by their names and that of the folder.
    pub(super) settings: Vec<OsString>,
    pub(super) is_work_tree: bool,
    pub(super) is_entered: bool,
    /// Whether its path was that of a folder of settings, which another name of a folder around it may change.
    is_in_settings: bool,
    /// Whether git takes it for a repository's own, whatever it is called.
    pub(super) is_repository: bool,
    /// How many there are in all.
    number: usize,
}

/// A folder by device and number, and its time of change in seconds and nanoseconds.
type Id = (u64, u64);
type Time = (i64, u64);

/// All that this process read.
#[derive(Default)]
struct Folders {
    known: HashMap<Id, (Time, Arc<Entries>)>,
    /// Whether the file system of a device notes each change.
    noting: HashMap<u64, bool>,
}

/// The folders that were read before, for one walk.
pub(super) struct Seen {
    folders: MutexGuard<'static, Folders>,
    buffer: Vec<u8>,
}

impl Seen {
    /// Waits for another walk of this process, which reads what this one will ask for.
    pub(super) fn hold() -> Self {
        static ALL: LazyLock<Mutex<Folders>> = LazyLock::new(Mutex::default);
        Self { folders: ALL.lock().unwrap_or_else(PoisonError::into_inner), buffer: Vec::with_capacity(BUFFER) }
    }

    /// Returns what is in a folder, and takes how many entries there are off those that are `left`; nothing where it cannot be
    /// read.
    pub(super) fn entries(&mut self, folder: &Path, left: &mut usize) -> Arc<Entries> {
        let known = || {
            let stat = statat(CWD, folder, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let (changed, entries) = self.folders.known.get(&id(&stat))?;
            let is_same = *changed == time(&stat) && entries.is_in_settings == settings_files::is_of_settings(folder);
            (is_same && entries.number <= *left).then(|| Arc::clone(entries))
        };
        if let Some(entries) = known() {
            *left -= entries.number;
            return entries;
        }
        self.read(folder, left).unwrap_or_default()
    }

    fn read(&mut self, folder: &Path, left: &mut usize) -> rustix::io::Result<Arc<Entries>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = open(folder, flags, Mode::empty())?;
        let (stat, now) = (fstat(&file)?, SystemTime::now());
        let before = *left;
        let mut raw = RawDir::new(&file, self.buffer.spare_capacity_mut());
        let mut entries = Entries::default();
        let is_in_settings = settings_files::is_of_settings(folder);
        entries.is_in_settings = is_in_settings;
        let (mut head, mut common, mut objects, mut refs) = (false, false, false, false);
        while *left > 0
            && let Some(entry) = raw.next()
        {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            *left -= 1;
            match name.as_bytes() {
                b".git" => entries.is_work_tree = true,
                b"HEAD" => head = true,
                b"commondir" => common = true,
                b"objects" => objects = true,
                b"refs" => refs = true,
                name => entries.is_entered |= name == ENVRC.as_bytes(),
            }
            // Not every file system says what an entry is.
            let kind = match entry.file_type() {
                FileType::Unknown => statat(&file, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                kind => kind,
            };
            if !kind.is_dir() && settings_files::is_one(name, is_in_settings) {
                entries.settings.push(name.to_owned());
            }
            if kind.is_dir() {
                entries.folders.push(name.to_owned());
            } else if kind.is_symlink() {
                entries.links.push(name.to_owned());
            }
        }
        entries.is_repository = head && (common || objects && refs);
        entries.number = before - *left;
        let entries = Arc::new(entries);
        let Folders { known, noting } = &mut *self.folders;
        let is_whole = *left > 0;
        let is_noted = *noting.entry(stat.st_dev).or_insert_with(|| notes_changes(&file));
        if is_whole && is_noted && is_settled(&stat, now) && known.len() < MOST {
            known.insert(id(&stat), (time(&stat), Arc::clone(&entries)));
        }
        Ok(entries)
    }
}

fn id(stat: &Stat) -> Id {
    (stat.st_dev, stat.st_ino)
}

fn time(stat: &Stat) -> Time {
    (stat.st_ctime, stat.st_ctime_nsec)
}

/// Says whether a folder was changed long enough before `now`, when it was looked at.
fn is_settled(stat: &Stat, now: SystemTime) -> bool {
    let changed = u64::try_from(stat.st_ctime).ok().map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
    changed.is_some_and(|changed| changed + SETTLED < now)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Reads a folder twice, with a change in between that the time of its content says nothing of.
    fn changed_between(change: impl FnOnce(&Path)) -> (Vec<OsString>, Vec<OsString>) {
        let folder = tempfile::tempdir().unwrap();
        symlink("x", folder.path().join("a")).unwrap();
        let read = || {
            let mut left = 100;
            let entries = Seen::hold().entries(folder.path(), &mut left);
            assert_eq!(100 - left, fs::read_dir(folder.path()).unwrap().count());
            entries.links.clone()
        };
        let written = fs::metadata(folder.path()).unwrap().modified().unwrap();
        // Until it is settled it is read each time.
        std::thread::sleep(SETTLED + Duration::from_millis(1100));
        let first = read();
        change(folder.path());
        fs::File::open(folder.path()).unwrap().set_modified(written).unwrap();
        (first, read())
    }

    #[test]
    fn a_folder_that_changed_is_read_again_whatever_its_time_says() {
        assert_eq!(changed_between(|_| {}), (vec!["a".into()], vec!["a".into()]));
        let add = |folder: &Path| symlink("x", folder.join("b")).unwrap();
        let (first, mut then) = changed_between(add);
        then.sort();
        assert_eq!((first, then), (vec!["a".into()], vec!["a".into(), "b".into()]));
        let replace = |folder: &Path| {
            fs::write(folder.join("new"), "").unwrap();
            fs::rename(folder.join("new"), folder.join("a")).unwrap();
        };
        assert_eq!(changed_between(replace), (vec!["a".into()], vec![]));
    }

    #[test]
    fn a_folder_that_became_one_of_settings_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (before, after) = (folder.path().join("conf"), folder.path().join(".conf"));
        fs::create_dir_all(before.join("a")).unwrap();
        fs::write(before.join("a/run.sh"), "").unwrap();
        let settings = |folder: &Path| Seen::hold().entries(&folder.join("a"), &mut 100).settings.clone();
        std::thread::sleep(SETTLED + Duration::from_millis(1100));
        assert!(settings(&before).is_empty());
        fs::rename(&before, &after).unwrap();
        assert_eq!(settings(&after), ["run.sh"]);
    }

    #[test]
    fn a_folder_that_was_just_changed_is_not_held() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..50 {
            let mut left = 100;
            assert_eq!(Seen::hold().entries(folder.path(), &mut left).links.len(), round);
            symlink("x", folder.path().join(round.to_string())).unwrap();
        }
    }
}
