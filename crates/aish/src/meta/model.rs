//! `:model` and `:models`.

use crate::models::{self, Origin};
use crate::repl::Repl;

pub(super) async fn run(repl: &mut Repl, rest: &str) {
    repl.look_for_models().await;
    if rest.is_empty() {
        return show(repl);
    }
    if !repl.conversation.switch(&repl.base, rest) {
        let known = models::told(rest, repl.conversation.found_places.keys().map(String::as_str).collect());
        repl.complain(&format!("there is no model {rest:?}; {known}"));
        return;
    }
    show(repl);
}

fn show(repl: &Repl) {
    let name = &repl.conversation.driver.asker.model;
    match repl.conversation.found_places.get(name) {
        Some(place) => {
            repl.print_words(&format!("{name}: {} at {} ({})", place.model, place.endpoint, place.origin));
            if let Some(model) = repl.conversation.driver.asker.broker.model(name) {
                if let Some(api) = model.provider.api() {
                    repl.print_words(&format!("wire: {}", api.as_str()));
                }
                if let Some(words) = model.provider.known_abilities().map(|abilities| abilities.words())
                    && !words.is_empty()
                {
                    repl.print_words(&format!("it can: {words}"));
                }
                for lesson in model.provider.learned() {
                    repl.print_words(&format!("learned: {lesson}"));
                }
            }
            if place.origin == Origin::Embedded {
                repl.print_words(
                    "This is a small model that runs in a child process of aish, on this machine's processor. For a better one, start \
                     llama.cpp or Ollama, set OPENAI_BASE_URL, or add [models.NAME] to the configuration \
                     (`aish config edit`).",
                );
            }
        }
        None => repl.print_words(
            "no model yet. Start llama.cpp or Ollama, set OPENAI_BASE_URL (and OPENAI_API_KEY), add [models.NAME] to \
             the configuration, or fetch a small one with `aish model pull`",
        ),
    }
}

pub(super) async fn list(repl: &mut Repl) {
    repl.look_for_models().await;
    if repl.conversation.found_places.is_empty() {
        return show(repl);
    }
    for (name, place) in &repl.conversation.found_places {
        let mark = if *name == repl.conversation.driver.asker.model { "*" } else { " " };
        repl.print_words(&format!("{mark} {name}: {} at {} ({})", place.model, place.endpoint, place.origin));
    }
}
