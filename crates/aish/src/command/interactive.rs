//! `aish` without a command: the shell, or one line with `-c`.

use std::io::{self, IsTerminal as _};

use aish_route::{Line, Route, decide, parse_line};

use crate::arguments::{AskFlags, SharedFlags, ShellFlags};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::names::PathNames;
use crate::repl::Repl;
use crate::run::complain;

/// Starts the shell, or sends one line its way.
///
/// # Errors
/// When the terminal cannot be used.
pub async fn run(base: Base, shared: &SharedFlags, flags: &ShellFlags) -> Result<ExitCode, Failure> {
    if let Some(line) = &flags.line {
        return one_line(&base, shared, line, flags.resume.as_deref()).await;
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        complain("the shell needs a terminal; in a pipe use `aish ask` or `aish -c LINE`");
        return Ok(ExitCode::Usage);
    }
    Repl::start(base, shared, flags).await?.run().await
}

async fn one_line(base: &Base, shared: &SharedFlags, line: &str, resume: Option<&str>) -> Result<ExitCode, Failure> {
    let names = PathNames::new(&base.variable("PATH").unwrap_or_default(), &base.folder);
    let (route, text) = match parse_line(line) {
        Line::Empty => return Ok(ExitCode::Ok),
        Line::Shell(text) => (Route::Shell, text),
        Line::Question(text) => (Route::Ai, text),
        Line::Meta(name, _) => {
            complain(&format!(":{name} needs the shell"));
            return Ok(ExitCode::Usage);
        }
        Line::Plain(text) => (decide(text, &names).route, text),
    };
    match route {
        Route::Ai => {
            let resume = resume.map(str::to_owned);
            let flags = AskFlags { question: vec![text.to_owned()], resume, ..AskFlags::default() };
            super::ask::run(base, shared, &flags).await
        }
        Route::Ask if base.config.route.ask => {
            complain("this may be a command or a question; put `!` or `?` before it");
            Ok(ExitCode::Usage)
        }
        Route::Shell | Route::Ask => run_command(base, text).await,
    }
}

/// Runs a line that the person wrote, as `bash -c` does: our own standard streams, no gate.
async fn run_command(base: &Base, command: &str) -> Result<ExitCode, Failure> {
    let program = &base.config.shell.program;
    let started = tokio::process::Command::new(program).arg("-c").arg(command).status().await;
    let status = started.map_err(|error| {
        Failure::config(format!("the shell {program} cannot be started: {error}"))
            .hint("`shell.program` of the configuration names it")
    })?;
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(ExitCode::Of(u8::try_from(code).unwrap_or(1)))
}
