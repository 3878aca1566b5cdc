//! Policies: what is left, what is asked, what arguments may be.

use aish_types::Risk;
use climax::config;
use climax::policy::{self, Executor, Policy};
use serde_json::{Map, Value, json};

fn read(text: &str) -> Policy {
    let (policy, faults) = policy::read("p.yaml", text);
    assert_eq!(faults, []);
    policy.unwrap()
}

#[test]
fn unlisted_tools_are_hidden_unless_said() {
    assert!(!read("tools: {a: }").offers("b"));
    assert!(read("tools: {a: }").offers("a"));
    assert!(read("default: enabled").offers("b"));
    assert!(Policy::default().offers("b"), "no policy file hides nothing");
}

#[test]
fn a_misspelt_key_is_an_error() {
    for (text, expected) in [
        ("defualt: enabled", "p.yaml:1:1: error: a policy has no key 'defualt'; did you mean 'default'?"),
        (
            "tools: {a: {require_aproval: true}}",
            "p.yaml:1:13: error: a tool's policy has no key 'require_aproval'; did you mean 'require_approval'?",
        ),
        ("executor: {type: docker}", "p.yaml:1:11: error: the executor 'docker' needs 'image'"),
        (
            "tools: {a: {args: {x: {pattern: '(a'}}}}",
            "p.yaml:1:24: error: 'pattern' is no regular expression that this program knows: error: unclosed group",
        ),
    ] {
        let (policy, faults) = policy::read("p.yaml", text);
        assert!(policy.is_none(), "{text}");
        assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn the_tools_own_word_comes_first() {
    for (text, read, write, destructive) in [
        ("default: enabled", false, true, true),
        ("approval: {global: none}", false, false, false),
        ("approval: {global: destructive}", false, false, true),
        ("approval: {global: all}", true, true, true),
        ("approval: {global: all, tools: {t: false}}", false, false, false),
        ("approval: {global: none, tools: {t: false}}\ntools: {t: {require_approval: true}}", true, true, true),
    ] {
        let gate = self::read(text).for_gate();
        let asks = [Risk::Read, Risk::Write, Risk::Destructive]
            .map(|risk| gate.auto_approval(&"t".into()).map_or_else(|| gate.level.asks(risk), |approved| !approved));
        assert_eq!(asks, [read, write, destructive], "{text}");
    }
}

#[test]
fn bounds_hold_for_what_will_be_used() {
    let config = config::read(
        "t",
        "command: x\ntools: [{name: t, description: d, args: [{name: s, default: BAD}, {name: n, type: integer}]}]",
    );
    let tool = config.0.unwrap().tools.get(0).unwrap();
    let policy = read("tools: {t: {args: {s: {pattern: '[a-z]+|x'}, n: {min: 1, max: 5}}}}");
    let check = |arguments: Value| match arguments {
        Value::Object(map) => policy.violations(&tool, &map),
        _ => policy.violations(&tool, &Map::new()),
    };
    assert_eq!(check(json!({})), ["Argument 's': value 'BAD' does not match pattern '[a-z]+|x'"]);
    assert_eq!(check(json!({"s": "ok"})), Vec::<String>::new());
    assert_eq!(check(json!({"s": "ok1"})).len(), 1, "the whole value must match");
    assert_eq!(check(json!({"s": "ok", "n": 9})), ["Argument 'n': value 9 exceeds maximum 5"]);
    assert_eq!(check(json!({"s": "ok", "n": 0})), ["Argument 'n': value 0 is below minimum 1"]);
    assert_eq!(check(json!({"s": "ok", "n": "nan"})), ["Argument 'n': value 'nan' is not a number"]);
}

#[test]
fn a_container_is_read() {
    let policy = read("executor: {type: docker, image: alpine, volumes: ['/a:/b'], network: none, working_dir: /w}");
    let Executor::Docker(docker) = policy.executor else { panic!("docker") };
    assert_eq!((docker.image.as_str(), docker.network.as_deref()), ("alpine", Some("none")));
}

#[test]
fn each_item_of_a_list_is_bounded_by_itself() {
    let policy = read("tools: {notes.send: {args: {to: {pattern: '.*example.*'}, size: {max: 10}}}}");
    let schema = json!({"type": "object", "properties": {"to": {}, "size": {}}});
    for (arguments, is_good) in [
        (json!({"to": ["a@example.org", "b@example.org"], "size": [1, 10]}), true),
        (json!({"to": "a@example.org", "size": 3}), true),
        (json!({"to": ["a@evil.org", "b@example.org"]}), false),
        (json!({"to": [["a@evil.org"], "b@example.org"]}), false),
        (json!({"to": []}), false),
        (json!({"size": [1, 11]}), false),
    ] {
        let faults = policy.violations_of("notes.send", &schema, &arguments);
        assert_eq!(faults.is_empty(), is_good, "{arguments}: {faults:?}");
    }
}
