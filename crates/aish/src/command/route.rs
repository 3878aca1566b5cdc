//! `aish route`: where lines go.

use std::path::Path;

use aish_route::{Line, PriorTurn, Route, decide_after, parse_line};
use serde_json::json;

use crate::arguments::LineFlags;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::lines;
use crate::names::PathNames;

/// Reads lines and prints `shell|ai|ask<TAB>reason<TAB>line` for each, or JSON objects.
///
/// # Errors
/// When standard input or output fails.
pub fn run(flags: &LineFlags, path: &str, folder: &Path) -> Result<ExitCode, Failure> {
    let names = PathNames::new(path, folder);
    lines::for_each(flags, |line| {
        let (route, reason) = routed(line, &names, PriorTurn::Other);
        if flags.json {
            json!({"route": route.as_str(), "reason": reason, "line": line}).to_string()
        } else {
            format!("{}\t{reason}\t{line}", route.as_str())
        }
    })?;
    Ok(ExitCode::Ok)
}

/// Routes a line, its prefix included, behind what came before it.
pub fn routed(line: &str, names: &PathNames, prior_turn: PriorTurn) -> (Route, String) {
    match parse_line(line) {
        Line::Empty => (Route::Shell, "nothing to do".to_owned()),
        Line::Shell(_) => (Route::Shell, "forced with `!`".to_owned()),
        Line::Question(_) => (Route::Ai, "forced with `?`".to_owned()),
        Line::Meta(name, _) => (Route::Shell, format!("the meta command `:{name}`")),
        Line::Plain(line) => {
            let decision = decide_after(prior_turn, line, names);
            (decision.route, decision.reason)
        }
    }
}
