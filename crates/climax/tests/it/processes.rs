//! Processes: whole trees end, output is bounded, calls run at once.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, Way, called, file, over_both};

const CONFIG: &str = "
name: p
command: sh -c
tools:
  - name: tree
    description: A tree of processes
    command: \"'echo $$ > \\\"$0\\\"; sleep 300 & echo $! >> \\\"$0\\\"; setsid sleep 300 & echo $! >> \\\"$0\\\"; echo ready; wait'\"
    args: [{name: pids, positional: true, required: true}]
    timeout: 120
  - {name: brief, description: Ends soon, command: \"'echo $$ > \\\"$0\\\"; sleep 300 & echo $! >> \\\"$0\\\"; echo begun; wait'\", args: [{name: pids, positional: true}], timeout: 0.7}
  - {name: background, description: Leaves one behind, command: \"'sleep 300 & echo left'\"}
  - {name: half, description: Half a second, command: \"'sleep 0.5; echo done'\"}
  - {name: endless, description: Endless output, command: \"'yes 0123456789'\", timeout: 1}
  - {name: noise, description: Control and bad bytes, command: \"'printf \\\"a\\\\033[31mb\\\\000c\\\\377d\\\"'\"}
  - {name: input, description: Reads, command: cat}
";

over_both!(
    a_timeout_ends_the_tree_and_keeps_the_output,
    a_cancellation_ends_the_tree,
    the_end_of_the_client_ends_the_tree,
    sigterm_ends_the_tree,
    a_background_process_does_not_hang_the_call,
    endless_output_costs_bounded_memory,
    output_is_clean_text_and_input_is_empty,
    a_hundred_calls_run_at_once,
);

fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

/// Waits until the file names this many processes.
fn pids(path: &str, count: usize) -> Vec<String> {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let pids: Vec<String> = text.lines().map(str::to_owned).collect();
        if pids.len() >= count && text.ends_with('\n') {
            return pids;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "no processes");
        std::thread::yield_now();
    }
}

fn assert_all_end(pids: &[String], what: &str) {
    let start = Instant::now();
    while pids.iter().any(|pid| alive(pid)) {
        assert!(start.elapsed() < Duration::from_secs(20), "{what} left {pids:?}");
        std::thread::yield_now();
    }
}

fn setup() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let config = file(&folder, "p.yaml", CONFIG);
    let pids = folder.path().join("pids").to_str().unwrap().to_owned();
    (folder, config, pids)
}

fn a_timeout_ends_the_tree_and_keeps_the_output(way: Way) {
    let (_folder, config, path) = setup();
    let mut client = Client::start_over(way, &[&config]);
    let brief = client.run("brief", json!({"pids": path}));
    assert_eq!(brief.text, "begun\n\n[stderr]\nCommand timed out after 0.7s\n\n[exit code: -1]");
    assert_all_end(&pids(&path, 2), "the timeout");
}

fn a_cancellation_ends_the_tree(way: Way) {
    let (_folder, config, path) = setup();
    let mut client = Client::start_over(way, &[&config]);
    let id = client
        .post("tools/call", json!({"name": "climax_call", "arguments": {"tool_name": "tree", "args": {"pids": path}}}));
    let pids = pids(&path, 3);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    assert_all_end(&pids, "the cancellation");
    assert_eq!(client.tool_names().len(), 2, "the server goes on");
}

fn the_end_of_the_client_ends_the_tree(way: Way) {
    let (_folder, config, path) = setup();
    let mut client = Client::start_over(way, &[&config]);
    client
        .post("tools/call", json!({"name": "climax_call", "arguments": {"tool_name": "tree", "args": {"pids": path}}}));
    let pids = pids(&path, 3);
    client.leave();
    assert_all_end(&pids, "the client");
}

fn sigterm_ends_the_tree(way: Way) {
    let (_folder, config, path) = setup();
    let mut client = Client::start_over(way, &[&config]);
    client
        .post("tools/call", json!({"name": "climax_call", "arguments": {"tool_name": "tree", "args": {"pids": path}}}));
    let pids = pids(&path, 3);
    let server = rustix::process::Pid::from_raw(client.pid().try_into().unwrap()).unwrap();
    rustix::process::kill_process(server, rustix::process::Signal::TERM).unwrap();
    assert_all_end(&pids, "SIGTERM");
}

fn a_background_process_does_not_hang_the_call(way: Way) {
    let (_folder, config, _) = setup();
    let start = Instant::now();
    let left = Client::start_over(way, &[&config]).run("background", json!({}));
    assert_eq!(left.text, "left");
    assert!(start.elapsed() < Duration::from_secs(20));
}

fn endless_output_costs_bounded_memory(way: Way) {
    let (_folder, config, _) = setup();
    let mut client = Client::start_over(way, &[&config]);
    let endless = client.run("endless", json!({}));
    assert_eq!(endless.structured["truncated"], true);
    assert!(endless.text.len() < 300 * 1024 && endless.text.contains("bytes left out"));
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kib: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    // A build for debugging is larger than one for release, whose bound is 30 MB.
    assert!(kib < 60 * 1024, "{peak}");
}

fn output_is_clean_text_and_input_is_empty(way: Way) {
    let (_folder, config, _) = setup();
    let mut client = Client::start_over(way, &[&config]);
    assert_eq!(client.run("noise", json!({})).text, "abc\u{fffd}d");
    assert_eq!(client.run("input", json!({})).text, "(no output)", "standard input is empty, not the protocol");
}

fn a_hundred_calls_run_at_once(way: Way) {
    let (_folder, config, _) = setup();
    let mut client = Client::start_over(way, &[&config]);
    let start = Instant::now();
    let call = json!({"name": "climax_call", "arguments": {"tool_name": "half"}});
    let ids: Vec<i64> = (0..100).map(|_| client.post("tools/call", call.clone())).collect();
    let mut waiting: std::collections::BTreeSet<i64> = ids.into_iter().collect();
    while let Some(id) = waiting.pop_first() {
        assert_eq!(called(&client.answer_any(id)).text, "done");
    }
    assert!(start.elapsed() < Duration::from_secs(25), "one after another they take 50 s: {:?}", start.elapsed());
}
