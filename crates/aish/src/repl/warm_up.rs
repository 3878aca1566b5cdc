//! What the shell does behind its first prompt, before anybody has typed.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::Repl;
use super::earlier::Earlier;
use super::first_start::FirstStart;
use crate::history_import::HistoryImport;
use crate::servers;

/// By when the first prompt is drawn; nobody types before.
const PROMPT_DRAWN: Duration = Duration::from_millis(60);

/// How long most servers take from their start until their tools are known.
const SERVERS_KNOWN: Duration = Duration::from_secs(2);

/// How long a prompt stands before the pages of code that an answer needed are given back; who types on needs few of them.
const AT_REST: Duration = Duration::from_millis(500);

/// Waits for a line, and gives pages of code back where a model has answered and the line takes its time.
pub(super) async fn at_rest<T>(answered: &mut bool, line: impl Future<Output = T>) -> T {
    tokio::pin!(line);
    loop {
        tokio::select! {
            biased;
            line = &mut line => return line,
            () = tokio::time::sleep(AT_REST), if *answered => {
                aish_process::release_code();
                *answered = false;
            }
        }
    }
}

impl Repl {
    /// Opens the history behind the first prompt, so that the first key does not wait for it, takes over those of other
    /// shells where that was not done yet, and gives back what only the start needed.
    pub(super) fn warm_up(&self) -> JoinHandle<()> {
        let (history, printer) = (Arc::clone(&self.history), self.editor.printer());
        let import = HistoryImport::find(&self.base);
        let model = self.conversation.driver.asker.model.as_str();
        let place = self.conversation.found_places.get(model);
        let first = FirstStart::of(&self.base, place, self.starting.looking.is_some());
        let earlier = first.as_ref().and_then(|_| Earlier::of(&self.base));
        tokio::spawn(async move {
            tokio::time::sleep(servers::BEHIND_THE_PROMPT + PROMPT_DRAWN).await;
            for line in first.map(FirstStart::said).unwrap_or_default() {
                printer.say(&line);
            }
            let opened = tokio::task::spawn_blocking(move || {
                history.newest(1);
                let mut said = earlier.map(Earlier::take_over).unwrap_or_default();
                said.extend(import.and_then(|import| import.run()));
                said
            });
            for said in opened.await.unwrap_or_default() {
                printer.say(&said);
            }
            aish_process::release_code();
            // By then servers have told their tools.
            tokio::time::sleep(SERVERS_KNOWN).await;
            aish_process::release_code();
        })
    }
}
