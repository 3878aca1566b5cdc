//! The sums of everything that a release consists of.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use sha2::{Digest, Sha256};

/// The file with the sums, as `sha256sum --check` reads it.
const NAME: &str = "SHA256SUMS";

/// Returns the SHA-256 of some bytes in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Writes the sums of the files in a folder; folders in it are not looked into.
pub(super) fn write(folder: &Path) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && name != NAME {
            lines.push((name, sha256(&std::fs::read(entry.path())?)));
        }
    }
    lines.sort();
    let text = lines.into_iter().fold(String::new(), |text, (name, sum)| format!("{text}{sum}  {name}\n"));
    std::fs::write(folder.join(NAME), text).with_context(|| format!("writing {NAME}"))
}
