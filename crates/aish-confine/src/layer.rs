//! A layer: what one run changed, in a folder of its own, until it is kept or dropped; and after keeping what was there
//! before, until it is taken back or forgotten.
//!
//! ```text
//! ID/about.json   the command, its folders, when it started
//! ID/held         locked while whoever made it has it
//! ID/state        open, keeping, kept, taking-back, taken-back
//! ID/report       how the run ended
//! ID/veils        lines of settings that had secrets, as the command saw them and as they are
//! ID/journal      what keeping moves, written before the first move
//! ID/upper-N      what root N was changed to; after keeping what it was
//! ID/work-N       work space of overlayfs
//! ID/old/M        what was deleted, after keeping
//! ID/linked       which files of the tree copies of it are, where they have more names
//! ID/modes        modes of folders of upper-N that their owner could not look into
//! ID/opened       the same of the tree, and of what comes to it, while something is moved there
//! ID/readable     the same of files and folders that are copied
//! ID/writable     the same of a file of the tree that gets other attributes
//! ID/given-up     that keeping is given up, and that no move is made any more
//! ID/step         a layer of what others did in the place of what is taken back, until it gets its place beside this one
//! ```

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::attributes::Attributes;
use crate::deep::{remove_tree, size};
use crate::extended::{self, Which};
use crate::held::Held;
use crate::plan::Root;

/// Why a layer could not be used, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{}{}", path.display(), advice(source))]
pub struct LayerError {
    /// The path.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// Says what a person can do about an error of the system; empty where that is not known.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "; make room there and try again, nothing was changed",
        io::ErrorKind::QuotaExceeded => "; make room in the quota and try again, nothing was changed",
        io::ErrorKind::PermissionDenied => "; you must be able to read it and to enter its folders (chmod u+rwX)",
        io::ErrorKind::ReadOnlyFilesystem => "; it can be kept when the file system is writable again",
        _ => "",
    }
}

/// Adds a path to an error of the system.
pub(crate) fn at<T>(path: &Path, done: io::Result<T>) -> Result<T, LayerError> {
    done.map_err(|source| LayerError { path: path.to_owned(), source })
}

/// Puts a text in the place of a short file, whole or not at all. Where there is no room for another file it is written over
/// the one that is there, which the disk does as one.
pub(crate) fn replace(path: &Path, text: Vec<u8>) -> io::Result<()> {
    let beside = path.with_extension("new");
    let written = fs::write(&beside, &text).and_then(|()| fs::rename(&beside, path));
    let Err(error) = written else { return Ok(()) };
    if !matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
        return Err(error);
    }
    let _ = fs::remove_file(&beside);
    let Ok(file) = fs::File::options().write(true).open(path) else { return Err(error) };
    // Spaces at the end mean nothing in what is written so.
    let mut text = text;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or_default().max(text.len());
    text.resize(length, b' ');
    std::os::unix::fs::FileExt::write_all_at(&file, &text, 0).map_err(|_| error)
}

/// What becomes of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It holds changes that are in no tree.
    Open,
    /// Its changes are being moved into the tree.
    Keeping,
    /// Its changes are in the tree, and it holds what was there.
    Kept,
    /// What was there is being moved back.
    TakingBack,
    /// What was there is in the tree again.
    TakenBack,
}

impl State {
    const ALL: [Self; 5] = [Self::Open, Self::Keeping, Self::Kept, Self::TakingBack, Self::TakenBack];

    /// Returns the word that is written and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Keeping => "keeping",
            Self::Kept => "kept",
            Self::TakingBack => "taking-back",
            Self::TakenBack => "taken-back",
        }
    }
}

/// A folder that a layer lies over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// The folder.
    #[serde(with = "crate::spelling")]
    pub path: PathBuf,
    /// Its inode at the start.
    pub inode: u64,
    /// Whether it is a cache of downloads and builds and not what the person works on.
    pub cache: bool,
}

/// What a layer is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The command, as it is shown.
    pub command: String,
    /// The session whose command it was, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The folders.
    pub covered: Vec<Covered>,
    /// When it started by the clock of its file system: seconds and nanoseconds since 1970.
    pub start: (i64, i64),
    /// When it started, in milliseconds since 1970.
    pub time_ms: u64,
    /// The process that it belongs to while it is open.
    pub process: u32,
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub(crate) folder: PathBuf,
    /// What it is of.
    pub about: About,
    pub(crate) held: Held,
}

impl Layer {
    /// Makes a layer over folders, in a folder of layers. Roots are absolute and without links in them.
    ///
    /// # Errors
    /// When it cannot be made, as for lack of room.
    pub fn create(
        layers: &Path,
        command: &str,
        session: Option<&str>,
        roots: &[(PathBuf, bool)],
    ) -> Result<Self, LayerError> {
        let mut private = fs::DirBuilder::new();
        private.mode(0o700).recursive(true);
        at(layers, private.create(layers))?;
        private.recursive(false);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut number = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let folder = loop {
            let folder = layers.join(format!("{number:x}"));
            match private.create(&folder) {
                Ok(()) => break folder,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(source) => return Err(LayerError { path: folder, source }),
            }
        };
        let mut layer = Self {
            folder,
            about: About {
                command: command.to_owned(),
                session: session.map(str::to_owned),
                covered: Vec::new(),
                start: (0, 0),
                time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
                process: std::process::id(),
            },
            held: Held::default(),
        };
        let made = layer.fill(roots);
        if made.is_err() {
            let _ = remove_tree(&layer.folder);
        }
        made.map(|()| layer)
    }

    fn fill(&mut self, roots: &[(PathBuf, bool)]) -> Result<(), LayerError> {
        for (number, (path, cache)) in roots.iter().enumerate() {
            let (upper, work) = (self.upper(number), self.work(number));
            for folder in [&upper, &work] {
                at(folder, fs::create_dir(folder))?;
            }
            let below = at(path, Attributes::of(path))?;
            let below =
                below.ok_or_else(|| LayerError { path: path.clone(), source: io::ErrorKind::NotFound.into() })?;
            // The folder itself is seen with the layer's attributes.
            at(&upper, extended::copy(path, &upper, Which::Seen))?;
            at(&upper, below.apply(rustix::fs::CWD, &upper))?;
            self.about.covered.push(Covered { path: path.clone(), inode: below.inode, cache: *cache });
        }
        // Before it can be found by others.
        self.held = at(&self.folder, Held::new(&self.folder))?;
        // Stamped by the same clock as the files that are compared with it later.
        let stamped = at(&self.folder, Attributes::of(&self.folder))?;
        self.about.start = stamped.map_or((0, 0), |attributes| attributes.changed);
        let path = self.folder.join("about.json");
        let text = serde_json::to_vec(&self.about).map_err(io::Error::from);
        at(&path, text.and_then(|text| fs::write(&path, text)))
    }

    /// Opens a layer.
    ///
    /// # Errors
    /// When there is none, or its description cannot be read.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, LayerError> {
        let folder = folder.into();
        let path = folder.join("about.json");
        let about = at(&path, fs::read(&path).and_then(|text| Ok(serde_json::from_slice(&text)?)))?;
        Ok(Self { folder, about, held: Held::default() })
    }

    /// Opens all layers of a folder, the oldest first; what cannot be read is left out. Copies that a cut left in trees before
    /// anything was moved are taken away.
    pub fn all(layers: &Path) -> Vec<Self> {
        let entries = fs::read_dir(layers).into_iter().flatten().flatten();
        let mut all: Vec<Self> = entries.filter_map(|entry| Self::open(entry.path()).ok()).collect();
        all.sort_by(|a, b| (a.about.time_ms, &a.folder).cmp(&(b.about.time_ms, &b.folder)));
        all.iter().for_each(Self::clear_left);
        all
    }

    /// Its name: that of its folder.
    pub fn id(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Where the launcher writes its report.
    pub fn report_path(&self) -> PathBuf {
        self.folder.join("report")
    }

    /// Its folders as a plan has them.
    pub fn roots(&self) -> Vec<Root> {
        let root = |(number, covered): (usize, &Covered)| Root {
            path: covered.path.clone(),
            upper: self.upper(number),
            work: self.work(number),
        };
        self.about.covered.iter().enumerate().map(root).collect()
    }

    pub(crate) fn upper(&self, root: usize) -> PathBuf {
        self.folder.join(format!("upper-{root}"))
    }

    /// The folder of those.
    pub(crate) fn olds(&self) -> PathBuf {
        self.folder.join("old")
    }

    /// Where a move's path goes that is deleted, and what a file or folder that stays had for extended attributes.
    pub(crate) fn old(&self, number: usize) -> PathBuf {
        self.olds().join(number.to_string())
    }

    fn work(&self, root: usize) -> PathBuf {
        self.folder.join(format!("work-{root}"))
    }

    /// Says what has become of it.
    ///
    /// # Errors
    /// When that cannot be read.
    pub fn state(&self) -> Result<State, LayerError> {
        let path = self.state_path();
        match fs::read_to_string(&path) {
            Ok(word) => {
                let known = State::ALL.into_iter().find(|state| state.as_str() == word.trim());
                at(&path, known.ok_or_else(|| io::Error::other(format!("{:?} is no state of a layer", word.trim()))))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::Open),
            Err(source) => Err(LayerError { path, source }),
        }
    }

    pub(crate) fn state_path(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// Notes what has become of it, whole or not at all.
    pub(crate) fn set_state(&self, state: State) -> Result<(), LayerError> {
        let path = self.state_path();
        // What it holds changes with its state.
        let _ = fs::remove_file(self.size_path());
        at(&path, replace(&path, state.as_str().into()))
    }

    fn size_path(&self) -> PathBuf {
        self.folder.join("size")
    }

    /// Bytes on the disk and entries that it holds. Those of a kept one are counted once and noted: each run adds up all.
    pub fn size(&self) -> (u64, u64) {
        let path = self.size_path();
        fs::read_to_string(&path).ok().and_then(|text| noted(&text)).unwrap_or_else(|| {
            let counted = size(&self.folder);
            if matches!(self.state(), Ok(State::Kept)) {
                // Where it cannot be noted it is counted again.
                let _ = fs::write(path, format!("{} {}\n", counted.0, counted.1));
            }
            counted
        })
    }
}

/// Reads a size that was noted to its end.
fn noted(text: &str) -> Option<(u64, u64)> {
    let (bytes, entries) = text.strip_suffix('\n')?.split_once(' ')?;
    Some((bytes.parse().ok()?, entries.parse().ok()?))
}
