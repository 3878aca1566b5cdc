//! Three rounds of tools and a resumed session, on each vendor's wire, before a server with that vendor's rules.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use aish_journal::{SessionHead, WallClock};
use aish_llm::{
    Api, Broker, BrokerModel, CallOptions, Chain, ChatRequest, Endpoint, ModelOptions, Names, Provider, Purpose,
    RemoteProvider, StreamEvent, Thinking, ToolSpec,
};
use aish_testkit::model_server::strict::{PREFIX, mark};
use aish_testkit::model_server::{
    AnthropicStream, Expect, ModelServer, OpenAiStream, RecordedRequest, Reply, ResponsesStream, Script, Strict,
};
use aish_turn::{Budget, Effect, Event, Judged, Transcript, Turn, TurnOptions};
use aish_types::ToolOutcome;
use futures_util::StreamExt as _;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{KeptLog, Opening, ResumedSession};
use crate::driver::SessionLog as _;

/// One vendor.
struct Vendor {
    rules: Strict,
    /// The wire that is spoken first.
    api: Api,
    /// Writes the answer of a round: a call, or text at the end.
    answer: fn(usize, bool) -> Reply,
    /// The path that the answers come from.
    path: &'static str,
    /// How many requests are refused before their form is learned.
    refused: usize,
    /// What the person is told was learned.
    learned: &'static [&'static str],
    options: fn(&mut ModelOptions),
}

const CHAT: &str = "/v1/chat/completions";

fn plain(_: &mut ModelOptions) {}

fn chat(deltas: &[serde_json::Value], round: usize, last: bool) -> Reply {
    let stream = deltas.iter().fold(OpenAiStream::new("scripted").role(), OpenAiStream::delta);
    if last {
        return stream.text("Done.").finish("stop").done().reply();
    }
    stream.tool_call(0, &format!("call_{round}"), "files__read", "{\"n\":1}", 4).finish("tool_calls").done().reply()
}

fn plays(vendor: &Vendor, script: Script) -> ModelServer {
    let rounds = [false, false, false, true, false, true];
    let script = rounds.iter().enumerate().fold(script, |script, (round, last)| {
        script.step(Expect::request("POST", vendor.path), (vendor.answer)(round, *last))
    });
    ModelServer::start(script.strict(vendor.rules).refuses(vendor.refused)).unwrap()
}

fn provider(vendor: &Vendor, server: &ModelServer) -> RemoteProvider {
    let mut options = ModelOptions { names: Names::Strict, ..ModelOptions::new("scripted") };
    (vendor.options)(&mut options);
    RemoteProvider::new(vendor.api, Endpoint::parse(&server.url()).unwrap(), options)
}

/// Asks as the program does: tags are folded on the way.
fn broker(provider: &Arc<RemoteProvider>) -> Broker {
    let provider: Arc<dyn Provider> = Arc::clone(provider) as Arc<_>;
    let model = BrokerModel { provider, endpoint: None, max_tokens: None, price: None };
    let chain = Chain { default: "scripted".into(), ..Chain::default() };
    Broker::new(BTreeMap::from([("scripted".to_owned(), model)]), chain)
}

fn new_turn() -> Turn {
    let budget =
        Budget { max_turns: 60, token_budget: 1 << 20, system_tokens: 0, schema_tokens: 0, tokens_per_message: 0 };
    Turn::new(TurnOptions::default(), Transcript::new("You are aish."), budget)
}

/// Asks one question and plays it to its end.
async fn ask(turn: &mut Turn, log: &mut KeptLog, provider: &Arc<RemoteProvider>, tools: &[&str]) {
    let broker = broker(provider);
    let mut events = VecDeque::from([Event::Asked { text: "go".into(), blocks: vec![] }]);
    while let Some(event) = events.pop_front() {
        for effect in turn.handle(event) {
            match effect {
                Effect::Measure => events.push_back(Event::Measured { system_tokens: 1, schema_tokens: 1 }),
                Effect::Ask { messages, .. } => {
                    let tools = tools.iter().map(|name| ToolSpec {
                        name: (*name).into(),
                        description: "Reads.".into(),
                        parameters: json!({"type": "object"}),
                    });
                    let request = ChatRequest { tools: tools.collect(), ..ChatRequest::new(messages, Purpose::Main) };
                    let mut stream = broker.stream(request, CallOptions::default(), CancellationToken::new());
                    while let Some(item) = stream.next().await {
                        events.push_back(match item.unwrap() {
                            StreamEvent::Text(text) => Event::Text(text),
                            StreamEvent::Reasoning(_) => Event::Reasoned,
                            StreamEvent::TextWasReasoning => Event::TextWasReasoning,
                            StreamEvent::State(state) => Event::State(state),
                            StreamEvent::ToolCall(call) => Event::Call(call),
                            StreamEvent::Finished(reason) => Event::StreamEnded(crate::driver::finish_of(reason)),
                            _ => continue,
                        });
                    }
                }
                Effect::Judge(call) => {
                    let arguments = serde_json::from_str(&call.arguments).unwrap();
                    events.push_back(Event::Judged { id: call.id, judged: Judged::Approved { arguments } });
                }
                Effect::Run(ids) => {
                    events.extend(ids.into_iter().map(|id| Event::Ran { id, outcome: ToolOutcome::success("done") }));
                }
                Effect::Keep(record) => assert_eq!(log.keep(&record, "scripted"), None),
                Effect::Summarize { .. } => events.push_back(Event::Summarized(None)),
                Effect::ShowText(_) | Effect::ShowOutcome { .. } | Effect::Status(_) | Effect::Done(_) => {}
            }
        }
    }
}

/// Plays both questions, the second in a resumed session, which `tools` are offered to then; returns the requests.
async fn play(vendor: &Vendor, tools: &[&str]) -> Vec<RecordedRequest> {
    let folder = tempfile::tempdir().unwrap();
    let server = plays(vendor, Script::new());
    let opening = Opening {
        folder: folder.path().to_owned(),
        id: "s-1".into(),
        head: SessionHead::default(),
        clock: WallClock::default(),
    };
    let (mut turn, mut log) = (new_turn(), KeptLog::new(Some(opening)));
    let first = Arc::new(provider(vendor, &server));
    ask(&mut turn, &mut log, &first, &["files.read"]).await;
    assert_eq!(first.learned(), vendor.learned, "{:?}", vendor.rules);
    drop(log);
    let resumed = ResumedSession::open(folder.path(), "s-1".into(), WallClock::default()).unwrap().unwrap();
    let mut turn = new_turn();
    let mut log = resumed.install(&mut turn, "scripted");
    // Another process has learned nothing yet.
    let second = Arc::new(provider(vendor, &server));
    ask(&mut turn, &mut log, &second, tools).await;
    server.finish()
}

async fn check(vendor: Vendor) -> Vec<RecordedRequest> {
    play(&vendor, &["files.read"]).await
}

fn claude(round: usize, last: bool) -> Reply {
    let thought = format!("Thought {round}.");
    let signature = format!("{}{PREFIX}", mark(&thought));
    let stream = AnthropicStream::new("scripted", 10, 0).block(
        &json!({"type": "thinking", "thinking": "", "signature": ""}),
        vec![
            json!({"type": "thinking_delta", "thinking": thought}),
            json!({"type": "signature_delta", "signature": signature}),
        ],
    );
    let stream = stream.block(&json!({"type": "redacted_thinking", "data": "hidden"}), vec![]);
    match last {
        true => stream.text("Done.").stop("end_turn").reply(),
        false => stream
            .text("I read.")
            .tool_use(&format!("toolu_{round}"), "files__read", "{\"n\":1}", 3)
            .stop("tool_use")
            .reply(),
    }
}

fn the_claude(options: fn(&mut ModelOptions), refused: usize, learned: &'static [&'static str]) -> Vendor {
    Vendor {
        rules: Strict::Claude,
        api: Api::Messages,
        answer: claude,
        path: "/v1/messages",
        refused,
        learned,
        options,
    }
}

#[tokio::test]
async fn claude_gets_its_thinking_back_with_signatures_that_hold() {
    let requests = check(the_claude(plain, 0, &[])).await;
    let last = requests.last().unwrap().text();
    assert_eq!(last.matches("\"signature\"").count(), 5, "every thought goes back, resumed too: {last}");
    assert_eq!(last.matches("redacted_thinking").count(), 5);
    assert!(!last.contains("\"temperature\""));
}

#[tokio::test]
async fn thinking_is_left_out_where_its_signature_no_longer_holds() {
    // Another tool is another prefix.
    let requests = play(&the_claude(plain, 0, &[]), &["files.read", "files.write"]).await;
    let counts: Vec<usize> = requests.iter().map(|sent| sent.text().matches("\"signature\"").count()).collect();
    assert_eq!(counts, [0, 1, 2, 3, 0, 1], "all of it goes, and what comes after holds again");
}

#[tokio::test]
async fn a_temperature_that_claude_refuses_is_left_out_and_said() {
    let warm = |options: &mut ModelOptions| options.temperature = Some(0.2);
    let words = &["the model takes no temperature; asked without (models.NAME.temperature)"];
    check(the_claude(warm, 2, words)).await;
}

fn gpt(round: usize, last: bool) -> Reply {
    let stream = ResponsesStream::new().reasoning("I think.", &format!("enc-{round}"));
    match last {
        true => stream.text("Done.").completed().reply(),
        false => stream.text("I read.").call(&format!("call_{round}"), "files__read", "{\"n\":1}").completed().reply(),
    }
}

#[tokio::test]
async fn gpt_speaks_responses_without_state_and_gets_its_reasoning_back() {
    let (answer, path) = (gpt as fn(usize, bool) -> Reply, "/v1/responses");
    let vendor =
        |api, refused, learned| Vendor { rules: Strict::Gpt, api, answer, path, refused, learned, options: plain };
    let requests = check(vendor(Api::Responses, 0, &[])).await;
    let last = requests.last().unwrap().text();
    assert!(last.contains("\"store\":false") && !last.contains("\"id\""), "{last}");
    assert_eq!(last.matches("\"encrypted_content\"").count(), 5, "{last}");
    // Asked on the wrong wire, it names the right one; another process learns it anew.
    let words = &["the model wants the Responses API; asked there (models.NAME.api = \"responses\")"];
    check(vendor(Api::Chat, 2, words)).await;
}

#[tokio::test]
async fn deepseek_gets_its_reasoning_back_with_every_call() {
    // The second round has no reasoning: the field goes back all the same.
    let answer = |round: usize, last: bool| {
        let thought = [json!({"reasoning_content": "I "}), json!({"reasoning_content": "think."})];
        chat(if round == 1 { &[] } else { &thought }, round, last)
    };
    let vendor = Vendor {
        rules: Strict::DeepSeek,
        api: Api::Chat,
        answer,
        path: CHAT,
        refused: 2,
        learned: &[],
        options: plain,
    };
    let requests = check(vendor).await;
    let last = requests.last().unwrap().text();
    assert_eq!(last.matches("\"reasoning_content\":\"I think.\"").count(), 3, "{last}");
    assert_eq!(last.matches("\"reasoning_content\":\"\"").count(), 1, "{last}");
}

#[tokio::test]
async fn gemini_gets_the_signatures_of_its_calls_back() {
    let answer = |round: usize, last: bool| {
        if last {
            return chat(&[], round, true);
        }
        let id = format!("call_{round}");
        let call = json!([{"id": id, "type": "function", "function": {"name": "files__read", "arguments": "{}"},
                           "extra_content": {"google": {"thought_signature": format!("sig-{id}")}}}]);
        OpenAiStream::new("gemini").tool_delta(call).finish("stop").done().reply()
    };
    let vendor =
        Vendor { rules: Strict::Gemini, api: Api::Chat, answer, path: CHAT, refused: 0, learned: &[], options: plain };
    check(vendor).await;
}

#[tokio::test]
async fn openrouter_gets_the_details_of_reasoning_back_whole() {
    let answer = |round: usize, last: bool| {
        let detail = |text: &str, signature: Option<String>| {
            json!({"reasoning": text, "reasoning_details": [
                {"type": "reasoning.text", "text": text, "index": 0, "signature": signature}]})
        };
        chat(&[detail("I ", None), detail("think.", None), detail("", Some(mark("I think.")))], round, last)
    };
    let vendor = Vendor {
        rules: Strict::OpenRouter,
        api: Api::Chat,
        answer,
        path: CHAT,
        refused: 0,
        learned: &[],
        options: plain,
    };
    check(vendor).await;
}

#[tokio::test]
async fn mistral_gets_the_parts_of_its_answer_back() {
    let answer = |round: usize, last: bool| {
        let thinking = |text: &str, signature: Option<&str>| json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}], "signature": signature}]});
        let said = json!({"content": [{"type": "text", "text": "I read."}]});
        chat(&[thinking("I ", None), thinking("think.", Some("sig")), said], round, last)
    };
    let vendor =
        Vendor { rules: Strict::Mistral, api: Api::Chat, answer, path: CHAT, refused: 0, learned: &[], options: plain };
    check(vendor).await;
}

#[tokio::test]
async fn a_server_that_refuses_reasoning_is_asked_without() {
    let answer = |round: usize, last: bool| chat(&[json!({"reasoning": "I think."})], round, last);
    let learned = &["the server refused earlier reasoning; asked without it"];
    let vendor =
        Vendor { rules: Strict::Plain, api: Api::Chat, answer, path: CHAT, refused: 2, learned, options: plain };
    check(vendor).await;
}

/// A vendor of chat completions that takes what is sent at once.
fn chat_vendor(rules: Strict, answer: fn(usize, bool) -> Reply) -> Vendor {
    Vendor { rules, api: Api::Chat, answer, path: CHAT, refused: 0, learned: &[], options: plain }
}

#[tokio::test]
async fn kimi_gets_its_reasoning_back_and_keeps_its_own_temperature() {
    let answer = |round: usize, last: bool| {
        chat(&[json!({"reasoning_content": "I "}), json!({"reasoning_content": "think."})], round, last)
    };
    let learned = &["the model takes no temperature; asked without (models.NAME.temperature)"];
    let options = |options: &mut ModelOptions| options.temperature = Some(0.2);
    let requests = check(Vendor { refused: 2, learned, options, ..chat_vendor(Strict::Kimi, answer) }).await;
    let last = requests.last().unwrap().text();
    assert_eq!(last.matches("\"reasoning_content\":\"I think.\"").count(), 4, "{last}");
}

#[tokio::test]
async fn glm_gets_its_preserved_thinking_back() {
    let answer = |round: usize, last: bool| chat(&[json!({"reasoning_content": "I think."})], round, last);
    let options = |options: &mut ModelOptions| options.thinking = Some(Thinking::On);
    check(Vendor { options, ..chat_vendor(Strict::Glm, answer) }).await;
}

#[tokio::test]
async fn grok_gets_its_encrypted_reasoning_back_on_responses() {
    let vendor = |api, refused, learned| Vendor {
        api,
        path: "/v1/responses",
        refused,
        learned,
        ..chat_vendor(Strict::Grok, gpt)
    };
    check(vendor(Api::Responses, 0, &[])).await;
    let words = &["the model wants the Responses API; asked there (models.NAME.api = \"responses\")"];
    check(vendor(Api::Chat, 2, words)).await;
}

#[tokio::test]
async fn groq_gets_its_reasoning_back_under_its_own_name() {
    let answer =
        |round: usize, last: bool| chat(&[json!({"reasoning": "I "}), json!({"reasoning": "think."})], round, last);
    let requests = check(chat_vendor(Strict::Groq, answer)).await;
    let last = requests.last().unwrap().text();
    assert_eq!(last.matches("\"reasoning\":\"I think.\"").count(), 4, "{last}");
}

#[tokio::test]
async fn minimax_gets_its_answer_back_with_its_tags() {
    let answer = |round: usize, last: bool| {
        let said = ["<thi", "nk>I think.</th", "ink>I read."].map(|text| json!({"content": text}));
        chat(if last { &said[3..] } else { &said }, round, last)
    };
    let options = |options: &mut ModelOptions| options.model = "MiniMax-M2.1".into();
    let requests = check(Vendor { options, ..chat_vendor(Strict::MiniMax, answer) }).await;
    let last = requests.last().unwrap().text();
    assert_eq!(last.matches("<think>I think.</think>I read.").count(), 4, "{last}");
}

#[tokio::test]
async fn servers_of_ones_own_get_reasoning_back_under_the_name_that_was_read() {
    let one = |round: usize, last: bool| chat(&[json!({"reasoning": "I think."})], round, last);
    let other = |round: usize, last: bool| chat(&[json!({"reasoning_content": "I think."})], round, last);
    for (answer, name) in [(one as fn(usize, bool) -> Reply, "reasoning"), (other, "reasoning_content")] {
        let requests = check(chat_vendor(Strict::OpenAi, answer)).await;
        let last = requests.last().unwrap().text();
        assert_eq!(last.matches(&format!("\"{name}\":\"I think.\"")).count(), 4, "{last}");
    }
}
