//! The tools of a conversation: the built-in ones and those of `tools.cli`, in a registry, and the executor over it.

use std::sync::Arc;

use aish_tools::builtin::{Files, Pages};
use aish_tools::{Executor, MemoryStore, Registry, builtin};
use aish_web::Web;

use crate::base::Base;
use crate::cli_tools;
use crate::file_places::ProjectFiles;
use crate::prompts::{self, skills};

/// Makes the registry with the built-in tools and those of `tools.cli`, over a memory and perhaps files; returns what is
/// wrong with them too.
pub fn registry(base: &Base, memory: Arc<dyn MemoryStore>, files: Option<Arc<Files>>) -> (Arc<Registry>, Vec<String>) {
    let registry = Registry::default();
    let notices = fill(base, &registry, memory, files);
    (Arc::new(registry), notices)
}

/// Puts the built-in tools and those of `tools.cli` into a registry; returns what is wrong with them, a line each.
pub fn fill(base: &Base, registry: &Registry, memory: Arc<dyn MemoryStore>, files: Option<Arc<Files>>) -> Vec<String> {
    let mut notices = add_builtins(base, registry, memory, files);
    notices.extend(cli_tools::add(base, registry));
    if let Some(tool) = skills::tool(prompts::all(base, &base.project)) {
        registry.add(Arc::new(tool));
    }
    notices
}

/// Puts the built-in tools into a registry, in the place of those that are there; returns what is wrong with them.
pub fn add_builtins(
    base: &Base,
    registry: &Registry,
    memory: Arc<dyn MemoryStore>,
    files: Option<Arc<Files>>,
) -> Vec<String> {
    let mut notices = Vec::new();
    let names = &base.config.tools.builtin;
    let memory = base.config.memory.enabled.then_some(memory);
    let ports = builtin::Ports { memory, files, pages: Some(pages()), ..builtin::Ports::default() };
    match builtin::Builtins::named(names, &ports) {
        Ok(builtins) => {
            registry.add(Arc::new(builtins));
        }
        Err(error) => {
            notices.push(format!("tools.builtin: {error}"));
            registry.add(Arc::new(builtin::Builtins::all(&ports)));
        }
    }
    notices
}

/// Makes what the tools for files share: they work in the project around the folder of each call.
pub fn files(base: &Base) -> Files {
    Files::new(Arc::new(ProjectFiles::of(base)))
}

/// Makes what opens pages of the web; nothing is done for it before the first one.
fn pages() -> Arc<dyn Pages> {
    let program = std::env::current_exe().map(|path| vec![path.into(), aish_web::markdown::CHILD.into()]);
    Arc::new(Web::new(program.unwrap_or_default()))
}

/// Makes the executor, with the timeout of `tools.timeout_s`.
pub fn executor(base: &Base, registry: &Arc<Registry>) -> Arc<Executor> {
    Arc::new(Executor::new(Arc::clone(registry)).with_timeout_ms(base.config.tools.timeout_s.saturating_mul(1000)))
}
