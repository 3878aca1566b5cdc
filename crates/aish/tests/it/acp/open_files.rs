//! Files that an editor has open, under the official client in Python.

use aish_testkit::model_server::{Expect, OpenAiStream, Reply, Script};
use serde_json::{Value, json};

use crate::acp::{talk, tree_home};
use crate::person::Home;

fn call(tool: &str, arguments: Value) -> Reply {
    OpenAiStream::call("c1", tool, &arguments.to_string()).reply()
}

/// Plays a prompt a step, each with one call, and what the model must then be told of it.
fn play(home: &Home, steps: &[(Value, Reply, &str)]) -> Option<Vec<Value>> {
    let script = steps.iter().fold(Script::new(), |script, (_, reply, told)| {
        let expected = Expect::chat().contains(told);
        script.step(Expect::chat(), reply.clone()).step(expected, OpenAiStream::answer("Done.").reply())
    });
    let steps: Vec<&Value> = steps.iter().map(|(step, ..)| step).collect();
    let told = talk(home, &json!(steps).to_string(), script)?;
    Some(told["steps"].as_array().unwrap().clone())
}

fn edit(old: &str, new: &str) -> Reply {
    call("edit_file", json!({"path": "a", "old": old, "new": new}))
}

#[test]
fn what_is_not_saved_is_read_and_never_written_over_and_the_editor_writes() {
    let home = tree_home();
    let read = || call("read_file", json!({"path": "a"}));
    let step = |saves: &str| json!({"answers": ["once"], "saves": saves});
    let Some(played) = play(
        &home,
        &[
            (json!({"answers": [], "saves": "plain", "typed": {"a": "one\ntyped\n"}}), read(), "2\\ttyped"),
            (
                json!({"answers": ["once"], "saves": "plain", "typed": {"a": "one\ntyped\n"}}),
                edit("one", "1"),
                "not saved",
            ),
            (step("plain"), edit("one", "1"), "changed a"),
            (step("lies"), edit("1", "uno"), "changed a"),
            (step("fails"), edit("uno", "eins"), "changed a"),
            (step("never answers"), edit("eins", "un"), "changed a"),
            (step("formats"), edit("un", "ein"), "in another form"),
            (json!({"answers": [], "saves": "plain"}), edit("EIN", "1"), "call read_file again"),
            (step("plain"), call("write_file", json!({"path": "new/b", "content": "b\n"})), "made new/b"),
        ],
    ) else {
        return;
    };
    let a = |at: usize| played[at]["tree"]["a"].as_str().unwrap().to_owned();
    let files = |at: usize| played[at]["files"].clone();
    assert_eq!((a(0), files(0)), ("one\ntwo\n".to_owned(), json!([["read", "a"]])));
    assert_eq!((a(1), files(1)), ("one\ntwo\n".to_owned(), json!([["read", "a"]])));
    assert_eq!((a(2), files(2)), ("1\ntwo\n".to_owned(), json!([["read", "a"], ["write", "a"]])));
    // The disk holds, whatever the editor says or does not.
    assert_eq!((a(3), a(4), a(5)), ("uno\ntwo\n".to_owned(), "eins\ntwo\n".to_owned(), "un\ntwo\n".to_owned()));
    assert_eq!((a(6), a(7)), ("EIN\nTWO\n".to_owned(), "EIN\nTWO\n".to_owned()));
    assert_eq!(played[8]["tree"]["new/b"], "b\n");
}

/// An editor cannot be trusted with bytes that are no plain text.
#[test]
fn other_ends_of_lines_are_written_here() {
    let home = tree_home();
    std::fs::write(home.work().join("a"), "one\r\ntwo\r\n").unwrap();
    let Some(played) = play(
        &home,
        &[
            (json!({"answers": [], "saves": "plain"}), call("read_file", json!({"path": "a"})), "1\\tone"),
            (json!({"answers": ["once"], "saves": "plain"}), edit("two", "2"), "changed a"),
        ],
    ) else {
        return;
    };
    assert_eq!(std::fs::read(home.work().join("a")).unwrap(), b"one\r\n2\r\n");
    assert_eq!(played[1]["files"], json!([["read", "a"]]));
}
