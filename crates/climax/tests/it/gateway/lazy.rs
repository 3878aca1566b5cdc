//! Servers are known from the last time, started at the first call, and only when somebody agreed.

use std::time::Instant;

use serde_json::{Value, json};

use super::fixture::{Newest, Servers, done, eventually, is_alive, states, tool};
use crate::client::names;

fn described(server: usize, tool: usize) -> String {
    if (server, tool) == (13, 7) { "Paints a sunflower".to_owned() } else { format!("Files paper {tool} of {server}") }
}

#[test]
fn twenty_servers_with_500_tools_answer_and_none_is_started() {
    let mut servers = Servers::new();
    let alias = |number: usize| format!("server{number}");
    for number in 0..20 {
        let tools: Vec<Value> = (0..25).map(|at| tool(&format!("act_{at}"), &described(number, at))).collect();
        servers.fake(&alias(number), &tools);
    }
    servers.refresh();
    (0..20).for_each(|number| servers.forget_requests(&alias(number)));

    let started = Instant::now();
    let mut client = servers.client(None, &[]);
    assert_eq!(client.tool_names(), ["climax_search", "climax_call"]);
    let found = client.search(json!({"query": "paint a sunflower"}));
    let took = started.elapsed();
    assert_eq!(names(&found)[0], "server13.act_7", "{found}");
    assert_eq!(states(&found)[0], "cached");
    assert_eq!(client.search(json!({}))["note"], "10 of 20");
    let summary = client.search(json!({"limit": 50}));
    assert_eq!(summary["summary"].as_array().unwrap().len(), 20);
    let by_server = client.search(json!({"server": "SERVER13", "limit": 100, "detail": "names"}));
    assert_eq!((by_server["total_matches"].as_u64(), by_server["returned"].as_u64()), (Some(25), Some(25)));
    for number in 0..20 {
        assert_eq!(servers.requests(&alias(number)), Vec::<String>::new(), "{} was started", alias(number));
    }
    assert!(took.as_secs() < 30, "{took:?}");

    let called = client.run("server13.act_7", json!({"text": "x"}));
    assert!(
        called.text.contains("not approved"),
        "a stranger's word that it only reads decides nothing: {}",
        called.text
    );
    let running = |number: &usize| !servers.requests(&alias(*number)).is_empty();
    assert_eq!((0..20).filter(running).collect::<Vec<_>>(), [13]);
}

#[test]
fn an_answer_names_a_few_of_very_many_servers_that_were_not_searched() {
    let mut servers = Servers::new();
    (0..40).for_each(|number| servers.fake(&format!("server{number:02}"), &[tool("echo", "Echoes its text")]));
    let mut client = servers.client(None, &[]);
    let found = client.search(json!({"query": "echo"}));
    let note = found["note"].as_str().unwrap();
    assert!(note.contains("server04 (nobody agreed") && !note.contains("server05"), "{note}");
    let more = format!("and 35 more: `climax status --servers {}` lists them", servers.list());
    assert!(note.contains(&more), "{note}");
    // What is asked of one is said of that one.
    let found = client.search(json!({"query": "echo", "server": "server39"}));
    assert!(found["note"].as_str().unwrap().contains("not searched: server39 (nobody agreed"), "{found}");
}

#[test]
fn a_whole_command_is_agreed_to_before_its_first_start_and_then_never_again() {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("echo", "Echoes its text")]);
    let list = servers.list();

    // Nobody can be asked: it is not started, whatever the way.
    let mut client = servers.client(None, &[]);
    let found = client.search(json!({"query": "echo"}));
    assert!(found["note"].as_str().unwrap().contains("not searched: notes (nobody agreed to start it yet"), "{found}");
    let called = client.run("notes.echo", json!({"text": "x"}));
    // The hint can be typed as it is.
    let hint = format!("`climax refresh notes --servers {list}`");
    assert!(called.is_error && called.text.contains(&hint), "{}", called.text);
    assert!(found["note"].as_str().unwrap().contains(&hint), "{found}");
    let refreshed = servers.climax(&["refresh", "--servers", &list]);
    assert_eq!(refreshed.status.code(), Some(1));
    drop(client);
    assert_eq!(servers.requests("notes"), Vec::<String>::new());

    // Somebody says no: no more.
    let mut client = servers.client(Some("decline"), &[]);
    assert!(client.run("notes.echo", json!({"text": "x"})).text.contains("declined"));
    assert_eq!(client.asked.len(), 1);
    drop(client);
    assert_eq!(servers.requests("notes"), Vec::<String>::new());

    // Somebody agrees, having seen all of it; the call itself is asked about, too.
    let mut client = servers.client(Some("accept"), &[]);
    assert_eq!(client.run("notes.echo", json!({"text": "x"})).text, "x");
    assert_eq!(client.asked.len(), 2, "{:?}", client.asked);
    assert!(client.asked[0].contains(&super::fixture::example()) && client.asked[0].contains("notes.script"));
    assert!(client.asked[1].contains("notes.echo"), "{:?}", client.asked);
    drop(client);
    let mut client = servers.client(Some("accept"), &[]);
    assert_eq!(client.run("notes.echo", json!({"text": "y"})).text, "y");
    assert_eq!(client.asked.len(), 1, "the start is agreed to for good: {:?}", client.asked);
    drop(client);

    // Another command under the same name is another program.
    servers
        .add("notes", json!({"command": super::fixture::example(), "args": [servers.path("notes.script"), "--more"]}));
    let mut client = servers.client(Some("decline"), &[]);
    assert!(client.run("notes.echo", json!({"text": "x"})).text.contains("declined"));
    assert!(client.asked[0].contains("--more"));
    let audit = std::fs::read_to_string(servers.state().join("audit.jsonl")).unwrap();
    assert!(audit.contains("start:notes"), "a start is written down like any call");
}

#[test]
fn a_search_learns_what_nothing_is_known_of_yet() {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("find_note", "Finds a note")]);
    let mut client = servers.client(Some("accept"), &[]);
    let found = client.search(json!({"query": "find a note"}));
    assert_eq!(names(&found), ["notes.find_note"], "{found}");
    assert_eq!(client.asked.len(), 1);
    client.search(json!({"query": "find a note"}));
    assert_eq!(client.asked.len(), 1);
}

#[test]
fn a_search_asks_about_servers_that_it_could_find_tools_of_and_waits_for_none_of_them_long() {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("find_note", "Finds a note")]);
    for name in ["slow1", "slow2", "slow3"] {
        servers.add(name, json!({"command": "sleep", "args": ["60"]}));
    }
    let mut client = servers.client(Some("accept"), &["git"]);
    for filter in [json!({"cli": "git-tools"}), json!({"kind": "cli", "query": "log"}), json!({"category": "none"})] {
        let found = client.search(filter.clone());
        assert!(client.asked.is_empty(), "{filter}: {:?}", client.asked);
        assert!(!found["note"].as_str().unwrap_or_default().contains("slow1"), "{found}");
    }
    assert_eq!(names(&client.search(json!({"server": "NOTES", "query": "note"}))), ["notes.find_note"]);
    assert_eq!(client.asked.len(), 1, "{:?}", client.asked);
    let started = Instant::now();
    let found = client.search(json!({"query": "note"}));
    assert!(started.elapsed().as_secs() < 18, "one after the other they take a minute: {:?}", started.elapsed());
    assert_eq!(client.asked.len(), 4, "{:?}", client.asked);
    assert!(found["note"].as_str().unwrap().contains("slow1 (still starting)"), "{found}");
    drop(client);

    for name in ["slow4", "slow5"] {
        servers.add(name, json!({"command": "sleep", "args": ["61"]}));
    }
    // Nobody answers: the questions stay open, and the search is answered.
    let mut client = servers.client(Some("never"), &[]);
    let found = client.search(json!({"query": "note"}));
    assert_eq!((names(&found), client.asked.len()), (vec!["notes.find_note"], 2), "{:?}", client.asked);
}

#[test]
fn a_call_asks_again_what_a_search_has_left_open() {
    let mut servers = Servers::new();
    servers.fake_done("notes", &[tool("find_note", "Finds a note")]);
    let mut client = servers.client(Some("never"), &[]);
    client.search(json!({"query": "note"}));
    client.elicit = Some("accept");
    assert_eq!(client.run("notes.find_note", json!({})).text, "done");
    assert_eq!(client.asked.len(), 3, "{:?}", client.asked);
    assert_eq!(client.asked[0], client.asked[1], "the start, and then the call");
}

#[test]
fn a_client_without_a_session_is_asked_about_all_servers_and_searches_again() {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("find_note", "Finds a note")]);
    servers.fake("box", &[tool("find_box", "Finds a box")]);
    let mut client = Newest::start(&mut servers.command(&[]));
    let mut params = json!({"name": "climax_search", "arguments": {"query": "find"}});
    let (mut asked, mut result) = (0, client.request("tools/call", params.clone()));
    while result["resultType"] == "input_required" {
        let requests = result["inputRequests"].as_object().unwrap();
        asked += requests.len();
        assert!(asked <= 2, "{result}");
        let accepted = json!({"action": "accept", "content": {}});
        params["inputResponses"] = requests.keys().map(|key| (key.clone(), accepted.clone())).collect();
        params["requestState"] = result["requestState"].clone();
        result = client.request("tools/call", params.clone());
    }
    let found: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    let mut found = names(&found);
    found.sort_unstable();
    assert_eq!((found, asked), (vec!["box.find_box", "notes.find_note"], 2));
}

#[test]
fn what_has_changed_since_the_last_time_is_asked_about_before_it_is_called() {
    let mut servers = Servers::new();
    servers.fake_done("notes", &[tool("read", "Reads a note"), tool("same", "Stays")]);
    servers.refresh();
    let yaml = servers
        .write("over.yaml", "servers: {notes: {tools: {read: {risk: read}, same: {risk: read}, new: {risk: read}}}}");
    let mut client = servers.client(None, &["--config", &yaml]);
    assert_eq!(client.run("notes.read", json!({"text": "a"})).text, "done", "the user's own word counts");
    drop(client);

    let tools = [tool("read", "Reads a note, and sends it home"), tool("same", "Stays"), tool("new", "Is new")];
    servers.script("notes", done(&tools));
    let mut client = servers.client(None, &["--config", &yaml]);
    assert!(client.run("notes.read", json!({"text": "a"})).text.contains("not approved"));
    assert!(client.run("notes.new", json!({"text": "a"})).text.contains("not approved"));
    assert_eq!(client.run("notes.same", json!({"text": "a"})).text, "done");
    let found = client.search(json!({"query": "reads a note"}));
    assert_eq!((names(&found)[0], states(&found)[0]), ("notes.read", "changed"), "{found}");
    drop(client);

    // Nor does a yes beforehand: nobody saw the change. It is named, and how it can be looked at.
    let mut client = servers.client(None, &["--config", &yaml, "--headless-approve"]);
    let refused = client.run("notes.read", json!({"text": "a"}));
    assert!(refused.is_error && refused.text.contains("+ \"Reads a note, and sends it home\""), "{}", refused.text);
    assert!(!refused.text.contains("hints"), "the user's own words are no change: {}", refused.text);
    let hint = format!("`climax call notes.read --servers {} --config {yaml}`", servers.list());
    assert!(refused.text.contains(&hint), "{}", refused.text);
    assert_eq!(client.run("notes.same", json!({"text": "a"})).text, "done");
    drop(client);

    let mut client = servers.client(Some("accept"), &["--config", &yaml]);
    assert_eq!(client.run("notes.read", json!({"text": "a"})).text, "done");
    assert!(client.asked[0].contains("sends it home"), "the difference is shown: {:?}", client.asked);
    assert_eq!(client.run("notes.read", json!({"text": "a"})).text, "done");
    assert_eq!(client.asked.len(), 1, "a yes holds for what was seen");
    drop(client);
    let mut client = servers.client(None, &["--config", &yaml]);
    assert_eq!(client.run("notes.read", json!({"text": "a"})).text, "done", "and from then on");
}

#[test]
fn what_has_changed_is_asked_about_under_another_credential_and_where_nothing_is_kept() {
    let mut servers = Servers::new();
    let script = servers.script("notes", done(&[tool("read", "Reads a note"), tool("same", "Stays")]));
    let add = |servers: &mut Servers, token: &str| {
        let entry = json!({"command": super::fixture::example(), "args": [script], "env": {"TOKEN": token}});
        servers.add("notes", entry);
    };
    let yaml = servers.write("over.yaml", "servers: {notes: {tools: {read: {risk: read}, same: {risk: read}}}}");
    add(&mut servers, "${GATEWAY_TEST_TOKEN}");
    servers.refresh();
    let run = |servers: &Servers, answer, name: &str| {
        let mut client = servers.client(answer, &["--config", &yaml]);
        let text = client.run(name, json!({"text": "a"})).text;
        (text, std::mem::take(&mut client.asked))
    };
    assert_eq!(run(&servers, None, "notes.read").0, "done");

    servers.script("notes", done(&[tool("read", "Reads a note, and sends it home"), tool("same", "Stays")]));
    add(&mut servers, "other");
    servers.refresh();
    let (text, _) = run(&servers, None, "notes.read");
    assert!(text.contains("not approved"), "{text}");
    assert_eq!(run(&servers, None, "notes.same").0, "done");
    let (text, asked) = run(&servers, Some("accept"), "notes.read");
    assert_eq!(text, "done");
    assert!(asked[0].contains("- \"Reads a note\"") && asked[0].contains("sends it home"), "{asked:?}");
    assert_eq!(run(&servers, None, "notes.read").0, "done", "the yes holds");

    // What somebody said yes to is known without what is kept of the server.
    servers.script("notes", done(&[tool("read", "Reads a note twice"), tool("same", "Stays")]));
    std::fs::remove_dir_all(servers.state().join("servers")).unwrap();
    let (text, _) = run(&servers, None, "notes.read");
    assert!(text.contains("not approved"), "{text}");
    assert_eq!(run(&servers, None, "notes.same").0, "done");
}

#[test]
fn an_idle_server_is_stopped_and_comes_back_for_the_next_call() {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("echo", "Echoes its text")]);
    servers.refresh();
    servers.forget_requests("notes");
    let yaml = servers.write("idle.yaml", "servers: {notes: {idle_seconds: 1, tools: {echo: {risk: read}}}}");
    let mut client = servers.client(None, &["--config", &yaml]);
    assert_eq!(client.run("notes.echo", json!({"text": "a"})).text, "a");
    let first = servers.processes("notes")[0];
    eventually("the idle server is stopped", || !is_alive(first));
    assert_eq!(client.run("notes.echo", json!({"text": "b"})).text, "b");
    assert_eq!(servers.processes("notes").len(), 2);
}

#[test]
fn status_tells_of_gateways_that_run_and_of_what_is_kept() {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("echo", "Echoes its text")]);
    servers.add("absent", json!({"command": "/nowhere/at-all"}));
    let list = servers.list();
    let refreshed = servers.climax(&["refresh", "--servers", &list, "--headless-approve"]);
    assert_eq!(refreshed.status.code(), Some(1), "one of them cannot be started");
    assert!(String::from_utf8_lossy(&refreshed.stdout).contains("notes: 1 tools"), "{refreshed:?}");
    assert!(String::from_utf8_lossy(&refreshed.stderr).contains("absent: it did not start"), "{refreshed:?}");
    let status = || -> Value {
        let output = servers.climax(&["status", "--json", "--servers", &list]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let kept = status();
    assert_eq!(kept["gateways"], json!([]));
    let states: Vec<&str> =
        kept["servers"].as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["cached", "unknown"]);

    let mut client = servers.client(None, &["--headless-approve"]);
    assert_eq!(client.run("notes.echo", json!({"text": "x"})).text, "x");
    let row = |status: &Value| status["gateways"][0]["servers"][0].clone();
    eventually("the call is counted", || row(&status())["calls"] == 1);
    let now = row(&status());
    assert_eq!(
        (now["state"].as_str(), now["era"].as_str(), now["tools"].as_u64()),
        (Some("ready"), Some("legacy"), Some(1))
    );
    let pid = servers.processes("notes").last().copied().unwrap();
    drop(client);
    eventually("the server has ended with its gateway", || !is_alive(pid));
    assert_eq!(status()["gateways"], json!([]));
}
