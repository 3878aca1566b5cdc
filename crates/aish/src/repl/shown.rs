//! What the shell shows by itself: the prompt, status lines, what jobs write.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::PoisonError;

use aish_term::{Capabilities, PromptView, Theme};

use super::Repl;
use crate::base::Base;
use crate::failure::Failure;
use crate::live::Live;
use crate::prompt::{self, Drawn, PromptFacts};
use crate::surface::{Shown, Surface as _};

/// Returns the first prompt, drawn before the conversation is put together; `None` for a template that shows something of
/// the conversation.
pub(super) fn first_prompt(
    base: &Base,
    live: &Live,
    theme: &Theme,
    err: Capabilities,
    model: Option<&str>,
) -> Option<PromptView> {
    let Drawn::Template(template) = Drawn::of(base.config.ui.prompt.as_deref()) else { return None };
    let shows = |name| template.contains(name);
    let known = (model.unwrap_or_default().to_owned(), 0, String::new());
    let variable = |name: &str| base.variable(name);
    (!shows("{ctx_used}") && !shows("{cost}")).then(|| {
        let facts = facts_of(base, live, template, err, known, &variable);
        prompt::view(template, &facts, theme, err.unicode)
    })
}

/// Returns what a prompt can show, with a model, the tokens of the context, and what it has cost.
fn facts_of(
    base: &Base,
    live: &Live,
    template: &str,
    err: Capabilities,
    (model, ctx_used, cost): (String, u64, String),
    variable: &dyn Fn(&str) -> Option<String>,
) -> PromptFacts {
    let remembered = live.remembered();
    let folder = remembered.folder.unwrap_or_else(|| PathBuf::from("/"));
    let mut facts = PromptFacts {
        git: prompt::branch(&folder),
        folder: folder.display().to_string(),
        home: base.paths.home.as_ref().map(|home| home.display().to_string()),
        status: remembered.status,
        model,
        ctx_used,
        cost,
        host: prompt::host(),
        jobs: remembered.jobs,
        took: remembered.took,
        time: if template.contains("{time}") { time_of_day() } else { String::new() },
        width: err.width,
        ..PromptFacts::default()
    };
    facts.take_environment(variable);
    facts
}

fn time_of_day() -> String {
    jiff::Zoned::now().strftime("%H:%M").to_string()
}

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

    /// Returns the prompt as it stands now. One that another program draws falls back to ours.
    pub(super) async fn prompt(&self) -> PromptView {
        let drawn = Drawn::of(self.base.config.ui.prompt.as_deref());
        let template = if let Drawn::Template(template) = drawn { template } else { prompt::TEMPLATE };
        let environment = self.names.known.lock().unwrap_or_else(PoisonError::into_inner).environment.clone();
        let facts = {
            let asker = &self.conversation.driver.asker;
            let spent = asker.ledger.spent().to_string();
            let known = (asker.model.clone(), self.context_tokens(), spent);
            let variable = |name: &str| match environment.is_empty() {
                true => self.base.variable(name),
                false => environment.get(name).cloned(),
            };
            facts_of(&self.base, &self.live, template, self.screen.err, known, &variable)
        };
        let foreign = match drawn {
            Drawn::Template(_) => None,
            Drawn::Ps1 => self.live.ps1().await.map(|left| prompt::Foreign { left, ..Default::default() }),
            Drawn::Starship => {
                let environment: Vec<(String, String)> = environment.into_iter().collect();
                prompt::starship(&facts, &environment).await
            }
        };
        match foreign {
            Some(written) => prompt::foreign(&written, &facts),
            None => prompt::view(template, &facts, &self.screen.theme, self.screen.err.unicode),
        }
    }

    /// Tells of jobs that have ended, as bash does before a prompt.
    pub(super) async fn tell_job_news(&self) {
        let news = self.live.job_news().await;
        let mut err = std::io::stderr().lock();
        for line in &news {
            let _ = writeln!(err, "{}", aish_types::sanitize(line));
        }
        let _ = err.flush();
    }

    /// Shows what waits to be shown above a prompt, before something else is shown.
    pub(super) fn show_waiting(&self) {
        let mut err = std::io::stderr().lock();
        for text in self.editor.printer().take() {
            let _ = writeln!(err, "{text}");
        }
        let _ = err.flush();
    }

    /// Shows lines at the start: above the prompt, where that is drawn already.
    pub(super) fn say_first(&mut self, lines: impl IntoIterator<Item = String>) {
        let printer = self.starting.reading.is_some().then(|| self.editor.printer());
        for line in lines {
            match &printer {
                Some(printer) => printer.say(&line),
                None => self.say(&line),
            }
        }
    }

    /// Shows a status line.
    pub fn say(&mut self, text: &str) {
        self.screen.surface.show(Shown::Notice(text), self.base.started.elapsed());
    }

    /// Shows what is wrong, in a line.
    pub fn complain(&mut self, text: &str) {
        self.screen.surface.show(Shown::Error(text), self.base.started.elapsed());
    }

    /// Shows a failure and what to do next.
    pub fn fail(&mut self, failure: &Failure) {
        failure.lines().for_each(|line| self.complain(&line));
    }

    /// Prints words of aish as an answer to a meta command.
    pub fn print_words(&self, text: &str) {
        crate::run::print_words(&aish_types::sanitize(text));
    }

    /// Prints a line of an answer to a meta command as it is: code, output, what can be copied.
    pub fn print(&self, text: &str) {
        crate::run::print(&aish_types::sanitize(text));
    }
}
