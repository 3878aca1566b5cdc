//! Servers that bend the wire: ids, order, framing, redirects, sessions, silence, and the transport of 2024-11-05.

use std::time::Duration;

use aish_mcp::client::ServerOptions;
use serde_json::{Value, json};

use crate::client_sloppy::{Case, Must, Over, faults};
use Must::{Fail, Work};
use Over::{Both, Http, Stdio};

/// Bounds as a trial has them, several times as long: a busy machine is no hung server.
fn bounded(options: &mut ServerOptions) {
    options.stuck_after = Some(Duration::from_secs(2));
    options.list_timeout = Duration::from_secs(3);
}

fn greeting(version: &str) -> Value {
    let result =
        json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}});
    json!({"results": {"initialize": result}})
}

fn called(result: Value) -> Value {
    json!({"results": {"tools/call": result}})
}

fn listed(answer: &str) -> Value {
    json!({"raw": {"tools/list": answer}})
}

fn events(endpoint: &str) -> Value {
    json!({"events": true, "events_endpoint": endpoint})
}

fn ids_and_order() -> Vec<Case> {
    let said = |text: &str| text.to_owned();
    let note = said(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"up"}}"#);
    let odd = said(r#"{"method":"notifications/progress","params":{"progressToken":null,"progress":"half"}}"#);
    let ping = said(r#"{"jsonrpc":"2.0","id":"req-1","method":"ping"}"#);
    let roots = said(r#"{"jsonrpc":"2.0","id":"req-2","method":"roots/list","params":null}"#);
    let other = said(r#"{"jsonrpc":"2.0","id":99,"method":"no/such","params":[1]}"#);
    let before = |method: &str, messages: &[&String]| json!({"before": {method: messages}});
    let page = |cursor: &str| json!({"tools": [{"name": "echo"}], "nextCursor": cursor});
    vec![
        ("ids behind a word", Both, json!({"ids": "prefixed"}), Work),
        ("always the same id", Http, json!({"ids": "constant"}), Work),
        ("notifications and a ping before the greeting", Both, before("initialize", &[&note, &odd, &ping]), Work),
        ("requests before the list", Both, before("tools/list", &[&roots, &other, &ping]), Work),
        ("notifications before a result", Both, before("tools/call", &[&note, &odd]), Work),
        ("an unknown notification", Both, before("tools/list", &[&said(r#"{"method":"ready"}"#)]), Work),
        (
            "success beside an error",
            Both,
            listed(r#"{"id":$ID,"result":{"tools":[{"name":"echo"}]},"error":{"code":0,"message":"ok"}}"#),
            Work,
        ),
        ("no jsonrpc", Both, listed(r#"{"id":$ID,"result":{"tools":[{"name":"echo"}]}}"#), Work),
        ("jsonrpc as a number", Both, listed(r#"{"jsonrpc":2.0,"id":$ID,"result":{"tools":[{"name":"echo"}]}}"#), Work),
        (
            "another cursor for the same page",
            Both,
            json!({"sequences": {"tools/list": [page("a"), page("b"), page("c"), page("d")]}}),
            Work,
        ),
        ("answers that are slow", Both, json!({"delay_ms": 700}), Work),
        ("an answer nested too deeply", Both, listed(&deep()), Fail("")),
        ("a list that never comes", Both, json!({"hang": ["tools/list"]}), Fail("")),
        ("an end at the first notification", Stdio, json!({"exit": ["notifications/initialized"]}), Fail("code 3")),
    ]
}

/// JSON that is deeper than any reader goes.
fn deep() -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}{}}}", "[".repeat(2000), "]".repeat(2000))
}

fn versions_and_results() -> Vec<Case> {
    let text = json!({"type": "text", "text": "hi"});
    let versions = json!({"supportedVersions": "2026-07-28", "capabilities": {}});
    vec![
        ("a version of the future", Both, greeting("2099-01-01"), Work),
        ("a draft's version", Both, greeting("DRAFT-2026-v1"), Work),
        ("a version that is none", Both, greeting("1.0"), Work),
        ("the oldest version", Both, greeting("2024-11-05"), Work),
        ("the newest version in an old greeting", Both, greeting("2026-07-28"), Work),
        ("a text as versions", Both, json!({"modern": true, "results": {"server/discover": versions}}), Work),
        ("a list as result", Both, called(json!([text])), Work),
        (
            "an image without its kind",
            Both,
            called(json!({"content": [{"type": "image", "data": "aGk="}, text]})),
            Work,
        ),
        (
            "a resource without an address",
            Both,
            called(json!({"content": [{"type": "resource", "resource": {"text": "hi"}}]})),
            Work,
        ),
        (
            "null beside the content",
            Both,
            called(json!({"content": [text], "structuredContent": null, "_meta": null, "isError": null})),
            Work,
        ),
        (
            "null everywhere",
            Both,
            json!({"results": {"tools/list": {"tools": [{"name": "echo", "title": null, "description": null, "inputSchema": null,
                "outputSchema": null, "annotations": null, "icons": null, "_meta": null}], "nextCursor": null, "_meta": null}}}),
            Work,
        ),
        (
            "names that are none beside a good one",
            Both,
            json!({"results": {"tools/list": {"tools": [{"name": "a b"}, {"name": "a/b"}, {"name": "x".repeat(300)},
                {"name": "Echo"}, {"name": "echo"}]}}}),
            Fail("refused"),
        ),
        (
            "a list of types",
            Both,
            json!({"results": {"tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": ["object"]}}]}}}),
            Work,
        ),
        (
            "a schema of nothing",
            Both,
            json!({"results": {"tools/list": {"tools": [{"name": "echo", "inputSchema": {}}]}}}),
            Work,
        ),
        (
            "a text as code of an error",
            Both,
            json!({"errors": {"tools/call": {"code": "E_FAIL", "message": "not today"}}}),
            Fail("not today"),
        ),
    ]
}

fn framing() -> Vec<Case> {
    let logs = json!([
        r#"{"level":"error","error":"no config"}"#,
        r#"{"time":1,"result":"started"}"#,
        r#"{"id":"x","msg":"up"}"#
    ]);
    vec![
        ("lines of a log as JSON", Stdio, json!({"banner": logs}), Work),
        ("colours", Stdio, json!({"framing": "coloured"}), Work),
        ("methods that block it", Stdio, json!({"unknown": "block"}), Work),
        ("a banner, and methods that block it", Stdio, json!({"unknown": "block", "banner": ["Ready."]}), Work),
        ("UTF-16", Http, json!({"framing": "utf16"}), Work),
        ("fewer bytes than announced", Http, json!({"framing": "cut"}), Work),
        ("the last chunk missing", Http, json!({"framing": "chunks_cut"}), Work),
        ("data over many lines, and no end", Http, json!({"framing": "sse_tight"}), Work),
        ("an event stream that stays open", Http, json!({"framing": "sse_open"}), Work),
        ("an event stream byte by byte that stays open", Http, json!({"framing": "sse_open", "chunk": 3}), Work),
        ("a charset", Http, json!({"content_type": "application/json; charset=utf-8"}), Work),
        ("a kind that is none", Http, json!({"content_type": ";;"}), Work),
        ("connections closed without a word", Http, json!({"close_silently": true}), Work),
        (
            "connections and sessions closed without a word",
            Http,
            json!({"close_silently": true, "session": true}),
            Work,
        ),
        ("404 to notifications", Http, json!({"notice_status": 404, "session": true}), Work),
        (
            "JSON to notifications",
            Http,
            json!({"notice_status": 200, "notice_body": r#"{"jsonrpc":"2.0","id":null,"result":{}}"#}),
            Work,
        ),
        ("silence to notifications in a session", Http, json!({"notice_hang": true, "session": true}), Work),
        ("moved for good", Http, json!({"redirect": 301}), Work),
        ("found elsewhere", Http, json!({"redirect": 302}), Work),
        ("redirected for now", Http, json!({"redirect": 307, "session": true}), Work),
        ("redirected for good", Http, json!({"redirect": 308}), Work),
        (
            "a lost session told with 400",
            Http,
            json!({"session": true, "forget_session_after": 5, "lost_session_status": 400}),
            Work,
        ),
        (
            "a lost session told with 410",
            Http,
            json!({"session": true, "forget_session_after": 4, "lost_session_status": 410}),
            Work,
        ),
        (
            "an answer of nothing",
            Http,
            json!({"status": {"initialize": 202}, "raw": {"initialize": ""}}),
            Fail("nothing"),
        ),
        (
            "a page with status 500",
            Http,
            json!({"status": {"initialize": 500}, "raw": {"initialize": "<h1>Oops</h1>"}}),
            Fail("500"),
        ),
    ]
}

fn oldest() -> Vec<Case> {
    vec![
        ("HTTP with SSE", Http, events("/messages?session=1"), Work),
        ("a whole address", Http, events("http://localhost:1/messages?session=1"), Work),
        ("a relative address", Http, events("messages/?session=1"), Work),
        ("an address in quotes", Http, events("\"/messages\""), Work),
        ("HTTP with SSE and odd ids", Http, json!({"events": true, "ids": "text"}), Work),
        ("HTTP with SSE, hanging", Http, json!({"events": true, "hang": ["initialize"]}), Fail("")),
        (
            "HTTP with SSE and a refusal",
            Http,
            json!({"events": true, "errors": {"initialize": "go away"}}),
            Fail("go away"),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_bend_the_wire_work_or_fail_clearly() {
    let cases = [ids_and_order(), versions_and_results(), framing(), oldest()].into_iter().flatten().collect();
    let faults = faults(cases, bounded).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
