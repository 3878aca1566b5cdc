//! `--watch`: configs are read again when they change.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use climax::load::Source;
use climax::schema::Flags;
use climax::service::Service;
use tokio::time::MissedTickBehavior;

use super::configs::{self, Selection};
use super::last_good::LastGood;
use super::output;
use super::watched::Watched;

/// How often notices are taken. A change is read after a turn without another one: an editor writes in several steps.
const TURN: Duration = Duration::from_millis(200);

/// What is watched, and how it is read again.
pub(super) struct Watch {
    /// Names and paths as they were given: a folder may have new files by then.
    pub(super) names: Vec<String>,
    /// Configs and policy by option.
    pub(super) selection: Selection,
    /// How schemas are made.
    pub(super) flags: Flags,
    /// What the files were when they could last be read whole.
    pub(super) last: LastGood,
}

impl Watch {
    /// Watches until the runtime ends.
    ///
    /// # Errors
    /// When the files cannot be watched.
    pub(super) fn start(self, sources: &[Source], service: Arc<Service>) -> io::Result<()> {
        let watched = Watched::new(sources, &self.selection)?;
        tokio::spawn(self.follow(watched, service));
        Ok(())
    }

    async fn follow(mut self, mut watched: Watched, service: Arc<Service>) {
        let mut turns = tokio::time::interval(TURN);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut waiting = false;
        loop {
            turns.tick().await;
            match watched.take() {
                Ok(true) => waiting = true,
                Ok(false) if std::mem::take(&mut waiting) => self.reload(&service),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "the configs are no longer watched");
                    return;
                }
            }
        }
    }

    /// Reads everything again. A file that is broken keeps the tools that it had, and one that is there no longer has none;
    /// a policy that cannot be read leaves everything as it is.
    fn reload(&mut self, service: &Service) {
        let sources = self.found();
        match configs::tools_since(&sources, &self.selection, self.flags, &mut self.last) {
            // Servers stay those that they were at the start.
            Some(tools) => service.replace(tools.catalogue),
            None => tracing::warn!("the configs have changed and cannot be read; the tools stay as they were"),
        }
    }
}

impl Watch {
    /// Finds the files that are there now.
    fn found(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        for name in &self.names {
            match Source::find(name) {
                Ok(found) => sources.extend(found),
                Err(error) => output::tell(&format!("warning: {error}; its tools are gone")),
            }
        }
        let named = self.selection.config.iter().filter(|path| path.exists()).cloned();
        sources.extend(named.map(Source::File));
        sources
    }
}
