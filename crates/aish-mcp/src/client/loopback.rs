//! The way back from the browser: a listener on loopback that takes one answer.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use aish_types::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

use super::ports::SignIn;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// The longest request that is read, in bytes.
const MAX_REQUEST: usize = 16 * 1024;
const PAGE: &str =
    "<!doctype html><meta charset=utf-8><title>aish</title><p>You are signed in. You can close this page.";

/// Signs in with the person's browser: opens the address and waits on loopback for the browser to come back.
pub struct LoopbackSignIn {
    address: SocketAddr,
    listener: Mutex<TcpListener>,
    open: Box<dyn Fn(&str) + Send + Sync>,
}

impl LoopbackSignIn {
    /// Takes a free port. `open` shows an address to the person or opens it by argument vector, and must not block;
    /// the address was checked to be https or on loopback. Needs a tokio runtime.
    ///
    /// # Errors
    /// When no port can be taken.
    pub fn new(open: impl Fn(&str) + Send + Sync + 'static) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { address, listener: Mutex::new(TcpListener::from_std(listener)?), open: Box::new(open) })
    }

    async fn wait(&self) -> Option<String> {
        let listener = self.listener.lock().await;
        loop {
            let (stream, _) = listener.accept().await.ok()?;
            // A connection that says nothing must not keep the browser out.
            let answered = tokio::time::timeout(Duration::from_secs(5), answer(stream)).await;
            if let Ok(Some(path)) = answered {
                return Some(format!("http://{}{path}", self.address));
            }
        }
    }
}

impl SignIn for LoopbackSignIn {
    fn redirect_uri(&self) -> String {
        format!("http://{}/callback", self.address)
    }

    fn sign_in<'a>(&'a self, _alias: &'a str, address: &'a str) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            (self.open)(address);
            tokio::time::timeout(PATIENCE, self.wait()).await.ok().flatten()
        })
    }
}

/// Answers one request; returns its path when it is the browser coming back.
async fn answer(mut stream: TcpStream) -> Option<String> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if request.len() > MAX_REQUEST || stream.read_buf(&mut request).await.ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&request);
    let path = text.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).unwrap_or_default().to_owned();
    let is_back = path.starts_with("/callback?") && path.chars().all(|c| c.is_ascii_graphic());
    let (status, page) = if is_back { ("200 OK", PAGE) } else { ("404 Not Parsed", "") };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        page.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(page.as_bytes()).await;
    let _ = stream.shutdown().await;
    is_back.then_some(path)
}
