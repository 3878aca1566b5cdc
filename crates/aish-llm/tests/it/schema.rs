//! An answer that is to fit a schema, on each wire.

use aish_llm::{Api, ChatRequest, Endpoint, RemoteProvider};
use aish_testkit::model_server::{AnthropicStream, Expect, OpenAiStream, Reply, ResponsesStream, Script};
use serde_json::{Value, json};

use crate::harness::{anthropic, ask, ask_with_tools, openai, options, run, start};

fn schema(closed: bool) -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
           "additionalProperties": !closed})
}

fn wants(request: ChatRequest, closed: bool) -> ChatRequest {
    ChatRequest { schema: Some(schema(closed)), ..request }
}

#[tokio::test]
async fn chat_completions_hold_the_answer_to_a_schema() {
    for closed in [true, false] {
        let format = json!({"type": "json_schema", "json_schema":
            {"name": "answer", "schema": schema(closed), "strict": closed}});
        let expect = Expect::chat().body(json!({ "response_format": format }));
        let server = start(Script::new().step(expect, OpenAiStream::answer("{}").reply()));
        assert_eq!(run(&openai(&server, options()), wants(ask("where?"), closed)).await.text(), "{}");
        server.finish();
    }
}

#[tokio::test]
async fn beside_tools_most_servers_get_no_schema() {
    let expect = Expect::chat().lacks("/response_format").contains("\"tools\"");
    let server = start(Script::new().step(expect, OpenAiStream::answer("{}").reply()));
    run(&openai(&server, options()), wants(ask_with_tools("where?", &["files.read"]), true)).await;
    server.finish();
}

#[tokio::test]
async fn responses_hold_the_answer_to_a_schema() {
    let format = json!({"type": "json_schema", "name": "answer", "schema": schema(true), "strict": true});
    let expect = Expect::request("POST", "/v1/responses").body(json!({"text": {"format": format}}));
    let server = start(Script::new().step(expect, ResponsesStream::new().text("{}").completed().reply()));
    let provider = RemoteProvider::new(Api::Responses, Endpoint::parse(&server.url()).unwrap(), options());
    assert_eq!(run(&provider, wants(ask_with_tools("where?", &["files.read"]), true)).await.text(), "{}");
    server.finish();
}

#[tokio::test]
async fn messages_hold_the_answer_to_a_schema() {
    let format = json!({"type": "json_schema", "schema": schema(true)});
    let expect = Expect::messages().body(json!({"output_config": {"format": format}}));
    let server = start(Script::new().step(expect, AnthropicStream::answer("{}").reply()));
    assert_eq!(run(&anthropic(&server, options()), wants(ask("where?"), true)).await.text(), "{}");
    server.finish();
}

#[tokio::test]
async fn a_server_that_refuses_the_schema_is_asked_without_and_that_is_said_once() {
    let refusal = "This response_format type is unavailable now";
    let bare = || Expect::chat().lacks("/response_format");
    let script = Script::new()
        .step(Expect::chat().contains("response_format"), Reply::error(400, refusal))
        .step(bare(), OpenAiStream::answer("a").reply())
        .step(bare(), OpenAiStream::answer("b").reply());
    let server = start(script);
    let provider = openai(&server, options());
    let first = run(&provider, wants(ask("where?"), true)).await;
    assert_eq!(first.notices(), ["the model takes no schema for its answer; it is told of it in words"]);
    assert_eq!(run(&provider, wants(ask("where?"), true)).await.notices(), [""; 0]);
    server.finish();
}
