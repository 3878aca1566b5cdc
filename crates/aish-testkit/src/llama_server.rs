//! A real llama.cpp server with a small model, for as long as a test runs.
//!
//! It needs `AISH_TEST_PYTHON` (a Python with xllamacpp) and `AISH_TEST_GGUF`, which `./test` sets.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

/// The running server; it ends with this value.
#[derive(Debug)]
pub struct LlamaServer {
    child: Child,
    url: String,
}

impl LlamaServer {
    /// Starts a server with a context of so many tokens, and a Jinja template in place of the model's own; none, with a
    /// line for `./test`, where the parts for it are missing.
    ///
    /// # Panics
    /// When the parts are there and the server does not start.
    pub fn start(package: &str, test: &str, context: u32, template: Option<&str>) -> Option<Self> {
        let (Some(python), Some(model)) = (std::env::var_os("AISH_TEST_PYTHON"), std::env::var_os("AISH_TEST_GGUF"))
        else {
            skip(package, test, "AISH_TEST_PYTHON and AISH_TEST_GGUF are not set; ./test sets them");
            return None;
        };
        let found = Command::new(&python).args(["-c", "import xllamacpp"]).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            skip(package, test, "the Python of AISH_TEST_PYTHON has no xllamacpp");
            return None;
        }
        let mut child = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/src/llama_server.py"))
            .arg(model)
            .arg(context.to_string())
            .args(template)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut url = String::new();
        if let Some(stdout) = child.stdout.take() {
            drop(BufReader::new(stdout).read_line(&mut url));
        }
        assert!(url.starts_with("http://"), "the server did not start: {url:?}");
        Some(Self { child, url: url.trim().to_owned() })
    }

    /// Returns the server's address.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        // It ends by itself at the end of its stdin; killing makes sure.
        drop(self.child.stdin.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn skip(package: &str, test: &str, reason: &str) {
    drop(writeln!(std::io::stderr(), "skipped: {test}: {reason}"));
    let file = std::env::var_os("AISH_TEST_SKIPPED")
        .and_then(|file| std::fs::File::options().append(true).create(true).open(file).ok());
    if let Some(mut file) = file {
        drop(writeln!(file, "{package} {test}: {reason}"));
    }
}
