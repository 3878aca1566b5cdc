//! Servers that bend HTTP: heads, lengths, redirects, sessions, cookies, refusals, and where they answer.

use std::time::Duration;

use aish_mcp::client::ServerOptions;
use serde_json::{Value, json};

use crate::client_sloppy::{Case, Must, Over, faults};
use Must::{Fail, Work};
use Over::Http;

fn bounded(options: &mut ServerOptions) {
    options.stuck_after = Some(Duration::from_secs(2));
    options.list_timeout = Duration::from_secs(3);
}

/// All answers with this head and this around the message.
fn head(head: &str, body: &str) -> Value {
    json!({"http": {"*": format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}")}})
}

/// All answers as an event stream that stays open.
fn open_stream(events: &str) -> Value {
    head("Content-Type: text/event-stream\r\n", &format!("{events}$HOLD"))
}

fn heads_and_lengths() -> Vec<Case> {
    let json = "Content-Type: application/json\r\n";
    let close = format!("{json}Connection: close\r\n");
    let umlauts =
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"echo","description":"Grüße","inputSchema":{}}]}}"#;
    let counted = |whole: &str| json!({"raw": {"tools/list": umlauts}, "http": {"tools/list": whole}});
    vec![
        (
            "HTTP/1.0",
            Http,
            json!({"http": {"*": "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n$BODY"}}),
            Work,
        ),
        ("no length", Http, head(&close, "$BODY"), Work),
        ("no length, and the connection stays open", Http, head(json, "$BODY$HOLD"), Work),
        (
            "heads with bare line ends",
            Http,
            json!({"http": {"*": "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: $BYTES\n\n$BODY"}}),
            Work,
        ),
        (
            "a status without a reason",
            Http,
            json!({"http": {"*": "HTTP/1.1 200\r\nContent-Type: application/json\r\nContent-Length: $BYTES\r\n\r\n$BODY"}}),
            Work,
        ),
        (
            "a blank before the colon of a header",
            Http,
            head(&format!("{json}Server : x\r\nContent-Length: $BYTES\r\n"), "$BODY"),
            Work,
        ),
        (
            "a header over two lines",
            Http,
            head(&format!("{json}X-Note: a\r\n  b\r\nContent-Length: $BYTES\r\n"), "$BODY"),
            Work,
        ),
        (
            "a line in the head that is no header",
            Http,
            head(&format!("{json}no header\r\nContent-Length: $BYTES\r\n"), "$BODY"),
            Work,
        ),
        (
            "names of headers in capitals",
            Http,
            head("CONTENT-TYPE: APPLICATION/JSON\r\nCONTENT-LENGTH: $BYTES\r\n", "$BODY"),
            Work,
        ),
        (
            "content type twice",
            Http,
            head(&format!("{json}Content-Type: text/html\r\nContent-Length: $BYTES\r\n"), "$BODY"),
            Work,
        ),
        (
            "length twice",
            Http,
            head(&format!("{json}Content-Length: $BYTES\r\nContent-Length: $BYTES\r\n"), "$BODY"),
            Work,
        ),
        (
            "length and chunks",
            Http,
            head(
                &format!("{json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"),
                "1\r\n \r\n1\r\n \r\n0\r\n\r\n",
            ),
            Fail(""),
        ),
        (
            "a length in characters",
            Http,
            counted("HTTP/1.1 200 OK\r\nContent-Length: $CHARS\r\nContent-Type: application/json\r\n\r\n$BODY"),
            Work,
        ),
        (
            "an early hint",
            Http,
            json!({"http": {"*": "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: $BYTES\r\n\r\n$BODY"}}),
            Work,
        ),
        (
            "JSON that claims to be compressed with br",
            Http,
            head(&format!("{json}Content-Encoding: br\r\nContent-Length: $BYTES\r\n"), "$BODY"),
            Work,
        ),
        (
            "an encoding that is none",
            Http,
            head(&format!("{json}Content-Encoding: utf-8\r\nContent-Length: $BYTES\r\n"), "$BODY"),
            Work,
        ),
        (
            "another charset's name",
            Http,
            head("Content-Type: application/json; charset=iso-8859-1\r\nContent-Length: $BYTES\r\n", "$BODY"),
            Work,
        ),
        (
            "JSON-RPC's own type",
            Http,
            head("Content-Type: application/json-rpc\r\nContent-Length: $BYTES\r\n", "$BODY"),
            Work,
        ),
        (
            "bytes without a type",
            Http,
            head("Content-Type: application/octet-stream\r\nContent-Length: $BYTES\r\n", "$BODY"),
            Work,
        ),
        (
            "lines of JSON",
            Http,
            head(
                "Content-Type: application/x-ndjson\r\nConnection: close\r\n",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n$BODY\n",
            ),
            Work,
        ),
        ("blanks before JSON", Http, head(&close, "\r\n\r\n   $BODY"), Work),
        ("a guard before JSON", Http, head(&close, ")]}',\n$BODY"), Work),
        (
            "JSON in a page",
            Http,
            head("Content-Type: text/html\r\nConnection: close\r\n", "<html><body><pre>$BODY</pre></body></html>"),
            Work,
        ),
        (
            "a notice of a script before JSON",
            Http,
            head(
                "Content-Type: text/html\r\nConnection: close\r\n",
                "<br />\n<b>Notice</b>: Undefined index: x in <b>/y.php</b><br />\n$BODY",
            ),
            Work,
        ),
        ("a log behind JSON", Http, head(&close, "$BODY\n[done in 3 ms]"), Work),
        ("the message twice", Http, head(&close, "$BODY\n$BODY"), Work),
        (
            "a list of a notification and the message",
            Http,
            head(&close, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},$BODY]"),
            Work,
        ),
    ]
}

fn streams() -> Vec<Case> {
    let kind = "Content-Type: text/event-stream\r\n";
    let close = format!("{kind}Connection: close\r\n");
    vec![
        ("an event of another name", Http, head(&close, "event: response\ndata: $BODY\n\n"), Work),
        ("data without a blank", Http, head(&close, "data:$BODY\n\n"), Work),
        ("events that end with CR", Http, head(&close, "event: message\rdata: $BODY\r\r"), Work),
        ("an event without its end", Http, head(&close, "data: $BODY"), Work),
        (
            "an event without its empty line in a stream that stays open",
            Http,
            open_stream("event: message\ndata: $BODY\n"),
            Work,
        ),
        ("an event without the end of its line in a stream that stays open", Http, open_stream("data: $BODY"), Work),
        ("bare JSON in a stream that stays open", Http, open_stream("$BODY"), Work),
        ("bare JSON with its line's end in a stream that stays open", Http, open_stream("$BODY\n"), Work),
        ("a comment first, and JSON that is no event", Http, head(&close, ": hi\n\n$BODY\n\n"), Work),
        ("a retry time and an id first", Http, head(&close, "retry: 100\nid: 0\n\nid: 1\ndata: $BODY\n\n"), Work),
        ("an event with empty data first", Http, head(&close, "id: 0\ndata: \n\ndata: $BODY\n\n"), Work),
        ("a ping event first", Http, head(&close, "event: ping\ndata: {\"type\":\"ping\"}\n\ndata: $BODY\n\n"), Work),
        ("a batch in an event", Http, head(&close, "data: [$BODY]\n\n"), Work),
        (
            "a message as a text in an event",
            Http,
            json!({"http": {"tools/list": format!("HTTP/1.1 200 OK\r\n{close}\r\ndata: \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$ID}}\"\n\ndata: $BODY\n\n")}}),
            Work,
        ),
        (
            "an error event",
            Http,
            json!({"http": {"initialize": format!("HTTP/1.1 200 OK\r\n{close}\r\nevent: error\ndata: out of paper\n\n")}}),
            Fail(""),
        ),
        (
            "an event stream with status 202",
            Http,
            json!({"http": {"*": format!("HTTP/1.1 202 Accepted\r\n{close}\r\ndata: $BODY\n\n")}}),
            Work,
        ),
        (
            "an event stream with status 500",
            Http,
            json!({"http": {"tools/call": format!("HTTP/1.1 500 X\r\n{close}\r\ndata: $BODY\n\n")}}),
            Work,
        ),
        ("answers over the other stream", Http, json!({"answers_on_stream": true, "session": true}), Work),
    ]
}

fn refusals() -> Vec<Case> {
    let demand = |line: &str, status: u16| json!({"demands": [{"line": line, "status": status}]});
    let got = |answer: &str| json!({"session": true, "get_answer": answer});
    vec![
        ("a version that must be older", Http, json!({"versions": ["2024-11-05"]}), Work),
        ("a version that must be one of two", Http, json!({"versions": ["2025-03-26", "2025-06-18"]}), Work),
        (
            "a version that must be older, told by status 400",
            Http,
            json!({"versions": ["2024-11-05"], "versions_by_status": true}),
            Work,
        ),
        (
            "a version that must be another one, told by status 400",
            Http,
            json!({"versions": ["2025-06-18", "2025-03-26"], "versions_by_status": true}),
            Work,
        ),
        (
            "headers that are told by their case",
            Http,
            json!({"demands": [{"line": "Content-Type: application/json", "status": 415}, {"line": "Content-Length: ", "status": 411}]}),
            Work,
        ),
        (
            "sessions that are told by their case",
            Http,
            json!({"session": true, "demands": [{"line": "Mcp-Session-Id: ", "status": 400, "except": ["initialize", "server/discover"]}]}),
            Work,
        ),
        ("JSON alone is accepted", Http, demand("Accept: application/json$", 406), Work),
        ("a stream of events must be accepted first", Http, demand("Accept: text/event-stream", 406), Work),
        ("all must be accepted", Http, demand("Accept: */*", 406), Work),
        (
            "cookies",
            Http,
            json!({"headers": {"initialize": ["Set-Cookie: route=a1; Path=/; HttpOnly", "Set-Cookie: b=2"]},
            "demands": [{"line": "Cookie: b=2; route=a1", "status": 404, "except": ["initialize", "server/discover"]}]}),
            Work,
        ),
        ("too many requests at first", Http, json!({"first_status": {"initialize": [429], "tools/list": [429]}}), Work),
        ("not ready at first", Http, json!({"first_status": {"initialize": [503, 503]}}), Work),
        ("a bad gateway at first", Http, json!({"first_status": {"tools/list": [502]}}), Work),
        (
            "a connection that is closed at first",
            Http,
            json!({"first_status": {"initialize": [0], "tools/list": [0]}}),
            Work,
        ),
        ("a call that is cut off is not sent again", Http, json!({"first_status": {"tools/call": [0]}}), Fail("")),
        ("a call is not sent again", Http, json!({"first_status": {"tools/call": [502]}}), Fail("502")),
        ("403 to what is not known", Http, json!({"first_status": {"server/discover": [403]}}), Work),
        ("401 to what is not known", Http, json!({"first_status": {"server/discover": [401]}}), Work),
        ("401 to notifications", Http, json!({"notice_status": 401}), Work),
        ("403 to notifications", Http, json!({"notice_status": 403}), Work),
        ("no other capabilities than none", Http, json!({"bare_clients": true}), Work),
        ("a session that is refused", Http, json!({"refuses_sessions": true, "session": true}), Fail("")),
        (
            "a session that is given out and refused",
            Http,
            json!({"refuses_sessions": true, "headers": {"initialize": ["Mcp-Session-Id: s1"]}}),
            Work,
        ),
        (
            "an empty session",
            Http,
            json!({"headers": {"initialize": ["Mcp-Session-Id: "]}, "refuses_sessions": true}),
            Work,
        ),
        ("another session with each answer", Http, json!({"session": true, "rolling_sessions": true}), Work),
        ("a GET that gets 401", Http, got("HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n"), Work),
        ("a GET that gets 403", Http, got("HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n"), Work),
        ("a GET that gets 404", Http, got("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n"), Work),
        ("a GET that gets 400", Http, got("HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n"), Work),
        ("a GET that gets 406", Http, got("HTTP/1.1 406 X\r\nContent-Length: 0\r\n\r\n"), Work),
        ("a GET that gets 500", Http, got("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n"), Work),
        (
            "a GET that gets a page",
            Http,
            got("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"),
            Work,
        ),
        (
            "a GET that gets JSON",
            Http,
            got("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"),
            Work,
        ),
        ("a GET that gets nothing", Http, got("HTTP/1.1 204 X\r\n\r\n"), Work),
        ("a GET that is cut off", Http, got(""), Work),
        ("a DELETE that hangs", Http, json!({"session": true, "delete_hang": true}), Work),
        (
            "an error with a result's status",
            Http,
            json!({"errors": {"tools/call": {"code": -32000, "message": "not today"}}, "status": {"tools/call": 400}}),
            Fail("not today"),
        ),
    ]
}

fn places() -> Vec<Case> {
    let to = |status: u16, place: &str| json!({"redirect": status, "redirect_to": place});
    let begin = |text: &str| json!({"events": true, "events_begin": format!("HTTP/1.1 200 OK\r\n{text}")});
    let kind = "Content-Type: text/event-stream\r\n\r\n";
    vec![
        ("another place for results", Http, to(303, "/mcp/"), Work),
        ("another place under another name of this machine", Http, to(307, "http://localhost/mcp/"), Work),
        ("another place under another port", Http, to(308, "http://127.0.0.1:1/mcp/"), Work),
        ("another place with a scheme that the proxy had", Http, to(301, "https://127.0.0.1/mcp/"), Work),
        ("a place relative to this one", Http, to(307, "mcp/"), Work),
        ("the same place", Http, to(307, "/mcp"), Fail("redirect")),
        ("a place that is none", Http, to(307, "javascript:alert(1)"), Fail("307")),
        ("HTTP with SSE without a type", Http, begin("\r\nevent: endpoint\ndata: /messages\n\n"), Work),
        (
            "HTTP with SSE as text",
            Http,
            begin("Content-Type: text/plain\r\n\r\nevent: endpoint\ndata: /messages\n\n"),
            Work,
        ),
        ("HTTP with SSE and an address without a name", Http, begin(&format!("{kind}data: /messages?s=1\n\n")), Work),
        (
            "HTTP with SSE and a name in capitals",
            Http,
            begin(&format!("{kind}event: Endpoint\r\ndata: /messages?s=1\r\n\r\n")),
            Work,
        ),
        (
            "HTTP with SSE and a greeting before the address",
            Http,
            begin(&format!("{kind}event: open\ndata: hello\n\nevent: endpoint\ndata: /messages\n\n")),
            Work,
        ),
        (
            "HTTP with SSE and cookies",
            Http,
            json!({"events": true, "events_begin": format!("HTTP/1.1 200 OK\r\nSet-Cookie: r=1\r\n{kind}event: endpoint\ndata: /messages\n\n"),
            "demands": [{"line": "Cookie: r=1", "status": 404}]}),
            Work,
        ),
        ("HTTP with SSE and an older version", Http, json!({"events": true, "versions": ["2024-11-05"]}), Work),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_bend_http_work_or_fail_clearly() {
    let cases = [heads_and_lengths(), streams(), refusals(), places()].into_iter().flatten().collect();
    let faults = faults(cases, bounded).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
