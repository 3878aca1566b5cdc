//! One file of a project, and whether it is used.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use aish_journal::TrustFile;
use aish_safety::pin::Digest;

use crate::failure::Failure;

/// The longest file that is read, in bytes; nothing of a longer one is used.
const LONGEST: u64 = 256 * 1024;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `.aish.toml`.
    Settings,
    /// Text for the model.
    Instructions,
    /// A prompt of the project.
    Prompt,
    /// A skill of the project.
    Skill,
}

/// Whether a file is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is: a person trusts what it holds.
    Trusted,
    /// It is not: nobody was asked yet.
    New,
    /// It is not: it has another content than the one that was trusted.
    Changed,
    /// It is not and cannot be: it leads out of the project, is no plain text, or is too long.
    Refused(String),
}

/// One file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// Its path, links in its folder resolved.
    pub path: PathBuf,
    /// Its path below the project's root.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// Whether it is used.
    pub standing: Standing,
    /// SHA-256 of its content.
    pub hash: String,
    /// Its content; empty for a refused one.
    pub text: String,
}

impl ProjectFile {
    /// Reads a file of a folder; none when there is none.
    pub(super) fn read(root: &Path, folder: &Path, name: &str, kind: Kind, trust: &TrustFile) -> Option<Self> {
        let path = folder.join(name);
        if path.symlink_metadata().is_err() {
            return None;
        }
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let file = |standing, hash, text| Self { path: path.clone(), name: shown.clone(), kind, standing, hash, text };
        let text = match content(root, &path) {
            Ok(text) => text,
            Err(why) => return Some(file(Standing::Refused(why.to_string()), String::new(), String::new())),
        };
        let hash = Digest::of(text.as_bytes()).to_string();
        let standing = match trust.hash(&path) {
            Ok(Some(trusted)) if trusted == hash => Standing::Trusted,
            Ok(Some(_)) => Standing::Changed,
            Ok(None) => Standing::New,
            Err(error) => Standing::Refused(crate::failure::chain(&error)),
        };
        Some(file(standing, hash, text))
    }
}

/// Reads the whole content. A link may lead to another file of the project and nowhere else.
fn content(root: &Path, path: &Path) -> Result<String, Failure> {
    let real = path.canonicalize()?;
    if !real.starts_with(root) {
        return Err(Failure::user(format!("it leads out of the project, to {}", real.display())));
    }
    // Asked before it is opened: a pipe would be waited for.
    let meta = real.metadata()?;
    if !meta.is_file() {
        return Err(Failure::user("it is no plain file"));
    }
    let mut bytes = Vec::new();
    let read = File::open(&real).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    read?;
    if bytes.len() as u64 > LONGEST {
        return Err(Failure::user(format!("it has more than {} KiB", LONGEST / 1024)));
    }
    String::from_utf8(bytes).map_err(|_| Failure::user("it is no UTF-8 text"))
}
