//! What git changes that it does not keep.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::arguments::Arguments;
use super::super::explain::Part;
use super::super::walk::Walker;
use super::super::word::Word;
use crate::change::{GitChange, How, PathText, Reach, Target};

/// A git line behind its sub-command.
struct Line<'a> {
    words: &'a [Word],
}

impl Line<'_> {
    fn has(&self, flags: &[&str]) -> bool {
        self.words.iter().take_while(|word| word.text != "--").any(|word| {
            let name = word.text.split('=').next().unwrap_or_default();
            flags.iter().any(|flag| {
                name == *flag
                    || flag.len() == 2
                        && !word.text.starts_with("--")
                        && word.text.starts_with('-')
                        && word.text.chars().skip(1).any(|letter| flag.ends_with(letter))
            })
        })
    }

    /// Operands before `--`.
    fn before(&self) -> Vec<&Word> {
        self.words.iter().take_while(|word| word.text != "--").filter(|word| !word.text.starts_with('-')).collect()
    }

    /// Everything behind `--`; none without one.
    fn behind(&self) -> Option<&[Word]> {
        let at = self.words.iter().position(|word| word.text == "--")?;
        self.words.get(at + 1..)
    }

    fn value(&self, long: &str, short: &str) -> Option<String> {
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            if word.text == short || word.text == long {
                return words.next().map(|word| word.text.clone());
            }
            if let Some(value) = word.text.strip_prefix(long).and_then(|rest| rest.strip_prefix('=')) {
                return Some(value.to_string());
            }
        }
        None
    }
}

impl Walker<'_> {
    /// Writes down what a git line changes; false where nothing is lost by it, or nothing can be named.
    pub(super) fn record_git(&mut self, arguments: &Arguments<'_>, part: &Part) -> bool {
        let Some((folder, verb, words)) = self.git_folder(arguments.words) else { return false };
        let line = Line { words };
        match verb.as_str() {
            "reset" => {
                let against = line.before().first().map(|word| word.text.clone());
                if line.has(&["--hard", "--merge", "--keep"]) {
                    self.git(&folder, GitChange::Tracked { against, paths: Vec::new() });
                }
                self.git(&folder, GitChange::Records { refs: Vec::new() });
            }
            "checkout" => return self.checkout(&folder, &line, part),
            "switch" if line.has(&["-f", "--force", "--discard-changes"]) => {
                let against = line.before().last().map(|word| word.text.clone());
                self.git(&folder, GitChange::Tracked { against, paths: Vec::new() });
                self.git(&folder, GitChange::Records { refs: Vec::new() });
            }
            "restore" => {
                let source = line.value("--source", "-s");
                let named = line.before();
                let words: Vec<Word> = match line.behind() {
                    Some(behind) => behind.to_vec(),
                    None => named.into_iter().filter(|word| Some(&word.text) != source.as_ref()).cloned().collect(),
                };
                let Some(paths) = self.git_paths(&words) else {
                    self.cannot_name(&part.text);
                    return true;
                };
                self.git(&folder, GitChange::Tracked { against: source, paths });
                self.git(&folder, GitChange::Records { refs: Vec::new() });
            }
            "clean" => {
                if line.has(&["-n", "--dry-run"]) {
                    return true;
                }
                let words: Vec<Word> = match line.behind() {
                    Some(behind) => behind.to_vec(),
                    None => line.before().into_iter().cloned().collect(),
                };
                let Some(paths) = self.git_paths(&words) else {
                    self.cannot_name(&part.text);
                    return true;
                };
                let ignored = line.has(&["-x", "-X"]);
                self.git(&folder, GitChange::Untracked { ignored, paths });
            }
            "stash" => {
                let action = line.before().first().map_or("push", |word| word.text.as_str()).to_string();
                if matches!(action.as_str(), "list" | "show" | "create") {
                    return false;
                }
                if matches!(action.as_str(), "push" | "save" | "pop" | "apply" | "branch") {
                    self.git(&folder, GitChange::Tracked { against: Some("stash@{0}".into()), paths: Vec::new() });
                    if line.has(&["-u", "--include-untracked", "-a", "--all"]) {
                        self.git(&folder, GitChange::Untracked { ignored: false, paths: Vec::new() });
                    }
                }
                self.git(&folder, GitChange::Records { refs: alloc::vec!["stash".into()] });
            }
            "branch" if line.has(&["-D", "-d", "-f", "-M", "-m", "-C", "--delete", "--force", "--move"]) => {
                return self.git_refs(&folder, "heads", &line);
            }
            "tag" if line.has(&["-d", "-f", "--delete", "--force"]) => return self.git_refs(&folder, "tags", &line),
            "commit" if line.has(&["--amend"]) => self.git(&folder, GitChange::Records { refs: Vec::new() }),
            "rm" | "mv" => return self.git_files(&folder, &verb, &line, part),
            "push" | "gc" | "prune" | "reflog" | "filter-branch" | "filter-repo" | "update-ref" => return false,
            _ => return false,
        }
        true
    }

    /// `checkout`: of paths, of a commit's paths, or by force of another branch.
    fn checkout(&mut self, folder: &PathText, line: &Line<'_>, part: &Part) -> bool {
        let named = line.before();
        if let Some(behind) = line.behind() {
            let against = named.first().map(|word| word.text.clone());
            let Some(paths) = self.git_paths(behind) else {
                self.cannot_name(&part.text);
                return true;
            };
            self.git(folder, GitChange::Tracked { against, paths });
            self.git(folder, GitChange::Records { refs: Vec::new() });
            return true;
        }
        if line.has(&["-f", "--force"]) {
            let against = named.first().map(|word| word.text.clone());
            self.git(folder, GitChange::Tracked { against, paths: Vec::new() });
            self.git(folder, GitChange::Records { refs: Vec::new() });
            return true;
        }
        if line.has(&["-b", "-B", "--orphan", "--detach"]) {
            return false;
        }
        // `checkout NAME` is a branch or a path: whoever looks finds out, a branch changes no such path.
        let owned: Vec<Word> = named.iter().map(|word| (*word).clone()).collect();
        let Some(paths) = self.git_paths(&owned) else {
            self.cannot_name(&part.text);
            return true;
        };
        if paths.is_empty() {
            return false;
        }
        let against = (paths.len() > 1).then(|| named.first().map(|word| word.text.clone())).flatten();
        self.git(folder, GitChange::Tracked { against, paths });
        self.git(folder, GitChange::Records { refs: Vec::new() });
        true
    }

    fn git_refs(&mut self, folder: &PathText, kind: &str, line: &Line<'_>) -> bool {
        let refs: Vec<String> = line.before().iter().map(|word| format!("{kind}/{}", word.text)).collect();
        if refs.is_empty() || line.before().iter().any(|word| !word.is_known()) {
            return false;
        }
        self.git(folder, GitChange::Records { refs });
        true
    }

    fn git_files(&mut self, folder: &PathText, verb: &str, line: &Line<'_>, part: &Part) -> bool {
        let words: Vec<Word> = line.words.iter().filter(|word| !word.text.starts_with('-')).cloned().collect();
        let Some(paths) = self.git_paths(&words) else {
            self.cannot_name(&part.text);
            return true;
        };
        if !line.has(&["--cached", "-n", "--dry-run"]) {
            let below = |path: &PathText| PathText { folder: joined(folder), ..path.clone() };
            let (sources, into) = match (verb, paths.split_last()) {
                ("mv", Some((last, sources))) => (sources, Some(last)),
                _ => (paths.as_slice(), None),
            };
            let how = if verb == "mv" { How::Move } else { How::Remove };
            for path in sources {
                self.target(Target::Path { path: below(path), how, reach: Reach::Tree, names: Vec::new() });
            }
            if let Some(last) = into {
                let sources = sources.iter().map(below).collect();
                let destination = below(last);
                self.target(Target::Into { destination, sources, how: How::Remove, reach: Reach::Tree });
            }
        }
        self.git(folder, GitChange::Records { refs: Vec::new() });
        true
    }

    fn git(&mut self, folder: &PathText, what: GitChange) {
        self.target(Target::Git { folder: folder.clone(), what });
    }

    fn git_paths(&self, words: &[Word]) -> Option<Vec<PathText>> {
        words.iter().map(|word| self.path_text(word)).collect()
    }

    /// Returns the folder that git works in, its sub-command and what is behind that.
    fn git_folder<'w>(&self, words: &'w [Word]) -> Option<(PathText, String, &'w [Word])> {
        let mut folder = self.path_text(&Word::literal("."))?;
        let mut at = 0;
        while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
            match word.text.as_str() {
                "-C" => {
                    let path = self.path_text(words.get(at + 1)?)?;
                    folder = PathText { folder: joined(&folder), ..path };
                    at += 2;
                }
                "-c" | "--config-env" => at += 2,
                text if text.starts_with("--git-dir") || text.starts_with("--work-tree") => return None,
                _ => at += 1,
            }
        }
        let verb = words.get(at)?.text.clone();
        Some((folder, verb, words.get(at + 1..).unwrap_or_default()))
    }
}

/// Returns a path as the folder of others.
fn joined(path: &PathText) -> Option<String> {
    match (&path.folder, path.text.as_str()) {
        (folder, ".") => folder.clone(),
        (_, text) if text.starts_with(['/', '~']) => Some(text.to_string()),
        (Some(folder), text) => Some(format!("{folder}/{text}")),
        (None, text) => Some(text.to_string()),
    }
}
