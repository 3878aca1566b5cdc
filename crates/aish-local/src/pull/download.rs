//! Downloads a file beside its place and takes it up again where it broke off.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{CONTENT_RANGE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Proxy, Response, StatusCode, Url};
use sha2::{Digest, Sha256};

use crate::network::{Network, without_password};
use crate::pull::site::{self, Site, Wish};
use crate::pull::{LARGEST, Progress, PullError};

/// How often a download is begun or taken up again, as long as it gets on.
const ATTEMPTS: u32 = 20;
/// How long to wait before a download is taken up again.
const PAUSE: Duration = Duration::from_millis(500);
/// Bytes between two reports.
const REPORT: u64 = 256 * 1024;

/// A file that can be downloaded.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    pub(crate) url: Url,
    pub(crate) sha256: Option<String>,
    pub(crate) size: Option<u64>,
    /// The place whose token may go along.
    pub(crate) site: Option<Site>,
}

/// Makes the HTTP client. It follows no redirects: [`site::get`] does.
pub(crate) fn client(network: &Network) -> Result<Client, PullError> {
    // Fails when a provider is installed already, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let setup = |what: &str, cause: String| PullError::Unreachable { host: what.into(), cause };
    let mut builder = Client::builder()
        .connect_timeout(network.patience)
        .read_timeout(network.patience)
        .redirect(Policy::none())
        .user_agent(concat!("aish/", env!("CARGO_PKG_VERSION")));
    if let Some(file) = &network.certificates {
        let pem = std::fs::read(file).map_err(|error| setup("pip's certificate file", error.to_string()))?;
        let certificates =
            Certificate::from_pem_bundle(&pem).map_err(|error| setup("pip's certificate file", cause(&error)))?;
        builder = builder.tls_certs_merge(certificates);
    }
    if let Some(proxy) = &network.proxy {
        builder = builder.proxy(Proxy::all(proxy).map_err(|error| setup("pip's proxy", cause(&error)))?);
    }
    builder.build().map_err(|error| setup("the HTTP client", cause(&error)))
}

/// Downloads a file into one that may hold its beginning.
pub(crate) async fn fetch(
    client: &Client,
    remote: &Remote,
    file: &File,
    path: &Path,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), PullError> {
    let mut idle = 0;
    for _ in 0..ATTEMPTS {
        let before = length(file, path)?;
        match fetch_once(client, remote, file, path, progress).await {
            Ok(()) => return Ok(()),
            Err(error @ PullError::Unreachable { .. }) => {
                let done = length(file, path)?;
                idle = if done > before { 0 } else { idle + 1 };
                // A server that gives nothing twice is not asked again.
                if idle > 1 {
                    return Err(error);
                }
                progress(Progress::Resume { done });
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
    let host = without_password(remote.url.as_str());
    Err(PullError::Unreachable { host, cause: format!("the connection broke {ATTEMPTS} times; what came is kept") })
}

async fn fetch_once(
    client: &Client,
    remote: &Remote,
    file: &File,
    path: &Path,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), PullError> {
    let disk = |source: io::Error| PullError::Disk { path: path.display().to_string(), source };
    let host = without_password(remote.url.as_str());
    let unreachable = |cause: String| PullError::Unreachable { host: host.clone(), cause };
    let Some((response, mut done)) = begun(client, remote, file, path).await? else { return Ok(()) };
    let total = remote.size.or(response.content_length().map(|rest| rest.saturating_add(done)));
    let mut output = file;
    output.seek(SeekFrom::Start(done)).map_err(disk)?;
    let mut reported = done;
    progress(Progress::Download { done, total });
    let mut body = response.bytes_stream();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|error| unreachable(cause(&error)))?;
        done = done.saturating_add(chunk.len() as u64);
        if done > total.unwrap_or(LARGEST) {
            file.set_len(0).map_err(disk)?;
            let cause = format!("it sends more than the {} bytes that it promised", total.unwrap_or(LARGEST));
            return Err(PullError::NotThere { host, cause });
        }
        // A few kilobytes into the page cache: no reason for a thread of its own.
        output.write_all(&chunk).map_err(disk)?;
        if done.saturating_sub(reported) >= REPORT {
            reported = done;
            progress(Progress::Download { done, total });
        }
    }
    if let Some(total) = total.filter(|total| done < *total) {
        return Err(unreachable(format!("the connection ended after {done} of {total} bytes")));
    }
    progress(Progress::Download { done, total });
    Ok(())
}

/// Asks for what is not here yet: gives the answer and how many bytes stay before it, or none where all is here.
async fn begun(
    client: &Client,
    remote: &Remote,
    file: &File,
    path: &Path,
) -> Result<Option<(Response, u64)>, PullError> {
    let disk = |source: io::Error| PullError::Disk { path: path.display().to_string(), source };
    let mut done = length(file, path)?;
    if remote.size.is_some_and(|size| done == size) {
        return Ok(None);
    }
    if remote.size.is_some_and(|size| done > size) {
        file.set_len(0).map_err(disk)?;
        done = 0;
    }
    let wish = Wish { site: remote.site.as_ref(), accept: None, from: done };
    let response = site::get(client, &remote.url, wish).await?;
    let host = || without_password(remote.url.as_str());
    match response.status() {
        StatusCode::PARTIAL_CONTENT if range_start(response.headers()) == Some(done) => {}
        // Nothing behind what is here: it is whole, as far as its length goes; the checksum tells the rest.
        StatusCode::RANGE_NOT_SATISFIABLE if done > 0 && remote.size.is_none() => return Ok(None),
        status if status.is_success() => {
            // The server starts again from the beginning, and so do we.
            file.set_len(0).map_err(disk)?;
            done = 0;
        }
        status if status.is_server_error() => {
            return Err(PullError::Unreachable { host: host(), cause: format!("it answers {status}") });
        }
        status => return Err(PullError::NotThere { host: host(), cause: format!("it answers {status}") }),
    }
    Ok(Some((response, done)))
}

/// Returns where the part begins that a server sends.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}

/// Returns how much of a download is here.
pub(crate) fn length(file: &File, path: &Path) -> Result<u64, PullError> {
    let length = file.metadata().map(|metadata| metadata.len());
    length.map_err(|source| PullError::Disk { path: path.display().to_string(), source })
}

/// Returns the SHA-256 of a whole file, in hexadecimal.
pub(crate) fn sha256(mut file: &File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hash.update(buffer.get(..read).unwrap_or_default()),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the innermost cause of an error in words, without the URL.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() { "it does not answer in time".into() } else { aish_types::root_cause(error) }
}
