//! The tools of one server as a source: as the user's overrides and the policy leave them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_safety::ApprovedCall;
use aish_tools::schema::Faults;
use aish_tools::{Changes, CheckedCall, Plan, RunContext, ToolSource};
use aish_types::{Ending, SourceId, ToolDefinition, ToolOutcome};
use tokio::time::sleep_until;

use super::pins::UpstreamPins;
use super::relay::Relay;
use super::upstream::Upstream;
use crate::policy::Policy;
use crate::servers::{Offered, Said, offered};

/// What a server is given to hand over what it has when its time is up.
const GRACE: Duration = Duration::from_millis(250);

/// The tools of one server.
pub(crate) struct ServerTools {
    upstream: Arc<Upstream>,
    policy: Arc<Policy>,
    pins: Arc<UpstreamPins>,
    relay: Arc<Relay>,
    kept: Mutex<Option<Kept>>,
}

/// The tools, with the revision that they were made of.
struct Kept {
    revision: u64,
    offered: Arc<Vec<Offered>>,
}

impl ServerTools {
    pub(crate) fn new(
        upstream: Arc<Upstream>,
        policy: Arc<Policy>,
        pins: Arc<UpstreamPins>,
        relay: Arc<Relay>,
    ) -> Self {
        Self { upstream, policy, pins, relay, kept: Mutex::default() }
    }

    fn revision(&self) -> u64 {
        // Both only grow, so that their sum tells every change.
        self.upstream.revision().wrapping_add(self.pins.revision())
    }

    fn offered(&self) -> Arc<Vec<Offered>> {
        let revision = self.revision();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|kept| kept.revision == revision) {
            return Arc::clone(&kept.offered);
        }
        let description = |name: &str| self.policy.tools.get(name).and_then(|said| said.description.clone());
        let said = Said {
            offers: &|name: &str| self.policy.offers(name),
            description: &description,
            is_settled: &|upstream: &ToolDefinition| self.pins.holds(upstream),
        };
        let tools = if self.upstream.entry.enabled { self.upstream.tools() } else { Vec::new() };
        let offered = Arc::new(offered(&self.upstream.entry, &tools, &said));
        self.pins.show(&self.upstream.source, &offered);
        *kept = Some(Kept { revision, offered: Arc::clone(&offered) });
        offered
    }
}

impl ToolSource for ServerTools {
    fn id(&self) -> &SourceId {
        &self.upstream.source
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.offered().iter().map(|tool| Arc::clone(&tool.definition)).collect()
    }

    fn changes(&self) -> Changes {
        Changes::Revision(self.revision())
    }

    fn plan(self: Arc<Self>, call: &CheckedCall) -> Result<Plan, Faults> {
        let name = &call.definition.name;
        let offered = self.offered();
        let tool = offered.iter().find(|tool| tool.definition.name == *name);
        let tool = tool.ok_or_else(|| Faults(vec![format!("Unknown tool: {name}")]))?.clone();
        call.refuse_unknown()?;
        let violations =
            self.policy.violations_of(name.as_str(), &tool.definition.input_schema.value(), &call.arguments);
        if !violations.is_empty() {
            return Err(Faults(violations));
        }
        Ok(Plan::tool(move |call, context| async move { self.run(&tool, call, context).await }))
    }
}

impl ServerTools {
    /// Runs an approved call on the server, which runs already: whoever asked for the call has seen to that.
    async fn run(&self, tool: &Offered, call: ApprovedCall, context: RunContext) -> ToolOutcome {
        let upstream = &self.upstream;
        let alias = upstream.alias();
        let _hold = upstream.hold();
        let _slot = match upstream.slot().await {
            Ok(slot) => slot,
            Err(why) => return ToolOutcome::failure(why),
        };
        let Some(client) = upstream.client() else {
            let why = upstream.health.counts().last_error.unwrap_or_else(|| "it ended".to_owned());
            return ToolOutcome::failure(format!(
                "{alias}: {why}; the call was not sent, and the next one starts the server anew"
            ));
        };
        let (id, sent) = (call.call().context.call.clone(), tool.sent(&call.call().arguments));
        let (started, limit) = (Instant::now(), Duration::from_millis(tool.call_ms));
        let cancel = context.cancel.child_token();
        let inner = RunContext { cancel: cancel.clone(), timeout_ms: context.timeout_ms };
        let mut running = std::pin::pin!(client.run(call, &tool.tool, sent, inner));
        let mut deadline = started + limit;
        let outcome = loop {
            tokio::select! {
                outcome = &mut running => break outcome,
                () = sleep_until(deadline.into()) => {}
            }
            // The time for which a question was open does not count.
            let asked = tokio::select! {
                outcome = &mut running => break outcome,
                asked = self.relay.asked(alias, &id) => asked,
            };
            deadline = started + limit + asked;
            if Instant::now() >= deadline {
                cancel.cancel();
                let _ = tokio::time::timeout(GRACE, &mut running).await;
                let seconds = limit.as_secs_f64();
                break ToolOutcome::failure(format!(
                    "{alias}: {} gave no answer in {seconds} s (limit timeout_ms); it may have run",
                    tool.tool
                ));
            }
        };
        upstream.health.called(started.elapsed());
        named(outcome, alias)
    }
}

/// Says whose failure it is, where it is not the tool's own.
fn named(mut outcome: ToolOutcome, alias: &str) -> ToolOutcome {
    if outcome.ending == Ending::Transport {
        outcome.text = format!("{alias}: {}", outcome.text);
    }
    outcome
}
