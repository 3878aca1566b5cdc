//! What the first start says: what was found, and where text will go. What is taken over is said when it was.

use std::path::PathBuf;

use aish_llm::Endpoint;

use crate::base::Base;
use crate::config::section::EditMode;
use crate::models::Place;

/// The first start of aish on this machine, by a file that is written when it was said.
pub(super) struct FirstStart {
    note: PathBuf,
    lines: Vec<String>,
}

impl FirstStart {
    /// Collects what there is to say; `None` where it was said before, or no state can be kept.
    pub(super) fn of(base: &Base, model: Option<&Place>, is_looking: bool) -> Option<Self> {
        let note = base.paths.state.as_ref()?.join("first-start.json");
        (!note.exists()).then(|| Self { note, lines: lines(base, model, is_looking) })
    }

    /// Notes that it was said, and returns the lines; no lines where the note cannot be written.
    pub(super) fn said(self) -> Vec<String> {
        let version = serde_json::json!({ "version": env!("CARGO_PKG_VERSION") });
        match aish_journal::replace(&self.note, version.to_string().as_bytes()) {
            Ok(()) => self.lines,
            Err(_) => Vec::new(),
        }
    }
}

fn lines(base: &Base, model: Option<&Place>, is_looking: bool) -> Vec<String> {
    let home = base.paths.home.as_deref();
    let is_there = |name: &str| home.is_some_and(|home| home.join(name).is_file());
    let rc = match base.config.shell.rc && is_there(".bashrc") {
        true => " with your ~/.bashrc",
        false => "",
    };
    let keys = match (base.config.ui.edit_mode, is_there(".inputrc")) {
        (EditMode::Vi, _) => "keys of vi (ui.edit_mode)",
        (EditMode::Emacs, true) => "keys of readline and your ~/.inputrc",
        (EditMode::Emacs, false) => "keys of readline",
    };
    let answers = match model {
        Some(place) => answers(place),
        None if is_looking => "questions: still looking for a model; :model says which one it is".to_owned(),
        None => "questions: no model was found, so none is asked; :model says what to do".to_owned(),
    };
    vec![
        format!(
            "welcome. Lines are commands, for {}{rc}, or questions; {keys}; :help lists the rest",
            base.config.shell.program
        ),
        answers,
    ]
}

/// Says who answers, and where text goes.
pub(super) fn answers(place: &Place) -> String {
    let name = aish_types::sanitize(&place.model);
    let outside = Endpoint::parse(&place.endpoint).ok().filter(|endpoint| !endpoint.is_loopback());
    match outside {
        Some(endpoint) => format!(
            "questions: {name} answers ({}); they and what goes along leave for {}; :sent shows it",
            place.origin,
            endpoint.host()
        ),
        None => format!("questions: {name} answers ({}), on this machine; nothing leaves it", place.origin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Origin;

    fn place(endpoint: &str, origin: Origin) -> Place {
        Place {
            model: "x".into(),
            endpoint: endpoint.into(),
            origin,
            context: None,
            max_tokens: 0,
            tokenizer: aish_llm::TokenizerChoice::default(),
            small: false,
            tools: true,
        }
    }

    #[test]
    fn it_is_said_where_text_goes() {
        for (endpoint, origin, expected) in [
            (
                "https://api.one.example/v1",
                Origin::Environment,
                "questions: x answers (environment); they and what goes along leave for api.one.example; :sent shows it",
            ),
            (
                "http://127.0.0.1:8080",
                Origin::LocalServer,
                "questions: x answers (local server), on this machine; nothing leaves it",
            ),
            (
                "in this program",
                Origin::Embedded,
                "questions: x answers (embedded), on this machine; nothing leaves it",
            ),
        ] {
            assert_eq!(answers(&place(endpoint, origin)), expected);
        }
    }
}
