//! The private folder through which commands go to the shell and reports come back.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;

use crate::options::Rc;
use crate::snapshot::Snapshot;

/// The hook, with places for the nonce and the folder.
const HOOK: &str = include_str!("hook.bash");

/// A private folder with the hook, a script and two FIFOs; it goes away with this value.
#[derive(Debug)]
pub(crate) struct Exchange {
    folder: TempDir,
    nonce: String,
    commands: pipe::Sender,
    reports: pipe::Receiver,
    /// What was read of a report that is not whole yet.
    partial: Vec<u8>,
}

impl Exchange {
    /// Makes the folder, in the first place that can be written.
    pub(crate) fn create(nonce: String, rc: &Rc) -> io::Result<Self> {
        let folder = private_folder()?;
        let (commands, reports) = (folder.path().join("in"), folder.path().join("out"));
        let mode = Mode::RUSR | Mode::WUSR;
        mkfifoat(CWD, &commands, mode)?;
        mkfifoat(CWD, &reports, mode)?;
        let quoted = folder.path().to_string_lossy().replace('\'', r"'\''");
        std::fs::write(
            folder.path().join("__aish_hook"),
            HOOK.replace("@NONCE@", &nonce).replace("@FOLDER@", &quoted),
        )?;
        std::fs::write(folder.path().join("rc"), start_up(&quoted, rc))?;
        std::fs::write(folder.path().join("names"), Snapshot::SCRIPT)?;
        // Both ends are open here, so that neither side ever waits for the other to open its own.
        let commands = pipe::OpenOptions::new().read_write(true).open_sender(&commands)?;
        let reports = pipe::OpenOptions::new().read_write(true).open_receiver(&reports)?;
        Ok(Self { folder, nonce, commands, reports, partial: Vec::new() })
    }

    /// The private folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file that the shell reads at its start.
    pub(crate) fn rc(&self) -> PathBuf {
        self.folder.path().join("rc")
    }

    /// A line that, typed into the shell, puts the hook back; `*__aish_*` keeps it out of the shell's history.
    pub(crate) fn rearm_line(&self) -> String {
        format!(". '{}/__aish_hook'\n", self.folder.path().to_string_lossy().replace('\'', r"'\''"))
    }

    /// Sends a command or a query under a number; the text may hold no NUL.
    pub(crate) async fn send(&mut self, kind: &str, number: u64, text: &str) -> io::Result<()> {
        let message = format!("{kind}\0{number}\0{text}\0");
        self.commands.write_all(message.as_bytes()).await
    }

    /// Reads the next report or answer, without the nonce that ends it. Cancel-safe.
    pub(crate) async fn receive(&mut self) -> io::Result<Vec<u8>> {
        let end = format!("\0{}\0", self.nonce).into_bytes();
        loop {
            if let Some(at) = find(&self.partial, &end) {
                let rest = self.partial.split_off(at + end.len());
                let mut report = std::mem::replace(&mut self.partial, rest);
                report.truncate(at);
                return Ok(report);
            }
            self.reports.read_buf(&mut self.partial).await?;
        }
    }

    /// Forgets what nobody asked for any more.
    pub(crate) fn clear(&mut self) {
        self.partial.clear();
        let mut buffer = [0; 4096];
        while matches!(self.reports.try_read(&mut buffer), Ok(1..)) {}
    }
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|window| window == pattern)
}

/// Makes a folder that only we can enter: in the runtime folder, in memory, or else in the temporary folder, which a
/// shell in a sandbox may write to.
fn private_folder() -> io::Result<TempDir> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let places = runtime.into_iter().chain(["/dev/shm".into(), std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()]);
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for place in places.filter(|place| place.is_absolute()) {
        let permissions = std::fs::Permissions::from_mode(0o700);
        match tempfile::Builder::new().prefix("aish-shell-").permissions(permissions).tempdir_in(place) {
            Ok(folder) => return Ok(folder),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The text of the shell's start-up file: the user's own, then the hook. `bind` only warns in a shell without line
/// editing, and half of all rc files call it.
fn start_up(folder: &str, rc: &Rc) -> String {
    let user = match rc {
        Rc::User => Some("~/.bashrc".to_owned()),
        Rc::File(path) => Some(quote(path)),
        Rc::Skip => None,
    };
    let source =
        user.map(|file| format!("bind() {{ return 0; }}\nif [[ -r {file} ]]; then . {file}; fi\nunset -f bind\n"));
    format!("{}. '{folder}/__aish_hook'\n", source.unwrap_or_default())
}

fn quote(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reports_are_told_apart() {
        let mut exchange = Exchange::create("n1".into(), &Rc::Skip).unwrap();
        let mut end = std::fs::OpenOptions::new().write(true).open(exchange.folder.path().join("out")).unwrap();
        std::io::Write::write_all(&mut end, b"a\0b\0\0n1\0rest\0n1").unwrap();
        assert_eq!(exchange.receive().await.unwrap(), b"a\0b\0");
        std::io::Write::write_all(&mut end, b"\0").unwrap();
        assert_eq!(exchange.receive().await.unwrap(), b"rest");
        let folder = exchange.folder.path().to_owned();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        drop(exchange);
        assert!(!folder.exists());
    }
    /// A shell whose owner was killed gets no signal where it was just about to open a FIFO: it must not wait there.
    #[tokio::test]
    async fn a_shell_that_nobody_is_left_to_speak_to_ends() {
        let exchange = Exchange::create("n1".into(), &Rc::Skip).unwrap();
        for name in ["in", "out"] {
            let path = exchange.folder.path().join(name);
            std::fs::remove_file(&path).unwrap();
            mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        }
        let mut shell = std::process::Command::new("setsid");
        shell.args(["bash", "--noediting", "--rcfile"]).arg(exchange.rc()).arg("-i");
        let null = std::process::Stdio::null;
        let mut shell = shell.stdin(null()).stdout(null()).stderr(null()).spawn().unwrap();
        let ended = async {
            while shell.try_wait().unwrap().is_none() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let ended = tokio::time::timeout(std::time::Duration::from_secs(60), ended).await;
        shell.kill().unwrap();
        assert!(ended.is_ok(), "it waits for the other end");
    }
}
