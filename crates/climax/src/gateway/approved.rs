//! Which servers somebody agreed to start: the whole command line or URL, with the names of what goes along, the file that the
//! program is, and the folder that it runs in where the command line may hang on that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aish_mcp::client::WrittenEndpoint;
use aish_types::SourceId;
use serde_json::json;

use super::local_key::LocalKey;

/// Bytes that the file may have.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What is agreed to.
#[derive(Debug, Clone)]
pub(crate) struct Agreed<'a> {
    /// How the server is reached, as it was written.
    pub(crate) reach: &'a WrittenEndpoint,
    /// The file that its program is here; none where there is none, and for a URL.
    pub(crate) program: Option<PathBuf>,
    /// The folder that it runs in, where that is known to matter.
    pub(crate) folder: Option<&'a Path>,
}

/// Approved servers in a file, by their identity. A file that cannot be read, or that somebody else may have written, approves
/// nothing.
pub(crate) struct Approved {
    path: Option<PathBuf>,
    key: LocalKey,
    known: Mutex<BTreeMap<String, String>>,
}

impl Approved {
    /// Reads the file.
    pub(crate) fn open(path: Option<PathBuf>, key: LocalKey) -> Self {
        let known = Mutex::new(read(path.as_ref()));
        Self { path, key, known }
    }

    /// Says whether this very server was approved.
    pub(crate) fn holds(&self, source: &SourceId, agreed: &Agreed<'_>) -> bool {
        let digest = self.digest(agreed);
        let is_known = |known: &BTreeMap<String, String>| known.get(source.as_str()) == Some(&digest);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if is_known(&known) {
            return true;
        }
        // Somebody may have approved it elsewhere meanwhile: `climax refresh`.
        *known = read(self.path.as_ref()).into_iter().chain(std::mem::take(&mut *known)).collect();
        is_known(&known)
    }

    /// Notes that somebody approved a server.
    pub(crate) fn note(&self, source: &SourceId, agreed: &Agreed<'_>) {
        let digest = self.digest(agreed);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = self.path.as_ref().map(|path| aish_journal::hold(path));
        let mut all = read(self.path.as_ref());
        all.insert(source.to_string(), digest.clone());
        if let (Some(path), Ok(bytes)) = (&self.path, serde_json::to_vec_pretty(&all))
            && let Err(error) = aish_journal::replace_own(path, &bytes)
        {
            tracing::warn!(%error, "that a server was approved cannot be kept; it is asked again the next time");
        }
        known.insert(source.to_string(), digest);
    }

    /// Hashes what was approved, as it was written: a variable that is filled in may have another value every day.
    fn digest(&self, agreed: &Agreed<'_>) -> String {
        let value = match agreed.reach {
            WrittenEndpoint::Stdio { command, args, env, cwd } => {
                json!(["program", command, args, env, cwd, agreed.program, agreed.folder])
            }
            WrittenEndpoint::Http { url, headers, auth_env } => json!(["url", url, headers, auth_env]),
        };
        self.key.hash(&value).to_string()
    }
}

fn read(path: Option<&PathBuf>) -> BTreeMap<String, String> {
    let bytes = path.and_then(|path| aish_journal::read_own(path, MAX_BYTES).ok()).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(args: &[&str], value: &str) -> Agreed<'static> {
        let reach = WrittenEndpoint::Stdio {
            command: "npx".into(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: BTreeMap::from([("NODE_PATH".to_owned(), value.to_owned())]),
            cwd: None,
        };
        Agreed { reach: Box::leak(Box::new(reach)), program: Some("/bin/npx".into()), folder: Some(Path::new("/a")) }
    }

    #[test]
    fn what_is_approved_at_once_is_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, key) = (folder.path().join("approved.json"), folder.path().join("key"));
        std::thread::scope(|scope| {
            for gateway in 0..16 {
                let (path, key) = (path.clone(), key.clone());
                let note = move || {
                    let approved = Approved::open(Some(path), LocalKey::open(Some(&key)));
                    approved.note(&SourceId::new(format!("mcp:{gateway}")), &program(&["x"], "1"));
                };
                scope.spawn(note);
            }
        });
        let approved = Approved::open(Some(path), LocalKey::open(Some(&key)));
        let is_kept = |gateway: &i32| approved.holds(&SourceId::new(format!("mcp:{gateway}")), &program(&["x"], "1"));
        assert_eq!((0..16).filter(is_kept).count(), 16);
    }

    #[test]
    fn what_was_approved_is_that_very_command() {
        let folder = tempfile::tempdir().unwrap();
        let (path, key) = (folder.path().join("approved.json"), LocalKey::open(None));
        let source = SourceId::new("mcp:a#1");
        let approved = Approved::open(Some(path.clone()), key.clone());
        assert!(!approved.holds(&source, &program(&["x"], "1")));
        let elsewhere = Approved::open(Some(path.clone()), key.clone());
        elsewhere.note(&source, &program(&["x"], "1"));
        assert!(approved.holds(&source, &program(&["x"], "1")), "it was approved by another process");
        let elsewhere = Agreed { folder: Some(Path::new("/b")), ..program(&["x"], "1") };
        let another = Agreed { program: Some("/a/npx".into()), ..program(&["x"], "1") };
        let others = [program(&["y"], "1"), program(&["x"], "2"), program(&["x", "x"], "1"), elsewhere, another];
        for other in others {
            assert!(!approved.holds(&source, &other));
        }
        assert!(!approved.holds(&SourceId::new("mcp:b#1"), &program(&["x"], "1")));
        let open = |mode| std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        let holds = || Approved::open(Some(path.clone()), key.clone()).holds(&source, &program(&["x"], "1"));
        open(0o666);
        assert!(!holds(), "others may have written it");
        open(0o600);
        assert!(holds());
        std::fs::write(&path, "no json").unwrap();
        assert!(!Approved::open(Some(path), key).holds(&source, &program(&["x"], "1")));
    }
}
