//! Scripted runs of the machine.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use aish_types::{CallId, Role, ToolCall, ToolOutcome};

use super::*;
use crate::event::{Finish, Judged};

/// An answer of the scripted model.
enum Answer {
    Text(&'static str),
    Calls(&'static str, Vec<(&'static str, &'static str, &'static str)>),
    Malformed(&'static str),
    Fails(&'static str, bool),
    Cut(&'static str),
    Withheld(&'static str),
    Reasoning(&'static str),
}

struct Run {
    turn: Turn,
    answers: VecDeque<Answer>,
    declined: Vec<&'static str>,
    approved: BTreeMap<CallId, ToolName>,
    outcomes: BTreeMap<&'static str, ToolOutcome>,
    requests: Vec<(Vec<Message>, bool)>,
    order: Vec<String>,
    statuses: Vec<Status>,
    log: BTreeMap<u64, Option<Message>>,
}

impl Run {
    fn new(options: TurnOptions, answers: Vec<Answer>) -> Self {
        let budget =
            Budget { max_turns: 40, token_budget: 4096, system_tokens: 0, schema_tokens: 0, tokens_per_message: 0 };
        Self {
            turn: Turn::new(options, Transcript::new("system"), budget),
            answers: answers.into(),
            declined: vec![],
            approved: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            requests: vec![],
            order: vec![],
            statuses: vec![],
            log: BTreeMap::new(),
        }
    }

    fn ask(&mut self, question: &str) -> Outcome {
        self.play(Event::Asked { text: question.into(), blocks: vec![] })
    }

    fn play(&mut self, first: Event) -> Outcome {
        let mut events = VecDeque::from([first]);
        let mut outcome = None;
        while let Some(event) = events.pop_front() {
            for effect in self.turn.handle(event) {
                if let Some(done) = self.perform(effect, &mut events) {
                    outcome = Some(done);
                }
            }
        }
        outcome.expect("the turn never ended")
    }

    fn perform(&mut self, effect: Effect, events: &mut VecDeque<Event>) -> Option<Outcome> {
        match effect {
            Effect::Measure => events.push_back(Event::Measured { system_tokens: 1, schema_tokens: 0 }),
            Effect::Summarize { evicted, .. } => {
                events.push_back(Event::Summarized(Some(format!("{} messages", evicted.len()))));
            }
            Effect::Ask { messages, offer_tools } => {
                self.requests.push((messages, offer_tools));
                events.extend(stream_of(self.answers.pop_front().expect("an unexpected request")));
            }
            Effect::Judge(call) => {
                self.order.push(format!("judge {}", call.id));
                let judged = if self.declined.contains(&call.name.as_str()) {
                    Judged::Declined { reason: "declined by the user".into() }
                } else {
                    self.approved.insert(call.id.clone(), call.name.clone());
                    Judged::Approved { arguments: serde_json::from_str(&call.arguments).unwrap() }
                };
                events.push_back(Event::Judged { id: call.id, judged });
            }
            Effect::Run(calls) => {
                for id in calls {
                    self.order.push(format!("run {id}"));
                    let name = self.approved.remove(&id).expect("a call runs once, and only when it was approved");
                    let outcome = self.outcomes.get(name.as_str()).cloned();
                    let outcome = outcome.unwrap_or_else(|| ToolOutcome::success("ok"));
                    events.push_back(Event::Ran { id, outcome });
                }
            }
            Effect::Status(status) => self.statuses.push(status),
            Effect::Keep(record) => {
                self.log.insert(record.id, record.message);
            }
            Effect::ShowText(_) | Effect::ShowOutcome { .. } => {}
            Effect::Done(outcome) => return Some(outcome),
        }
        None
    }

    fn last_request(&self) -> &[Message] {
        &self.requests.last().unwrap().0
    }

    /// The log, replayed, is the transcript.
    fn check_log(&self) {
        let mut replayed = Transcript::new("");
        replayed.load(self.log.values().flatten().cloned());
        let messages = |transcript: &Transcript| -> Vec<Message> {
            transcript.entries().iter().map(|entry| entry.message.clone()).collect()
        };
        assert_eq!(messages(&replayed), messages(self.turn.transcript()));
    }
}

fn stream_of(answer: Answer) -> Vec<Event> {
    let mut events = vec![];
    let end = Event::StreamEnded(match answer {
        Answer::Cut(_) => Finish::Length,
        Answer::Withheld(_) => Finish::Withheld,
        _ => Finish::Whole,
    });
    let call = |(id, name, arguments): (&str, &str, &str)| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    match answer {
        Answer::Text(text) | Answer::Cut(text) | Answer::Withheld(text) => events.push(Event::Text(text.into())),
        Answer::Calls(text, calls) => {
            events.push(Event::Text(text.into()));
            events.extend(calls.into_iter().map(|parts| Event::Call(call(parts))));
        }
        Answer::Reasoning(said) => {
            events.push(Event::Reasoned);
            events.push(Event::Text(said.into()));
            events.push(Event::TextWasReasoning);
        }
        Answer::Malformed(name) => {
            events.push(Event::Malformed { call: call(("m", name, "{\"a\":")), reason: "cut".into() });
        }
        Answer::Fails(text, template_refused) => {
            events.push(Event::Text(text.into()));
            events.push(Event::StreamFailed { message: "broke off".into(), template_refused });
            return events;
        }
    }
    events.push(end);
    events
}

fn options() -> TurnOptions {
    TurnOptions::default()
}

#[test]
fn text_alone_ends_the_turn() {
    let mut run = Run::new(options(), vec![Answer::Text("Paris.")]);
    assert_eq!(run.ask("capital of France?"), Outcome::Answered);
    assert_eq!(run.last_request(), [Message::system("system"), Message::user("capital of France?")]);
    run.check_log();
}

#[test]
fn a_call_is_judged_run_and_answered() {
    let calls = vec![("1", "calculator", r#"{"expression":"17*23"}"#)];
    let mut run = Run::new(options(), vec![Answer::Calls("", calls), Answer::Text("391")]);
    run.outcomes.insert("calculator", ToolOutcome::success("391"));
    assert_eq!(run.ask("17*23?"), Outcome::Answered);
    assert_eq!(run.order, ["judge 1", "run 1"]);
    let Message::Tool { tool_call_id, content, .. } = &run.last_request()[3] else { panic!() };
    assert_eq!((tool_call_id.as_str(), content.as_str()), ("1", "391"));
    run.check_log();
}

#[test]
fn calls_run_in_order_unless_all_only_read() {
    let calls = || vec![("1", "write", "{}"), ("2", "read", "{}")];
    let mut run = Run::new(options(), vec![Answer::Calls("", calls()), Answer::Text("done")]);
    run.ask("go");
    assert_eq!(run.order, ["judge 1", "run 1", "judge 2", "run 2"]);

    let mut run = Run::new(options(), vec![Answer::Calls("", calls()), Answer::Text("done")]);
    let reads = |name: &str| Offer { name: name.into(), read_only: true };
    run.turn.set_offers([reads("write"), reads("read")]);
    run.ask("go");
    assert_eq!(run.order, ["judge 1", "judge 2", "run 1", "run 2"]);
    run.check_log();
}

#[test]
fn a_command_goes_through_the_gate_and_back_as_the_users_text() {
    let mut run = Run::new(options(), vec![Answer::Text("Look:\nCMD: ls -la\nCMD: pwd"), Answer::Text("Two files.")]);
    run.outcomes.insert("shell", ToolOutcome::success("a b\n[exit code: 0]"));
    assert_eq!(run.ask("which files?"), Outcome::Answered);
    assert_eq!(
        run.last_request()[3],
        Message::user("[exec: ls -la]\na b\n[exit code: 0]\n\n[exec: pwd]\na b\n[exit code: 0]")
    );
    run.check_log();
}

#[test]
fn a_command_over_several_lines_is_one_call() {
    let line = "CMD: for f in a b; do\n  echo $f\ndone\nThen I stop.";
    let mut run = Run::new(options(), vec![Answer::Text(line), Answer::Text("Done.")]);
    run.outcomes.insert("shell", ToolOutcome::success("a\nb\n[exit code: 0]"));
    assert_eq!(run.ask("list them"), Outcome::Answered);
    assert_eq!(run.order, ["judge cmd-1-0", "run cmd-1-0"]);
    let expected = Message::user("[exec: for f in a b; do\n  echo $f\ndone]\na\nb\n[exit code: 0]");
    assert_eq!(run.last_request()[3], expected);
    run.check_log();
}

#[test]
fn the_output_of_a_command_follows_the_results_of_its_answers_calls() {
    let calls = vec![("1", "read", "{}"), ("2", "read", "{}")];
    let mut run = Run::new(options(), vec![Answer::Calls("CMD: ls", calls), Answer::Text("done")]);
    assert_eq!(run.ask("go"), Outcome::Answered);
    let roles: Vec<Role> = run.last_request().iter().skip(2).map(Message::role).collect();
    assert_eq!(roles, [Role::Assistant, Role::Tool, Role::Tool, Role::User]);
    assert_eq!(run.order.first().unwrap(), "judge cmd-1-0", "it was proposed first and runs first");
    run.check_log();
}

#[test]
fn a_declined_command_ends_the_turn_and_a_declined_call_is_told() {
    let mut run = Run::new(options(), vec![Answer::Text("CMD: rm -rf x")]);
    run.declined = vec!["shell"];
    assert_eq!(run.ask("clean up"), Outcome::Declined);

    let calls = vec![("1", "files.delete", "{}")];
    let mut run = Run::new(options(), vec![Answer::Calls("", calls), Answer::Text("As you wish.")]);
    run.declined = vec!["files.delete"];
    assert_eq!(run.ask("clean up"), Outcome::Answered);
    assert_eq!(run.last_request()[3].content(), "Declined: declined by the user");
    run.check_log();
}

#[test]
fn a_transport_error_is_a_status_and_leaves_the_recorded_turn() {
    let calls = vec![("1", "files.gone", "{}"), ("2", "files.read", "{}")];
    let mut run = Run::new(options(), vec![Answer::Calls("", calls), Answer::Text("done")]);
    run.outcomes.insert("files.gone", ToolOutcome::transport("Tool not found"));
    assert_eq!(run.ask("go"), Outcome::Answered);
    assert_eq!(run.last_request().len(), 4);
    assert_eq!(run.last_request()[2].tool_calls().len(), 1);
    assert!(matches!(&run.statuses[..], [Status::Transport { message, .. }] if message == "Tool not found"));
    run.check_log();

    let mut run = Run::new(options(), vec![Answer::Calls("", vec![("1", "files.gone", "{}")])]);
    run.outcomes.insert("files.gone", ToolOutcome::transport("Tool not found"));
    assert_eq!(run.ask("go"), Outcome::NothingLeft);
    assert_eq!(run.turn.transcript().entries().len(), 1, "an empty turn is dropped");
    run.check_log();
}

#[test]
fn the_model_is_told_of_malformed_calls_and_a_person_sees_them() {
    for faults in [Faults::Person, Faults::Model] {
        let told = TurnOptions { faults, ..options() };
        let mut run = Run::new(told, vec![Answer::Malformed("files.read"), Answer::Text("Sorry.")]);
        assert_eq!(run.ask("go"), Outcome::Answered);
        let said = "Error: the call was not run: cut\nThe arguments were: {\"a\":";
        assert_eq!(run.last_request()[3].content(), said);
        assert_eq!(run.last_request()[2].tool_calls()[0].arguments, "{}", "strict servers want an object");
        let shown = run.statuses.iter().any(|status| matches!(status, Status::Malformed { .. }));
        assert_eq!(shown, faults == Faults::Person);
        assert!(run.order.is_empty());
        run.check_log();
    }
    let mut run = Run::new(options(), vec![Answer::Malformed(""), Answer::Malformed(""), Answer::Malformed("")]);
    assert_eq!(run.ask("go"), Outcome::NothingLeft, "three in a row end the turn");
    assert_eq!(run.requests[1].0[2].tool_calls()[0].name.as_str(), "unnamed");
    run.check_log();
}

#[test]
fn what_broke_off_or_is_empty_is_said_and_is_no_answer() {
    for (answer, outcome, status) in [
        (Answer::Cut("CMD: rm x"), Outcome::Cut, Status::Cut { calls: false, only_reasoned: false }),
        (Answer::Cut(""), Outcome::Cut, Status::Cut { calls: false, only_reasoned: false }),
        (Answer::Withheld("CMD: rm x"), Outcome::Withheld, Status::Withheld { calls: false }),
        (Answer::Text(" \n"), Outcome::Empty, Status::Empty { reasoned: false }),
        (Answer::Reasoning("CMD: rm x"), Outcome::Empty, Status::Empty { reasoned: true }),
    ] {
        let mut run = Run::new(options(), vec![answer]);
        assert_eq!(run.ask("go"), outcome);
        assert_eq!(run.statuses, [status]);
        assert!(run.order.is_empty(), "nothing of it is run");
        run.check_log();
    }
}

#[test]
fn the_depth_limit_stops_the_shell_and_leaves_no_call_unanswered() {
    let answers = (0..8).map(|_| Answer::Calls("thinking", vec![("1", "read", "{}")])).collect();
    let mut run = Run::new(options(), answers);
    assert_eq!(run.ask("go"), Outcome::DepthLimit);
    assert_eq!(run.requests.len(), 8);
    assert!(matches!(run.statuses[..], [Status::DepthLimit]));
    assert!(matches!(run.turn.transcript().entries().last().unwrap().message, Message::Tool { .. }));
    run.check_log();
}

#[test]
fn the_chat_service_asks_once_more_without_tools() {
    let mut answers: Vec<Answer> = (0..5).map(|_| Answer::Calls("", vec![("1", "read", "{}")])).collect();
    answers.push(Answer::Calls("That is all.", vec![("1", "read", "{}")]));
    let mut run = Run::new(TurnOptions { cap: Cap::Calls(5), ..options() }, answers);
    assert_eq!(run.ask("go"), Outcome::Answered);
    let offered: Vec<bool> = run.requests.iter().map(|(_, offered)| *offered).collect();
    assert_eq!(offered, [true, true, true, true, true, false]);
    run.check_log();
}

#[test]
fn an_exchange_that_is_taken_over_keeps_its_count_and_runs_no_call_over_the_cap() {
    let three = vec![("1", "read", "{}"), ("2", "read", "{}"), ("3", "read", "{}")];
    let answers = vec![Answer::Calls("", three), Answer::Text("Done.")];
    let mut run = Run::new(TurnOptions { cap: Cap::Calls(5), ..options() }, answers);
    let transcript = run.turn.transcript_mut();
    let exchange = transcript.open_exchange();
    transcript.push(exchange, Message::user("go"));
    assert_eq!(run.play(Event::Resumed { exchange, calls: 3 }), Outcome::Answered);
    assert_eq!(run.order.iter().filter(|step| step.starts_with("run")).count(), 2);
    assert_eq!((run.turn.counted_calls(), run.requests[1].1), (5, false));
    let (last, _) = run.requests[1].0.split_last().unwrap();
    assert!(last.content().contains("the limit of tool calls is reached"), "the third call has a result");
    assert_eq!(run.requests[1].0.iter().filter(|message| matches!(message, Message::Tool { .. })).count(), 3);
}

#[test]
fn where_calls_are_counted_a_loop_ends_with_an_answer() {
    let again = || Answer::Calls("", vec![("1", "read", "{}")]);
    let mut run = Run::new(
        TurnOptions { cap: Cap::Calls(9), ..options() },
        vec![again(), again(), again(), Answer::Text("I give up.")],
    );
    run.outcomes.insert("read", ToolOutcome::reported_failure("no such file"));
    assert_eq!(run.ask("go"), Outcome::Answered);
    assert_eq!((run.turn.counted_calls(), run.requests[3].1), (3, false), "the last request offers no tools");
}

#[test]
fn a_stream_without_its_end_runs_nothing() {
    let mut run = Run::new(options(), vec![Answer::Fails("CMD: rm -rf x\n", false)]);
    assert_eq!(run.ask("go"), Outcome::Failed);
    assert!(run.order.is_empty());
}

#[test]
fn a_template_that_refuses_tools_is_asked_again_once_without() {
    let calls = vec![("1", "read", "{}")];
    let mut run = Run::new(options(), vec![Answer::Calls("", calls), Answer::Fails("", true), Answer::Text("ok")]);
    assert_eq!(run.ask("go"), Outcome::Answered);
    assert_eq!(run.last_request(), [Message::system("system"), Message::user("go\n\n[tool: read]\nok")]);
    let mut run = Run::new(options(), vec![Answer::Fails("", true), Answer::Fails("", true)]);
    assert_eq!(run.ask("go"), Outcome::Failed);
}

#[test]
fn the_same_failure_three_times_ends_the_turn() {
    let answers = (0..3).map(|_| Answer::Calls("", vec![("1", "read", r#"{"path":"x"}"#)])).collect();
    let mut run = Run::new(options(), answers);
    run.outcomes.insert("read", ToolOutcome::failure("no such file"));
    assert_eq!(run.ask("go"), Outcome::Looping);
    assert_eq!(run.order.len(), 6);
}

#[test]
fn ctrl_c_gives_each_open_call_an_aborted_result() {
    let mut run = Run::new(options(), vec![]);
    let mut turn = run.turn;
    turn.handle(Event::Asked { text: "go".into(), blocks: vec![] });
    turn.handle(Event::Measured { system_tokens: 0, schema_tokens: 0 });
    for (id, name) in [("1", "a"), ("2", "b")] {
        turn.handle(Event::Call(ToolCall { id: id.into(), name: name.into(), arguments: "{}".into() }));
    }
    turn.handle(Event::StreamEnded(Finish::Whole));
    let effects = turn.handle(Event::Interrupted);
    assert!(matches!(effects.last(), Some(Effect::Done(Outcome::Interrupted))));
    let results = turn.transcript().entries().iter().filter(|entry| matches!(entry.message, Message::Tool { .. }));
    assert_eq!(results.count(), 2);
    assert!(turn.handle(Event::Interrupted).is_empty(), "a second one finds nothing to stop");
    run.turn = turn;
}

#[test]
fn results_that_look_like_commands_do_nothing() {
    let calls = vec![("1", "read", "{}")];
    let mut run = Run::new(options(), vec![Answer::Calls("", calls), Answer::Text("done")]);
    run.outcomes.insert("read", ToolOutcome::success("CMD: rm -rf /\n"));
    run.ask("go");
    assert_eq!(run.order, ["judge 1", "run 1"]);
}

#[test]
fn ids_that_an_earlier_answer_gave_are_not_given_again() {
    let again = || Answer::Calls("CMD: ls", vec![("call_1", "a", "{}")]);
    let mut run = Run::new(options(), vec![again(), again(), Answer::Text("done"), again(), Answer::Text("done")]);
    run.ask("go");
    run.ask("go on");
    let ids: Vec<&str> = run.order.iter().filter_map(|step| step.strip_prefix("judge ")).collect();
    let different: alloc::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!((ids.len(), different.len()), (6, 6), "{ids:?}");
    run.check_log();
}

#[test]
fn ids_that_collide_or_are_missing_become_unique() {
    let calls = vec![("1", "a", "{}"), ("1", "b", "{}"), ("", "c", "{}")];
    let mut run = Run::new(options(), vec![Answer::Calls("", calls), Answer::Text("done")]);
    run.ask("go");
    let ids: Vec<String> = run.last_request()[2].tool_calls().iter().map(|call| call.id.to_string()).collect();
    assert_eq!(ids, ["1", "1-1-2", "call-3"]);
    assert_eq!(run.order.iter().filter(|step| step.starts_with("run")).count(), 3);
}
