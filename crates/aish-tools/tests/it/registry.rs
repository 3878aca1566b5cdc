//! Sources that come, go and change.

use std::sync::Arc;

use aish_tools::registry::Refusal;
use aish_tools::{Registry, handler, input_schema};
use aish_types::{ToolDefinition, ToolOutcome};
use serde_json::json;

use crate::door::definition;
use crate::sources::{Changing, Tells};

fn tool(name: &str, owner: &str) -> ToolDefinition {
    definition(name, input_schema(&[]), owner)
}

fn stranger(name: &str, owner: &str) -> ToolDefinition {
    ToolDefinition { trusted: false, ..tool(name, owner) }
}

fn names(registry: &Registry) -> Vec<String> {
    registry.list(None).iter().map(|definition| definition.name.to_string()).collect()
}

#[test]
fn the_first_owner_keeps_a_name() {
    let registry = Registry::default();
    assert!(registry.add(Changing::new("mcp:a", vec![tool("x", "mcp:a")], Tells::Nothing)).is_empty());
    let refused = registry.add(Changing::new("mcp:b", vec![tool("x", "mcp:b"), tool("y", "mcp:b")], Tells::Nothing));
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].to_string(), "Tool 'x' of mcp:b already registered");
    assert_eq!(registry.get(&"x".into()).unwrap().1.source.as_str(), "mcp:a");
    assert_eq!(names(&registry), ["x", "y"]);
    registry.remove(&"mcp:a".into());
    assert_eq!(registry.get(&"x".into()).unwrap().1.source.as_str(), "mcp:b");
}

#[test]
fn the_same_owner_may_refresh_its_own() {
    let registry = Registry::default();
    let run = handler(|_, _| async { ToolOutcome::success("1") });
    registry.refresh(tool("x", "nats:dice"), run.clone()).unwrap();
    let newer = ToolDefinition { description: "newer".into(), ..tool("x", "nats:dice") };
    registry.refresh(newer, run.clone()).unwrap();
    assert_eq!(registry.get(&"x".into()).unwrap().1.description, "newer");
    let error = registry.refresh(tool("x", "nats:other"), run.clone()).unwrap_err();
    assert_eq!(error.why, Refusal::AlreadyRegistered);
    assert_eq!(names(&registry), ["x"]);
    assert!(registry.unregister(&"x".into()));
    assert!(!registry.unregister(&"x".into()));
    registry.register(tool("x", "nats:other"), run).unwrap();
}

#[test]
fn a_source_that_changes_is_seen() {
    for tells in [Tells::Revision, Tells::Nothing] {
        let registry = Registry::default();
        let source = Changing::new("mcp:a", vec![tool("a", "mcp:a")], tells);
        registry.add(source.clone());
        let (revision, before) = (registry.revision(), registry.tool(&"a".into()).unwrap());
        assert_eq!(registry.revision(), revision, "nothing has changed");
        source.set(vec![tool("a", "mcp:a"), tool("b", "mcp:a")]);
        assert_eq!(names(&registry), ["a", "b"]);
        assert_ne!(registry.revision(), revision);
        assert!(Arc::ptr_eq(&before, &registry.tool(&"a".into()).unwrap()), "what is unchanged is kept");
        source.set(vec![ToolDefinition { description: "other".into(), ..tool("a", "mcp:a") }]);
        assert!(registry.get(&"b".into()).is_none());
        assert_ne!(before.hash(), registry.tool(&"a".into()).unwrap().hash());
    }
}

#[test]
fn one_of_a_source_can_be_hidden() {
    let registry = Registry::default();
    let source = Changing::new("mcp:a", vec![tool("a", "mcp:a"), tool("b", "mcp:a")], Tells::Revision);
    registry.add(source.clone());
    assert!(registry.unregister(&"a".into()));
    source.set(vec![tool("a", "mcp:a"), tool("b", "mcp:a"), tool("c", "mcp:a")]);
    assert_eq!(names(&registry), ["b", "c"]);
    registry.add(source);
    assert_eq!(names(&registry), ["a", "b", "c"]);
}

#[test]
fn strangers_names_are_checked() {
    let registry = Registry::default();
    registry.add(Changing::new(
        "builtin",
        vec![tool("calculator", "builtin"), tool("roll_dice", "builtin")],
        Tells::Nothing,
    ));
    let long = "x".repeat(129);
    let names_ = ["good.one", "", "with blank", "ca\u{304}lc", "c\u{430}lculator", &long, "ca1culator", "Roll-Dice"];
    let refused = registry.add(Changing::new(
        "mcp:m",
        names_.iter().map(|name| stranger(name, "mcp:m")).collect(),
        Tells::Nothing,
    ));
    let why: Vec<Refusal> = refused.iter().map(|refused| refused.why).collect();
    let (name, look) = (Refusal::InvalidName, Refusal::LooksLikeAnother);
    assert_eq!(why, [name, name, name, name, name, look, look]);
    assert_eq!(names(&registry), ["calculator", "roll_dice", "good.one"]);
}

#[test]
fn lists_by_category() {
    let registry = Registry::default();
    let run = handler(|_, _| async { ToolOutcome::success("") });
    for (name, category) in [("a", "math"), ("b", "general"), ("c", "math")] {
        let definition = ToolDefinition { category: category.into(), ..tool(name, "builtin") };
        registry.register(definition, run.clone()).unwrap();
    }
    assert_eq!(registry.list(Some("math")).len(), 2);
    assert_eq!(
        registry.schemas(Some("general")),
        [json!({"type": "function", "function": {
        "name": "b", "description": "A tool of the tests",
        "parameters": {"type": "object", "properties": {}, "required": []}}})]
    );
    registry.unregister(&"b".into());
    assert_eq!(registry.list(Some("general")).len(), 0);
}

#[test]
fn many_tasks_may_change_it() {
    let registry = Arc::new(Registry::default());
    std::thread::scope(|scope| {
        for task in 0..8 {
            let registry = &registry;
            scope.spawn(move || {
                for round in 0..50 {
                    let id = format!("mcp:{task}");
                    registry.add(Changing::new(&id, vec![tool(&format!("{task}.x"), &id)], Tells::Nothing));
                    assert!(registry.get(&format!("{task}.x").into()).is_some());
                    if round % 2 == 0 {
                        assert!(registry.remove(&id.into()));
                    }
                }
            });
        }
    });
    assert_eq!(registry.list(None).len(), 8);
}
