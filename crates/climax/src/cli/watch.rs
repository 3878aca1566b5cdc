//! `--watch`: configs are read again when they change.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use climax::load::Source;
use climax::schema::Flags;
use climax::service::Service;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use tokio::time::MissedTickBehavior;

use super::configs::{self, Selection};
use super::last_good::LastGood;
use super::output;

/// How often notices are taken. A change is read after a turn without another one: an editor writes in several steps.
const TURN: Duration = Duration::from_millis(200);
/// Bytes of notices that are taken at once; what they say does not matter, only that they came.
const NOTICES: usize = 4096;

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
        let notices = notices(&folders(sources, &self.selection))?;
        tokio::spawn(self.follow(notices, service));
        Ok(())
    }

    async fn follow(mut self, notices: OwnedFd, service: Arc<Service>) {
        let mut turns = tokio::time::interval(TURN);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut waiting = false;
        loop {
            turns.tick().await;
            match take_notices(&notices) {
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

/// Returns the folders of configs and policy: folders are watched, not files, since an editor puts a new file in the place of the
/// old one.
pub(super) fn folders(sources: &[Source], selection: &Selection) -> Vec<PathBuf> {
    let files = sources.iter().filter_map(|source| match source {
        Source::File(path) => Some(path.as_path()),
        Source::Bundled(_) => None,
    });
    let parent = |path: &Path| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        Some(_) | None => PathBuf::from("."),
    };
    let mut folders: Vec<PathBuf> = files.chain(selection.policy.as_deref()).map(parent).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Watches folders.
///
/// # Errors
/// When one cannot be watched.
pub(super) fn notices(folders: &[PathBuf]) -> io::Result<OwnedFd> {
    let notices = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    let changes = WatchFlags::CREATE
        | WatchFlags::MODIFY
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE;
    for folder in folders {
        inotify::add_watch(&notices, folder, changes)?;
    }
    Ok(notices)
}

/// Takes all notices that are there; says whether there were any.
pub(super) fn take_notices(notices: &OwnedFd) -> io::Result<bool> {
    let mut room = [0_u8; NOTICES];
    let mut any = false;
    loop {
        match rustix::io::read(notices, &mut room) {
            Ok(0) | Err(Errno::WOULDBLOCK) => return Ok(any),
            Ok(_) => any = true,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
