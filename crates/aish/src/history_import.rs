//! The history of other shells, taken over once, at the first start.
//!
//! Order: [`files`] says which files there are, [`formats`] reads them; here they become one history. What is taken over
//! stays in the line history: no model is ever given any of it.

mod files;
mod formats;

use std::path::PathBuf;
use std::sync::Arc;

use aish_journal::{hold, replace};
use aish_store::Store;
use aish_store::history_import::ImportedLine;

use crate::base::Base;
use crate::secrets::Secrets;
use files::Source;

/// Lines that are taken over at most, the newest ones.
const MOST: usize = 50_000;

/// What is needed to take histories over.
pub struct HistoryImport {
    /// A file that says what was taken over.
    note: PathBuf,
    sources: Vec<Source>,
    store: Arc<Store>,
    secrets: Arc<Secrets>,
    size: u64,
}

impl HistoryImport {
    /// Finds what there is, as it is now; none where that was taken over before or no state can be kept.
    pub fn find(base: &Base) -> Option<Self> {
        let note = base.paths.state.as_ref()?.join("history-import.json");
        (!note.exists()).then(|| Self {
            note,
            sources: files::found(&base.paths, &base.variables),
            store: Arc::clone(&base.store),
            secrets: Arc::clone(&base.secrets),
            size: base.config.history.size,
        })
    }

    /// Takes over what was found, and says what was; none where there was nothing.
    pub fn run(&self) -> Option<String> {
        // Of several sessions that start at once, one takes them over.
        let _held = hold(&self.note);
        if self.note.exists() {
            return None;
        }
        let mut lines: Vec<ImportedLine> = Vec::new();
        let mut told: Vec<String> = Vec::new();
        let mut counts = serde_json::Map::new();
        for source in &self.sources {
            match source.read(MOST) {
                Ok(found) if found.is_empty() => {}
                Ok(found) => {
                    let word = if found.len() == 1 { "line" } else { "lines" };
                    told.push(format!("{} {word} of {}", found.len(), source.name));
                    counts.insert(source.path.display().to_string(), found.len().into());
                    lines.extend(found);
                }
                Err(why) => told.push(format!("none of {} ({why})", source.name)),
            }
        }
        lines.retain(|line| !self.secrets.are_in(&line.command));
        // Lines of one file stay in their order.
        lines.sort_by_key(|line| line.started_ms);
        lines.dedup_by(|later, earlier| later.command == earlier.command && later.exit_code.is_none());
        let most = MOST.min(usize::try_from(self.size).unwrap_or(MOST));
        lines.drain(..lines.len().saturating_sub(most));
        // Without the note they would be taken over again.
        replace(&self.note, serde_json::Value::Object(counts).to_string().as_bytes()).ok()?;
        if let Err(error) = self.store.import_history(&lines) {
            let _ = std::fs::remove_file(&self.note);
            return Some(format!("no history was taken over: {}", crate::failure::chain(&error)));
        }
        (!told.is_empty()).then(|| format!("history taken over: {}; it stays on this machine", told.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use aish_journal::WallClock;
    use aish_store::HistoryQuery;

    use super::*;
    use crate::paths::Paths;

    #[test]
    fn of_several_that_start_at_once_one_takes_them_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".bash_history"), "one\ntwo\nthree\n").unwrap();
        let paths = Paths { home: Some(folder.path().to_owned()), ..Paths::default() };
        let store = Arc::new(Store::new(folder.path().join("aish.db"), WallClock::default()));
        let imports: Vec<HistoryImport> = (0..8)
            .map(|_| HistoryImport {
                note: folder.path().join("note.json"),
                sources: files::found(&paths, &[]),
                store: Arc::clone(&store),
                secrets: Arc::default(),
                size: 100,
            })
            .collect();
        let told: Vec<String> = std::thread::scope(|scope| {
            let runs: Vec<_> = imports.iter().map(|import| scope.spawn(|| import.run())).collect();
            runs.into_iter().filter_map(|run| run.join().unwrap()).collect()
        });
        assert_eq!(told, ["history taken over: 3 lines of bash; it stays on this machine"]);
        assert_eq!(store.search_history(&HistoryQuery::default()).unwrap().len(), 3);
    }
}
