//! What stands before the protocol over HTTP: origins, bodies, sessions, and what earlier clients do not know.

use std::time::Duration;

use aish_mcp::server::{HttpOptions, serve_http};
use aish_types::Secret;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::fixture::Fixture;

async fn serve(set: impl FnOnce(&mut HttpOptions)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut options = HttpOptions::default();
    set(&mut options);
    tokio::spawn(serve_http(listener, Fixture::new(), options));
    format!("http://{address}/mcp")
}

fn post(url: &str, message: &Value) -> RequestBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .request(Method::POST, url)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(message.to_string())
}

fn greeting(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
}

#[tokio::test]
async fn an_event_without_data_goes_only_to_clients_that_know_it() {
    let url = serve(|_| {}).await;
    for (version, knows) in [("2025-03-26", false), ("2025-06-18", false), ("2025-11-25", true)] {
        let response = post(&url, &greeting(version)).send().await.unwrap();
        let session = response.headers()["mcp-session-id"].clone();
        let body = response.text().await.unwrap();
        assert!(body.contains("\"protocolVersion\""), "{version}: {body}");
        assert_eq!(body.contains("retry:"), knows, "{version}: {body}");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let later = |message: &Value| {
            let request = post(&url, message).header("mcp-session-id", session.clone());
            // 2025-03-26 has no such header.
            if version == "2025-03-26" { request } else { request.header("mcp-protocol-version", version) }
        };
        later(&initialized).send().await.unwrap();
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        let body = later(&list).send().await.unwrap().text().await.unwrap();
        assert!(body.contains("\"tools\""), "{version}: {body}");
        assert_eq!(body.contains("retry:"), knows, "{version}: {body}");
        let ended = Client::builder().no_proxy().build().unwrap().delete(&url).header("mcp-session-id", session).send();
        assert_eq!(ended.await.unwrap().status(), StatusCode::NO_CONTENT, "{version}");
    }
}

#[tokio::test]
async fn a_page_of_another_port_is_let_in_with_a_token_alone() {
    let open = serve(|_| {}).await;
    let guarded = serve(|options| options.token = Some(Secret::new("t0ken".into()))).await;
    let own = open.strip_suffix("/mcp").unwrap().to_owned();
    let own_by_name = own.replace("127.0.0.1", "localhost");
    for (origin, expected) in [
        (own.as_str(), StatusCode::OK),
        (own_by_name.as_str(), StatusCode::OK),
        ("http://localhost:3000", StatusCode::FORBIDDEN),
        ("http://127.0.0.1:1", StatusCode::FORBIDDEN),
        ("https://example.org", StatusCode::FORBIDDEN),
    ] {
        let response = post(&open, &greeting("2025-06-18")).header("origin", origin).send().await.unwrap();
        assert_eq!(response.status(), expected, "{origin}");
    }
    for (origin, expected) in
        [("http://localhost:3000", StatusCode::OK), ("https://example.org", StatusCode::FORBIDDEN)]
    {
        let request = post(&guarded, &greeting("2025-06-18")).header("origin", origin).bearer_auth("t0ken");
        assert_eq!(request.send().await.unwrap().status(), expected, "{origin}");
    }
}

#[tokio::test]
async fn a_body_that_never_ends_is_not_waited_for() {
    let url = serve(|options| options.body_timeout = Duration::from_millis(200)).await;
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
                        Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    let read =
        tokio::time::timeout(Duration::from_secs(60), stream.read(&mut answer)).await.expect("an answer").unwrap();
    assert!(answer[..read].starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
    let large = post(&url, &json!({"x": "x".repeat(5 << 20)})).send().await;
    assert!(large.is_err() || large.is_ok_and(|response| response.status() == StatusCode::PAYLOAD_TOO_LARGE));
}

#[tokio::test]
async fn sessions_have_a_bound() {
    let url = serve(|options| options.max_sessions = 3).await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let response = post(&url, &greeting("2025-06-18")).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        sessions.push(response.headers()["mcp-session-id"].clone());
        response.text().await.unwrap();
    }
    let refused = post(&url, &greeting("2025-06-18")).send().await.unwrap();
    assert_eq!(
        (refused.status(), refused.headers()["retry-after"].as_bytes()),
        (StatusCode::SERVICE_UNAVAILABLE, &b"60"[..])
    );
    let ended =
        Client::builder().no_proxy().build().unwrap().delete(&url).header("mcp-session-id", &sessions[0]).send();
    ended.await.unwrap();
    assert_eq!(post(&url, &greeting("2025-06-18")).send().await.unwrap().status(), StatusCode::OK);
}
