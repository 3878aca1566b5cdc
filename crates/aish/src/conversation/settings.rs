//! A project's settings while aish runs: once their content is trusted they hold at once, and no longer once it is not.
//!
//! Order: the layers are put over one another again ([`Base::reload`]), what changed is named, and the conversation is
//! put together again under them ([`Conversation::under`]): models, limits, tools, budget. What was said, spent and
//! learnt stays.

use std::path::Path;
use std::sync::Arc;

use aish_turn::Transcript;

use super::{Conversation, Setup};
use crate::base::{Base, MissingConfig, read_config};
use crate::config::section::Config;
use crate::ledger::Limits;
use crate::models::ModelSet;
use crate::project::Project;
use crate::search::find_models;
use crate::session::KeptLog;
use crate::system_prompt::system_prompt;
use crate::toolset;

/// Beginnings of the keys that hold from the next start on: what they are about is up already.
const LATE: &[&str] =
    &["ui.theme", "ui.edit_mode", "ui.markdown", "ui.color", "history.size", "shell.rc", "mcp.servers."];

/// What a reload changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Reloaded {
    /// The configuration before.
    pub before: Config,
    /// The keys whose values changed, and hold now.
    pub now: Vec<String>,
    /// Those that hold from the next start on.
    pub late: Vec<String>,
    /// What is wrong with the files, a line each, that was not told yet.
    pub faults: Vec<String>,
}

impl Base {
    /// Reads the configuration again, with the settings of the project around a folder that are trusted by now.
    pub fn reload(&mut self, folder: &Path) -> Reloaded {
        let mut unreadable = Vec::new();
        let text =
            self.config_path.as_deref().and_then(|path| read_config(path, MissingConfig::IsFine, &mut unreadable));
        let user_file = self.config_path.as_deref().zip(text.as_deref());
        let trust = self.paths.trust();
        let project = Project::read(folder, &self.config.project.instructions, &trust);
        let settings: Vec<_> = project.settings().map(|file| (file.path.as_path(), file.text.as_str())).collect();
        let loaded = crate::config::load(user_file, &settings, &self.variables);
        let mut loaded = loaded.with_programs(self.paths.config.as_deref());
        unreadable.iter().take(1).for_each(|why| loaded.misses_a_file(why));
        let (old, new) = (&self.loaded.merged.settings, &loaded.merged.settings);
        let mut changed: Vec<String> = old
            .keys()
            .chain(new.keys().filter(|key| !old.contains_key(*key)))
            .filter(|key| old.get(*key).map(|setting| &setting.value) != new.get(*key).map(|setting| &setting.value))
            .map(|key| key.join("."))
            .collect();
        changed.sort();
        let is_late = |key: &String| LATE.iter().any(|late| key.starts_with(late)) && !key.ends_with(".enabled");
        let (late, now) = changed.into_iter().partition(is_late);
        let all = unreadable.iter().chain(&loaded.diagnostics).map(ToString::to_string);
        let told = self.faults();
        let faults = all.filter(|fault| !told.contains(fault)).collect();
        let before = std::mem::replace(&mut self.config, loaded.config.clone());
        self.project = Project::read(folder, &self.config.project.instructions, &trust);
        unreadable.append(&mut loaded.diagnostics);
        self.diagnostics = unreadable;
        self.loaded = loaded;
        Reloaded { before, now, late, faults }
    }
}

impl Conversation {
    /// Lets found models and the configuration of `base` hold from now on, its policy too. Returns what to tell the
    /// person.
    pub fn under(&mut self, found: ModelSet, base: &Base, before: &Config) -> Vec<String> {
        let driver = &mut self.driver;
        let ledger = Arc::clone(&driver.asker.ledger);
        ledger.set_limits(Limits::of(base));
        let mut notices = toolset::add_builtins(
            base,
            &driver.asker.registry,
            Arc::new(base.memory()),
            Some(Arc::new(toolset::files(base))),
        );
        let kept = KeptLog::of(base, &driver.caller.session);
        let mut log: Box<dyn crate::driver::SessionLog> = Box::new(kept);
        if base.config.history.sessions == before.history.sessions {
            std::mem::swap(&mut log, &mut driver.records.log);
        }
        if let Some(apart) = &driver.environment.apart {
            apart.transactions.follow(base);
        }
        let setup = Setup {
            approver: Arc::clone(&driver.approver),
            session: driver.caller.session.clone(),
            log,
            registry: Arc::clone(&driver.asker.registry),
            offer_tools: self.offer_tools,
            commands: self.facts.commands,
            news: Arc::clone(&driver.calls.news),
            environment: driver.environment.clone(),
        };
        let mut next = Self::on(base, found, setup, ledger);
        next.driver.asker.learnt = std::mem::take(&mut driver.asker.learnt);
        next.driver.seen = std::mem::take(&mut driver.seen);
        if base.config.context.use_tool_role == before.context.use_tool_role {
            next.turn.set_tool_results(self.turn.tool_results());
        }
        let transcript = std::mem::replace(self.turn.transcript_mut(), Transcript::new(String::new()));
        *next.turn.transcript_mut() = transcript;
        next.turn.transcript_mut().set_system(system_prompt(&next.facts));
        next.attached = std::mem::take(&mut self.attached);
        next.sampling = self.sampling.take();
        notices.extend(std::mem::take(&mut next.notices).into_iter().filter(|notice| !self.told.contains(notice)));
        next.told.append(&mut self.told);
        *self = next;
        notices
    }

    /// Returns the models: those that there are, unless the configuration says something else of them now.
    pub async fn found_under(&self, base: &Base, before: &Config) -> ModelSet {
        let asker = &self.driver.asker;
        let named = Some(asker.model.clone()).filter(|name| !name.is_empty());
        let (now, before) = (&base.config, before);
        if (&now.model, &now.models, &now.router) == (&before.model, &before.models, &before.router) {
            let places = self.found_places.clone();
            return ModelSet { broker: asker.broker.clone(), default: named, notices: Vec::new(), places };
        }
        // Another default is meant for whoever did not choose a model of their own.
        let chosen = named.filter(|name| before.model.default.as_ref().is_some_and(|default| default != name));
        let found = find_models(base, chosen.as_deref()).await;
        if chosen.is_some() && found.default != chosen { find_models(base, None).await } else { found }
    }
}
