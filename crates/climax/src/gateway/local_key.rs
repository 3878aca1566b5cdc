//! A key of this machine, with which what may hold secrets is hashed: a hash in a file tells nothing without it.

use std::io::Read as _;
use std::path::Path;

use aish_safety::pin::{Digest, canonical};
use serde_json::{Value, json};

/// Bytes that the file may have.
const MAX_BYTES: u64 = 1024;

/// The key, in hex.
#[derive(Clone)]
pub(crate) struct LocalKey(String);

impl LocalKey {
    /// Reads the key, and makes it where there is none; one that cannot be kept is good for this process alone.
    pub(crate) fn open(path: Option<&Path>) -> Self {
        // Who could have written it knows it, and could write what it vouches for.
        let read = |path: &Path| {
            String::from_utf8(aish_journal::read_own(path, MAX_BYTES).ok()?).ok().filter(|text| is_key(text))
        };
        if let Some(key) = path.and_then(read) {
            return Self(key);
        }
        let new = random();
        let Some(path) = path else { return Self(new) };
        // Of several that start at once, one makes it.
        let _held = aish_journal::hold(path);
        if let Some(key) = read(path) {
            return Self(key);
        }
        if let Err(error) = aish_journal::replace_own(path, new.as_bytes()) {
            tracing::debug!(%error, "the key cannot be kept");
        }
        Self(new)
    }

    /// Hashes a value with the key.
    pub(crate) fn hash(&self, value: &Value) -> Digest {
        Digest::of(canonical(&json!([self.0, value])).as_bytes())
    }
}

fn is_key(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn random() -> String {
    let mut bytes = [0_u8; 32];
    let filled = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if filled.is_err() {
        // Without randomness nothing that is kept is found again, and nothing that is kept tells anything.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        return Digest::of(format!("{}-{}", std::process::id(), now.as_nanos()).as_bytes()).to_string();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stays_and_another_key_hashes_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let first = LocalKey::open(Some(&path)).hash(&json!("x"));
        assert_eq!(LocalKey::open(Some(&path)).hash(&json!("x")), first);
        assert_ne!(LocalKey::open(None).hash(&json!("x")), first);
        std::fs::write(&path, "short").unwrap();
        assert_ne!(LocalKey::open(Some(&path)).hash(&json!("x")), first);
    }

    #[test]
    fn a_key_that_others_could_have_written_is_none() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let theirs = "a".repeat(64);
        std::fs::write(&path, &theirs).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert_ne!(LocalKey::open(Some(&path)).0, theirs);
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(kept != theirs && LocalKey::open(Some(&path)).0 == kept, "another one stands in its place");
    }
}
