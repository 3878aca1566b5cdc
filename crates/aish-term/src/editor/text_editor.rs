//! A line in the person's own editor (`edit-and-execute-command`).

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::process::Command;

use super::options::Exported;

/// Bytes that are read back at most.
const MOST: u64 = 1024 * 1024;

/// Opens `$VISUAL`, `$EDITOR` or `vi` on a text; none where it ended with a fault or left nothing.
///
/// # Errors
/// When there is no place for the file. An editor that is not there is none.
pub(super) fn edited(text: &str, exported: &Exported) -> io::Result<Option<String>> {
    let mut file = tempfile::Builder::new().prefix("aish-line-").suffix(".sh").tempfile()?;
    writeln!(file, "{text}")?;
    file.flush()?;
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| exported(name).filter(|value| !value.is_empty()));
    let line = format!("{} \"$1\"", named.as_deref().unwrap_or("vi"));
    let ended = Command::new("sh").args(["-c", &line, "sh"]).arg(file.path()).status()?;
    if !ended.success() {
        return Ok(None);
    }
    let mut written = String::new();
    // Some editors put a new file in the place of the old one.
    match std::fs::File::open(file.path()) {
        Ok(new) => new.take(MOST).read_to_string(&mut written)?,
        Err(_) => {
            file.seek(SeekFrom::Start(0))?;
            file.take(MOST).read_to_string(&mut written)?
        }
    };
    let written = aish_types::sanitize(written.trim_end()).into_owned();
    Ok((!written.trim().is_empty()).then_some(written))
}
