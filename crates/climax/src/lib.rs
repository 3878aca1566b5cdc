//! Command-line programs and MCP servers as tools: YAML files say which sub-commands a program has, and each becomes a tool.
//!
//! Reading order: [`config`] (one file), [`policy`] (what is left and what is asked), [`load`] (many files at once), [`kept`] (what is kept of very many),
//! [`catalogue`] (all tools under one roof), [`schema`] and [`argv`] (a tool as JSON Schema and as words),
//! [`source`] (the executor's port), [`run`] (the outcome), [`http`] (tools that are operations of an API),
//! [`servers`] (MCP servers as files name them), `gateway` (those servers, started when they are needed), `meaning` (vectors of tools),
//! [`service`] (the door that every way in goes through), [`mod@serve`] (how clients come to it).
//! No shell is ever involved, and nothing is printed here: the binary does that.

pub mod argv;
mod asker;
pub mod audit;
pub mod bundled;
pub mod catalogue;
pub mod config;
mod confirm;
mod docker;
pub mod expand;
pub mod fault;
mod gateway;
pub mod http;
pub mod import;
pub mod kept;
pub mod load;
mod meaning;
#[cfg(test)]
mod mutate;
pub mod policy;
pub mod run;
pub mod schema;
pub mod serve;
pub mod servers;
pub mod service;
pub mod skill;
pub mod source;
mod template;
mod yaml;

pub use catalogue::Catalogue;
pub use config::Config;
pub use fault::{Fault, Severity};
pub use gateway::{Clients, RunningGateway, ServerHealth, ServerRow, running};
pub use policy::Policy;
