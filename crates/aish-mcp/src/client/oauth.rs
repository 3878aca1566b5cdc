//! Signing in at servers that ask for it: OAuth 2.1 with PKCE.
//!
//! Nothing is done beforehand: a server's refusal says where to sign in. Order: find its authorization server, get a
//! client id (one from the configuration, one of our own by its URL, or a registered one), send the person to the
//! address, exchange what comes back for a token. Discovery never reaches private or loopback addresses unless the
//! server itself is there; `state`, `iss`, `resource` and S256 are rmcp's part.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aish_types::Secret;
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, CredentialStore, StoredCredentials,
};
use tokio::sync::Mutex;

use super::http::is_loopback;
use super::ports::{Ports, SignIn, Status, TokenStore};

/// How often one message may ask for a further scope.
pub(super) const MAX_STEP_UPS: u32 = 2;

/// What the configuration says of signing in; everything may be left out.
#[derive(Debug, Clone, Default)]
pub struct OAuthOptions {
    /// A client id that the authorization server gave out beforehand.
    pub client_id: Option<String>,
    /// The secret that belongs to it.
    pub client_secret: Option<Secret>,
    /// The https URL of a client id metadata document of ours.
    pub client_metadata_url: Option<String>,
}

/// Why nobody is signed in. Each is a line for the person.
#[derive(Debug, thiserror::Error)]
pub(super) enum SignInError {
    /// Nobody can sign in here.
    #[error("the server asks for authorization (HTTP 401)")]
    Asked,
    /// The server wants a further scope, and nobody can sign in here.
    #[error("it wants the scope {0:?}, and nobody signs in")]
    Scope(String),
    /// The server is not content with the scope that it wanted.
    #[error("the server keeps asking for the scope {0:?}")]
    ScopeAgain(String),
    /// A further scope needs a token to begin with.
    #[error("not signed in")]
    NotSignedIn,
    /// The exchange with the authorization server failed.
    #[error("signing in failed: {0}")]
    Failed(#[source] AuthError),
    /// The request for a further scope failed.
    #[error("{0}")]
    Upgrade(#[source] AuthError),
    /// The address is not safe to open.
    #[error("the server names an address to sign in at that is not safe to open")]
    Unsafe,
    /// The person did not sign in.
    #[error("nobody signed in")]
    Nobody,
}

/// Signs in at one server and holds its token.
pub(super) struct Authorizer {
    alias: String,
    source: String,
    url: String,
    options: OAuthOptions,
    ports: Ports,
    sign_in: Option<Arc<dyn SignIn>>,
    manager: Mutex<Option<AuthorizationManager>>,
    /// Set while a person is asked: that takes its time.
    pub(super) busy: AtomicBool,
}

impl Authorizer {
    /// Makes an authorizer; none where nobody can sign in and no tokens are kept.
    pub(super) fn new(alias: &str, source: &str, url: &str, options: OAuthOptions, ports: &Ports) -> Option<Self> {
        if ports.sign_in.is_none() && ports.tokens.is_none() {
            return None;
        }
        Some(Self {
            alias: alias.to_owned(),
            source: source.to_owned(),
            url: url.to_owned(),
            options,
            sign_in: ports.sign_in.clone(),
            ports: ports.clone(),
            manager: Mutex::default(),
            busy: AtomicBool::new(false),
        })
    }

    /// Returns the token, where there is one.
    pub(super) async fn token(&self) -> Option<String> {
        let mut manager = self.manager.lock().await;
        if manager.is_none() && self.ports.tokens.is_some() {
            let mut stored = self.fresh().await.ok()?;
            if stored.initialize_from_store().await.unwrap_or(false) {
                *manager = Some(stored);
            }
        }
        manager.as_ref()?.get_access_token().await.ok()
    }

    async fn fresh(&self) -> Result<AuthorizationManager, AuthError> {
        let mut manager = AuthorizationManager::new(self.url.as_str()).await?;
        if let Some(tokens) = &self.ports.tokens {
            manager.set_credential_store(StoreAdapter { source: self.source.clone(), tokens: Arc::clone(tokens) });
        }
        Ok(manager)
    }

    /// Signs in after a refusal; `sent` is the token that was refused.
    pub(super) async fn authorize(&self, challenge: &str, sent: Option<&str>) -> Result<(), SignInError> {
        let mut slot = self.manager.lock().await;
        if let Some(manager) = slot.as_ref() {
            // Another call may have signed in meanwhile, or the token can be renewed without the person.
            if manager.get_access_token().await.is_ok_and(|token| Some(token.as_str()) != sent) {
                return Ok(());
            }
        }
        let sign_in = self.sign_in()?;
        *slot = None;
        let mut manager = self.fresh().await.map_err(SignInError::Failed)?;
        let challenge = Some(challenge).filter(|challenge| !challenge.is_empty());
        let resolution = manager.resolve_metadata_from_challenge(challenge).await.map_err(SignInError::Failed)?;
        manager.set_metadata(resolution.metadata);
        let redirect = sign_in.redirect_uri();
        let mut request = AuthorizationRequest::new(redirect).with_client_name("aish").with_initial_scope_selection();
        if let Some(id) = &self.options.client_id {
            request = request.with_preregistered_client(id);
            if let Some(secret) = &self.options.client_secret {
                request = request.with_client_secret(secret.expose());
            }
        }
        if let Some(url) = &self.options.client_metadata_url {
            request = request.with_client_metadata_url(url);
        }
        let session =
            AuthorizationSession::new(manager, request).await.map_err(|(_, error)| SignInError::Failed(error))?;
        *slot = Some(self.finish(session).await?);
        Ok(())
    }

    /// Signs in again for a further scope.
    pub(super) async fn step_up(&self, scope: &str) -> Result<(), SignInError> {
        let mut slot = self.manager.lock().await;
        let sign_in = self.sign_in().map_err(|_| SignInError::Scope(scope.to_owned()))?;
        let Some(manager) = slot.take() else { return Err(SignInError::NotSignedIn) };
        if !manager.can_attempt_scope_upgrade().await {
            *slot = Some(manager);
            return Err(SignInError::ScopeAgain(scope.to_owned()));
        }
        let address = match manager.request_scope_upgrade(scope).await {
            Ok(address) => address,
            Err(error) => {
                *slot = Some(manager);
                return Err(SignInError::Upgrade(error));
            }
        };
        let redirect = sign_in.redirect_uri();
        let session = AuthorizationSession::for_scope_upgrade(manager, address, &redirect);
        *slot = Some(self.finish(session).await?);
        Ok(())
    }

    fn sign_in(&self) -> Result<&Arc<dyn SignIn>, SignInError> {
        self.sign_in.as_ref().ok_or(SignInError::Asked)
    }

    /// Sends the person to the address and exchanges what comes back.
    async fn finish(&self, session: AuthorizationSession) -> Result<AuthorizationManager, SignInError> {
        let address = session.get_authorization_url().to_owned();
        if !may_be_opened(&address) {
            return Err(SignInError::Unsafe);
        }
        self.ports.status.status(&self.alias, Status::SignIn(address.clone()));
        self.busy.store(true, Ordering::SeqCst);
        let back = self.sign_in()?.sign_in(&self.alias, &address).await;
        self.busy.store(false, Ordering::SeqCst);
        let back = back.ok_or(SignInError::Nobody)?;
        session.handle_callback_url(&back).await.map_err(SignInError::Failed)?;
        Ok(session.auth_manager)
    }
}

/// Returns whether an address from a stranger may be opened: https, or http on this machine.
pub fn may_be_opened(address: &str) -> bool {
    let plain = address.chars().all(|c| c.is_ascii_graphic());
    plain
        && Url::parse(address).is_ok_and(|url| match url.scheme() {
            "https" => url.has_host(),
            "http" => is_loopback(&url),
            _ => false,
        })
}

/// rmcp's store of credentials over our port.
struct StoreAdapter {
    source: String,
    tokens: Arc<dyn TokenStore>,
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl CredentialStore for StoreAdapter {
    fn load<'life0, 'async_trait>(&'life0 self) -> Boxed<'async_trait, Option<StoredCredentials>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        let stored = self.tokens.load(&self.source);
        let read = stored.and_then(|text| serde_json::from_str(text.expose()).ok());
        Box::pin(std::future::ready(Ok(read)))
    }

    fn save<'life0, 'async_trait>(&'life0 self, credentials: StoredCredentials) -> Boxed<'async_trait, ()>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        if let Ok(text) = serde_json::to_string(&credentials) {
            self.tokens.save(&self.source, Some(Secret::new(text)));
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn clear<'life0, 'async_trait>(&'life0 self) -> Boxed<'async_trait, ()>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        self.tokens.save(&self.source, None);
        Box::pin(std::future::ready(Ok(())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safety_11_only_safe_addresses_are_opened() {
        for address in ["https://auth.example/authorize?x=1", "http://127.0.0.1:8/a", "http://localhost/a"] {
            assert!(may_be_opened(address), "{address}");
        }
        for address in [
            "http://auth.example/a",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "-https://x",
            "https://",
            "https://a/\n-x",
            "https://a/ b",
        ] {
            assert!(!may_be_opened(address), "{address}");
        }
    }
}
