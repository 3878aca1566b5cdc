//! What a layer changed, kept beside it for `:diff`: after keeping, layer and tree have changed places.

use std::fs;
use std::path::PathBuf;

use aish_confine::{Layer, State};

use crate::base::Base;
use crate::confinement;
use crate::failure::Failure;

/// Where it lies.
fn path(layer: &Layer) -> PathBuf {
    layer.report_path().with_file_name("difference")
}

/// Keeps the facts and the difference of a layer.
pub fn keep(layer: &Layer, lines: &[String], diff: &str) {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text.push_str(diff);
    // Without it `:diff` says that it is not known; the layer itself is whole.
    let _ = fs::write(path(layer), text);
}

/// Returns the facts of a layer, a line each, and behind an empty line its difference.
///
/// # Errors
/// When they were not written down.
pub fn of_layer(layer: &Layer) -> Result<String, Failure> {
    fs::read_to_string(path(layer)).map_err(|_| Failure::user("what it changed was not written down"))
}

/// Returns the command, and what it changed, of the layer that was kept last or of the one by a name.
///
/// # Errors
/// When there is none, or what it changed was not written down.
pub fn of(base: &Base, id: &str, say: &mut dyn FnMut(&str)) -> Result<(String, String), Failure> {
    let kept = confinement::kept(base, say);
    let found = match id {
        "" => kept.last(),
        id => kept.iter().find(|layer| layer.id() == id),
    };
    let layer = found.ok_or_else(|| match id {
        "" => Failure::user("no command has changed anything in a layer yet"),
        id => Failure::user(format!("there is no layer {id:?}")).hint("`:undo list` shows what there is"),
    })?;
    let text = of_layer(layer)?;
    let state = match layer.state() {
        Ok(State::TakenBack) => " (taken back since)",
        _ => "",
    };
    Ok((format!("{}{state}", layer.about.command), text))
}
