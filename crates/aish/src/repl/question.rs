//! A question to the model, with what goes along, and what is kept of it at the end.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use aish_route::PriorTurn;
use aish_safety::{Policy, Surroundings, Taint};
use aish_term::question::CANCEL;
use aish_turn::{Outcome, Transcript};
use aish_types::sanitize;

use super::{Flow, Repl};
use crate::conversation::Conversation;
use crate::exit::ExitCode;
use crate::explained::analysed;
use crate::file_places::ProjectFiles;
use crate::live::Executed;
use crate::memory::extract;
use crate::mentions::{self, Mentioned};
use crate::project::Project;
use crate::question::Question;

impl Repl {
    /// Puts a text before the next question.
    pub fn attach(&mut self, text: String) {
        self.next.attached.push(text);
    }

    /// Asks the model, as the person's question; `typed` is what the person typed.
    pub async fn ask(&mut self, question: &str) {
        // What the shell does next is told by its state; the line that asks is in the history already.
        let _ = self.answer(question).await;
    }

    pub(super) async fn question(&mut self, typed: &str, question: &str) -> Flow {
        // What start-up files set may be a secret that stands in the line.
        self.start_up_is_read().await;
        self.history.add(typed, &self.folder(), "ai", None, None);
        self.answer(question).await
    }

    async fn answer(&mut self, question: &str) -> Flow {
        // Where they went is where the question is asked.
        self.start_up_is_read().await;
        self.look_for_models().await;
        self.follow_project();
        let folder = PathBuf::from(self.folder());
        // What would go along waits for the next question where this one is kept back.
        let Some(mentioned) = self.mentioned(question, &folder).await else {
            self.say("interrupted; nothing was sent");
            return Flow::Go;
        };
        self.live.take_folded();
        let pending = self.live.take_pending();
        let shell = &self.base.config.shell;
        let outputs = if shell.output_to_model { outputs(&pending, shell.output_bytes) } else { String::new() };
        let attached = std::mem::take(&mut self.next.attached);
        let read = if outputs.is_empty() { Taint::Clean } else { shown_by(&pending) };
        let mut asked = Question { outputs, attached, read, ..Question::new(question) };
        asked.blocks = std::mem::take(&mut self.conversation.attached);
        asked.mentions(mentioned);
        // What a command showed is no question: it would find facts that nobody asked for.
        asked.memories = self.base.memories_for(question, &folder, self.conversation.turn.transcript());
        let interrupt = self.interrupts.arm();
        if let Some(unseen) = self.conversation.sees_no_images(&self.base, &asked.blocks) {
            self.say(&unseen);
        }
        let _silent = self.silence();
        let Conversation { driver, turn, .. } = &mut self.conversation;
        let event = asked.asked(&mut driver.seen.read);
        let outcome = driver.play(turn, event, &mut self.screen.surface, &interrupt).await;
        self.answered = true;
        self.set_prior_turn(prior_turn_of(&outcome, self.conversation.turn.transcript()));
        self.last_outcome = Some(outcome.clone());
        if outcome == Outcome::Interrupted {
            self.say("interrupted");
        }
        if outcome == Outcome::Failed {
            self.heard.failed();
        } else {
            let question = self.base.secrets.redact(question);
            self.heard.add(&question, self.conversation.turn.transcript());
        }
        if self.live.remembered().exited {
            return Flow::End(ExitCode::Ok);
        }
        self.refresh_names();
        // "No, and do this instead" is the answer to what was proposed.
        match self.editor.take_words() {
            Some(words) if outcome == Outcome::Declined => Box::pin(self.question(&words, &words)).await,
            Some(_) | None => Flow::Go,
        }
    }

    /// Reads the files that a question mentions, and says what is sent; those that may hold secrets after a yes. None where the
    /// person would rather not ask any more.
    async fn mentioned(&mut self, question: &str, folder: &Path) -> Option<Mentioned> {
        let home = self.base.paths.home.clone();
        let places = ProjectFiles::of(&self.base);
        let pasted = self.next.pasted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let read = |allowed: &[PathBuf]| mentions::read(question, &pasted, folder, home.as_deref(), &places, allowed);
        let mut mentioned = read(&[]);
        let mut allowed = Vec::new();
        for path in &mentioned.withheld {
            let name = sanitize(&path.to_string_lossy()).into_owned();
            let label = format!("[aish] {name} may hold secrets; send it?\n[y]es  [n]o ");
            match self.editor.choose(&label, &['y', 'n', CANCEL]).await {
                Some('y') => allowed.push(path.clone()),
                Some(CANCEL) => return None,
                Some(_) | None => {}
            }
        }
        if !allowed.is_empty() {
            mentioned = read(&allowed);
        }
        self.next.pasted.lock().unwrap_or_else(PoisonError::into_inner).clear();
        mentioned.said.iter().for_each(|said| self.say(said));
        Some(mentioned)
    }

    /// Reads the project's files again: they may have changed, and the person may have gone elsewhere.
    pub fn follow_project(&mut self) -> Project {
        let folder = PathBuf::from(self.folder());
        let project = self.base.project_at(&folder);
        self.conversation.goes_to(&self.base, &folder);
        for notice in self.conversation.follow(&project) {
            self.say(&notice);
        }
        project
    }

    /// Keeps what this session leaves to remember; Ctrl-C and a slow model end it.
    pub(super) async fn remember(&mut self) {
        let fast = self.conversation.driver.asker.fast_model();
        let small = self.conversation.found_places.get(fast).is_none_or(|place| place.small);
        if !(self.base.config.memory.enabled && self.base.config.memory.auto && self.heard.is_telling()) || small {
            return;
        }
        self.say("looking for facts to remember (Ctrl-C skips it)");
        let cancel = self.interrupts.arm();
        let _silent = self.silence();
        let found = extract::ask(&self.conversation.driver.asker.broker, &self.heard, extract::PATIENCE, &cancel).await;
        let folder = PathBuf::from(self.folder());
        for line in extract::keep(&self.base, &self.conversation.driver.caller.session, &folder, found) {
            self.say(&line);
        }
    }
}

/// Returns what the end of a turn is to the next line.
fn prior_turn_of(outcome: &Outcome, transcript: &Transcript) -> PriorTurn {
    let last = transcript.entries().last().filter(|_| *outcome == Outcome::Answered);
    last.map_or(PriorTurn::Other, |entry| PriorTurn::of_answer(entry.message.content()))
}

/// Returns where what the last commands showed comes from.
fn shown_by(pending: &[Executed]) -> Taint {
    let (around, policy) = (Surroundings::default(), Policy::default());
    let taint = |executed: &Executed| analysed(&executed.command, &around, &policy).taint;
    pending.iter().map(taint).max().unwrap_or_default()
}

/// Writes the last commands with their exit codes and outputs, head and tail of them in `limit` bytes.
fn outputs(pending: &[Executed], limit: usize) -> String {
    let each = limit / pending.len().max(1);
    let mut text = String::new();
    for executed in pending {
        let output = aish_types::head_and_tail(executed.output.trim_end(), each);
        text.push_str(&format!("[exec: {}]\n{}\n[exit code: {}]\n\n", executed.command, output.text, executed.status));
    }
    text
}
