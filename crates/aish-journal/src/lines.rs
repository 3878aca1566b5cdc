//! A file of JSON lines that many processes append to.
//!
//! Order of an append: take the file's lock, mend the tail that a crashed writer left, write one whole line with one
//! call, and, where asked, wait until it is on the disk. A line that could not be written whole is taken back.

pub(crate) mod lock;
mod tail;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use tail::Torn;

/// Bytes that are read at once.
const BUFFER: usize = 256 * 1024;

/// When an append is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When the line is on the disk: it survives the loss of power.
    Disk,
    /// When the line is with the operating system: it survives the death of this process.
    System,
}

/// Why a line could not be appended; the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The value has no JSON form.
    #[error("the record for {path} cannot be written as JSON")]
    Encode {
        /// The file of lines.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: serde_json::Error,
    },
    /// The file or its folder cannot be made, locked or written.
    #[error("{path} cannot be written")]
    Io {
        /// The file of lines.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
}

/// Why a file could not be read at all.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be read")]
pub struct LoadError {
    /// The file of lines.
    pub path: PathBuf,
    /// What the system says.
    #[source]
    pub source: io::Error,
}

/// A line that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub why: String,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded<T> {
    /// The records, oldest first.
    pub records: Vec<T>,
    /// Lines that are no record; they stay in the file.
    pub bad: Vec<BadLine>,
    /// The torn last line, where there was one.
    pub torn: Option<Torn>,
}

/// A file of JSON lines.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    durability: Durability,
    open: Mutex<Option<File>>,
}

impl LineFile {
    /// Names a file; nothing is opened or made before the first append.
    pub fn new(path: impl Into<PathBuf>, durability: Durability) -> Self {
        Self { path: path.into(), durability, open: Mutex::new(None) }
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one record as one line. Returns the torn line that a crashed writer had left, if there was one.
    ///
    /// # Errors
    /// When the line could not be written whole; the file is then as it was.
    pub fn append(&self, record: &impl Serialize) -> Result<Option<Torn>, AppendError> {
        let mut line =
            serde_json::to_vec(record).map_err(|source| AppendError::Encode { path: self.path.clone(), source })?;
        line.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let result = self.write(&mut open, &line);
        if result.is_err() {
            *open = None;
        }
        result.map_err(|source| AppendError::Io { path: self.path.clone(), source })
    }

    /// Leaves out the records that `keep`, which is given all of them, says false of, while nobody appends. Lines that are no
    /// record stay.
    ///
    /// # Errors
    /// When the file cannot be locked, read or replaced; it is then as it was.
    pub fn retain<T: DeserializeOwned>(&self, keep: impl FnOnce(&[T]) -> Vec<bool>) -> io::Result<()> {
        let mut file = open_for_append(&self.path)?;
        let mut guard = lock::exclusive(&file)?;
        // The lock is on the file that has the name now.
        while !is_named(&file, &self.path) {
            drop(guard);
            file = open_for_append(&self.path)?;
            guard = lock::exclusive(&file)?;
        }
        tail::mend(&file, &self.path)?;
        let bytes = std::fs::read(&self.path)?;
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let parsed: Vec<Option<T>> = lines.iter().map(|line| serde_json::from_slice(line).ok()).collect();
        let is_record: Vec<bool> = parsed.iter().map(Option::is_some).collect();
        let records: Vec<T> = parsed.into_iter().flatten().collect();
        let mut kept = keep(&records).into_iter();
        let stays = |is_record: &bool| !is_record || kept.next().unwrap_or(true);
        let stay: Vec<bool> = is_record.iter().map(stays).collect();
        let left = lines.iter().zip(&stay).filter(|(_, stays)| **stays).flat_map(|(line, _)| line.iter().copied());
        // Who waits for the lock finds that another file has the name, and opens that.
        let replaced = crate::replace::replace(&self.path, &left.collect::<Vec<u8>>()).map_err(io::Error::other);
        drop(guard);
        replaced
    }

    fn write(&self, open: &mut Option<File>, line: &[u8]) -> io::Result<Option<Torn>> {
        // The lock is on the file that has the name now: another one may have been put in its place.
        let (file, _guard) = loop {
            let file = match open.take() {
                Some(file) => file,
                None => open_for_append(&self.path)?,
            };
            let file = open.insert(file);
            let guard = lock::exclusive(file)?;
            if is_named(file, &self.path) {
                break (&*file, guard);
            }
            drop(guard);
            *open = None;
        };
        let torn = tail::mend(file, &self.path)?;
        let before = file.metadata()?.len();
        let written = write_whole(file, line).and_then(|()| match self.durability {
            Durability::Disk => file.sync_data(),
            Durability::System => Ok(()),
        });
        if let Err(error) = written {
            file.set_len(before)?;
            return Err(error);
        }
        Ok(torn)
    }

    /// Reads all records. A missing file holds none. A torn last line is set aside beside the file.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn load<T: DeserializeOwned>(&self) -> Result<Loaded<T>, LoadError> {
        let fail = |source| LoadError { path: self.path.clone(), source };
        match std::fs::metadata(&self.path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Loaded { records: Vec::new(), bad: Vec::new(), torn: None });
            }
            Err(error) => return Err(fail(error)),
        }
        // A file that may not be written is read all the same; its tail then stays where it is.
        let torn = match OpenOptions::new().read(true).append(true).open(&self.path) {
            Ok(file) => {
                let _guard = lock::exclusive(&file).map_err(fail)?;
                tail::mend(&file, &self.path).map_err(fail)?
            }
            Err(_) => None,
        };
        let file = File::open(&self.path).map_err(fail)?;
        let loaded = parse(BufReader::with_capacity(BUFFER, file)).map_err(fail)?;
        Ok(Loaded { torn, ..loaded })
    }
}

/// Reads line by line: a log may be larger than what it holds for its reader.
fn parse<T: DeserializeOwned>(mut file: impl BufRead) -> io::Result<Loaded<T>> {
    let mut loaded = Loaded { records: Vec::new(), bad: Vec::new(), torn: None };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(record) => loaded.records.push(record),
            Err(error) => loaded.bad.push(BadLine { number, why: error.to_string() }),
        }
    }
    Ok(loaded)
}

/// Writes with one call where the system takes it whole, as it does for a file.
fn write_whole(mut file: &File, line: &[u8]) -> io::Result<()> {
    file.write_all(line)
}

/// Makes a folder for files of ours, with mode 0700, where it is missing.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => DirBuilder::new().recursive(true).mode(0o700).create(folder),
        _ => Ok(()),
    }
}

fn open_for_append(path: &Path) -> io::Result<File> {
    let open = || OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path);
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(path)?;
            open()
        }
        result => result,
    }
}

fn is_named(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => open.ino() == named.ino() && open.dev() == named.dev(),
        _ => false,
    }
}
