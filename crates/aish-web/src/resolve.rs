//! Names to addresses.

use std::io;
use std::net::IpAddr;

use aish_types::BoxFuture;

/// Looks the addresses of a host up.
pub trait Resolve: Send + Sync {
    /// Returns all addresses of a host.
    ///
    /// # Errors
    /// When there are none, or nobody can be asked.
    fn addresses<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The machine's own resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn addresses<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect()) })
    }
}
