//! `scripts/fetch_pip.py`: pip from an index, where Python has none. The index here is Python's own web server.

use std::path::Path;
use std::process::{Command, Output};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/fetch_pip.py");

/// Serves a folder with an index page, runs the script against it in a virtual environment without pip, and returns what it said.
const DRIVER: &str = r#"
import functools, http.server, os, subprocess, sys, threading, venv
folder, script = sys.argv[1:3]
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
home = os.path.join(folder, "venv")
venv.create(home, with_pip=False)
environment = {"PATH": os.environ["PATH"], "HOME": folder, "PIP_CONFIG_FILE": os.devnull}
environment["PIP_INDEX_URL"] = "http://127.0.0.1:%d/simple" % server.server_port
sys.exit(subprocess.run([os.path.join(home, "bin", "python"), script, home], env=environment).returncode)
"#;

fn run(folder: &Path) -> Output {
    Command::new("python3").args(["-c", DRIVER, folder.to_str().unwrap(), SCRIPT]).output().unwrap()
}

fn index(folder: &Path, page: &str) {
    std::fs::create_dir_all(folder.join("simple/pip")).unwrap();
    std::fs::write(folder.join("simple/pip/index.html"), page).unwrap();
}

#[test]
fn a_wheel_that_is_not_what_the_index_says_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pip-9.9-py3-none-any.whl"), "no wheel").unwrap();
    let wrong = "0".repeat(64);
    index(folder.path(), &format!("<a href=\"/pip-9.9-py3-none-any.whl#sha256={wrong}\">pip</a>"));
    let output = run(folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("its SHA-256 differs"), "{said}");
}

#[test]
fn an_index_without_a_wheel_that_fits_is_told() {
    let folder = tempfile::tempdir().unwrap();
    // Taken back, for a newer Python, and no release.
    index(
        folder.path(),
        "<a href=\"/pip-9.9-py3-none-any.whl\" data-yanked=\"\">a</a>\
         <a href=\"/pip-9.8-py3-none-any.whl\" data-requires-python=\"&gt;=9.0\">b</a>\
         <a href=\"/pip-9.7b1-py3-none-any.whl\">c</a><a href=\"/pip-9.6.tar.gz\">d</a>",
    );
    let output = run(folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("has no pip for Python"), "{said}");
}
