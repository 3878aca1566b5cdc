//! What a search takes beside its words: other phrasings, filters, how much is said; and its bound.

use std::sync::Arc;

use aish_tools::{DiscoveryTools, Index};
use aish_types::{Risk, SourceId, ToolDefinition};
use serde_json::{Value, json};

fn tool(name: &str, source: &str, description: &str) -> ToolDefinition {
    let mut tool = ToolDefinition::new(name, description, json!({"type": "object"}), SourceId::new(source));
    tool.group = source.split(':').nth(1).unwrap().split('#').next().unwrap().into();
    tool
}

fn index() -> Index {
    let rated = |mut tool: ToolDefinition, risk: Risk| {
        (tool.trusted, tool.risk) = (true, risk);
        Arc::new(tool)
    };
    Index::of([
        rated(tool("notes.move", "mcp:notes#1", "Moves a note to another folder. Then tells so."), Risk::Write),
        Arc::new(tool("notes.list", "mcp:notes#1", "Lists the notes of a folder")),
        rated(tool("git_log", "cli:git", "Shows the history of commits"), Risk::Read),
        rated(tool("git_push", "cli:git", "Sends commits to a remote"), Risk::Write),
    ])
}

fn find(arguments: Value) -> Value {
    let tools = DiscoveryTools::new("search", "call", SourceId::new("aish"));
    serde_json::to_value(tools.find(&index(), &arguments).unwrap()).unwrap()
}

fn faults(arguments: Value) -> Vec<String> {
    let tools = DiscoveryTools::new("search", "call", SourceId::new("aish"));
    tools.find(&index(), &arguments).unwrap_err().0
}

fn names(found: &Value) -> Vec<&str> {
    found["results"].as_array().unwrap().iter().map(|hit| hit["tool_name"].as_str().unwrap()).collect()
}

#[test]
fn several_phrasings_are_one_ranking() {
    let found =
        find(json!({"query": "refile this", "queries": ["move a note to another folder", "commit history", " "]}));
    assert_eq!(names(&found)[..2], ["notes.move", "git_log"], "{found}");
    assert_eq!(found["results"][0]["matched"], json!([1]));
    assert_eq!(found["total_matches"], json!(names(&found).len()));
    let alone = find(json!({"queries": ["commit history"]}));
    assert_eq!(names(&alone)[0], "git_log");
    // Second for one phrasing and first for two is better than the other way round.
    let phrasings = ["commits", "sends commits to a remote", "push to a remote"];
    let fused = find(json!({"queries": phrasings, "kind": "cli", "limit": 1}));
    assert_eq!((names(&fused), &fused["results"][0]["matched"]), (vec!["git_push"], &json!([0, 1, 2])));
    assert_eq!(fused["note"], "1 of 2");
    assert_eq!(names(&find(json!({"queries": phrasings, "kind": "cli", "offset": 1}))), ["git_log"]);
}

#[test]
fn filters_leave_servers_risks_and_kinds() {
    for (arguments, expected) in [
        (json!({"server": "NOTES"}), vec!["notes.move", "notes.list"]),
        (json!({"server": "git"}), vec![]),
        (json!({"risk": "write"}), vec!["notes.move", "git_push"]),
        (json!({"risk": "read"}), vec!["git_log"]),
        (json!({"risk": "unknown"}), vec!["notes.list"]),
        (json!({"kind": "cli"}), vec!["git_log", "git_push"]),
        (json!({"kind": "server", "risk": "Write"}), vec!["notes.move"]),
        (json!({"query": "note", "kind": "cli"}), vec![]),
    ] {
        assert_eq!(names(&find(arguments.clone())), expected, "{arguments}");
    }
}

#[test]
fn an_answer_says_as_much_as_is_asked_for() {
    let of = |detail: &str| find(json!({"server": "notes", "limit": 1, "detail": detail}))["results"][0].clone();
    assert_eq!(of("names"), json!({"tool_name": "notes.move"}));
    let line = json!({"tool_name": "notes.move", "description": "Moves a note to another folder."});
    assert_eq!(of("line"), line);
    assert_eq!(of("schema")["input_schema"], json!({"type": "object"}));
    assert_eq!(of("schema")["cli_name"], "notes");
}

#[test]
fn an_answer_is_bounded_and_says_how_much_of_it_there_is() {
    let large = |at: usize| {
        let schema = json!({"type": "object", "description": "x".repeat(9_000)});
        let mut tool = ToolDefinition::new(format!("tool_{at}"), "Paints", schema, SourceId::new("cli:a"));
        tool.group = "a".into();
        Arc::new(tool)
    };
    let index = Index::of((0..10).map(large));
    let tools = DiscoveryTools::new("search", "call", SourceId::new("aish"));
    let page = |offset: usize| {
        serde_json::to_value(tools.find(&index, &json!({"query": "paints", "offset": offset})).unwrap()).unwrap()
    };
    let first = page(0);
    assert!(first.to_string().len() < 33_000, "{}", first.to_string().len());
    assert_eq!(
        (&first["returned"], &first["total_matches"], &first["has_more"]),
        (&json!(3), &json!(10), &json!(true))
    );
    assert_eq!(first["note"], "3 of 10");
    let mut seen = Vec::new();
    while seen.len() < 10 {
        let next = page(seen.len());
        assert!(next["returned"].as_u64().unwrap() > 0, "one tool at least");
        seen.extend(names(&next).into_iter().map(str::to_owned));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 10);
}

#[test]
fn what_cannot_be_understood_is_told_at_once() {
    let faults =
        faults(json!({"queries": vec!["a"; 9], "risk": "high", "kind": 1, "detail": "all", "cli": "a", "server": "b"}));
    assert_eq!(faults.len(), 5, "{faults:?}");
    assert!(faults.iter().any(|fault| fault == "Argument 'queries' takes at most 8 texts"));
    assert!(faults.iter().any(|fault| fault == "Argument 'risk' must be one of: read, write, destructive, unknown"));
}
