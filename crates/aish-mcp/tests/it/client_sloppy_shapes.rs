//! Servers whose messages have other shapes: names of keys, wrappers, versions, schemas, results, and how programs print them.

use std::time::Duration;

use aish_mcp::client::ServerOptions;
use serde_json::{Value, json};

use crate::client_sloppy::{Case, Must, Over, faults};
use Must::{Fail, Work};
use Over::{Both, Http, Stdio};

fn bounded(options: &mut ServerOptions) {
    options.stuck_after = Some(Duration::from_secs(2));
    options.list_timeout = Duration::from_secs(3);
}

fn result(method: &str, result: Value) -> Value {
    json!({"results": {method: result}})
}

fn raw(method: &str, text: &str) -> Value {
    json!({"raw": {method: text}})
}

fn schema(schema: Value) -> Value {
    result("tools/list", json!({"tools": [{"name": "echo", "inputSchema": schema}]}))
}

fn content(content: Value) -> Value {
    result("tools/call", json!({"content": content}))
}

fn envelopes() -> Vec<Case> {
    vec![
        (
            "PascalCase everywhere",
            Both,
            json!({"raw": {
            "initialize": r#"{"Jsonrpc":"2.0","Id":$ID,"Result":{"ProtocolVersion":"2024-11-05","Capabilities":{"Tools":{}},"ServerInfo":{"Name":"x","Version":"1"}}}"#,
            "tools/list": r#"{"Jsonrpc":"2.0","Id":$ID,"Result":{"Tools":[{"Name":"echo","Description":"d","InputSchema":{"type":"object"}}]}}"#,
            "tools/call": r#"{"Jsonrpc":"2.0","Id":$ID,"Result":{"Content":[{"Type":"text","Text":"hi"}],"IsError":false}}"#}}),
            Work,
        ),
        (
            "snake_case everywhere",
            Both,
            json!({"raw": {
            "initialize": r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocol_version":"2024-11-05","capabilities":{},"server_info":{"name":"x","version":"1"}}}"#,
            "tools/list": r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"echo","input_schema":{"type":"object"}}],"next_cursor":null}}"#,
            "tools/call": r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"hi"}],"is_error":false}}"#}}),
            Work,
        ),
        (
            "an envelope in the envelope",
            Both,
            json!({"raw": {
            "initialize": r#"{"jsonrpc":"2.0","id":$ID,"result":{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}}"#,
            "tools/list": r#"{"jsonrpc":"2.0","id":$ID,"result":{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"echo"}]}}}"#,
            "tools/call": r#"{"jsonrpc":"2.0","id":$ID,"result":{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"hi"}]}}}"#}}),
            Work,
        ),
        (
            "a result as a text",
            Both,
            raw("tools/list", r#"{"jsonrpc":"2.0","id":$ID,"result":"{\"tools\":[{\"name\":\"echo\"}]}"}"#),
            Work,
        ),
        (
            "a call's result in a result",
            Both,
            result("tools/call", json!({"result": {"content": [{"type": "text", "text": "hi"}]}})),
            Work,
        ),
        (
            "a call's result as JSON in a text",
            Both,
            raw(
                "tools/call",
                r#"{"jsonrpc":"2.0","id":$ID,"result":"{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"}"#,
            ),
            Work,
        ),
        (
            "jsonrpc 1.0",
            Both,
            raw("tools/list", r#"{"jsonrpc":"1.0","id":$ID,"result":{"tools":[{"name":"echo"}]},"error":null}"#),
            Work,
        ),
        (
            "other members",
            Both,
            raw(
                "tools/list",
                r#"{"jsonrpc":"2.0","id":$ID,"time":3,"status":"ok","result":{"tools":[{"name":"echo"}],"total":1}}"#,
            ),
            Work,
        ),
        (
            "a false error",
            Both,
            raw("tools/list", r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"echo"}]},"error":false}"#),
            Work,
        ),
        (
            "an id as an exponent",
            Both,
            raw("tools/list", r#"{"jsonrpc":"2.0","id":$IDe0,"result":{"tools":[{"name":"echo"}]}}"#),
            Work,
        ),
        (
            "an id with zeros before it",
            Both,
            raw("tools/list", r#"{"jsonrpc":"2.0","id":"000$ID","result":{"tools":[{"name":"echo"}]}}"#),
            Work,
        ),
        (
            "a key twice",
            Both,
            raw(
                "tools/list",
                r#"{"jsonrpc":"2.0","id":$ID,"id":$ID,"result":{},"result":{"tools":[{"name":"echo"}]}}"#,
            ),
            Work,
        ),
        (
            "keys without quotes",
            Both,
            raw("tools/list", r#"{jsonrpc:"2.0",id:$ID,result:{tools:[{name:"echo"}]}}"#),
            Work,
        ),
        (
            "a semicolon at the end",
            Both,
            raw("tools/list", r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"echo"}]}};"#),
            Work,
        ),
        (
            "hexadecimal escapes",
            Both,
            raw(
                "tools/list",
                r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"echo","description":"\x41\'"}]}}"#,
            ),
            Work,
        ),
        (
            "an error without its code",
            Both,
            json!({"errors": {"tools/call": {"message": "not today"}}}),
            Fail("not today"),
        ),
        ("an error without its message", Both, json!({"errors": {"tools/call": {"code": -32001}}}), Fail("")),
        (
            "an error in an error",
            Both,
            json!({"errors": {"tools/call": {"error": {"code": 1, "message": "not today"}}}}),
            Fail("not today"),
        ),
        (
            "an error with details alone",
            Both,
            json!({"errors": {"tools/call": {"code": -32603, "data": "not today"}}}),
            Fail("not today"),
        ),
        ("a list of errors", Both, json!({"errors": {"tools/call": [{"message": "not today"}]}}), Fail("not today")),
    ]
}

fn lists() -> Vec<Case> {
    let e = json!({"name": "echo"});
    let listed = |listed: Value| result("tools/list", listed);
    let greets = |capabilities: Value| {
        result(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": {"name": "f", "version": "1"}}),
        )
    };
    vec![
        ("tools that are not offered", Both, greets(json!({"prompts": {}})), Work),
        ("tools that are offered with false", Both, greets(json!({"tools": false})), Work),
        ("tools that are offered with null", Both, greets(json!({"tools": null})), Work),
        ("tools that are offered as a list", Both, greets(json!({"tools": [{"name": "echo"}]})), Work),
        ("tools that are offered as a map", Both, greets(json!({"tools": {"echo": {"description": "d"}}})), Work),
        ("capabilities as a text", Both, greets(json!("tools")), Work),
        (
            "experimental capabilities of a kind",
            Both,
            greets(json!({"experimental": true, "logging": null, "completions": 1, "tasks": "x"})),
            Work,
        ),
        (
            "instructions as a list",
            Both,
            result("initialize", json!({"protocolVersion": "2025-06-18", "instructions": ["a"]})),
            Work,
        ),
        ("a version as a list", Both, result("initialize", json!({"protocolVersion": ["2025-06-18"]})), Work),
        ("a cursor that is an object", Both, listed(json!({"tools": [e], "nextCursor": {"page": 2}})), Work),
        ("a cursor that is false", Both, listed(json!({"tools": [e], "nextCursor": false})), Work),
        (
            "a last page that fails",
            Both,
            json!({"sequences": {"tools/list": [{"tools": [e], "nextCursor": "x"}, "no"]}}),
            Work,
        ),
        ("a tool under title", Both, listed(json!({"tools": [e, {"title": "no name"}]})), Work),
        ("a tool in a tool", Both, listed(json!({"tools": [{"tool": {"name": "echo"}}]})), Work),
        (
            "a description as an object",
            Both,
            listed(json!({"tools": [{"name": "echo", "description": {"en": "d"}}]})),
            Work,
        ),
        (
            "arguments for inputSchema",
            Both,
            listed(json!({"tools": [{"name": "echo", "arguments": [{"name": "text", "required": true}]}]})),
            Work,
        ),
        (
            "properties for inputSchema",
            Both,
            listed(json!({"tools": [{"name": "echo", "inputSchema": {"text": {"type": "string"}}}]})),
            Work,
        ),
        (
            "a schema in a schema",
            Both,
            listed(json!({"tools": [{"name": "echo", "inputSchema": {"jsonSchema": {"type": "object"}}}]})),
            Work,
        ),
        (
            "a schema in a list",
            Both,
            listed(json!({"tools": [{"name": "echo", "inputSchema": [{"type": "object"}]}]})),
            Work,
        ),
        ("a schema that is true", Both, listed(json!({"tools": [{"name": "echo", "inputSchema": true}]})), Work),
        (
            "an output schema that is an array's",
            Both,
            listed(json!({"tools": [{"name": "echo", "outputSchema": {"type": "array", "items": {}}}]})),
            Work,
        ),
        (
            "an output schema that the result breaks",
            Both,
            listed(json!({"tools": [{"name": "echo", "outputSchema": {"type": "object", "required": ["n"]}}]})),
            Work,
        ),
        (
            "3,000 tools",
            Both,
            listed(
                json!({"tools": (0..3000).map(|n| json!({"name": format!("t{n}x")})).chain([e.clone()]).collect::<Vec<_>>()}),
            ),
            Work,
        ),
        (
            "300 pages",
            Both,
            json!({"sequences": {"tools/list": (0..300).map(|n| json!({"tools": [{"name": format!("t{n}x")}, e], "nextCursor": n.to_string()})).collect::<Vec<_>>()}}),
            Work,
        ),
    ]
}

fn schemas() -> Vec<Case> {
    let of = |property: Value| schema(json!({"type": "object", "properties": {"text": property}}));
    vec![
        (
            "draft-04",
            Both,
            schema(json!({"$schema": "http://json-schema.org/draft-04/schema#", "id": "x", "type": "object",
            "properties": {"text": {"type": "string"}, "n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}})),
            Work,
        ),
        (
            "draft-07 with definitions",
            Both,
            schema(json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/A",
            "definitions": {"A": {"type": "object", "properties": {"text": {"type": "string"}}}}})),
            Work,
        ),
        (
            "a dialect that nobody knows",
            Both,
            schema(json!({"$schema": "https://example.org/own", "type": "object"})),
            Work,
        ),
        (
            "an id that is an address",
            Both,
            schema(
                json!({"$id": "https://example.org/s.json", "type": "object", "properties": {"text": {"$ref": "#/$defs/T"}}, "$defs": {"T": {"type": "string"}}}),
            ),
            Work,
        ),
        (
            "a reference to itself",
            Both,
            schema(json!({"type": "object", "properties": {"text": {"type": "string"}, "child": {"$ref": "#"}}})),
            Work,
        ),
        ("a reference that is a number", Both, of(json!({"$ref": 5})), Work),
        (
            "OpenAPI's nullable and example",
            Both,
            of(json!({"type": "string", "nullable": true, "example": "x", "format": "own"})),
            Work,
        ),
        (
            "required among the properties",
            Both,
            schema(json!({"type": "object", "properties": {"text": {"type": "string"}, "required": ["text"]}})),
            Work,
        ),
        (
            "required as a map",
            Both,
            schema(json!({"type": "object", "properties": {"text": {}}, "required": {"text": true}})),
            Work,
        ),
        ("null as properties", Both, schema(json!({"type": "object", "properties": null, "required": null})), Work),
        ("anyOf of types", Both, of(json!({"anyOf": [{"type": "string"}, "null", null]})), Work),
        (
            "additionalProperties as a text",
            Both,
            schema(json!({"type": "object", "properties": {"text": {}}, "additionalProperties": "false"})),
            Work,
        ),
        (
            "an array without items",
            Both,
            schema(json!({"type": "object", "properties": {"text": {"type": "string"}, "list": {"type": "array"}}})),
            Work,
        ),
        (
            "a pattern of another dialect",
            Both,
            of(json!({"type": "string", "pattern": "^(?!x)\\p{IsGreek}?.*\\Z"})),
            Work,
        ),
        ("a default of another type", Both, of(json!({"type": "string", "default": 5})), Work),
        (
            "const null",
            Both,
            schema(json!({"type": "object", "properties": {"text": {"type": "string"}, "x": {"const": null}}})),
            Work,
        ),
        ("null as type", Both, schema(json!({"type": null, "properties": {"text": {"type": "string"}}})), Work),
        ("a type in a list in a list", Both, of(json!({"type": [["string"]]})), Work),
        ("a schema of an array", Both, schema(json!({"type": "array", "items": {"type": "string"}})), Work),
    ]
}

fn results() -> Vec<Case> {
    vec![
        ("a block of JSON", Both, content(json!([{"type": "json", "json": "hi"}])), Work),
        ("a block of an error", Both, content(json!([{"type": "error", "text": "hi"}])), Work),
        ("a block whose type is null", Both, content(json!([{"type": null, "text": "hi"}])), Work),
        ("a block under content", Both, content(json!([{"type": "text", "content": "hi"}])), Work),
        ("a block in a list", Both, content(json!([[{"type": "text", "text": "hi"}]])), Work),
        ("null among the blocks", Both, content(json!([null, {"type": "text", "text": "hi"}])), Work),
        ("a text in the place of the content", Both, result("tools/call", json!({"text": "hi"})), Work),
        ("contents", Both, result("tools/call", json!({"contents": [{"type": "text", "text": "hi"}]})), Work),
        ("a message of a model", Both, result("tools/call", json!({"role": "tool", "content": "hi"})), Work),
        ("structured content under another key", Both, result("tools/call", json!({"structured_content": "hi"})), Work),
        (
            "null as content beside structure",
            Both,
            result("tools/call", json!({"content": null, "structuredContent": "hi"})),
            Work,
        ),
        (
            "a list as structure",
            Both,
            result("tools/call", json!({"content": [{"type": "text", "text": "hi"}], "structuredContent": [1]})),
            Work,
        ),
        (
            "no error, as a word",
            Both,
            result("tools/call", json!({"content": [{"type": "text", "text": "hi"}], "isError": "no"})),
            Work,
        ),
        ("no error, as a number", Both, result("tools/call", json!({"content": "hi", "isError": 0})), Work),
        (
            "annotations that are none",
            Both,
            content(json!([{"type": "text", "text": "hi", "annotations": "x", "_meta": []}])),
            Work,
        ),
        (
            "audience as a text",
            Both,
            content(json!([{"type": "text", "text": "hi", "annotations": {"audience": "user", "priority": "high"}}])),
            Work,
        ),
        ("a result type of its own", Both, result("tools/call", json!({"resultType": "done", "content": "hi"})), Work),
        ("a meta that is none", Both, result("tools/call", json!({"_meta": "x", "content": "hi"})), Work),
    ]
}

fn programs() -> Vec<Case> {
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let storm = vec![ping; 500];
    let long = format!("{}\n", "log ".repeat(20_000));
    vec![
        ("all messages behind their length and without an end", Stdio, json!({"framing": "length"}), Work),
        ("an end behind the answer", Stdio, json!({"last": ["tools/call"]}), Work),
        ("a version that must be older", Stdio, json!({"versions": ["2024-11-05"]}), Work),
        ("a version that must be one of two", Stdio, json!({"versions": ["2025-06-18", "2025-03-26"]}), Work),
        ("no other capabilities than none", Stdio, json!({"bare_clients": true}), Work),
        ("pings without end", Both, json!({"before": {"tools/list": storm}}), Work),
        ("a long line of a log", Stdio, json!({"banner": [long]}), Work),
        (
            "a progress bar",
            Stdio,
            raw(
                "tools/list",
                "\r 10%\r 50%\r100%\r{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}",
            ),
            Work,
        ),
        (
            "blanks in a message behind a log",
            Stdio,
            raw(
                "tools/list",
                "INFO { \"jsonrpc\" : \"2.0\" , \"id\" : $ID , \"result\" : { \"tools\" : [ { \"name\" : \"echo\" } ] } }",
            ),
            Work,
        ),
        ("a banner in brackets", Stdio, json!({"banner": ["[", "[x]", "[1,2", "{", "}", "]"]}), Work),
        (
            "a banner of an environment",
            Stdio,
            json!({"banner": ["{\"name\":\"x\",\"version\":\"1\",\"id\":1}", "{\"id\":0,\"status\":\"ok\"}"]}),
            Work,
        ),
        ("a title of a terminal", Stdio, json!({"banner": ["\u{1b}]0;server\u{7}\u{1b}[2J\u{1b}[?25l"]}), Work),
        (
            "its input on its output",
            Stdio,
            raw(
                "tools/list",
                "> {\"method\":\"tools/list\"}\n{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}",
            ),
            Work,
        ),
        (
            "a message in a log's field",
            Stdio,
            raw(
                "tools/list",
                "{\"level\":\"debug\",\"msg\":\"sending\",\"id\":$ID}\n{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}",
            ),
            Work,
        ),
        (
            "a notification in place of the answer",
            Http,
            raw("tools/call", r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}"#),
            Fail(""),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_with_shapes_of_their_own_work_or_fail_clearly() {
    let cases = [envelopes(), lists(), schemas(), results(), programs()].into_iter().flatten().collect();
    let faults = faults(cases, bounded).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
