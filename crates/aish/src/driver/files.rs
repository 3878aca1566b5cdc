//! What tools return beside text is saved to files, so that a person can open it and a command can read it.

use std::fs::{DirBuilder, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use aish_types::{Block, ToolOutcome};
use base64::Engine as _;

/// How many files are kept; the oldest go first.
const MOST: usize = 500;
/// The longest file, in bytes of base64.
const LONGEST: usize = 64 * 1024 * 1024;

/// Saves the blocks of an outcome and names them in its text, for the model too.
pub(super) fn save(folder: &Path, outcome: &mut ToolOutcome) {
    let lines: Vec<String> = outcome.blocks.iter().filter_map(|block| line(folder, block)).collect();
    add(outcome, &lines);
}

/// Leaves images out that no model takes, and says so in the text.
pub(super) fn settle(outcome: &mut ToolOutcome) {
    let mut left_out = Vec::new();
    outcome.blocks.retain_mut(|block| {
        let Block::Image { media_type, data } = block else { return true };
        let told = media_type.clone();
        let is_taken = crate::image::settle(media_type, data);
        if !is_taken {
            left_out.push(format!("[{told} left out: models take PNG, JPEG, GIF and WebP up to 20 MiB]"));
        }
        is_taken
    });
    add(outcome, &left_out);
}

fn add(outcome: &mut ToolOutcome, lines: &[String]) {
    for line in lines {
        if !outcome.text.is_empty() && !outcome.text.ends_with('\n') {
            outcome.text.push('\n');
        }
        outcome.text.push_str(line);
    }
}

/// Saves one block; none where it has no bytes.
fn line(folder: &Path, block: &Block) -> Option<String> {
    let (kind, data) = match block {
        Block::Image { media_type, data } | Block::Audio { media_type, data } => (media_type.as_str(), data),
        Block::Resource { media_type, data, .. } => {
            (media_type.as_deref().unwrap_or("application/octet-stream"), data.as_ref()?)
        }
    };
    Some(match write(folder, kind, data) {
        Ok(path) => format!("[{kind} saved as {}]", path.display()),
        Err(why) => format!("[{kind} was not saved: {why}]"),
    })
}

/// Writes a file whose name depends on its content: the same image is one file.
fn write(folder: &Path, kind: &str, data: &str) -> io::Result<PathBuf> {
    if data.len() > LONGEST {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "it is too long"));
    }
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(crate::image::plain_base64(data).as_ref())
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is no base64"))?;
    let mut hasher = DefaultHasher::new();
    (kind, &bytes).hash(&mut hasher);
    let path = folder.join(format!("{:016x}.{}", hasher.finish(), extension(kind)));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(mut file) => file.write_all(&bytes)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(path),
        Err(error) => return Err(error),
    }
    prune(folder)?;
    Ok(path)
}

/// Returns the end of a file's name: letters and digits of the media type alone.
fn extension(kind: &str) -> String {
    let name: String =
        kind.rsplit('/').next().unwrap_or_default().chars().take_while(char::is_ascii_alphanumeric).collect();
    match name.as_str() {
        "jpeg" => "jpg".to_owned(),
        "octet" | "" => "bin".to_owned(),
        "plain" => "txt".to_owned(),
        other => other.to_owned(),
    }
}

/// Removes the oldest files over the bound.
fn prune(folder: &Path) -> io::Result<()> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let over = files.len().saturating_sub(MOST);
    files.iter().take(over).try_for_each(|(_, path)| std::fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_results_are_saved_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("files");
        let image = Block::Image { media_type: "image/png".into(), data: "aGk=".into() };
        let link = Block::Resource { uri: "x:y".into(), media_type: None, data: None };
        let mut outcome = ToolOutcome::success("drawn");
        outcome.blocks = vec![image.clone(), image, link];
        save(&place, &mut outcome);
        let saved: Vec<PathBuf> = std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()).collect();
        let [path] = saved.as_slice() else { panic!("{saved:?}") };
        assert_eq!(std::fs::read(path).unwrap(), b"hi");
        let named = format!("[image/png saved as {}]", path.display());
        assert_eq!(outcome.text, format!("drawn\n{named}\n{named}"));

        settle(&mut outcome);
        assert_eq!(outcome.blocks.len(), 1, "two bytes are no image");

        let mut broken = ToolOutcome::success("");
        broken.blocks = vec![Block::Audio { media_type: "../../x/../wav".into(), data: "%".into() }];
        save(&place, &mut broken);
        assert_eq!(broken.text, "[../../x/../wav was not saved: it is no base64]");
    }

    #[test]
    fn images_that_servers_refuse_are_left_out_and_named_and_others_have_their_kind() {
        let image = |media_type: &str, data: &str| Block::Image { media_type: media_type.into(), data: data.into() };
        let gif = "R0lGODlh";
        let mut outcome = ToolOutcome::success("drawn");
        outcome.blocks = vec![
            image("image/png", "!!! no base64"),
            image("image/svg+xml", "PHN2Zy8+"),
            image("image/png", ""),
            image("image/png", gif),
            image("", &format!("data:image/gif;base64,{gif}")),
            image("image/gif", "R0lG\nODlh\n"),
        ];
        settle(&mut outcome);
        assert_eq!(outcome.blocks, vec![image("image/gif", gif); 3]);
        assert_eq!(outcome.text.matches("left out: models take").count(), 3, "{}", outcome.text);
        assert!(outcome.text.starts_with("drawn\n[image/png left out"), "{}", outcome.text);
    }
}
