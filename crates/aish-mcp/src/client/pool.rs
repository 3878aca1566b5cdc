//! All servers of the configuration.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use aish_tools::ToolSource;

use super::mcp::{McpClient, ServerState};
use super::options::{Endpoint, ServerOptions};
use super::ports::Ports;

/// A row of the list of servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRow {
    /// The name that its tools begin with.
    pub alias: String,
    /// Its whole command line, or its URL.
    pub shown: String,
    /// How many tools it offers.
    pub tools: usize,
    /// Where it stands.
    pub state: ServerState,
}

/// Keeps all servers; each is reached in the background, and none waits for another.
pub struct ServerPool {
    ports: Ports,
    clients: RwLock<Vec<Arc<McpClient>>>,
}

impl ServerPool {
    /// Makes an empty pool.
    pub fn new(ports: Ports) -> Self {
        Self { ports, clients: RwLock::default() }
    }

    /// Starts to connect a server and returns at once. An alias that is taken gets `-2`, `-3` and so on. Two servers may have
    /// one URL: with other tokens they are other people's.
    pub fn add(&self, options: ServerOptions) -> Arc<McpClient> {
        self.start(&mut self.clients.write().unwrap_or_else(PoisonError::into_inner), options)
    }

    /// Does what [`ServerPool::add`] does, but a URL that is there already is the server that is there, whose tools are listed
    /// anew, or one that takes its place if it failed.
    pub fn reach(&self, options: ServerOptions) -> Arc<McpClient> {
        let mut clients = self.clients.write().unwrap_or_else(PoisonError::into_inner);
        if let Endpoint::Http { url, .. } = &options.endpoint
            && let Some(at) = clients.iter().position(|client| client.is_at(url))
            && let Some(same) = clients.get(at)
        {
            match same.state() {
                ServerState::Ready | ServerState::Connecting => {
                    same.refresh();
                    return Arc::clone(same);
                }
                ServerState::Failed(_) | ServerState::Closed => drop(clients.remove(at)),
            }
        }
        self.start(&mut clients, options)
    }

    fn start(&self, clients: &mut Vec<Arc<McpClient>>, mut options: ServerOptions) -> Arc<McpClient> {
        let taken: BTreeSet<String> = clients.iter().map(|client| client.alias().to_owned()).collect();
        options.alias = free_alias(&options.alias, &taken);
        let client = Arc::new(McpClient::start(options, self.ports.clone()));
        clients.push(Arc::clone(&client));
        client
    }

    /// Returns a server by its alias.
    pub fn get(&self, alias: &str) -> Option<Arc<McpClient>> {
        self.all().into_iter().find(|client| client.alias() == alias)
    }

    /// Returns all servers in the order in which they were added.
    pub fn all(&self) -> Vec<Arc<McpClient>> {
        self.clients.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Disconnects a server and waits until its processes are gone; returns whether it was there.
    pub async fn remove(&self, alias: &str) -> bool {
        let removed = {
            let mut clients = self.clients.write().unwrap_or_else(PoisonError::into_inner);
            clients.iter().position(|client| client.alias() == alias).map(|at| clients.remove(at))
        };
        match removed {
            Some(client) => {
                client.close().await;
                true
            }
            None => false,
        }
    }

    /// Lists the servers.
    pub fn rows(&self) -> Vec<ServerRow> {
        let row = |client: &Arc<McpClient>| ServerRow {
            alias: client.alias().to_owned(),
            shown: client.shown(),
            tools: client.definitions().len(),
            state: client.state(),
        };
        self.all().iter().map(row).collect()
    }

    /// Disconnects all servers at once and waits until their processes are gone.
    pub async fn close(&self) {
        let clients = std::mem::take(&mut *self.clients.write().unwrap_or_else(PoisonError::into_inner));
        futures_util::future::join_all(clients.iter().map(|client| client.close())).await;
    }

    /// Derives an alias from a URL: the first label of its host, in letters, digits, `_` and `-`.
    pub fn alias_of(url: &str) -> String {
        let parsed = reqwest::Url::parse(url).ok();
        let host = parsed.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        let label = if host.parse::<std::net::Ipv4Addr>().is_ok() || host.starts_with('[') {
            host.to_owned()
        } else {
            host.split('.').next().unwrap_or_default().to_owned()
        };
        clean_alias(&label)
    }
}

/// Puts a name into the letters of an alias.
pub fn clean_alias(name: &str) -> String {
    let mapped: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' }).collect();
    let trimmed = mapped.trim_matches('-');
    if trimmed.is_empty() { "server".to_owned() } else { trimmed.chars().take(64).collect() }
}

fn free_alias(wanted: &str, taken: &BTreeSet<String>) -> String {
    let wanted = clean_alias(wanted);
    if !taken.contains(&wanted) {
        return wanted;
    }
    (2_usize..).map(|number| format!("{wanted}-{number}")).find(|alias| !taken.contains(alias)).unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_the_first_label_of_the_host() {
        for (url, alias) in [
            ("http://boltzmann.fritz.box:8080/mcp", "boltzmann"),
            ("https://example.org/mcp", "example"),
            ("http://localhost:8/mcp", "localhost"),
            ("http://127.0.0.1:8/mcp", "127-0-0-1"),
            ("http://[::1]:8/mcp", "1"),
            ("nonsense", "server"),
        ] {
            assert_eq!(ServerPool::alias_of(url), alias, "{url}");
        }
    }

    #[test]
    fn a_taken_alias_is_numbered() {
        let taken = BTreeSet::from(["a".to_owned(), "a-2".to_owned()]);
        assert_eq!(free_alias("a", &taken), "a-3");
        assert_eq!(free_alias("b.c", &taken), "b-c");
    }
}
