//! `:prompts`, and prompts and skills of one's own as `:NAME`.

use crate::prompts::{self, Prompt};
use crate::repl::Repl;

fn all(repl: &mut Repl) -> Vec<Prompt> {
    let project = repl.follow_project();
    prompts::all(&repl.base, &project)
}

/// Lists what there is.
pub(super) fn run(repl: &mut Repl) {
    let all = all(repl);
    if all.is_empty() {
        return repl.say("no prompts: NAME.md in the folder `prompts` beside the configuration is one (`:NAME`)");
    }
    for prompt in &all {
        let kind = if prompt.is_skill { " (skill)" } else { "" };
        let what = if prompt.description.is_empty() { String::new() } else { format!("  {}", prompt.description) };
        let is_hidden = super::find(&prompt.name).is_some();
        let hidden = if is_hidden { "\n    not called: aish has a command of this name" } else { "" };
        repl.print_words(&format!(":{}{kind}{what}\n    {}{hidden}", prompt.name, prompt.file.display()));
    }
}

/// Asks what a prompt or a skill of this name says; false where there is none.
pub(super) async fn ask(repl: &mut Repl, name: &str, rest: &str) -> bool {
    let Some(prompt) = all(repl).into_iter().find(|prompt| prompt.name == name) else { return false };
    repl.ask(&prompt.filled(rest)).await;
    true
}
