//! `--watch`: what each file was when it could last be read whole.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use climax::load::{Loaded, Source};
use climax::{Config, Severity};

use super::output;

/// Configs by the names of their files.
#[derive(Debug, Default)]
pub(super) struct LastGood(HashMap<String, Arc<Config>>);

impl LastGood {
    /// Puts what a file was into the place of what is left of a broken one, and remembers those that are whole. A file that
    /// is there no longer is forgotten.
    pub(super) fn mend(&mut self, sources: &[Source], loaded: &mut Loaded) {
        let mut read: HashMap<usize, Arc<Config>> = loaded.of.iter().copied().zip(loaded.configs.drain(..)).collect();
        loaded.of.clear();
        let mut now = HashMap::new();
        for (number, source) in sources.iter().enumerate() {
            let name = source.name();
            let is_broken =
                loaded.faults.iter().any(|fault| fault.severity == Severity::Error && fault.file == name.as_ref());
            let is_there = !matches!(source, Source::File(path) if !Path::exists(path));
            let earlier = self.0.get(name.as_ref()).filter(|_| is_broken && is_there).cloned();
            if earlier.is_some() {
                output::tell(&format!("warning: {name} is broken; its tools stay as they were"));
            }
            let read = read.remove(&number);
            if let Some(good) = earlier.clone().or_else(|| read.clone().filter(|_| !is_broken)) {
                now.insert(name.into_owned(), good);
            }
            if let Some(config) = earlier.or(read) {
                loaded.of.push(number);
                loaded.configs.push(config);
            }
        }
        self.0 = now;
    }
}
