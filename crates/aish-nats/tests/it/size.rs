//! What is too large to be kept: it is refused with a code, and once.

use aish_nats::ServiceOptions;
use aish_tools::{handler, input_schema};
use aish_types::{Block, Message, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};

use crate::parts::{Script, build, calls, text};

fn is_too_large(reply: &Value) {
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("too_large")), "{reply}");
}

#[tokio::test]
async fn an_answer_that_cannot_be_kept_is_an_error_reply() {
    let script = Script::of(vec![text(&"x".repeat(2_000_000)), text("short")]);
    let built = build(script, ServiceOptions::default());
    let request = json!({"channel": "#a", "user": "me", "message": "hi", "request_id": "r"});
    let reply = built.ask("chat", request.clone()).await;
    is_too_large(&reply);
    assert_eq!(built.ask("chat", request).await, reply, "it is answered, not put off");
    assert_eq!(built.script.requests().len(), 1, "the model was asked once");
    let heard = built.heard.0.lock().unwrap().clone();
    assert!(heard.iter().any(|(kind, event)| kind == "error" && event["code"] == json!("too_large")), "{heard:?}");
    assert_eq!(built.chat("again").await["content"], json!("short"));
    assert_eq!(built.script.requests()[1].messages.len(), 2, "what was refused is not in the history");
}

#[tokio::test]
async fn a_request_that_cannot_be_kept_is_refused_before_a_model_is_asked() {
    let built = build(Script::of(vec![]), ServiceOptions::default());
    let bare = json!({"channel": "#a", "user": "me", "message": "hi"});
    let mut padded = bare.clone();
    padded["more"] = "x".repeat(900_000).into();
    is_too_large(&built.ask("chat", padded).await);
    is_too_large(&built.chat(&"x".repeat(100_001)).await);
    assert!(built.script.requests().is_empty());
    assert_eq!(built.ask("chat", bare).await["success"], json!(true));
}

#[tokio::test]
async fn a_long_result_is_cut_and_large_images_are_left_out() {
    let script = Script::of(vec![calls(&[("1", "cam.shot", "{}")]), text("seen")]);
    let built = build(script, ServiceOptions { allow: vec!["cam.shot".into()], ..ServiceOptions::default() });
    let run = handler(|_, _| async {
        let image = Block::Image { media_type: "image/png".into(), data: "A".repeat(1_500_000) };
        ToolOutcome { blocks: vec![image], ..ToolOutcome::success("long ".repeat(400_000)) }
    });
    let tool = ToolDefinition::new("cam.shot", "Takes a picture", input_schema(&[]), "nats:cam".into());
    built.registry.register(tool, run).unwrap();
    assert_eq!(built.chat("look").await["content"], json!("seen"));
    let requests = built.script.requests();
    let Some(Message::Tool { content, blocks, .. }) = requests[1].messages.last() else { panic!("no result") };
    assert!(content.len() < 20_000 && content.ends_with("too large to be kept here)"), "{}", content.len());
    assert!(blocks.is_empty());
}

#[tokio::test]
async fn a_memory_has_bounds() {
    let built = build(Script::of(vec![]), ServiceOptions::default());
    let add = async |fact: Value| built.ask("memory.add", fact).await;
    is_too_large(&add(json!({"channel": "#a", "content": "x".repeat(4_001)})).await);
    is_too_large(&add(json!({"channel": "#a", "content": "x", "category": "c".repeat(65)})).await);
    let empty = add(json!({"channel": "#a", "content": "  "})).await;
    assert_eq!(empty["code"], json!("bad_request"));
    for text in ["the hint is a bird", "The HINT is a bird"] {
        let reply = add(json!({"channel": "#a", "content": text})).await;
        assert_eq!(reply["memory_id"], json!("1"), "the same fact is kept once");
    }
    for bad in [json!({"channel": "#a", "query": " "}), json!({"channel": "#a"}), json!({"query": "x"})] {
        assert_eq!(built.ask("memory.recall", bad).await["code"], json!("bad_request"));
    }
}
