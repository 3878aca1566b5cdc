//! Signing in at an MCP server: the address is shown and opened in the browser, and what comes back is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aish_mcp::client::{Endpoint, LoopbackSignIn, McpClient, Ports, ServerOptions, SignIn, StatusSink, TokenStore};
use aish_types::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::browser::Browser;
use super::tokens::TokenFolder;
use crate::base::Base;
use crate::failure::Failure;

/// Signs in, and remembers whether the server wanted it.
struct Asked {
    browser: LoopbackSignIn,
    asked: AtomicBool,
}

impl SignIn for Asked {
    fn redirect_uri(&self) -> String {
        self.browser.redirect_uri()
    }

    fn sign_in<'a>(&'a self, alias: &'a str, address: &'a str) -> BoxFuture<'a, Option<String>> {
        self.asked.store(true, Ordering::SeqCst);
        self.browser.sign_in(alias, address)
    }
}

/// Signs in at a server and keeps its tokens; returns what to tell the person. Tokens of an earlier sign-in are
/// forgotten. `status` is told the address.
///
/// # Errors
/// In words, when there is nothing to sign in at, nobody signed in, or the server refused.
pub async fn login(
    base: &Base,
    options: ServerOptions,
    status: Arc<dyn StatusSink>,
    interrupt: &CancellationToken,
) -> Result<String, Failure> {
    match &options.endpoint {
        Endpoint::Stdio { .. } => {
            return Err(Failure::user("it is a program of yours: there is nothing to sign in at"));
        }
        Endpoint::Http { token: Some(_), .. } => {
            return Err(Failure::config(
                "its token is in the configuration (auth_token or auth_env); signing in is for servers without",
            ));
        }
        Endpoint::Http { token: None, .. } => {}
    }
    let browser = Browser::find(base);
    let sign_in = LoopbackSignIn::new(move |address| browser.open(address))
        .map_err(|error| Failure::from(error).at("no port to come back to"))?;
    let sign_in = Arc::new(Asked { browser: sign_in, asked: AtomicBool::new(false) });
    let tokens = Arc::new(TokenFolder::of(base));
    tokens.save(options.source_id().as_str(), None);
    let options = ServerOptions { sign_in_hint: None, ..options };
    let ports = Ports {
        status,
        sign_in: Some(Arc::clone(&sign_in) as _),
        tokens: Some(Arc::clone(&tokens) as _),
        ..Ports::default()
    };
    let source = options.source_id();
    let connected = tokio::select! {
        connected = McpClient::connect(options, ports) => connected,
        () = interrupt.cancelled() => return Err(Failure::user("given up")),
    };
    let client = connected.map_err(|error| Failure::network(error.to_string()))?;
    let tools = client.tool_count();
    client.close().await;
    Ok(match sign_in.asked.load(Ordering::SeqCst) {
        true if tokens.load(source.as_str()).is_none() => {
            format!("signed in, {tools} tools; but the tokens cannot be kept, so that it is for this once")
        }
        true => format!("signed in; {tools} tools"),
        false => format!("connected with {tools} tools; it did not ask for a sign-in"),
    })
}
