//! What the model of an autonomous run has read: the further from the person a text comes, the less it is believed.

use super::sending;
use crate::command::Part;
use crate::rules::Effect;

/// Where the least trusted text comes from that the model has read, from the most trusted to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Taint {
    /// From the person and from our own tools.
    #[default]
    Clean,
    /// From files and programs of this machine.
    Local,
    /// From strangers: servers, plugins, the network.
    Foreign,
}

/// Returns where the output of a command comes from.
pub(crate) fn of_parts(parts: &[Part]) -> Taint {
    parts
        .iter()
        .map(|part| {
            let own =
                if part.effect == Effect::RunForeign || sending::talks(part) { Taint::Foreign } else { Taint::Local };
            own.max(of_parts(&part.parts))
        })
        .max()
        .unwrap_or(Taint::Local)
}
