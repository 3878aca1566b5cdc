//! How the clients of a server connect: standard streams, or streamable HTTP.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use aish_mcp::server::{
    HttpOptions, ServeHttpError, ServeStdioError, ServerHandler, StdioOptions, serve_http, serve_stdio,
};
use aish_types::Secret;
use clap::ValueEnum;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Returns a token that SIGTERM, SIGINT and SIGHUP cancel. Must be called inside a runtime.
///
/// # Errors
/// When the signals cannot be watched.
pub fn on_signals() -> std::io::Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let shutdown = CancellationToken::new();
    let fired = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
        fired.cancel();
    });
    Ok(shutdown)
}

/// Flags of a command that serves.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeFlags {
    /// How clients connect
    #[arg(long, value_enum, default_value_t = Transport::Stdio)]
    pub transport: Transport,
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    pub port: u16,
    /// The environment variable that holds the token which HTTP clients must bring
    #[arg(long, value_name = "NAME")]
    pub auth_token_env: Option<String>,
}

/// How clients connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    StreamableHttp,
}

/// Why a server did not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The host is a name.
    #[error("--host must be an IP address, and this is '{0}'")]
    Host(String),
    /// The variable of the token is not there, or empty.
    #[error("the variable {0} holds no token")]
    NoToken(String),
    /// The address could not be taken.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The server over HTTP ended.
    #[error(transparent)]
    Http(#[from] ServeHttpError),
    /// The server over standard streams ended.
    #[error(transparent)]
    Stdio(#[from] ServeStdioError),
}

impl ServeFlags {
    /// Serves until the client is gone or `shutdown` fires. `variable` looks the token up; `tell` is given the line that
    /// says where clients find the server.
    ///
    /// # Errors
    /// When the address is none, is taken, or must not be served without a token; when the token is missing; when the
    /// client on the standard streams cannot be greeted.
    pub async fn serve(
        &self,
        handler: Arc<dyn ServerHandler>,
        shutdown: CancellationToken,
        variable: impl Fn(&str) -> Option<String>,
        tell: impl FnOnce(&str),
    ) -> Result<(), ServeError> {
        match self.transport {
            Transport::Stdio => {
                let options = StdioOptions { shutdown, ..StdioOptions::default() };
                Ok(serve_stdio(handler, options).await?)
            }
            Transport::StreamableHttp => {
                let address = self.address()?;
                let options = HttpOptions { shutdown, token: self.token(variable)?, ..HttpOptions::default() };
                serve_over_http(handler, address, options, tell).await
            }
        }
    }

    fn address(&self) -> Result<SocketAddr, ServeError> {
        let host = if self.host == "localhost" { "127.0.0.1" } else { &self.host };
        let address: IpAddr = host.parse().map_err(|_| ServeError::Host(host.to_owned()))?;
        Ok(SocketAddr::new(address, self.port))
    }

    fn token(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Option<Secret>, ServeError> {
        let Some(name) = &self.auth_token_env else { return Ok(None) };
        let token = variable(name).filter(|token| !token.is_empty());
        Ok(Some(Secret::new(token.ok_or_else(|| ServeError::NoToken(name.clone()))?)))
    }
}

async fn serve_over_http(
    handler: Arc<dyn ServerHandler>,
    address: SocketAddr,
    options: HttpOptions,
    tell: impl FnOnce(&str),
) -> Result<(), ServeError> {
    let listen = |source| ServeError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let bound = listener.local_addr().map_err(listen)?;
    // Without a token other addresses are refused below, before anybody is served.
    if bound.ip().is_loopback() || options.token.is_some() {
        tell(&format!("Serving MCP on http://{bound}/mcp"));
    }
    Ok(serve_http(listener, handler, options).await?)
}
