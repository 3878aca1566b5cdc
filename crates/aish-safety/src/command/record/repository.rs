//! What a program that keeps a repository changes and does not keep, by what its data says of its sub-commands.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::Program;
use aish_program_format::loses::{Against, Files, Loss, Paths, Records};
use aish_program_format::tables::List;

use super::super::arguments::Arguments;
use super::super::explain::Part;
use super::super::walk::Walker;
use super::super::word::Word;
use crate::change::{GitChange, How, PathText, Reach, Target};
use crate::rules::programs;

/// A line behind its sub-command.
struct Line<'a> {
    program: Program<'a>,
    words: &'a [Word],
}

impl<'a> Line<'a> {
    fn has(&self, options: List) -> bool {
        let options = self.program.tables().texts(options);
        self.words.iter().take_while(|word| word.text != "--").any(|word| {
            let name = word.text.split('=').next().unwrap_or_default();
            options.clone().any(|option| {
                name == option
                    || option.len() == 2
                        && !word.text.starts_with("--")
                        && word.text.starts_with('-')
                        && word.text.chars().skip(1).any(|letter| option.ends_with(letter))
            })
        })
    }

    /// Operands before `--`.
    fn before(&self) -> Vec<Word> {
        let before = self.words.iter().take_while(|word| word.text != "--");
        before.filter(|word| !word.text.starts_with('-')).cloned().collect()
    }

    /// Everything behind `--`; none without one.
    fn behind(&self) -> Option<&'a [Word]> {
        let at = self.words.iter().position(|word| word.text == "--")?;
        self.words.get(at + 1..)
    }

    fn value(&self, options: List) -> Option<String> {
        let options = self.program.tables().texts(options);
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            if options.clone().any(|option| option == word.text) {
                return words.next().map(|word| word.text.clone());
            }
            let mut long = options.clone().filter(|option| option.starts_with("--"));
            if let Some(value) = long.find_map(|option| word.text.strip_prefix(option)?.strip_prefix('=')) {
                return Some(value.to_string());
            }
        }
        None
    }

    /// Finds what the line loses.
    fn loss(&self, on: &str) -> Option<Loss> {
        let tables = self.program.tables();
        let before = self.before();
        let first = before.first().map_or("", |word| word.text.as_str());
        self.program.loses().find(|loss| {
            tables.text(loss.on) == on
                && (loss.first.is_empty() || tables.holds(loss.first, first))
                && (loss.with.is_empty() || self.has(loss.with))
                && (!loss.dashed || self.behind().is_some())
        })
    }

    /// Returns what tracked files are put back to.
    fn against(&self, loss: &Loss) -> Option<String> {
        let before = self.before();
        let text = |word: Option<&Word>| word.map(|word| word.text.clone());
        match loss.tracked? {
            Against::FirstOperand => text(before.first()),
            Against::LastOperand => text(before.last()),
            Against::FirstOfSeveral => text(before.first().filter(|_| before.len() > 1)),
            Against::OfOption => self.value(loss.against),
            Against::ByName => self.program.tables().texts(loss.against).next().map(String::from),
        }
    }

    /// Returns the words that name the files that are meant.
    fn named(&self, loss: &Loss) -> Vec<Word> {
        match loss.paths {
            Paths::All => Vec::new(),
            Paths::Behind => self.behind().unwrap_or_default().to_vec(),
            Paths::Before => self.before(),
            Paths::Meant => self.behind().map_or_else(
                || {
                    let value = self.value(loss.against);
                    self.before().into_iter().filter(|word| Some(&word.text) != value.as_ref()).collect()
                },
                <[Word]>::to_vec,
            ),
            Paths::Bare => self.words.iter().filter(|word| !word.text.starts_with('-')).cloned().collect(),
        }
    }
}

impl Walker<'_> {
    /// Writes down what a line of a program that keeps a repository changes; false where nothing is lost by it, or nothing
    /// can be named.
    pub(super) fn record_repository(&mut self, name: &str, arguments: &Arguments<'_>, part: &Part) -> bool {
        let Some(program) = programs::find(name) else { return false };
        let Some((folder, on, words)) = self.repository_folder(program, arguments.words) else { return false };
        let line = Line { program, words };
        let Some(loss) = line.loss(&on) else { return false };
        if loss.nothing {
            return true;
        }
        let named = line.named(&loss);
        let Some(paths) = named.iter().map(|word| self.path_text(word)).collect::<Option<Vec<PathText>>>() else {
            self.cannot_name(&part.text);
            return true;
        };
        if loss.paths == Paths::Before && paths.is_empty() {
            return false;
        }
        if loss.tracked.is_some() {
            let against = line.against(&loss);
            self.kept(&folder, GitChange::Tracked { against, paths: paths.clone() });
        }
        if loss.untracked {
            let ignored = line.has(loss.ignored);
            self.kept(&folder, GitChange::Untracked { ignored, paths: paths.clone() });
        }
        if let Some(files) = loss.files {
            self.files_of(&folder, files, &paths);
        }
        let called = program.tables().text(loss.refs);
        match loss.records {
            Some(Records::Branch) => self.kept(&folder, GitChange::Records { refs: Vec::new() }),
            Some(Records::OneName) => self.kept(&folder, GitChange::Records { refs: alloc::vec![called.into()] }),
            Some(Records::EachOperand) => {
                let before = line.before();
                if before.is_empty() || before.iter().any(|word| !word.is_known()) {
                    return false;
                }
                let refs = before.iter().map(|word| format!("{called}/{}", word.text)).collect();
                self.kept(&folder, GitChange::Records { refs });
            }
            None => return loss.untracked,
        }
        true
    }

    /// Writes down that files which are named are removed, or get other names.
    fn files_of(&mut self, folder: &PathText, files: Files, paths: &[PathText]) {
        let below = |path: &PathText| PathText { folder: joined(folder), ..path.clone() };
        let (how, sources, into) = match (files, paths.split_last()) {
            (Files::Moved, Some((last, sources))) => (How::Move, sources, Some(last)),
            (Files::Moved, None) => (How::Move, paths, None),
            (Files::Removed, _) => (How::Remove, paths, None),
        };
        for path in sources {
            self.target(Target::Path { path: below(path), how, reach: Reach::Tree, names: Vec::new() });
        }
        if let Some(last) = into {
            let sources = sources.iter().map(below).collect();
            let destination = below(last);
            self.target(Target::Into { destination, sources, how: How::Remove, reach: Reach::Tree });
        }
    }

    fn kept(&mut self, folder: &PathText, what: GitChange) {
        self.target(Target::Git { folder: folder.clone(), what });
    }

    /// Returns the folder that the program works in, its sub-command and what is behind that.
    fn repository_folder<'w>(&self, program: Program<'_>, words: &'w [Word]) -> Option<(PathText, String, &'w [Word])> {
        let (tables, facts) = (program.tables(), program.facts());
        let mut folder = self.path_text(&Word::literal("."))?;
        let mut at = 0;
        while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
            let text = word.text.as_str();
            if tables.texts(facts.elsewhere).any(|option| text.starts_with(option)) {
                return None;
            }
            if tables.holds(facts.folder, text) {
                let path = self.path_text(words.get(at + 1)?)?;
                folder = PathText { folder: joined(&folder), ..path };
            }
            at += if tables.holds(facts.takes, text) { 2 } else { 1 };
        }
        let on = words.get(at)?.text.clone();
        Some((folder, on, words.get(at + 1..).unwrap_or_default()))
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
