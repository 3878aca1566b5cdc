//! The tools of a catalogue as a source of the executor: nothing runs here that the gate has not approved.

use std::sync::Arc;

use aish_safety::Subject;
use aish_tools::schema::Faults;
use aish_tools::{Changes, CheckedCall, Plan, ToolSource};
use aish_types::{SourceId, ToolDefinition, visible};
use serde_json::{Map, Value};

use crate::argv::{self, Refused};
use crate::catalogue::{Catalogue, Entry};
use crate::expand::Variables;
use crate::http::send::Sender;
use crate::http::{Api, Hosts, Operation, request};
use crate::policy::Executor;
use crate::run::{self, Limits};
use crate::{confirm, docker};

/// The tools of one catalogue.
pub struct ConfigTools {
    id: SourceId,
    catalogue: Arc<Catalogue>,
    world: Arc<dyn Variables>,
    sender: Arc<Sender>,
}

impl ConfigTools {
    /// Makes the source; `world` knows the environment's variables, and `hosts` where tokens may go.
    pub fn new(catalogue: Arc<Catalogue>, world: Arc<dyn Variables>, hosts: Hosts) -> Self {
        let sender = Arc::new(Sender::new(hosts, Arc::clone(&world)));
        Self { id: SourceId::new("cli"), catalogue, world, sender }
    }

    /// Plans a request: the one that is judged and asked about is the one that is sent, but for the token.
    fn plan_request(
        &self,
        entry: &Entry,
        (api, operation): (&Api, &Operation),
        arguments: &Map<String, Value>,
    ) -> Result<Plan, Faults> {
        let tool = &entry.tool;
        let violations = self.catalogue.policy().violations(tool, arguments);
        let outgoing = match request::build(api, operation, tool, arguments) {
            Ok(outgoing) if violations.is_empty() => outgoing,
            Ok(_) => return Err(Faults(violations)),
            Err(Refused(faults)) => return Err(Faults(faults.into_iter().chain(violations).collect())),
        };
        let general = format!("Send {} {}?", outgoing.method.as_str(), visible(outgoing.url.as_str()));
        let confirm = confirm::plan(&self.catalogue, entry, arguments, general, &*self.world);
        let (sender, api, timeout_s) = (Arc::clone(&self.sender), api.clone(), tool.timeout_s);
        let plan = Plan::tool(move |_call, context| async move {
            sender.call(&api, outgoing, Limits { timeout_s, cancel: context.cancel }).await
        });
        Ok(Plan { confirm: Some(confirm), ..plan })
    }
}

impl ToolSource for ConfigTools {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.catalogue.definitions().to_vec()
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    fn plan(self: Arc<Self>, call: &CheckedCall) -> Result<Plan, Faults> {
        let name = call.definition.name.as_str();
        let unknown = || Faults(vec![format!("Unknown tool: {name}")]);
        let entry = self.catalogue.get(name).ok_or_else(unknown)?;
        let tool = &entry.tool;
        let policy = self.catalogue.policy();
        call.refuse_unknown()?;
        let none = Map::new();
        let arguments = call.arguments.as_object().unwrap_or(&none);
        if let Some(call) = entry.config.api.as_ref().zip(tool.operation.as_deref()) {
            return self.plan_request(&entry, call, arguments);
        }
        let built = argv::build(&entry.config, tool, arguments, &*self.world);
        let violations = policy.violations(tool, arguments);
        let mut invocation = match built {
            Ok(invocation) if violations.is_empty() => invocation,
            Ok(_) => return Err(Faults(violations)),
            Err(Refused(mut faults)) => {
                faults.extend(violations);
                return Err(Faults(faults));
            }
        };
        if let Executor::Docker(container) = &policy.executor {
            docker::wrap(&mut invocation, container, &*self.world);
        }
        let general = format!("Approve execution of {}?", tool.name);
        let confirm = confirm::plan(&self.catalogue, &entry, arguments, general, &*self.world);
        let (policy, timeout_s) = (Arc::clone(policy), tool.timeout_s);
        let subject = Subject::Argv { words: invocation.words.clone() };
        let given = invocation.given();
        let plan = Plan::of(subject, move |call, context| async move {
            // What names no folder of its own runs where the caller is.
            let mut invocation = invocation;
            if matches!(policy.executor, Executor::Local) && invocation.folder.is_none() {
                invocation.folder.clone_from(&call.call().context.folder);
            }
            let limits = Limits { timeout_s, cancel: context.cancel };
            run::call(invocation, limits, &policy.executor).await
        });
        Ok(Plan { given, confirm: Some(confirm), ..plan })
    }
}
