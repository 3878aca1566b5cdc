//! Sources that the tests register: some change, some misbehave.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aish_tools::schema::Faults;
use aish_tools::{Changes, CheckedCall, Plan, ToolSource};
use aish_types::{SourceId, ToolDefinition, ToolOutcome};

/// A source whose list of tools can be changed.
pub(crate) struct Changing {
    id: SourceId,
    tools: Mutex<Vec<Arc<ToolDefinition>>>,
    revision: Option<AtomicU64>,
}

impl Changing {
    pub(crate) fn new(id: &str, tools: Vec<ToolDefinition>, tells: Tells) -> Arc<Self> {
        let revision = match tells {
            Tells::Revision => Some(AtomicU64::new(0)),
            Tells::Nothing => None,
        };
        let tools = Mutex::new(tools.into_iter().map(Arc::new).collect());
        Arc::new(Self { id: id.into(), tools, revision })
    }

    pub(crate) fn set(&self, tools: Vec<ToolDefinition>) {
        *self.tools.lock().unwrap() = tools.into_iter().map(Arc::new).collect();
        if let Some(revision) = &self.revision {
            revision.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Whether a source says that it has changed.
#[derive(Clone, Copy)]
pub(crate) enum Tells {
    Revision,
    Nothing,
}

impl ToolSource for Changing {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.tools.lock().unwrap().clone()
    }

    fn changes(&self) -> Changes {
        match &self.revision {
            Some(revision) => Changes::Revision(revision.load(Ordering::SeqCst)),
            None => Changes::Unknown,
        }
    }

    fn plan(self: Arc<Self>, _call: &CheckedCall) -> Result<Plan, Faults> {
        Ok(Plan::tool(move |call, context| async move {
            match call.call().definition.name.as_str() {
                "panics" => panic!("on purpose"),
                "hangs" => std::future::pending().await,
                "partial" => {
                    context.cancel.cancelled().await;
                    ToolOutcome::failure("half of it")
                }
                "limited" => {
                    context.cancel.cancelled().await;
                    ToolOutcome::transport("no answer within 1.0 s")
                }
                "sleeps" => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    ToolOutcome::success("slept")
                }
                name => ToolOutcome::success(format!("{} of {}", name, self.id)),
            }
        }))
    }
}
