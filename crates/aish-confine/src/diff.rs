//! Line counts and unified differences of changes.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use aish_diff::LineCounts;

use crate::attributes::{self, Attributes, FileKind};
use crate::changes::{Change, ChangeKind};
use crate::layer::{Layer, State};

/// Bytes of a file that is compared by lines; a longer one is told by its size.
const LONGEST: u64 = 1 << 20;

/// Where the two versions of a change are, none where there is none.
pub(crate) struct Versions {
    pub(crate) old: Option<PathBuf>,
    pub(crate) new: Option<PathBuf>,
}

impl Layer {
    /// Counts the lines of a change; none where a version is no text, or is too long to be compared.
    pub fn lines(&self, change: &Change) -> Option<LineCounts> {
        let (old, new) = self.both(change)?;
        Some(aish_diff::counts(&old, &new))
    }

    /// Writes the unified difference of a change; none where a version is no text, or is too long to be compared.
    pub fn diff(&self, change: &Change) -> Option<String> {
        let (old, new) = self.both(change)?;
        let name = change.path.display().to_string();
        let side = |side: &str, there: bool| if there { format!("{side}/{name}") } else { "/dev/null".to_owned() };
        let names = (side("a", change.kind != ChangeKind::New), side("b", change.kind != ChangeKind::Deleted));
        Some(aish_diff::unified(&old, &new, Some((&names.0, &names.1))))
    }

    fn both(&self, change: &Change) -> Option<(String, String)> {
        let versions = self.versions(change);
        let text = |path: Option<PathBuf>| match path {
            Some(path) => read_text(&path),
            None => Some(String::new()),
        };
        Some((text(versions.old)?, text(versions.new)?))
    }

    /// Finds both versions, whichever side they are on by now.
    pub(crate) fn versions(&self, change: &Change) -> Versions {
        let tree = self.tree(change.root).join(&change.path);
        let upper = self.upper(change.root).join(&change.path);
        let (inside, outside) = match self.state() {
            Ok(State::Kept) => (tree, upper),
            Ok(State::Open | State::Keeping | State::TakingBack | State::TakenBack) | Err(_) => (upper, tree),
        };
        let moved = || {
            let (_, moves) = self.journal().ok()?;
            let one = moves.iter().find(|one| one.root == change.root && one.path == change.path)?;
            let path = self.folder.join("old").join(one.number.to_string());
            path.symlink_metadata().is_ok().then_some(path)
        };
        match change.kind {
            ChangeKind::New => Versions { old: None, new: Some(inside) },
            ChangeKind::Changed => Versions { old: Some(outside), new: Some(inside) },
            ChangeKind::Deleted => {
                Versions { old: moved().or(Some(self.tree(change.root).join(&change.path))), new: None }
            }
        }
    }
}

/// Reads a text of bounded length; a link's text is where it leads.
pub(crate) fn read_text(path: &Path) -> Option<String> {
    let attributes = Attributes::of(path).ok()??;
    match attributes.kind {
        FileKind::Link => Some(format!("link to {}\n", fs::read_link(path).ok()?.display())),
        FileKind::File if attributes.size <= LONGEST => {
            let text = read_whole(path)?;
            (!text.contains('\0')).then_some(text)
        }
        FileKind::File | FileKind::Folder | FileKind::Whiteout | FileKind::Special => None,
    }
}

/// Reads a text of bounded length whole.
pub(crate) fn read_whole(path: &Path) -> Option<String> {
    let mut text = String::new();
    attributes::open(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}
