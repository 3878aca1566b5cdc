//! `aish service`: the chat service, on a bus or over lines.

use std::io::Write as _;
use std::sync::Arc;

use aish_mcp::client::ServerPool;
use aish_nats::{
    Events, KvState, Limits, LocalState, Model, NatsEvents, PluginHub, Service, ServiceOptions, ServicePorts, Silent,
    StateStore, connect, serve, serve_lines, without_password,
};
use aish_tools::{Clock, Registry, SystemClock, SystemRandom};
use aish_turn::Budget;
use climax::serve::on_signals;
use tokio_util::sync::CancellationToken;

use crate::arguments::{ServiceFlags, SharedFlags};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::models::{ModelSet, no_model};
use crate::run::complain;
use crate::search::find_models;
use crate::servers::news::News;
use crate::servers::{self, SignInWords};
use crate::toolset;
use crate::{plugins, session};

/// Serves until the input ends or a signal comes; what was begun is finished.
///
/// # Errors
/// When the bus cannot be used, or the lines cannot be read or written.
pub async fn run(base: &Base, shared: &SharedFlags, flags: &ServiceFlags) -> Result<ExitCode, Failure> {
    base.faults().iter().for_each(|fault| complain(fault));
    let prefix = flags.prefix.clone().unwrap_or_else(|| base.config.nats.prefix.clone());
    if !is_prefix(&prefix) {
        complain(&format!("a prefix has letters, digits, `-`, `_` and single dots in it, unlike {prefix:?}"));
        return Ok(ExitCode::Usage);
    }
    let url = flags.nats.as_deref().or(base.config.nats.url.as_deref()).filter(|_| !flags.local);
    let found = find_models(base, shared.model.as_deref()).await;
    found.notices.iter().for_each(|notice| complain(notice));
    let named = shared.model.as_deref().filter(|name| found.default.as_deref() != Some(*name));
    // A worker without a model would take requests from those that can answer.
    if named.is_some() || (found.default.is_none() && url.is_some()) {
        return Err(no_model(named));
    }
    let shutdown = on_signals()?;
    let made = Made { options: options(base, &found, &prefix), model: model(base, found) };
    match url {
        Some(url) => on_bus(base, url, made, shutdown).await?,
        None => over_lines(base, made, shutdown).await?,
    }
    Ok(ExitCode::Ok)
}

/// What both ways need.
struct Made {
    options: ServiceOptions,
    model: Arc<dyn Model>,
}

fn model(base: &Base, found: ModelSet) -> Arc<dyn Model> {
    let ledger = Ledger::of(base, &session::new_id(&base.clock));
    Arc::new(found.broker.with_guard(Arc::new(ledger)))
}

fn options(base: &Base, found: &ModelSet, prefix: &str) -> ServiceOptions {
    let section = &base.config.service;
    let limit = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let place = found.default.as_ref().and_then(|name| found.places.get(name));
    ServiceOptions {
        prefix: prefix.to_owned(),
        limits: Limits {
            per_minute: limit(section.per_minute),
            per_hour: limit(section.per_hour),
            per_day: limit(section.per_day),
        },
        max_turns: base.config.context.max_turns,
        token_budget: Budget::tokens(
            base.config.context.token_budget,
            place.and_then(|place| place.context),
            place.map_or(1024, |place| u64::from(place.max_tokens)),
        ),
        allow: section.allow.clone(),
        max_tool_calls: section.max_tool_calls,
        personas: section.personas.clone(),
        ..ServiceOptions::default()
    }
}

/// Makes the service over a registry with the built-in tools, those of `tools.cli`, and MCP servers that are allowed.
async fn service(
    base: &Base,
    made: Made,
    state: Arc<dyn StateStore>,
    events: Arc<dyn Events>,
) -> (Arc<Service>, Arc<Registry>, ServerPool) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let (registry, mut notices) =
        toolset::registry(base, Service::memory(Arc::clone(&state), Arc::clone(&clock)), None);
    let status = Arc::new(News::new(Arc::default(), |line: String| complain(&aish_types::sanitize(&line))));
    // A server whose tools are not allowed is not started: nothing of it could be called here.
    let allow = &base.config.service.allow;
    let wanted =
        |alias: &str| allow.iter().any(|name| name.strip_prefix(alias).is_some_and(|rest| rest.starts_with('.')));
    let ports = servers::telling(status);
    let mut servers = servers::start_some(base, &registry, ports, SignInWords::CommandLine, wanted);
    notices.append(&mut servers.faults);
    notices.extend(servers.waiting.iter().map(|(line, _)| line.clone()));
    notices.iter().for_each(|notice| complain(&aish_types::sanitize(notice)));
    servers.start_waiting(base, &registry);
    let ports = ServicePorts {
        model: made.model,
        executor: toolset::executor(base, &registry),
        audit: Arc::new(base.audit()),
        pins: Arc::new(base.pins()),
        state,
        clock,
        random: Arc::new(SystemRandom),
        events,
    };
    (Arc::new(Service::new(made.options, ports)), registry, servers.pool)
}

async fn over_lines(base: &Base, made: Made, shutdown: CancellationToken) -> Result<(), Failure> {
    let (service, _, pool) = service(base, made, Arc::new(LocalState::default()), Arc::new(Silent)).await;
    let input = tokio::io::BufReader::new(tokio::io::stdin());
    let served = serve_lines(service, input, tokio::io::stdout(), shutdown).await;
    pool.close().await;
    Ok(served?)
}

async fn on_bus(base: &Base, url: &str, made: Made, shutdown: CancellationToken) -> Result<(), Failure> {
    let prefix = made.options.prefix.clone();
    let bus = connect(&plugins::bus_options(base, url)).await?;
    let state = Arc::new(KvState::open(&bus, &prefix).await?);
    let events = Arc::new(NatsEvents::start(&bus, &prefix));
    let name = made.model.name();
    let (service, registry, pool) = service(base, made, state, events).await;
    let options = plugins::plugin_options(base, &prefix);
    let hub = PluginHub::start(&bus, registry, options).await?;
    let _ = writeln!(
        std::io::stderr().lock(),
        "aish: {name} answers on {prefix}.llm.> at {}; Ctrl-C ends it",
        aish_types::sanitize(&without_password(url))
    );
    let served = serve(bus, service, shutdown).await;
    hub.stop().await;
    pool.close().await;
    Ok(served?)
}

/// Says whether a text can be the first word of a subject, or several with dots between them.
fn is_prefix(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.split('.').all(|word| !word.is_empty() && word.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_plain_subject() {
        for (text, expected) in [
            ("rosey", true),
            ("a.b-c_1", true),
            ("", false),
            ("a..b", false),
            (".a", false),
            ("a.>", false),
            ("*", false),
            ("$SYS", false),
            ("a b", false),
        ] {
            assert_eq!(is_prefix(text), expected, "{text:?}");
        }
    }
}
