//! `--watch`: configs are read again when they change.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use climax::load::Source;
use climax::schema::Flags;
use climax::service::Service;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::configs::{self, Selection};

/// How long files must be quiet before they are read: an editor writes in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// What is watched, and how it is read again.
pub(super) struct Watch {
    /// Names and paths as they were given: a folder may have new files by then.
    pub(super) names: Vec<String>,
    /// Configs and policy by option.
    pub(super) selection: Selection,
    /// How schemas are made.
    pub(super) flags: Flags,
}

impl Watch {
    /// Watches until the runtime ends. The watcher lives as long as its task.
    ///
    /// # Errors
    /// When the files cannot be watched.
    pub(super) fn start(self, sources: &[Source], service: Arc<Service>) -> notify::Result<()> {
        let (tell, changes) = mpsc::unbounded_channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                // The task is gone only when the program ends.
                let _ = tell.send(());
            }
        })?;
        for folder in self.folders(sources) {
            watcher.watch(&folder, RecursiveMode::NonRecursive)?;
        }
        tokio::spawn(self.follow(watcher, changes, service));
        Ok(())
    }

    /// Folders are watched, not files: an editor puts a new file in the place of the old one.
    fn folders(&self, sources: &[Source]) -> Vec<PathBuf> {
        let files = sources.iter().filter_map(|source| match source {
            Source::File(path) => Some(path.as_path()),
            Source::Bundled(_) => None,
        });
        let parent = |path: &Path| match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            Some(_) | None => PathBuf::from("."),
        };
        let mut folders: Vec<PathBuf> = files.chain(self.selection.policy.as_deref()).map(parent).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    async fn follow(
        self,
        watcher: RecommendedWatcher,
        mut changes: mpsc::UnboundedReceiver<()>,
        service: Arc<Service>,
    ) {
        while changes.recv().await.is_some() {
            while tokio::time::timeout(QUIET, changes.recv()).await.is_ok_and(|change| change.is_some()) {}
            self.reload(&service);
        }
        drop(watcher);
    }

    /// Reads everything again; what cannot be read leaves the present tools as they are.
    fn reload(&self, service: &Service) {
        let sources = configs::sources(&self.names, &self.selection, configs::OrAll::Nothing);
        let catalogue = sources.and_then(|sources| configs::catalogue(&sources, &self.selection, self.flags));
        match catalogue {
            Some(catalogue) => service.replace(catalogue),
            None => tracing::warn!("the configs have changed and cannot be read; the tools stay as they were"),
        }
    }
}
