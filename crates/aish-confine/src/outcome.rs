//! What became of a layer that was to be kept or taken back, and what stopped it.

use std::io;
use std::path::PathBuf;

use crate::layer::{LayerError, State};

/// Why a path is a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was changed by another program.
    Changed,
    /// Another program has it open for writing.
    Open,
    /// It is a folder, and something in it cannot be looked at, so that nobody knows whether it changed.
    Unread,
    /// It is one of several names of a file, and what was done to it would not be done to the others.
    Linked,
    /// It is a folder that is gone, and something is to be put back into it.
    Gone,
    /// It was a folder, and is a link or a file now: no way leads through it.
    Replaced,
}

impl Why {
    /// Returns the reason in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "was changed by another program",
            Self::Open => "is open for writing in another program",
            Self::Unread => "cannot be compared with what it was: something in it cannot be read",
            Self::Linked => {
                "is one of several names of a file, as far as a layer can tell, and the others would stay as they were"
            }
            Self::Gone => "was deleted or renamed",
            Self::Replaced => "was replaced by a link or a file",
        }
    }
}

/// A path that cannot be moved without a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path in the tree.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

/// What is done with paths that changed in the tree in the meantime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing is moved, and they are listed.
    Stop,
    /// They are moved like the others; what was there is in the layer.
    Replace,
}

/// What became of a layer whose keeping or taking back may have been cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// What it is now.
    pub state: State,
    /// Whether it had been cut.
    pub was_cut: bool,
}

/// Why nothing was kept or taken back. The tree is as it was, but for [`KeepError::Unfinished`].
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// Some paths changed in the meantime, or are names of files with several.
    #[error("{}", conflicts(.0))]
    Conflicts(Vec<Conflict>),
    /// It is not open, or not kept.
    #[error("the layer is {}", .0.as_str())]
    State(State),
    /// Another process has it.
    #[error("another aish is keeping it or taking it back; try again when that has ended")]
    Busy,
    /// A folder that the layer lies over is gone.
    #[error("the folder {} is not there any more; put it back there and try again", .0.display())]
    Gone(PathBuf),
    /// A file cannot be moved.
    #[error("{} cannot be moved", path.display())]
    Move {
        /// The path in the tree.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Some of it is moved, and neither the rest can be nor can that be undone. What was there before is in the layer, which stays.
    #[error(
        "only a part of it is done, and nothing is lost: what is not in its place waits in {} or in a folder .aish-keep-{} of the \
        tree; mend what is named here, and the next start of aish brings it to an end",
        layer.display(),
        layer.file_name().unwrap_or_default().display()
    )]
    Unfinished {
        /// The folder of the layer.
        layer: PathBuf,
        /// What stopped it.
        #[source]
        source: Box<KeepError>,
    },
    /// What others changed in the place of what was moved already was put aside.
    #[error("what changed meanwhile gave way to what was there before and is step {step} of undo")]
    GaveWay {
        /// The layer that has it, and that can be taken back.
        step: String,
        /// Why nothing was kept.
        #[source]
        source: Box<KeepError>,
    },
    /// The layer cannot be used.
    #[error("the layer cannot be used")]
    Layer(#[from] LayerError),
}

fn conflicts(all: &[Conflict]) -> String {
    let paths = match all {
        [one] => one.path.display().to_string(),
        [one, rest @ ..] => format!("{} and {} more", one.path.display(), rest.len()),
        [] => "nothing".to_owned(),
    };
    let only = |why| all.iter().all(|one| one.why == why);
    let why = if only(Why::Linked) {
        "would be parted from other names of the same file"
    } else if only(Why::Unread) {
        "cannot be compared with what was there"
    } else {
        "changed while the command ran"
    };
    format!("{paths} {why}")
}
