//! The connection.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::{Event, ServerError};
use percent_encoding::percent_decode_str;
use tokio::sync::watch;

use crate::bus::Bus;

/// How the bus is reached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BusOptions {
    /// `nats://host:port`, several with commas between them; `user:password@` or `token@` before the host of one.
    pub url: String,
    /// A credentials file.
    pub creds: Option<PathBuf>,
    /// How this connection is named on the server.
    pub name: String,
}

/// Why the bus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// The credentials cannot be read.
    #[error("the credentials file {path} cannot be read")]
    Credentials {
        /// The file that the configuration names.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// The address is none, or nobody answers there.
    #[error("cannot connect to {url}: {cause}")]
    Connect {
        /// The address, without user and password.
        url: String,
        /// The cause in words.
        cause: String,
    },
    /// This user may not do something that is needed.
    #[error("the server refuses what is needed: {0}")]
    Refused(String),
    /// JetStream is off, or refuses a bucket.
    #[error("the bucket {bucket} cannot be used: {cause} (is the server running with JetStream?)")]
    Bucket {
        /// The name of the bucket on the server.
        bucket: String,
        /// The cause in words.
        cause: String,
    },
    /// A subject cannot be listened to.
    #[error("cannot listen to {subject}: {cause}")]
    Subscribe {
        /// The subject, wildcards included.
        subject: String,
        /// The cause in words.
        cause: String,
    },
}

/// Connects, and connects again by itself when the connection is lost.
///
/// # Errors
/// When the credentials cannot be read or nobody answers within 5 s.
pub async fn connect(options: &BusOptions) -> Result<Bus, BusError> {
    let (refuse, refused) = watch::channel(None);
    let mut connecting = async_nats::ConnectOptions::new()
        .name(&options.name)
        .event_callback(move |event| {
            tracing::info!(%event, "nats");
            if let Event::ServerError(ServerError::Other(why)) = event {
                refuse.send_replace(Some(why));
            }
            std::future::ready(())
        })
        .connection_timeout(Duration::from_secs(5))
        .subscription_capacity(16_384);
    if let Some(path) = &options.creds {
        connecting = connecting
            .credentials_file(path)
            .await
            .map_err(|source| BusError::Credentials { path: path.clone(), source })?;
    }
    let addresses: Vec<&str> = options.url.split(',').map(str::trim).collect();
    connecting = match addresses.iter().find_map(|address| Login::of(address)) {
        Some(Login::Password { user, password }) => connecting.user_and_password(user, password),
        Some(Login::Token(token)) => connecting.token(token),
        None => connecting,
    };
    let client = connecting
        .connect(addresses)
        .await
        .map_err(|error| BusError::Connect { url: without_password(&options.url), cause: error.to_string() })?;
    Ok(Bus { client, refused })
}

/// What an address says of who connects; the library reads the place alone.
#[derive(Debug, PartialEq, Eq)]
enum Login {
    Password { user: String, password: String },
    Token(String),
}

impl Login {
    /// Reads `user:password@` or `token@`, with `%40` and the like in them.
    fn of(address: &str) -> Option<Self> {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let (login, _) = rest.rsplit_once('@')?;
        match login.split_once(':') {
            Some((user, password)) => Some(Self::Password { user: decoded(user), password: decoded(password) }),
            None => Some(Self::Token(decoded(login))),
        }
    }
}

/// Decodes percent-encoded text; an invalid code stays as it is.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Returns addresses as they may be shown: without user, password and token.
pub fn without_password(url: &str) -> String {
    let shown = url.split(',').map(str::trim).map(|address| {
        let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
        let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
        if scheme.is_empty() { place.to_owned() } else { format!("{scheme}://{place}") }
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_who_connects() {
        let password =
            |user: &str, password: &str| Some(Login::Password { user: user.into(), password: password.into() });
        for (address, login) in [
            ("nats://h:4222", None),
            ("h", None),
            ("nats://me:secret@h:4222", password("me", "secret")),
            ("me:p@ss:w@h", password("me", "p@ss:w")),
            ("tls://me:100%25%40%2f%zz%é@h", password("me", "100%@/%zz%é")),
            ("nats://s3cr3t@h", Some(Login::Token("s3cr3t".into()))),
        ] {
            assert_eq!(Login::of(address), login, "{address}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        for (url, shown) in [
            ("nats://h:4222", "nats://h:4222"),
            ("nats://me:p@ss@h:4222, tls://token@g", "nats://h:4222, tls://g"),
            ("me:secret@h", "h"),
        ] {
            assert_eq!(without_password(url), shown.replace(", ", ","), "{url}");
        }
    }
}
