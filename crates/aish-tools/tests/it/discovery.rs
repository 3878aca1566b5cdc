//! The two tools that stand for all, over an index that changes.

use std::sync::Arc;

use aish_tools::index::Query;
use aish_tools::{DiscoveryTools, Index, Parameter, ParameterKind, input_schema};
use aish_types::{Risk, ToolDefinition};
use serde_json::{Value, json};

fn tool(name: &str, group: &str, category: &str, description: &str) -> Arc<ToolDefinition> {
    let parameters = [Parameter::optional("path", ParameterKind::String).describe("Where")];
    let mut definition = ToolDefinition::new(name, description, input_schema(&parameters), "cli:a".into());
    definition.group = group.into();
    definition.category = category.into();
    Arc::new(definition)
}

fn index() -> Index {
    Index::of([
        tool("git_status", "git", "vcs", "Shows what has changed in the working tree"),
        tool("git_push", "git", "vcs", "Sends commits to a remote"),
        tool("docker_logs", "docker", "containers", "Shows what a container has printed"),
        tool("disk_free", "disk", "system", "Shows how much room is left on a disk"),
    ])
}

fn tools() -> DiscoveryTools {
    DiscoveryTools::new("search_tools", "call_tool", "aish".into())
}

fn find(index: &Index, arguments: Value) -> Value {
    serde_json::to_value(tools().find(index, &arguments).unwrap()).unwrap()
}

fn names(found: &Value) -> Vec<&str> {
    found["results"].as_array().unwrap().iter().map(|hit| hit["tool_name"].as_str().unwrap()).collect()
}

#[test]
fn what_is_wanted_is_found_with_its_schema() {
    let index = index();
    for (arguments, first) in [
        (json!({"query": "container output"}), "docker_logs"),
        (json!({"query": "how much disk space is left"}), "disk_free"),
        (json!({"query": "git_push"}), "git_push"),
        (json!({"query": "push", "cli": "git"}), "git_push"),
        (json!({"query": "shows", "category": "containers"}), "docker_logs"),
    ] {
        let found = find(&index, arguments.clone());
        assert_eq!((&found["mode"], names(&found)[0]), (&json!("search"), first), "{arguments}: {found}");
        assert_eq!(found["results"][0]["input_schema"]["properties"]["path"]["description"], json!("Where"));
    }
    assert_eq!(find(&index, json!({"query": "xyzzy"}))["total_matches"], json!(0));
}

#[test]
fn pages_follow_one_another() {
    let index = index();
    let all = find(&index, json!({"category": "vcs"}));
    assert_eq!(names(&all), ["git_status", "git_push"], "without a text in load order");
    assert_eq!((&all["total_matches"], &all["has_more"]), (&json!(2), &json!(false)));
    let first = find(&index, json!({"category": "vcs", "limit": "1"}));
    assert_eq!((names(&first), &first["has_more"], &first["returned"]), (vec!["git_status"], &json!(true), &json!(1)));
    let second = find(&index, json!({"category": "vcs", "limit": 1, "offset": 1.0}));
    assert_eq!((names(&second), &second["has_more"], &second["offset"]), (vec!["git_push"], &json!(false), &json!(1)));
    let beyond = find(&index, json!({"category": "vcs", "offset": 10}));
    assert_eq!((names(&beyond).len(), &beyond["total_matches"]), (0, &json!(2)));
}

#[test]
fn without_a_wish_the_groups_are_told() {
    let found = find(&index(), json!({"query": null, "unknown": null}));
    assert_eq!(found["mode"], json!("summary"));
    let groups: Vec<(&str, u64)> = found["summary"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| (group["name"].as_str().unwrap(), group["tool_count"].as_u64().unwrap()))
        .collect();
    assert_eq!(groups, [("git", 2), ("docker", 1), ("disk", 1)]);
    let one = find(&index(), json!({"limit": 1, "offset": 1}));
    assert_eq!(one["summary"].as_array().unwrap().len(), 1);
    assert_eq!(one["summary"][0]["name"], json!("docker"));
}

#[test]
fn every_fault_of_a_search_is_named() {
    for (arguments, faults) in [
        (
            json!({"query": ["a"], "limit": "ten", "offset": -1}),
            "Argument 'query': cannot convert '[\"a\"]' to string; Argument 'limit': cannot convert 'ten' to integer; \
             Argument 'offset' must not be below 0",
        ),
        (json!({"limit": 1.5}), "Argument 'limit': cannot convert '1.5' to integer"),
        (json!({"qurey": "x", "limit": null, "zz": null}), "Unknown argument 'qurey'; did you mean 'query'?"),
        (json!({"limit": true}), "Argument 'limit': cannot convert 'true' to integer"),
    ] {
        assert_eq!(tools().find(&index(), &arguments).unwrap_err().to_string(), faults);
    }
}

#[test]
fn a_call_names_its_target() {
    for (arguments, expected) in [
        (json!({"tool_name": "git_push", "args": {"path": "x"}}), Ok(r#"{"path":"x"}"#)),
        (json!({"tool_name": "git_push", "args": "{\"path\": \"x\"}"}), Ok(r#"{"path":"x"}"#)),
        (json!({"tool_name": "git_push"}), Ok("{}")),
        (json!({"tool_name": "git_push", "args": null}), Ok("{}")),
        (json!({"tool_name": "git_push", "args": " "}), Ok("{}")),
        (json!({"tool_name": "git_push", "arguments": {"path": "x"}}), Ok(r#"{"path":"x"}"#)),
        (json!({"tool_name": "git_push", "arguments": "{\"path\": \"x\"}", "args": null}), Ok(r#"{"path":"x"}"#)),
        (
            json!({"tool_name": "git_push", "path": "x"}),
            Err("Unknown argument 'path'; there is tool_name, args. The tool's own arguments go into 'args'."),
        ),
        (
            json!({"tool_name": "git_push", "args": {}, "arguments": {"path": "x"}}),
            Err("Unknown argument 'arguments'; there is tool_name, args. The tool's own arguments go into 'args'."),
        ),
        (
            json!({"name": "git_push", "arg": {}}),
            Err(
                "Missing required argument 'tool_name'; Unknown argument 'arg'; did you mean 'args'? The tool's own arguments go \
                 into 'args'.; Unknown argument 'name'; did you mean 'tool_name'? The tool's own arguments go into 'args'.",
            ),
        ),
        (json!({"args": {}}), Err("Missing required argument 'tool_name'")),
        (json!({"tool_name": null}), Err("Missing required argument 'tool_name'")),
        (json!({"tool_name": ""}), Err("Argument 'tool_name' must be the name of a tool")),
        (json!({"tool_name": 5}), Err("Argument 'tool_name' must be the name of a tool")),
        (json!({"tool_name": "git_push", "args": [1]}), Err("Argument 'args' must be an object")),
        (json!({"tool_name": "git_push", "args": "[1]"}), Err("Argument 'args' must be an object")),
        (json!({"tool_name": "git_push", "args": "{\"path\": "}), Err("Argument 'args' must be an object")),
    ] {
        let target = tools().target(arguments.clone());
        let seen = target.as_ref().map(|(_, arguments)| arguments.to_string()).map_err(ToString::to_string);
        assert_eq!(seen, expected.map(String::from).map_err(String::from), "{arguments}");
        assert!(target.is_err() || target.unwrap().0.as_str() == "git_push");
    }
}

#[test]
fn the_definitions_are_small_and_only_the_call_is_dangerous() {
    let tools = tools();
    let [search, call] = tools.definitions();
    assert_eq!((&search.name, &call.name), (tools.search_name(), tools.call_name()));
    assert_eq!((search.risk == Risk::Destructive, call.risk), (false, Risk::Destructive));
    assert!(call.description.contains("search_tools"));
    let bytes = [&search, &call].iter().map(|one| aish_tools::function_schema(one).to_string().len()).sum::<usize>();
    assert!(bytes < 1_600, "{bytes}");
}

#[test]
fn an_index_changes_in_place() {
    let mut index = index();
    let all = |index: &Index| index.definitions().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
    index.put(tool("git_status", "git", "vcs", "Tells the weather"));
    assert_eq!(all(&index), ["git_status", "git_push", "docker_logs", "disk_free"], "it keeps its place");
    assert_eq!(names(&find(&index, json!({"query": "weather"}))), ["git_status"]);
    assert!(names(&find(&index, json!({"query": "working tree"}))).is_empty(), "the old words are gone");
    assert!(index.remove(&"docker_logs".into()) && !index.remove(&"docker_logs".into()));
    assert!(index.get(&"docker_logs".into()).is_none() && index.get(&"git_push".into()).is_some());
    // Many that come and go leave nothing behind, and lose nothing.
    for n in 0..300 {
        index.put(tool(&format!("temporary_{n}"), "temporary", "vcs", "Is here for a while"));
    }
    assert_eq!(index.len(), 303);
    for n in 0..300 {
        assert!(index.remove(&format!("temporary_{n}").into()));
    }
    assert_eq!(all(&index), ["git_status", "git_push", "disk_free"]);
    assert!(names(&find(&index, json!({"query": "temporary"}))).is_empty());
    assert_eq!(names(&find(&index, json!({"query": "room left on a disk"})))[0], "disk_free");
    let groups: Vec<String> = index.summary().into_iter().map(|line| line.group.name).collect();
    assert_eq!(groups, ["git", "disk"], "a group without tools is not told");
    for name in all(&index) {
        index.remove(&name.into());
    }
    assert!(index.is_empty());
    assert_eq!(index.search(&Query { limit: 5, ..Query::default() }).total, 0);
}

#[test]
fn a_program_that_is_named_keeps_the_others_back() {
    let tools = |group: &'static str, what: &'static str| {
        ["list", "view", "create", "close", "edit"].map(|verb| {
            tool(
                &format!("{group}_{what}_{verb}"),
                &format!("{group}-tools"),
                "x",
                &format!("{verb} a {what} of the team"),
            )
        })
    };
    let index = Index::of([tools("jira", "ticket"), tools("gh", "ticket"), tools("aws", "ticket")].concat());
    for (request, first) in [
        ("create a ticket", "jira_ticket_create"),
        ("create a ticket on GitHub", "gh_ticket_create"),
        ("close my ticket at Amazon", "aws_ticket_close"),
        ("all tickets in jira", "jira_ticket_list"),
    ] {
        let page = index.search(&Query::text(request));
        assert_eq!(page.hits[0].definition.name.as_str(), first, "{request}");
    }
}

#[test]
fn the_clause_that_asks_tells_what_to_do() {
    let index = Index::of([
        tool("gh_run_list", "gh", "x", "List recent workflow runs"),
        tool("gh_run_rerun", "gh", "x", "Re-run a workflow run"),
        tool("gh_run_cancel", "gh", "x", "Cancel a workflow run"),
        tool("aws_security_groups", "aws", "x", "List security groups and their inbound rules"),
    ]);
    for (request, first) in [
        ("rerun the run of main", "gh_run_rerun"),
        ("somebody said to rerun main, cancel its run", "gh_run_cancel"),
        ("The run of main has been red since Monday. List the runs of last week", "gh_run_list"),
        ("rules of our firewal", "aws_security_groups"),
    ] {
        let page = index.search(&Query::text(request));
        assert_eq!(page.hits[0].definition.name.as_str(), first, "{request}");
    }
}
