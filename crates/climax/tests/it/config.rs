//! Configurations: what is read, what is faulted, where.

use climax::config::{self, ArgKind, Place};
use climax::fault::Severity;
use serde_json::json;

fn faults(text: &str) -> Vec<String> {
    config::read("t.yaml", text).1.iter().map(ToString::to_string).collect()
}

const GOOD: &str = "
name: git-tools
description: \"Version control\"
command: git
category: vcs
tags: [\"a\", 'b']
env: {PORT: 80, ON: yes, EMPTY: }
working_dir: ~/x
tools:
  - name: git_log
    description: Show history
    command: log 'a b'
    timeout: 1.5
    risk: write
    confirm_message: \"Show {max_count}?\"
    resolve:
      title: {command: show it, args: {id: '{max_count}'}, timeout: 3}
    args:
      - {name: max_count, type: integer, default: 10, flag: -n}
      - {name: no_merges, type: boolean}
      - {name: path, positional: true, required: yes, allow_dash: true}
      - {name: when, enum: [yes, 1, on time], default: yes}
      - {name: text, stdin: true}
      - {name: dir, cwd: true}
      - {name: kv, flag: 'key='}
  - {name: t2, description: d, timeout: 0}
  - {name: t3, description: d, timeout: null}
";

#[test]
fn every_field_is_read() {
    let (config, faults) = config::read("t.yaml", GOOD);
    assert_eq!(faults, []);
    let config = config.unwrap();
    assert_eq!((config.name.as_str(), config.category.as_deref()), ("git-tools", Some("vcs")));
    assert_eq!(config.tags, ["a", "b"]);
    assert_eq!(config.env, [("PORT", "80"), ("ON", "yes"), ("EMPTY", "")].map(|(k, v)| (k.to_owned(), v.to_owned())));
    let tool = config.tool("git_log").unwrap();
    assert_eq!(tool.command, ["log", "a b"]);
    assert!((tool.timeout_s - 1.5).abs() < 1e-9);
    assert_eq!(tool.resolve[0].args, [("id".to_owned(), "{max_count}".to_owned())]);
    assert_eq!(tool.arg("max_count").unwrap().default.as_deref(), Some(&json!(10)));
    assert_eq!(tool.arg("max_count").unwrap().place, Place::Flag("-n".into()));
    assert_eq!(tool.arg("no_merges").unwrap().place, Place::Flag("--no-merges".into()));
    assert_eq!(tool.arg("no_merges").unwrap().kind, ArgKind::Boolean);
    assert_eq!(tool.arg("path").unwrap().place, Place::Positional { allow_dash: true, dashes: false });
    assert_eq!(tool.arg("when").unwrap().choices, [json!("yes"), json!("1"), json!("on time")]);
    assert_eq!(tool.arg("text").unwrap().place, Place::Stdin);
    assert_eq!(tool.arg("dir").unwrap().place, Place::WorkingDir);
    for name in ["t2", "t3"] {
        assert!((config.tool(name).unwrap().timeout_s - 30.0).abs() < 1e-9, "null and 0 mean 30 s");
    }
}

#[test]
fn every_fault_is_reported_at_once_with_its_place() {
    let text = "name: x
descripton: typo
command: ''
tools:
  - name: a
    description: d
    args:
      - {name: p, positional: true, flag: --p}
      - {name: q, stdin: true, cwd: true}
      - {name: n, type: integer, default: ten}
      - {name: e, enum: [a, b], default: c}
      - {name: e}
      - {name: t, type: strin}
      - {description: nameless}
  - name: b
    description: d
    risk: rad
  - {name: c, description: d}
  - {name: c, description: d2}
  - {name: d d, description: d}
";
    assert_eq!(
        faults(text),
        [
            "t.yaml:2:1: warning: a config has no key 'descripton'; did you mean 'description'?; it is ignored",
            "t.yaml:3:10: error: 'command' of a config is empty",
            "t.yaml:8:37: error: the argument 'p' has both 'positional' and 'flag'; the flag is ignored",
            "t.yaml:9:9: error: the argument 'q' has both 'stdin' and 'cwd'; it is the working directory",
            "t.yaml:10:43: error: 'default' of 'n' is no integer; there is none then",
            "t.yaml:11:42: error: 'default' of 'e' is not in its 'enum'",
            "t.yaml:12:9: error: two arguments are called 'e'; the last one counts",
            "t.yaml:13:25: error: 'type' must be one of: string, integer, number, boolean, array, and this is 'strin'; did you mean 'string'?",
            "t.yaml:14:9: error: an argument needs 'name'",
            "t.yaml:17:11: error: 'risk' must be one of: read, write, destructive, judged, and this is 'rad'; did you mean 'read'?",
            "t.yaml:19:6: error: two tools are called 'c'; the last one counts",
            "t.yaml:20:6: error: the tool name 'd d' is outside [A-Za-z0-9_.-], 1 to 128 characters",
        ]
    );
}

#[test]
fn what_can_only_be_seen_of_a_whole_tool_is_told_beside_its_other_faults() {
    let text = "name: ''\ncommand: c\ntools:\n  - name: a\n    confirm_message: 'Put {nothing}?'\n    args:\n      - {name: one, \
                stdin: true}\n      - {name: two, stdin: true, required: y}\n      - {name: three, flag: -x, required: n}\n      - \
                {name: four, flag: -x}\n";
    let told = faults(text);
    for (place, words) in [
        ("t.yaml:1:1: error", "'name' of a config is empty"),
        ("t.yaml:4:5: error", "2 arguments for the standard input: one, two"),
        ("t.yaml:4:5: error", "a tool needs 'description'"),
        ("t.yaml:4:5: note", "have the same flag, -x"),
        ("t.yaml:5:5: warning", "the place {nothing}"),
    ] {
        assert!(told.iter().any(|told| told.starts_with(place) && told.contains(words)), "{words}: {told:#?}");
    }
    assert_eq!(told.len(), 5, "{told:#?}");
    // Of an argument that cannot be read it is not known whether it is the one of that place.
    let text = text.replace("{name: four, flag: -x}", "{name: nothing, type: strin}");
    assert!(!faults(&text).iter().any(|told| told.contains("the place {nothing}")), "{:#?}", faults(&text));
}

#[test]
fn what_is_no_config_is_one_clear_fault() {
    for (text, expected) in [
        ("", "t.yaml:1:1: error: the file is empty"),
        ("just text", "t.yaml:1:1: error: a config must be a mapping, and this is a single value"),
        ("command: x", "t.yaml:1:1: error: a config needs 'tools' (an empty list will do)"),
        ("command: x\ntools: 5", "t.yaml:2:8: error: 'tools' must be a list, and this is a single value"),
    ] {
        assert_eq!(faults(text), [expected], "{text}");
    }
    let tab = faults("command: x\ntools:\n\t- name: x\n");
    assert_eq!(tab.len(), 1);
    assert!(tab[0].starts_with("t.yaml:3:") && tab[0].contains("tab"), "{tab:?}");
    assert_eq!(faults("a: [1, 2").len(), 1);
    assert!(config::read("t", "command: x\ntools: []").0.is_some());
}

#[test]
fn what_no_program_or_client_could_mean_is_told() {
    let tool = |rest: &str| format!("command: x\ntools:\n  - {{name: a, description: d, {rest}}}\n");
    let arg = |rest: &str| tool(&format!("args: [{{{rest}}}]"));
    for (text, told) in [
        ("command: x\ntools: []\n---\ncommand: y\ntools: []\n".to_owned(), "4:1: error: another document begins here"),
        ("command: ls | wc -l\ntools: []\n".to_owned(), "1:1: warning: 'command' has a '|' as in a shell"),
        (tool("command: 'a 2>&1'"), "warning: 'command' has a '2>&1' as in a shell"),
        (
            tool("command: 'foo {n}', args: [{name: n}]"),
            "warning: 'command' has {n}, and values are not filled in there",
        ),
        (
            "command: 'foo {n}'\ntools:\n  - {name: a, description: d, args: [{name: n}]}\n".to_owned(),
            "'command' has {n}",
        ),
        (arg("name: n, flag: ''"), "error: 'flag' of 'n' is empty; --n is used"),
        (arg("name: n, flag: '-o x'"), "error: 'flag' of 'n' has blanks"),
        (arg("name: a b"), "error: the argument's name 'a b' has blanks"),
        (arg("name: n, enum: []"), "error: 'enum' is empty"),
        (tool("args: [{name: n, flag: -n}, {name: m, flag: -n}]"), "note: 'n' and 'm' of 'a' have the same flag, -n"),
        (
            "command: x\nenv: {A: '${HOME}/b'}\ntools: []\n".to_owned(),
            "2:1: warning: 'env': A is given as it is written",
        ),
        ("mcpServers: {a: {command: x}}\n".to_owned(), "error: this is a list of MCP servers and no config"),
        (
            "servers:\n  'a b': {command: x, start_ms: -1, tools: {t: {risk: evil}}}\n".to_owned(),
            "error: 'start_ms' must be a whole number",
        ),
    ] {
        let faults = faults(&text);
        assert!(faults.iter().any(|fault| fault.contains(told)), "{text}: {faults:?}");
    }
    for fine in ["sh -c 'a | b'", "find . -exec x \\;", "curl http://h/?a=1&b=2", "x {n}", "git log --format=%s<%an>"] {
        assert_eq!(faults(&format!("command: {}\ntools: []\n", json!(fine))), [""; 0], "{fine}");
    }
}

#[test]
fn one_bad_tool_loses_that_tool_alone() {
    let (config, faults) = config::read("t", "command: x\ntools:\n  - {name: bad}\n  - {name: good, description: d}\n");
    assert_eq!(faults.iter().filter(|fault| fault.severity == Severity::Error).count(), 1);
    let names: Vec<String> = config.unwrap().tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["good"]);
}

#[test]
fn aliases_and_merge_keys_work_and_bombs_end() {
    let (config, faults) = config::read(
        "t",
        "command: x\ntools:\n  - &a {name: a, description: d, args: [&arg {name: n, type: integer}]}\n  - {<<: *a, name: b}\n",
    );
    assert_eq!(faults, []);
    assert_eq!(config.unwrap().tool("b").unwrap().arg("n").unwrap().kind, ArgKind::Integer);
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let refs = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{refs}]\n"));
    }
    let faults = config::read("t", &bomb).1;
    assert!(faults[0].message.contains("values, aliases expanded"), "{faults:?}");
    let deep = format!("a: {}1{}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(config::read("t", &deep).1.len(), 1);
}
