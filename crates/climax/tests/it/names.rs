//! Names that nothing has: of keys, arguments, tools, filters, cursors; what is meant is said, and nothing runs that was not meant.

use serde_json::{Value, json};

use crate::client::{Client, Way, file, names, over_both};

const CONFIG: &str = "
name: push-tools
command: echo
category: vcs
tools:
  - {name: look, description: Looks, command: l, args: [{name: path, positional: true}]}
  - name: push
    description: Pushes
    command: p
    risk: write
    args: [{name: dry_run, type: boolean}, {name: branch}]
";

over_both!(
    arguments_of_a_call_are_never_lost,
    a_misnamed_argument_of_a_writing_tool_is_refused,
    a_misspelt_key_of_a_search_is_told,
    a_filter_that_nothing_is_called_by_is_told,
    a_whole_number_beyond_64_bits_is_refused,
);

fn client(way: Way, folder: &tempfile::TempDir) -> Client {
    Client::start_over(way, &[&file(folder, "a.yaml", CONFIG), "--headless-approve"])
}

fn arguments_of_a_call_are_never_lost(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(way, &folder);
    let mut call = |arguments: Value| client.call("climax_call", arguments);
    let taken = call(json!({"tool_name": "push", "arguments": {"branch": "feature"}}));
    assert_eq!(taken.text, "p --branch feature", "what MCP itself calls them");
    for arguments in [
        json!({"tool_name": "push", "branch": "feature"}),
        json!({"tool_name": "push", "args": {}, "arguments": {"branch": "feature"}}),
        json!({"tool_name": "push", "parameters": {"branch": "feature"}}),
    ] {
        let refused = call(arguments.clone());
        assert!(refused.is_error && refused.text.contains("go into 'args'"), "{arguments}: {}", refused.text);
    }
}

fn a_misnamed_argument_of_a_writing_tool_is_refused(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(way, &folder);
    let refused = client.run("push", json!({"dry-run": true, "zz": 1}));
    assert!(refused.is_error, "{}", refused.text);
    assert_eq!(
        refused.text,
        "Argument validation failed:\n  - Unknown argument 'dry-run'; did you mean 'dry_run'?\n  - Unknown argument 'zz'; there is \
         dry_run, branch."
    );
    let many: serde_json::Map<String, Value> = (0..1_000).map(|number| (format!("x{number}"), json!(1))).collect();
    let refused = client.run("push", Value::Object(many));
    assert!(
        refused.text.ends_with("\n  - Unknown arguments: 980 more") && refused.text.len() < 2_000,
        "{}",
        refused.text
    );
    let refused = client.run(&"y".repeat(100_000), json!({}));
    assert!(refused.is_error && refused.text.len() < 1_000, "{}", refused.text.len());
    // What only reads runs as ever, and the key is named beside the text.
    let read = client.run("look", json!({"pth": "x"}));
    assert_eq!((read.text.as_str(), &read.structured["ignored"]), ("l", &json!(["pth"])));
}

fn a_misspelt_key_of_a_search_is_told(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let refused = client(way, &folder).call("climax_search", json!({"qurey": "push"}));
    assert!(refused.is_error && refused.text.contains("'qurey'; did you mean 'query'?"), "{}", refused.text);
}

fn a_filter_that_nothing_is_called_by_is_told(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(way, &folder);
    for (filter, told) in [
        (json!({"cli": "push"}), "there is no CLI or server 'push'; there is push-tools"),
        (json!({"server": "nope"}), "there is no CLI or server 'nope'; there is push-tools"),
        (json!({"category": "cvs", "query": "push"}), "there is no category 'cvs'; there is vcs"),
    ] {
        let found = client.search(filter.clone());
        assert_eq!((names(&found).len(), found["note"].as_str()), (0, Some(told)), "{filter}");
    }
    assert_eq!(client.search(json!({"cli": "PUSH-TOOLS", "category": "VCS"}))["note"], Value::Null);
}

fn a_whole_number_beyond_64_bits_is_refused(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let config = "name: n\ncommand: echo\ntools:\n  - {name: n, description: d, args: [{name: i, type: integer}]}\n";
    let mut client = Client::start_over(way, &[&file(&folder, "n.yaml", config)]);
    for whole in ["18446744073709551615", "-9223372036854775808", "3.0"] {
        let given: Value = serde_json::from_str(whole).unwrap();
        assert_eq!(client.run("n", json!({"i": given})).text, format!("--i {}", whole.trim_end_matches(".0")));
    }
    for beyond in ["18446744073709551616", "99999999999999999999", "-9223372036854775809", "1e20"] {
        let given: Value = serde_json::from_str(beyond).unwrap();
        for given in [given, json!(beyond)] {
            let refused = client.run("n", json!({"i": given}));
            assert!(refused.is_error && refused.text.contains("Argument 'i'"), "{beyond}: {}", refused.text);
        }
    }
}

#[test]
fn a_cursor_that_nobody_was_given_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(Way::Stdio, &folder);
    for method in ["tools/list", "resources/list", "prompts/list", "resources/templates/list"] {
        let id = client.post(method, json!({"cursor": "zz"}));
        assert_eq!(client.error(id)["code"], -32602, "{method}");
    }
}
