//! What a server lists now beside what it listed the last time: what is new or has changed is marked, and asked about before it
//! is called.

use std::sync::Arc;

use aish_safety::definition_hash;
use aish_types::ToolDefinition;

use super::pins::UpstreamPins;

/// Marks the tools that are new or have changed since an earlier list, where there is one, and those that are not what somebody
/// said yes to.
pub(super) fn mark_late(
    tools: &mut [Arc<ToolDefinition>],
    before: Option<&[Arc<ToolDefinition>]>,
    pins: &UpstreamPins,
) {
    for tool in tools {
        let late = before.is_some_and(|before| is_late(tool, before, pins)) || pins.differs(tool);
        Arc::make_mut(tool).late = late;
    }
}

/// Says whether a tool is not what it was, or was so before already; what it was is kept, so that the difference can be shown.
fn is_late(tool: &ToolDefinition, before: &[Arc<ToolDefinition>], pins: &UpstreamPins) -> bool {
    match before.iter().find(|old| old.name == tool.name) {
        Some(old) if definition_hash(old) == definition_hash(tool) => old.late,
        Some(old) => {
            if !old.late {
                pins.keep_old(old);
            }
            true
        }
        None => true,
    }
}
