//! Many files at once: found by name or path, read and parsed on all cores, in the order in which they were named.

use std::borrow::Cow;
use std::io::Read as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aish_mcp::client::WrittenEndpoint;
use aish_types::near::slip;

use crate::bundled::{self, Bundled};
use crate::config::{self, Config};
use crate::fault::{Fault, Severity};
use crate::servers::{ServerFile, is_relative};

/// Bytes that a configuration may have.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Where a configuration comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// One that comes with the program.
    Bundled(&'static Bundled),
}

/// Why a name leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// A bare word that is no bundled configuration and no file.
    #[error("no bundled config and no file is called '{name}'; {}", near(name))]
    Unknown {
        /// The word.
        name: String,
    },
    /// A path to nothing.
    #[error("there is no file '{path}'")]
    Missing {
        /// The path.
        path: String,
    },
    /// A folder without configurations.
    #[error("the folder '{path}' has no .yaml or .yml file")]
    Empty {
        /// The path.
        path: String,
    },
}

/// Names the bundled configuration that was meant, or all.
fn near(name: &str) -> String {
    match slip(name, bundled::ALL.iter().map(|bundled| bundled.name)) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => {
            let names: Vec<&str> = bundled::ALL.iter().map(|bundled| bundled.name).collect();
            format!("bundled are: {}", names.join(", "))
        }
    }
}

impl Source {
    /// Finds what a name or path means: a bare word is a bundled configuration, then a file; a folder is all its YAML files.
    ///
    /// # Errors
    /// When there is nothing of that name.
    pub fn find(text: &str) -> Result<Vec<Self>, SourceError> {
        let is_path = text.contains('/') || has_yaml_ending(Path::new(text));
        if !is_path && let Some(bundled) = bundled::find(text) {
            return Ok(vec![Self::Bundled(bundled)]);
        }
        let path = Path::new(text);
        if path.is_dir() {
            return Self::in_folder(path);
        }
        match (path.exists(), is_path) {
            (true, _) => Ok(vec![Self::File(path.into())]),
            (false, true) => Err(SourceError::Missing { path: text.into() }),
            (false, false) => Err(SourceError::Unknown { name: text.into() }),
        }
    }

    fn in_folder(folder: &Path) -> Result<Vec<Self>, SourceError> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries.filter(|path| has_yaml_ending(path) && path.is_file()).collect();
        files.sort();
        if files.is_empty() {
            return Err(SourceError::Empty { path: folder.display().to_string() });
        }
        Ok(files.into_iter().map(Self::File).collect())
    }

    /// Returns the name that faults carry.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::File(path) => path.to_string_lossy(),
            Self::Bundled(bundled) => Cow::Borrowed(bundled.name),
        }
    }

    fn load(&self) -> (Option<Config>, Vec<Fault>) {
        match self {
            Self::Bundled(bundled) => config::read(bundled.name, bundled.text),
            Self::File(path) => match read_text(path) {
                Ok(text) => {
                    let (config, faults) = config::read(&self.name(), &text);
                    (config.map(|config| anchored(config, path)), faults)
                }
                Err(message) => {
                    let at = crate::fault::Position { line: 1, column: 1 };
                    let fault = Fault { file: self.name().into(), at, severity: Severity::Error, message };
                    (None, vec![fault])
                }
            },
        }
    }
}

/// Reads a program that is named by a relative path as one that lies beside its file, wherever the caller is, and notes the file
/// for its servers.
fn anchored(mut config: Config, file: &Path) -> Config {
    let command = config.command.trim_start();
    let (program, rest) = command.split_at(command.find(char::is_whitespace).unwrap_or(command.len()));
    // What has quotes or variables in it is told by whoever runs it.
    let relative = is_relative(program) && !program.contains(['$', '\'', '"', '\\']);
    let folder = file.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let folder = folder.and_then(|folder| std::path::absolute(folder).ok());
    let beside = |program: &str| {
        folder.as_ref().map(|folder| folder.join(program.trim_start_matches("./")).to_string_lossy().into_owned())
    };
    if relative && let Some(program) = beside(program) {
        config.command = format!("{}{rest}", shell_words::quote(&program));
    }
    for server in &mut config.servers {
        if let Some(WrittenEndpoint::Stdio { command, .. }) = &mut server.reach
            && is_relative(command)
            && let Some(program) = beside(command)
        {
            *command = program;
        }
        server.files.push(ServerFile::Config(file.to_path_buf()));
    }
    config
}

fn has_yaml_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
}

/// Reads a text file of at most 64 MiB.
///
/// # Errors
/// In words, when it is larger, cannot be read or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, String> {
    read_text_within(path, MAX_BYTES)
}

/// Reads a text file of at most so many bytes.
///
/// # Errors
/// In words, when it is larger, cannot be read or is not UTF-8.
pub(crate) fn read_text_within(path: &Path, most: u64) -> Result<String, String> {
    String::from_utf8(read_bytes(path, most)?).map_err(|error| format!("the file is not UTF-8: {error}"))
}

/// Reads a file of at most so many bytes. A device tells no length, and some have no end.
fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("the file cannot be read: {error}");
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
        return Err(format!("the file has more than {} MiB", most / 1024 / 1024));
    }
    Ok(bytes)
}

/// Reads what a file of any kind holds, to be compared with what it held before; none where it cannot be read.
pub fn contents(path: &Path) -> Option<Vec<u8>> {
    read_bytes(path, MAX_BYTES).ok()
}

/// What came of loading.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What could be read, in the order of the sources.
    pub configs: Vec<Arc<Config>>,
    /// The number of each one's source.
    pub of: Vec<usize>,
    /// All faults, by source, then by place.
    pub faults: Vec<Fault>,
}

/// Loads all sources; one that cannot be read leaves the others alone.
pub fn load(sources: &[Source]) -> Loaded {
    let mut loaded = Loaded::default();
    for (number, (config, faults)) in read_all(sources).into_iter().enumerate() {
        loaded.take(number, config.map(Arc::new), faults);
    }
    loaded
}

impl Loaded {
    /// Takes in what came of one source.
    pub(crate) fn take(&mut self, number: usize, config: Option<Arc<Config>>, faults: Vec<Fault>) {
        if let Some(config) = config {
            self.configs.push(config);
            self.of.push(number);
        }
        self.faults.extend(faults);
    }
}

/// What came of one source.
type Read = (Option<Config>, Vec<Fault>);

/// Reads on as many threads as there are cores, where it is worth it.
pub(crate) fn read_all(sources: &[Source]) -> Vec<Read> {
    // How many cores there are is asked of several files of the kernel: not for one config.
    if sources.len() <= 1 {
        return sources.iter().map(Source::load).collect();
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cores.min(sources.len());
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Read)>> = Mutex::new(Vec::with_capacity(sources.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, source)) = take(sources, &next) {
                    let read = source.load();
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((at, read));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, read)| read).collect()
}

fn take<'s>(sources: &'s [Source], next: &AtomicUsize) -> Option<(usize, &'s Source)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    sources.get(at).map(|source| (at, source))
}
