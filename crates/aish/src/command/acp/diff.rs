//! What calls changed in files, from what was put aside before them.

use std::collections::HashSet;
use std::path::Path;

use aish_acp::Diff;
use aish_journal::undo::{Became, UndoJournal};

/// The largest text that is shown before and after, in bytes.
const MOST: u64 = 256 * 1024;
/// The most files of a call.
const FILES: usize = 20;

/// The steps of one session's calls.
pub(super) struct Differences<'a> {
    journal: Option<UndoJournal>,
    session: &'a str,
    /// Steps that were there before.
    known: HashSet<String>,
    begun: bool,
}

impl<'a> Differences<'a> {
    pub(super) fn new(journal: Option<UndoJournal>, session: &'a str) -> Self {
        Self { journal, session, known: HashSet::new(), begun: false }
    }

    /// Notes what was put aside before this turn's calls.
    pub(super) fn begin(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.known = self.ids();
        }
    }

    fn ids(&self) -> HashSet<String> {
        let steps = self.journal.as_ref().and_then(|journal| journal.steps().ok()).unwrap_or_default();
        steps.into_iter().map(|step| step.id).collect()
    }

    /// Returns the texts that differ from what was put aside since the last time.
    pub(super) fn since(&mut self) -> Vec<Diff> {
        let Some(journal) = &self.journal else { return Vec::new() };
        let mut diffs = Vec::new();
        for step in journal.steps().unwrap_or_default() {
            if step.session.as_deref() != Some(self.session) || !self.known.insert(step.id.clone()) {
                continue;
            }
            for (path, became) in journal.changes_since(&step).unwrap_or_default().into_iter().take(FILES) {
                let before = match became {
                    Became::Created => None,
                    Became::Changed | Became::Deleted => match journal.text_of(&step, &path, MOST) {
                        Some(text) => Some(text),
                        // What is no text, or is too long, is not shown.
                        None => continue,
                    },
                };
                let after = match became {
                    Became::Deleted => Some(String::new()),
                    Became::Created | Became::Changed => read(&path),
                };
                diffs.extend(after.map(|after| Diff { path, before, after }));
            }
        }
        diffs
    }
}

fn read(path: &Path) -> Option<String> {
    let is_read = |file: &std::fs::Metadata| file.is_file() && file.len() <= MOST;
    std::fs::symlink_metadata(path).ok().filter(is_read).and_then(|_| std::fs::read_to_string(path).ok())
}
