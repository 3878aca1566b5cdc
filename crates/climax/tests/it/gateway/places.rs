//! A yes to a start is for the program that it starts, in the folder where that runs.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::fixture::{Servers, done, example, tool};
use crate::client::{Client, Way};

/// A program in a folder of its own, which is a fake server that notes its requests under that name.
fn server_in(servers: &Servers, folder: &str) {
    std::fs::create_dir_all(servers.path(folder)).unwrap();
    let script = servers.script(folder, done(&[tool("read", "Reads")]));
    let program = servers.write(&format!("{folder}/srv.sh"), &format!("#!/bin/sh\nexec '{}' '{script}'\n", example()));
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn client(servers: &Servers, folder: &str, answer: Option<&'static str>, args: &[&str]) -> Client {
    let args: Vec<&str> = ["run"].into_iter().chain(args.iter().copied()).collect();
    Client::start_with(Way::Stdio, &args, answer, |command| {
        servers.prepare(command);
        command.current_dir(servers.path(folder));
    })
}

#[test]
fn what_leads_on_from_the_folder_is_agreed_to_in_each_folder() {
    for entry in [json!({"command": "sh", "args": ["./srv.sh"]}), json!({"command": "./srv.sh"})] {
        let mut servers = Servers::new();
        server_in(&servers, "a");
        server_in(&servers, "b");
        servers.add("notes", entry.clone());
        let list = servers.list();
        let over = servers.write("over.yaml", "servers: {notes: {tools: {read: {risk: read}}}}");
        let args = ["--servers", &list, "--config", &over];
        let mut first = client(&servers, "a", Some("accept"), &args);
        assert_eq!(first.run("notes.read", json!({})).text, "done", "{entry}");
        assert_eq!(first.asked.len(), 1, "{entry}: {:?}", first.asked);
        let own = servers.path("a").to_string_lossy().into_owned();
        assert!(first.asked[0].contains(&own), "{entry}: {:?}", first.asked);
        drop(first);

        let mut other = client(&servers, "b", None, &args);
        let refused = other.run("notes.read", json!({}));
        assert!(refused.is_error && refused.text.contains("Somebody has to agree"), "{entry}: {}", refused.text);
        assert_eq!(servers.requests("b"), Vec::<String>::new(), "{entry}");
        drop(other);
        let mut other = client(&servers, "b", Some("accept"), &args);
        assert_eq!(other.run("notes.read", json!({})).text, "done", "{entry}");
        drop(other);
        assert_eq!(
            client(&servers, "a", None, &args).run("notes.read", json!({})).text,
            "done",
            "{entry}: the first yes"
        );
    }
}

#[test]
fn what_means_the_same_everywhere_is_agreed_to_once() {
    let mut servers = Servers::new();
    server_in(&servers, "a");
    server_in(&servers, "b");
    servers.add("notes", json!({"command": servers.path("a/srv.sh"), "args": ["--stdio"]}));
    servers.refresh();
    let list = servers.list();
    let over = servers.write("over.yaml", "servers: {notes: {tools: {read: {risk: read}}}}");
    let mut elsewhere = client(&servers, "b", None, &["--servers", &list, "--config", &over]);
    assert_eq!(elsewhere.run("notes.read", json!({})).text, "done");
}

#[test]
fn a_program_of_that_name_elsewhere_in_path_is_another() {
    let mut servers = Servers::new();
    server_in(&servers, "a");
    server_in(&servers, "b");
    servers.add("notes", json!({"command": "srv.sh"}));
    let list = servers.list();
    let with = |folder: &str, answer| {
        let path = format!("{}:/usr/bin:/bin", servers.path(folder).to_string_lossy());
        Client::start_with(Way::Stdio, &["run", "--servers", &list], answer, |command| {
            servers.prepare(command);
            command.env("PATH", path);
        })
    };
    let mut first = with("a", Some("accept"));
    assert_eq!(first.run("notes.read", json!({})).text, "done");
    let file = servers.path("a/srv.sh").to_string_lossy().into_owned();
    assert!(first.asked[0].contains(&file), "{:?}", first.asked);
    let refused = with("b", None).run("notes.read", json!({}));
    assert!(refused.text.contains("Somebody has to agree"), "{}", refused.text);
    assert_eq!(servers.requests("b"), Vec::<String>::new());
}

#[test]
fn the_program_of_a_configs_server_lies_beside_the_config() {
    let servers = Servers::new();
    server_in(&servers, "a");
    server_in(&servers, "b");
    let yaml = servers.write("a/notes.yaml", "servers: {notes: {command: ./srv.sh, tools: {read: {risk: read}}}}");
    let mut first = client(&servers, "b", Some("accept"), &["--config", &yaml]);
    assert_eq!(first.run("notes.read", json!({})).text, "done");
    assert_eq!(servers.requests("b"), Vec::<String>::new());
    drop(first);
    assert_eq!(client(&servers, ".", None, &["--config", &yaml]).run("notes.read", json!({})).text, "done");
}

#[test]
fn json_of_a_strangers_words_is_safe_for_a_terminal() {
    let mut servers = Servers::new();
    let words = "Tells \u{9b}31m of \u{202e}it\u{200b} \u{e0041}";
    servers.fake("notes", &[tool("echo", words)]);
    servers.refresh();
    let list = servers.list();
    for command in ["search", "list"] {
        let mut arguments = vec![command, "--json", "--servers", list.as_str()];
        if command == "search" {
            arguments.push("echo");
        }
        let output = servers.climax(&arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.trim_end().chars().all(|c| !aish_types::is_dangerous(c)), "{text:?}");
        assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap().to_string().contains(words), "{text}");
    }
}
