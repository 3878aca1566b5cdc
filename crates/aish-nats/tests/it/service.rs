//! The chat service without a bus: chat, tools, limits, memory, bad input.

use aish_llm::event::{FinishReason, StreamEvent};
use aish_nats::{Limits, ServiceOptions};
use aish_tools::{Parameter, ParameterKind, handler, input_schema};
use aish_types::{Message, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};

use crate::parts::{Script, build, calls, text};

#[tokio::test]
async fn a_chat_remembers_its_channel() {
    let built = build(Script::of(vec![text("hello")]), ServiceOptions::default());
    let reply = built.chat("hi").await;
    assert_eq!(
        reply,
        json!({"success": true, "content": "hello", "tokens_used": 12, "provider": "script", "tool_calls_made": 0})
    );
    built.chat("again").await;
    built.ask("chat", json!({"channel": "#b", "user": "me", "message": "elsewhere"})).await;
    let requests = built.script.requests();
    let told: Vec<&str> = requests[1].messages.iter().skip(1).map(Message::content).collect();
    assert_eq!(told, ["me: hi", "hello", "me: again"]);
    assert_eq!(requests[2].messages.len(), 2, "another channel");
    assert!(requests[2].tools.is_empty(), "tools are off unless they are asked for");
    let heard = built.heard.0.lock().unwrap();
    assert_eq!((heard[0].0.as_str(), &heard[0].1["channel"]), ("response", &json!("#a")));
}

#[tokio::test]
async fn tools_are_run_and_their_results_told() {
    let script = Script::of(vec![
        calls(&[("1", "calculator", r#"{"expression": "47.50 * 15%"}"#), ("2", "calculator", "{}")]),
        text("A 15% tip is $7.13."),
    ]);
    let built = build(script, ServiceOptions::default());
    let reply = built.chat("What's 15% tip on $47.50?").await;
    assert_eq!((&reply["content"], &reply["tool_calls_made"]), (&json!("A 15% tip is $7.13."), &json!(2)));
    assert_eq!(reply["tokens_used"], json!(24));
    let requests = built.script.requests();
    let offered: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(offered.contains(&"calculator") && offered.contains(&"search_memory"), "{offered:?}");
    assert!(!offered.contains(&"remember"), "it has an effect");
    let results: Vec<&str> = requests[1].messages.iter().skip(3).map(Message::content).collect();
    assert_eq!(results, ["7.125", "Error: Missing required argument 'expression'"]);
    assert_eq!(built.books.audit.lock().unwrap().len(), 1, "what ran is in the audit");
    let tools = built.heard.0.lock().unwrap().iter().filter(|(kind, _)| kind == "tool").count();
    assert_eq!(tools, 2);
}

#[tokio::test]
async fn at_the_cap_the_model_is_asked_once_more_without_tools() {
    let one = || calls(&[("1", "roll_dice", r#"{"notation": "1d6"}"#)]);
    let three = calls(&[
        ("a", "roll_dice", r#"{"notation": "1d6"}"#),
        ("b", "roll_dice", r#"{"notation": "1d6"}"#),
        ("c", "roll_dice", r#"{"notation": "1d6"}"#),
    ]);
    let built = build(Script::of(vec![one(), one(), one(), three, text("done")]), ServiceOptions::default());
    let reply = built.chat("roll on").await;
    assert_eq!((&reply["content"], &reply["tool_calls_made"]), (&json!("done"), &json!(5)));
    let requests = built.script.requests();
    assert_eq!(requests.len(), 5);
    assert!(!requests[3].tools.is_empty() && requests[4].tools.is_empty());
    let last = requests[4].messages.last().unwrap();
    assert!(last.content().starts_with("Error: the limit of tool calls"), "every call has a result");
}

#[tokio::test]
async fn malformed_calls_are_told_to_the_model() {
    let call = aish_types::ToolCall { id: "1".into(), name: "calculator".into(), arguments: "{\"expr".into() };
    let malformed =
        vec![StreamEvent::MalformedCall { call, reason: "EOF".into() }, StreamEvent::Finished(FinishReason::ToolCalls)];
    let built = build(Script::of(vec![malformed, text("ok")]), ServiceOptions::default());
    assert_eq!(built.chat("?").await["content"], json!("ok"));
    let requests = built.script.requests();
    let messages: Vec<&str> = requests[1].messages.iter().map(Message::content).collect();
    assert!(messages.iter().any(|text| text.contains("the call was not run: EOF")), "{messages:?}");
    assert!(built.books.audit.lock().unwrap().is_empty(), "nothing ran");
}

#[tokio::test]
async fn a_cut_answer_runs_nothing_and_says_that_it_was_cut() {
    let mut cut = calls(&[("2", "calculator", r#"{"expression": "1"}"#)]);
    *cut.last_mut().unwrap() = StreamEvent::Finished(FinishReason::Length);
    let built = build(Script::of(vec![cut]), ServiceOptions::default());
    let reply = built.chat("?").await;
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("model_failed")));
    assert!(reply["error"].as_str().unwrap().contains("cut by its length limit"), "{reply}");
    assert!(built.books.audit.lock().unwrap().is_empty(), "nothing ran");
}

#[tokio::test]
async fn what_leaves_the_context_of_a_channel_is_summarised_once() {
    let long = |word: &str| format!("{word} {}", "and more of it ".repeat(40));
    let script = Script::of(vec![
        text(&long("one")),
        text(&long("two")),
        text("They spoke of one."),
        text("three"),
        text("four"),
    ]);
    let options = ServiceOptions { token_budget: 600, system: "Be brief.".into(), ..ServiceOptions::default() };
    let built = build(script, options);
    for (question, answer) in [
        (long("first"), long("one")),
        (long("second"), long("two")),
        ("3".into(), "three".into()),
        ("4".into(), "four".into()),
    ] {
        let payload = json!({"channel": "#a", "user": "me", "message": question, "enable_tools": false});
        assert_eq!(built.ask("chat", payload).await["content"], json!(answer));
    }
    let requests = built.script.requests();
    assert_eq!(requests.len(), 5, "the fourth question has no summary made again");
    for request in &requests[3..] {
        let system = request.messages[0].content();
        assert!(system.starts_with("Be brief.") && system.contains("They spoke of one."), "{system}");
        assert!(request.messages.iter().all(|message| !message.content().contains("first")), "{request:?}");
        assert!(request.messages.iter().any(|message| message.content().contains("second")), "{request:?}");
    }
}

fn tool(name: &str, owner: &str) -> ToolDefinition {
    ToolDefinition::new(name, "A tool", input_schema(&[Parameter::optional("x", ParameterKind::String)]), owner.into())
}

#[tokio::test]
async fn nothing_is_run_that_would_have_to_be_asked() {
    let script = Script::of(vec![
        calls(&[
            ("1", "dice.roll", "{}"),
            ("2", "evil.wipe", "{}"),
            ("3", "dice.ask", "{}"),
            ("4", "remember", r#"{"content": "x"}"#),
        ]),
        text("ok"),
    ]);
    let built = build(script, ServiceOptions { allow: vec!["dice.*".into()], ..ServiceOptions::default() });
    let run = handler(|_, _| async { ToolOutcome::success("ran") });
    built.registry.register(tool("dice.roll", "nats:dice"), run.clone()).unwrap();
    built.registry.register(tool("evil.wipe", "nats:evil"), run.clone()).unwrap();
    let asks = ToolDefinition { requires_confirmation: true, ..tool("dice.ask", "nats:dice") };
    built.registry.register(asks, run.clone()).unwrap();
    built.chat("go").await;
    let requests = built.script.requests();
    let offered: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(offered.contains(&"dice.roll") && !offered.contains(&"evil.wipe") && !offered.contains(&"dice.ask"));
    let results: Vec<&str> =
        requests[1].messages.iter().filter(|m| matches!(m, Message::Tool { .. })).map(Message::content).collect();
    assert_eq!(results[0], "ran");
    assert_eq!(results[1], "Error: Tool 'evil.wipe' is not available here");
    assert_eq!(results[2], "Error: Tool 'dice.ask' is not available here");
    assert_eq!(results[3], "Error: Tool 'remember' is not available here");

    // Pinned at first sight: a definition that changes afterwards is not run.
    built.registry.unregister(&"dice.roll".into());
    let changed = ToolDefinition { description: "now something else".into(), ..tool("dice.roll", "nats:dice") };
    built.registry.register(changed, run).unwrap();
    built.script.answers.lock().unwrap().extend([calls(&[("9", "dice.roll", "{}")]), text("ok")]);
    built.chat("again").await;
    let last = built.script.requests().last().unwrap().messages.last().unwrap().content().to_owned();
    assert!(last.starts_with("Error: "), "{last}");
}

#[tokio::test]
async fn a_repeated_request_is_answered_once() {
    let built = build(Script::of(vec![text("first")]), ServiceOptions::default());
    let request = json!({"channel": "#a", "user": "me", "message": "hi", "request_id": "r1"});
    let first = built.ask("chat", request.clone()).await;
    assert_eq!((&first["content"], &first["request_id"]), (&json!("first"), &json!("r1")));
    assert_eq!(built.ask("chat", request.clone()).await, first);
    assert_eq!(built.script.requests().len(), 1, "the model was asked once");
    let other = json!({"channel": "#a", "user": "you", "message": "hi", "request_id": "r1"});
    assert_ne!(built.ask("chat", other).await["content"], json!("first"), "another user's request of the same id");
}

#[tokio::test]
async fn limits_say_how_long_to_wait() {
    let limits = Limits { per_minute: 2, per_hour: 0, per_day: 0 };
    let built = build(Script::of(vec![]), ServiceOptions { limits, ..ServiceOptions::default() });
    for _ in 0..2 {
        assert_eq!(built.chat("hi").await["success"], json!(true));
    }
    let reply = built.chat("hi").await;
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("rate_limited")));
    assert!(reply["retry_after"].as_f64().unwrap() > 50.0);
    let other = built.ask("chat", json!({"channel": "#a", "user": "you", "message": "hi"})).await;
    assert_eq!(other["success"], json!(true));
}

#[tokio::test]
async fn a_model_that_fails_is_an_error_reply() {
    let built = build(Script::of(vec![vec![StreamEvent::Text("half".into())]]), ServiceOptions::default());
    let reply = built.chat("hi").await;
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("model_failed")));
    let reply = built.chat("hi again").await;
    assert_eq!(reply["success"], json!(true));
    assert_eq!(built.script.requests()[1].messages.len(), 2, "what failed is not in the history");
    assert!(built.heard.0.lock().unwrap().iter().any(|(kind, _)| kind == "error"));
}

#[tokio::test]
async fn memory_is_the_channels() {
    let built = build(Script::of(vec![]), ServiceOptions::default());
    for (content, user) in
        [("The party is on Friday", None), ("likes green tea", Some("me")), ("likes coffee", Some("you"))]
    {
        let reply = built.ask("memory.add", json!({"channel": "#a", "content": content, "user_id": user})).await;
        assert_eq!(reply["success"], json!(true), "{reply}");
        assert!(reply["memory_id"].is_string());
    }
    let recall = async |query: Value| built.ask("memory.recall", query).await;
    let found = recall(json!({"channel": "#a", "query": "when is the party?"})).await;
    assert_eq!((&found["count"], &found["memories"][0]["content"]), (&json!(1), &json!("The party is on Friday")));
    let mine = recall(json!({"channel": "#a", "query": "likes", "user_id": "me"})).await;
    assert_eq!((&mine["count"], &mine["memories"][0]["content"]), (&json!(1), &json!("likes green tea")));
    assert_eq!(recall(json!({"channel": "#b", "query": "party"})).await["count"], json!(0));
    let numbers = recall(json!({"channel": "#a", "query": "1"})).await;
    assert_eq!(numbers["count"], json!(0), "a fact is not found by its id: {numbers}");
    let bad = built.ask("memory.add", json!({"channel": "#a", "content": "x", "importance": 9})).await;
    assert_eq!(bad["code"], json!("bad_request"));

    // The model's tool sees what belongs to who asks, whatever the model says.
    built
        .script
        .answers
        .lock()
        .unwrap()
        .extend([calls(&[("1", "search_memory", r#"{"query": "likes", "user": "you"}"#)]), text("tea")]);
    built.chat("what do I like?").await;
    let told = built.script.requests().last().unwrap().messages.last().unwrap().content().to_owned();
    assert!(told.contains("green tea") && !told.contains("coffee"), "{told}");
}

#[tokio::test]
async fn text_without_history() {
    let built = build(Script::of(vec![text("yes"), text(" short ")]), ServiceOptions::default());
    let messages = json!([{"role": "system", "content": "s"}, {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"}]);
    let reply = built.ask("complete", json!({"messages": messages, "temperature": 0.5, "max_tokens": 9})).await;
    assert_eq!((&reply["content"], &reply["provider"]), (&json!("yes"), &json!("script")));
    let request = &built.script.requests()[0];
    assert_eq!((request.messages.len(), request.max_tokens, request.temperature), (4, Some(9), Some(0.5)));
    let reply = built.ask("summarize", json!({"text": "a long story", "style": "bullets", "max_length": 20})).await;
    assert_eq!(reply["summary"], json!("short"));
    for (payload, code) in [
        (json!({"messages": []}), "bad_request"),
        (json!({"messages": [{"role": "king", "content": "x"}]}), "bad_request"),
        (json!({"messages": [{"role": "user", "content": "x"}], "provider": "nobody"}), "unknown_provider"),
        (json!({"messages": [{"role": "user", "content": "x"}], "temperature": 9}), "bad_request"),
    ] {
        assert_eq!(built.ask("complete", payload.clone()).await["code"], json!(code), "{payload}");
    }
}

#[tokio::test]
async fn a_model_that_gives_no_answer_is_not_healthy_until_it_gives_one() {
    let cut = vec![StreamEvent::Text("half an".into())];
    let built = build(Script::of(vec![cut, text("whole")]), ServiceOptions::default());
    assert_eq!(built.chat("one").await["success"], json!(false));
    let status = built.ask("status", json!({})).await;
    assert_eq!((&status["success"], &status["healthy"]), (&json!(true), &json!(false)));
    assert!(status["model_error"].as_str().is_some_and(|error| error.contains("broke off")), "{status}");
    assert_eq!(built.chat("two").await["success"], json!(true));
    let status = built.ask("status", json!({})).await;
    assert_eq!((&status["healthy"], status.get("model_error")), (&json!(true), None));
}

#[tokio::test]
async fn status_and_usage_count() {
    let built = build(Script::of(vec![text("a"), text("b")]), ServiceOptions::default());
    built.chat("one").await;
    built.service.flush().await;
    built.chat("two").await;
    let status = built.ask("status", json!({})).await;
    assert_eq!((&status["healthy"], &status["model"]), (&json!(true), &json!("script")));
    assert_eq!((&status["requests_today"], &status["tokens_today"]), (&json!(2), &json!(24)));
    let usage = built.ask_bytes("usage", b"").await;
    assert_eq!(usage["requests_today"], json!(2));
    assert_eq!(built.ask("usage", json!({"user": "me"})).await["tokens_today"], json!(24));
    assert_eq!(built.ask("usage", json!({"user": "nobody"})).await["tokens_today"], json!(0));
    let tools = built.ask("tools.list", json!({"category": "math"})).await;
    assert_eq!((&tools["count"], &tools["schemas"][0]["function"]["name"]), (&json!(1), &json!("calculator")));
}

#[tokio::test]
async fn bad_input_is_an_error_reply_with_a_code() {
    let built = build(Script::of(vec![]), ServiceOptions::default());
    let large = json!({"channel": "#a", "user": "me", "message": "x".repeat(2_000_000)}).to_string();
    for (operation, payload, code) in [
        ("chat", b"{\"channel\": ".as_slice(), "bad_request"),
        ("chat", b"[1]", "bad_request"),
        ("chat", b"\xff\xfe", "bad_request"),
        ("chat", b"{}", "bad_request"),
        ("chat", br#"{"channel": 1, "user": "me", "message": "x"}"#, "bad_request"),
        ("chat", br##"{"channel": "#a", "user": "me", "message": "  "}"##, "bad_request"),
        ("chat", br##"{"channel": "#a", "user": "me", "message": "x", "persona": "king"}"##, "unknown_persona"),
        ("chat", large.as_bytes(), "too_large"),
        ("summarize", br#"{"text": "x", "style": "loud"}"#, "bad_request"),
        ("nonsense", b"{}", "unknown_operation"),
    ] {
        let reply = built.ask_bytes(operation, payload).await;
        assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!(code)), "{operation}: {reply}");
        assert!(reply["error"].as_str().unwrap().len() < 500);
    }
    assert_eq!(built.chat("still here").await["success"], json!(true));
}

#[tokio::test]
async fn an_error_names_the_field_that_is_wrong() {
    let built = build(Script::of(vec![]), ServiceOptions::default());
    for (operation, payload, error) in [
        ("chat", json!({"user": "me", "message": "x"}), "missing field `channel`"),
        (
            "chat",
            json!({"channel": "#a", "user": "me", "message": "x", "enable_tools": "yes"}),
            "enable_tools: invalid type: string \"yes\", expected a boolean",
        ),
        ("chat", json!({"channel": "#a", "user": ["me"], "message": "x"}), "user: invalid type: sequence"),
        ("chat", json!({"channel": "#a", "user": "me", "message": "x", "reply_to": 7}), "reply_to: invalid type"),
        (
            "complete",
            json!({"messages": [{"role": "user", "content": "x"}, {"role": 5}]}),
            "messages[1].role: invalid type: integer `5`, expected a string",
        ),
        (
            "complete",
            json!({"messages": [{"role": "user", "content": "x"}], "max_tokens": -1}),
            "max_tokens: invalid value: integer `-1`, expected a whole number",
        ),
        (
            "summarize",
            json!({"text": "x", "style": "loud"}),
            "style: unknown variant `loud`, expected one of `concise`",
        ),
        (
            "memory.add",
            json!({"channel": "#a", "content": "x", "importance": "5"}),
            "importance: invalid type: string \"5\", expected a whole number",
        ),
        (
            "chat",
            json!({"channel": "#a", "user": "me", "message": "x", "persona": "king"}),
            "there is no persona 'king' (there is none)",
        ),
    ] {
        let reply = built.ask(operation, payload).await;
        assert!(reply["error"].as_str().unwrap().starts_with(error), "{reply}");
    }
}

#[tokio::test]
async fn a_persona_is_a_system_prompt() {
    let mut options = ServiceOptions::default();
    options.personas.insert("pirate".into(), "Talk like a pirate.".into());
    let built = build(Script::of(vec![]), options);
    built.ask("chat", json!({"channel": "#a", "user": "me", "message": "hi", "persona": "pirate"})).await;
    assert_eq!(built.script.requests()[0].messages[0].content(), "Talk like a pirate.");
}

#[tokio::test]
async fn the_history_is_bounded() {
    let options = ServiceOptions {
        token_budget: 500,
        limits: Limits { per_minute: 0, per_hour: 0, per_day: 0 },
        ..ServiceOptions::default()
    };
    let built = build(Script::of(vec![]), options);
    for n in 0..30 {
        built.chat(&format!("{n} {}", "word ".repeat(20))).await;
    }
    let last = built.script.requests().pop().unwrap();
    let bytes: usize = last.messages.iter().map(|message| message.content().len()).sum();
    assert!(bytes / 4 <= 500, "{bytes}");
    assert!(last.messages.len() > 3, "what fits is kept");
}
