//! What a confined run changed, in words and as JSON.

use std::path::Path;

use aish_confine::{
    Caches, Change, ChangeKind, Changes, Ended, FileKind, Guarded, Layer, LineCounts, Refused, Report, Settings,
};
use aish_safety::{ChangeLine, ChangedText, Texts};
use aish_types::visible;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::undo::say::size;

/// Changes that are shown, a line each; there may be more.
const SHOWN: usize = 20;

/// Files whose lines are counted; the rest is told by bytes.
const COUNTED: usize = 200;

/// Bytes of a difference that is shown.
const LONGEST_DIFF: usize = 1 << 20;

/// Files whose texts are shown whole, before and after.
const SHOWN_WHOLE: usize = 20;

/// Bytes of a text that is shown whole, and of all of them together.
const LONGEST_TEXT: (usize, usize) = (256 << 10, 1 << 20);

/// The facts of one run.
pub struct Facts {
    entries: Vec<Entry>,
    /// What changed, for [`Facts::diff`].
    pub(crate) changes: Changes,
}

struct Entry {
    change: Change,
    lines: Option<LineCounts>,
    /// What of it a person decides on.
    guarded: Vec<Guarded>,
}

impl Facts {
    /// Gathers the facts of a layer that is open. `settings` say what is ordinary.
    ///
    /// # Errors
    /// In words, when the layer cannot be read.
    pub fn of(layer: &Layer, settings: &Settings) -> Result<Self, Failure> {
        let changes = layer.changes(Caches::LeftOut)?;
        let guards = layer.guards(&changes.changes, settings);
        let entry = |(number, (change, guarded)): (usize, (&Change, Vec<Guarded>))| Entry {
            lines: (number < COUNTED && change.kind == ChangeKind::Changed).then(|| layer.lines(change)).flatten(),
            guarded,
            change: change.clone(),
        };
        Ok(Self { entries: changes.changes.iter().zip(guards).enumerate().map(entry).collect(), changes })
    }

    /// Says whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Tells the facts, a line a change.
    pub fn say(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.lines().into_iter().map(told).collect();
        lines.extend(self.left_out());
        lines
    }

    /// Returns the facts, a line a change, with what a person decides on.
    pub fn lines(&self) -> Vec<ChangeLine> {
        // What a person decides on is never among those that are left out.
        let (guarded, mut plain): (Vec<&Entry>, Vec<&Entry>) =
            self.entries.iter().partition(|entry| !entry.guarded.is_empty());
        let room = SHOWN.saturating_sub(guarded.len()).max(1);
        let more = plain.len().saturating_sub(room);
        if more > 0 {
            // What takes something away is told before what is new.
            plain.sort_by_key(|entry| entry.change.gone.0 == 0);
        }
        let mut lines: Vec<ChangeLine> = plain.iter().take(room).chain(&guarded).map(|entry| entry.line()).collect();
        if more > 0 {
            lines.push(ChangeLine { text: format!("and {more} more"), guarded: None });
        }
        lines
    }

    /// Says whether a person decides on something of it; what a command names as a word of its own, or as a folder of such
    /// a word, is left out.
    pub fn has_guarded(&self, command: Option<&str>) -> bool {
        let words = command.map(words).unwrap_or_default();
        let is_named = |path: &Path| words.iter().any(|word| names(word, path));
        let is_open = |entry: &Entry| {
            // A folder that is new as a whole and is named holds nothing that was not asked for.
            !is_named(&entry.change.path) && entry.guarded.iter().any(|guarded| !is_named(&guarded.path))
        };
        self.entries.iter().any(is_open)
    }

    /// Counts the bytes of what was there before and is changed or deleted: those of it that undo keeps.
    pub fn old_bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.change.gone.1).fold(0, u64::saturating_add)
    }

    /// Tells what is left out when the rest is kept.
    pub fn left_out(&self) -> Vec<String> {
        let refused = &self.changes.refused;
        let mut lines: Vec<String> = refused.iter().take(SHOWN).map(left_out).collect();
        let more = refused.len().saturating_sub(SHOWN);
        lines.extend((more > 0).then(|| format!("left out {more} more")));
        lines
    }

    /// Returns the event `changes`.
    pub fn to_json(&self, layer: &Layer, report: &Report, decision: &str) -> Value {
        let change = |entry: &Entry| {
            let change = &entry.change;
            let mut value = json!({
                "path": change.path.display().to_string(),
                "kind": change.kind.as_str(),
                "files": change.files,
                "bytes": change.bytes,
            });
            let mut put = |key: &str, new: Value| {
                if let Some(object) = value.as_object_mut() {
                    object.insert(key.to_owned(), new);
                }
            };
            if let Some(lines) = entry.lines {
                put("added", json!(lines.added));
                put("removed", json!(lines.removed));
            }
            if entry.replaces_folder() {
                put("deleted_files", json!(change.gone.0));
                put("deleted_bytes", json!(change.gone.1));
            }
            if change.is_more_gone {
                put("uncounted", json!(true));
            }
            if let Some((old, new)) = change.mode {
                put("mode", json!([format!("{old:o}"), format!("{new:o}")]));
            }
            if let Some(why) = entry.why() {
                put("guarded", json!(why));
                let paths = entry.guarded.iter().map(|guarded| guarded.path.display().to_string());
                put("guarded_paths", json!(paths.collect::<Vec<_>>()));
            }
            value
        };
        let refused =
            |refused: &aish_confine::Refused| json!({"path": refused.path.display().to_string(), "why": refused.why});
        json!({
            "event": "changes",
            "id": layer.id(),
            "command": layer.about.command,
            "code": report.code,
            "signal": report.signal,
            "decision": decision,
            "changes": self.entries.iter().map(change).collect::<Vec<_>>(),
            "left_out": self.changes.refused.iter().map(refused).collect::<Vec<_>>(),
            "hosts": report.names,
        })
    }

    /// Writes the differences of all changes, up to 1 MiB.
    pub fn diff(layer: &Layer, changes: &Changes) -> String {
        let mut out = String::new();
        for change in &changes.changes {
            if out.len() > LONGEST_DIFF {
                out.push_str("and more, which is too long to show\n");
                break;
            }
            match layer.diff(change) {
                // The difference of an empty file, or of a mode alone, is empty.
                Some(text) if change.files == 1 && !text.is_empty() => out.push_str(&text),
                Some(_) | None => {
                    let entry = Entry { change: change.clone(), lines: None, guarded: Vec::new() };
                    out.push_str(&told(entry.line()));
                    out.push('\n');
                }
            }
        }
        out
    }

    /// Reads the texts that changed, guarded ones first: at most 20 of at most 256 KiB each, 1 MiB in all.
    pub fn texts(&self, layer: &Layer) -> Texts {
        let (guarded, plain): (Vec<&Entry>, Vec<&Entry>) =
            self.entries.iter().partition(|entry| !entry.guarded.is_empty());
        let changes: Vec<Change> = guarded.iter().chain(&plain).map(|entry| entry.change.clone()).collect();
        let (layer, refused) = (layer.clone(), self.changes.refused.clone());
        Texts::new(move || texts(&layer, &changes, &refused))
    }
}

impl Entry {
    fn line(&self) -> ChangeLine {
        ChangeLine { text: self.named(), guarded: self.why() }
    }

    fn why(&self) -> Option<&'static str> {
        self.guarded.first().map(|guarded| guarded.why)
    }

    /// Tells the change, and which path in it a person decides on where that is another.
    fn named(&self) -> String {
        let mut text = self.plain();
        let mut inner = self.guarded.iter().filter(|guarded| guarded.path != self.change.path);
        if let Some(first) = inner.next() {
            text.push_str(&format!(", in it {}", in_one_line(&first.path)));
            match inner.count() {
                0 => {}
                more => text.push_str(&format!(" and {more} more")),
            }
        }
        text
    }

    /// Says whether a folder went as a whole, and something is in its place.
    fn replaces_folder(&self) -> bool {
        let change = &self.change;
        change.kind == ChangeKind::Changed
            && change.before == Some(FileKind::Folder)
            && (change.replaces || change.after != Some(FileKind::Folder))
    }

    fn plain(&self) -> String {
        let change = &self.change;
        let path = in_one_line(&change.path);
        let path = if path.is_empty() { ".".to_owned() } else { path };
        if self.replaces_folder() {
            let new = match change.after {
                Some(FileKind::Folder) => format!("a new folder ({})", files(change.files, change.bytes)),
                Some(FileKind::Link) => "a link".to_owned(),
                _ => format!("a file ({})", size(change.bytes)),
            };
            let (gone, bytes) = change.gone;
            let gone = counted(gone, bytes, change.is_more_gone);
            return format!("{:<8} {path}/ ({gone}), and in its place {new}", "deleted");
        }
        let is_whole_folder =
            change.files != 1 || change.after.or(change.before).is_some_and(|kind| kind == FileKind::Folder);
        let mut text = format!("{:<8} {path}", change.kind.as_str());
        if let Some(LineCounts { added, removed }) = self.lines.filter(|_| !change.attributes_only) {
            text.push_str(&format!(" +{added} \u{2212}{removed}"));
        } else if is_whole_folder && change.kind != ChangeKind::Changed {
            text.push_str(&format!("/ ({})", counted(change.files, change.bytes, change.is_more_gone)));
        } else if !change.attributes_only {
            text.push_str(&format!(" ({})", size(change.bytes)));
        }
        if let Some(new) = change.after.filter(|_| change.before.is_some() && change.before != change.after) {
            text.push_str(if new == FileKind::Link { ", now a link" } else { ", now a file" });
        } else if let Some((old, new)) = change.mode {
            text.push_str(&format!(" mode {old:o} \u{2192} {new:o}"));
        } else if change.attributes_only && change.kind == ChangeKind::Changed {
            text.push_str(" (times or attributes)");
        }
        if change.loses_attributes() {
            text.push_str(", without its extended attributes or access list");
        }
        text
    }
}

/// Tells how many files there were, and their bytes. `is_more` says that some could not be looked at.
fn counted(count: u64, bytes: u64, is_more: bool) -> String {
    match (is_more, count) {
        (false, _) => files(count, bytes),
        (true, 0) => "what was in it cannot be read".to_owned(),
        (true, _) => format!("{}, and more that cannot be read", files(count, bytes)),
    }
}

/// Tells how many files there are, and their bytes.
fn files(count: u64, bytes: u64) -> String {
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    format!("{files}, {}", size(bytes))
}

/// Writes a line of the facts, with what a person decides on behind it.
fn told(line: ChangeLine) -> String {
    match line.guarded {
        Some(why) => format!("{}  ! {why}", line.text),
        None => line.text,
    }
}

/// Shows a path so that it is one line whatever its name is.
pub fn in_one_line(path: &Path) -> String {
    visible(&path.display().to_string()).replace('\n', "\\n").replace('\t', "\\t")
}

/// Tells what is left out when the rest is kept.
fn left_out(refused: &Refused) -> String {
    format!("left out {} because {}", in_one_line(&refused.path), refused.why)
}

/// Splits a command at what a shell sets between words.
fn words(command: &str) -> Vec<&str> {
    let is_between = |c: char| c.is_whitespace() || "\"'`;|&()<>{}=,:".contains(c);
    command.split(is_between).map(|word| word.trim_start_matches("./").trim_end_matches('/')).collect()
}

/// Says whether a word is a path below the tree, or below it in turn; absolute, it may be of any tree.
fn names(word: &str, path: &Path) -> bool {
    if path.as_os_str().is_empty() {
        return false;
    }
    let word = Path::new(word);
    word.starts_with(path) || word.is_absolute() && word.ends_with(path)
}

fn texts(layer: &Layer, changes: &[Change], refused: &[Refused]) -> Vec<ChangedText> {
    let (longest, mut room) = LONGEST_TEXT;
    let mut out = Vec::new();
    for change in changes {
        for text in layer.texts(change, SHOWN_WHOLE) {
            let is_refused = refused.iter().any(|refused| refused.root == change.root && refused.path == text.path);
            let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
            let (before, after) = (length(&text.before), length(&text.after));
            // A name that is no text cannot be told whole.
            let path = layer.tree(change.root).join(&text.path).into_os_string().into_string();
            let (Ok(path), false) = (path, is_refused || before.max(after) > longest) else { continue };
            if out.len() == SHOWN_WHOLE || before + after > room {
                return out;
            }
            room -= before + after;
            out.push(ChangedText { path, before: text.before, after: text.after });
        }
    }
    out
}

/// Tells what the run may have missed, and why it was ended.
pub fn remarks(report: &Report, network: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(Ended::LayerFull) = report.ended {
        lines.push("it was ended because what it wrote grew over the limit".to_owned());
    }
    if let Some((first, rest)) = report.names.split_first().filter(|_| !network) {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let first = visible(first);
        lines.push(format!("it asked for {first}{more} and had no network; it may have needed it"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_what_is_a_word_of_it() {
        let is_named = |command: &str, path: &str| words(command).iter().any(|word| names(word, Path::new(path)));
        for (command, path) in [
            ("cp x .envrc", ".envrc"),
            ("echo x >> ./.envrc", ".envrc"),
            ("cargo new --vcs none extra", "extra"),
            ("touch 'a/.npmrc'", "a/.npmrc"),
            ("mkdir -p .vscode/x", ".vscode"),
            ("chmod +x /home/ana/work/run", "run"),
        ] {
            assert!(is_named(command, path), "{command}: {path}");
        }
        for (command, path) in [
            ("make all", "a"),
            ("make", ".make"),
            ("cat a.envrc", ".envrc"),
            ("cd sub; touch x", "sub/.x"),
            ("ls /", ""),
        ] {
            assert!(!is_named(command, path), "{command}: {path}");
        }
    }

    #[test]
    fn what_cannot_be_looked_at_is_not_counted_as_nothing() {
        assert_eq!(counted(0, 0, true), "what was in it cannot be read");
        assert_eq!(counted(2, 5, true), "2 files, 5 bytes, and more that cannot be read");
        assert_eq!(counted(1, 5, false), "1 file, 5 bytes");
    }

    #[test]
    fn a_path_is_one_line() {
        assert_eq!(in_one_line(Path::new("a\n  new  b\u{1b}[2J")), "a\\n  new  b\\e[2J");
    }
}
