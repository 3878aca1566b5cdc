//! Files that processes of a run have open and that have no name any more: they take room, and lie in no folder.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// Descriptors that are looked at.
const MOST_DESCRIPTORS: usize = 65_536;

/// How the link of a descriptor ends whose file has no name.
const DELETED: &[u8] = b" (deleted)";

/// Counts the bytes on disks of files without a name that a process and its descendants have open.
pub(crate) fn deleted(first: Pid) -> u64 {
    let descriptors = family(first).into_iter().flat_map(|process| entries(&process.join("fd")));
    let mut seen = BTreeSet::new();
    let mut bytes = 0_u64;
    for descriptor in descriptors.take(MOST_DESCRIPTORS) {
        let is_deleted =
            fs::read_link(&descriptor).is_ok_and(|to| to.as_os_str().as_encoded_bytes().ends_with(DELETED));
        if !is_deleted || is_in_memory(&descriptor) {
            continue;
        }
        if let Ok(meta) = fs::metadata(&descriptor)
            && meta.is_file()
            && meta.nlink() == 0
            && seen.insert((meta.dev(), meta.ino()))
        {
            bytes = bytes.saturating_add(meta.blocks().saturating_mul(512));
        }
    }
    bytes
}

/// Returns the folders in `/proc` of a process and its descendants; those whose parent has gone are children of the first of
/// their name space.
fn family(first: Pid) -> Vec<PathBuf> {
    let mut all = vec![PathBuf::from(format!("/proc/{}", first.as_raw_nonzero()))];
    let mut at = 0;
    while let Some(process) = all.get(at) {
        let tasks = entries(&process.join("task"));
        let children: Vec<PathBuf> = tasks
            .flat_map(|task| fs::read_to_string(task.join("children")))
            .flat_map(|list| list.split_whitespace().map(|pid| Path::new("/proc").join(pid)).collect::<Vec<_>>())
            .collect();
        all.extend(children);
        at += 1;
    }
    all
}

/// Says whether a file lies on no disk; the room of such files has a limit of its own.
fn is_in_memory(file: &Path) -> bool {
    const TMPFS: rustix::fs::FsWord = 0x0102_1994;
    rustix::fs::statfs(file).is_ok_and(|stat| stat.f_type == TMPFS)
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
