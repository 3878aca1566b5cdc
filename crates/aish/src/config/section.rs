//! The sections of the configuration. Each is one table: fields with types and defaults, and for a key its kind, what a
//! project may do with it, and the sentence that people read.
//!
//! From the tables come parsing, `aish config show`, the template, completion, the manual and `docs/configuration.md`.

/// Makes a section: its struct, its defaults and its keys.
///
/// A key is `name: Type = default, kind, overlay;` below its sentence; a field without the last two is no key.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident in $prefix:literal {
        $(#[doc = $about:literal] $field:ident: $type:ty = $default:expr $(, $kind:expr, $overlay:expr)?;)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $(#[doc = $about] pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            /// The keys of this section.
            pub const KEYS: &'static [$crate::config::key::Key] = &[$($($crate::config::key::Key {
                name: concat!($prefix, ".", stringify!($field)),
                kind: $kind,
                overlay: $overlay,
                about: $about,
            },)?)*];
        }
    };
}
pub(super) use section;

mod behaviour;
mod limits;
mod looks;
mod service;
mod tools;

use serde::{Deserialize, Serialize};

use super::diagnostic::{About, Diagnostic, Severity};
use super::key::Key;
use super::layer::Layer;
use super::model::{Model, ModelChoice, Models};
use super::router::Router;
pub use behaviour::{
    Approval, ApprovalMode, Confine, History, HookAsk, HookHalt, Hooks, KeySection, Memory, Norris, PolicySection,
    Project, Route, Sandbox, SandboxMode, ShellSection, Undo,
};
pub use limits::{ContextSection, Cost, CostScope, Tokenize};
pub use looks::{Color, EditMode, Thoughts, Ui};
pub use service::{LegacyPlugin, Nats, Service};
pub use tools::{Mcp, McpServer, Protocol, Tools};

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|&word| word.to_owned()).collect()
}

/// Makes the configuration of its sections, and the list of all their keys.
macro_rules! sections {
    ($($(#[$doc:meta])* $field:ident: $type:ty => $($keys:ty)|+,)*) => {
        /// Every section.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Config {
            $($(#[$doc])* pub $field: $type,)*
        }

        /// The keys, by section.
        pub const SECTIONS: &[&[Key]] = &[$($(<$keys>::KEYS),+),*];
    };
}

sections! {
    /// Which model answers.
    model: ModelChoice => ModelChoice,
    /// The models.
    models: Models => Model,
    /// Rules that pick a model.
    router: Router => Router,
    /// The context's limits.
    context: ContextSection => ContextSection,
    /// Token counts by endpoint.
    tokenize: Tokenize => Tokenize,
    /// Limits of cost.
    cost: Cost => Cost,
    /// Tools.
    tools: Tools => Tools,
    /// MCP servers and approvals.
    mcp: Mcp => Mcp | McpServer,
    /// The live shell.
    shell: ShellSection => ShellSection,
    /// Routing.
    route: Route => Route,
    /// Rules for commands.
    policy: PolicySection => PolicySection,
    /// When a person is asked.
    approval: Approval => Approval,
    /// Confined commands.
    confine: Confine => Confine,
    /// The sandbox.
    sandbox: Sandbox => Sandbox,
    /// Undo.
    undo: Undo => Undo,
    /// The autonomous mode's limits.
    norris: Norris => Norris,
    /// Hooks of other agents.
    hooks: Hooks => Hooks,
    /// Keys in people's own shells.
    key: KeySection => KeySection,
    /// Memory.
    memory: Memory => Memory,
    /// Project instructions.
    project: Project => Project,
    /// History.
    history: History => History,
    /// Looks.
    ui: Ui => Ui,
    /// The bus.
    nats: Nats => Nats | LegacyPlugin,
    /// The chat service.
    service: Service => Service,
}

impl Config {
    /// Turns checked settings into typed values. A setting that still does not fit is taken out of the layer and reported.
    pub fn from_layer(layer: &mut Layer, diagnostics: &mut Vec<Diagnostic>) -> Self {
        if let Ok(config) = serde_json::from_value(layer.tree()) {
            return config;
        }
        layer.settings.retain(|path, setting| {
            let alone = Layer { settings: [(path.clone(), setting.clone())].into() };
            let Err(error) = serde_json::from_value::<Self>(alone.tree()) else { return true };
            let name = path.join(".");
            diagnostics.push(Diagnostic {
                severity: Severity::Error,
                place: setting.origin.to_string(),
                position: setting.position,
                message: format!("`{name}` cannot be used: {error}; its default is used"),
                about: About::Key(name),
            });
            false
        });
        serde_json::from_value(layer.tree()).unwrap_or_else(|error| {
            diagnostics.push(Diagnostic {
                severity: Severity::Error,
                place: "configuration".to_owned(),
                position: None,
                about: About::Whole,
                message: format!("{error}; the defaults are used"),
            });
            Self::default()
        })
    }
}
