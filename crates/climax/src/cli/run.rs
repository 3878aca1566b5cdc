//! `climax run`: the server.

use std::sync::Arc;
use std::time::Duration;

use aish_journal::{PinFile, WallClock};
use aish_types::chain;
use climax::Clients;
use climax::audit::Audit;
use climax::policy::Headless;
use climax::schema::Flags;
use climax::serve::{ServeFlags, Transport, on_signals};
use climax::servers::ServerEntry;
use climax::service::{Listing, Service, ServiceOptions, TerminalUse};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::configs::{self, OrAll, Selection, Tools};
use super::last_good::LastGood;
use super::places::{sentences, state_folder};
use super::watch::Watch;
use super::{Exit, log, output};

/// How long nothing is asked for before code is given back, a command that runs on not counted.
const PAUSE: Duration = Duration::from_millis(20);
/// What servers are given to end.
const ENDING: Duration = Duration::from_secs(5);
/// How long code stays at least that was mapped again.
const STAY: Duration = Duration::from_millis(200);

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
    #[command(flatten)]
    serve: ServeFlags,
    /// What is logged
    #[arg(long, value_enum, default_value_t = log::Level::Warning, ignore_case = true)]
    log_level: log::Level,
}

/// Serves until the client is gone or a signal comes.
pub(super) fn run(args: &Args) -> Exit {
    let Some(sources) = configs::sources(&args.names, &args.selection, OrAll::Nothing) else { return Exit::Usage };
    log::start(args.log_level);
    let (flags, listing) =
        if args.classic { (Flags::Hidden, Listing::Classic) } else { (Flags::Shown, Listing::Discovery) };
    let mut last = LastGood::default();
    let Some(Tools { catalogue, servers }) = configs::tools_since(&sources, &args.selection, flags, &mut last) else {
        return Exit::Failure;
    };
    let headless = args.headless_approve.then_some(Headless::Approve);
    let clients = match args.serve.transport {
        Transport::Stdio => Clients::One,
        Transport::StreamableHttp => Clients::Several,
    };
    let options = ServiceOptions { clients, ..options(listing, headless, servers) };
    let service = Arc::new(Service::new(catalogue, options));
    let Some(runtime) = runtime() else { return Exit::Failure };
    // What read the command line and the configs is not run again.
    aish_process::release_code();
    let exit = runtime.block_on(async {
        tokio::spawn(release_when_idle(Arc::clone(&service)));
        let many = service.has_many_tools().then(|| {
            let many = Arc::clone(&service);
            tokio::task::spawn_blocking(move || many.keep_tools())
        });
        let keeping = Arc::clone(&service);
        let keeping = AbortOnDropHandle::new(tokio::spawn(async move { keeping.keep_servers().await }));
        if args.watch {
            let watch = Watch { names: args.names.clone(), selection: args.selection.clone(), flags, last };
            if let Err(error) = watch.start(&sources, Arc::clone(&service)) {
                output::tell(&format!("warning: the configs cannot be watched: {error}"));
            }
        }
        let exit = serve(args, Arc::clone(&service)).await;
        drop(keeping);
        // Servers end by themselves when their input does; what is left is killed below.
        if tokio::time::timeout(ENDING, service.close()).await.is_err() {
            tracing::warn!("a server did not end in time");
        }
        // Half of it would be of no use to the next start.
        if let Some(many) = many {
            let _ = tokio::time::timeout(ENDING, many).await;
        }
        exit
    });
    runtime.shutdown_background();
    aish_process::kill_all();
    exit
}

/// Gives code back whenever nothing has been asked for a moment: what a request needs is mapped again in a fraction of a
/// millisecond, and a server waits most of its time.
async fn release_when_idle(service: Arc<Service>) {
    loop {
        service.next_request().await;
        while tokio::time::timeout(PAUSE, service.next_request()).await.is_ok() {}
        aish_process::release_code();
        tokio::time::sleep(STAY).await;
    }
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

/// Runs something to its end; a signal cancels it, and what it started does not run on. The error is told already.
pub(super) fn to_the_end<T>(work: impl AsyncFnOnce(CancellationToken) -> T) -> Option<T> {
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let cancel = on_signals().unwrap_or_else(|error| {
            tracing::warn!(%error, "signals cannot be watched");
            CancellationToken::new()
        });
        work(cancel).await
    });
    runtime.shutdown_background();
    aish_process::kill_all();
    Some(done)
}

/// Makes the options of a service of this process.
pub(super) fn options(listing: Listing, headless: Option<Headless>, servers: Vec<ServerEntry>) -> ServiceOptions {
    let state = state_folder();
    ServiceOptions {
        listing,
        headless,
        terminal: TerminalUse::Allowed,
        audit: Audit::new(state.as_ref().map(|folder| folder.join("audit.jsonl")), WallClock::default()),
        pins: PinFile::new(state.clone().unwrap_or_default().join("pins.json")),
        servers,
        state,
        sentences: sentences(),
        clients: Clients::One,
        world: Arc::new(|name: &str| std::env::var(name).ok()),
        folder: std::env::current_dir().ok().map(|folder| folder.to_string_lossy().into_owned()),
        user: std::env::var("USER").unwrap_or_else(|_| "local".into()),
    }
}
async fn serve(args: &Args, service: Arc<Service>) -> Exit {
    let shutdown = on_signals().unwrap_or_else(|error| {
        output::tell(&format!("warning: signals cannot be watched: {error}"));
        CancellationToken::new()
    });
    let variable = |name: &str| std::env::var(name).ok();
    match args.serve.serve(service, shutdown, variable, output::tell).await {
        Ok(()) => Exit::Success,
        Err(error) => {
            output::tell(&format!("error: {}", chain(&error)));
            Exit::Failure
        }
    }
}
