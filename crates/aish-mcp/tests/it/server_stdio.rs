//! The server over lines: versions, errors, concurrency, cancellation, the end.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use aish_mcp::server::Change;
use serde_json::{Value, json};

use crate::fixture::{Fixture, Raw, meta};

#[tokio::test]
async fn every_version_is_negotiated() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut raw = Raw::connect(Fixture::new());
        let params =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let answer = raw.request(1, "initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["instructions"], "Echo things.");
    }
    let mut raw = Raw::connect(Fixture::new());
    let params =
        json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    assert_eq!(raw.request(1, "initialize", params).await["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_era_without_initialize_is_served() {
    let mut raw = Raw::connect(Fixture::new());
    let answer = raw.request(1, "server/discover", json!({"_meta": meta(json!({}))})).await;
    assert!(answer["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{answer}");
    let answer = raw.request(2, "tools/list", json!({"_meta": meta(json!({}))})).await;
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 3);
    assert_eq!(answer["result"]["ttlMs"], 60_000);
    assert_eq!(answer["result"]["cacheScope"], "private");
    let params = json!({"name": "echo", "arguments": {"text": "hi"}, "_meta": meta(json!({}))});
    let answer = raw.request(3, "tools/call", params).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi");
}

#[tokio::test]
async fn a_call_answers_in_utf_8_with_structured_content() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({})).await;
    raw.send(json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "grüße 🦀"}}}))
        .await;
    let line = raw.read_line().await.unwrap();
    assert!(line.contains("grüße 🦀"), "{line}");
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(answer["result"]["structuredContent"], json!({"client": "raw"}));
}

#[tokio::test]
async fn the_list_is_the_same_every_time() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({})).await;
    let first = raw.request(1, "tools/list", json!({})).await;
    let second = raw.request(1, "tools/list", json!({})).await;
    assert_eq!(first.to_string(), second.to_string());
    assert_eq!(first["result"]["tools"][0]["annotations"], json!({"readOnlyHint": true}));
    assert_eq!(first["result"].as_object().unwrap().get("nextCursor"), None);
}

#[tokio::test]
async fn unknown_tools_and_methods_are_protocol_errors() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({})).await;
    let answer = raw.request(1, "tools/call", json!({"name": "nope", "arguments": {}})).await;
    assert_eq!(answer["error"]["message"], "Unknown tool: nope");
    assert_eq!(raw.request(2, "no/such", json!({})).await["error"]["code"], -32601);
    assert_eq!(raw.request(3, "tools/call", json!({"arguments": {}})).await["error"]["code"], -32602);
    assert_eq!(raw.request(4, "resources/read", json!({"uri": "test://b"})).await["error"]["code"], -32002);
    let read = raw.request(5, "resources/read", json!({"uri": "test://a"})).await;
    assert_eq!(read["result"]["contents"][0]["text"], "äöü");
}

#[tokio::test]
async fn a_panic_ends_its_call_alone() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({})).await;
    let answer = raw.request(1, "tools/call", json!({"name": "panic"})).await;
    assert_eq!(answer["result"]["isError"], true);
    let answer = raw.request(2, "tools/call", json!({"name": "echo", "arguments": {"text": "alive"}})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "alive");
}

#[tokio::test]
async fn calls_run_at_once_and_can_be_cancelled() {
    let fixture = Fixture::new();
    let mut raw = Raw::initialized(fixture.clone(), "2025-06-18", json!({})).await;
    raw.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "slow", "_meta": {"progressToken": "p"}}}))
        .await;
    let progress = raw.read().await;
    assert_eq!(progress["method"], "notifications/progress");
    let expected = json!({"progressToken": "p", "progress": 1.0, "total": 2.0, "message": "half"});
    assert_eq!(progress["params"], expected);
    let answer = raw.request(2, "tools/call", json!({"name": "echo", "arguments": {"text": "quick"}})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "quick");
    raw.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    raw.request(3, "ping", json!({})).await;
    for _ in 0..200 {
        if fixture.cancelled.load(Ordering::SeqCst) == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the call was not cancelled");
}

#[tokio::test]
async fn a_client_that_goes_cancels_its_calls() {
    let fixture = Fixture::new();
    let mut raw = Raw::initialized(fixture.clone(), "2025-06-18", json!({})).await;
    raw.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}})).await;
    raw.request(2, "ping", json!({})).await;
    let started = Instant::now();
    raw.close().await;
    tokio::time::timeout(Duration::from_secs(60), &mut raw.server).await.unwrap().unwrap();
    assert_eq!(fixture.cancelled.load(Ordering::SeqCst), 1);
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn requests_written_before_the_end_are_answered() {
    let mut raw = Raw::connect(Fixture::new());
    raw.send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}))
        .await;
    raw.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    raw.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    raw.close().await;
    assert_eq!(raw.read().await["id"], 1);
    assert_eq!(raw.read().await["result"]["tools"][0]["name"], "echo");
    assert_eq!(raw.read_line().await, None);
}

#[tokio::test]
async fn what_is_no_request_is_answered_and_survived() {
    let mut raw = Raw::connect(Fixture::new());
    raw.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})).await;
    raw.send_text("{not json").await;
    assert_eq!(raw.read().await["error"]["code"], -32700);
    raw.send_text("hello").await;
    raw.send_text("[]").await;
    assert_eq!(raw.read().await["error"]["code"], -32600);
    raw.send_text(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#).await;
    assert_eq!(raw.read().await["error"]["code"], -32600);
    let answer = raw.request(1, "initialize", json!({"protocolVersion": "2025-03-26"})).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-03-26");
    raw.send_text(&format!("\u{feff}{}", json!({"jsonrpc": "2.0", "id": 2, "method": "ping", "params": null}))).await;
    assert_eq!(raw.read().await["id"], 2);
}

#[tokio::test]
async fn what_comes_before_the_greeting_is_survived() {
    let mut raw = Raw::connect(Fixture::new());
    let answer = json!({"jsonrpc": "2.0", "id": 9, "result": {}});
    let fault = json!({"jsonrpc": "2.0", "id": 9, "error": {"code": -1, "message": "no"}});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for stray in [&answer, &fault, &note] {
        raw.send(stray.clone()).await;
    }
    assert_eq!(raw.request(1, "ping", json!({})).await["result"], json!({}));
    assert!(raw.request(2, "tools/list", json!({"_meta": {"progressToken": 1}})).await["error"].is_object());
    for stray in [&note, &answer, &fault] {
        raw.send(stray.clone()).await;
    }
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    assert_eq!(raw.request(3, "initialize", params).await["result"]["protocolVersion"], "2025-06-18");
    raw.send(note).await;
    assert_eq!(raw.request(4, "tools/list", json!({})).await["result"]["tools"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_an_error_and_not_silence() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({})).await;
    raw.send_text(&"x".repeat(17 * 1024 * 1024)).await;
    assert_eq!(raw.read().await["error"]["code"], -32600);
    raw.request(2, "ping", json!({})).await;
}

#[tokio::test]
async fn a_batch_is_answered_as_a_batch() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-03-26", json!({})).await;
    raw.send(json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "b"}}},
        5,
    ]))
    .await;
    let answer = raw.read().await;
    let answers = answer.as_array().unwrap();
    assert_eq!(answers.len(), 3, "{answer}");
    assert!(answers.iter().any(|answer| answer["id"] == 2 && answer["result"]["content"][0]["text"] == "b"));
    assert!(answers.iter().any(|answer| answer["error"]["code"] == -32600));
}

#[tokio::test]
async fn changes_are_announced() {
    let fixture = Fixture::new();
    let mut raw = Raw::initialized(fixture.clone(), "2025-06-18", json!({})).await;
    raw.request(1, "resources/subscribe", json!({"uri": "test://a"})).await;
    while fixture.changes.receiver_count() == 0 {
        tokio::task::yield_now().await;
    }
    fixture.changes.send(Change::Resource("test://other".into())).unwrap();
    fixture.changes.send(Change::Tools).unwrap();
    assert_eq!(raw.read().await["method"], "notifications/tools/list_changed");
    fixture.changes.send(Change::Resource("test://a".into())).unwrap();
    assert_eq!(raw.read().await["method"], "notifications/resources/updated");
}

#[tokio::test]
async fn changes_are_announced_to_a_subscription_of_the_later_era() {
    let fixture = Fixture::new();
    let mut raw = Raw::connect(fixture.clone());
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta(json!({}))});
    raw.send(json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})).await;
    assert_eq!(raw.read().await["method"], "notifications/subscriptions/acknowledged");
    while fixture.changes.receiver_count() == 0 {
        tokio::task::yield_now().await;
    }
    fixture.changes.send(Change::Tools).unwrap();
    assert_eq!(raw.read().await["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn a_request_that_is_no_json_is_answered_under_its_id() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({})).await;
    let call = r#"{"method":"tools/call","params":{"name":"echo","arguments":{"text":"\ud83d"},"id":1},"jsonrpc":"2.0","id":9}"#;
    raw.send_text(call).await;
    let answer: Value = serde_json::from_str(&raw.read_line().await.unwrap()).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(9), &json!(-32700)), "{answer}");
}
