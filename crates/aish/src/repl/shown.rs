//! What the shell shows by itself: the prompt, status lines, what jobs write.

use std::io::Write as _;

use aish_shell::ShellEvent;

use super::Repl;
use crate::prompt::{self, PromptFacts};
use crate::surface::{Shown, Surface as _};

impl Repl {
    /// Returns the estimated tokens of the context.
    pub fn context_tokens(&self) -> u64 {
        let turn = &self.conversation.turn;
        let mut budget = turn.budget().clone();
        if budget.system_tokens == 0 {
            budget.system_tokens = turn.transcript().system_text().len() as u64 / 4;
        }
        budget.estimate(turn.transcript())
    }

    /// Returns the prompt as it stands now.
    pub(super) fn prompt(&self) -> aish_term::PromptView {
        let remembered = self.live.remembered();
        let folder = self.folder();
        let facts = PromptFacts {
            git: prompt::branch(std::path::Path::new(&folder)),
            folder,
            home: self.base.paths.home.as_ref().map(|home| home.display().to_string()),
            status: remembered.status,
            model: self.conversation.driver.asker.model.clone(),
            ctx_used: self.context_tokens(),
            cost: self.conversation.driver.asker.ledger.spent().to_string(),
        };
        let template = self.base.config.ui.prompt.as_deref().unwrap_or(prompt::TEMPLATE);
        prompt::view(template, &facts, &self.theme, self.err.unicode)
    }

    /// Shows what happened outside commands.
    pub(super) fn show_events(&mut self) {
        for event in self.live.events() {
            match event {
                ShellEvent::Output(bytes) => {
                    // From the person's own shell: jobs in the background, rc files.
                    let mut err = std::io::stderr().lock();
                    let _ = err.write_all(&bytes);
                    let _ = err.flush();
                }
                ShellEvent::Restarted { cause, .. } => self.say(&format!("{cause}; a new shell was started")),
            }
        }
    }

    /// Shows a status line.
    pub fn say(&mut self, text: &str) {
        self.surface.show(Shown::Notice(text), self.base.started.elapsed());
    }

    /// Shows a failure.
    pub fn complain(&mut self, text: &str) {
        self.surface.show(Shown::Error(text), self.base.started.elapsed());
    }

    /// Prints a line of an answer to a meta command.
    pub fn print(&self, text: &str) {
        crate::run::print(&aish_types::sanitize(text));
    }
}
