//! F10 at a terminal: Ctrl-C while it connects, while it answers, at the gate, in a command.

use aish_testkit::model_server::{End, ModelServer, OpenAiStream, Reply, Script};
use aish_testkit::terminal::TerminalSession;
use serde_json::{Value, json};

use crate::place::{HUNG, Place, line, quit, wait};

const ROUNDS: usize = 2;

/// In the order in which they are asked.
fn server() -> ModelServer {
    let call = |stream: OpenAiStream, index, id: &str, command: &str| {
        stream.tool_call(index, id, "shell", &json!({ "command": command }).to_string(), 8)
    };
    let begun = || OpenAiStream::new("m").role();
    let calls = |stream: OpenAiStream| stream.finish("tool_calls").usage(10, 5, 0).done();
    let mut script = Script::new();
    for round in 0..ROUNDS {
        let two = call(begun(), 0, &format!("first-{round}"), "touch made");
        let two = call(two, 1, &format!("second-{round}"), "touch made");
        let deep = call(begun(), 0, &format!("deep-{round}"), "sh -c 'echo deep; exec sleep 1000'");
        script = script
            .chat(Reply::silence())
            .chat(begun().words("Once upon a time there was a lighthouse.").reply().end(End::Hang))
            .chat(calls(two))
            .chat(calls(deep));
    }
    ModelServer::start(script.chat(OpenAiStream::answer("All is well."))).unwrap()
}

/// Types on a screen of its own, waits for a state, presses Ctrl-C, and waits for the prompt.
fn stopped(session: &TerminalSession, step: usize, typed: &str, until: impl FnOnce(&TerminalSession) -> bool) {
    line(session, &format!("clear; echo step-$(({step}+1000))."), &format!("step-{}.", step + 1000));
    session.type_bytes(format!("{typed}\r").as_bytes()).unwrap();
    assert!(until(session), "{typed}: {}", session.contents());
    session.type_bytes(b"\x03").unwrap();
    wait(session, |screen| screen.contains("interrupted"));
}

#[test]
fn f10_ctrl_c_brings_the_prompt_back_wherever_it_is() {
    let server = server();
    let config = "[models.m]\nendpoint = \"{model}\"\n[memory]\nauto = false\n[shell]\nconfirm_cmd = true\n";
    let place = Place::new(&server.url(), config);
    let session = place.shell(&[]);
    let sees =
        |text: &'static str| move |session: &TerminalSession| session.wait_until(HUNG, |screen| screen.contains(text));
    for round in 0..ROUNDS {
        let asked = server.requests().len();
        stopped(&session, 4 * round, "?go connect", |_| server.wait_for_requests(asked + 1, HUNG));
        stopped(&session, 4 * round + 1, "?go stream", sees("Once upon"));
        stopped(&session, 4 * round + 2, "?go gate", sees("[y]es"));
        stopped(&session, 4 * round + 3, "?go tool", |session| {
            assert!(sees("[y]es")(session), "{}", session.contents());
            session.type_bytes(b"y").unwrap();
            session.wait_until(HUNG, |screen| screen.lines().any(|line| line.trim() == "deep"))
        });
    }
    line(&session, "?how is it", "All is well.");
    quit(session);
    assert!(!place.path("work/made").exists());

    // The history is valid: what was asked last has a result for each call.
    let requests = server.requests();
    let body: Value = serde_json::from_slice(&requests.last().unwrap().body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let results: Vec<_> = messages.iter().filter_map(|message| message["tool_call_id"].as_str()).collect();
    let calls: Vec<_> = messages
        .iter()
        .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten())
        .map(|call| call["id"].as_str().unwrap())
        .collect();
    assert_eq!(calls, results, "{body}");
    assert_eq!(calls, ["first-0", "second-0", "deep-0", "first-1", "second-1", "deep-1"], "{body}");
}
