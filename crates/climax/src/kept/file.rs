//! A kept file: of which build it is, a checksum, and its content.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use super::configs::address;
use crate::load::Source;

/// How a file begins; the number changes with the format.
const MAGIC: &[u8; 8] = b"climaxk1";
/// Bytes before the content: the beginning, the build, the checksum.
const HEAD: usize = 24;
/// Bytes that a file may have.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Lists of sources that are kept; of more, those go first that were written first.
const MAX_LISTS: usize = 6;
/// After which time a file that was begun is taken for one whose process has ended.
const LEFT: Duration = Duration::from_secs(3_600);

/// A hash that tells what has changed, and what was cut off or broken; nothing is safe by it.
#[derive(Debug, Default)]
pub(crate) struct Sum(DefaultHasher);

impl Sum {
    /// Adds a text, so that two of them are not one.
    pub(crate) fn add(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.number(text.len() as u64);
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, number: u64) {
        self.0.write_u64(number);
    }

    /// Adds bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the hash.
    pub(crate) fn get(&self) -> u64 {
        self.0.finish()
    }
}

/// A file's content.
pub(super) struct KeptFile(Vec<u8>);

impl KeptFile {
    pub(super) fn content(&self) -> &[u8] {
        self.0.get(HEAD..).unwrap_or_default()
    }
}

/// Names the files of a list of sources.
pub(super) fn name_of(sources: &[Source]) -> String {
    let mut sum = Sum::default();
    sources.iter().for_each(|source| sum.add(&address(source)));
    format!("{:016x}", sum.get())
}

/// Returns what tells this build from others: words and their weights may change with each.
fn build() -> u64 {
    static BUILD: OnceLock<u64> = OnceLock::new();
    *BUILD.get_or_init(|| {
        let mut sum = Sum::default();
        sum.add(env!("CARGO_PKG_VERSION"));
        if let Ok(program) = std::env::current_exe().and_then(fs::metadata) {
            sum.number(program.len());
            sum.number(program.mtime().cast_unsigned());
            sum.number(program.mtime_nsec().cast_unsigned());
        }
        sum.get()
    })
}

fn head(content: &[u8]) -> [u8; HEAD] {
    let mut sum = Sum::default();
    sum.bytes(content);
    let mut head = [0; HEAD];
    let parts = [*MAGIC, build().to_le_bytes(), sum.get().to_le_bytes()];
    for (to, from) in head.iter_mut().zip(parts.iter().flatten()) {
        *to = *from;
    }
    head
}

/// Reads a file; none where it is not there, not whole, of another build, or one that others may have written.
pub(super) fn read(path: &Path) -> Option<KeptFile> {
    let file = KeptFile(aish_journal::read_own(path, MAX_BYTES).ok()?);
    let is_whole = file.0.get(..HEAD) == Some(&head(file.content())[..]);
    if !is_whole {
        tracing::debug!(path = %path.display(), "what was kept is of another build or broken; it is made anew");
    }
    is_whole.then_some(file)
}

/// Returns the room that [`write`] wants before a content.
pub(super) fn room() -> Vec<u8> {
    vec![0; HEAD]
}

/// Puts a content behind its [`room`] in the place of a file; a failure is logged, since all can be made anew.
pub(super) fn write(path: &Path, mut bytes: Vec<u8>) {
    let Some((room, content)) = bytes.split_at_mut_checked(HEAD) else { return };
    room.copy_from_slice(&head(content));
    if let Err(error) = aish_journal::replace_own(path, &bytes) {
        tracing::warn!(%error, "the tools cannot be kept for the next start");
    }
}

/// Removes the files of lists that were written longest ago, and never this one's; and what was begun and not finished.
pub(super) fn forget_old(own: &Path) {
    let Some(entries) = own.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return };
    let written = |path: &Path| path.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let others = entries.flatten().map(|entry| entry.path()).filter(|path| path.with_extension("") != own);
    let mut files: Vec<(SystemTime, PathBuf)> = others.map(|path| (written(&path), path)).collect();
    files.sort();
    let (whole, begun): (Vec<_>, Vec<_>) = files.into_iter().partition(|(_, path)| is_whole(path));
    let more = whole.len().saturating_sub((MAX_LISTS - 1) * 2);
    let is_left = |written: SystemTime| written.elapsed().is_ok_and(|age| age > LEFT);
    let left = begun.into_iter().filter(|&(written, _)| is_left(written));
    for (_, path) in whole.into_iter().take(more).chain(left) {
        // Another process may have been sooner.
        let _ = fs::remove_file(path);
    }
}

/// Says whether a file has its last name.
fn is_whole(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "configs" || ending == "index")
}
