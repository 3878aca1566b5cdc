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
    /// From strangers: servers, plugins, the network; or secrets.
    Foreign,
}

/// Returns where the output of a command comes from.
pub(crate) fn of_parts(parts: &[Part]) -> Taint {
    parts
        .iter()
        .map(|part| {
            // Who has read a secret may send no more than who has read what strangers wrote.
            let is_far = matches!(part.effect, Effect::RunForeign | Effect::ReadSecret) || sending::talks(part);
            let own = if is_far { Taint::Foreign } else { Taint::Local };
            own.max(of_parts(&part.parts))
        })
        .max()
        .unwrap_or(Taint::Local)
}
