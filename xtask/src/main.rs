//! Development tasks of the workspace: `cargo xtask quick|ci|tidy|arrows|unused|licences|dist|…`.
//!
//! One command a file. Each command is a function from nothing to a result; what it finds wrong goes to standard
//! error, a line a finding, and the exit code is 1.
#![expect(clippy::print_stderr, reason = "a development tool speaks to the terminal")]

mod arrows;
mod ci;
mod coverage;
mod dist;
mod eval;
mod finding;
mod fuzz_lines;
mod fuzz_smoke;
mod imports;
mod licences;
mod quick;
mod schemas;
mod step;
mod tidy;
mod tree;
mod unused;
mod workspace;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  quick      format, tidy, arrows, clippy and unit tests: the inner loop
  ci         format, tidy, arrows, unused, licences and clippy over everything: what .ci/run adds to ./test
  tidy       the rules for files
  arrows     the rules for dependencies between crates, and for imports between files
  unused     dependencies that a manifest names and no source does
  licences   the licences of everything that is linked
  fuzz-smoke every fuzz target for 60 seconds
  fuzz-lines [--seconds N] [--seed N] [--lines FILE]…
             lines made at random, judged under a bound of time and memory; build it with --release
  schemas [COUNT]
             random tool schemas (200) answered by valid calls of the embedded model
  dist [--libc gnu|static]… [--programs FOLDER] [--out FOLDER]
             programs, archives and packages of a release, the same bytes from the same commit
  coverage   the line coverage of the tool crates; needs cargo-tarpaulin
  eval safety FILE [--misses]
             the judgement of commands against labelled lines
  eval published FOLDER|npm:NAME@VERSION|pypi:NAME==VERSION…
             the same for sets that others can get, a row a file, with the time a line takes
  eval route FILE [--commands NAMES] [--misses]
             the routing of lines against labels
  eval discovery FILE [CONFIG…]
             how often a request in words finds its tool";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("quick") => quick::run(),
        Some("ci") => ci::run(),
        Some("tidy") => tidy::run(),
        Some("arrows") => arrows::run(),
        Some("unused") => unused::run(),
        Some("licences") => licences::run(),
        Some("schemas") => schemas::run(arguments.get(1..).unwrap_or_default()),
        Some("coverage") => coverage::run(),
        Some("dist") => dist::run(arguments.get(1..).unwrap_or_default()),
        Some("fuzz-smoke") => fuzz_smoke::run(),
        Some("fuzz-lines") => fuzz_lines::run(arguments.get(1..).unwrap_or_default()),
        Some("eval") => eval::run(arguments.get(1..).unwrap_or_default()),
        Some("help" | "-h" | "--help") | None => {
            eprintln!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some(other) => {
            eprintln!("xtask: no command {other}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
