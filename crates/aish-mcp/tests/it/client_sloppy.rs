//! Servers that break the rules and must still work, or fail clearly and soon.

use std::time::{Duration, Instant};

use aish_mcp::client::{ServerOptions, test_target};
use aish_testkit::mcp_server::{HttpServer, McpScript};
use serde_json::{Value, json};

use crate::fake;

/// Over which transports a case runs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Over {
    Both,
    Stdio,
    Http,
}

/// What must come of a case.
pub(crate) enum Must {
    /// It is connected, `echo` is listed and answers.
    Work,
    /// It fails, with words that contain this.
    Fail(&'static str),
}

/// What takes longer is hung.
const HUNG: Duration = Duration::from_secs(60);

use Must::{Fail, Work};
use Over::{Both, Http, Stdio};

fn tools(tools: Value) -> Value {
    json!({"results": {"tools/list": tools}})
}

fn echo() -> Value {
    json!({"name": "echo", "inputSchema": {"type": "object"}})
}

fn greeting(result: Value) -> Value {
    json!({"results": {"initialize": result}})
}

fn raw(method: &str, text: &str) -> Value {
    json!({"raw": {method: text}})
}

fn schema(schema: Value) -> Value {
    tools(json!({"tools": [{"name": "echo", "inputSchema": schema}]}))
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn cases() -> Vec<(&'static str, Over, Value, Must)> {
    let e = echo();
    let page = |cursor: Value| json!({"tools": [e], "nextCursor": cursor});
    let full = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}});
    let without = |key: &str| {
        let mut result = full.clone();
        result.as_object_mut().unwrap().remove(key);
        greeting(result)
    };
    let with = |key: &str, value: Value| {
        let mut result = full.clone();
        result[key] = value;
        greeting(result)
    };
    vec![
        ("nothing wrong", Both, json!({}), Work),
        ("modern", Both, json!({"modern": true}), Work),
        ("modern only", Both, json!({"modern_only": true}), Work),
        ("no inputSchema", Both, tools(json!({"tools": [{"name": "echo"}]})), Work),
        ("null inputSchema", Both, tools(json!({"tools": [{"name": "echo", "inputSchema": null}]})), Work),
        ("text inputSchema", Both, tools(json!({"tools": [{"name": "echo", "inputSchema": "{}"}]})), Work),
        ("array inputSchema", Both, tools(json!({"tools": [{"name": "echo", "inputSchema": []}]})), Work),
        ("null description", Both, tools(json!({"tools": [{"name": "echo", "description": null}]})), Work),
        (
            "odd annotations",
            Both,
            tools(json!({"tools": [{"name": "echo", "annotations": "x", "icons": 1, "_meta": 2}]})),
            Work,
        ),
        (
            "malformed tools among good ones",
            Both,
            tools(json!({"tools": [5, null, {}, {"name": 1}, {"name": ""}, e]})),
            Work,
        ),
        ("a tool with a bad name", Both, tools(json!({"tools": [{"name": "bad name!"}, e]})), Work),
        ("tools twice", Both, tools(json!({"tools": [e, e]})), Work),
        ("tools as a map", Both, tools(json!({"tools": {"echo": {"description": "d"}}})), Work),
        ("bare array of tools", Both, tools(json!([e])), Work),
        ("empty nextCursor", Both, tools(page(json!(""))), Work),
        ("null nextCursor", Both, tools(page(Value::Null)), Work),
        ("number as nextCursor", Both, tools(page(json!(1))), Work),
        ("looping nextCursor", Both, tools(page(json!("again"))), Work),
        ("no capabilities", Both, without("capabilities"), Work),
        ("null capabilities", Both, with("capabilities", Value::Null), Work),
        ("array as capabilities", Both, with("capabilities", json!([])), Work),
        ("capabilities of booleans", Both, with("capabilities", json!({"tools": true, "prompts": false})), Work),
        ("empty capabilities", Both, with("capabilities", json!({})), Work),
        ("no serverInfo", Both, without("serverInfo"), Work),
        ("null serverInfo", Both, with("serverInfo", Value::Null), Work),
        ("serverInfo without version", Both, with("serverInfo", json!({"name": "x"})), Work),
        ("serverInfo with a number", Both, with("serverInfo", json!({"name": "x", "version": 1.2})), Work),
        ("text as serverInfo", Both, with("serverInfo", json!("x")), Work),
        ("no protocolVersion", Both, without("protocolVersion"), Work),
        ("null protocolVersion", Both, with("protocolVersion", Value::Null), Work),
        ("unknown protocolVersion", Both, with("protocolVersion", json!("2024-10-07")), Work),
        ("number as protocolVersion", Both, with("protocolVersion", json!(1)), Work),
        ("empty greeting", Both, greeting(json!({})), Work),
        ("text ids", Both, json!({"ids": "text"}), Work),
        ("float ids", Both, json!({"ids": "float"}), Work),
        ("null ids", Both, json!({"ids": "null"}), Work),
        ("no ids", Both, json!({"ids": "absent"}), Work),
        ("a wrong id before the right one", Both, json!({"ids": "wrong_first"}), Work),
        ("pretty JSON", Both, json!({"framing": "pretty"}), Work),
        ("batches", Both, json!({"framing": "batch"}), Work),
        ("byte order mark", Both, json!({"framing": "bom"}), Work),
        ("log text before messages", Stdio, json!({"framing": "prefixed"}), Work),
        ("no end of line", Stdio, json!({"framing": "no_newline"}), Work),
        ("CRLF", Stdio, json!({"framing": "crlf"}), Work),
        (
            "banner",
            Stdio,
            json!({"banner": ["Welcome!", "", "{debug: on}", "[INFO] listening", "{\"level\":\"info\"}"]}),
            Work,
        ),
        ("unfinished JSON as banner", Stdio, json!({"banner": ["{\"a\": ["]}), Work),
        ("unknown methods hang", Both, json!({"unknown": "hang"}), Work),
        ("unknown methods end it", Both, json!({"unknown": "exit"}), Work),
        ("unknown methods are broken", Both, json!({"unknown": "status500"}), Work),
        ("unknown methods get an empty result", Both, json!({"unknown": "empty"}), Work),
        (
            "text as error code",
            Both,
            json!({"errors": {"server/discover": {"code": "METHOD_NOT_FOUND", "message": "no"}}}),
            Work,
        ),
        ("text as error", Both, json!({"errors": {"server/discover": "unknown method"}}), Work),
        ("plain text for JSON", Http, json!({"content_type": "text/plain"}), Work),
        ("HTML for JSON", Http, json!({"content_type": "text/html; charset=utf-8"}), Work),
        ("no content type", Http, json!({"content_type": ""}), Work),
        ("event stream that is JSON", Http, json!({"content_type": "text/event-stream"}), Work),
        ("JSON that is an event stream", Http, json!({"framing": "sse", "content_type": "application/json"}), Work),
        ("event streams", Http, json!({"framing": "sse"}), Work),
        ("event streams with junk", Http, json!({"framing": "sse_junk"}), Work),
        ("event streams byte by byte", Http, json!({"framing": "sse", "chunk": 1}), Work),
        ("JSON byte by byte", Http, json!({"chunk": 1}), Work),
        ("200 and text to notifications", Http, json!({"notice_status": 200, "notice_body": "ok"}), Work),
        ("200 and nothing to notifications", Http, json!({"notice_status": 200}), Work),
        ("204 to notifications", Http, json!({"notice_status": 204}), Work),
        ("400 to notifications", Http, json!({"notice_status": 400, "notice_body": "bad request"}), Work),
        ("500 to notifications", Http, json!({"notice_status": 500}), Work),
        ("silence to notifications", Http, json!({"notice_hang": true}), Work),
        ("sessions", Http, json!({"session": true}), Work),
        ("GET that hangs", Http, json!({"get": "hang", "session": true}), Work),
        ("GET that closes", Http, json!({"get": "endpoint", "session": true}), Work),
        ("connections closed", Http, json!({"close": true}), Work),
        ("201 for results", Http, json!({"status": {"initialize": 201, "tools/call": 201}}), Work),
        ("500 with a result", Http, json!({"status": {"tools/call": 500}}), Work),
        ("content as text", Both, json!({"results": {"tools/call": {"content": "hi"}}}), Work),
        (
            "content as an object",
            Both,
            json!({"results": {"tools/call": {"content": {"type": "text", "text": "hi"}}}}),
            Work,
        ),
        ("content of texts", Both, json!({"results": {"tools/call": {"content": ["hi"]}}}), Work),
        ("result as text", Both, json!({"results": {"tools/call": "hi"}}), Work),
        ("isError as text", Both, json!({"results": {"tools/call": {"content": "hi", "isError": "false"}}}), Work),
        ("block without type", Both, json!({"results": {"tools/call": {"content": [{"text": "hi"}]}}}), Work),
        ("structured content alone", Both, json!({"results": {"tools/call": {"structuredContent": "hi"}}}), Work),
        ("null as greeting", Both, greeting(Value::Null), Work),
        ("text as greeting", Both, greeting(json!("welcome")), Work),
        ("greeting with both", Both, raw("initialize", &format!(r#"{{"id":$ID,"result":{full},"error":{{}}}}"#)), Work),
        (
            "greeting with its method",
            Both,
            raw("initialize", &format!(r#"{{"id":$ID,"method":"initialize","result":{full}}}"#)),
            Work,
        ),
        ("greeting without an envelope", Both, raw("initialize", &full.to_string()), Work),
        ("id in a list", Both, raw("initialize", &format!(r#"{{"jsonrpc":"2.0","id":[$ID],"result":{full}}}"#)), Work),
        (
            "message as a text",
            Both,
            raw("tools/list", r#""{\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}""#),
            Work,
        ),
        (
            "NaN",
            Both,
            raw("tools/list", r#"{"id":$ID,"result":{"tools":[{"name":"echo","inputSchema":{"default":NaN}}]}}"#),
            Work,
        ),
        ("trailing commas", Both, raw("tools/list", r#"{"id":$ID,"result":{"tools":[{"name":"echo",},],},}"#), Work),
        ("comments", Both, raw("tools/list", r#"{"id":$ID,/* all */"result":{"tools":[{"name":"echo"}]}}"#), Work),
        (
            "Python's quotes",
            Both,
            raw("tools/list", "{'id': $ID, 'result': {'tools': [{'name': 'echo', 'title': None}]}}"),
            Work,
        ),
        (
            "a lone surrogate",
            Both,
            raw("tools/list", r#"{"id":$ID,"result":{"tools":[{"name":"echo","description":"\ud800"}]}}"#),
            Work,
        ),
        (
            "a tab in a text",
            Both,
            raw("tools/list", "{\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"a\tb\"}]}}"),
            Work,
        ),
        (
            "a line end in a text",
            Both,
            raw("tools/list", "{\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"a\nb\"}]}}"),
            Work,
        ),
        (
            "a notification on the same line",
            Both,
            raw("tools/list", r#"{"method":"notifications/x"}{"id":$ID,"result":{"tools":[{"name":"echo"}]}}"#),
            Work,
        ),
        (
            "a NUL at the end",
            Both,
            raw("tools/list", "{\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}\u{0}"),
            Work,
        ),
        (
            "a warning before JSON",
            Both,
            raw(
                "tools/list",
                "Warning: x in y.php {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}",
            ),
            Work,
        ),
        (
            "length before JSON",
            Stdio,
            raw(
                "tools/list",
                "Content-Length: 60\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}",
            ),
            Work,
        ),
        ("Tools for tools", Both, tools(json!({"Tools": [e]})), Work),
        ("tools in data", Both, tools(json!({"data": {"tools": [e]}})), Work),
        ("tools in result", Both, tools(json!({"result": {"tools": [e]}})), Work),
        ("tools in a list in a list", Both, tools(json!({"tools": [[e]]})), Work),
        ("tools as text", Both, tools(json!({"tools": json!([e]).to_string()})), Work),
        (
            "tools as functions",
            Both,
            tools(json!({"tools": [{"type": "function", "function": {"name": "echo", "parameters": {}}}]})),
            Work,
        ),
        ("input_schema", Both, tools(json!({"tools": [{"name": "echo", "input_schema": {"type": "object"}}]})), Work),
        (
            "an empty first page",
            Both,
            json!({"sequences": {"tools/list": [{"tools": [], "nextCursor": "x"}, {"tools": [e]}]}}),
            Work,
        ),
        ("an unknown type", Both, schema(json!({"type": "objekt", "properties": {"text": {"type": "str"}}})), Work),
        (
            "types for schemas",
            Both,
            schema(json!({"type": "object", "properties": {"text": "string", "other": null}})),
            Work,
        ),
        (
            "a list of properties",
            Both,
            schema(json!({"type": "object", "properties": [{"name": "text", "type": "string"}]})),
            Work,
        ),
        (
            "required as text",
            Both,
            schema(json!({"type": "object", "properties": {"text": {"required": true}}, "required": "text"})),
            Work,
        ),
        (
            "a bad pattern",
            Both,
            schema(json!({"type": "object", "properties": {"text": {"pattern": "(?<x>[a-z"}}})),
            Work,
        ),
        (
            "a reference to nothing",
            Both,
            schema(json!({"type": "object", "properties": {"text": {"$ref": "#/$defs/none"}}})),
            Work,
        ),
        ("an enum that is none", Both, schema(json!({"type": "object", "properties": {"text": {"enum": "hi"}}})), Work),
        (
            "an output schema that is none",
            Both,
            tools(json!({"tools": [{"name": "echo", "outputSchema": {"type": "objekt"}}]})),
            Work,
        ),
        (
            "text under another key",
            Both,
            json!({"results": {"tools/call": {"content": [{"type": "text", "value": "hi"}]}}}),
            Work,
        ),
        (
            "TEXT for text",
            Both,
            json!({"results": {"tools/call": {"content": [{"type": "TEXT", "text": "hi"}]}}}),
            Work,
        ),
        (
            "greeting refused",
            Both,
            json!({"errors": {"initialize": {"code": -32603, "message": "out of order"}}}),
            Fail("out of order"),
        ),
        ("greeting with a text as error", Both, json!({"errors": {"initialize": "go away"}}), Fail("go away")),
        ("greeting ends it", Stdio, json!({"exit": ["initialize", "server/discover"]}), Fail("exited with code 3")),
        (
            "HTML for the greeting",
            Http,
            json!({"raw": {"initialize": "<html>Login</html>"}, "content_type": "text/html"}),
            Fail("no message"),
        ),
        (
            "404 for everything",
            Http,
            json!({"status": {"initialize": 404}, "raw": {"initialize": "not here"}}),
            Fail("404"),
        ),
        (
            "list refused",
            Both,
            json!({"errors": {"tools/list": {"code": -32603, "message": "no list today"}}}),
            Fail("no list today"),
        ),
        ("event stream without its answer", Http, json!({"framing": "sse_cut"}), Fail("")),
        ("401", Http, json!({"token": "t"}), Fail("401")),
    ]
}

async fn run(options: ServerOptions) -> (bool, String, Duration) {
    let started = Instant::now();
    let (ports, recorder) = fake::ports();
    let arguments = [("text".to_owned(), json!("hi"))].into_iter().collect();
    let report = test_target(options, ports, Some(fake::gated("echo", arguments, Duration::from_secs(5)))).await;
    let said = report.result.as_ref().and_then(|result| result["text"].as_str()).unwrap_or_default();
    let works = report.ok && report.tools.contains(&"echo".to_owned()) && said.trim_matches('"') == "hi";
    (works, format!("{report:?}\n{}", recorder.lines()), started.elapsed())
}

/// A case: its name, its transports, what the server does, and what must come of it.
pub(crate) type Case = (&'static str, Over, Value, Must);

/// Runs all cases and says what went wrong.
pub(crate) async fn faults(cases: Vec<Case>, change: fn(&mut ServerOptions)) -> Vec<String> {
    let mut tasks = Vec::new();
    for (name, over, script, must) in cases {
        let script: McpScript = serde_json::from_value(script).unwrap();
        tasks.push(async move {
            let mut faults = Vec::new();
            for transport in [Stdio, Http] {
                if over != Both && over != transport {
                    continue;
                }
                let server = HttpServer::start(script.clone()).unwrap();
                let mut options = if transport == Stdio { fake::stdio(&script) } else { fake::http(&server.url()) };
                change(&mut options);
                let (works, report, took) = run(options).await;
                let label = if transport == Stdio { "stdio" } else { "http" };
                let right = match must {
                    Work => works,
                    Fail(words) => !works && report.contains(words),
                };
                if !right || took > HUNG {
                    faults.push(format!("{name} over {label} ({took:?}): {report}"));
                }
            }
            faults
        });
    }
    // A few at a time: each is a process or two on a machine with few cores.
    use futures_util::StreamExt;
    futures_util::stream::iter(tasks).buffer_unordered(4).collect::<Vec<_>>().await.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sloppy_servers_work_or_fail_clearly() {
    let cases = cases();
    assert!(cases.len() >= 50);
    let faults = faults(cases, |_| {}).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
