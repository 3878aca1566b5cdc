//! Plays cases of a YAML file against a program: `testkit-cases PROGRAM FILE...`. Prints what failed, and how many passed.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use aish_testkit::case::run_cases;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let mut err = std::io::stderr();
    let Some(program) = arguments.next() else {
        // Nobody is left to tell when stderr is closed.
        drop(writeln!(err, "usage: testkit-cases PROGRAM FILE..."));
        return ExitCode::from(2);
    };
    let mut failed = 0;
    for file in arguments {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                drop(writeln!(err, "{}: {error}", file.display()));
                return ExitCode::FAILURE;
            }
        };
        for why in run_cases(&text, Path::new(&program)) {
            failed += 1;
            drop(writeln!(err, "{why}\n"));
        }
    }
    drop(writeln!(err, "{failed} failed"));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
