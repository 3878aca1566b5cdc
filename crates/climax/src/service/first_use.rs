//! A search where nothing is known of a server yet: it is started once, so that its tools can be found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_mcp::server::CallScope;
use aish_safety::{Answer, Approver, Mode, Nobody, Question};
use aish_tools::index::{SearchRequest, ToolKind};
use aish_types::BoxFuture;
use futures_util::future::join_all;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::Service;
use crate::asker::Asker;
use crate::gateway::{Gateway, ServerHealth, Upstream, Wanting};

/// How long a search waits for servers that are being started.
const WAIT: Duration = Duration::from_secs(2);

/// The most servers that an answer says of why they were not searched: it comes with each search, and a model pays for it.
const MOST_NAMED: usize = 5;

/// The most characters of what a server said why it failed.
const LONGEST_WHY: usize = 200;

/// Servers that were tried, or somebody did not want, each with what ends a question about it that is still open.
#[derive(Default)]
pub(super) struct Tried(Mutex<HashMap<String, CancellationToken>>);

impl Tried {
    fn has(&self, alias: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(alias)
    }

    fn note(&self, alias: &str) -> CancellationToken {
        let asked_again = CancellationToken::new();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(alias.to_owned(), asked_again.clone());
        asked_again
    }

    /// Ends the question of a search that is still open, for somebody who asks it now.
    fn take_over(&self, alias: &str) {
        if let Some(asked_again) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(alias) {
            asked_again.cancel();
        }
    }
}

/// Asks on behalf of a search that was answered, until somebody else wants the answer: a client may have put its question away.
struct Outliving {
    scope: CallScope,
    asked_again: CancellationToken,
}

impl Approver for Outliving {
    fn mode(&self) -> Mode {
        self.scope.mode()
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            tokio::select! {
                answer = self.scope.ask(question) => answer,
                () = self.asked_again.cancelled() => Answer::Nobody,
            }
        })
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
        let deadline = Instant::now() + WAIT;
        let quiet = |upstream| self.start_apart(gateway, upstream, scope, |_| Nobody(Mode::Headless));
        let mut starts: Vec<_> = approved.into_iter().map(quiet).collect();
        let asker = self.asker(scope);
        match &asker {
            Asker::Nobody(Nobody(Mode::Headless)) => {}
            Asker::Nobody(nobody) => {
                starts
                    .extend(others.into_iter().map(|upstream| self.start_apart(gateway, upstream, scope, |_| *nobody)));
            }
            Asker::Client(client) => {
                for upstream in &others {
                    // A question that has no answer yet stays open, and the next search finds what comes of it.
                    let Some(scope_of_its_own) = client.outliving() else { break };
                    let asks = |asked_again| Outliving { scope: scope_of_its_own, asked_again };
                    starts.push(self.start_apart(gateway, upstream, scope, asks));
                }
                if client.outliving().is_none() {
                    self.ask_in_rounds(gateway, &others, scope, &asker, deadline).await;
                }
            }
            Asker::Terminal(_) => {
                for upstream in others {
                    self.start_here(gateway, upstream, scope, &asker).await;
                }
            }
        }
        // Those that are late are found by the next search.
        let _ = timeout_at(deadline, join_all(starts)).await;
    }

    /// Asks a client that is asked by answers: it sends the search again then. A start that takes too long goes on apart.
    async fn ask_in_rounds(
        &self,
        gateway: &Arc<Gateway>,
        upstreams: &[&Arc<Upstream>],
        scope: &CallScope,
        asker: &Asker<'_>,
        deadline: Instant,
    ) {
        let all = upstreams.iter().map(|upstream| self.start_here(gateway, upstream, scope, asker));
        if timeout_at(deadline, join_all(all)).await.is_err() {
            for upstream in upstreams.iter().filter(|upstream| gateway.is_approved(upstream)) {
                self.start_apart(gateway, upstream, scope, |_| Nobody(Mode::Headless));
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

    /// Sees to it that a server runs that somebody wants now.
    ///
    /// # Errors
    /// As for [`Gateway::make_ready`].
    pub(super) async fn make_ready(
        &self,
        gateway: &Gateway,
        upstream: &Arc<Upstream>,
        asker: &Asker<'_>,
        scope: &CallScope,
    ) -> Result<(), String> {
        self.tried.take_over(upstream.alias());
        gateway.make_ready(upstream, self.wanting(asker, scope)).await
    }

    /// Starts a server, asking this one where somebody has to agree; it goes on when the search was answered.
    fn start_apart<A: Approver + 'static>(
        &self,
        gateway: &Arc<Gateway>,
        upstream: &Arc<Upstream>,
        scope: &CallScope,
        approver: impl FnOnce(CancellationToken) -> A,
    ) -> JoinHandle<()> {
        let approver = approver(self.tried.note(upstream.alias()));
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
                ServerHealth::Failed => format!("failed: {}", cut(counts.last_error.unwrap_or_default())),
                ServerHealth::Connecting => "still starting".to_owned(),
                ServerHealth::Unknown if !gateway.is_approved(upstream) => {
                    format!("nobody agreed to start it yet: `{}` asks", upstream.refresh())
                }
                ServerHealth::Unknown | ServerHealth::Cached | ServerHealth::Ready => "not started yet".to_owned(),
            };
            Some(why)
        };
        let left: Vec<(&Arc<Upstream>, String)> =
            gateway.upstreams.iter().filter_map(|upstream| Some((upstream, why(upstream)?))).collect();
        let said: Vec<String> =
            left.iter().take(MOST_NAMED).map(|(upstream, why)| format!("{} ({why})", upstream.alias())).collect();
        let more = left.get(MOST_NAMED).map(|(first, _)| {
            let (count, status) = (left.len() - MOST_NAMED, first.typed("climax status"));
            format!(" and {count} more: `{status}` lists them, and a search with `server` says it of one")
        });
        (!said.is_empty()).then(|| format!("not searched: {}{}", said.join(", "), more.unwrap_or_default()))
    }
}

/// Cuts what a server said to what an answer has room for.
fn cut(why: String) -> String {
    match why.char_indices().nth(LONGEST_WHY) {
        Some((at, _)) => format!("{}…", why.get(..at).unwrap_or_default()),
        None => why,
    }
}
