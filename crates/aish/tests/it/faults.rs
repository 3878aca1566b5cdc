//! F19 and F27 for each shape of server and 20 seeds, as `aish-llm` has the faults of streams.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use aish_journal::{SessionHead, SessionLog, WallClock};
use aish_llm::{ChatRequest, Endpoint, ModelOptions, Provider, Purpose, RemoteProvider};
use aish_testkit::model_server::{
    AnthropicStream, Expect, ModelServer, OllamaStream, OpenAiStream, Reply, Script, Split, Times,
};
use aish_turn::Transcript;
use aish_types::{Message, SessionId, ToolCall};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

const SEEDS: usize = 20;

#[derive(Debug, Clone, Copy)]
enum Shape {
    OpenAi,
    Ollama,
    Anthropic,
}

impl Shape {
    const ALL: [Self; 3] = [Self::OpenAi, Self::Ollama, Self::Anthropic];

    fn expect(self) -> Expect {
        match self {
            Self::OpenAi | Self::Ollama => Expect::chat(),
            Self::Anthropic => Expect::messages(),
        }
    }

    fn call(self, text: &str, name: &str, arguments: &str, fragment: usize) -> Reply {
        match self {
            Self::OpenAi => OpenAiStream::new("m")
                .role()
                .words(text)
                .tool_call(0, "c1", name, arguments, fragment)
                .finish("tool_calls")
                .usage(10, 10, 0)
                .done()
                .reply(),
            Self::Ollama => OllamaStream::new("m")
                .text(text)
                .call("call_1", name, arguments)
                .finish("tool_calls")
                .usage(10, 10)
                .done()
                .reply(),
            Self::Anthropic => AnthropicStream::new("m", 10, 0)
                .text(text)
                .tool_use("toolu_1", name, arguments, fragment)
                .stop("tool_use")
                .reply(),
        }
    }

    fn answer(self) -> Reply {
        match self {
            Self::OpenAi => OpenAiStream::answer("ok").reply(),
            Self::Ollama => OllamaStream::answer("ok").reply(),
            Self::Anthropic => AnthropicStream::answer("ok").reply(),
        }
    }

    fn provider(self, endpoint: &str) -> Arc<dyn Provider> {
        let (endpoint, options) = (Endpoint::parse(endpoint).unwrap(), ModelOptions::new("m"));
        match self {
            Self::OpenAi | Self::Ollama => Arc::new(RemoteProvider::chat(endpoint, options)),
            Self::Anthropic => Arc::new(RemoteProvider::messages(endpoint, options)),
        }
    }

    fn config(self, endpoint: &str) -> String {
        let provider = if matches!(self, Self::Anthropic) { "anthropic" } else { "openai" };
        format!("[models.m]\nendpoint = \"{endpoint}\"\nprovider = \"{provider}\"\ncontext = 16384\n")
    }
}

fn ask(home: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(["ask", "--json", "go"])
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn the_same_call_again_and_again(shape: Shape) {
    for seed in 0..SEEDS {
        // A call that runs and fails, one of no tool, one whose arguments do not fit.
        let (name, arguments) = [
            ("calculator", "{\"expression\":\"1/0\"}"),
            ("no_such_tool", "{}"),
            ("calculator", "{\"expression\":[7]}"),
        ][seed % 3];
        let text = ["", "I try again. "][seed / 3 % 2];
        let reply = shape.call(text, name, arguments, 1 + seed).split(Split::Every(1 + seed * 7));
        let server = ModelServer::start(Script::new().times(Times::Any, shape.expect(), reply)).unwrap();
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join(".config/aish")).unwrap();
        std::fs::write(home.path().join(".config/aish/config.toml"), shape.config(&server.url())).unwrap();
        let output = ask(home.path());
        let events = String::from_utf8_lossy(&output.stdout).into_owned();
        let asked = server.finish().len();
        let end: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
        let outcome = end["outcome"].as_str().unwrap().to_owned();
        assert_eq!(outcome, "looping", "{shape:?} seed {seed} {name}: {events}");
        assert_eq!(asked, 3, "{shape:?} seed {seed}: three strikes, and nobody is asked again");
        assert_eq!(output.status.code(), Some(1), "{events}");
    }
}

#[test]
fn f27_the_same_failing_call_is_broken_off_openai() {
    the_same_call_again_and_again(Shape::OpenAi);
}

#[test]
fn f27_the_same_failing_call_is_broken_off_ollama() {
    the_same_call_again_and_again(Shape::Ollama);
}

#[test]
fn f27_the_same_failing_call_is_broken_off_anthropic() {
    the_same_call_again_and_again(Shape::Anthropic);
}

/// A log that ends in the middle of its calls: `answered` of them have results, and the last line may be torn.
fn torn_log(folder: &Path, id: &SessionId, calls: usize, answered: usize, torn: usize) {
    let log = SessionLog::create(folder, id.clone(), SessionHead::default(), WallClock::default()).unwrap();
    let call = |at: usize| ToolCall { id: format!("c{at}").into(), name: "files.read".into(), arguments: "{}".into() };
    log.append(&Message::user("read them"), None, None).unwrap();
    let tool_calls = (0..calls).map(call).collect();
    log.append(&Message::Assistant { content: "I read.".into(), tool_calls, state: None }, None, None).unwrap();
    for at in 0..answered {
        let content = format!("contents of {at}");
        let (tool_call_id, name) = (format!("c{at}").into(), "files.read".into());
        log.append(&Message::Tool { tool_call_id, name, content, blocks: Vec::new() }, None, None).unwrap();
    }
    if torn > 0 && answered > 0 {
        let text = std::fs::read(log.path()).unwrap();
        std::fs::write(log.path(), &text[..text.len() - torn]).unwrap();
    }
}

/// Returns the ids of calls and of results in a request's body, in order.
fn calls_and_results(shape: Shape, body: &Value) -> (Vec<String>, Vec<String>) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for message in body["messages"].as_array().unwrap() {
        match shape {
            Shape::OpenAi | Shape::Ollama => {
                calls.extend(message["tool_calls"].as_array().into_iter().flatten().map(|call| text(&call["id"])));
                results.extend(message.get("tool_call_id").map(text));
            }
            Shape::Anthropic => {
                for part in message["content"].as_array().into_iter().flatten() {
                    match part["type"].as_str() {
                        Some("tool_use") => calls.push(text(&part["id"])),
                        Some("tool_result") => results.push(text(&part["tool_use_id"])),
                        _ => {}
                    }
                }
            }
        }
    }
    (calls, results)
}

#[tokio::test]
async fn f19_a_call_without_a_result_in_a_log_is_repaired_on_load() {
    for shape in Shape::ALL {
        for seed in 0..SEEDS {
            let folder = tempfile::tempdir().unwrap();
            let id = SessionId::new("torn");
            let calls = 1 + seed % 4;
            let (answered, torn) = (seed % (calls + 1), seed % 30);
            torn_log(folder.path(), &id, calls, answered, torn);
            let (_log, session) = SessionLog::resume(folder.path(), id, WallClock::default()).unwrap();
            let mut transcript = Transcript::new("You are aish.");
            transcript.load(session.turns.into_iter().map(|turn| turn.message));
            let exchange = transcript.open_exchange();
            transcript.push(exchange, Message::user("go on"));
            let server = ModelServer::start(Script::new().step(shape.expect(), shape.answer())).unwrap();
            let request = ChatRequest::new(transcript.render(aish_turn::ToolResults::Messages), Purpose::Main);
            let events: Vec<_> =
                shape.provider(&server.url()).stream(request, CancellationToken::new()).collect().await;
            assert!(events.iter().all(Result::is_ok), "{events:?}");
            let sent = server.finish();
            let body: Value = serde_json::from_slice(&sent[0].body).unwrap();
            let (asked, results) = calls_and_results(shape, &body);
            assert_eq!(asked.len(), calls, "{shape:?} seed {seed}: {body}");
            assert_eq!(asked, results, "{shape:?} seed {seed}: every call has its result, in order: {body}");
        }
    }
}
