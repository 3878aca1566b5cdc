//! From arguments to a command, and back to an exit code.

use std::io::{self, Write as _};

use aish_term::message::{self, columns_of};
use clap::{CommandFactory as _, Parser as _};

use crate::arguments::{Arguments, Command, NorrisFlags, SharedFlags, quick};
use crate::base::Base;
use crate::caught::is_waited_for;
use crate::command;
use crate::exit::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::output::Output;

/// Parses the command line and runs it.
pub fn run() -> ExitCode {
    if let Some(code) = command::confine::launched(std::env::args_os().skip(1)) {
        return code;
    }
    if let Some(code) = command::page::launched(std::env::args_os().skip(1)) {
        return code;
    }
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let printed = error.print();
            return match printed {
                _ if error.use_stderr() => ExitCode::Usage,
                Err(fault) if fault.kind() != io::ErrorKind::BrokenPipe => unwritten(&fault),
                Ok(()) | Err(_) => ExitCode::Ok,
            };
        }
    };
    // A panic leaves the terminal as it was found.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if is_waited_for() {
            return;
        }
        aish_shell::restore_all();
        report(panic);
    }));
    let ended = dispatch(&arguments);
    // Nothing that was started here runs on.
    aish_process::kill_all();
    let unwritten = Output::fault().map(|fault| unwritten(&fault));
    match ended {
        Ok(ExitCode::Ok) => unwritten.unwrap_or(ExitCode::Ok),
        Ok(code) => code,
        Err(failure) if failure.kind() == FailureKind::BrokenPipe => ExitCode::Ok,
        Err(failure) => {
            failure.lines().for_each(|line| complain(&line));
            ExitCode::Error
        }
    }
}

/// Parses the command line. A start without arguments, the one that a person waits for, does without a parser, and what is
/// started most does without the definition of all commands.
fn parse() -> Result<Arguments, clap::Error> {
    let given = crate::as_shell::arguments();
    if given.len() <= 1 {
        return Ok(Arguments::default());
    }
    match quick(&given) {
        Some(arguments) => Ok(arguments),
        None => Arguments::try_parse_from(given).and_then(no_mixture),
    }
}

/// Refuses flags of the shell beside a command; flags that every command takes may stand on either side of it.
fn no_mixture(arguments: Arguments) -> Result<Arguments, clap::Error> {
    if arguments.command.is_some() && arguments.shell.any() {
        let text = "-c, --resume, --norris and --norc are for the shell itself and go with no command";
        return Err(Arguments::command().error(clap::error::ErrorKind::ArgumentConflict, text));
    }
    Ok(arguments)
}

fn dispatch(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let shared = &arguments.shared;
    match &arguments.command {
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "aish", &mut script);
            print(String::from_utf8_lossy(&script).trim_end());
            Ok(ExitCode::Ok)
        }
        Some(Command::Manual { folder }) => command::manual::run(folder.as_deref(), &mut print),
        Some(Command::Route(flags)) => {
            let path = std::env::var("PATH").unwrap_or_default();
            command::route::run(flags, &path, &std::env::current_dir().unwrap_or_default())
        }
        Some(Command::Check(flags)) => {
            let base = Base::load(shared);
            command::check::run(flags, &base.surroundings(), &base.policy(), &mut print)
        }
        Some(Command::Config(sub)) => command::config::run(&Base::load(shared), sub, &mut print),
        Some(Command::Policy(sub)) => command::policy::run(&Base::load(shared), sub, &mut print),
        Some(Command::Ask(flags)) => {
            let base = Base::load(shared);
            // One answer goes from a socket to a stream: a second thread would only be woken for each piece.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let (shared, flags) = (shared.clone(), flags.clone());
            as_task(&runtime, async move { command::ask::run(&base, &shared, &flags).await })
        }
        Some(Command::Norris(flags)) => norris(shared.clone(), flags.clone()),
        Some(Command::Tools(sub)) => wait(command::tools::run(&Base::load(shared), sub, &mut print)),
        None if arguments.shell.norris.is_some() => {
            let goal = arguments.shell.norris.iter().cloned().collect();
            norris(shared.clone(), NorrisFlags { goal, ..NorrisFlags::default() })
        }
        None => {
            let base = Base::load(shared);
            let (shared, flags) = (shared.clone(), arguments.shell.clone());
            as_task(&runtime()?, async move { command::interactive::run(base, &shared, &flags).await })
        }
        Some(Command::Tokenize(flags)) => wait(command::tokenize::run(&Base::load(shared), shared, flags, &mut print)),
        Some(Command::Model(sub)) => wait(command::model::run(&Base::load(shared), sub, &mut print_words)),
        Some(Command::Mcp(sub)) => {
            on(tokio::runtime::Builder::new_current_thread(), command::mcp::run(&Base::load(shared), sub, &mut print))
        }
        Some(Command::Service(flags)) => {
            on(tokio::runtime::Builder::new_multi_thread(), command::service::run(&Base::load(shared), shared, flags))
        }
        Some(Command::Acp) => {
            let shared = shared.clone();
            as_last_task(async move { command::acp::run(&shared).await })
        }
        Some(Command::Hook(sub)) => command::hook::run(shared, sub, &mut print),
        Some(Command::Init(flags)) => command::init::run(&Base::load(shared), flags, &mut print),
        Some(Command::Line(sub)) => command::line::run(shared, sub),
        Some(Command::Project) => command::project::run(&Base::load(shared), &mut print_words),
        Some(Command::Sessions(sub)) => command::sessions::run(&Base::load(shared), sub, &mut print),
        Some(Command::Memory(sub)) => command::memory::run(&Base::load(shared), sub, &mut print_words),
        Some(Command::State(sub)) => command::state::run(&Base::load(shared), sub, &mut print_words),
        Some(Command::Import(sub)) => command::import::run(&Base::load(shared), sub, &mut print_words),
        Some(Command::Cost(flags)) => command::cost::run(&Base::load(shared), flags, &mut print),
        Some(Command::Undo { what }) => command::undo::run(&Base::load(shared), what.as_deref(), &mut print_words),
        Some(Command::Try(flags)) => command::trial::run(&Base::load(shared), flags, &mut print),
        Some(Command::Itself(sub)) => command::itself::run(&Base::load(shared), sub, &mut print_words),
        Some(Command::Sandbox(flags)) => command::sandbox::run(flags),
        Some(Command::Doctor) => wait(command::doctor::run(&Base::load(shared), shared, &mut print_words)),
    }
}

fn norris(shared: SharedFlags, flags: NorrisFlags) -> Result<ExitCode, Failure> {
    let base = Base::load(&shared);
    as_last_task(async move { command::norris::run(&base, &shared, &flags).await })
}

/// Runs a command to its end on this thread.
fn wait(command: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    runtime()?.block_on(command)
}

/// Runs a command whose last read of standard input may still wait when it ends.
fn on(
    mut builder: tokio::runtime::Builder,
    command: impl Future<Output = Result<ExitCode, Failure>>,
) -> Result<ExitCode, Failure> {
    let runtime = builder.enable_all().build()?;
    let ended = runtime.block_on(command);
    runtime.shutdown_background();
    ended
}

/// Runs a command as a task: other tasks wake it without a system call, which the outermost future takes two of, and a reply
/// wakes it for each of its pieces.
fn as_task(
    runtime: &tokio::runtime::Runtime,
    command: impl Future<Output = Result<ExitCode, Failure>> + Send + 'static,
) -> Result<ExitCode, Failure> {
    match runtime.block_on(runtime.spawn(command)) {
        Ok(ended) => ended,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Err(error.into()),
        },
    }
}

/// Runs a command as a task whose last read of standard input may still wait when it ends.
fn as_last_task(
    command: impl Future<Output = Result<ExitCode, Failure>> + Send + 'static,
) -> Result<ExitCode, Failure> {
    let runtime = runtime()?;
    let ended = as_task(&runtime, command);
    runtime.shutdown_background();
    ended
}

/// Makes the runtime for one person: all on this thread. A reply would wake a second one for each of its tokens, which
/// costs more than all else that is done with them.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Says that what was asked for is not where it was to go.
fn unwritten(fault: &io::Error) -> ExitCode {
    complain(&format!("standard output cannot be written: {fault}"));
    ExitCode::Error
}

/// Writes a line to standard output. A reader that went away is no error.
pub fn print(line: &str) {
    let _ = writeln!(Output, "{line}");
}

/// Writes what aish itself says to standard output, broken at words where that is a terminal.
pub fn print_words(line: &str) {
    print(&message::text(line, columns_of(io::stdout())));
}

/// Writes a line to standard error.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", message::text(&format!("aish: {line}"), columns_of(io::stderr())));
}

/// Writes a status line to standard error, at once.
pub fn status(line: &str) {
    let line = format!("{}{}", message::MARK, aish_types::sanitize(line));
    let _ = writeln!(io::stderr().lock(), "{}", message::text(&line, columns_of(io::stderr())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_arguments_are_the_defaults() {
        let parsed = Arguments::try_parse_from(["aish"]).unwrap();
        assert_eq!(format!("{parsed:?}"), format!("{:?}", Arguments::default()));
    }
}
