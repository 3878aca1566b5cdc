use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use aish_testkit::model_server::{
    AnthropicStream, End, Expect, Framing, ModelServer, OllamaStream, OpenAiStream, Reply, Script, Split,
};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(20);

fn connect(server: &ModelServer) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream
}

fn send(stream: &mut TcpStream, path: &str, body: &Value) {
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
}

/// Reads all until the server closes, and undoes the chunks.
fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    // A reset is an end, too.
    drop(stream.read_to_end(&mut all));
    all
}

fn dechunk(reply: &[u8]) -> String {
    let body = reply.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
    let mut rest = &reply[body..];
    let mut out = Vec::new();
    while let Some(end) = rest.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        out.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
        if size == 0 {
            break;
        }
    }
    String::from_utf8(out).unwrap()
}

fn ask(server: &ModelServer, path: &str) -> String {
    String::from_utf8_lossy(&ask_bytes(server, path)).into_owned()
}

fn ask_bytes(server: &ModelServer, path: &str) -> Vec<u8> {
    let mut stream = connect(server);
    send(&mut stream, path, &json!({"model": "m"}));
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    read_to_end(&mut stream)
}

#[test]
fn plays_a_stream_the_same_however_it_is_split() {
    let expected = OpenAiStream::answer("Grüße an alle").reply();
    let body = String::from_utf8(expected.body()).unwrap();
    assert!(body.ends_with("data: [DONE]\n\n"));
    for split in [Split::Pieces, Split::Every(1), Split::Every(7), Split::Seeded(1), Split::Seeded(2)] {
        let server = ModelServer::start(expected.clone().split(split)).unwrap();
        assert_eq!(dechunk(&ask_bytes(&server, "/v1/chat/completions")), body, "{split:?}");
        assert_eq!(server.finish().len(), 1);
    }
}

#[test]
fn a_connection_serves_several_requests() {
    let script = Script::new().step(Expect::any(), Reply::json(200, &json!({"a": 1}))).chat(OpenAiStream::answer("b"));
    let server = ModelServer::start(script).unwrap();
    let mut stream = connect(&server);
    send(&mut stream, "/first", &json!({}));
    send(&mut stream, "/v1/chat/completions", &json!({}));
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let replies = String::from_utf8_lossy(&read_to_end(&mut stream)).into_owned();
    assert!(replies.contains("{\"a\":1}"), "{replies}");
    assert!(replies.contains("[DONE]"), "{replies}");
    assert_eq!(server.connections(), 1);
    server.finish();
}

#[test]
fn what_is_unexpected_or_left_over_is_a_violation() {
    let server = ModelServer::start(Script::new()).unwrap();
    assert!(ask(&server, "/v1/chat/completions").starts_with("HTTP/1.1 500"));
    let violation = server.verify().unwrap_err();
    assert!(violation.0[0].contains("unexpected POST /v1/chat/completions: the script is over"), "{violation}");

    let server = ModelServer::start(OpenAiStream::answer("x").reply()).unwrap();
    let violation = server.verify().unwrap_err();
    assert!(violation.0[0].contains("step 1 (POST /v1/chat/completions)"), "{violation}");

    let script = Script::new()
        .chat(OpenAiStream::answer("x"))
        .always(Expect::request("POST", "/tokenize"), Reply::json(404, &json!({})));
    let server = ModelServer::start(script).unwrap();
    assert!(ask(&server, "/tokenize").starts_with("HTTP/1.1 404"));
    assert!(ask(&server, "/tokenize").starts_with("HTTP/1.1 404"));
    ask(&server, "/v1/chat/completions");
    assert_eq!(server.finish().len(), 3);
}

#[test]
fn steps_come_in_order_unless_said_otherwise() {
    let steps = || {
        Script::new()
            .step(Expect::request("POST", "/a"), Reply::error(500, "a"))
            .step(Expect::request("POST", "/b"), Reply::error(500, "b"))
    };
    let server = ModelServer::start(steps()).unwrap();
    ask(&server, "/b");
    ask(&server, "/a");
    assert_eq!(server.verify().unwrap_err().0.len(), 2);
    let server = ModelServer::start(steps().in_any_order()).unwrap();
    ask(&server, "/b");
    ask(&server, "/a");
    server.finish();
}

#[test]
fn ends_as_told() {
    for (end, framing) in [
        (End::Cut, Framing::Chunked),
        (End::Cut, Framing::Length),
        (End::Reset, Framing::Chunked),
        (End::HalfClose, Framing::Close),
    ] {
        let reply = OpenAiStream::answer("never whole").reply().truncate(100).framing(framing).end(end);
        let server = ModelServer::start(reply).unwrap();
        let answer = ask(&server, "/v1/chat/completions");
        assert!(!answer.contains("[DONE]") && !answer.contains("\r\n0\r\n"), "{end:?}: {answer}");
        server.finish();
    }
}

#[test]
fn a_hang_lasts_until_the_client_goes() {
    let server = ModelServer::start(Reply::silence()).unwrap();
    let mut stream = connect(&server);
    send(&mut stream, "/v1/chat/completions", &json!({}));
    assert!(server.wait_for_requests(1, LIMIT));
    assert!(!server.wait_for_disconnects(1, Duration::ZERO));
    drop(stream);
    assert!(server.wait_for_disconnects(1, LIMIT));
    server.finish();
}

#[test]
fn garbage_has_no_head() {
    let server = ModelServer::start(Reply::raw("\0\u{1b}garbage")).unwrap();
    assert_eq!(ask(&server, "/v1/chat/completions"), "\0\u{1b}garbage");
    server.finish();
}

#[test]
fn streams_have_the_shapes_of_their_servers() {
    let ollama =
        String::from_utf8(OllamaStream::new("m").call("a", "x", "{}").call("b", "y", "{}").reply().body()).unwrap();
    // Each chunk has one choice with one call, both of index 0.
    assert_eq!(ollama.matches("\"index\":0").count(), 4, "{ollama}");
    let anthropic = String::from_utf8(AnthropicStream::call("a", "x", "{\"n\":1}").reply().body()).unwrap();
    for event in [
        "message_start",
        "content_block_start",
        "input_json_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ] {
        assert!(anthropic.contains(event), "{event}: {anthropic}");
    }
    let openai = String::from_utf8(OpenAiStream::tokens(2000).reply().body()).unwrap();
    assert_eq!(openai.matches("\"content\":\"word").count(), 2000);
}

#[test]
fn a_script_is_read_from_yaml_and_json() {
    let yaml = r#"
steps:
  - expect: { path: /v1/chat/completions, contains: ["17*23"], lacks: [/tools] }
    reply: { calls: [{ name: calculator, arguments: { expression: "17*23" } }], split: 3 }
  - reply: { text: "It is 391.", usage: { prompt: 12, completion: 4 } }
  - reply: { format: anthropic, text: "Hi", end: cut, truncate: 40 }
always:
  - expect: { path: /props }
    reply: { status: 404 }
"#;
    let script = Script::parse(yaml).unwrap();
    assert_eq!(script.steps.len(), 4);
    assert!(String::from_utf8(script.steps[0].reply.body()).unwrap().contains("calculator"));
    assert_eq!(script.steps[2].expect, Expect::messages());
    assert_eq!(script.steps[2].reply.body().len(), 40);
    assert_eq!(script.steps[3].reply.status, 404);
    assert_eq!(Script::parse("{\"steps\": [{\"reply\": {\"tokens\": 3}}]}").unwrap().steps.len(), 1);
    for bad in
        ["steps: [{reply: {}}]", "steps: [{reply: {text: a, json: {}}}]", "stepz: []", "steps: [{reply: {txt: a}}]"]
    {
        assert!(Script::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_binary_serves_a_script_and_says_whether_it_was_kept() {
    let folder = std::env::temp_dir().join(format!("aish-testkit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (script, log) = (folder.join("script.yaml"), folder.join("log.jsonl"));
    std::fs::write(&script, "steps: [{reply: {text: hello}}]").unwrap();
    for (ask_it, success) in [(true, true), (false, false)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_testkit-model-server"))
            .arg(&script)
            .args(["--until-eof", "--log"])
            .arg(&log)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut url).unwrap();
        if ask_it {
            let mut stream = TcpStream::connect(url.trim().trim_start_matches("http://")).unwrap();
            send(&mut stream, "/v1/chat/completions", &json!({"model": "m"}));
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            assert!(String::from_utf8_lossy(&read_to_end(&mut stream)).contains("hello"));
        }
        drop(child.stdin.take());
        assert_eq!(child.wait().unwrap().success(), success);
        assert_eq!(std::fs::read_to_string(&log).unwrap().contains("\"model\":\"m\""), success);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
