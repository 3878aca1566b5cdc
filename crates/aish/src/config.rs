//! The configuration: which keys there are, the layers that set them, and the typed values that hold.
//!
//! Layers, weakest first: defaults, `config.toml`, the project's `.aish.toml` (tightens only), the environment
//! (`AISH_SECTION_KEY`), flags. A fault in one key costs that key alone: its default holds, and the fault is said
//! with file, line and column.

pub mod cap;
mod default;
pub mod diagnostic;
pub mod environment;
pub mod file;
pub mod key;
pub mod keys;
pub mod layer;
pub mod model;
pub mod page;
pub mod policy;
pub mod programs;
pub mod project;
pub mod router;
pub mod section;
pub mod servers;
pub mod show;
pub mod template;
mod word;

use std::path::{Path, PathBuf};

use diagnostic::Diagnostic;
use layer::{Layer, Origin};
use section::Config;

/// A configuration with what was wrong on the way to it and where each value comes from.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The values that hold.
    pub config: Config,
    /// Faults and warnings, in the order of the layers.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules for commands and tools, compiled.
    pub policy: policy::Compiled,
    /// Why the limits of cost cannot be used, where they cannot: nothing that costs is sent then.
    pub cap_fault: Option<String>,
    /// The merged layer, for `aish config show`.
    pub merged: Layer,
}

impl Loaded {
    /// Takes note that a file that is there cannot be read: it may hold rules, and limits of cost.
    pub fn misses_a_file(&mut self, why: &Diagnostic) {
        let why = Some(why.to_string());
        self.cap_fault.clone_from(&why);
        self.policy = policy::Compiled { broken: why, ..policy::Compiled::default() };
    }
}

/// Returns `$XDG_CONFIG_HOME/aish/config.toml`, or the same under `~/.config`; none without a home folder.
pub fn user_path(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    if let Some(path) = variable("AISH_CONFIG").filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path));
    }
    // A path that is not absolute would be one of the folder that aish was started in, which may be anybody's.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(base.join("aish").join("config.toml"))
}

/// Puts layers over one another and turns them into typed values; a project's files from its root down.
pub fn load(
    user_file: Option<(&Path, &str)>,
    project_files: &[(&Path, &str)],
    variables: &[(String, String)],
) -> Loaded {
    let mut diagnostics = Vec::new();
    let mut merged = Layer::default();
    if let Some((path, text)) = user_file {
        merged.put_over(file::parse(text, &Origin::User(path.to_owned()), &mut diagnostics));
    }
    for (path, text) in project_files {
        let overlay = file::parse(text, &Origin::Project(path.to_path_buf()), &mut diagnostics);
        let tightened = project::tighten(overlay, &merged, &mut diagnostics);
        merged.put_over(tightened);
    }
    merged.put_over(environment::layer(variables, &mut diagnostics));
    let mut config = Config::from_layer(&mut merged, &mut diagnostics);
    let texts = user_file.iter().chain(project_files).map(|(_, text)| *text);
    let cap_fault = cap::fault(&mut config, texts, &mut diagnostics);
    let policy = policy::compile(&merged, &mut diagnostics);
    Loaded { config, diagnostics, policy, cap_fault, merged }
}

#[cfg(test)]
mod tests;
