//! How a server is greeted, and what the failure of a greeting means.

use std::time::Duration;

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode};

use crate::client::health::{Ended, Health, ServerFault};
use crate::client::http::Refused;
use crate::client::options::{Endpoint, Era, ServerOptions};
use crate::client::version;

/// How a server is greeted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Greeting {
    pub(super) way: Way,
    /// The version that `initialize` names.
    pub(super) version: ProtocolVersion,
}

/// Which protocols a greeting tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The newest protocol, and the older ones when that is not known.
    Probe,
    /// The older ones alone.
    Older,
    /// The newest alone.
    Newest,
    /// The oldest, with a stream of events beside the messages (HTTP with SSE).
    Events,
}

impl Greeting {
    /// What is tried first.
    pub(super) fn first(options: &ServerOptions) -> Self {
        let way = match (options.era, &options.endpoint) {
            (Era::Newest, _) => Way::Newest,
            // So is it called by custom where a server still speaks the oldest.
            (Era::Any | Era::Older, Endpoint::Http { url, .. }) if is_sse_address(url) => Way::Events,
            (Era::Any, _) => Way::Probe,
            (Era::Older, _) => Way::Older,
        };
        Self { way, version: ProtocolVersion::LATEST_WITH_INITIALIZE }
    }

    /// What is tried after a failure, where that makes sense.
    pub(super) fn next(&self, failed: &Failed, options: &ServerOptions) -> Option<Self> {
        let is_latest = self.version == ProtocolVersion::LATEST_WITH_INITIALIZE;
        let way = match (failed, self.way, &options.endpoint) {
            (Failed::Version { wanted, .. }, way, _) if is_latest && way != Way::Newest => {
                // It was greeted: it need not be probed again.
                let way = if way == Way::Probe { Way::Older } else { way };
                return Some(Self { way, version: wanted.clone() });
            }
            // It ended, or was silent, at a method that it does not know.
            (Failed::Ended(_), Way::Probe, Endpoint::Stdio { .. }) => Way::Older,
            (Failed::OnlyNewest, Way::Probe, _) => Way::Newest,
            (Failed::NoPosts(_), Way::Probe | Way::Older, Endpoint::Http { url, .. }) if !is_sse_address(url) => {
                Way::Events
            }
            (Failed::NoStream(_), Way::Events, Endpoint::Http { url, .. }) if is_sse_address(url) => {
                if options.era == Era::Older { Way::Older } else { Way::Probe }
            }
            _ => return None,
        };
        Some(Self { way, version: self.version.clone() })
    }

    pub(super) fn lifecycle(&self) -> ClientLifecycleMode {
        let newest = vec![ProtocolVersion::V_2026_07_28];
        match self.way {
            Way::Probe => ClientLifecycleMode::Auto { preferred_versions: newest, legacy_version: None },
            Way::Older | Way::Events => ClientLifecycleMode::Initialize,
            Way::Newest => ClientLifecycleMode::Discover { preferred_versions: newest },
        }
    }

    /// How long the answer to the probe, to a notification and to the end of a session is waited for.
    pub(super) fn probe_timeout(&self, options: &ServerOptions) -> Duration {
        match self.way {
            Way::Newest => options.connect_timeout,
            Way::Probe | Way::Older | Way::Events => options.probe_timeout,
        }
    }
}

/// Returns whether a URL ends as those of servers do that speak HTTP with SSE.
fn is_sse_address(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').ends_with("/sse")
}

/// Why an attempt to connect failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::client) enum Failed {
    /// The transport ended.
    #[error("{}", before_greeting(.0))]
    Ended(Ended),
    /// The server does not know `initialize`.
    #[error("the server speaks no protocol version that we do")]
    OnlyNewest,
    /// The server takes no messages at its address; in words, if any are known.
    #[error("{}", .0.as_deref().unwrap_or("the server takes no messages at this address"))]
    NoPosts(Option<String>),
    /// The server opens no stream of events; in words.
    #[error("{0}")]
    NoStream(String),
    /// The server refused the greeting for its version, and wants another one; in words.
    #[error("{words}")]
    Version {
        /// The version that it names.
        wanted: ProtocolVersion,
        /// What it says.
        words: String,
    },
    /// There was no answer within this time.
    #[error("{}", words.clone().unwrap_or_else(|| format!("no answer within {:.0} s", within.as_secs_f64())))]
    TimedOut {
        /// The time.
        within: Duration,
        /// What went wrong meanwhile, if anything is known.
        words: Option<String>,
    },
    /// A program that was asked does nothing; in words.
    #[error("{0}")]
    Unanswered(String),
    /// In words.
    #[error("{0}")]
    Other(String),
}

impl Failed {
    /// Returns the failure as whoever uses the client knows it.
    pub(in crate::client) fn fault(&self) -> ServerFault {
        match self {
            Self::Ended(Ended::Mute) | Self::TimedOut { words: None, .. } | Self::Unanswered(_) => {
                ServerFault::Unanswered(self.to_string())
            }
            Self::Ended(_)
            | Self::TimedOut { .. }
            | Self::OnlyNewest
            | Self::NoPosts(_)
            | Self::NoStream(_)
            | Self::Version { .. }
            | Self::Other(_) => ServerFault::Failed(self.to_string()),
        }
    }
}

fn before_greeting(ended: &Ended) -> String {
    match ended {
        Ended::Closed => "the connection ended before the greeting".to_owned(),
        Ended::Exited { .. } | Ended::Mute | Ended::Stream(_) => ended.to_string(),
    }
}

/// Says what a failed greeting means, by its error, by what its status said, and by how the connection fares.
pub(super) fn classify(error: ClientInitializeError, health: &Health, refused: Option<Refused>) -> Failed {
    let (error, is_fallback) = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => (*fallback, true),
        other => (other, false),
    };
    let said = match &error {
        ClientInitializeError::JsonRpcError(error) => Some(error),
        _ => None,
    };
    let words = || said.map(|error| error.message.clone().into_owned()).or_else(|| health.words());
    match (said.and_then(version::wanted), refused) {
        (Some(wanted), _) | (None, Some(Refused::Version(wanted))) => {
            Failed::Version { wanted, words: words().unwrap_or_default() }
        }
        (None, Some(Refused::NoPosts)) => Failed::NoPosts(words()),
        (None, None) => match said {
            Some(error) if is_fallback && matches!(error.code.0, -32022 | -32601) => Failed::OnlyNewest,
            Some(_) | None => greeting_failed(error, health),
        },
    }
}

fn greeting_failed(error: ClientInitializeError, health: &Health) -> Failed {
    match (error, health.ended()) {
        (_, Some(ended @ (Ended::Exited { .. } | Ended::Mute | Ended::Stream(_)))) => Failed::Ended(ended),
        (ClientInitializeError::JsonRpcError(error), _) if health.left_unanswered() => {
            Failed::Unanswered(error.message.into_owned())
        }
        (ClientInitializeError::JsonRpcError(error), _) => Failed::Other(error.message.into_owned()),
        (ClientInitializeError::ConnectionClosed(_), ended) => {
            health.words().map_or_else(|| Failed::Ended(ended.unwrap_or(Ended::Closed)), Failed::Other)
        }
        (other, _) => Failed::Other(health.words().unwrap_or_else(|| other.to_string())),
    }
}
