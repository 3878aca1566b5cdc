//! The server over HTTP: guards, sessions, the era without them.

use aish_mcp::server::{HttpOptions, ServeHttpError, serve_http};
use aish_types::Secret;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Fixture, meta};

struct Server {
    port: u16,
    shutdown: CancellationToken,
    task: tokio::task::JoinHandle<Result<(), ServeHttpError>>,
}

async fn server(token: Option<&str>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let token = token.map(|token| Secret::new(token.into()));
    let options = HttpOptions { token, ..HttpOptions::default() };
    let shutdown = options.shutdown.clone();
    let task = tokio::spawn(serve_http(listener, Fixture::new(), options));
    Server { port: address.port(), shutdown, task }
}

/// Posts a message and returns status, headers and body as they came.
async fn post(port: u16, headers: &[(&str, &str)], body: &Value) -> (u16, String, String) {
    let body = body.to_string();
    let mut request = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Connection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    request.push_str(&body);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.to_owned())
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}})
}

#[tokio::test]
async fn safety_12_host_and_origin_are_checked() {
    let server = server(None).await;
    let own = format!("http://localhost:{}", server.port);
    for (name, value, status) in [
        ("Host", "evil.example", 403),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        // Another page of this machine is a stranger where no token is asked for.
        ("Origin", "http://localhost:5173", 403),
        ("Origin", "http://127.0.0.1:1", 403),
        ("Origin", own.as_str(), 200),
        ("Host", "localhost:9", 200),
    ] {
        let (got, _, body) = post(server.port, &[(name, value)], &initialize()).await;
        assert_eq!(got, status, "{name}: {value}: {body}");
    }
}

#[tokio::test]
async fn safety_12_a_token_is_asked_for() {
    let server = server(Some("s3cret")).await;
    let (status, head, _) = post(server.port, &[], &initialize()).await;
    assert_eq!(status, 401);
    assert!(head.contains("www-authenticate: bearer"));
    for (value, status) in
        [("Bearer wrong!", 401), ("Bearer s3cre", 401), ("Basic s3cret", 401), ("bearer s3cret", 200)]
    {
        assert_eq!(post(server.port, &[("Authorization", value)], &initialize()).await.0, status, "{value}");
    }
}

#[tokio::test]
async fn safety_12_another_address_than_loopback_needs_a_token() {
    let serve = async |token: Option<&str>| {
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let token = token.map(|token| Secret::new(token.into()));
        let options = HttpOptions { token, ..HttpOptions::default() };
        options.shutdown.cancel();
        serve_http(listener, Fixture::new(), options).await
    };
    for token in [None, Some("")] {
        assert!(matches!(serve(token).await, Err(ServeHttpError::Unguarded(_))), "{token:?}");
    }
    serve(Some("t")).await.unwrap();
}

#[tokio::test]
async fn earlier_clients_get_a_session() {
    let server = server(None).await;
    let (status, head, body) = post(server.port, &[], &initialize()).await;
    assert_eq!(status, 200);
    assert!(body.contains("\"serverInfo\""), "{body}");
    let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    let (status, _, body) = post(server.port, &headers, &list).await;
    assert_eq!(status, 200);
    assert!(body.contains("\"echo\""), "{body}");
    let (status, _, _) = post(server.port, &[("Mcp-Session-Id", "no-such")], &list).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn later_clients_need_no_session() {
    let server = server(None).await;
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "echo", "arguments": {"text": "stateless"}, "_meta": meta(json!({}))}});
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "echo")];
    let (status, head, body) = post(server.port, &headers, &call).await;
    assert_eq!(status, 200, "{body}");
    assert!(!head.contains("mcp-session-id"));
    assert!(body.contains("stateless"), "{body}");
}

#[tokio::test]
async fn a_shutdown_ends_it_cleanly() {
    let server = server(None).await;
    post(server.port, &[], &initialize()).await;
    server.shutdown.cancel();
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), server.task).await;
    ended.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", server.port)).await.is_err());
}
