//! Signals to processes, with the shell's own `kill`: no package has to be there for it.

use std::process::Command;

/// Sends a signal (`TERM`, `KILL`) to a process.
///
/// # Panics
/// When there is no such process.
pub fn send_signal(name: &str, process: u32) {
    let script = r#"kill -s "$1" "$2""#;
    let sent = Command::new("sh").args(["-c", script, "sh", name, &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "SIG{name} reaches process {process}");
}
