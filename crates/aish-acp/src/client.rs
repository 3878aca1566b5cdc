//! One session's way to the editor.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    FileSystemCapabilities, ReadTextFileRequest, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
    SessionNotification, WriteTextFileRequest,
};

use crate::update::{Choice, Permission, Update};

/// The editor, for one session.
#[derive(Clone)]
pub struct Client {
    connection: ConnectionTo<agent_client_protocol::Client>,
    /// Known once the session is.
    session: Arc<OnceLock<SessionId>>,
    /// What the editor does with files for us.
    files: FileSystemCapabilities,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("session", &self.session.get())
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(connection: ConnectionTo<agent_client_protocol::Client>, files: FileSystemCapabilities) -> Self {
        Self { connection, session: Arc::default(), files }
    }

    /// Says which session it is for; what is shown before that is lost. A second id changes nothing.
    pub fn is_for(&self, session: &str) {
        let _ = self.session.set(SessionId::new(session));
    }

    /// Shows something. An editor that is gone is shown nothing.
    pub fn show(&self, update: Update) {
        let Some(session) = self.session.get() else { return };
        let _ = self.connection.send_notification(SessionNotification::new(session.clone(), update.into_protocol()));
    }

    /// Asks the person at the editor. Ends with the connection at the latest.
    pub async fn ask(&self, permission: Permission) -> Choice {
        let Some(session) = self.session.get() else { return Choice::Nobody };
        let (call, options) = (permission.call_of_protocol(), permission.options_of_protocol());
        let request = RequestPermissionRequest::new(session.clone(), call, options);
        match self.connection.send_request(request).block_task().await {
            Ok(response) => match response.outcome {
                RequestPermissionOutcome::Selected(selected) => Choice::Reply(permission.reply(&selected.option_id.0)),
                RequestPermissionOutcome::Cancelled => Choice::Cancelled,
                _ => Choice::Nobody,
            },
            Err(_) => Choice::Nobody,
        }
    }

    /// Returns a file's text as the editor has it, saved or not; none where it does not tell. The path is absolute.
    pub async fn read_file(&self, path: PathBuf) -> Option<String> {
        let session = self.session.get().filter(|_| self.files.read_text_file)?;
        let request = ReadTextFileRequest::new(session.clone(), path);
        self.connection.send_request(request).block_task().await.ok().map(|response| response.content)
    }

    /// Lets the editor write a file whole, and says whether it says that it did. The path is absolute.
    pub async fn write_file(&self, path: PathBuf, text: String) -> bool {
        let Some(session) = self.session.get().filter(|_| self.files.write_text_file) else { return false };
        let request = WriteTextFileRequest::new(session.clone(), path, text);
        self.connection.send_request(request).block_task().await.is_ok()
    }
}
