//! The official conformance suite, and where the packages are that it and its neighbours need.
//!
//! They need packages that `./test` installs; without them these tests say so and count as skipped.

use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aish_testkit::ports;

pub(crate) fn skip(what: &str) {
    if let Some(file) = std::env::var_os("AISH_TEST_SKIPPED")
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(file)
    {
        let _ = writeln!(file, "aish-mcp external: {what} is not installed (see ./test)");
    }
}

/// A file of the npm packages, where it is installed.
pub(crate) fn node_file(path: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("AISH_TEST_NODE")?);
    let folder = if folder.ends_with("node_modules") { folder } else { folder.join("node_modules") };
    let file = folder.join(path);
    file.exists().then_some(file)
}

/// A program of the PyPI packages, where it is installed.
pub(crate) fn python_program(name: &str) -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("AISH_TEST_PYTHON")?);
    let file = python.with_file_name(name);
    file.exists().then_some(file)
}

pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join("examples").join(name)
}

pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts our conformance server on a free port.
pub(crate) fn conformance_server() -> (Running, String) {
    let port = ports::unused().unwrap();
    let child = Command::new(example("conformance_server")).arg(port.to_string()).stdout(Stdio::null()).spawn();
    let running = Running(child.unwrap());
    for _ in 0..500 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return (running, format!("http://127.0.0.1:{port}/mcp"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the server did not start");
}

/// The scenarios that a revision requires of a role.
fn required(package: &Path, revision: &str, role: &str) -> Vec<String> {
    let text = std::fs::read_to_string(package.join(format!("requirements/{revision}.yaml"))).unwrap();
    let section = text.split(&format!("\n{role}:\n")).nth(1).unwrap();
    section.lines().map_while(|line| line.strip_prefix("  - ")).map(str::to_owned).collect()
}

/// Runs the suite and returns which required scenarios did not pass, and how many are required.
fn conformance(role: &str, revision: &str, arguments: &[&str]) -> Option<(Vec<String>, usize)> {
    let suite = node_file("@modelcontextprotocol/conformance/dist/index.js");
    let (Some(suite), Some(node)) = (suite, node_file("node/bin/node")) else {
        skip("@modelcontextprotocol/conformance");
        return None;
    };
    let package = suite.parent().and_then(Path::parent).unwrap();
    let wanted = required(package, revision, role);
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(node);
    command.arg(&suite).arg(role).args(arguments).args(["--requirements", revision]).current_dir(folder.path());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let passed = |name: &String| text.contains(&format!("✓ {name}:")) && !text.contains(&format!("✗ {name}:"));
    let missing: Vec<String> = wanted.iter().filter(|name| !passed(name)).cloned().collect();
    Some((missing, wanted.len()))
}

#[test]
fn the_server_passes_the_official_suite() {
    for (revision, count) in [("2025-11-25", 30), ("2026-07-28", 37)] {
        let (_running, url) = conformance_server();
        let Some((missing, wanted)) = conformance("server", revision, &["--url", &url]) else { return };
        assert_eq!((missing, wanted), (Vec::new(), count), "{revision}");
    }
}

#[test]
fn the_client_passes_the_official_suite() {
    let client = example("conformance_client");
    for (revision, count) in [("2025-11-25", 18), ("2026-07-28", 32)] {
        let Some((missing, wanted)) = conformance("client", revision, &["--command", client.to_str().unwrap()]) else {
            return;
        };
        assert_eq!((missing, wanted), (Vec::new(), count), "{revision}");
    }
}
