//! Questions to the person behind the client, in both eras.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::fixture::{Fixture, Raw, meta};

fn can_be_asked() -> Value {
    json!({"elicitation": {"form": {}}})
}

#[tokio::test]
async fn the_earlier_era_asks_with_a_request() {
    for (action, text) in [("accept", "accepted {\"ok\":true}"), ("decline", "declined"), ("cancel", "dismissed")] {
        let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({"elicitation": {}})).await;
        raw.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask"}})).await;
        let question = raw.read().await;
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"]["message"], "Remove it?");
        let mut result = json!({"action": action});
        if action == "accept" {
            result["content"] = json!({"ok": true});
        }
        raw.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": result})).await;
        assert_eq!(raw.read().await["result"]["content"][0]["text"], text);
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_not() {
    let mut raw = Raw::initialized(Fixture::new(), "2025-06-18", json!({})).await;
    let answer = raw.request(1, "tools/call", json!({"name": "ask"})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "nobody to ask");
    let mut raw = Raw::connect(Fixture::new());
    let answer = raw.request(1, "tools/call", json!({"name": "ask", "_meta": meta(json!({}))})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "nobody to ask");
}

#[tokio::test]
async fn the_later_era_asks_with_a_round() {
    let fixture = Fixture::new();
    let mut raw = Raw::connect(fixture.clone());
    let call = json!({"name": "ask", "arguments": {"text": "a"}, "_meta": meta(can_be_asked())});
    let round = raw.request(1, "tools/call", call.clone()).await;
    assert_eq!(round["result"]["resultType"], "input_required", "{round}");
    assert_eq!(fixture.acted.load(Ordering::SeqCst), 0);
    let requests = round["result"]["inputRequests"].as_object().unwrap();
    let (key, question) = requests.iter().next().unwrap();
    assert_eq!(question["params"]["message"], "Remove it?");

    let mut retry = call.clone();
    retry["requestState"] = round["result"]["requestState"].clone();
    retry["inputResponses"] = json!({key: {"action": "accept", "content": {"ok": true}}});
    let answer = raw.request(2, "tools/call", retry.clone()).await;
    assert_eq!(answer["result"]["content"][0]["text"], "accepted {\"ok\":true}");
    assert_eq!(fixture.acted.load(Ordering::SeqCst), 1);

    // It is good for one run.
    let again = raw.request(5, "tools/call", retry.clone()).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
    assert_eq!(fixture.acted.load(Ordering::SeqCst), 1);

    // An approval of one call is none of another.
    retry["arguments"] = json!({"text": "b"});
    assert_eq!(raw.request(3, "tools/call", retry.clone()).await["error"]["code"], -32602);
    // Nor does an answer count without the state.
    let mut forged = call;
    forged["inputResponses"] = retry["inputResponses"].clone();
    assert_eq!(raw.request(4, "tools/call", forged).await["result"]["resultType"], "input_required");
    assert_eq!(fixture.acted.load(Ordering::SeqCst), 1);
}
