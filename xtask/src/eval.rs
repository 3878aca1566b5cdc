//! `cargo xtask eval WHAT FILE`: evaluations against labelled data.

use std::path::Path;

use anyhow::{Result, bail};

mod discovery;
mod published;
mod route;
mod safety;
mod search;

/// Runs one evaluation and prints its figures.
///
/// # Errors
/// When the arguments name none, or its file cannot be evaluated.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let [what, file, configs @ ..] = arguments
        && what == "discovery"
    {
        return discovery::run(file, configs);
    }
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["safety", file, rest @ ..] if let Some(options) = safety::Options::parse(rest) => {
            Ok(safety::run(Path::new(file), options)?)
        }
        ["route", file, rest @ ..] if let Some(options) = route::Options::parse(rest) => {
            route::run(Path::new(file), options)
        }
        ["published", sets @ ..] => published::run(sets),
        ["search", rest @ ..] => search::run(rest),
        _ => bail!(
            "use: cargo xtask eval published FOLDER|npm:NAME@VERSION|pypi:NAME==VERSION…, eval safety FILE [--misses] [--held-out], eval route FILE [--commands NAMES] [--misses] [--whole], eval \
             discovery FILE [CONFIG…], or eval search [--model FILE] FILE|FOLDER…"
        ),
    }
}
