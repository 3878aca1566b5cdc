//! `aish mcp test`: connects to a server, lists its tools, calls one, and says what came of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_mcp::client::{
    Endpoint, GatedCall, Ports, ServerFault, ServerOptions, Status, StatusSink, TargetReport, test_target,
};
use aish_safety::{Answer, Approver, Gate, Pin, PinError, PinStore, Question};
use aish_types::{BoxFuture, CallContext, SourceId, ToolName};
use serde_json::Value;

use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::run::complain;
use crate::servers;
use crate::servers::tokens::TokenFolder;

/// How long a call may take.
const CALL: Duration = Duration::from_secs(60);
/// How long a server on this machine may take to answer, where nothing else is known of it.
const NEAR: Duration = Duration::from_millis(1700);
/// How long a program that took a request may do nothing.
const STUCK: Duration = Duration::from_millis(1200);
/// How long the newest protocol is tried; a program that is silent then is started once more, and not probed.
const PROBE: Duration = Duration::from_millis(400);

/// What is tried.
pub(super) struct Trial<'a> {
    /// A URL, a command line, or the name of a configured server.
    pub(super) target: &'a str,
    /// The tool to call.
    pub(super) call: Option<&'a str>,
    /// Its arguments, as JSON.
    pub(super) arguments: &'a str,
    /// Print one JSON object and nothing else.
    pub(super) json: bool,
    /// Seconds that each step may take.
    pub(super) timeout_s: Option<u64>,
}

/// The person who typed the call is the one who approves it.
struct Typed;

impl Approver for Typed {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(std::future::ready(Answer::Yes))
    }
}

/// How many tools that cannot be offered are told one by one.
const MOST_LEFT_OUT: usize = 10;
/// The most characters of what is told of one.
const MOST_WORDS: usize = 200;

/// The tools that the server has and that cannot be offered, each with the reason.
#[derive(Debug, Default)]
struct LeftOut(Mutex<(usize, Vec<String>)>);

impl StatusSink for LeftOut {
    fn status(&self, _alias: &str, status: Status) {
        if let Status::Refused { .. } = status {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            held.0 += 1;
            if held.1.len() < MOST_LEFT_OUT {
                held.1.push(status.to_string().chars().take(MOST_WORDS).collect());
            }
        }
    }
}

impl LeftOut {
    fn lines(&self) -> Vec<String> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let more = held.0 - held.1.len();
        held.1.iter().cloned().chain((more > 0).then(|| format!("{more} more tools refused"))).collect()
    }
}

/// A trial approves nothing for later.
struct NoPins;

impl PinStore for NoPins {
    fn get(&self, _source: &SourceId, _tool: &ToolName) -> Result<Option<Pin>, PinError> {
        Ok(None)
    }

    fn put(&self, _source: &SourceId, _tool: &ToolName, _pin: &Pin) -> Result<(), PinError> {
        Ok(())
    }
}

pub(super) async fn run(base: &Base, trial: &Trial<'_>, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let left_out = Arc::new(LeftOut::default());
    let (report, code) = match prepared(base, trial) {
        Ok((options, call)) => {
            let tokens = Some(Arc::new(TokenFolder::of(base)) as _);
            let ports = Ports { tokens, ..servers::telling(Arc::clone(&left_out) as _) };
            let mut report = test_target(options, ports, call).await;
            if let (Some(ServerFault::Unanswered(words)), None) = (&mut report.error, trial.timeout_s) {
                words.push_str(" (--timeout SECONDS waits longer)");
            }
            // A result that says that the tool failed is a result; the call failed all the same.
            let failed = report.result.as_ref().and_then(|result| result.get("is_error")) == Some(&Value::Bool(true));
            let code = if report.ok && !failed { ExitCode::Ok } else { ExitCode::Error };
            (report, code)
        }
        Err(why) => (TargetReport::failed(why.in_a_line()), ExitCode::Usage),
    };
    if trial.json {
        print(&serde_json::to_string(&report)?);
        return Ok(code);
    }
    let clean = |text: &str| aish_types::sanitize(text).into_owned();
    if let Some(protocol) = &report.protocol {
        let (count, ms) = (report.tools.len(), report.ms);
        let word = if count == 1 { "tool" } else { "tools" };
        print(&clean(&format!("connected, protocol {protocol}, {count} {word}; {ms} ms in all")));
    }
    report.tools.iter().for_each(|tool| print(&clean(&format!("  {tool}"))));
    left_out.lines().iter().for_each(|line| complain(&clean(line)));
    if !report.whole {
        complain(&format!("the server has more than {} tools; the rest is not taken", report.tools.len()));
    }
    if let Some(result) = &report.result {
        print(&clean(result.get("text").and_then(Value::as_str).unwrap_or_default()));
    }
    if let Some(error) = &report.error {
        complain(&clean(&error.to_string()));
    }
    Ok(code)
}

fn prepared(base: &Base, trial: &Trial<'_>) -> Result<(ServerOptions, Option<GatedCall>), Failure> {
    let options = match base.config.mcp.servers.contains_key(trial.target) {
        true => servers::configured(base, trial.target)?,
        false => servers::target(base, trial.target)?,
    };
    let given = trial.timeout_s.map(Duration::from_secs);
    let options = bounded(options, given, slowness());
    let Ok(Value::Object(arguments)) = serde_json::from_str(trial.arguments) else {
        return Err(Failure::user(format!("--args must be a JSON object, not {:?}", trial.arguments)));
    };
    let call = trial.call.map(|tool| GatedCall {
        gate: Gate::new(Arc::new(base.audit()), Arc::new(NoPins), base.policy()),
        approver: Arc::new(Typed),
        surroundings: base.surroundings(),
        context: CallContext {
            call: "call-1".into(),
            session: "mcp-test".into(),
            user: base.variable("USER").unwrap_or_else(|| "user".to_owned()),
            channel: None,
            folder: Some(base.folder.display().to_string()),
        },
        tool: tool.to_owned(),
        arguments,
        within: given.unwrap_or(CALL),
    });
    Ok((options, call))
}

/// Sets the bounds: those that were given, else short ones for a server on this machine, `factor` times as long where the
/// machine has more to do than it has processors.
fn bounded(mut options: ServerOptions, given: Option<Duration>, factor: f64) -> ServerOptions {
    options.restarts = 0;
    if let Some(given) = given {
        options.connect_timeout = given;
        options.list_timeout = given;
        return options;
    }
    options.probe_timeout = PROBE.mul_f64(factor);
    match &options.endpoint {
        Endpoint::Stdio { .. } => options.stuck_after = Some(STUCK.mul_f64(factor)),
        Endpoint::Http { url, .. } if is_near(url) => {
            options.connect_timeout = NEAR.mul_f64(factor);
            options.list_timeout = NEAR.mul_f64(factor);
        }
        Endpoint::Http { .. } => {}
    }
    options
}

fn is_near(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    ["localhost", "127.", "[::1]"].iter().any(|near| host.starts_with(near))
}

/// How many processes want each processor, between 1 and 3.
fn slowness() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    #[expect(clippy::cast_precision_loss, reason = "processors are few")]
    let each = wanting(&text) / processors as f64;
    each.clamp(1.0, 3.0)
}

/// How many processes but this one want a processor, by what the system says (proc_loadavg(5)): over the last minute, and
/// no more than at this moment, since what was a minute ago slows nothing down.
fn wanting(text: &str) -> f64 {
    let mut fields = text.split(' ');
    let minute: f64 = fields.next().and_then(|load| load.parse().ok()).unwrap_or(1.0);
    let running = fields.nth(2).and_then(|running| running.split('/').next()?.parse::<f64>().ok());
    running.map_or(minute, |running| minute.min(running - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(endpoint: Endpoint) -> ServerOptions {
        bounded(ServerOptions::new("a", endpoint), None, 1.0)
    }

    /// What is left of two seconds is for starting, ending and reporting.
    #[test]
    fn what_never_answers_is_given_up_within_two_seconds() {
        let most = Duration::from_millis(1750);
        let endpoint = |command: &str| Endpoint::Stdio {
            command: command.to_owned(),
            args: Vec::new(),
            env: Default::default(),
            cwd: None,
        };
        let program = at(endpoint("sleep"));
        assert!(program.probe_timeout + program.stuck_after.unwrap() <= most, "{program:?}");
        let url = |url: &str| Endpoint::Http { url: url.to_owned(), headers: Default::default(), token: None };
        let near = at(url("http://127.0.0.1:8/mcp"));
        assert!(near.connect_timeout <= most && near.list_timeout <= most, "{near:?}");
        assert_eq!((program.restarts, near.restarts), (0, 0));
        let far = at(url("https://mcp.example/mcp"));
        assert!(far.connect_timeout >= Duration::from_secs(10), "{far:?}");
        let patient = bounded(ServerOptions::new("a", endpoint("x")), Some(Duration::from_secs(30)), 1.0);
        assert_eq!((patient.connect_timeout, patient.stuck_after), (Duration::from_secs(30), None));
    }

    #[test]
    fn a_load_that_is_over_slows_nothing_down() {
        for (text, expected) in [
            ("8.83 13.65 17.12 1/512 7\n", 0.0),
            ("0.50 0.1 0.1 9/512 7\n", 0.5),
            ("6.0 1 1 5/512 7\n", 4.0),
            ("", 1.0),
        ] {
            assert!((wanting(text) - expected).abs() < f64::EPSILON, "{text}: {}", wanting(text));
        }
    }

    #[test]
    fn near_is_this_machine() {
        for (url, near) in [
            ("http://127.0.0.1:8/mcp", true),
            ("http://localhost/mcp", true),
            ("https://user@[::1]:8/", true),
            ("https://mcp.example/localhost", false),
            ("http://127.0.0.1@mcp.example/", false),
        ] {
            assert_eq!(is_near(url), near, "{url}");
        }
    }
}
