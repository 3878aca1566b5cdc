//! What configurations and a policy say that may not be meant.

use aish_types::near::slip;

use super::Catalogue;
use crate::fault::Position;
use crate::policy::Named;

/// What may not be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueWarning {
    /// Another file defines the tool again.
    #[error("the tool '{tool}' of '{config}' takes the place of the one of '{before}'")]
    Replaced {
        /// The tool.
        tool: String,
        /// Whose tool counts.
        config: String,
        /// Whose tool does not.
        before: String,
    },
    /// The policy speaks of a tool that no configuration has.
    #[error("the policy names the tool '{tool}', and no config has it{}", meant(.near.as_deref()))]
    NoSuchTool {
        /// The tool.
        tool: String,
        /// The one that may be meant.
        near: Option<String>,
        /// Where the policy names it.
        at: Position,
    },
    /// The policy speaks of an argument that its tool does not have, so that nothing is bounded by it.
    #[error("the policy names the argument '{arg}' of {tool}, which has none of that name{}", meant(.near.as_deref()))]
    NoSuchArgument {
        /// The tool.
        tool: String,
        /// The argument.
        arg: String,
        /// The one that may be meant.
        near: Option<String>,
        /// Where the policy names it.
        at: Position,
    },
}

fn meant(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default()
}

impl CatalogueWarning {
    /// Returns where the policy has a name that is none.
    pub fn in_policy(&self) -> Option<Position> {
        match self {
            Self::Replaced { .. } => None,
            Self::NoSuchTool { at, .. } | Self::NoSuchArgument { at, .. } => Some(*at),
        }
    }

    /// Says whether it is about a tool of a server, which may not be known before its first start.
    pub fn is_of_server(&self, is_server: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::NoSuchTool { tool, .. } => tool.split_once('.').is_some_and(|(server, _)| is_server(server)),
            Self::Replaced { .. } | Self::NoSuchArgument { .. } => false,
        }
    }
}

impl Catalogue {
    /// Says what is wrong with a name of the policy.
    pub(super) fn misnamed(&self, named: &Named) -> Option<CatalogueWarning> {
        let Named { tool, arg, at } = named.clone();
        let Some(entry) = self.get(&tool) else {
            let all = || self.configs.iter().flat_map(|config| config.tools.packed()).map(|tool| tool.name.as_str());
            // Of a tool that is hidden, or of a group of them, a question may be spoken of all the same. A missing tool's
            // arguments are not told beside it.
            let is_known = arg.is_some() || tool.ends_with('*') || all().any(|name| name == tool);
            let near = slip(&tool, all()).map(str::to_owned);
            return (!is_known).then_some(CatalogueWarning::NoSuchTool { tool, near, at });
        };
        let names = || entry.tool.args.iter().map(|arg| arg.name.as_str());
        let arg = arg.filter(|arg| names().all(|name| name != arg))?;
        let near = slip(&arg, names()).map(str::to_owned);
        Some(CatalogueWarning::NoSuchArgument { tool, arg, near, at })
    }
}
