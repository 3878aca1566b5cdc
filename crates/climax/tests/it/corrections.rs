//! Where the program that these configs were written for misbehaves, and what is done instead.

use serde_json::{Value, json};

use crate::client::{Client, Way, file, names, over_both};

const FIRST: &str = "
name: first
command: sh -c
category: Test
tools:
  - {name: shared, description: The first of that name, command: \"'echo first'\"}
  - {name: nothing, description: Nothing is started, command: \"'exit 3'\"}
  - name: typed
    description: Shows what came. Größe in Straßen
    command: \"'for word; do echo \\\"<$word>\\\"; done' sh\"
    args:
      - {name: n, type: integer, flag: -n}
      - {name: text, flag: -t}
      - {name: x, type: number, flag: -x}
      - {name: on, type: boolean, flag: --on}
      - {name: place, positional: true, default: here}
  - {name: wipe, description: Loses everything, command: \"'rm -rf /; echo gone'\"}
";
const SECOND: &str = "
name: second
command: /no/such/program
tools:
  - {name: missing, description: Cannot be started}
";
const THIRD: &str = "
name: third
command: echo
tools:
  - {name: shared, description: The last of that name, command: last}
";

over_both!(
    of_two_tools_with_one_name_the_last_counts,
    what_cannot_run_fails_or_is_refused_is_an_error,
    every_way_to_write_a_value_means_what_it_says,
    halting_commands_are_never_approved_by_the_absence_of_a_person,
    the_argv_that_comes_of_the_arguments_is_judged,
    search_answers_in_utf_8_with_counts,
    a_structured_result_stands_beside_the_text,
    a_failing_call_leaves_the_server_to_the_others,
);

fn client(way: Way, more: &[&str]) -> (tempfile::TempDir, Client) {
    let folder = tempfile::tempdir().unwrap();
    let paths =
        [("1.yaml", FIRST), ("2.yaml", SECOND), ("3.yaml", THIRD)].map(|(name, text)| file(&folder, name, text));
    let mut args: Vec<&str> = paths.iter().map(String::as_str).collect();
    args.extend(more);
    let client = Client::start_over(way, &args);
    (folder, client)
}

fn of_two_tools_with_one_name_the_last_counts(way: Way) {
    let (_folder, mut client) = client(way, &[]);
    assert_eq!(client.run("shared", json!({})).text, "last");
    let found = client.search(json!({"query": "shared"}));
    assert_eq!((names(&found), &found["results"][0]["cli_name"]), (vec!["shared"], &json!("third")));
    let summary = client.search(json!({}));
    assert_eq!(summary["summary"][0]["tool_count"], 3, "the one that lost its name is not counted");
}

fn what_cannot_run_fails_or_is_refused_is_an_error(way: Way) {
    let (_folder, mut client) = client(way, &[]);
    for (tool, args, text) in [
        ("missing", json!({}), "[stderr]\nCommand not found: /no/such/program\n\n[exit code: -1]"),
        ("nothing", json!({}), "[exit code: 3]"),
        ("typed", json!({"n": 3.7}), "Argument validation failed:\n  - Argument 'n': cannot convert '3.7' to integer"),
    ] {
        let called = client.run(tool, args);
        assert_eq!((called.text.as_str(), called.is_error), (text, true), "{tool}");
    }
    for arguments in [json!({}), json!({"tool_name": 5}), json!({"tool_name": "typed", "args": [1]})] {
        let called = client.call("climax_call", arguments.clone());
        assert!(
            called.is_error && called.text.starts_with("Argument validation failed:"),
            "{arguments}: {}",
            called.text
        );
    }
}

fn every_way_to_write_a_value_means_what_it_says(way: Way) {
    let (_folder, mut client) = client(way, &[]);
    for (args, expected) in [
        (json!({}), "<here>"),
        (json!({"n": "42", "on": "true"}), "<here>\n<-n>\n<42>\n<--on>"),
        (json!({"n": 3.0, "x": "0.5"}), "<here>\n<-n>\n<3>\n<-x>\n<0.5>"),
        (json!({"text": null, "n": null}), "<here>"),
        (json!({"text": ""}), "<here>\n<-t>\n<>"),
        (json!({"text": "a b; echo $HOME", "on": false}), "<here>\n<-t>\n<a b; echo $HOME>"),
        (json!({"place": "ü"}), "<ü>"),
    ] {
        assert_eq!(client.run("typed", args.clone()).text, expected, "{args}");
    }
    let refused = client.run("typed", json!({"n": "zz", "x": "nan", "place": "--help"}));
    assert!(refused.is_error && refused.text.contains("'n'") && refused.text.contains("'x'"), "{}", refused.text);
    let refused = client.run("typed", json!({"place": "--help"}));
    assert!(refused.text.contains("'--help' begins with '-' and would be read as an option"), "{}", refused.text);
}

fn halting_commands_are_never_approved_by_the_absence_of_a_person(way: Way) {
    let (_folder, mut headless) = client(way, &["--headless-approve"]);
    let halted = headless.run("wipe", json!({}));
    let reason = halted.structured["denied"].as_str().unwrap();
    assert!(!reason.is_empty());
    assert_eq!((halted.is_error, halted.text), (true, format!("Tool execution was not approved: wipe: {reason}")));
}

fn the_argv_that_comes_of_the_arguments_is_judged(way: Way) {
    const CONFIG: &str = "
name: look
command: find
tools:
  - name: list
    description: Lists a folder
    command: \"\"
    risk: read
    args: [{name: place, positional: true}, {name: then, type: boolean, flag: -delete}]
";
    let folder = tempfile::tempdir().unwrap();
    let config = file(&folder, "look.yaml", CONFIG);
    let mut headless = Client::start_over(way, &[&config, "--headless-approve"]);
    let listed = headless.run("list", json!({"place": folder.path().to_str().unwrap()}));
    assert!(!listed.is_error && listed.text.contains("look.yaml"), "{}", listed.text);
    // Nothing is lost should it run.
    let place = "/srv/not-there-at-all";
    let refused = headless.run("list", json!({"place": place, "then": true}));
    assert!(refused.is_error, "{}", refused.text);
    let reason = refused.structured["denied"].as_str().unwrap();
    assert!(reason.contains("deletes everything that is found below"), "{reason}");
    // A person sees the whole argv, and a no is a no.
    let mut asking = Client::start_asking(way, &[&config], "decline");
    assert!(asking.run("list", json!({"place": place, "then": true})).is_error);
    assert_eq!(asking.asked.len(), 1);
    assert!(asking.asked[0].contains(&format!("find {place} -delete")), "{:?}", asking.asked);
}

fn search_answers_in_utf_8_with_counts(way: Way) {
    let (_folder, mut client) = client(way, &[]);
    let answer = client.call("climax_search", json!({"query": "Größe", "category": "tEST", "limit": "1"}));
    assert!(answer.text.contains("Größe in Straßen") && !answer.text.contains("\\u"), "{}", answer.text);
    let found: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(
        (&found["total_matches"], &found["returned"], &found["has_more"]),
        (&json!(1), &json!(1), &json!(false))
    );
    let refused = client.call("climax_search", json!({"limit": "many", "offset": -1}));
    assert!(
        refused.is_error && refused.text.contains("'many'") && refused.text.contains("'offset'"),
        "{}",
        refused.text
    );
}

fn a_structured_result_stands_beside_the_text(way: Way) {
    let (_folder, mut client) = client(way, &[]);
    let failed = client.run("nothing", json!({}));
    let keys: Vec<&String> = failed.structured.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["stdout", "stderr", "exit_code", "truncated", "duration_ms"]);
    assert_eq!((&failed.structured["exit_code"], &failed.structured["truncated"]), (&json!(3), &json!(false)));
}

fn a_failing_call_leaves_the_server_to_the_others(way: Way) {
    let (_folder, mut client) = client(way, &[]);
    let broken = client.post("tools/call", json!({"name": "climax_call", "arguments": {"tool_name": "missing"}}));
    let fine = client.post("tools/call", json!({"name": "climax_call", "arguments": {"tool_name": "shared"}}));
    assert_eq!(client.answer_any(broken)["isError"], true);
    assert_eq!(client.answer_any(fine)["content"][0]["text"], "last");
    assert_eq!(client.tool_names(), ["climax_search", "climax_call"]);
}
