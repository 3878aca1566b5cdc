//! A search where nothing is known of a server yet: it is started once, so that its tools can be found.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_mcp::server::CallScope;
use aish_safety::{Mode, Nobody};
use futures_util::future::join_all;

use super::Service;
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
    /// Starts servers of which nothing is known: those that were approved at once and in the background, the others where
    /// somebody can be asked, one question after the other.
    pub(super) async fn learn(&self, gateway: &Arc<Gateway>, scope: &CallScope) {
        let unknown =
            |upstream: &&Arc<Upstream>| upstream.state() == ServerHealth::Unknown && !self.tried.has(upstream.alias());
        let upstreams: Vec<&Arc<Upstream>> = gateway.upstreams.iter().filter(unknown).collect();
        if upstreams.is_empty() {
            return;
        }
        let (approved, others): (Vec<_>, Vec<_>) =
            upstreams.into_iter().partition(|upstream| gateway.is_approved(upstream));
        let starts: Vec<_> = approved
            .into_iter()
            .map(|upstream| {
                self.tried.note(upstream.alias());
                let (gateway, upstream) = (Arc::clone(gateway), Arc::clone(upstream));
                let (context, surroundings) = (self.context(scope), self.surroundings.clone());
                tokio::spawn(async move {
                    let approver = Nobody(Mode::Headless);
                    let cancel = tokio_util::sync::CancellationToken::new();
                    let wanting = Wanting { approver: &approver, context, surroundings: &surroundings, cancel };
                    if let Err(why) = gateway.make_ready(&upstream, wanting).await {
                        tracing::warn!("{why}");
                    }
                })
            })
            .collect();
        let asker = self.asker(scope);
        if asker.can_ask() {
            for upstream in others {
                let ready = gateway.make_ready(upstream, self.wanting(&asker, scope)).await;
                self.tried.note(upstream.alias());
                if let Err(why) = ready {
                    tracing::warn!("{why}");
                }
            }
        }
        // Those that are late are found by the next search.
        let _ = tokio::time::timeout(WAIT, join_all(starts)).await;
    }

    /// Says which servers a search could not look into, and why.
    pub(super) fn unsearched(&self, gateway: &Gateway) -> Option<String> {
        let why = |upstream: &Arc<Upstream>| {
            let counts = upstream.health.counts();
            let why = match upstream.state() {
                _ if upstream.known().is_some() => return None,
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
