//! The tools of a command without a shell: built-in ones, a bash of its own, the MCP servers, the plugins.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_mcp::client::{ServerOptions, ServerPool};
use aish_safety::Approver;
use aish_tools::Registry;
use aish_tools::builtin::Files;
use aish_types::SessionId;

use crate::base::Base;
use crate::conversation::Setup;
use crate::driver::CommandEnvironment;
use crate::plugins::{self, Plugins};
use crate::servers::news::{CallNews, News};
use crate::servers::{self, SignInWords};
use crate::session::KeptLog;
use crate::shell_tool::{CommandRunner, ShellTool};
use crate::toolset;

/// How long a command waits for the configured MCP servers and plugins; those that are late join later.
const SERVERS: Duration = Duration::from_secs(3);

/// The sources, which must be closed.
pub struct Sources {
    /// All tools.
    pub registry: Arc<Registry>,
    news: Arc<CallNews>,
    servers: ServerPool,
    plugins: Option<Plugins>,
    /// What servers and plugins said since it was told.
    heard: Arc<Mutex<Vec<String>>>,
}

impl Sources {
    /// Starts everything, with commands handed to `runner` for `timeout_ms` each; returns what to tell the person.
    pub async fn start(base: &Base, runner: Arc<dyn CommandRunner>, timeout_ms: u64) -> (Self, Vec<String>) {
        let (sources, unseen, mut notices) = Self::start_unseen(base, runner, timeout_ms, toolset::files(base)).await;
        notices.extend(unseen.iter().map(|(line, _)| line.clone()));
        sources.start_seen(base, unseen).await;
        notices.extend(sources.heard());
        (sources, notices)
    }

    /// Does the same, but leaves servers out whose command line was not shown yet: they are returned, each with its line.
    pub async fn start_unseen(
        base: &Base,
        runner: Arc<dyn CommandRunner>,
        timeout_ms: u64,
        files: Files,
    ) -> (Self, Vec<(String, ServerOptions)>, Vec<String>) {
        let (registry, mut notices) = toolset::registry(base, Arc::new(base.memory()), Some(Arc::new(files)));
        ShellTool::add_to(&registry, &runner, timeout_ms);
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&heard);
        let news: Arc<CallNews> = Arc::default();
        let sink = News::new(Arc::clone(&news), move |line| {
            sink.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        });
        let mut servers = servers::start(base, &registry, servers::telling(Arc::new(sink)), SignInWords::CommandLine);
        notices.append(&mut servers.faults);
        let unseen = std::mem::take(&mut servers.waiting);
        let servers = servers.pool;
        let sink = Arc::clone(&heard);
        let plugins = plugins::start(base, &registry, move |line| {
            sink.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        });
        let plugged = async {
            if let Some(plugins) = &plugins {
                plugins.settle(SERVERS).await;
            }
        };
        tokio::join!(servers::settle(&servers, SERVERS), plugged);
        let sources = Self { registry, news, servers, plugins, heard };
        notices.extend(sources.heard());
        (sources, unseen, notices)
    }

    /// Returns what a conversation over these tools needs: both tools and proposals are offered.
    pub fn setup(
        &self,
        base: &Base,
        session: SessionId,
        approver: Arc<dyn Approver>,
        environment: CommandEnvironment,
    ) -> Setup {
        Setup {
            approver,
            log: Box::new(KeptLog::of(base, &session)),
            session,
            registry: Arc::clone(&self.registry),
            offer_tools: true,
            commands: true,
            news: Arc::clone(&self.news),
            environment,
        }
    }

    /// Starts servers whose lines were shown, and waits for their tools for a while.
    pub async fn start_seen(&self, base: &Base, seen: Vec<(String, ServerOptions)>) {
        if seen.is_empty() {
            return;
        }
        servers::start_shown(base, &self.servers, &self.registry, seen);
        servers::settle(&self.servers, SERVERS).await;
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends servers and plugins.
    pub async fn close(self) {
        self.servers.close().await;
        if let Some(plugins) = self.plugins {
            plugins.close().await;
        }
    }
}
