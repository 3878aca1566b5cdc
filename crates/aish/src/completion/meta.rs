//! What a meta command may be followed by.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use aish_term::Candidate;
use aish_tools::Registry;

use super::plain;
use crate::config::keys::names;
use crate::meta::{COMMANDS, Completes};

/// The names that meta commands take: models, tools, servers. It knows them as they are when it is asked.
pub struct Vocabulary {
    registry: Arc<Registry>,
    models: Mutex<Vec<String>>,
}

impl Vocabulary {
    /// Makes a vocabulary over the tools of a registry; models come later.
    pub fn new(registry: Arc<Registry>) -> Self {
        Self { registry, models: Mutex::default() }
    }

    /// Sets the names of the models.
    pub fn set_models(&self, names: impl IntoIterator<Item = String>) {
        *self.models.lock().unwrap_or_else(PoisonError::into_inner) = names.into_iter().collect();
    }

    /// Completes what is typed behind the colon.
    pub(super) fn complete(&self, typed: &str) -> Vec<Candidate> {
        let Some((name, rest)) = typed.split_once(' ') else { return commands(typed) };
        let start = 1 + typed.len() - rest.len();
        let last = rest.rfind(' ').map_or(0, |at| at + 1);
        let (before, word) = rest.split_at(last);
        self.words(name, before.trim())
            .iter()
            .filter(|candidate| candidate.starts_with(word))
            .map(|candidate| Candidate { space_after: false, ..plain(candidate, start + last..start + rest.len()) })
            .collect()
    }

    /// Returns what may stand behind a command and the words that are there.
    fn words(&self, name: &str, before: &str) -> Vec<String> {
        let Some(command) = COMMANDS.iter().find(|command| command.name == name) else { return Vec::new() };
        match command.completes.iter().find(|(words, _)| *words == before) {
            Some((_, Completes::Usage)) => choices(command.usage),
            Some((_, Completes::Commands)) => COMMANDS.iter().map(|command| command.name.to_owned()).collect(),
            Some((_, Completes::Models)) => self.models.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Some((_, Completes::Tools)) => self.tools(),
            Some((_, Completes::Servers)) => self.servers(),
            Some((_, Completes::History)) => ["clear", "delete"].map(str::to_owned).into(),
            Some((_, Completes::Last)) => vec!["last".to_owned()],
            Some((_, Completes::Keys)) => names().map(str::to_owned).collect(),
            None => Vec::new(),
        }
    }

    fn tools(&self) -> Vec<String> {
        self.registry.list(None).iter().map(|tool| tool.name.as_str().to_owned()).collect()
    }

    /// The part before the dot of names with one.
    fn servers(&self) -> Vec<String> {
        let aliases: BTreeSet<String> =
            self.tools().iter().filter_map(|name| Some(name.split_once('.')?.0.to_owned())).collect();
        aliases.into_iter().collect()
    }
}

fn commands(typed: &str) -> Vec<Candidate> {
    COMMANDS
        .iter()
        .filter(|command| command.name.starts_with(typed))
        .map(|command| Candidate {
            value: command.name.to_owned(),
            display: None,
            description: Some(command.summary.to_owned()),
            span: 1..1 + typed.len(),
            space_after: !command.usage.is_empty(),
        })
        .collect()
}

/// The words in small letters that a usage offers: `md|html|json`, `[detail]`.
fn choices(usage: &str) -> Vec<String> {
    let first = usage.split(' ').next().unwrap_or_default();
    first
        .trim_matches(['[', ']'])
        .split('|')
        .filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_commands_are_completed_with_what_they_take() {
        let vocabulary = Vocabulary::new(Arc::default());
        vocabulary.set_models(["cloud".to_owned(), "small".to_owned()]);
        let values = |typed: &str| -> Vec<(String, std::ops::Range<usize>)> {
            vocabulary.complete(typed).into_iter().map(|candidate| (candidate.value, candidate.span)).collect()
        };
        assert_eq!(values("tokeni"), [("tokenize".into(), 1..7)]);
        assert_eq!(values("model c"), [("cloud".into(), 7..8)]);
        assert_eq!(values("cost "), [("detail".into(), 6..6)]);
        assert_eq!(values("mcp disc"), [("disconnect".into(), 5..9)]);
        assert_eq!(values("history de"), [("delete".into(), 9..11)]);
        assert_eq!(values("history delete l"), [("last".into(), 16..17)]);
        assert_eq!(values("tokenize x"), []);
        assert_eq!(values("config context.max"), [("context.max_turns".into(), 8..19)]);
        assert_eq!(
            values("config tokenize"),
            ["tokenize", "tokenize.timeout_ms", "tokenize.use_endpoint"].map(|name| (name.into(), 8..16))
        );
    }
}
