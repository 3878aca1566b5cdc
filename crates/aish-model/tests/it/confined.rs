//! The executable reads its model and nothing else.

use std::path::Path;

use serde_json::json;

use crate::session::{Session, text};

#[test]
fn a_file_that_was_not_named_is_not_read() {
    let mut session = Session::start(&[Path::new("/etc/hostname")]);
    for path in ["/etc/passwd", "/proc/self/environ", "/proc/self/mem"] {
        let refused = session.ask(json!({"op": "load", "path": path}));
        assert_eq!(refused[0]["kind"], "no_file", "{path}: {refused:?}");
        assert!(refused[0]["message"].as_str().unwrap().contains("ermi"), "{path}: {refused:?}");
    }
}

#[test]
fn an_answer_comes_from_a_process_that_can_do_nothing_else() {
    let Some(mut session) = Session::with_model("an_answer_comes_from_a_process_that_can_do_nothing_else", 256) else {
        return;
    };
    let asked = json!({"op": "chat", "temperature": 0, "max_tokens": 12, "messages": [{"role": "user", "content": "Say hello."}]});
    let events = session.ask(asked);
    assert!(!text(&events).is_empty(), "{events:?}");
    // All of its threads are under the filter, and none can have more rights than it has now.
    for task in std::fs::read_dir(format!("/proc/{}/task", session.id())).unwrap() {
        let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        for line in ["Seccomp:\t2", "NoNewPrivs:\t1"] {
            assert!(status.contains(line), "{line}: {status}");
        }
    }
    // Its second file would be one that it was not started for.
    assert_eq!(session.ask(json!({"op": "load", "path": "/etc/passwd"}))[0]["kind"], "no_file");
}

#[test]
fn an_answer_fits_its_schema() {
    let Some(mut session) = Session::with_model("an_answer_fits_its_schema", 512) else { return };
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["verdict", "score"], "properties": {
        "verdict": {"enum": ["quite-so", "not-so"]}, "score": {"type": "integer", "minimum": 1, "maximum": 9}}});
    for seed in 0..5 {
        let events = session
            .ask(json!({"op": "chat", "seed": seed, "temperature": 0.9, "max_tokens": 60, "schema": schema,
            "messages": [{"role": "user", "content": "Is water wet?"}]}));
        let answer: serde_json::Value =
            serde_json::from_str(&text(&events)).unwrap_or_else(|error| panic!("{error}: {events:?}"));
        assert!(["quite-so", "not-so"].contains(&answer["verdict"].as_str().unwrap()), "{answer}");
        assert!((1..=9).contains(&answer["score"].as_i64().unwrap()), "{answer}");
        assert_eq!(events.last().unwrap()["reason"], "stop");
    }
}
