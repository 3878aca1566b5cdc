//! What the user's files say of servers' tools, and what of it a policy leaves.

use serde_json::{Value, json};

use super::fixture::{Servers, example, tool};
use crate::client::names;

const YAML: &str = "
servers:
  notes:
    exclude: ['secret_*']
    tools:
      echo:
        name: say
        title: Say it
        description: Says a text
        risk: read
        annotations: {idempotent: true}
        arguments:
          text: {default: hello, description: what is said}
      wipe: {hidden: true}
      move: {risk: write}
  box:
    tools: {echo: {risk: write, arguments: {text: {fixed: inbox}}}}
";

fn servers() -> Servers {
    let mut servers = Servers::new();
    let tools = [tool("echo", "Echoes"), tool("wipe", "Wipes"), tool("move", "Moves"), tool("secret_read", "Reads")];
    servers.fake("notes", &tools);
    servers.fake("box", &[tool("echo", "Puts a text into the box")]);
    servers.refresh();
    servers
}

#[test]
fn tools_are_renamed_described_filled_in_and_hidden() {
    let servers = servers();
    let yaml = servers.write("over.yaml", YAML);
    let mut client = servers.client(None, &["--config", &yaml]);
    let found = client.search(json!({"server": "notes"}));
    assert_eq!(names(&found), ["notes.say", "notes.move"]);
    let say = &found["results"][0];
    assert_eq!(say["description"], "Says a text");
    let text = json!({"type": "string", "description": "what is said", "default": "hello"});
    assert_eq!(say["input_schema"]["properties"]["text"], text);
    let boxed = client.search(json!({"server": "box"}));
    assert_eq!(boxed["results"][0]["input_schema"]["properties"], json!({}));
    assert_eq!(client.run("notes.say", json!({})).text, "hello");
    for hidden in ["notes.echo", "notes.wipe", "notes.secret_read"] {
        let called = client.run(hidden, json!({}));
        assert!(called.is_error && called.text.starts_with("Unknown tool"), "{hidden}: {}", called.text);
    }
    let by_risk = |client: &mut crate::client::Client, risk: &str| -> Vec<String> {
        let found = client.search(json!({"risk": risk, "kind": "server"}));
        names(&found).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(by_risk(&mut client, "read"), ["notes.say"]);
    assert_eq!(by_risk(&mut client, "write"), ["notes.move", "box.echo"]);
    assert!(client.run("notes.move", json!({"text": "mine"})).text.contains("not approved"), "what writes is asked");
    drop(client);
    let mut client = servers.client(Some("accept"), &["--config", &yaml]);
    let refused = client.run("box.echo", json!({"text": "mine"}));
    assert!(
        refused.is_error && refused.text.contains("Unknown argument 'text'"),
        "what is fixed cannot be set: {}",
        refused.text
    );
    assert_eq!(client.run("box.echo", json!({})).text, "inbox");
}

#[test]
fn a_risk_is_said_of_the_servers_own_tool_and_not_of_one_of_its_new_name() {
    for listed in [&["rm", "echo"][..], &["echo", "rm"], &["rm"]] {
        let mut servers = Servers::new();
        let tools: Vec<Value> = listed.iter().map(|name| tool(name, "Does it")).collect();
        servers.fake_done("notes", &tools);
        servers.refresh();
        let yaml = servers.write("over.yaml", "servers: {notes: {tools: {echo: {name: rm, risk: read}}}}");
        let mut client = servers.client(None, &["--config", &yaml]);
        let mut expected: Vec<String> = listed.iter().map(|name| format!("notes.{name}")).collect();
        expected.sort_unstable();
        let found = client.search(json!({"server": "notes"}));
        let mut found = names(&found);
        found.sort_unstable();
        assert_eq!(found, expected, "nothing is left out without a word");
        assert!(client.run("notes.rm", json!({})).text.contains("not approved"), "{listed:?}");
        if listed.len() > 1 {
            assert_eq!(client.run("notes.echo", json!({})).text, "done");
        }
    }
}

#[test]
fn classic_lists_names_that_every_client_takes() {
    let servers = servers();
    let yaml = servers.write("over.yaml", YAML);
    let mut client = servers.client(None, &["--config", &yaml, "--classic"]);
    let tools = client.tools();
    let listed: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(listed, ["notes_say", "notes_move", "box_echo"]);
    assert_eq!(tools[0]["title"], "Say it");
    assert_eq!(
        tools[0]["annotations"],
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true})
    );
    assert_eq!(client.call("notes_say", json!({"text": "x"})).text, "x");
}

#[test]
fn a_policy_holds_for_servers() {
    let servers = servers();
    let policy = |text: &str| servers.write("policy.yaml", text);
    let bounded =
        policy("tools: {notes.echo: {description: Ours, require_approval: false, args: {text: {pattern: '[a-z]+'}}}}");
    let mut client = servers.client(None, &["--policy", &bounded]);
    let found = client.search(json!({"server": "notes"}));
    assert_eq!((names(&found), &found["results"][0]["description"]), (vec!["notes.echo"], &json!("Ours")));
    assert_eq!(client.run("notes.echo", json!({"text": "abc"})).text, "abc");
    assert!(client.run("notes.echo", json!({"text": "ABC"})).text.contains("does not match pattern"));
    assert!(client.run("notes.move", json!({})).text.starts_with("Unknown tool"));
    drop(client);
    let open = policy("default: enabled\napproval: {global: none, tools: {notes.wipe: true}}");
    let mut client = servers.client(None, &["--policy", &open]);
    assert_eq!(client.run("notes.echo", json!({"text": "x"})).text, "x");
    assert!(client.run("notes.wipe", json!({"text": "x"})).text.contains("not approved"));
    drop(client);
    let all = policy("default: enabled\napproval: {global: all}");
    let yaml = servers.write("over.yaml", YAML);
    let mut client = servers.client(None, &["--policy", &all, "--config", &yaml]);
    assert!(client.run("notes.say", json!({})).text.contains("not approved"), "the policy asks about everything");
}

#[test]
fn a_bound_is_not_passed_by_another_spelling() {
    let mut servers = Servers::new();
    let properties = json!({"path": {"type": "string"}, "to": {"type": "string"}, "TO": {"type": "string"}});
    let read = json!({"name": "read", "inputSchema": {
        "type": "object", "properties": properties, "additionalProperties": true}});
    servers.fake_done("notes", &[read]);
    servers.refresh();
    let yaml = servers.write("over.yaml", "servers: {notes: {tools: {read: {risk: read}}}}");
    let policy = "default: enabled\ntools: {notes.read: {args: {path: {pattern: '/safe/.*'}, to: {pattern: '[a-z]'}}}}";
    let policy = servers.write("policy.yaml", policy);
    let mut client = servers.client(None, &["--policy", &policy, "--config", &yaml]);
    for (arguments, passes) in [
        (json!({"path": "/safe/a"}), true),
        (json!({"path": "/etc"}), false),
        (json!({"Path": "/etc"}), false),
        (json!({"path ": "/etc"}), false),
        (json!({"path": "/safe/a", "PATH": "/etc"}), false),
        (json!({"TO": "/etc"}), true),
        (json!({"To": "/etc"}), false),
        (json!({"other": "/etc"}), true),
    ] {
        let called = client.run("notes.read", arguments.clone());
        assert_eq!(called.text == "done", passes, "{arguments}: {}", called.text);
    }
}

#[test]
fn validate_finds_what_is_wrong_in_a_file() {
    let servers = Servers::new();
    let check = |text: &str| {
        let yaml = servers.write("v.yaml", text);
        let output = servers.climax(&["validate", &yaml]);
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for text in [YAML, "servers: {a: {command: x, tools: {rm: {hidden: true}, trash: {name: rm}}}}"] {
        let (good, told) = check(text);
        assert!(good, "{text}: {told}");
    }
    for (text, fault) in [
        ("servers: {a: {command: x, url: 'http://h'}}", "error: a server has either 'command' or 'url'"),
        ("servers: {a: {comand: x}}", "a server has no key 'comand'; did you mean 'command'?"),
        ("servers: {a: {url: 'http://h', args: [x]}}", "are for a server with 'command'"),
        ("servers: {'a b': {command: x}}", "the server's name 'a b' is outside"),
        ("servers: {a: {command: x, tools: {t: {risk: reed}}}}", "'risk' must be"),
        ("servers: {a: {command: x, tools: {t: {hiden: true}}}}", "did you mean 'hidden'?"),
        ("servers: {a: {command: x, tools: {t: {name: 'a b'}}}}", "the tool name 'a b' is outside"),
        ("servers: {a: {command: x, tools: {t: {name: u}, u: {}}}}", "two tools are shown as 'u'"),
        (
            "servers: {a: {command: x, tools: {t: {arguments: {k: {fixed: 1, default: 2}}}}}}",
            "the other keys mean nothing",
        ),
        ("servers: {a: {command: x, timeout_ms: -1}}", "'timeout_ms' must be a whole number"),
        ("servers: {a: {command: \"x 'y\"}}", "the quotes of 'command' do not match"),
        ("servers: {a: {url: 'ftp://h/mcp'}}", "'url': 'ftp://h/mcp' must begin with http:// or https://"),
    ] {
        let (good, told) = check(text);
        assert!(!good && told.contains(fault), "{text}: {told}");
    }
    let list = servers.write("list.json", r#"{"mcpServers": {"a": {"url": "ftp://h/mcp"}, "b": {"command": "x"}}}"#);
    let output = servers.climax(&["validate", "--servers", &list]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("a: 'ftp://h/mcp' must begin with http://"), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("some are left out, 1 servers"), "{output:?}");
}

#[test]
fn lists_of_other_programs_name_the_same_servers() {
    let servers = Servers::new();
    let script =
        servers.script("notes", json!({"results": {"tools/list": {"tools": [tool("echo", "Echoes its text")]}}}));
    let (program, both) = (example(), json!({"command": example(), "args": [script]}));
    for (name, text) in [
        ("claude.json", json!({"mcpServers": {"notes": both}}).to_string()),
        ("code.json", format!("// ours\n{{\"servers\": {{\"notes\": {both},}},}}")),
        ("opencode.json", json!({"mcp": {"notes": {"type": "local", "command": [program, script]}}}).to_string()),
        (
            "codex.toml",
            format!("[mcp_servers.notes]\ncommand = {program:?}\nargs = [{script:?}]\nenabled_tools = [\"echo\"]\n"),
        ),
    ] {
        let list = servers.write(name, &text);
        let output =
            servers.climax(&["call", "notes.echo", "--arg", "text=x", "--servers", &list, "--headless-approve"]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "x\n", "{name}: {output:?}");
        let listed = servers.climax(&["list", "--json", "--servers", &list]);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        assert_eq!((&listed[0]["tool_name"], &listed[0]["risk"]), (&json!("notes.echo"), &json!("unknown")), "{name}");
    }
    let nothing = servers.write("nothing.json", "{}");
    let output = servers.climax(&["search", "x", "--servers", &nothing]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("has neither `mcpServers`"), "{output:?}");
}

#[test]
fn a_servers_tools_are_written_down_to_be_looked_through() {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("echo", "Echoes: \"a\""), tool("wipe", "Wipes")]);
    let (list, reviewed) = (servers.list(), servers.path("reviewed.yaml"));
    let reviewed = reviewed.to_string_lossy().into_owned();
    let import = ["import", "--mcp", "notes", "--servers", &list, "-o", &reviewed];
    let refused = servers.climax(&import);
    assert!(!refused.status.success(), "nobody agreed to start it: {refused:?}");
    assert_eq!(servers.requests("notes"), Vec::<String>::new());
    let written = servers.climax(&[&import[..], &["--headless-approve"]].concat());
    assert!(written.status.success(), "{written:?}");
    assert!(servers.climax(&["validate", &reviewed]).status.success());
    let tools = [tool("echo", "Echoes: \"a\""), tool("wipe", "Wipes"), tool("new", "Is new")];
    servers.script("notes", json!({"results": {"tools/list": {"tools": tools}}}));
    servers.refresh();
    let mut client = servers.client(None, &["--config", &reviewed]);
    assert_eq!(names(&client.search(json!({"server": "notes"}))), ["notes.echo", "notes.wipe"]);
}

#[test]
fn what_is_written_down_is_the_servers_own_word() {
    let servers = servers();
    let yaml = servers.write("over.yaml", YAML);
    let list = servers.list();
    let told = ["import", "--mcp", "notes", "--servers", &list, "--config", &yaml, "--headless-approve"];
    let written = servers.climax(&told);
    let text = String::from_utf8(written.stdout).unwrap();
    // What a file says of a tool stays there, and an entry here would take its place.
    let expected = "    include:\n      - \"echo\"\n      - \"move\"\n    tools: {}\n      # \"echo\": \"Echoes\"; the server says that \
                    it only reads; your files say more of it\n";
    assert!(text.contains(expected), "{text}");
    // Of `move` a file says `risk: write`.
    assert_eq!(text.matches("the server says that it only reads").count(), 2, "{text}");
    let reviewed = servers.write("reviewed.yaml", &text);
    let listed = servers.climax(&["list", "--json", "--servers", &list, "--config", &yaml, "--config", &reviewed]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let names: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|tool| tool["tool_name"].as_str()).collect();
    assert!(names.contains(&"notes.say") && names.contains(&"notes.move"), "{names:?}");
}

#[test]
fn names_cannot_collide() {
    let mut servers = Servers::new();
    servers.fake("My Server", &[tool("do", "Does a"), tool("do.it", "Does b")]);
    servers.fake("my-server", &[tool("do", "Does c")]);
    servers.refresh();
    let mut client = servers.client(None, &[]);
    let found = client.search(json!({"kind": "server", "detail": "names"}));
    let mut own: Vec<&str> = names(&found);
    own.sort_unstable();
    assert_eq!(own, ["My-Server.do", "My-Server.do.it", "my-server-2.do"]);
}
