//! `tools.cli`: command-line programs as tools, from climax configs by name or path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aish_tools::Registry;
use climax::http::Hosts;
use climax::load::{self, Source};
use climax::schema::Flags;
use climax::source::ConfigTools;
use climax::{Catalogue, Policy};

use crate::base::Base;

/// Adds the configured configs to the registry; returns what is wrong with them, a line each.
///
/// A config that cannot be found or read costs its own tools and nothing else.
pub fn add(base: &Base, registry: &Registry) -> Vec<String> {
    let names = &base.config.tools.cli;
    if names.is_empty() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let mut sources = Vec::new();
    for name in names {
        match find(base, name) {
            Ok(found) => sources.extend(found),
            Err(error) => faults.push(format!("tools.cli: {error}")),
        }
    }
    let loaded = load::load(&sources);
    faults.extend(loaded.faults.iter().map(|fault| format!("tools.cli: {fault}")));
    let catalogue = Catalogue::new(loaded.configs, Arc::new(Policy::default()), Flags::Hidden);
    faults.extend(catalogue.warnings.iter().map(|warning| format!("tools.cli: {warning}")));
    // What was confirmed when an API was imported holds here, too.
    let state = base.paths.state.as_deref().and_then(Path::parent).map(|state| state.join("climax"));
    let hosts = Hosts::new(state.as_deref());
    let variables = base.variables.clone();
    let world = move |name: &str| variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let refused = registry.add(Arc::new(ConfigTools::new(Arc::new(catalogue), Arc::new(world), hosts)));
    faults.extend(refused.iter().map(|refused| format!("tools.cli: {refused}")));
    faults
}

/// Finds a config. A path is relative to the configuration's own folder, and to the working folder when nothing is there.
fn find(base: &Base, name: &str) -> Result<Vec<Source>, load::SourceError> {
    let world = |variable: &str| base.variable(variable);
    let path = climax::expand::path(name, &world);
    match beside(base.config_path.as_deref(), &path) {
        Some(beside) => Source::find(&beside.display().to_string()),
        None => Source::find(&path),
    }
}

/// Returns the path beside the configuration file, for a relative path to something that is there.
fn beside(config: Option<&Path>, name: &str) -> Option<PathBuf> {
    let is_path = name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml");
    if !is_path || Path::new(name).is_absolute() {
        return None;
    }
    Some(config?.parent()?.join(name)).filter(|path| path.exists())
}
