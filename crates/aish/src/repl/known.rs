//! What the live shell knows by name, for routing and for judging.

use std::sync::{Arc, Mutex, PoisonError};

use aish_safety::Surroundings;
use aish_shell::Snapshot;

use super::Repl;
use crate::base::Base;
use crate::live::Live;
use crate::names::PathNames;

/// What the shell knows by name, kept fresh after each command.
pub type Known = Arc<Mutex<Snapshot>>;

impl Repl {
    /// Asks the live shell for its names while the next prompt is drawn and the person types.
    pub(super) fn refresh_names(&mut self) {
        let (live, known) = (Arc::clone(&self.live), Arc::clone(&self.known));
        self.refreshing = Some(tokio::spawn(async move {
            if let Some(snapshot) = live.snapshot().await {
                *known.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
            }
        }));
    }

    /// Waits for the names that were asked for last.
    pub(super) async fn names_are_fresh(&mut self) {
        if let Some(task) = self.refreshing.take() {
            let _ = task.await;
        }
    }

    /// Returns the names that lines are routed by.
    pub fn names(&self) -> PathNames {
        names(&self.known, &self.base)
    }
}

/// Returns what reads the surroundings of a command: the live shell's folder and aliases.
pub(super) fn surroundings(
    base: &Base,
    live: &Arc<Live>,
    known: &Known,
) -> Arc<dyn Fn() -> Surroundings + Send + Sync> {
    let fixed = base.surroundings();
    let (live, known) = (Arc::clone(live), Arc::clone(known));
    Arc::new(move || {
        let snapshot = known.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = live.remembered().folder.map(|folder| folder.display().to_string());
        Surroundings {
            folder: folder.or_else(|| fixed.folder.clone()),
            aliases: snapshot.aliases.clone(),
            ..fixed.clone()
        }
    })
}

/// Returns the names of a snapshot, over the programs of its PATH.
fn names(known: &Known, base: &Base) -> PathNames {
    let snapshot = known.lock().unwrap_or_else(PoisonError::into_inner);
    let path = snapshot.environment.get("PATH").cloned().or_else(|| base.variable("PATH")).unwrap_or_default();
    let folder = if snapshot.cwd.as_os_str().is_empty() { base.folder.clone() } else { snapshot.cwd.clone() };
    let own = snapshot.aliases.keys().chain(&snapshot.functions).chain(&snapshot.builtins).cloned();
    PathNames::new(&path, &folder).with_shell_names(own)
}
