//! A key from a command: a password manager that prints it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use aish_llm::{KeyCommand, KeyCommandError};
use aish_types::Secret;

/// How long the command may take; a password manager may ask a person first.
const WAIT: Duration = Duration::from_secs(120);
/// The longest key, in bytes.
const LONGEST: usize = 16 * 1024;

/// Makes what runs a command line in `sh` and takes the first line that it prints.
pub fn of(command: &str) -> KeyCommand {
    let command = command.to_owned();
    KeyCommand::new(move || run(&command, WAIT))
}

fn run(command: &str, wait: Duration) -> Result<Secret, KeyCommandError> {
    let shell = Command::new("sh").arg("-c").arg(command).stdin(Stdio::inherit()).stdout(Stdio::piped()).spawn();
    let mut child = shell.map_err(KeyCommandError::Start)?;
    let Some(mut out) = child.stdout.take() else { return Err(KeyCommandError::NoOutput) };
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::Read::read_to_end(&mut std::io::Read::take(&mut out, LONGEST as u64 + 1), &mut bytes);
        read.map(|_| bytes)
    });
    let until = Instant::now() + wait;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => {
                // It is gone already, or it goes now.
                drop(child.kill());
                drop(child.wait());
                return Err(KeyCommandError::Late(wait));
            }
        }
    };
    let bytes = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let key = text.lines().next().unwrap_or_default().trim();
    match (status.success(), key.len()) {
        (false, _) => Err(KeyCommandError::Failed(status)),
        (true, 0) => Err(KeyCommandError::Empty),
        (true, LONGEST..) => Err(KeyCommandError::TooLong),
        (true, _) => Ok(Secret::new(key.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_key_and_failures_are_said_without_it() {
        let long = Duration::from_secs(60);
        assert_eq!(run("printf 'sk-1 \\nuser: me\\n'", long).unwrap().expose(), "sk-1");
        for (command, why) in [
            ("echo sk-2; exit 3", "failed (exit status: 3)"),
            ("true", "printed nothing"),
            ("/nonexistent/pass", "failed"),
            ("yes", "failed"),
        ] {
            let error = run(command, long).err().unwrap().to_string();
            assert!(error.contains(why) && !error.contains("sk-2"), "{command}: {error}");
        }
        let late = run("sleep 60", Duration::from_millis(50)).err().unwrap();
        assert!(matches!(late, KeyCommandError::Late(_)), "{late}");
    }
}
