//! The files of settings that a folder brings.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_safety::{Brought, is_brought};

/// How much of a file is looked through for a text, in bytes; a larger one counts as holding it.
const MAX_LOOKED_THROUGH: u64 = 1 << 20;
/// How long an answer holds: a line that names a program a thousand times is no thousand looks.
const KEPT_FOR: Duration = Duration::from_millis(500);

/// Returns what looks for the files of settings in a folder and above it that make programs run or fetch what they say.
pub fn brought(folder: &str) -> Brought {
    let folder = folder.to_owned();
    let kept: Mutex<(Option<Instant>, BTreeMap<String, bool>)> = Mutex::default();
    Brought::new(move |name| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, answers) = &mut *kept;
        if since.is_none_or(|since| since.elapsed() > KEPT_FOR) {
            *since = Some(Instant::now());
            answers.clear();
        }
        if let Some(answer) = answers.get(name) {
            return *answer;
        }
        let answer = is_brought(name, &folder, &|path, text| {
            let path = Path::new(path);
            path.symlink_metadata().is_ok() && (text.is_empty() || may_hold(path, text))
        });
        answers.insert(name.to_owned(), answer);
        answer
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
    use aish_safety::{PolicyRules, Surroundings, Verdict, analyse};

    use super::*;

    #[test]
    fn what_a_file_says_decides_and_what_cannot_be_read_may_say_anything() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("compose.yaml");
        let asks = || {
            let folder = folder.path().display().to_string();
            let around = Surroundings { brought: brought(&folder), folder: Some(folder), ..Surroundings::default() };
            analyse("docker compose ps", &around, &PolicyRules::default()).judgement.verdict == Verdict::Ask
        };
        assert!(!asks());
        let holds = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            asks()
        };
        assert!(!holds(b"services: {web: {image: nginx}}\n"));
        assert!(holds(b"include: [oci://example.com/x]\n"));
        assert!(holds(b"\xff\xfei\0n\0"));
        assert!(holds(b"\xef\xbb\xbfa: 1\n"));
        assert!(holds(&vec![b'a'; 2 << 20]));
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(asks());
    }
}
