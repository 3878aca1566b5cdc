//! The three shapes of servers.

use std::sync::Arc;

use aish_llm::{Broker, BrokerModel, Chain, Endpoint, ModelOptions, Provider, RemoteProvider};
use aish_testkit::model_server::{
    AnthropicStream, Expect, ModelServer, OllamaStream, OpenAiStream, Reply, Script, Times,
};
use serde_json::json;

use crate::harness::{FakePacer, options};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    OpenAi,
    Ollama,
    Anthropic,
}

impl Shape {
    pub(super) const ALL: [Self; 3] = [Self::OpenAi, Self::Ollama, Self::Anthropic];

    pub(super) fn expect(self) -> Expect {
        match self {
            Self::OpenAi | Self::Ollama => Expect::chat(),
            Self::Anthropic => Expect::messages(),
        }
    }

    /// A script of these replies, in order.
    pub(super) fn script(self, replies: impl IntoIterator<Item = Reply>) -> Script {
        replies.into_iter().fold(Script::new(), |script, reply| script.step(self.expect(), reply))
    }

    /// A script of one reply for any number of requests.
    pub(super) fn always(self, reply: Reply) -> Script {
        Script::new().times(Times::Any, self.expect(), reply)
    }

    pub(super) fn provider(self, endpoint: &str, options: ModelOptions) -> Arc<dyn Provider> {
        let endpoint = Endpoint::parse(endpoint).unwrap();
        match self {
            Self::OpenAi | Self::Ollama => Arc::new(RemoteProvider::chat(endpoint, options)),
            Self::Anthropic => Arc::new(RemoteProvider::messages(endpoint, options)),
        }
    }

    /// A broker over one server, with a clock that does not wait.
    pub(super) fn broker(self, server: &ModelServer) -> (Broker, Arc<FakePacer>) {
        self.broker_at(&server.url(), options())
    }

    pub(super) fn broker_at(self, endpoint: &str, options: ModelOptions) -> (Broker, Arc<FakePacer>) {
        let provider = self.provider(endpoint, options);
        let model = BrokerModel { provider, endpoint: Some(endpoint.into()), max_tokens: Some(100), price: None };
        let chain = Chain { default: "m".into(), ..Chain::default() };
        let pacer = Arc::new(FakePacer::default());
        (Broker::new([("m".to_owned(), model)].into(), chain).with_pacer(pacer.clone()), pacer)
    }

    pub(super) fn answer(self, text: &str) -> Reply {
        match self {
            Self::OpenAi => OpenAiStream::answer(text).reply(),
            Self::Ollama => OllamaStream::answer(text).reply(),
            Self::Anthropic => AnthropicStream::answer(text).reply(),
        }
    }

    /// The same answer as one document, as servers send it that do not stream.
    pub(super) fn document(self, text: &str) -> Vec<u8> {
        let document = match self {
            Self::OpenAi | Self::Ollama => json!({
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 3},
            }),
            Self::Anthropic => json!({
                "type": "message", "role": "assistant", "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn", "usage": {"input_tokens": 10, "output_tokens": 3},
            }),
        };
        document.to_string().into_bytes()
    }

    /// Text and calls, ended with a reason in the words of OpenAI.
    pub(super) fn with_calls(self, text: &str, calls: &[(&str, &str, &str)], finish: &str) -> Reply {
        match self {
            Self::OpenAi => {
                let start = OpenAiStream::new("m").role().words(text);
                let stream = calls
                    .iter()
                    .enumerate()
                    .fold(start, |stream, (at, (id, name, arguments))| stream.tool_call(at, id, name, arguments, 5));
                stream.finish(finish).usage(10, 10, 0).done().reply()
            }
            Self::Ollama => {
                let start = OllamaStream::new("m").text(text);
                let stream = calls.iter().fold(start, |stream, (id, name, arguments)| stream.call(id, name, arguments));
                stream.finish(finish).usage(10, 10).done().reply()
            }
            Self::Anthropic => {
                let start = AnthropicStream::new("m", 10, 0).text(text);
                let stream =
                    calls.iter().fold(start, |stream, (id, name, arguments)| stream.tool_use(id, name, arguments, 5));
                stream.stop(if finish == "length" { "max_tokens" } else { "tool_use" }).reply()
            }
        }
    }

    /// How many bytes of a reply's body come before the first event that ends it.
    pub(super) fn bytes_before_end(self, reply: &Reply) -> usize {
        let body = String::from_utf8(reply.body()).unwrap();
        let mark = match self {
            Self::OpenAi | Self::Ollama => "\"finish_reason\":\"",
            Self::Anthropic => "event: message_stop",
        };
        body.find(mark).unwrap()
    }

    /// An error body with a message and a kind.
    pub(super) fn error(self, status: u16, kind: &str, message: &str) -> Reply {
        match self {
            Self::OpenAi => Reply::json(status, &json!({"error": {"message": message, "type": kind, "code": kind}})),
            Self::Ollama => Reply::json(status, &json!({"error": message})),
            Self::Anthropic => {
                Reply::json(status, &json!({"type": "error", "error": {"type": kind, "message": message}}))
            }
        }
    }

    /// A stream that begins as `before` bytes of an answer and goes on with an error event.
    pub(super) fn error_event(self, text: Option<&str>, message: &str) -> Reply {
        match self {
            Self::OpenAi | Self::Ollama => {
                let start = OpenAiStream::new("m").role();
                let start = text.map_or(start.clone(), |text| start.text(text));
                start.event(&json!({"error": {"message": message, "type": "server_error"}})).reply()
            }
            Self::Anthropic => {
                let start = AnthropicStream::new("m", 1, 0);
                let start = text.map_or(start.clone(), |text| start.text(text));
                start
                    .event("error", &json!({"type": "error", "error": {"type": "api_error", "message": message}}))
                    .reply()
            }
        }
    }
}
