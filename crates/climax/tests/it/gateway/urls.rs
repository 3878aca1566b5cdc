//! Servers at URLs: somebody agrees to them, too, and each gets its own token and no other's.

use aish_testkit::mcp_server::{HttpServer, McpScript};
use serde_json::json;

use super::fixture::{Servers, states};
use crate::client::names;

const TOKEN: &str = "t-4711";

fn server(token: Option<&str>) -> HttpServer {
    HttpServer::start(McpScript { token: token.map(str::to_owned), ..McpScript::default() }).unwrap()
}

/// What a server was sent as authorization, each once.
fn authorizations(server: &HttpServer) -> Vec<String> {
    let mut sent: Vec<String> =
        server.seen().iter().filter_map(|seen| seen.header("authorization")).map(str::to_owned).collect();
    sent.sort();
    sent.dedup();
    sent
}

#[test]
fn a_url_is_agreed_to_and_gets_its_own_token() {
    let (closed, open) = (server(Some(TOKEN)), server(None));
    let mut servers = Servers::new();
    servers
        .add("closed", json!({"url": closed.url(), "headers": {"Authorization": "Bearer ${env:GATEWAY_TEST_TOKEN}"}}));
    servers.add("open", json!({"url": open.url()}));
    let mut client = servers.client(Some("accept"), &[]);
    assert_eq!(client.run("closed.echo", json!({"text": "x"})).text, "x");
    assert_eq!(client.run("open.echo", json!({"text": "y"})).text, "y");
    assert_eq!(client.asked.len(), 4, "{:?}", client.asked);
    assert!(client.asked[0].contains(&closed.url()) && client.asked[0].contains("$GATEWAY_TEST_TOKEN"));
    assert!(!client.asked.iter().any(|asked| asked.contains(TOKEN)), "{:?}", client.asked);
    drop(client);
    assert_eq!(authorizations(&closed), [format!("Bearer {TOKEN}")]);
    assert_eq!(authorizations(&open), Vec::<String>::new());
    let mut kept = String::new();
    for entry in walk(&servers.state()) {
        kept.push_str(&String::from_utf8_lossy(&std::fs::read(entry).unwrap()));
    }
    assert!(kept.contains("closed.echo") && !kept.contains(TOKEN), "no token is kept");
}

#[test]
fn a_server_that_wants_a_token_is_told_from_one_that_is_broken() {
    let closed = server(Some(TOKEN));
    let mut servers = Servers::new();
    servers.add("closed", json!({"url": closed.url()}));
    let mut client = servers.client(Some("accept"), &[]);
    let text = client.run("closed.echo", json!({"text": "x"})).text;
    assert!(text.contains("401") && text.contains("auth_env"), "{text}");
    let found = client.search(json!({"query": "echo"}));
    assert_eq!((names(&found).len(), states(&found).len()), (0, 0));
    assert!(found["note"].as_str().unwrap().contains("not searched: closed (signed out"), "{found}");
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            out.extend(walk(&entry.path()));
        } else {
            out.push(entry.path());
        }
    }
    out
}
