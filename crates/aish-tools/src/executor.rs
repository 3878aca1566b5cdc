//! Look-up, arguments, validation, rate (`prepare`), then, after the gate, the run.
//!
//! Order: look the name up; check and coerce the arguments, every fault at once; compare with the cooldown; ask the
//! source for its plan. The gate stands between. Then: compare the definition's hash with the one that
//! was approved, compare with the cooldown again, run with a timeout and cancellation, check the structured result.

pub(crate) mod guard;
mod rate;
mod run;

use std::sync::Arc;

use aish_safety::PreparedCall;
use aish_types::{ToolName, ToolOutcome};

use crate::clock::{Clock, SystemClock};
use crate::door::Call;
use crate::plan::{Confirm, Plan, Run};
use crate::registry::{Registry, Tool};
use crate::schema::{self, Checked, Faults};
use crate::source::CheckedCall;
use rate::Rates;

pub(crate) use run::run_alone;

/// Milliseconds that a call may take unless its definition says otherwise.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;
/// How many near names are given for one that is unknown.
const NEAR: usize = 5;

/// A call that can go to the gate, with what its source made of it.
pub(crate) struct Planned {
    pub(crate) call: PreparedCall,
    pub(crate) confirm: Option<Confirm>,
    pub(crate) run: Run,
}

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

    /// Looks a call up, validates its arguments, checks its rate and has its source plan it. The error is the outcome
    /// for the model, which names every fault at once.
    pub(crate) fn prepare(&self, call: Call) -> Result<Planned, Box<ToolOutcome>> {
        let Call { name, arguments, context } = call;
        let tool = self.look_up(&name)?;
        let definition = Arc::clone(&tool.definition);
        let arguments = schema::from_value(arguments).map_err(|faults| refused(&faults))?;
        let schema = tool
            .input()
            .map_err(|error| Box::new(ToolOutcome::failure(format!("Tool '{name}' cannot be called: {error}"))))?;
        let checked = schema.check(arguments).map_err(|faults| refused(&faults))?;
        self.rates
            .check(&definition, &context.user, self.clock.monotonic())
            .map_err(|wait| Box::new(wait.outcome()))?;
        let Checked { arguments, ignored } = checked;
        let checked_call = CheckedCall { definition, arguments, ignored, context };
        let planned = guard::call(|| Arc::clone(&tool.source).plan(&checked_call));
        let planned = planned
            .ok_or_else(|| Box::new(ToolOutcome::failure(format!("Tool '{name}' failed while it was prepared"))))?;
        let Plan { subject, given, confirm, run } = planned.map_err(|faults| refused(&faults))?;
        let CheckedCall { definition, arguments, ignored, context } = checked_call;
        let definition_hash = tool.hash().clone();
        let call = PreparedCall { definition_hash, definition, arguments, ignored, subject, given, context };
        Ok(Planned { call, confirm, run })
    }

    fn look_up(&self, name: &ToolName) -> Result<Arc<Tool>, Box<ToolOutcome>> {
        self.registry.tool(name).ok_or_else(|| {
            let near = self.registry.near(name.as_str(), NEAR);
            let mut text = format!("Unknown tool: {}", schema::short(name.as_str()));
            if !near.is_empty() {
                let names: Vec<&str> = near.iter().map(ToolName::as_str).collect();
                text.push_str(&format!(". Did you mean: {}?", names.join(", ")));
            }
            let mut outcome = ToolOutcome::failure(text);
            outcome.notes.near_names = near;
            Box::new(outcome)
        })
    }
}

/// Words faults of the arguments for the model.
pub(crate) fn refused(faults: &Faults) -> Box<ToolOutcome> {
    let mut outcome = ToolOutcome::failure(faults.to_string());
    outcome.notes.faults.clone_from(&faults.0);
    Box::new(outcome)
}
