//! Bubblewrap: the whole file system read-only, some folders not; processes, network and run-time folders out of sight.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Bounds, SandboxError, is_below, real};

/// How long the probe may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Runs bubblewrap once with everything that is asked of it.
pub(super) fn probe() -> Result<(), SandboxError> {
    let fail = |why: String| SandboxError::Bubblewrap(why);
    let words = words(&Bounds { writable: vec![std::env::temp_dir()], ..Bounds::default() });
    let Some((program, rest)) = words.split_first() else { return Err(fail("no words".to_owned())) };
    let mut child = Command::new(program)
        .args(rest)
        .arg("true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| fail(error.to_string()))?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => break,
            Ok(None) if started.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(fail("it gave no answer".to_owned()));
            }
        }
    }
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = stderr.read_to_string(&mut said);
    }
    Err(fail(said.lines().next().unwrap_or("it failed").to_owned()))
}

/// Returns the words that stand before the program.
pub(super) fn words(bounds: &Bounds) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut add = |word: &str, paths: &[&Path]| {
        words.push(word.into());
        words.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    };
    let root = Path::new("/");
    add("bwrap", &[]);
    add("--ro-bind", &[root, root]);
    add("--dev", &[Path::new("/dev")]);
    add("--proc", &[Path::new("/proc")]);
    // Other programs listen there, and what they do for us is not bounded: services, agents, containers.
    if !bounds.network && Path::new("/run").is_dir() {
        add("--tmpfs", &[Path::new("/run")]);
    }
    let writable = real(&bounds.writable);
    for folder in &writable {
        add("--bind", &[folder, folder]);
    }
    for hidden in hidden(&writable, bounds.exchange.as_deref()) {
        add("--tmpfs", &[&hidden]);
    }
    for path in real(&bounds.protected).iter().filter(|path| writable.iter().any(|folder| is_below(path, folder))) {
        add("--ro-bind", &[path, path]);
    }
    if let Some(exchange) = &bounds.exchange {
        add("--bind", &[exchange, exchange]);
    }
    if !bounds.network {
        add("--unshare-net", &[]);
    }
    if let Ok(folder) = std::env::current_dir() {
        add("--chdir", &[&folder]);
    }
    for word in ["--unshare-pid", "--unshare-ipc", "--die-with-parent"] {
        add(word, &[]);
    }
    words.extend(["--cap-drop", "ALL", "--"].map(OsString::from));
    words
}

/// Folders in those that may be written through which another program takes orders: live shells, the screen.
fn hidden(writable: &[PathBuf], exchange: Option<&Path>) -> Vec<PathBuf> {
    let mut hidden = Vec::new();
    for folder in writable.iter().chain(std::iter::once(&PathBuf::from("/run/user"))) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = entry.path();
            let takes_orders = name.starts_with("aish-shell-") || name.starts_with("tmux-") || name == ".X11-unix";
            if takes_orders
                && path.is_dir()
                && Some(path.as_path()) != exchange
                && writable.iter().any(|folder| is_below(&path, folder))
            {
                hidden.push(path);
            }
        }
    }
    hidden
}
