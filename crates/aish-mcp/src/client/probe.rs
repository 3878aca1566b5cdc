//! A trial of one server: connect, list, perhaps call, disconnect.

use std::sync::Arc;
use std::time::Instant;

use aish_tools::ToolSource as _;
use aish_types::{Ending, ToolOutcome};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::gated::GatedCall;
use super::health::ServerFault;
use super::mcp::{ConnectError, McpClient};
use super::options::ServerOptions;
use super::ports::Ports;

/// What came of a trial, in the form that is printed as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetReport {
    /// True when everything that was asked for worked.
    pub ok: bool,
    /// `modern` without `initialize` (2026-07-28), `legacy` with it; none when it was not reached.
    pub era: Option<&'static str>,
    /// The protocol version that was spoken.
    pub protocol: Option<String>,
    /// The names of its tools, as the server knows them.
    pub tools: Vec<String>,
    /// False where it has more tools than are taken.
    pub whole: bool,
    /// The result of the call: `text`, `is_error`, perhaps `structured`.
    pub result: Option<Value>,
    /// What went wrong.
    #[serde(serialize_with = "in_words")]
    pub error: Option<ServerFault>,
    /// Milliseconds from start to end.
    pub ms: u64,
}

impl TargetReport {
    /// Reports a trial that could not begin.
    pub fn failed(error: String) -> Self {
        let error = Some(ServerFault::Failed(error));
        Self { ok: false, era: None, protocol: None, tools: Vec::new(), whole: true, result: None, error, ms: 0 }
    }
}

fn in_words<S: Serializer>(error: &Option<ServerFault>, serializer: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(ToString::to_string).serialize(serializer)
}

/// Connects to a server, lists its tools, makes a call through its gate where one is given, and disconnects.
pub async fn test_target(options: ServerOptions, ports: Ports, call: Option<GatedCall>) -> TargetReport {
    let started = Instant::now();
    let mut report = TargetReport {
        ok: false,
        era: None,
        protocol: None,
        tools: Vec::new(),
        whole: true,
        result: None,
        error: None,
        ms: 0,
    };
    match McpClient::connect(options, ports).await {
        Err(ConnectError::Failed(fault)) => report.error = Some(fault),
        Err(error) => report.error = Some(ServerFault::Failed(error.to_string())),
        Ok(client) => {
            let client = Arc::new(client);
            report.protocol = client.protocol();
            let modern = report.protocol.as_deref().is_some_and(|protocol| protocol >= "2026-07-28");
            report.era = Some(if modern { "modern" } else { "legacy" });
            let definitions = client.definitions();
            report.whole = client.has_whole_list();
            report.tools = definitions.iter().map(|definition| definition.name.split().1.to_owned()).collect();
            match call {
                None => report.ok = true,
                Some(call) => match call.run(&client).await {
                    Ok(outcome) if outcome.ending != Ending::Transport => {
                        report.ok = true;
                        report.result = Some(result(outcome));
                    }
                    Ok(outcome) => report.error = Some(client.fault(outcome.text)),
                    Err(why) => report.error = Some(ServerFault::Failed(why.to_string())),
                },
            }
            client.close().await;
        }
    }
    report.ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    report
}

fn result(outcome: ToolOutcome) -> Value {
    let mut result = Map::new();
    result.insert("text".into(), json!(outcome.text));
    result.insert("is_error".into(), json!(!outcome.is_success()));
    if let Some(structured) = outcome.structured {
        result.insert("structured".into(), structured);
    }
    if !outcome.blocks.is_empty() {
        result.insert("blocks".into(), json!(outcome.blocks));
    }
    Value::Object(result)
}
