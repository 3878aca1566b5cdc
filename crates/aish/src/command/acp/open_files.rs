//! Files as an editor has them open.

use std::path::PathBuf;

use aish_acp::Client;
use aish_tools::builtin::Editor;
use aish_types::BoxFuture;

/// The files of one of an editor's sessions.
pub(super) struct OpenFiles(pub(super) Client);

impl Editor for OpenFiles {
    fn read(&self, path: PathBuf) -> BoxFuture<'_, Option<String>> {
        Box::pin(self.0.read_file(path))
    }

    fn write(&self, path: PathBuf, text: String) -> BoxFuture<'_, bool> {
        Box::pin(self.0.write_file(path, text))
    }
}
