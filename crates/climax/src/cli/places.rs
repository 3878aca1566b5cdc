//! Where the state and the sentence model are.

use std::path::PathBuf;

fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns `$XDG_STATE_HOME/climax`, or its default below the home folder.
pub(super) fn state_folder() -> Option<PathBuf> {
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("climax"))
}

/// Returns where `aish model pull` puts the sentence model: `$XDG_DATA_HOME/aish/models`, or its default below the home folder.
pub(super) fn sentences() -> Option<PathBuf> {
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))?;
    Some(data.join("aish/models").join(aish_embedding::FILE))
}
