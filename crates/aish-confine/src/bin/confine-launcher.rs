//! The launcher alone, for the tests of this crate; `aish` has the same as a hidden command.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    if arguments.peek().is_some_and(|first| first == "--probe") {
        let available = aish_confine::available();
        return ExitCode::from(if available.mechanism == aish_confine::Mechanism::Namespaces { 0 } else { 1 });
    }
    match aish_confine::Plan::from_arguments(arguments) {
        Ok(plan) => ExitCode::from(aish_confine::launch(&plan)),
        Err(_) => ExitCode::from(2),
    }
}
