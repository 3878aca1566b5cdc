//! Lines of files by a regular expression, with ripgrep's own crates; the program itself is never run.

use std::io::{self, Read as _};
use std::path::Path;
use std::time::Instant;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use crate::find::{PATIENCE, PatternError, matcher, walk};
use crate::located::Located;
use crate::tree::Tree;

/// The most lines that are shown.
const MOST_LINES: usize = 200;

/// The most characters of a line that are shown.
const LONGEST_LINE: usize = 500;

/// The most bytes of all lines that are shown.
const MOST_SHOWN: usize = 48 * 1024;

/// The most bytes of a file that are searched.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The most files that are searched.
const MOST_FILES: usize = 100_000;

/// The most bytes that a line may have to be searched.
const HEAP: usize = 16 * 1024 * 1024;

/// What is searched for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// A regular expression; what is none is taken as plain text.
    pub pattern: &'a str,
    /// A pattern of the names of the files that are searched; none for all.
    pub glob: Option<&'a str>,
    /// True when the case of letters does not matter.
    pub ignore_case: bool,
    /// Lines that are shown before and after each one.
    pub context: usize,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Searched {
    /// The files with their lines, numbered from 1: `12:` is one that matches, `12-` one beside it.
    pub text: String,
    /// Lines that match and are shown.
    pub matches: usize,
    /// Files with such lines.
    pub files: usize,
    /// True when there may be more.
    pub is_cut: bool,
    /// True when the pattern was taken as plain text.
    pub is_plain: bool,
    /// Files that were not searched, because they may hold secrets. Whether they match is not told either: asked often
    /// enough, that would tell what they hold.
    pub hidden: Vec<String>,
}

/// Searches a file, or all files below a folder. `is_hidden` names files that are left out; `stop` is asked now and then
/// whether to end.
///
/// # Errors
/// When the pattern of the names cannot be read.
pub fn search(
    tree: &Tree,
    at: &Located,
    asked: &Asked<'_>,
    is_hidden: &dyn Fn(&Path) -> bool,
    stop: &dyn Fn() -> bool,
) -> Result<Searched, PatternError> {
    let names = asked.glob.map(matcher).transpose()?;
    let mut out = Searched::default();
    let lines = match matcher_of(asked, Syntax::Regex) {
        Ok(lines) => lines,
        Err(_) => {
            out.is_plain = true;
            matcher_of(asked, Syntax::Plain)?
        }
    };
    let mut searcher = SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(true)
        .before_context(asked.context)
        .after_context(asked.context)
        .heap_limit(Some(HEAP))
        .build();
    if !at.is_folder {
        in_file(tree, at, &mut searcher, &lines, is_hidden, &mut out);
        return Ok(out);
    }
    let until = Instant::now() + PATIENCE;
    let mut files = 0;
    for entry in walk(&at.absolute) {
        if files >= MOST_FILES || Instant::now() > until || stop() || is_full(&out) {
            out.is_cut = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        let below = entry.path().strip_prefix(&at.absolute).unwrap_or(entry.path());
        if !entry.file_type().is_some_and(|kind| kind.is_file()) || !names.as_ref().is_none_or(|m| m.is_match(below)) {
            continue;
        }
        let Ok(below) = entry.path().strip_prefix(tree.root()) else { continue };
        files += 1;
        let located = Located {
            below: below.to_owned(),
            absolute: entry.path().to_owned(),
            name: tree.name(below),
            asked: below.to_owned(),
            exists: true,
            is_folder: false,
            has_other_names: false,
        };
        in_file(tree, &located, &mut searcher, &lines, is_hidden, &mut out);
    }
    Ok(out)
}

fn is_full(out: &Searched) -> bool {
    out.matches >= MOST_LINES || out.text.len() >= MOST_SHOWN
}

/// What a pattern is read as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Regex,
    /// Each character stands for itself.
    Plain,
}

fn matcher_of(asked: &Asked<'_>, syntax: Syntax) -> Result<RegexMatcher, PatternError> {
    let built = RegexMatcherBuilder::new()
        .case_insensitive(asked.ignore_case)
        .fixed_strings(syntax == Syntax::Plain)
        .line_terminator(Some(b'\n'))
        .size_limit(4 << 20)
        .dfa_size_limit(8 << 20)
        .build(asked.pattern);
    built.map_err(|error| PatternError::Lines(error.to_string()))
}

/// Searches one file; one that cannot be opened or read is passed over, as ripgrep does.
fn in_file(
    tree: &Tree,
    located: &Located,
    searcher: &mut Searcher,
    lines: &RegexMatcher,
    is_hidden: &dyn Fn(&Path) -> bool,
    out: &mut Searched,
) {
    let name = located.name.clone();
    if is_hidden(&located.absolute) {
        out.hidden.push(name);
        return;
    }
    let Ok(file) = tree.open_file(located) else { return };
    let mut shown =
        Shown { text: String::new(), matches: 0, left: MOST_LINES.saturating_sub(out.matches), is_cut: false };
    let searched = searcher.search_reader(lines, file.take(MOST_BYTES), &mut shown);
    if shown.matches == 0 || searched.is_err() && shown.text.is_empty() {
        return;
    }
    out.text.push_str(&format!("{name}\n{}", shown.text));
    out.matches += shown.matches;
    out.files += 1;
    out.is_cut |= shown.is_cut;
}

/// The lines of one file.
struct Shown {
    text: String,
    matches: usize,
    left: usize,
    is_cut: bool,
}

impl Shown {
    fn push(&mut self, number: Option<u64>, sign: char, bytes: &[u8]) {
        let line = String::from_utf8_lossy(bytes);
        let line = line.trim_end_matches(['\n', '\r']);
        let cut: String = line.chars().take(LONGEST_LINE).collect();
        let more = if cut.len() < line.len() { "…" } else { "" };
        self.text.push_str(&format!("{}{sign}{cut}{more}\n", number.unwrap_or_default()));
    }
}

impl Sink for Shown {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.matches >= self.left || self.text.len() >= MOST_SHOWN {
            self.is_cut = true;
            return Ok(false);
        }
        self.matches += 1;
        self.push(found.line_number(), ':', found.bytes());
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.push(context.line_number(), '-', context.bytes());
        Ok(self.text.len() < MOST_SHOWN)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> Result<bool, io::Error> {
        self.text.push_str("--\n");
        Ok(true)
    }
}
