//! Plugins that do what they should not: each loses what is wrong with it, and nobody else anything.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aish_nats::plugin::host::{Host, HostedTool, Run};
use aish_nats::{PluginHub, PluginOptions};
use aish_tools::Registry;
use async_nats::Client;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::plugins::{call, knows};
use crate::server::{Server, settle, start, until};

async fn hub(server: &Server) -> (Arc<Registry>, PluginHub, Client) {
    let registry = Arc::new(Registry::default());
    let hub = PluginHub::start(&server.bus().await, registry.clone(), PluginOptions::default()).await.unwrap();
    (registry, hub, server.client().await)
}

async fn ask(client: &Client, operation: &str, payload: impl Into<Vec<u8>>) -> Value {
    let subject = format!("rosey.llm.tools.{operation}");
    let reply = client.request(subject, payload.into().into()).await.unwrap();
    serde_json::from_slice(&reply.payload).unwrap()
}

#[tokio::test]
async fn parameters_in_a_list_are_read_and_of_two_tools_of_one_name_the_first_is_kept() {
    let Some(server) = start() else { return };
    let (registry, hub, client) = hub(&server).await;
    let list = json!([{"name": "dice", "type": "string", "description": "as 2d6"},
                      {"name": "times", "type": "integer", "description": "", "required": false, "default": 1}]);
    let tools = json!([{"name": "roll", "subject": "p.first", "description": "first", "parameters": list},
                       {"name": "roll", "subject": "p.second", "description": "second"},
                       {"name": "bad", "subject": "p.bad", "parameters": [{"name": "x", "type": "path"}]}]);
    let register = json!({"plugin": "p", "instance": "1", "tools": tools});
    let reply = ask(&client, "register", register.to_string()).await;
    assert_eq!(reply["accepted"], json!(["p.roll"]), "{reply}");
    let rejected = reply["rejected"].as_array().unwrap();
    assert_eq!((&rejected[0]["code"], &rejected[1]["code"]), (&json!("duplicate"), &json!("bad_schema")), "{reply}");
    assert!(rejected[1]["message"].as_str().unwrap().contains("has the type \"path\""), "{reply}");
    let (_, definition) = registry.get(&"p.roll".into()).unwrap();
    assert_eq!(definition.description, "first");
    assert_eq!(definition.input_schema.value()["required"], json!(["dice"]));
    // The same tools again, with other faults beside them: the reply is about these.
    let tools = json!([{"name": "roll", "subject": "p.first", "description": "first", "parameters": list},
                       {"name": "other", "subject": "*"}]);
    let reply = ask(&client, "register", json!({"plugin": "p", "instance": "1", "tools": tools}).to_string()).await;
    assert_eq!(reply["accepted"], json!(["p.roll"]), "{reply}");
    let names: Vec<_> = reply["rejected"].as_array().unwrap().iter().map(|one| (&one["name"], &one["code"])).collect();
    assert_eq!(names, [(&json!("other"), &json!("bad_subject"))]);
    hub.stop().await;
}

#[tokio::test]
async fn what_no_plugin_would_say_is_answered_with_a_code() {
    let Some(server) = start() else { return };
    let (registry, hub, client) = hub(&server).await;
    let tools = |count: usize| vec![json!({"name": "x", "subject": "p.x"}); count];
    for (operation, payload, code) in [
        ("register", b"{\"plugin\": ".to_vec(), "bad_request"),
        ("register", b"\xff\xfe\x00".to_vec(), "bad_request"),
        ("register", Vec::new(), "bad_request"),
        ("register", json!({"plugin": "p", "instance": 1, "tools": []}).to_string().into(), "bad_request"),
        ("register", json!({"plugin": "p", "instance": "1", "tools": {}}).to_string().into(), "bad_request"),
        (
            "register",
            json!({"plugin": "p", "instance": "1", "ttl_s": "x", "tools": []}).to_string().into(),
            "bad_request",
        ),
        ("register", json!({"plugin": "", "instance": "1", "tools": []}).to_string().into(), "bad_plugin"),
        ("register", json!({"plugin": "a.b", "instance": "1", "tools": []}).to_string().into(), "bad_plugin"),
        ("register", json!({"plugin": "p".repeat(65), "instance": "1", "tools": []}).to_string().into(), "bad_plugin"),
        ("register", json!({"plugin": "p", "instance": "", "tools": []}).to_string().into(), "bad_instance"),
        (
            "register",
            json!({"plugin": "p", "instance": "1", "tools": tools(10_000)}).to_string().into(),
            "too_many_tools",
        ),
        ("heartbeat", b"nonsense".to_vec(), "bad_request"),
        ("heartbeat", json!({"plugin": "nobody", "instance": "1"}).to_string().into(), "unknown"),
        ("unregister", b"[]".to_vec(), "bad_request"),
        ("unregister", json!({"plugin": "nobody", "instance": "1"}).to_string().into(), "unknown"),
    ] {
        let shown = String::from_utf8_lossy(&payload).chars().take(80).collect::<String>();
        let reply = ask(&client, operation, payload).await;
        assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!(code)), "{operation} {shown}: {reply}");
        assert!(reply["error"].as_str().is_some_and(|error| !error.is_empty() && error.len() < 300), "{reply}");
    }
    assert!(registry.list(None).is_empty());
    let good = json!({"plugin": "p", "instance": "1", "tools": tools(1)}).to_string();
    assert_eq!(ask(&client, "register", good).await["accepted"], json!(["p.x"]), "the next one is let in");
    let unknown = json!({"plugin": "p", "instance": "2"}).to_string();
    assert_eq!(ask(&client, "unregister", unknown).await["code"], json!("unknown"), "another process of the plugin");
    hub.stop().await;
}

#[tokio::test]
async fn a_tool_with_an_illegal_name_or_schema_is_lost_alone() {
    let Some(server) = start() else { return };
    let (registry, hub, client) = hub(&server).await;
    let tool =
        |name: &str, subject: &str, schema: Value| json!({"name": name, "subject": subject, "parameters": schema});
    let mut deep = json!({"type": "string"});
    for _ in 0..100 {
        deep = json!({"type": "array", "items": deep});
    }
    let object = json!({"type": "object"});
    let tools = json!([
        tool("good", "p.good", object.clone()),
        tool("", "p.x", object.clone()),
        tool("with space", "p.x", object.clone()),
        tool("a.b.c", "p.x", object.clone()),
        tool("\u{1b}[2J", "p.x", object.clone()),
        tool(&"n".repeat(200), "p.x", object.clone()),
        tool("spy", "$SYS.REQ.SERVER.PING", object.clone()),
        tool("stars", "p.*", object.clone()),
        tool("list", "p.x", json!([1])),
        tool("root", "p.x", json!({"type": "string"})),
        tool("typo", "p.x", json!({"type": "strnig"})),
        tool("far", "p.x", json!({"$ref": "file:///etc/passwd"})),
        tool("deep", "p.x", deep),
        {"name": "none"},
        tool("also", "p.also", Value::Null),
    ]);
    let reply = ask(&client, "register", json!({"plugin": "p", "instance": "1", "tools": tools}).to_string()).await;
    assert_eq!(reply["accepted"], json!(["p.good", "p.also"]), "{reply}");
    let codes: Vec<&str> =
        reply["rejected"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    let expected = ["bad_name", "bad_name", "foreign_name", "bad_name", "bad_name", "bad_subject", "bad_subject"];
    assert_eq!(codes[..7], expected, "{reply}");
    assert_eq!(codes[7..12], ["bad_schema"; 5], "{reply}");
    assert_eq!(codes[12..], ["bad_definition"], "{reply}");
    assert_eq!(registry.list(None).len(), 2);
    hub.stop().await;
}

#[tokio::test]
async fn a_lease_that_is_never_renewed_ends() {
    let Some(server) = start() else { return };
    let (registry, hub, client) = hub(&server).await;
    let me = json!({"plugin": "p", "instance": "1"}).to_string();
    // The shortest lease is a second, whatever is asked for.
    let register =
        json!({"plugin": "p", "instance": "1", "ttl_s": 0, "tools": [{"name": "x", "subject": "p.x"}]}).to_string();
    assert_eq!(ask(&client, "register", register.clone()).await["lease"], json!({"ttl_s": 1.0}));
    assert_eq!(ask(&client, "heartbeat", me.clone()).await["lease"], json!({"ttl_s": 1.0}));
    assert!(knows(&registry, "p.x"));
    until("the lease ends", 20, || !knows(&registry, "p.x")).await;
    assert_eq!(ask(&client, "heartbeat", me).await["code"], json!("unknown"), "too late");
    assert_eq!(ask(&client, "register", register).await["success"], json!(true), "it may come again");
    let long = json!({"plugin": "q", "instance": "1", "ttl_s": 1e300, "tools": []}).to_string();
    assert_eq!(ask(&client, "register", long).await["lease"], json!({"ttl_s": 300.0}));
    hub.stop().await;
}

#[tokio::test]
async fn what_a_plugin_answers_is_read_with_care() {
    let Some(server) = start() else { return };
    let (registry, hub, client) = hub(&server).await;
    let replies: BTreeMap<&str, &[u8]> = BTreeMap::from([
        ("text", br#"{"success": true, "result": "done"}"#.as_slice()),
        ("nothing", br#"{"success": true}"#),
        ("number", br#"{"success": true, "result": 4.5}"#),
        ("object", br#"{"success": true, "result": {"a": [1]}}"#),
        ("fault", br#"{"success": false, "error": "out of dice"}"#),
        ("coded", br#"{"success": false, "error": {"code": "busy", "message": "later", "retry_after_ms": 1500}}"#),
        ("code", br#"{"success": false, "error": {"code": "busy"}}"#),
        ("silent", br#"{"success": false}"#),
        ("other", br#"{"tool_call_id": "another", "success": true, "result": "x"}"#),
        ("half", br#"{"success": tr"#),
        ("bytes", b"\xff\xfe"),
        ("empty", b""),
        ("types", br#"{"success": "yes"}"#),
    ]);
    let tools: Vec<Value> = replies
        .keys()
        .map(|name| json!({"name": name, "subject": format!("p.{name}"), "parameters": {"type": "object"}}))
        .collect();
    let mut calls = client.subscribe("p.*").await.unwrap();
    settle(&client).await;
    let answering = client.clone();
    let plugin = tokio::spawn(async move {
        while let Some(message) = calls.next().await {
            let reply = replies[message.subject.strip_prefix("p.").unwrap()].to_vec();
            answering.publish(message.reply.unwrap(), reply.into()).await.unwrap();
        }
    });
    let register = json!({"plugin": "p", "instance": "1", "ttl_s": 300, "tools": tools}).to_string();
    assert_eq!(ask(&client, "register", register).await["rejected"], json!([]));
    for (name, success, text) in [
        ("text", true, "done"),
        ("nothing", true, "(no output)"),
        ("number", true, "4.5"),
        ("object", true, r#"{"a":[1]}"#),
        ("fault", false, "out of dice"),
        ("coded", false, "later"),
        ("code", false, "busy"),
        ("silent", false, "the plugin failed and does not say why"),
        ("other", false, "the plugin answered another call"),
        ("half", false, "the plugin's reply cannot be read: "),
        ("bytes", false, "the plugin's reply cannot be read: "),
        ("empty", false, "the plugin's reply cannot be read: "),
        ("types", false, "the plugin's reply cannot be read: "),
    ] {
        let outcome = call(&registry, &format!("p.{name}"), json!({}), 10_000).await;
        assert_eq!(outcome.is_success(), success, "{name}: {}", outcome.text);
        assert!(outcome.text.starts_with(text), "{name}: {}", outcome.text);
        match name {
            "object" => assert_eq!(outcome.structured, Some(json!({"a": [1]}))),
            "coded" => {
                assert_eq!((outcome.notes.code.as_deref(), outcome.notes.retry_after_ms), (Some("busy"), Some(1500)))
            }
            _ => {}
        }
    }
    // Larger than the bus takes: the call is not sent.
    let outcome = call(&registry, "p.text", json!({"x": "x".repeat(2_000_000)}), 10_000).await;
    assert_eq!((outcome.is_success(), outcome.text.as_str()), (false, "the arguments are larger than the bus takes"));
    plugin.abort();
    hub.stop().await;
}

fn hosted(name: &str, run: Run) -> HostedTool {
    let parameters = json!({"type": "object", "additionalProperties": true});
    HostedTool { name: name.into(), description: String::new(), parameters, category: "fun".into(), run }
}

#[tokio::test]
async fn a_hosted_tool_that_fails_answers_all_the_same() {
    let Some(server) = start() else { return };
    let (registry, hub, client) = hub(&server).await;
    let tools = vec![
        hosted("echo", Arc::new(|arguments, _| Box::pin(async { Ok(arguments) }))),
        hosted("crash", Arc::new(|_, _| Box::pin(async { panic!("a fault of the tool") }))),
        hosted("flood", Arc::new(|_, _| Box::pin(async { Ok("x".repeat(2_000_000).into()) }))),
    ];
    let host = Host {
        prefix: "rosey".into(),
        plugin: "p".into(),
        instance: "1".into(),
        version: "1".into(),
        ttl_s: 30.0,
        tools,
    };
    let (bus, cancel) = (server.bus().await, CancellationToken::new());
    let stop = cancel.clone();
    let hosting = tokio::spawn(async move { host.run(&bus, stop).await });
    until("registered", 20, || knows(&registry, "p.echo")).await;
    for (name, code, text) in [("p.crash", "crashed", "the tool crashed"), ("p.flood", "too_large", "the result has ")]
    {
        let outcome = call(&registry, name, json!({}), 10_000).await;
        assert_eq!((outcome.is_success(), outcome.notes.code.as_deref()), (false, Some(code)), "{}", outcome.text);
        assert!(outcome.text.starts_with(text), "{}", outcome.text);
    }
    for bad in [&b"nonsense"[..], b"{}", br#"{"call_id": 1, "name": "echo", "arguments": {}}"#] {
        let request = client.request("rosey.plugin.p.echo", bad.into());
        let reply = tokio::time::timeout(Duration::from_secs(20), request).await.unwrap().unwrap();
        let reply: Value = serde_json::from_slice(&reply.payload).unwrap();
        assert_eq!((&reply["success"], &reply["error"]["code"]), (&json!(false), &json!("bad_request")), "{reply}");
    }
    assert_eq!(call(&registry, "p.echo", json!({"x": 1}), 10_000).await.structured, Some(json!({"x": 1})));
    cancel.cancel();
    hosting.await.unwrap().unwrap();
    until("taken back", 20, || !knows(&registry, "p.echo")).await;
    hub.stop().await;
}
