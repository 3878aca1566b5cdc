//! A model server that plays a script: raw TCP, HTTP/1.1, one thread a connection.
//!
//! Reading order: [`script`] (what is expected and what is answered), [`expect`], [`reply`], the builders of streams
//! ([`openai`], [`ollama`], [`anthropic`], [`responses`]), [`script_file`] (the same as YAML or JSON), then `request` and `connection`
//! for the wire; [`strict`] refuses what vendors refuse. A request that is not expected is answered with 500 and fails [`ModelServer::finish`], and so does
//! a step that was never asked for.

pub mod anthropic;
mod connection;
pub mod expect;
pub mod ollama;
pub mod openai;
pub mod reply;
pub mod request;
pub mod responses;
pub mod script;
pub mod script_file;
mod state;
pub mod strict;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

pub use anthropic::AnthropicStream;
pub use expect::Expect;
pub use ollama::OllamaStream;
pub use openai::OpenAiStream;
pub use reply::{End, Framing, Piece, Reply, Split};
pub use request::RecordedRequest;
pub use responses::ResponsesStream;
pub use script::{Script, Step, Times};
pub use strict::Strict;

use state::Shared;

/// What went otherwise than the script says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model server's script was not kept:\n{}", .0.join("\n"))]
pub struct ScriptViolation(pub Vec<String>);

/// A running scripted server on a loopback port; it ends and joins its threads when dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a server on a free port of 127.0.0.1.
    pub fn start(script: impl Into<Script>) -> io::Result<Self> {
        Self::start_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?, script)
    }

    /// Starts a server on a listener that is already bound.
    pub fn start_on(listener: TcpListener, script: impl Into<Script>) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(script.into()));
        let of_thread = Arc::clone(&shared);
        let acceptor =
            std::thread::Builder::new().name("model-server".into()).spawn(move || accept(&listener, &of_thread))?;
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// Returns the endpoint, without a path and without a trailing slash: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns every request so far, in the order in which they were complete.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.requests()
    }

    /// Returns the questions so far what the model can do, where the script says nothing of them: they were answered with 404.
    pub fn asides(&self) -> Vec<RecordedRequest> {
        self.shared.asides()
    }

    /// Waits until `count` requests have come; returns whether they did within `limit`.
    pub fn wait_for_requests(&self, count: usize, limit: Duration) -> bool {
        self.shared.wait_for(limit, |log| log.requests.len() >= count)
    }

    /// Waits until `count` clients have gone away before their reply was over; returns whether they did within `limit`.
    pub fn wait_for_disconnects(&self, count: usize, limit: Duration) -> bool {
        self.shared.wait_for(limit, |log| log.disconnects >= count)
    }

    /// Returns the words of every refusal by the vendor's rules, in order.
    pub fn refusals(&self) -> Vec<String> {
        self.shared.refusals()
    }

    /// Returns how many connections were accepted.
    pub fn connections(&self) -> usize {
        self.shared.connections()
    }

    /// Ends the server and returns its requests, or what was unexpected or left over.
    pub fn verify(mut self) -> Result<Vec<RecordedRequest>, ScriptViolation> {
        self.stop();
        let violations = self.shared.violations();
        if violations.is_empty() { Ok(self.shared.requests()) } else { Err(ScriptViolation(violations)) }
    }

    /// Ends the server and returns its requests.
    ///
    /// # Panics
    /// When a request was unexpected or a step was left over; meant for the end of a test.
    #[expect(clippy::panic, reason = "a test ends here when the script was not kept")]
    pub fn finish(self) -> Vec<RecordedRequest> {
        match self.verify() {
            Ok(requests) => requests,
            Err(violation) => panic!("{violation}"),
        }
    }

    fn stop(&mut self) {
        self.shared.stop();
        // The acceptor sits in `accept`: one connection wakes it.
        drop(TcpStream::connect_timeout(&self.address, Duration::from_secs(1)));
        if let Some(acceptor) = self.acceptor.take() {
            // A thread that panicked has said so on stderr; there is nothing left to join.
            drop(acceptor.join());
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut workers: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.stopping() {
            break;
        }
        let Ok(stream) = stream else { continue };
        workers.retain(|worker| !worker.is_finished());
        let id = shared.opened(&stream);
        let of_thread = Arc::clone(shared);
        let worker = std::thread::Builder::new().name("model-server-connection".into()).spawn(move || {
            connection::serve(stream, &of_thread);
            of_thread.closed(id);
        });
        if let Ok(worker) = worker {
            workers.push(worker);
        }
    }
    for worker in workers {
        drop(worker.join());
    }
}
