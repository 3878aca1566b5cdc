//! The client that the official conformance suite tests: `conformance_client URL`. It connects, signs in where it is
//! asked to, lists the tools, and calls each (or those that the scenario names).

#[path = "../tests/it/agreeable.rs"]
mod agreeable;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{
    Endpoint, Era, McpClient, OAuthOptions, Person, Ports, ServerOptions, SignIn, Status, StatusSink,
};
use aish_tools::ToolSource;
use aish_types::{BoxFuture, Secret};
use serde_json::{Map, Value, json};

use agreeable::{Agreeable, gated};

impl Person for Agreeable {
    /// Sends an empty form, which gets the schema's defaults.
    fn ask<'a>(
        &'a self,
        _alias: &'a str,
        _message: &'a str,
        _schema: &'a Value,
    ) -> BoxFuture<'a, Option<Option<Value>>> {
        Box::pin(std::future::ready(Some(Some(json!({})))))
    }
}

/// Goes where a browser would go, and returns where it is sent back to.
struct Headless;

impl SignIn for Headless {
    fn redirect_uri(&self) -> String {
        "http://localhost:3000/callback".into()
    }

    fn sign_in<'a>(&'a self, _alias: &'a str, address: &'a str) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let policy = reqwest::redirect::Policy::none();
            let client = reqwest::Client::builder().redirect(policy).tls_certs_only([]).build().ok()?;
            let answer = client.get(address).send().await.ok()?;
            Some(answer.headers().get("location")?.to_str().ok()?.to_owned())
        })
    }
}

struct Print;

impl StatusSink for Print {
    fn status(&self, alias: &str, status: Status) {
        let _ = writeln!(std::io::stderr(), "{alias}: {status}");
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Arguments that fit a schema well enough.
fn arguments(schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let value = |schema: &Value| match schema.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some("object") => json!({}),
        Some("array") => json!([]),
        _ => json!("test"),
    };
    properties.into_iter().flatten().map(|(name, schema)| (name.clone(), value(schema))).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else { return ExitCode::from(2) };
    let context: Value = serde_json::from_str(&variable("MCP_CONFORMANCE_CONTEXT")).unwrap_or_default();
    let text = |key: &str| context.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut options = ServerOptions::new("suite", Endpoint::Http { url, headers: BTreeMap::new(), token: None });
    options.elicitation = true;
    options.restarts = 0;
    options.era = match variable("MCP_CONFORMANCE_PROTOCOL_VERSION").as_str() {
        "2026-07-28" => Era::Newest,
        "" => Era::Any,
        _ => Era::Older,
    };
    options.oauth = OAuthOptions {
        client_id: text("client_id"),
        client_secret: text("client_secret").map(Secret::new),
        client_metadata_url: Some("https://conformance-test.local/client-metadata.json".into()),
    };
    let ports = Ports {
        status: Arc::new(Print),
        person: Some(Arc::new(Agreeable)),
        sign_in: Some(Arc::new(Headless)),
        ..Ports::default()
    };
    let client = match McpClient::connect(options, ports).await {
        Ok(client) => Arc::new(client),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            return ExitCode::FAILURE;
        }
    };
    let named = context.get("toolCalls").and_then(Value::as_array).cloned();
    let calls: Vec<(String, Map<String, Value>)> = match named {
        Some(calls) => calls
            .iter()
            .filter_map(|call| {
                let name = call.get("name")?.as_str()?.to_owned();
                Some((name, call.get("arguments")?.as_object()?.clone()))
            })
            .collect(),
        None => client
            .definitions()
            .iter()
            .map(|tool| (tool.name.split().1.to_owned(), arguments(&tool.input_schema.value())))
            .collect(),
    };
    let mut failed = false;
    for (name, arguments) in calls {
        match gated(&name, arguments, Duration::from_secs(20)).run(&client).await {
            Ok(outcome) => {
                let _ = writeln!(std::io::stderr(), "{name}: {} {}", outcome.is_success(), outcome.text);
                failed |= outcome.ending == aish_types::Ending::Transport;
            }
            Err(why) => {
                let _ = writeln!(std::io::stderr(), "{name}: {why}");
                failed = true;
            }
        }
    }
    client.close().await;
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
