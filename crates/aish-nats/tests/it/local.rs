//! The service over lines.

use aish_nats::{ServiceOptions, serve_lines};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, BufReader};
use tokio_util::sync::CancellationToken;

use crate::parts::{Script, build, text};

async fn talk(input: &str) -> Vec<Value> {
    let built = build(Script::of(vec![text("hello")]), ServiceOptions::default());
    let (output, mut read) = tokio::io::duplex(1 << 20);
    serve_lines(built.service, BufReader::new(input.as_bytes()), output, CancellationToken::new()).await.unwrap();
    let mut text = String::new();
    read.read_to_string(&mut text).await.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_line_is_a_request_and_a_line_is_its_reply() {
    for line in [
        json!({"subject": "rosey.llm.chat", "id": 7, "channel": "#a", "user": "me", "message": "hi"}),
        json!({"subject": "rosey.llm.chat", "id": 7, "payload": {"channel": "#a", "user": "me", "message": "hi"}}),
    ] {
        let replies = talk(&format!("{line}\n\n")).await;
        assert_eq!(
            replies,
            [
                json!({"success": true, "content": "hello", "tokens_used": 12, "provider": "script", "tool_calls_made": 0,
                    "subject": "rosey.llm.chat", "id": 7})
            ]
        );
    }
    let short = talk(r##"{"channel": "#a", "user": "me", "message": "hi"}"##).await;
    assert_eq!(short[0]["content"], json!("hello"), "the last line may lack its end");
}

#[tokio::test]
async fn a_bad_line_does_not_end_the_service() {
    let replies = talk("nonsense\n[1]\n{\"subject\": \"x.y\"}\n{\"subject\": \"status\"}\n").await;
    assert_eq!(replies.len(), 4);
    let codes: Vec<&str> = replies.iter().filter_map(|reply| reply["code"].as_str()).collect();
    assert_eq!(codes.iter().filter(|code| **code == "bad_request").count(), 2);
    assert_eq!(codes.iter().filter(|code| **code == "unknown_operation").count(), 1);
    assert!(replies.iter().any(|reply| reply["healthy"] == json!(true)));
}

#[tokio::test]
async fn a_line_without_measure_is_refused_and_the_next_one_answered() {
    let status = "{\"subject\": \"status\", \"id\": 1}";
    let large = json!({"channel": "#a", "user": "me", "message": "x".repeat(2_000_000)}).to_string();
    for input in [format!("{large}\n{status}\n"), format!("{status}\n{large}")] {
        let replies = talk(&input).await;
        assert_eq!(replies.len(), 2);
        assert!(replies.iter().any(|reply| reply["code"] == json!("too_large")), "{replies:?}");
        assert!(replies.iter().any(|reply| reply["healthy"] == json!(true)), "{replies:?}");
    }
}
