//! A search where nothing is known of a server yet: it is started once, so that its tools can be found.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_mcp::server::CallScope;
use aish_safety::{Approver, Mode, Nobody};
use aish_tools::index::{SearchRequest, ToolKind};
use futures_util::future::join_all;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Service;
use crate::asker::Asker;
use crate::gateway::{Gateway, ServerHealth, Upstream, Wanting};

/// How long a search waits for servers that are being started.
const WAIT: Duration = Duration::from_secs(2);

/// Servers that were tried, or somebody did not want.
#[derive(Default)]
pub(super) struct Tried(Mutex<HashSet<String>>);

impl Tried {
    fn has(&self, alias: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(alias)
    }

    fn note(&self, alias: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(alias.to_owned());
    }
}

impl Service {
    /// Starts servers of which nothing is known and that a search could find tools of: those that were approved in the background,
    /// the others where somebody can be asked. All of it goes on at once, and the search waits a short time for it; only at a
    /// terminal one question follows the other.
    pub(super) async fn learn(&self, gateway: &Arc<Gateway>, scope: &CallScope, request: &SearchRequest) {
        let unknown = |upstream: &&Arc<Upstream>| {
            upstream.state() == ServerHealth::Unknown
                && !self.tried.has(upstream.alias())
                && request.may_find(upstream.alias(), ToolKind::Server)
        };
        let upstreams: Vec<&Arc<Upstream>> = gateway.upstreams.iter().filter(unknown).collect();
        if upstreams.is_empty() {
            return;
        }
        let (approved, others): (Vec<_>, Vec<_>) =
            upstreams.into_iter().partition(|upstream| gateway.is_approved(upstream));
        let quiet = |upstream| self.start_apart(gateway, upstream, scope, Nobody(Mode::Headless));
        let mut starts: Vec<_> = approved.into_iter().map(quiet).collect();
        let asker = self.asker(scope);
        match &asker {
            Asker::Nobody(Nobody(Mode::Headless)) => {}
            Asker::Nobody(nobody) => {
                starts.extend(others.into_iter().map(|upstream| self.start_apart(gateway, upstream, scope, *nobody)));
            }
            Asker::Client(client) => {
                for upstream in &others {
                    // A question that has no answer yet stays open, and the next search finds what comes of it.
                    starts.extend(client.outliving().map(|own| self.start_apart(gateway, upstream, scope, own)));
                }
                if client.outliving().is_none() {
                    self.ask_in_rounds(gateway, &others, scope, &asker).await;
                }
            }
            Asker::Terminal(_) => {
                for upstream in others {
                    self.start_here(gateway, upstream, scope, &asker).await;
                }
            }
        }
        // Those that are late are found by the next search.
        let _ = tokio::time::timeout(WAIT, join_all(starts)).await;
    }

    /// Asks a client that is asked by answers: it sends the search again then. A start that takes too long goes on apart.
    async fn ask_in_rounds(
        &self,
        gateway: &Arc<Gateway>,
        upstreams: &[&Arc<Upstream>],
        scope: &CallScope,
        asker: &Asker<'_>,
    ) {
        let all = upstreams.iter().map(|upstream| self.start_here(gateway, upstream, scope, asker));
        if tokio::time::timeout(WAIT, join_all(all)).await.is_err() {
            for upstream in upstreams.iter().filter(|upstream| gateway.is_approved(upstream)) {
                self.start_apart(gateway, upstream, scope, Nobody(Mode::Headless));
            }
        }
    }

    async fn start_here(&self, gateway: &Arc<Gateway>, upstream: &Arc<Upstream>, scope: &CallScope, asker: &Asker<'_>) {
        let ready = gateway.make_ready(upstream, self.wanting(asker, scope)).await;
        self.tried.note(upstream.alias());
        if let Err(why) = ready {
            tracing::warn!("{why}");
        }
    }

    /// Starts a server, asking this one where somebody has to agree; it goes on when the search was answered.
    fn start_apart(
        &self,
        gateway: &Arc<Gateway>,
        upstream: &Arc<Upstream>,
        scope: &CallScope,
        approver: impl Approver + 'static,
    ) -> JoinHandle<()> {
        self.tried.note(upstream.alias());
        let (gateway, upstream) = (Arc::clone(gateway), Arc::clone(upstream));
        let (context, surroundings) = (self.context(scope), self.surroundings.clone());
        tokio::spawn(async move {
            let cancel = CancellationToken::new();
            let wanting = Wanting { approver: &approver, context, surroundings: &surroundings, cancel };
            if let Err(why) = gateway.make_ready(&upstream, wanting).await {
                tracing::warn!("{why}");
            }
        })
    }

    /// Says which servers a search could not look into, and why.
    pub(super) fn unsearched(&self, gateway: &Gateway, request: &SearchRequest) -> Option<String> {
        let why = |upstream: &Arc<Upstream>| {
            let counts = upstream.health.counts();
            let why = match upstream.state() {
                _ if upstream.known().is_some() => return None,
                _ if !request.may_find(upstream.alias(), ToolKind::Server) => return None,
                ServerHealth::Disabled => return None,
                ServerHealth::SignedOut => "signed out: it wants a token".to_owned(),
                ServerHealth::Failed => format!("failed: {}", counts.last_error.unwrap_or_default()),
                ServerHealth::Connecting => "still starting".to_owned(),
                ServerHealth::Unknown if !gateway.is_approved(upstream) => {
                    format!("nobody agreed to start it yet: `{}` asks", upstream.refresh())
                }
                ServerHealth::Unknown | ServerHealth::Cached | ServerHealth::Ready => "not started yet".to_owned(),
            };
            Some(format!("{} ({why})", upstream.alias()))
        };
        let left: Vec<String> = gateway.upstreams.iter().filter_map(why).collect();
        (!left.is_empty()).then(|| format!("not searched: {}", left.join(", ")))
    }
}
