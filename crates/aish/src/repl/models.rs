//! The models of the shell. A server that is slow to say what it has does not hold up the first prompt: then the search
//! is made again, to its end, before the first line that a model may be needed for.

use std::time::Duration;

use super::Repl;
use super::first_start::answers;
use crate::base::Base;
use crate::config::section::Config;
use crate::models::{Collector, ModelSet};
use crate::search::find_models;

/// How long the first prompt waits for the search. A server on this machine answers within a few milliseconds.
const FIRST_PROMPT: Duration = Duration::from_millis(50);

/// The search that the first prompt did not wait for.
pub(super) struct PendingSearch {
    wanted: Option<String>,
}

/// Finds the models, or none yet.
pub(super) async fn find(base: &Base, wanted: Option<&str>) -> (ModelSet, Option<PendingSearch>) {
    match tokio::time::timeout(FIRST_PROMPT, find_models(base, wanted)).await {
        Ok(found) => (found, None),
        Err(_) => {
            let mut none = Collector::default().finish(&base.config, None);
            none.notices.clear();
            (none, Some(PendingSearch { wanted: wanted.map(str::to_owned) }))
        }
    }
}

impl Repl {
    /// Makes the search that the first prompt did not wait for.
    pub(super) async fn models_are_known(&mut self) {
        let Some(looking) = self.starting.looking.take() else { return };
        let found = find_models(&self.base, looking.wanted.as_deref()).await;
        let config = self.base.config.clone();
        self.go_on_with(found, &config);
    }

    /// Looks again as long as nobody answers: a server may have been started since, or a model fetched.
    pub async fn look_for_models(&mut self) {
        self.models_are_known().await;
        if !self.conversation.found_places.is_empty() {
            return;
        }
        let found = find_models(&self.base, None).await;
        let Some(answers) = found.default.as_ref().and_then(|name| found.places.get(name)).map(answers) else {
            // What keeps a model from answering can have come since the start, and is told once.
            let told = &mut self.conversation.told;
            let new: Vec<_> = found.notices.into_iter().filter(|notice| told.insert(notice.clone())).collect();
            return new.iter().for_each(|notice| self.say(notice));
        };
        let config = self.base.config.clone();
        self.go_on_with(found, &config);
        self.say(&answers);
    }

    /// Goes on with these models under the configuration of now; `before` is the one until now.
    pub fn go_on_with(&mut self, found: ModelSet, before: &Config) {
        self.names.vocabulary.set_models(found.places.keys().cloned());
        let notices = self.conversation.under(found, &self.base, before);
        notices.iter().for_each(|notice| self.say(notice));
        if let Some(sampling) = self.conversation.sampling.take() {
            self.conversation.open_sampling(&self.base, sampling);
        }
    }
}
