use std::time::{Duration, Instant};

use aish_llm::{ChatError, Endpoint, FinishReason, Images, ModelOptions, Names, Provider, RemoteProvider, StreamEvent};
use aish_testkit::model_server::{End, Expect, Framing, OllamaStream, OpenAiStream, Reply, Script, Split};
use aish_types::{Block, Message, Secret, ToolCall, Usage};
use futures_util::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::harness::{LIMIT, ask, ask_with_tools, collect, openai, options, run, start};

#[tokio::test]
async fn streams_text_usage_and_the_end() {
    let server = start(OpenAiStream::answer("Grüße, Welt").reply());
    let got = run(&openai(&server, options()), ask("hi")).await;
    assert_eq!(got.text(), "Grüße, Welt");
    let usage = Usage { prompt: 10, completion: 2, cached: 0, written: 0, reasoning: 0, estimated: false };
    assert_eq!(
        got.events[got.events.len() - 2..],
        [StreamEvent::Usage(usage), StreamEvent::Finished(FinishReason::Stop)]
    );
    server.finish();
}

#[tokio::test]
async fn the_first_request_is_small_and_has_no_tools() {
    let expect = Expect::chat()
        .body(json!({"model": "scripted", "stream": true, "stream_options": {"include_usage": true}, "temperature": 0.2,
            "max_tokens": 1024, "messages": [{"role": "system", "content": "You are aish."}, {"role": "user", "content": "hi"}]}))
        .lacks("/tools")
        .no_header("authorization");
    let server = start(Script::new().step(expect, OpenAiStream::answer("x").reply()));
    run(&openai(&server, options()), ask("hi")).await;
    let requests = server.finish();
    assert!(requests[0].body.len() < 2048, "{}", requests[0].text());
}

#[tokio::test]
async fn the_key_goes_into_the_header_and_nowhere_else() {
    let key = || Some(Secret::new("sk-secret-key".into()));
    let expect = Expect::chat().header("authorization", "Bearer sk-secret-key").not_contains("sk-secret-key");
    let refusal = Reply::error(401, "Incorrect API key provided: sk-secret-key");
    let server = start(Script::new().step(expect, refusal));
    let got = run(&openai(&server, ModelOptions { key: key(), ..options() }), ask("hi")).await;
    let error = got.error.unwrap();
    assert!(matches!(error, ChatError::Unauthorized { status: 401, .. }));
    assert!(!format!("{error:?} {error}").contains("sk-secret"), "{error}");
    assert!(!format!("{:?}", ModelOptions { key: key(), ..options() }).contains("sk-secret"));
    server.finish();
}

#[tokio::test]
async fn tool_names_travel_both_ways() {
    for (names, wire) in
        [(Names::Dotted, "files.read"), (Names::Strict, "files__read"), (Names::ByEndpoint, "files.read")]
    {
        let expect = Expect::chat().body(json!({"tools": [{"type": "function", "function": {"name": wire}}]}));
        let server = start(Script::new().step(expect, OpenAiStream::call("c1", wire, "{\"n\": 1}").reply()));
        let got =
            run(&openai(&server, ModelOptions { names, ..options() }), ask_with_tools("hi", &["files.read"])).await;
        assert_eq!(got.calls(), ["files.read({\"n\": 1})"], "{names:?}");
        assert_eq!(got.events.last(), Some(&StreamEvent::Finished(FinishReason::ToolCalls)));
        server.finish();
    }
}

#[tokio::test]
async fn a_refused_parameter_is_learned_and_not_sent_again() {
    let dots = "Invalid 'tools[0].function.name': string does not match pattern. Expected '^[a-zA-Z0-9_-]+$'.";
    let tokens =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let script = Script::new()
        .step(Expect::chat().contains("files.read"), Reply::error(400, dots))
        .step(Expect::chat().contains("files__read"), Reply::error(400, tokens))
        .step(
            Expect::chat().body(json!({"max_completion_tokens": 1024})).lacks("/max_tokens"),
            OpenAiStream::answer("a").reply(),
        )
        .step(Expect::chat().lacks("/max_tokens").contains("files__read"), OpenAiStream::answer("b").reply());
    let server = start(script);
    let provider = openai(&server, options());
    assert_eq!(run(&provider, ask_with_tools("hi", &["files.read"])).await.text(), "a");
    assert_eq!(run(&provider, ask_with_tools("hi", &["files.read"])).await.text(), "b");
    server.finish();
}

#[tokio::test]
async fn a_conversation_with_calls_images_and_results_is_written_as_the_wire_wants_it() {
    let image = |data: &str| Block::Image { media_type: "image/png".into(), data: data.into() };
    let mut request = ask_with_tools("look", &["files.read"]);
    request.messages[1] = Message::User { content: "look".into(), blocks: vec![image("QQ==")] };
    request.messages.push(Message::Assistant {
        content: String::new(),
        tool_calls: vec![ToolCall { id: "c1".into(), name: "files.read".into(), arguments: String::new() }],
        state: None,
    });
    request.messages.push(Message::Tool {
        tool_call_id: "c1".into(),
        name: "files.read".into(),
        content: "seen".into(),
        blocks: vec![image("Qg==")],
    });
    let expect = |images: bool| {
        let url =
            |data: &str| json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}});
        let left_out = "look\n[An image was attached here; this model takes none.]";
        let user = if images { json!([{"type": "text", "text": "look"}, url("QQ==")]) } else { json!(left_out) };
        let left_out_result = "seen\n[An image was attached here; this model takes none.]";
        let result = if images { "seen" } else { left_out_result };
        let mut messages = vec![
            json!({"role": "system"}),
            json!({"role": "user", "content": user}),
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "files.read", "arguments": "{}"}}]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": result}),
        ];
        if images {
            messages.push(json!({"role": "user", "content": [{"type": "text"}, url("Qg==")]}));
        }
        Expect::chat().body(json!({"messages": messages}))
    };
    for (images, sent) in [(Images::Sent, true), (Images::Omitted, false)] {
        let server = start(Script::new().step(expect(sent), OpenAiStream::answer("ok").reply()));
        let got = run(&openai(&server, ModelOptions { images, ..options() }), request.clone()).await;
        assert_eq!(got.text(), "ok");
        server.finish();
    }
}

#[tokio::test]
async fn bodies_are_a_prefix_of_their_successors() {
    let script = Script::new().chat(OpenAiStream::answer("one")).chat(OpenAiStream::answer("two"));
    let server = start(script);
    let provider = openai(&server, options());
    let mut request = ask_with_tools("hi", &["b.x", "a.y"]);
    run(&provider, request.clone()).await;
    request.messages.push(Message::assistant("one"));
    request.messages.push(Message::user("more"));
    run(&provider, request).await;
    let bodies: Vec<String> = server.finish().iter().map(|request| request.text()).collect();
    let stem = bodies[0].strip_suffix("]}").unwrap();
    assert!(bodies[1].starts_with(stem), "{}\n{}", bodies[0], bodies[1]);
}

#[tokio::test]
async fn a_whole_reply_of_a_server_that_does_not_stream_is_an_answer() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": "whole", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "x", "arguments": {"n": 1}}}]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1}});
    let server = start(Reply::json(200, &body));
    let got = run(&openai(&server, options()), ask("hi")).await;
    assert_eq!((got.text().as_str(), got.calls()), ("whole", vec!["x({\"n\":1})".to_owned()]));
    server.finish();
}

#[tokio::test]
async fn what_is_no_answer_is_an_error() {
    for (reply, expected) in [
        (
            Reply::html(200, "<html><title>Log in</title></html>"),
            "the server's answer cannot be read: an HTML page: Log in",
        ),
        (Reply::json(200, &json!({"hello": 1})), "the server's answer cannot be read: {\"hello\":1}"),
        (Reply::json(200, &json!({"error": {"message": "no"}})), "the answer broke off: no"),
        (
            Reply::stream(vec![b"data: {\"error\":{\"code\":502,\"message\":\"bad upstream\"}}\n\n".to_vec()]),
            "the server failed (502): bad upstream",
        ),
        (
            OpenAiStream::new("m").role().text("par").event(&json!({"error": {"message": "gone"}})).reply(),
            "the answer broke off: gone",
        ),
        (
            Reply::stream(vec![b"data: [DONE]\n\n".to_vec()]),
            "the answer broke off: the stream ended before the answer did",
        ),
        (
            Reply::stream(vec![b"data: {nonsense}\n\n".to_vec()]),
            "the server's answer cannot be read: key must be a string at line 1 column 2 in \"{nonsense}\"",
        ),
        (
            Reply::new(302, "text/plain", "").header("Location", "https://elsewhere/"),
            "the server refused the request (302): the server moved to https://elsewhere/; set the endpoint to it",
        ),
    ] {
        let server = start(reply);
        let got = run(&openai(&server, options()), ask("hi")).await;
        assert_eq!(got.error.unwrap().to_string(), expected);
        server.finish();
    }
}

#[tokio::test]
async fn a_stream_without_its_end_releases_no_call() {
    let whole = OpenAiStream::new("m").role().text("CMD: ls\n").tool_call(0, "a", "x", "{}", 0).reply();
    for end in [End::Clean, End::Cut, End::Reset] {
        let server = start(whole.clone().end(end));
        let got = run(&openai(&server, options()), ask_with_tools("hi", &["x"])).await;
        assert!(matches!(got.error, Some(ChatError::Interrupted(_))), "{end:?}: {got:?}");
        assert_eq!(got.calls(), Vec::<String>::new());
        server.finish();
    }
}

#[tokio::test]
async fn a_finish_reason_alone_is_an_end() {
    for end in [End::Clean, End::Cut, End::Reset, End::Hang] {
        let server =
            start(OpenAiStream::new("m").text("done").tool_call(0, "a", "x", "{}", 0).finish("stop").reply().end(end));
        let got = run(&openai(&server, options()), ask_with_tools("hi", &["x"])).await;
        assert_eq!(
            (got.text().as_str(), got.calls(), &got.error),
            ("done", vec!["x({})".to_owned()], &None),
            "{end:?}"
        );
        server.finish();
    }
}

#[tokio::test]
async fn silence_ends_and_comments_do_not_help_for_ever() {
    let short = ModelOptions {
        timeout: Duration::from_millis(3000),
        idle_timeout: Some(Duration::from_millis(1500)),
        ..options()
    };
    let comments = (0..200).fold(OpenAiStream::new("m").role().text("a"), |stream, _| stream.comment("keep-alive"));
    for (reply, after_first) in [
        (Reply::silence(), false),
        (Reply::stream(Vec::new()).end(End::Hang), false),
        (OpenAiStream::new("m").role().text("a").reply().end(End::Hang), true),
        (comments.reply().pause_between(Duration::from_millis(100)), true),
    ] {
        let server = start(reply);
        let began = Instant::now();
        let got = run(&openai(&server, short.clone()), ask("hi")).await;
        let Some(ChatError::Timeout { after_first_token, .. }) = got.error else { panic!("{got:?}") };
        assert_eq!(after_first_token, after_first);
        assert!(began.elapsed() < Duration::from_secs(18), "{:?}", began.elapsed());
        server.finish();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_ends_a_stream_at_once() {
    for reply in [
        Reply::silence(),
        OpenAiStream::new("m").role().text("a").reply().end(End::Hang),
        OpenAiStream::tokens(500).reply().pause_between(Duration::from_millis(10)),
    ] {
        let server = start(reply);
        let cancel = CancellationToken::new();
        let mut stream = openai(&server, options()).stream(ask("hi"), cancel.clone());
        let cancelling = cancel.clone();
        let canceller = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            cancelling.cancel();
            Instant::now()
        });
        let mut last = None;
        while let Some(item) = stream.next().await {
            last = Some(item);
        }
        let late = canceller.await.unwrap().elapsed();
        assert_eq!(last, Some(Err(ChatError::Cancelled)));
        assert!(late < Duration::from_secs(20), "{late:?}");
        drop(stream);
        assert!(server.wait_for_disconnects(1, LIMIT));
    }
}

#[tokio::test]
async fn nobody_there_is_a_connect_error() {
    let free = aish_testkit::ports::unused().unwrap();
    let endpoint = Endpoint::parse(&format!("http://127.0.0.1:{free}/v1/")).unwrap();
    let got = run(&RemoteProvider::chat(endpoint, options()), ask("hi")).await;
    assert!(matches!(&got.error, Some(ChatError::Connect { cause, .. }) if cause.contains("refused")), "{got:?}");
    let endpoint = Endpoint::parse("http://no-such-host.invalid").unwrap();
    let got = run(&RemoteProvider::chat(endpoint, options()), ask("hi")).await;
    assert!(matches!(&got.error, Some(ChatError::Connect { .. })), "{got:?}");
    let server = start(Reply::raw("\u{0}\u{1}garbage\r\n\r\n"));
    let got = run(&openai(&server, options()), ask("hi")).await;
    assert!(matches!(&got.error, Some(ChatError::Connect { .. })), "{got:?}");
    server.finish();
}

#[tokio::test]
async fn ollama_gives_every_call_index_zero() {
    let stream = OllamaStream::new("m").text("Two").call("c1", "x", "{\"n\":1}").call("c2", "x", "{\"n\":2}");
    let server =
        start(stream.finish("stop").usage(5, 7).done().reply().split(Split::Every(1)).framing(Framing::Chunked));
    let got = run(&openai(&server, options()), ask_with_tools("hi", &["x"])).await;
    assert_eq!(got.calls(), ["x({\"n\":1})", "x({\"n\":2})"]);
    assert_eq!(got.events.last(), Some(&StreamEvent::Finished(FinishReason::ToolCalls)));
    server.finish();
}

#[tokio::test]
async fn the_server_counts_tokens_and_tells_its_context() {
    let script = Script::new()
        .step(
            Expect::request("POST", "/tokenize").body(json!({"content": "hello world", "model": "scripted"})),
            Reply::json(200, &json!({"tokens": [15339, 1917]})),
        )
        .step(Expect::request("POST", "/tokenize"), Reply::error(404, "no"))
        .step(
            Expect::request("GET", "/props"),
            Reply::json(200, &json!({"default_generation_settings": {"n_ctx": 8192}})),
        )
        .step(Expect::request("GET", "/props"), Reply::html(200, "<html></html>"))
        .step(Expect::request("GET", "/v1/models"), Reply::error(404, "no"))
        .step(Expect::request("GET", "/props"), Reply::html(200, "<html></html>"))
        .step(Expect::request("GET", "/v1/models"), Reply::error(404, "no"));
    let server = start(script);
    let provider = openai(&server, options());
    assert_eq!(provider.count_tokens("hello world").await, Some(2));
    assert_eq!(provider.count_tokens("hello world").await, None);
    assert_eq!(provider.context_size().await, Some(8192));
    assert_eq!(provider.context_size().await, Some(8192), "what a server said once holds for the session");
    assert_eq!(openai(&server, options()).context_size().await, None);
    server.finish();
}

#[tokio::test]
async fn where_there_are_no_props_the_list_of_models_tells_the_context() {
    let vllm = json!({"object": "list", "data": [
        {"id": "other", "object": "model", "owned_by": "vllm", "max_model_len": 1024},
        {"id": "scripted", "object": "model", "owned_by": "vllm", "root": "/models/s", "max_model_len": 32768}]});
    let openrouter = json!({"data": [
        {"id": "scripted", "name": "S", "context_length": 163_840, "pricing": {"prompt": "0.0000002"},
         "top_provider": {"context_length": 65_536, "max_completion_tokens": null}}]});
    let groq = json!({"object": "list", "data": [{"id": "scripted", "active": true, "context_window": 8192}]});
    let silent = json!({"object": "list", "data": [{"id": "scripted", "object": "model"}]});
    let foreign = json!({"object": "list", "data": [{"id": "another", "max_model_len": 4096}]});
    for (list, expected) in
        [(vllm, Some(32_768)), (openrouter, Some(163_840)), (groq, Some(8192)), (silent, None), (foreign, None)]
    {
        let script = Script::new()
            .step(Expect::request("GET", "/props"), Reply::error(404, "not found"))
            .step(Expect::request("GET", "/v1/models"), Reply::json(200, &list));
        let server = start(script);
        assert_eq!(openai(&server, options()).context_size().await, expected, "{list}");
        server.finish();
    }
}

#[tokio::test]
async fn what_came_with_a_call_goes_back_with_it() {
    let call = |id: &str, extra: serde_json::Value| json!([{"id": id, "type": "function", "extra_content": extra, "function": {"name": "x", "arguments": "{}"}}]);
    let signed = json!({"google": {"thought_signature": "CnIB"}});
    let first = OpenAiStream::new("m").tool_delta(call("c1", signed.clone())).tool_delta(call("", signed.clone()));
    let again = Expect::chat().body(json!({"messages": [{}, {}, {"tool_calls": [
        {"id": "c1", "extra_content": signed}, {"id": "aish_call_2", "extra_content": signed}]}, {}, {}]}));
    let script = Script::new().chat(first.finish("stop").done()).step(again, OpenAiStream::answer("ok").reply());
    let server = start(script);
    let provider = openai(&server, options());
    let mut request = ask_with_tools("go", &["x"]);
    let got = run(&provider, request.clone()).await;
    let state = got.events.iter().find_map(|event| match event {
        StreamEvent::State(state) => Some(state.clone()),
        _ => None,
    });
    let calls: Vec<ToolCall> = got
        .events
        .into_iter()
        .filter_map(|event| if let StreamEvent::ToolCall(call) = event { Some(call) } else { None })
        .collect();
    request.messages.push(Message::Assistant { content: String::new(), tool_calls: calls.clone(), state });
    for call in calls {
        let (tool_call_id, name, content) = (call.id, call.name, "1".into());
        request.messages.push(Message::Tool { tool_call_id, name, content, blocks: Vec::new() });
    }
    assert_eq!(run(&provider, request).await.text(), "ok");
    server.finish();
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = start((0..5).fold(Script::new(), |script, _| script.chat(OpenAiStream::answer("ok"))));
    let provider = openai(&server, options());
    for _ in 0..5 {
        assert_eq!(run(&provider, ask("hi")).await.text(), "ok");
    }
    // One is enough, but a loaded machine may be late to see a reply's end.
    assert!(server.connections() < 5, "{}", server.connections());
    server.finish();
}

#[tokio::test]
async fn lines_that_are_no_data_are_ignored() {
    let stream =
        OpenAiStream::new("m").raw("junk\nretry: soon\nevent: a\nevent: b\n\n").text("fi").raw("x-field: 1\n:\n");
    let server = start(stream.text("ne").finish("stop").done().reply().split(Split::Every(3)));
    assert_eq!(run(&openai(&server, options()), ask("hi")).await.text(), "fine");
    server.finish();
}

#[tokio::test]
async fn an_answer_cut_by_its_length_runs_nothing() {
    let server = start(OpenAiStream::new("m").tool_call(0, "a", "x", "{\"n\":1}", 0).finish("length").done().reply());
    let got = collect(openai(&server, options()).stream(ask_with_tools("hi", &["x"]), CancellationToken::new())).await;
    assert_eq!(got.calls(), ["!x({\"n\":1})"]);
    assert_eq!(got.events.last(), Some(&StreamEvent::Finished(FinishReason::Length)));
    server.finish();
}

#[tokio::test]
async fn reasoning_and_legacy_calls_are_understood() {
    let stream = OpenAiStream::new("m")
        .reasoning("reasoning_content", "think ")
        .reasoning("reasoning", "hard")
        .delta(&json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "er"}]}, {"type": "text", "text": "ok"}]}))
        .delta(&json!({"content": null, "function_call": {"name": "x", "arguments": ""}}))
        .delta(&json!({"function_call": {"arguments": "{\"n\":1}"}}))
        .finish("function_call");
    let server = start(stream.done().reply());
    let got = run(&openai(&server, options()), ask_with_tools("hi", &["x"])).await;
    assert_eq!(got.joined()[..2], [StreamEvent::Reasoning("think harder".into()), StreamEvent::Text("ok".into())]);
    assert_eq!(got.calls(), ["x({\"n\":1})"]);
    server.finish();
}
