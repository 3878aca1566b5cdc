//! The certificate that scripted servers speak TLS with, and the authority that vouches for it (`data/tls/make.sh`).

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The authority's certificate in PEM; no program trusts it unless a test says so.
pub const AUTHORITY: &str = include_str!("../data/tls/authority.pem");

/// Returns what a server on 127.0.0.1 needs, or one that stands in for a host of the certificate.
///
/// # Errors
/// When the files in `data/tls` are none.
pub fn server() -> io::Result<Arc<ServerConfig>> {
    let certificate =
        CertificateDer::from_pem_slice(include_bytes!("../data/tls/server.pem")).map_err(io::Error::other)?;
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../data/tls/server.key")).map_err(io::Error::other)?;
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![certificate], key))
        .map_err(io::Error::other)?;
    Ok(Arc::new(config))
}
