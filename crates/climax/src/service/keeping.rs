//! What is done with servers beside calls: refreshing, stopping idle ones, telling of changes, writing how they do.

use std::time::Duration;

use aish_mcp::server::{CallScope, Change};
use aish_types::{ToolDefinition, ToolName};

use super::{Listing, Service};
use crate::gateway::{ServerRow, StatusFile};

/// How long changes of servers are gathered before clients hear of them.
const JOINED: Duration = Duration::from_secs(1);
/// How often the status is written, where it has changed.
const STATUS: Duration = Duration::from_secs(1);

/// What came of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refreshed {
    /// How many tools the server has.
    pub tools: usize,
    /// How many were not known.
    pub new: usize,
    /// How many are not what they were.
    pub changed: usize,
    /// How long its start took.
    pub took: Duration,
}

impl Service {
    /// Starts a server, lists what it has, keeps that, and stops it again: `climax refresh`. Earlier failures do not count.
    ///
    /// # Errors
    /// In words, when there is no such server, or it cannot be started.
    pub async fn refresh(&self, alias: &str, scope: &CallScope) -> Result<Refreshed, String> {
        let gateway = self.gateway.as_ref().ok_or("no servers are given: --servers FILE")?;
        let upstream = gateway.upstream(alias).ok_or_else(|| format!("there is no server '{alias}'"))?;
        upstream.health.forgive();
        let before = upstream.known();
        let started = std::time::Instant::now();
        let asker = self.asker(scope);
        self.make_ready(gateway, upstream, &asker, scope).await?;
        let took = started.elapsed();
        if let Some(client) = upstream.client() {
            upstream.complete(&client).await;
        }
        upstream.stop().await;
        let known = upstream.known().unwrap_or_default();
        let old = |name: &ToolName| before.as_ref()?.tools.iter().find(|tool| tool.name == *name).cloned();
        let hash = |tool: &ToolDefinition| aish_safety::definition_hash(tool);
        let new = known.tools.iter().filter(|tool| old(&tool.name).is_none()).count();
        let changed = known.tools.iter().filter(|tool| old(&tool.name).is_some_and(|old| hash(&old) != hash(tool)));
        Ok(Refreshed {
            tools: known.tools.len(),
            new: if before.is_some() { new } else { 0 },
            changed: changed.count(),
            took,
        })
    }

    /// Says whether [`Service::keep_tools`] has anything to do.
    pub fn has_many_tools(&self) -> bool {
        self.state().catalogue.has_many_tools()
    }

    /// Keeps the tools of very many configs where what is kept of them is not what was read now: for a process that ends.
    pub fn keep_new_tools(&self) {
        if self.state().catalogue.has_new_tools() {
            self.keep_tools();
        }
    }

    /// Keeps the tools of very many configs for the next start; takes a second for a hundred thousand.
    pub fn keep_tools(&self) {
        let state = self.state();
        let view = state.view(self.gateway.as_deref());
        state.catalogue.keep(&view.index);
    }

    /// Returns a row a server.
    pub fn rows(&self) -> Vec<ServerRow> {
        self.gateway.as_ref().map(|gateway| gateway.rows()).unwrap_or_default()
    }

    /// Stops all servers and waits until their processes are gone.
    pub async fn close(&self) {
        self.meanings.stop();
        if let Some(gateway) = &self.gateway {
            gateway.close().await;
        }
    }

    /// Stops idle servers and tells clients of changes, for as long as it is polled.
    pub async fn keep_servers(&self) {
        let Some(gateway) = &self.gateway else { return };
        let mut changes = gateway.changes();
        let tell = async {
            while changes.changed().await.is_ok() {
                tokio::time::sleep(JOINED).await;
                changes.mark_unchanged();
                // The two tools that stand for all do not change.
                let tools = (self.listing == Listing::Classic).then_some(Change::Tools);
                for change in tools.into_iter().chain([Change::Prompts, Change::Resources]) {
                    // Nobody need be there to be told.
                    let _ = self.changes.send(change);
                }
            }
        };
        let mut file = self.kept.as_deref().map(StatusFile::new);
        let write = async {
            loop {
                if let Some(file) = &mut file {
                    file.write(gateway.rows());
                }
                tokio::time::sleep(STATUS).await;
            }
        };
        tokio::join!(tell, gateway.stop_idle(), write);
    }
}
