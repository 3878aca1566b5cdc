//! How often the tool that a request means is found first, and among the first five.
//!
//! The file has a line a request: accepted tools separated by `|`, a tab, the request in words; `#` begins a remark. The
//! requests are put to the real server over stdio, one session for all. Configs are the bundled ones unless named.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Results that are looked at.
const DEPTH: usize = 5;

pub(super) fn run(file: &str, configs: &[String]) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {file}"))?;
    let cases: Vec<(Vec<&str>, &str)> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (tools, request) = line.split_once('\t').with_context(|| format!("no tab in: {line}"))?;
            Ok((tools.split('|').collect(), request))
        })
        .collect::<Result<_>>()?;
    if cases.is_empty() {
        bail!("{file} has no requests");
    }
    let mut server = Server::start(configs)?;
    let (mut first, mut among) = (0_usize, 0_usize);
    let mut times: Vec<Duration> = Vec::with_capacity(cases.len());
    for (accepted, request) in &cases {
        let start = Instant::now();
        let found = server.search(request)?;
        times.push(start.elapsed());
        let rank = found.iter().position(|name| accepted.contains(&name.as_str()));
        first += usize::from(rank == Some(0));
        among += usize::from(rank.is_some());
        if rank != Some(0) {
            let place = rank.map_or("-".to_owned(), |rank| (rank + 1).to_string());
            eprintln!("{place:>2}  {:<40} {request:<56} {}", accepted.join("|"), found.join(" "));
        }
    }
    times.sort();
    let percent = |count: usize| 100.0 * count as f64 / cases.len() as f64;
    let time = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default().as_secs_f64() * 1e3;
    eprintln!(
        "{} requests: recall@1 {:.1} %, recall@5 {:.1} %; round trip median {:.2} ms, p95 {:.2} ms",
        cases.len(),
        percent(first),
        percent(among),
        time(50),
        time(95),
    );
    Ok(())
}

/// The server under evaluation.
struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(configs: &[String]) -> Result<Self> {
        let bundled = ["crates/climax/configs".to_owned()];
        let configs = if configs.is_empty() { &bundled[..] } else { configs };
        let mut child = Command::new("cargo")
            .args(["run", "--quiet", "--release", "--package", "climax", "--", "run"])
            .args(configs)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting climax")?;
        let to = child.stdin.take().context("no standard input")?;
        let from = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut server = Self { child, to, from, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "xtask", "version": "1"},
        });
        server.request("initialize", &hello)?;
        writeln!(server.to, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        writeln!(self.to, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        self.to.flush()?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.from.read_line(&mut line)? == 0 {
                bail!("climax has ended");
            }
            let message: Value = serde_json::from_str(&line)?;
            if message.get("id") == Some(&json!(id)) {
                return message.get("result").cloned().with_context(|| format!("refused: {message}"));
            }
        }
    }

    fn search(&mut self, request: &str) -> Result<Vec<String>> {
        let params = json!({"name": "climax_search", "arguments": {"query": request, "limit": DEPTH}});
        let result = self.request("tools/call", &params)?;
        let text = result.pointer("/content/0/text").and_then(Value::as_str).context("no text")?;
        let found: Value = serde_json::from_str(text)?;
        let results = found.get("results").and_then(Value::as_array).context("no results")?;
        let names = results.iter().filter_map(|tool| tool.get("tool_name")?.as_str());
        Ok(names.map(str::to_owned).collect())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its input; the kill is for one that does not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
