//! Changes of files on their way: what is asked, what is written, and what the model is told of it.

use std::sync::Arc;

use aish_files::{Change, FileError, Located, Tree, difference};
use aish_safety::{Act, FileAccess, Subject};
use aish_types::{CallContext, SessionId, ToolOutcome};

use super::editor::Written;
use super::{Files, fault, numbered, one_line, shown};
use crate::plan::{Plan, blocking};
use crate::schema::Faults;

/// The most lines of a difference that are asked about.
const MOST_LINES: usize = 80;

/// Lines that are shown to the model round a change.
const AROUND: usize = 2;

/// The most lines that it is shown.
const MOST_SHOWN: usize = 40;

/// One file that a call changes.
pub(super) struct FileChange {
    pub(super) located: Located,
    /// What it holds, with its hash; none where it is not there.
    pub(super) old: Option<(String, [u8; 32])>,
    /// What it gets, with its bytes; none where it is taken away.
    pub(super) new: Option<(String, Vec<u8>)>,
    /// The file whose mode, owner and attributes it takes over: the one that it was before it got this name.
    pub(super) like: Option<Located>,
    /// The lines that the model is shown afterwards.
    pub(super) lines: Option<(usize, usize)>,
}

impl FileChange {
    fn act(&self) -> Act {
        if self.new.is_some() { Act::Write } else { Act::Delete }
    }

    fn old_text(&self) -> Option<&str> {
        self.old.as_ref().map(|(text, _)| text.as_str())
    }

    fn new_text(&self) -> Option<&str> {
        self.new.as_ref().map(|(text, _)| text.as_str())
    }

    fn write(&self, tree: &Tree, files: &Files) -> Result<Written, FileError> {
        let change = match (&self.old, &self.new) {
            (None, Some((_, bytes))) => match &self.like {
                Some(file) => Change::CreateLike { file, bytes },
                None => Change::Create(bytes),
            },
            (Some((_, expected)), Some((_, bytes))) => Change::Replace { expected, bytes },
            (Some((_, expected)), None) => Change::Delete { expected },
            (None, None) => return Ok(Written::AsMeant),
        };
        files.write(tree, &self.located, change, self.new_text())
    }

    /// Says what was done, with the new lines.
    fn told(&self) -> String {
        let name = shown(&self.located);
        let Some((text, _)) = &self.new else { return format!("deleted {name}\n") };
        let verb = if self.old.is_some() { "changed" } else { "made" };
        match self.lines {
            Some((first, last)) => {
                let from = first.saturating_sub(AROUND).max(1);
                let to = (last + AROUND).min(from + MOST_SHOWN);
                format!("{verb} {name}, now:\n{}", numbered(text, from, to))
            }
            None => match text.lines().count() {
                1 => format!("{verb} {name} (1 line)\n"),
                count => format!("{verb} {name} ({count} lines)\n"),
            },
        }
    }
}

impl Files {
    /// Makes the plan of changes: the whole difference is asked about, and all are written or, where a file has changed in
    /// the meantime, none.
    pub(super) fn changing(
        self: Arc<Self>,
        tree: Tree,
        changes: Vec<FileChange>,
        note: &'static str,
        context: &CallContext,
    ) -> Result<Plan, Faults> {
        if changes.is_empty() {
            return Err(fault("nothing would change"));
        }
        let accesses = changes
            .iter()
            .map(|change| FileAccess { path: change.located.absolute.display().to_string(), act: change.act() })
            .collect();
        let each = (MOST_LINES / changes.len()).max(12);
        let shown =
            |change: &FileChange| difference(&one_line(&change.located), change.old_text(), change.new_text(), each);
        let difference = changes.iter().map(shown).collect::<Vec<_>>().join("\n");
        let concern = changes.iter().find_map(|change| self.concern(&tree, change));
        let session = context.session.clone();
        let subject = Subject::Files { accesses, concern, difference };
        Ok(Plan::of(subject, move |_call, context| {
            blocking(context, move |_stop| {
                // All are looked at before the first is written.
                if let Some(why) = changes.iter().find_map(|change| self.stale(&tree, change)) {
                    return ToolOutcome::failure(why);
                }
                self.write_all(&tree, &changes, note, &session)
            })
        }))
    }

    /// Says why a change that was planned no longer fits its file, where that is so.
    fn stale(&self, tree: &Tree, change: &FileChange) -> Option<String> {
        let name = shown(&change.located);
        let checked = match &change.old {
            Some((_, hash)) => tree.check(&change.located, hash),
            None if tree.read(&change.located).is_ok() => Err(FileError::Changed(name.clone())),
            None => Ok(()),
        };
        if let Err(why) = checked {
            return Some(why.to_string());
        }
        let old = change.old_text()?;
        self.unsaved(&change.located.absolute, old).is_some().then(|| format!("{name} {UNSAVED}"))
    }

    /// Writes changes one after the other, up to the first that cannot be written.
    fn write_all(&self, tree: &Tree, changes: &[FileChange], note: &str, session: &SessionId) -> ToolOutcome {
        let mut told = String::from(note);
        for change in changes {
            match change.write(tree, self) {
                Ok(Written::AsMeant) => {
                    if let Ok(content) = tree.read(&change.located) {
                        self.seen.put(session, &change.located.absolute, content.hash);
                    }
                    told.push_str(&change.told());
                }
                Ok(Written::Otherwise) => {
                    let name = shown(&change.located);
                    told.push_str(&format!("{name} {OTHERWISE}\n"));
                }
                Err(error) => {
                    return match told.is_empty() || told == note {
                        true => ToolOutcome::failure(error.to_string()),
                        false => ToolOutcome::failure(format!("{told}then it stopped: {error}")),
                    };
                }
            }
        }
        ToolOutcome::success(told)
    }

    /// Says why a change is left to a person in any case, where it is.
    fn concern(&self, tree: &Tree, change: &FileChange) -> Option<String> {
        let (old, new) = (change.old_text().unwrap_or_default(), change.new_text().unwrap_or_default());
        let places = [&change.located.below, &change.located.asked];
        let guarded = places.into_iter().find_map(|below| self.places.guarded(tree.root(), below, old, new));
        let guarded = guarded.or_else(|| change.located.has_other_names.then_some(OTHER_NAMES));
        let guarded = guarded.map(|why| format!("{}: {why}", one_line(&change.located)));
        guarded.or_else(|| self.secret(tree, &change.located))
    }
}

/// Why a file with several names is left to a person.
const OTHER_NAMES: &str = "it has other names (hard links), maybe elsewhere, and changes under all of them";

/// Why a file is not written over that an editor has open with changes.
const UNSAVED: &str =
    "has changes in the editor that are not saved; nothing was written: the person has to save or drop them first";

/// What is told of a file that an editor wrote in its own way.
const OTHERWISE: &str =
    "was saved by the editor in another form than was asked for (it may format files): read it again";
