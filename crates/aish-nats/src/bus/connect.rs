//! The connection.

use std::path::PathBuf;
use std::time::Duration;

use crate::bus::Bus;

/// How the bus is reached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BusOptions {
    /// `nats://host:port`, several with commas between them.
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
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The address is none, or nobody answers there.
    #[error("cannot connect to {url}: {cause}")]
    Connect {
        /// The address.
        url: String,
        /// The cause in words.
        cause: String,
    },
    /// JetStream is off, or refuses a bucket.
    #[error("the bucket {bucket} cannot be used: {cause} (is the server running with JetStream?)")]
    Bucket {
        /// The bucket.
        bucket: String,
        /// The cause in words.
        cause: String,
    },
    /// A subject cannot be listened to.
    #[error("cannot listen to {subject}: {cause}")]
    Subscribe {
        /// The subject.
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
    let mut connecting = async_nats::ConnectOptions::new()
        .name(&options.name)
        .connection_timeout(Duration::from_secs(5))
        .subscription_capacity(16_384);
    if let Some(path) = &options.creds {
        connecting = connecting
            .credentials_file(path)
            .await
            .map_err(|source| BusError::Credentials { path: path.clone(), source })?;
    }
    let addresses: Vec<&str> = options.url.split(',').map(str::trim).collect();
    let client = connecting
        .connect(addresses)
        .await
        .map_err(|error| BusError::Connect { url: without_password(&options.url), cause: error.to_string() })?;
    Ok(Bus { client })
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
