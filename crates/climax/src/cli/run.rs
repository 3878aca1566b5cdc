//! `climax run`: the server.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use aish_journal::{PinFile, WallClock};
use aish_mcp::server::{HttpOptions, StdioOptions, serve_http_on, serve_stdio};
use aish_types::Secret;
use clap::ValueEnum;
use climax::audit::Audit;
use climax::policy::Headless;
use climax::schema::Flags;
use climax::service::{Listing, Service, ServiceOptions, TerminalUse};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::configs::{self, OrAll, Selection};
use super::watch::Watch;
use super::{Exit, log, output};

/// When clients have been greeted and know the tools.
const GREETED: Duration = Duration::from_secs(1);

/// Arguments of `run`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Bundled configs by name, or files and folders by path
    #[arg(value_name = "NAME|PATH")]
    names: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Let calls run that nobody can be asked about
    #[arg(long)]
    headless_approve: bool,
    /// Show every tool instead of the two that find and call them
    #[arg(long)]
    classic: bool,
    /// Read configs again when they change
    #[arg(long)]
    watch: bool,
    /// How clients connect
    #[arg(long, value_enum, default_value_t = Transport::Stdio)]
    transport: Transport,
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The environment variable that holds the token which HTTP clients must bring
    #[arg(long, value_name = "NAME")]
    auth_token_env: Option<String>,
    /// What is logged
    #[arg(long, value_enum, default_value_t = log::Level::Warning, ignore_case = true)]
    log_level: log::Level,
}

/// How clients connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    StreamableHttp,
}

/// Serves until the client is gone or a signal comes.
pub(super) fn run(args: &Args) -> Exit {
    let Some(sources) = configs::sources(&args.names, &args.selection, OrAll::Nothing) else { return Exit::Usage };
    log::start(args.log_level);
    let (flags, listing) =
        if args.classic { (Flags::Hidden, Listing::Classic) } else { (Flags::Shown, Listing::Discovery) };
    let Some(catalogue) = configs::catalogue(&sources, &args.selection, flags) else { return Exit::Failure };
    let headless = args.headless_approve.then_some(Headless::Approve);
    let service = Arc::new(Service::new(catalogue, options(listing, headless)));
    let Some(runtime) = runtime() else { return Exit::Failure };
    // What read the command line and the configs is not run again, nor is what greets a client.
    aish_process::release_code();
    let exit = runtime.block_on(async {
        tokio::spawn(async {
            tokio::time::sleep(GREETED).await;
            aish_process::release_code();
        });
        if args.watch {
            let watch = Watch { names: args.names.clone(), selection: args.selection.clone(), flags };
            if let Err(error) = watch.start(&sources, Arc::clone(&service)) {
                output::tell(&format!("warning: the configs cannot be watched: {error}"));
            }
        }
        serve(args, service).await
    });
    runtime.shutdown_background();
    aish_process::kill_all();
    exit
}

/// Starts the runtime. The error is told already.
pub(super) fn runtime() -> Option<tokio::runtime::Runtime> {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => Some(runtime),
        Err(error) => {
            output::tell(&format!("error: the runtime cannot be started: {error}"));
            None
        }
    }
}

/// Makes the options of a service of this process.
pub(super) fn options(listing: Listing, headless: Option<Headless>) -> ServiceOptions {
    let state = state_folder();
    ServiceOptions {
        listing,
        headless,
        terminal: TerminalUse::Allowed,
        audit: Audit::new(state.as_ref().map(|folder| folder.join("audit.jsonl")), WallClock::default()),
        pins: PinFile::new(state.unwrap_or_default().join("pins.json")),
        world: Arc::new(|name: &str| std::env::var(name).ok()),
        folder: std::env::current_dir().ok().map(|folder| folder.to_string_lossy().into_owned()),
        user: std::env::var("USER").unwrap_or_else(|_| "local".into()),
    }
}

/// Returns `$XDG_STATE_HOME/climax`, or its default below the home folder.
fn state_folder() -> Option<std::path::PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(std::path::PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("climax"))
}

async fn serve(args: &Args, service: Arc<Service>) -> Exit {
    let shutdown = CancellationToken::new();
    if let Err(error) = watch_signals(shutdown.clone()) {
        output::tell(&format!("warning: signals cannot be watched: {error}"));
    }
    let served = match args.transport {
        Transport::Stdio => {
            let options = StdioOptions { shutdown, ..StdioOptions::default() };
            serve_stdio(service, options).await.map_err(|error| error.to_string())
        }
        Transport::StreamableHttp => serve_over_http(args, service, shutdown).await,
    };
    match served {
        Ok(()) => Exit::Success,
        Err(message) => {
            output::tell(&format!("error: {message}"));
            Exit::Failure
        }
    }
}

async fn serve_over_http(args: &Args, service: Arc<Service>, shutdown: CancellationToken) -> Result<(), String> {
    let host = if args.host == "localhost" { "127.0.0.1" } else { &args.host };
    let address: IpAddr = host.parse().map_err(|_| format!("--host must be an IP address, and this is '{host}'"))?;
    let mut options = HttpOptions::new(SocketAddr::new(address, args.port));
    options.shutdown = shutdown;
    if let Some(name) = &args.auth_token_env {
        let token = std::env::var(name).ok().filter(|token| !token.is_empty());
        options.token = Some(Secret::new(token.ok_or_else(|| format!("the variable {name} holds no token"))?));
    }
    let listener = tokio::net::TcpListener::bind(options.address).await;
    let listener = listener.map_err(|error| format!("cannot listen on {}: {error}", options.address))?;
    let bound = listener.local_addr().map_err(|error| error.to_string())?;
    // Without a token other addresses are refused below, before anybody is served.
    if bound.ip().is_loopback() || options.token.is_some() {
        output::tell(&format!("Serving MCP on http://{bound}/mcp"));
    }
    serve_http_on(listener, service, options).await.map_err(|error| error.to_string())
}

/// Ends the server on SIGTERM, SIGINT and SIGHUP.
pub(super) fn watch_signals(shutdown: CancellationToken) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
        shutdown.cancel();
    });
    Ok(())
}
