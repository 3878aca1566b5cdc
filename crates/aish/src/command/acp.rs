//! `aish acp`: an agent for editors over the Agent Client Protocol, on standard input and output.
//!
//! Each of an editor's sessions is a conversation with a bash, tools and a log of its own. What would be asked goes to the
//! editor; what is halted is never asked.

mod approver;
mod diff;
mod open_files;
mod replay;
mod session;
mod surface;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use aish_acp::{Client, Facts, History, Host, HostError, HostFuture, Listed, Opened, Prompt, Stop, Wanted, serve};
use climax::serve::on_signals;

use crate::arguments::SharedFlags;
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use approver::SessionMode;
use session::EditorSession;

/// Serves an editor until its input ends or a signal comes.
///
/// # Errors
/// When the connection fails.
pub async fn run(shared: &SharedFlags) -> Result<ExitCode, Failure> {
    let shutdown = on_signals()?;
    let host = Arc::new(Sessions { shared: shared.clone(), open: Mutex::default() });
    let facts = Facts { name: "aish".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), images: true };
    let served = serve(Arc::clone(&host) as Arc<dyn Host>, facts, tokio::io::stdin(), tokio::io::stdout());
    let ended = tokio::select! {
        ended = served => ended,
        () = shutdown.cancelled() => Ok(()),
    };
    let open: Vec<Arc<EditorSession>> = host.locked().drain().map(|(_, session)| session).collect();
    for session in open {
        session.end().await;
    }
    ended?;
    Ok(ExitCode::Ok)
}

/// The sessions of one editor.
struct Sessions {
    shared: SharedFlags,
    open: Mutex<HashMap<String, Arc<EditorSession>>>,
}

impl Sessions {
    fn locked(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<EditorSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self, id: &str) -> Result<Arc<EditorSession>, HostError> {
        self.locked().get(id).cloned().ok_or_else(|| HostError::NoSession(id.to_owned()))
    }

    /// Keeps a session under its id.
    fn keep(&self, session: EditorSession) -> Opened {
        let opened = Opened {
            id: session.id.clone(),
            mode: session.mode().id().to_owned(),
            modes: SessionMode::ALL.iter().map(|mode| mode.described()).collect(),
        };
        self.locked().insert(session.id.clone(), Arc::new(session));
        opened
    }
}

impl Host for Sessions {
    fn open<'a>(&'a self, wanted: Wanted, client: Client) -> HostFuture<'a, Opened> {
        Box::pin(async move { EditorSession::start(&self.shared, wanted, client, None).await.map(|it| self.keep(it)) })
    }

    fn resume<'a>(&'a self, id: &'a str, wanted: Wanted, client: Client, history: History) -> HostFuture<'a, Opened> {
        Box::pin(async move {
            let before = self.locked().remove(id);
            if let Some(before) = before {
                // Its log is held by it.
                before.end().await;
            }
            let session = EditorSession::start(&self.shared, wanted, client, Some((id, history))).await?;
            Ok(self.keep(session))
        })
    }

    fn list(&self, folder: Option<&Path>) -> Result<Vec<Listed>, HostError> {
        let base = Base::load(&self.shared);
        let sessions = base.sessions().map_err(|why| HostError::Failed(why.in_a_line()))?;
        let all = sessions.list().map_err(|error| HostError::Failed(crate::failure::chain(&error)))?;
        let of_folder = |kept: &str| folder.is_none_or(|folder| Path::new(kept) == folder);
        let listed = all.into_iter().filter(|summary| summary.turns > 0).filter_map(|summary| {
            let folder = summary.folder.filter(|kept| of_folder(kept))?;
            let used = jiff::Timestamp::from_millisecond(summary.modified_ms).ok().map(|time| time.to_string());
            let title = summary.title.or(summary.first_words);
            Some(Listed { id: summary.id.to_string(), folder: folder.into(), title, used })
        });
        Ok(listed.collect())
    }

    fn begin(&self, id: &str) {
        if let Ok(session) = self.session(id) {
            session.begin();
        }
    }

    fn prompt<'a>(&'a self, id: &'a str, prompt: Prompt) -> HostFuture<'a, Stop> {
        Box::pin(async move { self.session(id)?.play(prompt).await })
    }

    fn cancel(&self, id: &str) {
        if let Ok(session) = self.session(id) {
            session.cancel();
        }
    }

    fn set_mode(&self, id: &str, mode: &str) -> Result<(), HostError> {
        let mode = SessionMode::of(mode).ok_or_else(|| HostError::Unusable(format!("there is no mode {mode:?}")))?;
        self.session(id)?.set_mode(mode);
        Ok(())
    }

    fn close<'a>(&'a self, id: &'a str) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let session = self.session(id)?;
            self.locked().remove(id);
            session.end().await;
            Ok(())
        })
    }
}
