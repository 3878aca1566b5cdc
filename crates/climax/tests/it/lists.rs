//! Arguments that take several values: what is read, what is faulted, what stands on the command line, and who sees it.

use climax::config::{self, Config, ListStyle};
use climax::policy;
use climax::schema::{Flags, input_schema};
use serde_json::{Value, json};

use crate::argv::{call, config};
use crate::client::{Client, Way, file, over_both};

over_both!(
    a_call_takes_lists_and_single_values,
    a_question_names_every_item,
    a_secret_among_items_is_not_in_the_audit_log,
    a_look_up_is_left_out_where_it_would_take_several,
);

const ARGS: &str = "name: files, type: array, positional: true
name: env, type: array, flag: -e
name: only, type: array, flag: '--only='
name: columns, type: array, flag: '--columns=', join: ','
name: sort, type: array, flag: --sort, join: ':'
name: n, type: array, items: integer, flag: -n
name: plugins, type: array, flag: --plugins, style: once
name: path, type: array, flag: '--'";

/// Returns the words behind the sub-command, with a line between two.
fn words(config: &Config, arguments: Value) -> Result<String, String> {
    call(config, arguments).map(|built| built.words.get(3..).unwrap_or_default().join("|"))
}

#[test]
fn items_stand_where_the_file_says() {
    let lists = config(ARGS, "");
    for (arguments, expected) in [
        (json!({"files": ["a", "b c"], "env": ["A=1", "B=2"]}), "a|b c|-e|A=1|-e|B=2"),
        (json!({"only": ["x", "y"], "columns": ["a", "b"]}), "--only=x|--only=y|--columns=a,b"),
        (json!({"sort": ["k", "l"], "n": [1, -2]}), "--sort|k:l|-n|1|-n|-2"),
        (json!({"files": ["a"], "plugins": ["p", "q"], "env": ["A"]}), "a|-e|A|--plugins|p|q"),
        (json!({"plugins": ["p", "q"], "env": ["A"], "path": ["-x", "y"]}), "-e|A|--plugins|p|q|--|-x|y"),
        (json!({"files": "a"}), "a"),
        (json!({"files": [], "env": [], "columns": [], "plugins": [], "path": []}), ""),
        (json!({"files": null}), ""),
    ] {
        assert_eq!(words(&lists, arguments.clone()).as_deref(), Ok(expected), "{arguments}");
    }
    // A flag that takes every word up to the next option would take the positionals, too.
    let first = config(ARGS, "options_first: true");
    let arguments = json!({"files": ["a"], "plugins": ["p", "q"], "env": ["A"]});
    assert_eq!(words(&first, arguments).as_deref(), Ok("-e|A|a|--plugins|p|q"));
}

#[test]
fn a_list_stands_before_a_last_positional_and_behind_dashes() {
    let copy = config("name: source, type: array, positional: true\nname: target, positional: true", "");
    assert_eq!(words(&copy, json!({"source": ["a", "b"], "target": "c"})).as_deref(), Ok("a|b|c"));
    let run = config(
        "name: pod, positional: true\nname: rest, type: array, positional: true, dashes: true\nname: v, type: boolean",
        "",
    );
    assert_eq!(words(&run, json!({"pod": "p", "rest": ["ls", "-l"], "v": true})).as_deref(), Ok("p|--v|--|ls|-l"));
    assert_eq!(words(&run, json!({"pod": "p", "rest": []})).as_deref(), Ok("p"));
}

#[test]
fn a_list_of_global_arguments_comes_from_its_default() {
    let more = "global_args:\n  - {name: env, type: array, flag: -e, default: [A=$HOME, B=2]}\n  \
                - {name: gone, type: array, default: [a, $NOPE]}\n  - {name: of, type: array, flag: --of=, join: ',', default: [x, y]}";
    let global = config("name: s", more);
    assert_eq!(words(&global, json!({})).as_deref(), Ok("-e|A=/home/ann|-e|B=2|--of=x,y"));
}

#[test]
fn a_list_is_no_way_around_what_holds_for_one_value() {
    let lists = config(&format!("{ARGS}\nname: free, type: array, positional: true, allow_dash: true"), "");
    let many: Vec<String> = (0..257).map(|number| number.to_string()).collect();
    for (arguments, told) in [
        (
            json!({"files": ["a", "--help"]}),
            "Argument 'files': '--help' begins with '-' and would be read as an option",
        ),
        (json!({"plugins": ["p", "--all"]}), "Argument 'plugins': '--all' begins with '-'"),
        (json!({"columns": ["a", "b,c"]}), "Argument 'columns': 'b,c' has ',' in it"),
        (json!({"files": ["a", ["b"]]}), "Argument 'files' takes a list of single values"),
        (json!({"files": ["a", null]}), "Argument 'files' takes a list of single values"),
        (json!({"env": ["a", "b\u{0}"]}), "Argument 'env' contains a NUL character"),
        (json!({"env": many}), "Argument 'env' is a list of 257, and at most 256 can be given"),
        (json!({"env": ["x".repeat(30_000), "y".repeat(30_000), "z".repeat(30_000)]}), "65536 are the most"),
    ] {
        let refused = words(&lists, arguments.clone()).unwrap_err();
        assert!(refused.contains(told), "{told}: {refused}");
    }
    for fine in [json!({"files": ["-", "a-b"]}), json!({"env": ["-x"]}), json!({"free": ["-x"]}), json!({"n": [-3]})] {
        assert!(words(&lists, fine.clone()).is_ok(), "{fine}");
    }
    let bounded = config("name: two, type: array, min_items: 2, max_items: 2", "");
    assert!(words(&bounded, json!({"two": ["a"]})).unwrap_err().contains("list of 1, and at least 2 must be given"));
    assert!(
        words(&bounded, json!({"two": ["a", "b", "c"]})).unwrap_err().contains("list of 3, and at most 2 can be given")
    );
}

#[test]
fn an_empty_list_is_absent_and_takes_no_default_away() {
    let config = config("name: path, type: array, positional: true, default: [src]", "");
    for arguments in [json!({}), json!({"path": null}), json!({"path": []})] {
        assert_eq!(words(&config, arguments.clone()).as_deref(), Ok("src"), "{arguments}");
    }
    let policy = "default: enabled\ntools: {t: {args: {path: {pattern: 'lib|lib/.*'}}}}";
    let policy = policy::read("p.yaml", policy).0.unwrap();
    let tool = config.tools.get(0).unwrap();
    let violations = |arguments: Value| policy.violations(&tool, arguments.as_object().unwrap());
    assert_eq!(violations(json!({"path": []})), ["Argument 'path': value 'src' does not match pattern 'lib|lib/.*'"]);
}

#[test]
fn bounds_of_a_policy_hold_for_each_item() {
    let config = config("name: s, type: array\nname: n, type: array, items: integer, join: ','", "");
    let text = "default: enabled\ntools: {t: {args: {s: {pattern: '[a-z]+'}, n: {max: 3}}}}";
    let policy = policy::read("p.yaml", text).0.unwrap();
    let tool = config.tools.get(0).unwrap();
    let violations = |arguments: Value| policy.violations(&tool, arguments.as_object().unwrap());
    assert_eq!(violations(json!({"s": ["a", "b"], "n": [1, 3]})), Vec::<String>::new());
    assert_eq!(
        violations(json!({"s": ["a", "b9"], "n": [1, 9]})),
        ["Argument 's': value 'b9' does not match pattern '[a-z]+'", "Argument 'n': value 9 exceeds maximum 3",]
    );
}

#[test]
fn an_agent_is_shown_a_list() {
    let lists = config(
        "name: path, type: array, positional: true, required: true, description: Which\n\
         name: level, type: array, items: {type: integer, enum: [1, 2]}, max_items: 3, flag: -l\n\
         name: kind, type: array, enum: [a, b], default: [a]\nname: one",
        "",
    );
    let shown = input_schema(&lists.tools.get(0).unwrap(), Flags::Shown);
    assert_eq!(
        shown,
        json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "array", "description": "Which", "items": {"type": "string"}, "minItems": 1},
            "level": {"type": "array", "items": {"type": "integer", "enum": [1, 2]}, "maxItems": 3, "x-flag": "-l"},
            "kind": {"type": "array", "default": ["a"], "items": {"type": "string", "enum": ["a", "b"]}, "x-flag": "--kind"},
            "one": {"type": "string", "x-flag": "--one"},
        }})
    );
}

#[test]
fn the_example_of_the_page_is_without_fault() {
    let page = include_str!("../../../../docs/climax.md");
    let example = page.split("```yaml\n").find(|part| part.starts_with("args:")).unwrap().split("```").next().unwrap();
    let args: String = example.lines().skip(1).map(|line| format!("    {line}\n")).collect();
    assert_eq!(faults(&args), [""; 0]);
}

/// Returns the faults of a tool with these arguments.
fn faults(args: &str) -> Vec<String> {
    let text = format!("command: x\ntools:\n  - name: t\n    description: d\n    args:\n{args}");
    config::read("t.yaml", &text).1.iter().map(ToString::to_string).collect()
}

/// Arguments, where each is wrong, and what is said.
const WRONG: &[(&str, &str, &str)] = &[
    ("name: a, type: array, default: x", "x}", "'default' of 'a' is no list; there is none then"),
    (
        "name: a, type: array, items: integer, default: [1, two]",
        "two",
        "'default' of 'a' has an item that is no integer; there is none then",
    ),
    (
        "name: a, type: array, enum: [x, y], default: [x, z]",
        "z]",
        "'default' of 'a' has an item that is not in its 'enum'",
    ),
    (
        "name: a, type: array, max_items: 1, default: [x, y]",
        "[x, y]",
        "'default' of 'a' has 2 items, and a list has 0 to 1; there is none then",
    ),
    (
        "name: a, type: array, positional: true, join: ','",
        "join",
        "'join' of 'a' means nothing for a positional list: its items stand one after another",
    ),
    (
        "name: a, type: array, positional: true, style: once",
        "style",
        "'style' of 'a' means nothing for a positional list: its items stand one after another",
    ),
    (
        "name: a, type: array, min_items: 3, max_items: 2",
        "min_items",
        "'min_items' of 'a' is 3 and 'max_items' is 2: no list has so many; only 'max_items' counts",
    ),
    ("name: a, type: array, max_items: 0", "max_items", "'max_items' must be a whole number from 1 to 10000"),
    ("name: a, type: array, min_items: 1.5", "min_items", "'min_items' must be a whole number from 0 to 10000"),
    ("name: a, items: integer", "items", "'items' of 'a' means nothing: only `type: array` is a list"),
    ("name: a, join: ','", "join", "'join' of 'a' means nothing: only `type: array` is a list"),
    (
        "name: a, type: array, stdin: true",
        "{name",
        "the argument 'a' has 'type: array', and a list cannot be the standard input or a folder; it takes one value",
    ),
    (
        "name: a, type: array, items: strin",
        "strin}",
        "'items' must be one of: string, integer, number, boolean, and this is 'strin'; did you mean 'string'?",
    ),
    ("name: a, type: array, flag: '--', join: ','", "join", "'a': the flag '--' stands once, before all items"),
    (
        "name: a, type: array, flag: '--f=', style: once",
        "style",
        "'a': a flag that ends in '=' is one word with an item, and cannot stand once; it is repeated",
    ),
    (
        "name: a, type: array, flag: --token, style: once",
        "style",
        "'a': with 'style: once' only the first item would be hidden in the audit log; the flag is repeated",
    ),
    (
        "name: a, type: array, style: once, join: ','",
        "style",
        "'a': it has both 'join' and 'style'; its items are joined",
    ),
    (
        "name: a, type: array, allow_dash: true",
        "allow_dash",
        "'allow_dash' of 'a' means nothing: the argument is not positional",
    ),
    (
        "name: a, type: array, enum: [x], items: {enum: [y]}",
        "enum: [x]",
        "'a' has 'enum' beside 'items' and in it; the one in it counts",
    ),
    (
        "name: a, type: array, join: ''",
        "join",
        "'join' is what stands between the items, as in `join: \",\"`, and this is nothing",
    ),
];

#[test]
fn what_no_list_can_mean_is_told_with_its_place() {
    for (arg, mark, message) in WRONG {
        let line = format!("      - {{{arg}}}\n");
        let column = line.find(*mark).unwrap() + 1;
        assert_eq!(faults(&line), [format!("t.yaml:6:{column}: error: {message}")], "{arg}");
    }
    for fine in [
        "name: a, type: array, style: once, allow_dash: true",
        "name: a, type: array, style: repeat",
        "name: a, type: array, flag: '--', style: once",
        "name: a, type: array, min_items: 300",
        "name: a, type: array, default: []",
    ] {
        assert_eq!(faults(&format!("      - {{{fine}}}\n")), [""; 0], "{fine}");
    }
}

#[test]
fn of_positional_lists_only_the_last_has_no_end() {
    let two = |first: &str, second: &str| {
        faults(&format!(
            "      - {{name: a, positional: true, {first}}}\n      - {{name: b, positional: true, {second}}}\n"
        ))
    };
    assert_eq!(
        two("type: array", "type: array"),
        [
            "t.yaml:6:9: error: 'a' is a list without an end, and the list 'b' stands behind it: nobody could tell whose an item \
          is; give it 'max_items'"
        ]
    );
    for (first, second) in [
        ("type: array, max_items: 2", "type: array"),
        ("type: array", "type: string"),
        ("type: string", "type: array"),
        ("type: array", "type: array, dashes: true"),
    ] {
        assert_eq!(two(first, second), [""; 0], "{first}; {second}");
    }
}

#[test]
fn what_cannot_be_has_the_meaning_that_is_told() {
    let style = |arg: &str| config(arg, "").tools.get(0).unwrap().args[0].list.as_ref().map(|list| list.style.clone());
    assert_eq!(style("name: a, type: array, flag: --token, style: once"), Some(ListStyle::Repeat));
    assert_eq!(style("name: a, type: array, flag: '--', join: ','"), Some(ListStyle::Once { allow_dash: true }));
    assert_eq!(style("name: a, type: array, style: once, join: ','"), Some(ListStyle::Join(",".into())));
    assert_eq!(style("name: a, type: array, stdin: true"), None);
}

const CONFIG: &str = "
name: l
command: echo
tools:
  - name: look
    description: Looks
    command: look
    args:
      - {name: path, type: array, positional: true}
      - {name: n, type: array, items: integer, flag: -n}
      - {name: env, type: array, flag: -e}
      - {name: token, type: array}
      - {name: pairs, type: array, flag: --pairs, join: ';'}
  - name: stage
    description: Stages
    command: add
    risk: write
    confirm_message: Stage {path}?
    args: [{name: path, type: array, positional: true}]
  - name: move
    description: Moves
    command: mv
    risk: write
    confirm_message: Move {id} of {owner}?
    resolve: {owner: {command: Ann, args: {id: '{id}'}}}
    args: [{name: id, type: array, positional: true}]
";

fn a_call_takes_lists_and_single_values(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start_over(way, &[&file(&folder, "l.yaml", CONFIG)]);
    for (arguments, expected) in [
        (json!({"path": ["a", "b"]}), "look a b"),
        (json!({"path": "a"}), "look a"),
        (json!({"path": "[\"a\", \"b\"]"}), "look a b"),
        (json!({"path": "[id].tsx"}), "look [id].tsx"),
        (json!({"n": ["1", 2.0], "path": [3]}), "look 3 -n 1 -n 2"),
        (json!({"path": []}), "look"),
    ] {
        let called = client.run("look", arguments.clone());
        assert_eq!((called.text.as_str(), called.is_error), (expected, false), "{arguments}");
    }
    for (arguments, told) in [
        (json!({"path": {"a": 1}}), "cannot convert '{\"a\":1}' to array; give a list, as in [\"a\", \"b\"]"),
        (json!({"path": ["a", {"b": 1}]}), "Argument 'path[1]': cannot convert '{\"b\":1}' to string"),
        (json!({"path": "['a', 'b']"}), "to array; give a list"),
        (json!({"n": [1, "x"]}), "Argument 'n[1]': cannot convert 'x' to integer"),
        (json!({"path": ["a", "--help"]}), "'--help' begins with '-' and would be read as an option"),
    ] {
        let refused = client.run("look", arguments.clone());
        assert!(refused.is_error && refused.text.contains(told), "{arguments}: {}", refused.text);
    }
}

fn a_question_names_every_item(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start_asking(way, &[&file(&folder, "l.yaml", CONFIG)], "accept");
    assert_eq!(client.run("stage", json!({"path": ["a", "b c"]})).text, "add a b c");
    assert_eq!(client.run("stage", json!({"path": "b c"})).text, "add b c");
    assert!(client.asked[0].starts_with("Stage a 'b c'?\n\necho add a "), "{:?}", client.asked);
    assert!(client.asked[1].starts_with("Stage b c?"), "{:?}", client.asked);
}

fn a_secret_among_items_is_not_in_the_audit_log(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start_over(way, &[&file(&folder, "l.yaml", CONFIG)]);
    let arguments = json!({"env": ["A=1", "DB_PASSWORD=hunter2"], "token": ["hunter3", "hunter4"], "pairs": ["B=2", "API_TOKEN=hunter5"]});
    let called = client.run("look", arguments);
    assert!(called.text.contains("hunter5") && !called.is_error, "{}", called.text);
    let audit = std::fs::read_to_string(client.state().join("audit.jsonl")).unwrap();
    assert!(audit.contains("-e A=1 -e DB_PASSWORD=") && audit.contains("--pairs B=2;API_TOKEN="), "{audit}");
    assert!(!audit.contains("hunter"), "{audit}");
}

fn a_look_up_is_left_out_where_it_would_take_several(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start_asking(way, &[&file(&folder, "l.yaml", CONFIG)], "accept");
    client.run("move", json!({"id": ["7"]}));
    client.run("move", json!({"id": ["7", "8"]}));
    assert!(client.asked[0].starts_with("Move 7 of Ann --id 7?"), "{:?}", client.asked);
    assert!(client.asked[1].starts_with("Approve execution of move?"), "{:?}", client.asked);
    let audit = std::fs::read_to_string(client.state().join("audit.jsonl")).unwrap();
    assert_eq!(audit.lines().count(), 3, "{audit}");
}
