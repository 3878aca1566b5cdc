//! One path as it was: its kind, attributes, and where its content is kept. A list of them is a step's `entries.jsonl`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of the list in a step's folder.
const NAME: &str = "entries.jsonl";

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Absent,
    File,
    Folder,
    Link,
    Other,
}

/// Mode, owner and time of change of a path, and which inode it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Attributes {
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) seconds: i64,
    pub(super) nanoseconds: i64,
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) links: u64,
}

/// One path as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    #[serde(serialize_with = "write_path", deserialize_with = "read_path")]
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) attributes: Attributes,
    /// The name of the content in the step's folder; none where only the attributes are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// Where a link leads.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_some_path",
        deserialize_with = "read_some_path"
    )]
    pub(super) target: Option<PathBuf>,
    /// True for a folder whose list of names is whole: what has come in since goes at an undo.
    #[serde(default)]
    pub(super) whole: bool,
    /// How many of the folders above it were not there either, where it was not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) missing: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Writes a step's entries.
pub(super) fn store(folder: &Path, entries: &[Entry]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create_new(folder.join(NAME))?);
    for entry in entries {
        serde_json::to_writer(&mut file, entry)?;
        file.write_all(b"\n")?;
    }
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()
}

/// Reads a step's entries, sorted by path.
pub(super) fn load(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for line in BufReader::new(fs::File::open(folder.join(NAME))?).lines() {
        entries.push(serde_json::from_str::<Entry>(&line?)?);
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

/// Spells a path so that bytes that are no UTF-8 survive: `%` and those bytes as `%XX`.
fn spell(path: &Path) -> String {
    let mut out = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter == '%' { out.push_str("%25") } else { out.push(letter) }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn unspell(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(after.get(..2)?, 16).ok()?);
        rest = after.get(2..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

fn write_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&spell(path))
}

fn read_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(deserializer)?;
    unspell(&text).ok_or_else(|| serde::de::Error::custom("a path that is not spelt right"))
}

#[expect(clippy::ref_option, reason = "the form that serde asks for")]
fn write_some_path<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| spell(path)).serialize(serializer)
}

fn read_some_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.as_deref().and_then(unspell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_survives_its_spelling() {
        for bytes in [&b"/a/b c"[..], b"/100%/x%20", b"/\xff\xfe/\xc3\xa4", "/ä/日本".as_bytes(), b""] {
            let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            assert_eq!(unspell(&spell(&path)), Some(path));
        }
        assert_eq!(unspell("%f"), None);
        assert_eq!(unspell("%zz"), None);
    }
}
