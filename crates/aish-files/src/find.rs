//! Files by the patterns of their names.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, Walk, WalkBuilder};
use rustix::fs::{Mode, OFlags, openat2};

use crate::located::Located;
use crate::tree::{STRICT, Tree, or_dot};

/// The most entries that are looked at.
const MOST_ENTRIES: usize = 200_000;

/// The longest time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Files that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Their paths below the tree's root, the newest first.
    pub paths: Vec<String>,
    /// How many there are, those that are not listed among them.
    pub total: usize,
    /// True when not all of the tree was looked at.
    pub is_cut: bool,
}

/// A pattern that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// That of the names of files.
    #[error("the pattern cannot be read: {0}")]
    Names(String),
    /// That of their lines.
    #[error("the pattern cannot be searched for: {0}")]
    Lines(String),
}

/// Makes a walk over a folder; what git ignores, the repositories themselves and links are left out.
pub(crate) fn walk(folder: &Path) -> Walk {
    let mut builder = WalkBuilder::new(folder);
    builder.hidden(false).follow_links(false).require_git(false);
    builder.filter_entry(|entry: &DirEntry| entry.file_name() != ".git");
    builder.build()
}

/// Makes the matcher of a pattern: with a slash for the path below the folder, else for the name; a pattern without `*`,
/// `?`, `[` or `{` is a part of the name.
pub(crate) fn matcher(pattern: &str) -> Result<GlobMatcher, PatternError> {
    let is_plain = !pattern.contains(['*', '?', '[', '{']);
    let whole = match pattern.trim_start_matches("./") {
        path if path.contains('/') => path.trim_start_matches('/').to_owned(),
        name if is_plain => format!("**/*{name}*"),
        name => format!("**/{name}"),
    };
    let glob = GlobBuilder::new(&whole).literal_separator(true).case_insensitive(is_plain).build();
    Ok(glob.map_err(|error| PatternError::Names(error.to_string()))?.compile_matcher())
}

/// Finds files below a folder by a pattern of their names; `most` are listed. `stop` is asked now and then whether to end.
///
/// # Errors
/// When the pattern cannot be read.
pub fn find(
    tree: &Tree,
    folder: &Located,
    pattern: &str,
    most: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Found, PatternError> {
    let matcher = matcher(pattern)?;
    let until = Instant::now() + PATIENCE;
    let mut found: Vec<(SystemTime, String)> = Vec::new();
    let mut out = Found::default();
    for (looked, entry) in walk(&folder.absolute).enumerate() {
        if looked >= MOST_ENTRIES || looked % 256 == 0 && (Instant::now() > until || stop()) {
            out.is_cut = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        let Ok(below) = entry.path().strip_prefix(&folder.absolute) else { continue };
        if entry.file_type().is_none_or(|kind| kind.is_dir()) || !matcher.is_match(below) {
            continue;
        }
        let Ok(path) = entry.path().strip_prefix(tree.root()) else { continue };
        let changed = entry.metadata().ok().and_then(|meta| meta.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH);
        found.push((changed, path.display().to_string()));
    }
    out.total = found.len();
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    // A folder that became a link while it was walked through leads nowhere.
    let is_there = |path: &String| {
        let above = Path::new(path).parent().unwrap_or(Path::new(""));
        openat2(&tree.fd, or_dot(above), OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), STRICT).is_ok()
    };
    out.paths = found.into_iter().map(|(_, path)| path).filter(is_there).take(most).collect();
    Ok(out)
}
