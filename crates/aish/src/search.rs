//! Which models can answer: configured ones, the environment's, a local server, the embedded one.

use crate::models::{Collector, Found};
use crate::wiring::Base;

/// Finds the models, and asks the network only when nothing is configured.
pub async fn find_models(base: &Base, wanted: Option<&str>) -> Found {
    let variable = |name: &str| base.variable(name);
    let mut collector = Collector::default();
    collector.configured(&base.config, &variable);
    collector.from_environment(&variable);
    collector.finish(&base.config, wanted)
}
