//! A text that a meta command shows whole: printed, in `$PAGER`, or in a file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::repl::Repl;

/// Shows a text as the words behind a command say: nothing, `page` or `save FILE`.
pub(super) fn show(repl: &mut Repl, text: &str, command: &str, rest: &str) {
    match rest.split_once(char::is_whitespace).unwrap_or((rest, "")) {
        ("", _) => repl.print(text.trim_end_matches('\n')),
        ("page", _) => page(repl, text),
        ("save", file) => save(repl, text, command, file.trim()),
        _ => repl.complain(&format!("{command} takes `page`, `save FILE`, or nothing")),
    }
}

/// Writes a text into a new file.
pub(super) fn save(repl: &mut Repl, text: &str, command: &str, file: &str) {
    if file.is_empty() {
        return repl.complain(&format!("{command} save takes the name of a file"));
    }
    let path = Path::new(&repl.folder()).join(file);
    let made = OpenOptions::new().write(true).create_new(true).open(&path);
    match made.and_then(|mut made| made.write_all(text.as_bytes())) {
        Ok(()) => repl.say(&format!("saved in {}", path.display())),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            repl.complain(&format!("{} is there already and stays as it is; give another name", path.display()));
        }
        Err(error) => repl.complain(&format!("{} cannot be written: {error}", path.display())),
    }
}

/// Shows a text in `$PAGER`; where there is none it is printed.
pub(super) fn page(repl: &Repl, text: &str) {
    let pager = repl.variable("PAGER").filter(|pager| !pager.is_empty()).unwrap_or_else(|| "less -R".to_owned());
    let started = Command::new("sh").args(["-c", &pager]).stdin(Stdio::piped()).spawn();
    match started {
        Ok(mut child) => {
            if let Some(mut input) = child.stdin.take() {
                // A pager that is left early closes its end.
                let _ = input.write_all(aish_types::sanitize(text).as_bytes());
            }
            let _ = child.wait();
        }
        Err(_) => repl.print(text),
    }
}
