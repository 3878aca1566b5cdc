//! Servers of the registries behind the gateway; without their packages these tests say so and count as skipped.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::fixture::{Newest, Servers};
use crate::client::{Client, names};

/// Longer than a start takes that does not hang.
const HUNG_MS: u64 = 120_000;

/// The servers of npm and PyPI that are installed.
fn servers() -> Option<Servers> {
    let node = std::env::var_os("AISH_TEST_NODE").map(PathBuf::from);
    let node = node.map(|folder| if folder.ends_with("node_modules") { folder } else { folder.join("node_modules") });
    let python = std::env::var_os("AISH_TEST_PYTHON").map(PathBuf::from);
    let (Some(node), Some(python)) = (node, python) else {
        aish_testkit::skip("climax gateway", "servers of npm and PyPI are not installed (see ./test)");
        return None;
    };
    let mut servers = Servers::new();
    let path = format!("{}:{}", node.join("node/bin").display(), std::env::var("PATH").unwrap());
    let here = servers.path("").to_string_lossy().into_owned();
    servers.write("a.txt", "hello");
    for (alias, package, args) in [
        ("everything", "server-everything", vec![]),
        ("files", "server-filesystem", vec![here]),
        ("memory", "server-memory", vec![]),
        ("thinking", "server-sequential-thinking", vec![]),
    ] {
        let program = node.join(format!(".bin/mcp-{package}"));
        servers.add(alias, json!({"command": program, "args": args, "env": {"PATH": path}, "start_ms": HUNG_MS}));
    }
    servers.add("clock", json!({"command": python.with_file_name("mcp-server-time"), "start_ms": HUNG_MS}));
    servers.refresh();
    Some(servers)
}

#[test]
fn real_servers_are_found_called_and_ended() {
    let Some(servers) = servers() else { return };
    let mut client = servers.client(None, &["--headless-approve"]);
    for (query, tool) in [
        ("what time is it in another time zone", "clock.get_current_time"),
        ("list a directory", "files.list_directory"),
        ("read the knowledge graph", "memory.read_graph"),
        ("think step by step", "thinking.sequentialthinking"),
    ] {
        let found = client.search(json!({"query": query}));
        assert!(names(&found).contains(&tool), "{query}: {:?}", names(&found));
    }
    let here = servers.path("").to_string_lossy().into_owned();
    for (tool, args, expected) in [
        ("clock.get_current_time", json!({"timezone": "UTC"}), "UTC"),
        ("files.list_directory", json!({"path": here}), "a.txt"),
        ("memory.read_graph", json!({}), "entities"),
        ("everything.echo", json!({"message": "hi"}), "hi"),
    ] {
        let called = client.run(tool, args);
        assert!(!called.is_error && called.text.contains(expected), "{tool}: {}", called.text);
    }
    let listed = client.request("prompts/list", json!({}));
    let prompts: Vec<&str> =
        listed["prompts"].as_array().unwrap().iter().filter_map(|prompt| prompt["name"].as_str()).collect();
    let prompt = prompts.iter().find(|name| name.starts_with("everything.")).expect("its prompts are listed");
    assert!(prompts.contains(&"write_config"), "{prompts:?}");
    let simple = prompts.iter().find(|name| name.contains("simple")).unwrap_or(prompt);
    let filled = client.request("prompts/get", json!({"name": simple}));
    assert!(!filled["messages"].as_array().unwrap().is_empty(), "{filled}");
    let resources = client.request("resources/list", json!({}));
    let uri = resources["resources"].as_array().unwrap().iter().filter_map(|resource| resource["uri"].as_str());
    let uri =
        uri.filter(|uri| !uri.starts_with("climax://")).map(str::to_owned).next().expect("its resources are listed");
    let read = client.request("resources/read", json!({"uri": uri}));
    assert_eq!(read["contents"][0]["uri"], uri);
}

#[test]
fn progress_of_a_real_server_reaches_the_client() {
    let Some(servers) = servers() else { return };
    let mut client = servers.client(None, &["--headless-approve"]);
    let tool = long_running(&mut client);
    let arguments = json!({"tool_name": tool, "args": {"duration": 1, "steps": 4}});
    let params = json!({"name": "climax_call", "arguments": arguments, "_meta": {"progressToken": "p"}});
    let id = client.post("tools/call", params);
    let result: Value = client.answer(id);
    assert_ne!(result["isError"], true, "{result}");
    let reports = client.notified.iter().filter(|method| *method == "notifications/progress").count();
    assert!(reports >= 3, "{reports}");
}

#[test]
fn a_real_server_has_the_clients_model_write() {
    let Some(servers) = servers() else { return };
    let mut client = Newest::start(&mut servers.command(&["--headless-approve"]));
    let search =
        json!({"name": "climax_search", "arguments": {"server": "everything", "limit": 50, "detail": "names"}});
    // What it offers depends on what its client can do: the second search has the list of the start.
    client.run("everything.echo", json!({"message": "hi"}), &json!({}));
    let found = client.request("tools/call", search);
    let found: Value = serde_json::from_str(found["content"][0]["text"].as_str().unwrap()).unwrap();
    let sampling = |name: &&str| name.to_lowercase().contains("sampl") && !name.to_lowercase().contains("async");
    let Some(tool) = names(&found).into_iter().find(sampling) else { panic!("it has no tool that samples: {found}") };
    let (called, asked) = client.run(tool, json!({"prompt": "Say something", "maxTokens": 20}), &json!({}));
    assert!(asked.contains(&"sampling".to_owned()), "{asked:?}: {}", called.text);
    assert!(called.text.contains("written by the client's model"), "{}", called.text);
}

/// The tool of the everything server that takes a while.
fn long_running(client: &mut Client) -> String {
    let found = client.search(json!({"server": "everything", "limit": 50, "detail": "names"}));
    let found =
        names(&found).into_iter().find(|name| name.to_lowercase().replace(['-', '_'], "").contains("longrunning"));
    found.expect("it has one").to_owned()
}
