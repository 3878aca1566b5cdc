//! Command lines of the commands that are started most: read without the definitions of all others, which take longer to make
//! than such a command takes to run.

use std::ffi::OsString;

use clap::{Args, FromArgMatches, Subcommand};

use super::{Arguments, AskFlags, CheckFlags, Command, HookCommand, SharedFlags, ShellFlags};

/// Reads a command line that begins with one of these commands. None for any other, and for one that is wrong: what is to be
/// said about it comes of the whole definition.
pub fn quick(given: &[OsString]) -> Option<Arguments> {
    match given.get(1)?.to_str()? {
        "ask" => alone::<AskFlags>(given, "ask", AskFlags::augment_args, Command::Ask),
        "check" => alone::<CheckFlags>(given, "check", CheckFlags::augment_args, Command::Check),
        "hook" => alone::<HookCommand>(
            given,
            "hook",
            |command| HookCommand::augment_subcommands(command).subcommand_required(true),
            Command::Hook,
        ),
        _ => None,
    }
}

fn alone<T: FromArgMatches>(
    given: &[OsString],
    name: &'static str,
    define: fn(clap::Command) -> clap::Command,
    made: fn(T) -> Command,
) -> Option<Arguments> {
    let whole = SharedFlags::augment_args(clap::Command::new("aish")).subcommand(define(clap::Command::new(name)));
    let matches = whole.try_get_matches_from(given).ok()?;
    let shared = SharedFlags::from_arg_matches(&matches).ok()?;
    let flags = T::from_arg_matches(matches.subcommand_matches(name)?).ok()?;
    Some(Arguments { command: Some(made(flags)), shell: ShellFlags::default(), shared })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        std::iter::once("aish").chain(line.split(' ')).map(OsString::from).collect()
    }

    #[test]
    fn what_is_read_quickly_is_what_the_whole_definition_reads() {
        let lines = "ask hi
            ask --quiet -m x well?
            ask --config f --json --yes --no-tools a b c
            ask --color always --image a --image b -- --not-a-flag
            ask --resume=abc hi
            ask --resume hi
            ask --session name hi
            ask help
            ask -m=x help me
            check ls
            check --explain --json -0
            check -m x --explain -- -la
            hook run claude PreToolUse
            hook install codex --project --dry-run
            hook uninstall gemini
            hook status --json
            hook --color never status claude";
        for line in lines.lines().map(str::trim) {
            let whole = Arguments::try_parse_from(words(line)).unwrap();
            assert_eq!(format!("{:?}", quick(&words(line)).unwrap()), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_or_another_command_is_left_to_the_whole_definition() {
        let lines = "ask --help
            ask --version
            ask -h
            ask --nope
            ask -c x
            ask --continue --session x
            check a b
            check --color pink ls
            hook
            hook --help
            hook help
            hook run nobody PreToolUse
            help ask
            tools list
            --model x ask hi";
        for line in lines.lines().map(str::trim) {
            assert!(quick(&words(line)).is_none(), "{line}");
        }
    }
}
