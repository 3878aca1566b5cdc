//! The tools of a command without a shell: built-in ones, a bash of its own, the MCP servers, the plugins.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_mcp::client::ServerPool;
use aish_tools::Registry;

use crate::base::Base;
use crate::plugins::{self, Plugins};
use crate::servers::news::{CallNews, News};
use crate::servers::{self, SignInWords};
use crate::shell_tool::{CommandRunner, ShellTool};
use crate::toolset;

/// How long a command waits for the configured MCP servers and plugins; those that are late join later.
const SERVERS: Duration = Duration::from_secs(3);

/// The sources, which must be closed.
pub struct Sources {
    /// All tools.
    pub registry: Arc<Registry>,
    /// What servers say while calls run.
    pub news: Arc<CallNews>,
    servers: ServerPool,
    plugins: Option<Plugins>,
}

impl Sources {
    /// Starts everything, with commands handed to `runner` for `timeout_ms` each; returns what to tell the person.
    pub async fn start(base: &Base, runner: Arc<dyn CommandRunner>, timeout_ms: u64) -> (Self, Vec<String>) {
        let (registry, mut notices) = toolset::registry(base, Arc::new(base.memory()));
        ShellTool::add_to(&registry, &runner, timeout_ms);
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&heard);
        let news: Arc<CallNews> = Arc::default();
        let sink = News::new(Arc::clone(&news), move |line| {
            sink.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        });
        let mut servers = servers::start(base, &registry, servers::telling(Arc::new(sink)), SignInWords::CommandLine);
        notices.append(&mut servers.faults);
        notices.extend(servers.waiting.iter().map(|(line, _)| line.clone()));
        servers.start_waiting(base, &registry);
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
        notices.extend(std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner)));
        (Self { registry, news, servers, plugins }, notices)
    }

    /// Ends servers and plugins.
    pub async fn close(self) {
        self.servers.close().await;
        if let Some(plugins) = self.plugins {
            plugins.close().await;
        }
    }
}
