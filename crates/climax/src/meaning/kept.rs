//! The vectors that were made, in one file a model: a mark, the length of a vector, then a key and a vector each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aish_safety::pin::Digest;

/// What the file begins with; the digit is the format's version.
const MARK: &[u8; 8] = b"CLXVECS1";
/// Bytes of a key.
const KEY: usize = 16;
/// The most vectors that are kept; beyond that those of other tools than this process's go.
const MOST: usize = 200_000;
/// Bytes of a model that tell it from another one.
const TELLING: usize = 1 << 20;

/// Vectors by the hash of the text that they were made of.
pub(super) struct Kept {
    file: Option<PathBuf>,
    width: usize,
    vectors: HashMap<u128, Arc<[i8]>>,
    /// The keys of this process's tools.
    used: Vec<u128>,
}

/// Returns the key of a text.
pub(super) fn key(text: &[u8]) -> u128 {
    let digest = Digest::of(text);
    digest.as_str().get(..2 * KEY).and_then(|hex| u128::from_str_radix(hex, 16).ok()).unwrap_or_default()
}

impl Kept {
    /// Reads what is kept for a model; a file that is not whole is as none.
    pub(super) fn read(folder: Option<&Path>, model: &[u8], width: usize) -> Self {
        let mut telling = model.get(..TELLING.min(model.len())).unwrap_or_default().to_vec();
        telling.extend(model.len().to_le_bytes());
        let name = format!("vectors-{:08x}.bin", key(&telling) >> 96);
        let file = folder.map(|folder| folder.join(name));
        let most = most_bytes(width);
        let bytes = file.as_ref().and_then(|file| aish_journal::read_own(file, most).ok());
        let vectors = bytes.and_then(|bytes| parsed(&bytes, width)).unwrap_or_default();
        Self { file, width, vectors, used: Vec::new() }
    }

    /// Says whether there is a vector, which then counts as one of this process's.
    pub(super) fn has(&mut self, key: u128) -> bool {
        let known = self.vectors.contains_key(&key);
        if known {
            self.used.push(key);
        }
        known
    }

    /// Returns a vector.
    pub(super) fn get(&self, key: u128) -> Option<Arc<[i8]>> {
        self.vectors.get(&key).cloned()
    }

    /// Adds a vector.
    pub(super) fn put(&mut self, key: u128, vector: Vec<i8>) {
        self.used.push(key);
        self.vectors.insert(key, vector.into());
    }

    /// Writes all down, with what other processes have written meanwhile. Without a folder, or where it cannot be written, they
    /// are made again the next time.
    pub(super) fn write(&mut self) {
        let Some(file) = &self.file else { return };
        let others = aish_journal::read_own(file, most_bytes(self.width)).ok();
        if let Some(others) = others.and_then(|bytes| parsed(&bytes, self.width)) {
            for (key, vector) in others {
                self.vectors.entry(key).or_insert(vector);
            }
        }
        if self.vectors.len() > MOST {
            let used: std::collections::HashSet<u128> = self.used.iter().copied().collect();
            self.vectors.retain(|key, _| used.contains(key));
        }
        let mut bytes = Vec::with_capacity(12 + self.vectors.len() * (KEY + self.width));
        bytes.extend(MARK);
        bytes.extend(u32::try_from(self.width).unwrap_or(u32::MAX).to_le_bytes());
        for (key, vector) in self.vectors.iter().take(MOST) {
            bytes.extend(key.to_le_bytes());
            bytes.extend(vector.iter().map(|number| number.cast_unsigned()));
        }
        if let Err(error) = aish_journal::replace_own(file, &bytes) {
            tracing::warn!(%error, "the vectors of tools cannot be kept");
        }
    }
}

/// Returns how many bytes a file may have.
fn most_bytes(width: usize) -> u64 {
    u64::try_from(MOST * (KEY + width) + 64).unwrap_or(u64::MAX)
}

fn parsed(bytes: &[u8], width: usize) -> Option<HashMap<u128, Arc<[i8]>>> {
    let (head, rest) = bytes.strip_prefix(MARK)?.split_at_checked(4)?;
    let written = u32::from_le_bytes(head.try_into().ok()?);
    if usize::try_from(written).ok()? != width || rest.len() % (KEY + width) != 0 {
        return None;
    }
    let entries = rest.chunks_exact(KEY + width).filter_map(|entry| {
        let (key, vector) = entry.split_at_checked(KEY)?;
        let numbers = vector.iter().map(|byte| byte.cast_signed()).collect();
        Some((u128::from_le_bytes(key.try_into().ok()?), numbers))
    });
    Some(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::Dice;

    #[test]
    fn vectors_are_kept_by_model_and_text() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = Kept::read(Some(folder.path()), b"model", 2);
        assert!(!kept.has(key(b"a")));
        kept.put(key(b"a"), vec![1, -2]);
        kept.write();
        // Another process, meanwhile.
        let mut other = Kept::read(Some(folder.path()), b"model", 2);
        assert!(other.has(key(b"a")));
        other.put(key(b"b"), vec![3, 4]);
        other.write();
        kept.put(key(b"c"), vec![5, 6]);
        kept.write();
        let all = Kept::read(Some(folder.path()), b"model", 2);
        assert_eq!([b"a", b"b", b"c"].map(|text| all.get(key(text)).unwrap().to_vec()), [[1, -2], [3, 4], [5, 6]]);
        assert!(Kept::read(Some(folder.path()), b"another", 2).get(key(b"a")).is_none());
    }

    #[test]
    fn a_file_that_is_not_whole_is_as_none() {
        let whole = [&MARK[..], &2_u32.to_le_bytes(), &7_u128.to_le_bytes(), &[1, 255]].concat();
        assert_eq!(parsed(&whole, 2).unwrap()[&7].to_vec(), [1, -1]);
        for (bytes, width) in [(&whole[..whole.len() - 1], 2), (&whole[..], 3), (&whole[..9], 2), (b"other", 2)] {
            assert!(parsed(bytes, width).is_none());
        }
    }

    #[test]
    fn a_file_that_was_changed_in_any_way_gives_whole_vectors_or_none() {
        const WIDTH: usize = 8;
        let folder = tempfile::tempdir().unwrap();
        let mut kept = Kept::read(Some(folder.path()), b"model", WIDTH);
        for number in 0..60_i8 {
            kept.put(key(&[number.cast_unsigned()]), vec![number; WIDTH]);
        }
        kept.write();
        let file = kept.file.clone().unwrap();
        let whole = std::fs::read(&file).unwrap();
        let mut dice = Dice(22);
        for _ in 0..150 {
            let changed = dice.mutate(&whole);
            std::fs::write(&file, &changed).unwrap();
            let mut read = Kept::read(Some(folder.path()), b"model", WIDTH);
            // No more than is in the file, and each as long as the model's.
            assert!(read.vectors.len() * (KEY + WIDTH) <= changed.len());
            assert!(read.vectors.values().all(|vector| vector.len() == WIDTH));
            // What is made next is kept all the same.
            read.put(1, vec![5; WIDTH]);
            read.write();
            let again = Kept::read(Some(folder.path()), b"model", WIDTH);
            assert_eq!(again.get(1).unwrap().to_vec(), [5; WIDTH]);
        }
    }
}
