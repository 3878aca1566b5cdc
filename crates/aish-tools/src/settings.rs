//! The files of settings that a folder brings.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// How much of a file is looked through for a text, in bytes; a larger one counts as holding it.
const MAX_LOOKED_THROUGH: u64 = 1 << 20;

/// Returns the files of settings in a folder and above it that make programs run or fetch what they say.
pub fn brought(folder: &str) -> Vec<String> {
    aish_safety::brought(folder, &|path, text| {
        let path = Path::new(path);
        match text {
            "" => path.symlink_metadata().is_ok(),
            text => path.symlink_metadata().is_ok() && may_hold(path, text),
        }
    })
}

/// Says whether a text stands in a file. What cannot be read as text may hold it.
fn may_hold(path: &Path, text: &str) -> bool {
    if !path.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_LOOKED_THROUGH) {
        return true;
    }
    let mut content = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_LOOKED_THROUGH).read_to_string(&mut content));
    read.is_err() || content.contains(['\0', '\u{feff}']) || content.contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_decides_and_what_cannot_be_read_may_say_anything() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("compose.yaml");
        let holds = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            brought(&folder.path().display().to_string()).iter().any(|name| name.starts_with("compose.yaml"))
        };
        assert!(!holds(b"services: {web: {image: nginx}}\n"));
        assert!(holds(b"include: [oci://example.com/x]\n"));
        assert!(holds(b"\xff\xfei\0n\0"));
        assert!(holds(b"\xef\xbb\xbfa: 1\n"));
        assert!(holds(&vec![b'a'; 2 << 20]));
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(brought(&folder.path().display().to_string()).iter().any(|name| name.starts_with("compose.yaml")));
    }
}
