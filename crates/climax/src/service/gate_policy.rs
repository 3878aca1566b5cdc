//! What the gate is told of tools of servers and APIs: the policy's level and the user's word on their risk.

use aish_types::Risk;

use crate::catalogue::Catalogue;
use crate::gateway::Gateway;

/// Adds what the policy's level means for servers and APIs to what the gate is told; what the policy says of a tool by name stays.
///
/// A stranger's tool counts as one that may destroy. One whose risk the user named counts as that.
pub(super) fn for_gate(catalogue: &Catalogue, gateway: Option<&Gateway>) -> aish_safety::Policy {
    let policy = catalogue.policy();
    let mut gate = policy.for_gate();
    let asks = |risk: Risk| policy.approval.level.asks(risk);
    for tool in
        catalogue.configs().iter().filter(|config| config.api.is_some()).flat_map(|config| config.tools.packed())
    {
        gate.auto_approve.entry(tool.name.to_string()).or_insert(!asks(tool.risk));
    }
    for upstream in gateway.into_iter().flat_map(|gateway| &gateway.upstreams) {
        let alias = upstream.alias();
        if !asks(Risk::Destructive) {
            gate.auto_approve.entry(format!("{alias}.*")).or_insert(true);
        }
        for over in &upstream.entry.tools {
            if let Some(risk) = over.risk {
                let name = over.name.as_deref().unwrap_or(&over.tool);
                gate.auto_approve.entry(format!("{alias}.{name}")).or_insert(!asks(risk));
            }
        }
    }
    gate
}
