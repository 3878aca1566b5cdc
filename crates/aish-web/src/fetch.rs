//! One page: each hop is checked, looked up once, pinned, and read within bounds.
//!
//! Order of a hop: the address is read, its host looked up, every address of it checked, one client made that connects to
//! these and no others, one GET sent. A redirect begins anew; nothing of one hop is used for the next.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use aish_tools::builtin::{Page, PageError, Pages};
use aish_types::{BoxFuture, root_cause, sanitize};
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::address::{is_own, is_public};
use crate::resolve::{Resolve, SystemResolver};
use crate::{markdown, url};

/// How long a page may take in all.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes that are read of a page; what comes behind them is left.
const MOST: usize = 2 * 1024 * 1024;
/// How often a server may send on.
const HOPS: usize = 5;
/// Addresses of a host that are tried.
const ADDRESSES: usize = 8;

/// Fetches pages.
pub struct Web {
    resolver: Arc<dyn Resolve>,
    /// The program and arguments that turn HTML into markdown.
    converter: Vec<OsString>,
    /// Where an address that was checked is connected to: to itself, but in a test.
    reach: fn(IpAddr) -> IpAddr,
}

impl Web {
    /// Makes it over the machine's resolver; `converter` is the program, with arguments, that calls
    /// [`markdown::serve`].
    pub fn new(converter: Vec<OsString>) -> Self {
        Self { resolver: Arc::new(SystemResolver), converter, reach: |address| address }
    }

    async fn fetch(&self, address: &str, cancel: &CancellationToken) -> Result<Page, PageError> {
        let mut url = url::read(address).map_err(|why| PageError::Refused(why.to_string()))?;
        for _ in 0..=HOPS {
            let response = self.get(&url).await?;
            let status = response.status();
            if !status.is_redirection() {
                if !status.is_success() {
                    return Err(PageError::Unreachable(format!("{} answered {status}", shown(&url))));
                }
                return self.read(url, response, cancel).await;
            }
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let location = location
                .ok_or_else(|| PageError::Unreachable(format!("{} answered {status} without a place", shown(&url))))?;
            let refused = |why: String| PageError::Refused(format!("{} sends on{why}", shown(&url)));
            let next = url.join(location).map_err(|error| refused(format!(" to no address: {error}")))?;
            if url.scheme() == "https" && next.scheme() != "https" {
                return Err(refused(format!(" to a page that is not encrypted: {}", shown(&next))));
            }
            url::check(&next).map_err(|why| refused(format!(": {why}")))?;
            url = next;
        }
        Err(PageError::Unreachable(format!("{address} was sent on more than {HOPS} times")))
    }

    /// Returns the addresses of a host, each of which is public.
    async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, PageError> {
        let host = url.host_str().unwrap_or_default();
        let nowhere = PageError::Unreachable;
        let mut addresses = match literal(url) {
            Some(address) => vec![address],
            None => self
                .resolver
                .addresses(host)
                .await
                .map_err(|error| nowhere(format!("{host} has no address: {error}")))?,
        };
        addresses.truncate(ADDRESSES);
        if addresses.is_empty() {
            return Err(nowhere(format!("{host} has no address")));
        }
        // One that is not public among others is no mistake of anybody's.
        addresses.iter().try_for_each(|address| public(host, *address))?;
        Ok(addresses)
    }

    /// Sends one GET to addresses that were checked.
    async fn get(&self, url: &Url) -> Result<Response, PageError> {
        let addresses = self.addresses(url).await?;
        let pinned: Vec<SocketAddr> =
            addresses.iter().map(|address| SocketAddr::new((self.reach)(*address), 0)).collect();
        // Fails when a provider is installed already, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .pool_max_idle_per_host(0)
            .user_agent(concat!("aish/", env!("CARGO_PKG_VERSION")))
            .resolve_to_addrs(url.host_str().unwrap_or_default(), &pinned);
        if url.scheme() == "http" {
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| PageError::Unreachable(root_cause(&error)))?;
        let request =
            client.get(url.clone()).header(ACCEPT, "text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1");
        let unreachable =
            |error| PageError::Unreachable(format!("{} cannot be reached: {}", shown(url), root_cause(&error)));
        request.send().await.map_err(unreachable)
    }

    /// Reads a page and makes text of it.
    async fn read(&self, url: Url, mut response: Response, cancel: &CancellationToken) -> Result<Page, PageError> {
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (kind, coding) = (header(CONTENT_TYPE).to_ascii_lowercase(), header(CONTENT_ENCODING).to_ascii_lowercase());
        // It was not asked for, and a small one can be any size.
        if !matches!(coding.as_str(), "" | "identity") {
            let (url, coding) = (shown(&url), sanitize(&coding));
            return Err(PageError::Unreadable(format!(
                "{url} is compressed ({coding}), though that was not asked for"
            )));
        }
        let form = Form::of(&kind);
        if form == Form::Other {
            return Err(PageError::Unreadable(format!("{} is no text ({})", shown(&url), sanitize(&kind))));
        }
        let mut body = Vec::new();
        let mut is_cut = false;
        let broke_off = |error| PageError::Unreachable(format!("{} broke off: {}", shown(&url), root_cause(&error)));
        while let Some(piece) = response.chunk().await.map_err(broke_off)? {
            let room = MOST.saturating_sub(body.len());
            body.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
            if piece.len() > room {
                is_cut = true;
                break;
            }
        }
        drop(response);
        let text = decoded(body, &kind);
        let text = match form {
            Form::Html => markdown::convert(&self.converter, text.into_bytes(), cancel).await?,
            Form::Text | Form::Other => text,
        };
        Ok(Page { address: url.to_string(), text: sanitize(&text).into_owned(), is_cut })
    }
}

/// Returns the address that stands in place of a host's name.
fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Refuses what is not on the public internet.
fn public(host: &str, address: IpAddr) -> Result<(), PageError> {
    if is_public(address) && !is_own(address) {
        return Ok(());
    }
    Err(PageError::Refused(format!("{host} is at {address}, which is not on the public internet; it is not opened")))
}

impl Pages for Web {
    fn address(&self, address: &str) -> Result<String, PageError> {
        let url = url::read(address).map_err(|why| PageError::Refused(why.to_string()))?;
        // Nobody is asked about what is refused anyway; what a name leads to is looked up after the question only.
        literal(&url).map_or(Ok(()), |address| public(url.host_str().unwrap_or_default(), address))?;
        Ok(url.into())
    }

    fn page<'a>(&'a self, address: &'a str, cancel: &'a CancellationToken) -> BoxFuture<'a, Result<Page, PageError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(PageError::Cancelled),
                done = timeout(PATIENCE, self.fetch(address, cancel)) => done.unwrap_or_else(|_| {
                    let late = format!("{} took longer than {} s", sanitize(address), PATIENCE.as_secs());
                    Err(PageError::Unreachable(late))
                }),
            }
        })
    }
}

/// What is made of a page's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Text,
    Other,
}

impl Form {
    fn of(kind: &str) -> Self {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        match kind {
            "" | "text/html" | "application/xhtml+xml" => Self::Html,
            "application/json" | "application/xml" | "application/javascript" | "application/x-ndjson" => Self::Text,
            _ if kind.starts_with("text/") || kind.ends_with("+json") || kind.ends_with("+xml") => Self::Text,
            _ => Self::Other,
        }
    }
}

/// Makes text of bytes: UTF-8, or Latin-1 where the server says so.
fn decoded(body: Vec<u8>, kind: &str) -> String {
    let is_latin = ["iso-8859-1", "latin1", "windows-1252"].iter().any(|name| kind.contains(name));
    match String::from_utf8(body) {
        Ok(text) => text,
        Err(error) if is_latin => error.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Writes an address so that it can be shown.
fn shown(url: &Url) -> String {
    let text: String = url.as_str().chars().take(200).collect();
    sanitize(&text).into_owned()
}

#[cfg(test)]
mod tests;
