//! Look-up, arguments, validation, rate (`prepare`), then, after the gate, the run.
//!
//! Order: look the name up; parse the arguments; check and coerce them, every fault at once; compare with the cooldown;
//! ask the source what is to be judged. The gate stands between. Then: compare the definition's hash with the one that
//! was approved, compare with the cooldown again, run with a timeout and cancellation, check the structured result.

mod guard;
mod rate;
mod run;

use std::sync::Arc;
use std::time::Duration;

use aish_safety::PreparedCall;
use aish_types::{CallContext, ToolCall, ToolName, ToolOutcome};
use serde_json::{Map, Value};

use crate::clock::{Clock, SystemClock};
use crate::registry::{Registry, Tool};
use crate::schema::{self, Faults};
use rate::Rates;

/// Milliseconds that a call may take unless its definition says otherwise.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;
/// How many near names are given for one that is unknown.
const NEAR: usize = 5;
/// The longest wait for a source's confirmation sentence.
const CONFIRM_WAIT: Duration = Duration::from_secs(30);

/// Runs tools, and nothing else but approved calls.
pub struct Executor {
    registry: Arc<Registry>,
    clock: Arc<dyn Clock>,
    rates: Rates,
    timeout_ms: u64,
}

impl Default for Executor {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl Executor {
    /// Makes an executor over a registry, with the machine's clock and a timeout of 30 s.
    pub fn new(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            clock: Arc::new(SystemClock::default()),
            rates: Rates::default(),
            timeout_ms: DEFAULT_TIMEOUT_MS,
        }
    }

    /// Takes another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the milliseconds that a call may take when its definition does not say; 0 means 30,000.
    #[must_use]
    pub fn with_timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.timeout_ms = if timeout_ms == 0 { DEFAULT_TIMEOUT_MS } else { timeout_ms };
        self
    }

    /// Returns the registry that calls are looked up in.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Looks a call up, parses and validates its arguments and checks its rate. The error is the outcome for the model.
    ///
    /// # Errors
    /// An outcome that names every fault at once.
    pub async fn prepare(&self, call: &ToolCall, context: CallContext) -> Result<PreparedCall, Box<ToolOutcome>> {
        let tool = self.look_up(&call.name)?;
        let arguments = schema::parse(&call.arguments).map_err(|faults| refused(&faults))?;
        self.prepare_object(&tool, arguments, context).await
    }

    /// Does what [`Executor::prepare`] does, for arguments that are parsed already.
    ///
    /// # Errors
    /// An outcome that names every fault at once.
    pub async fn prepare_value(
        &self,
        name: &ToolName,
        arguments: Value,
        context: CallContext,
    ) -> Result<PreparedCall, Box<ToolOutcome>> {
        let tool = self.look_up(name)?;
        let arguments = schema::from_value(arguments).map_err(|faults| refused(&faults))?;
        self.prepare_object(&tool, arguments, context).await
    }

    fn look_up(&self, name: &ToolName) -> Result<Arc<Tool>, Box<ToolOutcome>> {
        self.registry.tool(name).ok_or_else(|| {
            let near = self.registry.near(name.as_str(), NEAR);
            let mut text = format!("Unknown tool: {name}");
            if !near.is_empty() {
                let names: Vec<&str> = near.iter().map(ToolName::as_str).collect();
                text.push_str(&format!(". Did you mean: {}?", names.join(", ")));
            }
            let mut outcome = ToolOutcome::failure(text);
            outcome.notes.insert("near_names".into(), near.iter().map(ToolName::as_str).collect());
            Box::new(outcome)
        })
    }

    async fn prepare_object(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<PreparedCall, Box<ToolOutcome>> {
        let definition = Arc::clone(&tool.definition);
        let schema = tool.input().map_err(|error| {
            Box::new(ToolOutcome::failure(format!("Tool '{}' cannot be called: {error}", definition.name)))
        })?;
        let checked = schema.check(arguments).map_err(|faults| refused(&faults))?;
        self.rates
            .check(&definition, &context.user, self.clock.monotonic())
            .map_err(|wait| Box::new(wait.outcome()))?;
        let crashed =
            || Box::new(ToolOutcome::failure(format!("Tool '{}' failed while it was prepared", definition.name)));
        let faults = guard::call(|| tool.source.faults(&definition, &checked.arguments)).ok_or_else(crashed)?;
        if !faults.is_empty() {
            return Err(refused(&Faults(faults)));
        }
        let subject = guard::call(|| tool.source.subject(&definition, &checked.arguments)).ok_or_else(crashed)?;
        let asked = guard::call(|| tool.source.confirm_message(&definition, &checked.arguments)).ok_or_else(crashed)?;
        let confirm_message = tokio::time::timeout(CONFIRM_WAIT, guard::wait(asked)).await;
        let confirm_message = confirm_message.ok().flatten().ok_or_else(crashed)?;
        Ok(PreparedCall {
            definition_hash: tool.hash().clone(),
            definition,
            arguments: checked.arguments,
            ignored: checked.ignored,
            subject,
            confirm_message,
            context,
        })
    }
}

fn refused(faults: &Faults) -> Box<ToolOutcome> {
    let mut outcome = ToolOutcome::failure(faults.to_string());
    outcome.notes.insert("faults".into(), faults.0.iter().map(String::as_str).collect());
    Box::new(outcome)
}
