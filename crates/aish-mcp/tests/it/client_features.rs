//! Our client and our server together: both eras, questions, changes, resources, prompts.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{Endpoint, LoopbackSignIn, McpClient, Person, Ports, ServerPool, ServerState, SignIn, Status};
use aish_mcp::server::{Change, HttpOptions, serve_http};
use aish_testkit::mcp_server::{HttpServer, McpScript};
use aish_testkit::ports::unused;
use aish_tools::ToolSource;
use aish_types::{BoxFuture, Ending, Secret};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use crate::fake;
use crate::fixture::Fixture;

struct Agreeable;

impl Person for Agreeable {
    fn ask<'a>(&'a self, alias: &'a str, message: &'a str, _schema: &'a Value) -> BoxFuture<'a, Option<Option<Value>>> {
        assert_eq!((alias, message), ("fake", "Remove it?"));
        Box::pin(std::future::ready(Some(Some(json!({"ok": true})))))
    }
}

async fn fixture() -> (Arc<Fixture>, String) {
    let fixture = Fixture::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve_http(listener, fixture.clone(), HttpOptions::default()));
    (fixture, format!("http://{address}/mcp"))
}

async fn call(client: &Arc<McpClient>, tool: &str) -> String {
    fake::call(client, tool, Map::new(), Duration::from_secs(60)).await.text
}

#[tokio::test]
async fn the_newest_protocol_is_spoken_with_our_own_server() {
    let (_fixture, url) = fixture().await;
    let client = fake::connect(fake::http(&url), fake::ports().0).await.unwrap();
    assert_eq!(client.protocol().as_deref(), Some("2026-07-28"));
    assert_eq!(client.instructions().as_deref(), Some("Echo things."));
    assert_eq!(fake::echo(&client, "grüße").await.unwrap(), "grüße");
    let resources = client.resources().await.unwrap();
    assert_eq!(resources[0]["uri"], "test://a");
    assert_eq!(client.read_resource("test://a").await.unwrap()[0]["text"], "äöü");
    assert!(client.read_resource("test://b").await.is_err());
    assert_eq!(client.prompts().await.unwrap()[0]["name"], "greet");
    client.close().await;
}

#[tokio::test]
async fn safety_14_a_server_asks_only_when_it_may() {
    let (_fixture, url) = fixture().await;
    let (ports, _) = fake::ports();
    let ports = Ports { person: Some(Arc::new(Agreeable)), ..ports };
    let client = fake::connect(fake::http(&url), ports.clone()).await.unwrap();
    assert_eq!(call(&client, "ask").await, "nobody to ask");
    client.close().await;
    let mut allowed = fake::http(&url);
    allowed.elicitation = true;
    let client = fake::connect(allowed, ports).await.unwrap();
    assert_eq!(call(&client, "ask").await, "accepted {\"ok\":true}");
    client.close().await;
}

#[tokio::test]
async fn a_change_of_the_list_is_noticed() {
    let (fixture, url) = fixture().await;
    let client = fake::connect(fake::http(&url), fake::ports().0).await.unwrap();
    let mut changes = client.changes();
    changes.mark_unchanged();
    for _ in 0..500 {
        if fixture.changes.receiver_count() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    fixture.changes.send(Change::Tools).unwrap();
    tokio::time::timeout(Duration::from_secs(60), changes.changed()).await.unwrap().unwrap();
    assert_eq!(client.definitions().len(), 3);
    client.close().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_there() {
    let (fixture, url) = fixture().await;
    let (ports, recorder) = fake::ports();
    let client = fake::connect(fake::http(&url), ports).await.unwrap();
    // Where the machine is so busy that the time is over before the call has gone out, it gets more.
    let mut within = Duration::from_millis(500);
    while fake::call(&client, "slow", Map::new(), within).await.ending != Ending::Transport {
        within *= 2;
        assert!(within < Duration::from_secs(60), "the call does not end for want of time");
    }
    for _ in 0..1000 {
        if fixture.cancelled.load(std::sync::atomic::Ordering::SeqCst) > 0 {
            recorder.wait(|status| matches!(status, Status::Progress { .. })).await;
            return client.close().await;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the server did not hear of it");
}

#[tokio::test]
async fn relisting_finds_what_a_server_does_not_announce() {
    let script = json!({"sequences": {"tools/list": [{"tools": [{"name": "echo"}]},
        {"tools": [{"name": "echo", "description": "new"}, {"name": "more"}]}]}});
    let (ports, recorder) = fake::ports();
    let client = fake::connect(fake::stdio(&serde_json::from_value(script).unwrap()), ports).await.unwrap();
    assert_eq!(client.definitions().len(), 1);
    assert_eq!(client.relist().await.unwrap(), 2);
    assert!(recorder.all().contains(&Status::Changed { added: 2, removed: 0 }));
    client.close().await;
}

#[tokio::test]
async fn the_same_url_again_lists_its_tools_anew() {
    let script =
        json!({"sequences": {"tools/list": [{"tools": [{"name": "a"}]}, {"tools": [{"name": "a"}, {"name": "b"}]}]}});
    let server = HttpServer::start(serde_json::from_value(script).unwrap()).unwrap();
    let pool = ServerPool::new(fake::ports().0);
    let first = pool.reach(fake::http(&server.url()));
    first.ready().await.unwrap();
    let mut changes = first.changes();
    changes.mark_unchanged();
    let second = pool.reach(fake::http(&server.url()));
    assert!(Arc::ptr_eq(&first, &second));
    tokio::time::timeout(Duration::from_secs(60), changes.changed()).await.unwrap().unwrap();
    assert_eq!((pool.rows().len(), second.definitions().len()), (1, 2));
    pool.close().await;
}

#[tokio::test]
async fn a_server_that_failed_is_tried_again_when_it_is_added_again() {
    let url = format!("http://127.0.0.1:{}/mcp", unused().unwrap());
    let pool = ServerPool::new(fake::ports().0);
    let first = pool.reach(fake::http(&url));
    first.ready().await.unwrap_err();
    let second = pool.reach(fake::http(&url));
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!((pool.rows().len(), second.alias()), (1, "fake"));
    second.ready().await.unwrap_err();
    pool.close().await;
}

#[tokio::test]
async fn two_servers_of_the_configuration_may_have_one_url() {
    let server = HttpServer::start(McpScript::default()).unwrap();
    let pool = ServerPool::new(fake::ports().0);
    let with = |alias: &str, token: Option<&str>| {
        let mut options = fake::http(&server.url());
        options.alias = alias.into();
        if let Endpoint::Http { token: given, .. } = &mut options.endpoint {
            *given = token.map(|token| Secret::new(token.into()));
        }
        options
    };
    let clients =
        [with("mine", Some("a")), with("theirs", Some("b")), with("nobodys", None)].map(|options| pool.add(options));
    for client in &clients {
        client.ready().await.unwrap();
    }
    let aliases: Vec<String> = pool.rows().into_iter().map(|row| row.alias).collect();
    assert_eq!(aliases, ["mine", "theirs", "nobodys"]);
    let sources: std::collections::BTreeSet<_> = clients.iter().map(|client| client.id().clone()).collect();
    assert_eq!(sources.len(), 3, "each is a source of its own");
    pool.close().await;
}

#[tokio::test]
async fn a_server_that_is_down_at_the_start_is_reached_when_it_comes() {
    let address = ("127.0.0.1", unused().unwrap());
    let pool = ServerPool::new(fake::ports().0);
    let client = pool.add(fake::http(&format!("http://{}:{}/mcp", address.0, address.1)));
    client.ready().await.unwrap_err();
    assert!(matches!(client.state(), ServerState::Failed(_)));
    let server = HttpServer::start_on(McpScript::default(), std::net::TcpListener::bind(address).unwrap()).unwrap();
    let mut state = client.states();
    let came = state.wait_for(|state| *state == ServerState::Ready);
    tokio::time::timeout(Duration::from_secs(120), came).await.expect("it is tried again").unwrap();
    assert!(client.tool_count() > 0);
    pool.close().await;
    drop(server);
}

/// Answers every request with one refusal.
async fn refusing(body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut request).await;
            let answer =
                format!("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, answer.as_bytes()).await;
        }
    });
    format!("http://{address}/mcp")
}

#[tokio::test]
async fn a_refusal_says_what_the_server_says() {
    for (body, said) in [
        (r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"your plan has no MCP"}}"#, ": your plan has no MCP"),
        ("Not on the list\u{1b}[2J\nmore", ": Not on the list"),
        ("<html><body>Forbidden</body></html>", "(HTTP 403)"),
        ("", "(HTTP 403)"),
    ] {
        let error = fake::connect(fake::http(&refusing(body).await), fake::ports().0).await.err().unwrap().to_string();
        assert!(error.contains("the server refuses access (HTTP 403)") && error.contains(said), "{body}: {error}");
        assert!(!error.contains(['\u{1b}', '<']), "{error}");
    }
}

#[tokio::test]
async fn a_sign_in_comes_back_over_loopback() {
    let sign_in = LoopbackSignIn::new(|address| {
        let address = address.to_owned();
        // A browser that asks for its icon first.
        std::thread::spawn(move || {
            for path in ["/favicon.ico", "/callback?code=c&state=s"] {
                let mut stream = std::net::TcpStream::connect(&address).unwrap();
                write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
                stream.read_to_string(&mut String::new()).unwrap();
            }
        });
    })
    .unwrap();
    let redirect = sign_in.redirect_uri();
    let address = redirect.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/callback")).unwrap();
    let back = sign_in.sign_in("a", address).await.unwrap();
    assert_eq!(back, format!("{redirect}?code=c&state=s"));
}
