//! Which models can answer: configured ones, the environment's, a local server, the embedded one.

use std::sync::Arc;

use aish_llm::{LocalServers, ModelOptions};
use aish_local::{LocalModel, LocalOptions, Models, Search};

use crate::base::Base;
use crate::models::{Collector, ModelSet};

/// The name of the embedded model in the list of models.
pub const EMBEDDED: &str = "embedded";

/// Finds the models, and asks the network only when nothing is configured.
pub async fn find_models(base: &Base, wanted: Option<&str>) -> ModelSet {
    let variable = |name: &str| base.variable(name);
    let mut collector = Collector::default();
    collector.configured(&base.config, &variable);
    collector.add_environment(&base.variables).await;
    let local = LocalServers::default();
    if collector.is_empty()
        && let Some(server) = local.find().await
        && let Some(model) = server.first_model().await
    {
        let abilities = server.abilities(local.wait).await;
        if let Some(warning) = server.warning(&abilities) {
            collector.notice(warning);
        }
        collector.local("local", &server, ModelOptions::new(model), &abilities);
    }
    if (collector.is_empty() || wanted == Some(EMBEDDED) || base.config.model.default.as_deref() == Some(EMBEDDED))
        && let Some(why) = add_embedded(base, &mut collector)
    {
        collector.notice(why);
    }
    collector.finish(&base.config, wanted)
}

/// Adds the embedded model where its file and its executable are; says what is missing, if something is odd.
fn add_embedded(base: &Base, collector: &mut Collector) -> Option<String> {
    let data = base.paths.data.as_ref()?;
    let file = match Models::new(data).current() {
        Ok(Some(file)) => file,
        Ok(None) => return None,
        Err(error) => return Some(crate::failure::chain(&error)),
    };
    let executable = match executable(base).find() {
        Ok(executable) => executable,
        Err(error) => return Some(crate::failure::chain(&error)),
    };
    let small = file.is_small();
    let options = LocalOptions { executable, model: file, context: None, threads: None };
    collector.embedded(EMBEDDED, Arc::new(LocalModel::new(options)), small);
    None
}

/// Returns where the embedded model's executable is looked for.
pub fn executable(base: &Base) -> Search {
    Search {
        beside: std::env::current_exe().ok().and_then(|path| path.parent().map(Into::into)),
        named: base.variable("AISH_MODEL_EXE").map(Into::into),
        path: base.variable("PATH").map(Into::into),
    }
}
