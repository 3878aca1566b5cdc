//! What keeping moves, written down before the first move, so that a cut run can be completed or taken back.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::attributes::Attributes;

/// What is done with one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MoveKind {
    /// The new one is moved in; nothing was there.
    Create,
    /// The new one and the old one change places.
    Exchange,
    /// The old one is moved out.
    Delete,
    /// The old file stays and gets the attributes of the new one: it has other names, and its content is the same.
    Attributes,
    /// A folder on both sides gets the attributes that the run left it with.
    Folder,
}

/// One path's move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Move {
    pub(crate) kind: MoveKind,
    pub(crate) root: usize,
    /// Below the root; empty for the root itself.
    #[serde(with = "crate::spelling")]
    pub(crate) path: PathBuf,
    /// What comes.
    pub(crate) new: Option<Attributes>,
    /// What was there.
    pub(crate) old: Option<Attributes>,
    /// Tells versions of the content of a folder apart that comes as a whole, or what an index of git says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) print: Option<u64>,
    /// Tells versions of the content of a folder apart that was there and goes as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) old_print: Option<u64>,
    /// Tells versions of the extended attributes of a file that was there apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<u64>,
    /// The same of a file that comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<u64>,
    /// Whether it is a file with notes of overlayfs, which are taken off when it has come.
    #[serde(default)]
    pub(crate) noted: bool,
    /// Its number among the moves, which names what is put aside for it.
    pub(crate) number: usize,
}

impl Move {
    /// Says whether what is there stays, and only its attributes change.
    pub(crate) fn keeps_place(&self) -> bool {
        matches!(self.kind, MoveKind::Attributes | MoveKind::Folder)
    }
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Whether layer and tree are on different mounts, so that contents go through a folder in the tree.
    pub(crate) staged: bool,
    /// How many moves follow.
    #[serde(default)]
    pub(crate) moves: usize,
}

/// Writes the journal; it is on the disk when the caller has synced the file system.
pub(crate) fn write(path: &Path, header: &Header, moves: &[Move]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    serde_json::to_writer(&mut file, header)?;
    file.write_all(b"\n")?;
    for one in moves {
        serde_json::to_writer(&mut file, one)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

/// Reads the journal.
pub(crate) fn read(path: &Path) -> io::Result<(Header, Vec<Move>)> {
    let mut lines = BufReader::new(File::open(path)?).lines();
    let first = lines.next().ok_or(io::ErrorKind::UnexpectedEof)??;
    let header: Header = serde_json::from_str(&first)?;
    let moves = lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<io::Result<Vec<Move>>>()?;
    if moves.len() < header.moves {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((header, moves))
}
