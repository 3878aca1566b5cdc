//! Whatever an answer mixes and however its turn goes: the next request is one that strict servers take.
//!
//! Each case plays turns of made-up answers (text, `CMD:` lines, calls, broken calls, cut and broken streams) with made-up
//! decisions (approved, edited, declined, refused, failed, interrupted), loses the end of the log now and then, resumes,
//! and sends every request to servers with the rules of OpenAI and of Anthropic.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::Path;

use aish_journal::{SessionHead, WallClock};
use aish_llm::{ChatRequest, Endpoint, ModelOptions, Names, Provider, Purpose, RemoteProvider, StreamEvent, ToolSpec};
use aish_testkit::model_server::{AnthropicStream, End, Expect, ModelServer, OpenAiStream, Reply, Script, Strict};
use aish_turn::{Budget, Effect, Event, Faults, Judged, Transcript, Turn, TurnOptions};
use aish_types::{CallId, Message, ToolCall, ToolOutcome};
use futures_util::StreamExt as _;
use proptest::prelude::*;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{KeptLog, Opening, ResumedSession};
use crate::driver::SessionLog as _;

/// What comes of a call that can be run.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Approved,
    Edited,
    Declined,
    Unknown,
    Fails,
    Dies,
    Interrupted,
}

/// How a call of the model's is written.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Whole,
    Empty,
    NoJson,
    NoObject,
    NoName,
    SameId,
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Well,
    Length,
    Broken,
}

#[derive(Debug, Clone)]
struct Answer {
    text: bool,
    commands: Vec<Fate>,
    calls: Vec<(Shape, Fate)>,
    ending: Ending,
}

impl Answer {
    /// The one that ends a turn.
    fn plain() -> Self {
        Self { text: true, commands: Vec::new(), calls: Vec::new(), ending: Ending::Well }
    }
}

#[derive(Debug, Clone)]
struct Asked {
    answers: Vec<Answer>,
    /// Lines of the log that are lost before the session is resumed; none goes on without.
    resumed: Option<usize>,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Approved),
        2 => Just(Fate::Edited),
        2 => Just(Fate::Declined),
        1 => Just(Fate::Unknown),
        1 => Just(Fate::Fails),
        1 => Just(Fate::Dies),
        1 => Just(Fate::Interrupted),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        6 => Just(Shape::Whole),
        1 => Just(Shape::Empty),
        1 => Just(Shape::NoJson),
        1 => Just(Shape::NoObject),
        1 => Just(Shape::NoName),
        1 => Just(Shape::SameId),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let ending = prop_oneof![8 => Just(Ending::Well), 1 => Just(Ending::Length), 1 => Just(Ending::Broken)];
    let commands = prop::collection::vec(fate(), 0..3);
    let calls = prop::collection::vec((shape(), fate()), 0..4);
    (any::<bool>(), commands, calls, ending).prop_map(|(text, commands, calls, ending)| Answer {
        text,
        commands,
        calls,
        ending,
    })
}

fn asked() -> impl Strategy<Value = Asked> {
    (prop::collection::vec(answer(), 0..4), prop::option::of(0_usize..4))
        .prop_map(|(answers, resumed)| Asked { answers, resumed })
}

fn approved(call: &ToolCall, edited: bool) -> Judged {
    let given = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    Judged::Approved { arguments: if edited { json!({"n": 7, "command": "edited"}) } else { given } }
}

/// The text of an answer, its `CMD:` lines included.
fn words(answer: &Answer, at: usize) -> String {
    let mut words = if answer.text { format!("Answer {at}.\n") } else { String::new() };
    for command in 0..answer.commands.len() {
        writeln!(words, "CMD: echo {command}").unwrap();
    }
    words
}

/// The calls of an answer as a server writes them: id, name, arguments.
fn written(answer: &Answer, serial: usize) -> Vec<(String, &'static str, &'static str)> {
    let shapes = answer.calls.iter().enumerate();
    shapes
        .map(|(at, (shape, _))| {
            let id = match shape {
                Shape::SameId => "call_twice".to_owned(),
                _ => format!("call_{serial}_{at}"),
            };
            match shape {
                Shape::Whole | Shape::SameId => (id, "files__read", "{\"n\":1}"),
                Shape::Empty => (id, "files__read", ""),
                Shape::NoJson => (id, "files__read", "{\"n\":"),
                Shape::NoObject => (id, "files__read", "[1]"),
                Shape::NoName => (id, "", "{}"),
            }
        })
        .collect()
}

fn reply(vendor: Strict, answer: &Answer, serial: usize) -> Reply {
    let (text, calls) = (words(answer, serial), written(answer, serial));
    let reply = match vendor {
        Strict::OpenAi => {
            let mut stream = OpenAiStream::new("scripted").role().words(&text);
            for (at, (id, name, arguments)) in calls.iter().enumerate() {
                stream = stream.tool_call(at, id, name, arguments, 0);
            }
            let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
            stream.finish(if matches!(answer.ending, Ending::Length) { "length" } else { reason }).done().reply()
        }
        Strict::Anthropic => {
            let mut stream = AnthropicStream::new("scripted", 10, 0);
            if !text.is_empty() {
                stream = stream.text(&text);
            }
            for (id, name, arguments) in &calls {
                stream = stream.tool_use(id, name, arguments, 0);
            }
            let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
            stream.stop(if matches!(answer.ending, Ending::Length) { "max_tokens" } else { reason }).reply()
        }
        other => panic!("{other:?} is played elsewhere"),
    };
    match answer.ending {
        Ending::Broken => {
            let bytes = reply.body().len();
            reply.truncate(bytes / 2).end(End::Cut)
        }
        Ending::Well | Ending::Length => reply,
    }
}

/// Sends a request to a server with a vendor's rules and returns what its answer means to the turn.
async fn send(vendor: Strict, messages: Vec<Message>, reply: Reply) -> Vec<Event> {
    let path = match vendor {
        Strict::OpenAi => Expect::chat(),
        Strict::Anthropic => Expect::messages(),
        other => panic!("{other:?} is played elsewhere"),
    };
    let server = ModelServer::start(Script::new().strict(vendor).step(path, reply)).unwrap();
    let endpoint = Endpoint::parse(&server.url()).unwrap();
    let options = ModelOptions { names: Names::Strict, ..ModelOptions::new("scripted") };
    let provider: Box<dyn Provider> = match vendor {
        Strict::OpenAi => Box::new(RemoteProvider::chat(endpoint, options)),
        Strict::Anthropic => Box::new(RemoteProvider::messages(endpoint, options)),
        other => panic!("{other:?} is played elsewhere"),
    };
    let tool = ToolSpec { name: "files.read".into(), description: "Reads.".into(), parameters: json!({}) };
    let request = ChatRequest { tools: vec![tool], ..ChatRequest::new(messages, Purpose::Main) };
    let mut stream = provider.stream(request, CancellationToken::new());
    let mut events = Vec::new();
    while let Some(item) = stream.next().await {
        events.push(match item {
            Ok(StreamEvent::Text(text)) => Event::Text(text),
            Ok(StreamEvent::State(state)) => Event::State(state),
            Ok(StreamEvent::ToolCall(call)) => Event::Call(call),
            Ok(StreamEvent::MalformedCall { call, reason }) => Event::Malformed { call, reason },
            Ok(StreamEvent::Finished(reason)) => Event::StreamEnded(crate::driver::finish_of(reason)),
            Ok(_) => continue,
            Err(error) => Event::StreamFailed { message: error.to_string(), template_refused: false },
        });
    }
    drop(stream);
    server.finish();
    events
}

/// A session that is played.
struct Session<'a> {
    vendor: Strict,
    folder: &'a Path,
    turn: Turn,
    log: KeptLog,
    serial: usize,
}

fn new_turn() -> Turn {
    let budget =
        Budget { max_turns: 60, token_budget: 1 << 20, system_tokens: 0, schema_tokens: 0, tokens_per_message: 0 };
    Turn::new(TurnOptions::default(), Transcript::new("You are aish."), budget)
}

impl<'a> Session<'a> {
    fn begin(vendor: Strict, folder: &'a Path, faults: Faults) -> Self {
        let opening = Opening {
            folder: folder.to_owned(),
            id: "s-1".into(),
            head: SessionHead::default(),
            clock: WallClock::default(),
        };
        let budget = new_turn().budget().clone();
        let options = TurnOptions { faults, ..TurnOptions::default() };
        let turn = Turn::new(options, Transcript::new("You are aish."), budget);
        Self { vendor, folder, turn, log: KeptLog::new(Some(opening)), serial: 0 }
    }

    /// Loses the last lines of the log, as a crash may, and goes on with what it holds.
    fn resume(&mut self, lost: usize) {
        self.log = KeptLog::new(None);
        let path = aish_journal::session::path_of(self.folder, &"s-1".into()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let kept = lines.len().saturating_sub(lost).max(2);
        std::fs::write(&path, lines.iter().take(kept).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let resumed = ResumedSession::open(self.folder, "s-1".into(), WallClock::default()).unwrap().unwrap();
        self.turn = new_turn();
        self.log = resumed.install(&mut self.turn, "scripted");
    }

    async fn ask(&mut self, asked: &Asked) {
        let mut answers: VecDeque<Answer> = asked.answers.iter().cloned().collect();
        let mut events = VecDeque::from([Event::Asked { text: "go".into(), blocks: vec![] }]);
        let (mut commands, mut calls) = (VecDeque::new(), VecDeque::new());
        while let Some(event) = events.pop_front() {
            for effect in self.turn.handle(event) {
                match effect {
                    Effect::Measure => events.push_back(Event::Measured { system_tokens: 1, schema_tokens: 1 }),
                    Effect::Ask { messages, .. } => {
                        let now = answers.pop_front().unwrap_or(Answer::plain());
                        self.serial += 1;
                        commands = now.commands.iter().copied().collect();
                        calls = now.calls.iter().map(|(_, fate)| *fate).collect();
                        events.extend(send(self.vendor, messages, reply(self.vendor, &now, self.serial)).await);
                    }
                    Effect::Judge(call) => {
                        let fates: &mut VecDeque<Fate> =
                            if call.id.as_str().starts_with("cmd-") { &mut commands } else { &mut calls };
                        events.push_back(judged(&call, fates.pop_front().unwrap_or(Fate::Approved)));
                    }
                    Effect::Run(ids) => events.extend(ids.into_iter().map(ran)),
                    Effect::Keep(record) => assert_eq!(self.log.keep(&record, "scripted"), None),
                    Effect::Summarize { .. } => events.push_back(Event::Summarized(None)),
                    Effect::ShowText(_) | Effect::ShowOutcome { .. } | Effect::Status(_) | Effect::Done(_) => {}
                }
            }
        }
    }
}

fn judged(call: &ToolCall, fate: Fate) -> Event {
    let judged = match fate {
        Fate::Interrupted => return Event::Interrupted,
        Fate::Declined => Judged::Declined { reason: "declined by the user".into() },
        Fate::Unknown => Judged::Refused(ToolOutcome::failure("Unknown tool")),
        Fate::Dies => Judged::Refused(ToolOutcome::transport("gone")),
        Fate::Edited => approved(call, true),
        Fate::Approved | Fate::Fails => approved(call, false),
    };
    Event::Judged { id: call.id.clone(), judged }
}

fn ran(id: CallId) -> Event {
    // Some die on the way.
    let outcome = match id.as_str().bytes().last() {
        Some(b'2') => ToolOutcome::transport("the server is gone"),
        Some(b'1') => ToolOutcome::reported_failure("no such file"),
        _ => ToolOutcome::success("done"),
    };
    Event::Ran { id, outcome }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strict_servers_take_every_request(turns in prop::collection::vec(asked(), 1..5), told in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let faults = if told { Faults::Model } else { Faults::Person };
        runtime.block_on(async {
            for vendor in [Strict::OpenAi, Strict::Anthropic] {
                let folder = tempfile::tempdir().unwrap();
                let mut session = Session::begin(vendor, folder.path(), faults);
                for asked in &turns {
                    session.ask(asked).await;
                    if let Some(lost) = asked.resumed {
                        session.resume(lost);
                    }
                }
            }
        });
    }
}
