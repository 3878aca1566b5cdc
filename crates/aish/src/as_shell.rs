//! Being called as a shell is: `-l`, `-i`, `-lc COMMAND`, a script, a `#!` line, commands on standard input.
//!
//! What nobody types in is bash's: it is run in aish's place, with the same arguments. A login shell reads the profile
//! files first, so that aish has their environment.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use clap::Subcommand as _;

use crate::arguments::SharedFlags;
use crate::base::Base;

/// Short options of bash that no option of ours has the letter of.
const LETTERS: &[u8] = b"abcefiklnoprstuvxBCDEHOPT";

/// Long options of bash that none of ours has the name of.
const LONG: &[&[u8]] = &[
    b"--debugger",
    b"--dump-po-strings",
    b"--dump-strings",
    b"--noediting",
    b"--noprofile",
    b"--posix",
    b"--pretty-print",
    b"--restricted",
    b"--verbose",
];

/// Whose call it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Call {
    /// Ours, with these arguments.
    Ours(Vec<OsString>),
    /// Ours, behind the profile files.
    Login(Vec<OsString>),
    /// Bash's, as it stands.
    Bash,
}

/// Puts bash in this process's place where it is called as only a shell is; else returns our own arguments, the
/// program's name before them.
pub fn arguments() -> Vec<OsString> {
    let mut all = std::env::args_os();
    let name = all.next().unwrap_or_else(|| "aish".into());
    let given: Vec<OsString> = all.collect();
    let is_login = name.as_bytes().starts_with(b"-");
    let is_command = |word: &str| crate::arguments::Command::has_subcommand(word) || word == "help";
    let ours = |rest: Vec<OsString>| std::iter::once(OsString::from("aish")).chain(rest).collect();
    match whose(&given, is_login, io::stdin().is_terminal(), &is_command) {
        Call::Ours(rest) => ours(rest),
        Call::Bash => {
            let login = is_login.then(|| OsString::from("--login"));
            replaced_by(Command::new(program()).args(login).args(&given));
            // It says why above; there is nothing of ours to fall back to.
            std::process::exit(126);
        }
        Call::Login(rest) => {
            if let Ok(own) = std::env::current_exe() {
                let run = "exec \"$0\" \"$@\"";
                replaced_by(Command::new(program()).args(["--login", "-c", run]).arg(own).args(&rest));
            }
            ours(rest)
        }
    }
}

fn program() -> String {
    Base::load(&SharedFlags::default()).config.shell.program
}

/// Runs a program in this process's place; returns where that cannot be.
fn replaced_by(command: &mut Command) {
    let error = command.exec();
    crate::run::complain(&format!("{}: {error}", command.get_program().to_string_lossy()));
}

fn whose(given: &[OsString], is_login: bool, at_terminal: bool, is_command: &dyn Fn(&str) -> bool) -> Call {
    let mut login = is_login;
    let mut letters: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(word) = given.get(at) {
        let bytes = word.as_bytes();
        match bytes.split_first() {
            _ if bytes == b"--login" => login = true,
            _ if LONG.contains(&bytes) => letters.push(b'o'),
            // What stands behind the end of the options is a script.
            _ if matches!(bytes, b"-" | b"--") && given.len() > at + 1 => return Call::Bash,
            Some((sign @ (b'-' | b'+'), rest)) if is_letters(rest) => {
                match sign {
                    b'-' => letters.extend_from_slice(rest),
                    _ => letters.push(b'o'),
                }
                login |= *sign == b'-' && rest.contains(&b'l');
                // The name of an option is a word of its own.
                at += rest.iter().filter(|letter| b"oO".contains(letter)).count();
            }
            _ => break,
        }
        at += 1;
        if letters.contains(&b'c') {
            break;
        }
    }
    let rest = given.get(at..).unwrap_or_default();
    if letters.contains(&b'c') {
        // Ours sends a line its way; with anything beside it, a program calls its shell.
        let alone = letters == b"c" && !login && rest.len() == 1;
        let with_flags =
            letters == b"c" && !login && rest.get(1).is_some_and(|word| word.as_bytes().starts_with(b"--"));
        return if alone || with_flags || rest.is_empty() { Call::Ours(given.to_vec()) } else { Call::Bash };
    }
    let is_plain = letters.iter().all(|letter| b"li".contains(letter));
    match rest.first() {
        Some(operand) if operand.as_bytes().starts_with(b"-") => match (is_plain && login, is_plain) {
            (true, _) => Call::Login(rest.to_vec()),
            (false, true) => Call::Ours(rest.to_vec()),
            (false, false) => Call::Bash,
        },
        Some(operand) if letters.is_empty() && operand.to_str().is_some_and(is_command) => Call::Ours(given.to_vec()),
        Some(operand) if is_script(operand) || !letters.is_empty() => Call::Bash,
        Some(_) => Call::Ours(given.to_vec()),
        None if !is_plain || !at_terminal => Call::Bash,
        None if login => Call::Login(Vec::new()),
        None => Call::Ours(Vec::new()),
    }
}

fn is_letters(rest: &[u8]) -> bool {
    !rest.is_empty() && rest.iter().all(|letter| LETTERS.contains(letter))
}

/// Says whether a word is a script. No command of ours has a dot or a slash; bash says what is wrong with a file that is not
/// there, and reads one that is no regular file (`<(…)`).
fn is_script(operand: &OsStr) -> bool {
    operand.as_bytes().iter().any(|byte| b"./".contains(byte)) || std::path::Path::new(operand).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_ours_or_bashs() {
        let words = |line: &str| -> Vec<OsString> { line.split_whitespace().map(OsString::from).collect() };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let script_line = format!("{script} a b");
        let strict_line = format!("-e {script}");
        for (line, is_login, at_terminal, expected) in [
            ("", false, true, Call::Ours(vec![])),
            ("", false, false, Call::Bash),
            ("", true, true, Call::Login(vec![])),
            ("", true, false, Call::Bash),
            ("-l", false, true, Call::Login(vec![])),
            ("--login -i", false, true, Call::Login(vec![])),
            ("-i", false, true, Call::Ours(vec![])),
            ("-i", false, false, Call::Bash),
            ("-il --norc", false, true, Call::Login(words("--norc"))),
            ("-c ls", false, false, Call::Ours(words("-c ls"))),
            ("-c ls --color never", false, false, Call::Ours(words("-c ls --color never"))),
            ("-c ls x", false, false, Call::Bash),
            ("-c ls", true, true, Call::Bash),
            ("-lc ls", false, true, Call::Bash),
            ("-l -c ls", false, false, Call::Bash),
            ("-ic ls", false, true, Call::Bash),
            ("-s a b", false, true, Call::Bash),
            ("-e", false, true, Call::Bash),
            ("-o pipefail -c ls", false, true, Call::Bash),
            ("-euo pipefail no-such-file", false, true, Call::Bash),
            ("-O globstar", false, true, Call::Bash),
            ("+x", false, true, Call::Bash),
            ("+O extglob -c ls", false, true, Call::Bash),
            ("--posix -c ls", false, true, Call::Bash),
            ("-l --noprofile", false, true, Call::Bash),
            ("-- no-such-file a", false, true, Call::Bash),
            ("- no-such-file", false, true, Call::Bash),
            ("ask what", false, true, Call::Ours(words("ask what"))),
            ("--version", false, false, Call::Ours(words("--version"))),
            ("-m big ask x", false, false, Call::Ours(words("-m big ask x"))),
            ("-h", false, true, Call::Ours(words("-h"))),
            ("no-such-file", false, true, Call::Ours(words("no-such-file"))),
            ("no-such-file.sh", false, true, Call::Bash),
            ("/dev/fd/63 a", false, true, Call::Bash),
            (&script_line, false, true, Call::Bash),
            (&strict_line, false, true, Call::Bash),
        ] {
            let found = whose(&words(line), is_login, at_terminal, &|word| word == "ask");
            assert_eq!(found, expected, "{line:?} {is_login} {at_terminal}");
        }
    }
}
