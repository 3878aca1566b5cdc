//! What the gate is told of tools of servers and APIs: the policy's level, and that it counts for risks that the user named.

use aish_safety::NamedRisk;
use aish_types::Risk;

use crate::catalogue::Catalogue;
use crate::gateway::Gateway;

/// Adds what the policy's level means for servers and APIs to what the gate is told; what the policy says of a tool by name stays.
///
/// A stranger's tool counts as one that may destroy. One whose risk the user named counts as that: the risk stands in the tool's
/// own definition, and never with a name, which a server may give to another tool.
pub(super) fn for_gate(catalogue: &Catalogue, gateway: Option<&Gateway>) -> aish_safety::Policy {
    let policy = catalogue.policy();
    let mut gate = aish_safety::Policy { named_risk: NamedRisk::Level, ..policy.for_gate() };
    for upstream in gateway.into_iter().flat_map(|gateway| &gateway.upstreams) {
        if !policy.approval.level.asks(Risk::Destructive) {
            gate.auto_approve.entry(format!("{}.*", upstream.alias())).or_insert(true);
        }
    }
    gate
}
