//! Wrappers that build the inner arguments from a list: `find -exec`, `xargs`, `parallel`.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::{Act, Language, Trait, Wrapper};

use super::budget::Budget;
use super::fed::Cut;
use super::regular;
use super::split::split;
use super::unwrap::{Given, inner_program, join, moves};
use super::walk::Walker;
use super::word::{HOLE, NUMERIC, Stream, Taint, Word};
use crate::rules::{Effect, programs, secret_names};
use crate::verdict::Verdict;

/// How often a program is started for one input, at most, to look at it.
const MAX_GROUPS: usize = 16;

/// The most words of an input that are given to it each time.
const MAX_GIVEN: usize = 64;

/// The most commands of one search that are looked at.
const MAX_COMMANDS: usize = 64;

/// A search that runs commands for what it finds.
struct Search<'g> {
    given: &'g Given<'g>,
    /// Where it starts: that tells what `{}` can be.
    start: Word,
    /// Whether it finds only what is made again anyway.
    narrow: bool,
    /// Whether it is for files with keys or passwords.
    keys: bool,
    /// Patterns of the names that it keeps to.
    names: Vec<String>,
}

/// A command among a search's arguments.
struct Marked<'g> {
    /// What stands before its marker.
    before: &'g [Word],
    /// What it stands behind: `-exec`.
    marker: &'g Word,
    words: &'g [Word],
}

impl Walker<'_> {
    /// Says whether a word names a file that holds secrets, or is one.
    pub(crate) fn is_secret_word(&self, word: &Word) -> bool {
        if word.may_be_secret() {
            return true;
        }
        let check = |text: &str| {
            let place = self.viewpoint().seen(text, word.glob);
            self.secrets.holds(&place)
                || self.is_secret_elsewhere(text, word.glob)
                || self.state.taint_below(&place.text).has(Taint::SECRET)
        };
        // What is not known may be nothing.
        let rest = if word.is_known() { String::new() } else { word.text.replace([HOLE, NUMERIC], "") };
        !word.text.starts_with('-') && check(&word.text)
            || !rest.is_empty() && !rest.starts_with('-') && check(&rest)
            || word.text.split(['=', '@']).skip(1).any(|part| !part.is_empty() && check(part))
    }

    /// Judges the commands that stand behind markers among the arguments of a search; false where there are none.
    pub(crate) fn marked(
        &mut self,
        given: &Given<'_>,
        markers: &[&str],
        ends: &[&str],
        out: &mut Option<Stream>,
    ) -> bool {
        let arguments = given.arguments;
        let search = self.search(given);
        let mut found = false;
        let mut at = 0;
        let mut commands = 0;
        while let Some(marker) = arguments.get(at) {
            at += 1;
            if !markers.contains(&marker.text.as_str()) {
                continue;
            }
            commands += 1;
            if commands > MAX_COMMANDS {
                let reason = "runs more commands than are looked at";
                self.note_plain(&marker.text, Verdict::Ask, Effect::Run, "bounds.commands", reason);
                break;
            }
            let from = at;
            while arguments.get(at).is_some_and(|word| !ends.contains(&word.text.as_str())) {
                at += 1;
            }
            let before = arguments.get(..from - 1).unwrap_or_default();
            let marked = Marked { before, marker, words: arguments.get(from..at).unwrap_or_default() };
            let command = self.command_of_search(&search, &marked);
            if !command.is_empty() {
                found = true;
                *out = Some(self.run_for_found(&search, &marked, &command));
            }
        }
        found
    }

    /// Looks at what a search looks for, and where.
    fn search<'g>(&self, given: &'g Given<'g>) -> Search<'g> {
        let arguments = given.arguments;
        let start = arguments.iter().find(|word| !word.text.starts_with('-')).cloned().unwrap_or_default();
        // What is made again anyway lies in a folder of one's own, not in one of the system's.
        let narrow = narrowing(arguments) && !self.place(&start).is_root();
        let names = self.record.as_ref().map(|_| super::record::search_names(arguments)).unwrap_or_default();
        Search { given, start, narrow, names, keys: seeks_keys(given.program, arguments) }
    }

    /// Returns a command that a search runs, with what it finds put in.
    fn command_of_search(&mut self, search: &Search<'_>, marked: &Marked<'_>) -> Vec<Word> {
        let Given { program, arguments, .. } = *search.given;
        let mark = match self.is_given_secret(program, marked.before) {
            _ if search.keys => Taint::SECRET,
            true => Taint::NAMES_SECRETS,
            false => Taint::NONE,
        };
        let put_in = |word: &Word| match word.text.contains("{}") {
            true => replaced(word, &search.start, search.narrow, &self.budget),
            false => word.clone(),
        };
        let with_mark = |word: Word| match word.text.contains('*') {
            true => Word { taint: word.taint | mark, ..word },
            false => word,
        };
        let mut command: Vec<Word> = marked.words.iter().map(put_in).map(with_mark).collect();
        // Options of the caller may stand behind its mark.
        let dashes = command.iter().take_while(|word| word.text.starts_with('-') && word.text.len() > 1).count();
        if dashes < command.len() {
            command.drain(..dashes);
        }
        if let [line] = command.as_slice()
            && line.text.contains(' ')
            && self.dropped != Some(super::hint::FALLBACK)
        {
            self.suspect(&line.text.clone());
        }
        if matches!(marked.marker.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch")
            && !command.iter().any(|word| word.text.contains(HOLE) || word.text.ends_with("/*"))
            && marked.before.len() + 1 + command.len() == arguments.len()
        {
            // `fd` puts what it finds at the end where nothing says where.
            let found = super::filters::listed_below(self, program, marked.before);
            command.push(Word { taint: found.taint | mark, ..found });
        }
        command
    }

    /// Judges a command that a search runs, where it runs it.
    fn run_for_found(&mut self, search: &Search<'_>, marked: &Marked<'_>, command: &[Word]) -> Stream {
        let wrapper = search.given.wrapper;
        let since = self.recorded();
        let (folder, visited) = (self.state.folder.clone(), Rc::clone(&self.state.visited));
        if wrapper.moves(&marked.marker.text) || marked.before.iter().any(|word| moves(wrapper, &word.text)) {
            self.moves_below(&search.start);
        }
        let out = self.deeper(|walker| walker.run(command, &Stream::default()));
        (self.state.folder, self.state.visited) = (folder, visited);
        self.widen(since, &search.start, &search.names);
        out
    }

    /// Judges a program that gets its arguments from what comes in; false where there is none.
    pub(crate) fn stdin_arguments(
        &mut self,
        wrapper: Wrapper<'_>,
        arguments: &[Word],
        stdin: &Stream,
        out: &mut Option<Stream>,
    ) -> bool {
        let split = split(wrapper, arguments, 1);
        let Some(inner) = inner_program(arguments, &split, 0) else { return false };
        let words: Vec<Word> =
            if inner.is_empty() { programs::stand_in(Act::Print).map(Word::literal).collect() } else { inner.to_vec() };
        let before = arguments.get(..arguments.len() - inner.len()).unwrap_or_default();
        let before = if inner.is_empty() { arguments } else { before };
        let dashes = before.len() - usize::from(before.last().is_some_and(|word| word.text == "--"));
        let cut = Cut::of(before.get(..dashes).unwrap_or_default());
        let file = split.options.iter().find(|(option, _)| matches!(*option, "-a" | "--arg-file"));
        let named = file.and_then(|(_, value)| value.as_ref()).map(|word| self.script_file(word));
        let groups = self.groups_given(cut.as_ref(), named.as_ref().unwrap_or(stdin));
        let mark = cut.and_then(|cut| cut.mark).or_else(|| {
            let mut options = split.options.iter();
            let (_, value) = options.find(|(option, _)| matches!(*option, "-I" | "-i" | "--replace"))?;
            Some(value.as_ref().map_or("{}".to_string(), |value| value.text.clone()))
        });
        for group in groups {
            let line: Vec<Word> = match (&mark, group.first()) {
                (Some(mark), Some(one)) => words.iter().map(|word| self.filled(word, mark, one)).collect(),
                (Some(_), None) => continue,
                (None, _) => words.iter().cloned().chain(group).collect(),
            };
            let written = self.deeper(|walker| walker.run(&line, &Stream::default()));
            if mark.is_none() {
                out.get_or_insert_default().append(written);
            }
        }
        true
    }

    /// Returns the words that a program is given each time that it is started for an input.
    fn groups_given(&self, cut: Option<&Cut>, stdin: &Stream) -> Vec<Vec<Word>> {
        // A pattern for secrets is passed on as what it stands for: `printf '%s\n' .e* | xargs cat`.
        let given = |text: &String| {
            let word = Word { text: text.clone(), glob: false, taint: stdin.taint, whole: false };
            let pattern = Word { glob: text.contains(['*', '?', '[']), ..word.clone() };
            if pattern.glob && self.is_secret_word(&pattern) { pattern } else { word }
        };
        let groups = cut.zip(stdin.text.as_ref()).and_then(|(cut, text)| cut.groups(text));
        let is_sure = groups
            .as_ref()
            .is_some_and(|groups| groups.len() <= MAX_GROUPS && groups.iter().all(|group| group.len() <= MAX_GIVEN));
        let mut groups: Vec<Vec<Word>> = match (groups, &stdin.text) {
            (Some(groups), _) => {
                groups.iter().take(MAX_GROUPS).map(|group| group.iter().take(MAX_GIVEN).map(given).collect()).collect()
            }
            // What may be meant halts where it should.
            (None, Some(text)) => {
                alloc::vec![
                    text.split_whitespace().take(MAX_GIVEN).map(String::from).map(|text| given(&text)).collect()
                ]
            }
            (None, None) => Vec::new(),
        };
        if !is_sure {
            groups.push(alloc::vec![super::expand::listed(stdin.taint)]);
        }
        groups
    }

    /// Puts what is given in the place of its mark.
    fn filled(&self, word: &Word, mark: &str, one: &Word) -> Word {
        let text = self.budget.replaced(&word.text, mark, &one.text).unwrap_or_else(|| HOLE.to_string());
        Word {
            text,
            glob: word.glob,
            taint: if word.text.contains(mark) { word.taint | one.taint } else { word.taint },
            // What is put in stays in one argument.
            whole: word.whole || word.is_known(),
        }
    }

    pub(crate) fn parallel(&mut self, wrapper: Wrapper<'_>, program: &str, arguments: &[Word], stdin: &Stream) -> bool {
        let at = arguments.iter().position(|word| matches!(word.text.as_str(), ":::" | ":::+" | "::::"));
        let (before, after) = match at {
            Some(at) => (arguments.get(..at).unwrap_or_default(), arguments.get(at + 1..).unwrap_or_default()),
            None => (arguments, [].as_slice()),
        };
        let split = split(wrapper, before, 1);
        let command = inner_program(before, &split, 0).unwrap_or_default();
        // Lines may come from files too: `-a FILE`, `:::: FILE`.
        let from_file = at.and_then(|at| arguments.get(at)).is_some_and(|word| word.text == "::::");
        let file = split.options.iter().find(|(option, _)| matches!(*option, "-a" | "--arg-file"));
        let file = file.and_then(|(_, value)| value.clone()).or_else(|| after.first().filter(|_| from_file).cloned());
        let named = file.as_ref().map(|word| self.script_file(word));
        let (at, after) = if named.is_some() { (None, [].as_slice()) } else { (at, after) };
        let stdin = named.as_ref().unwrap_or(stdin);
        if command.is_empty() {
            let lines: Vec<Word> = match (at, &stdin.text) {
                (Some(_), _) => after.to_vec(),
                (None, Some(text)) => text.lines().take(500).map(Word::literal).collect(),
                (None, None) => {
                    if stdin.taint.foreign() {
                        self.foreign(program, stdin.taint);
                    }
                    return stdin.connected;
                }
            };
            for line in &lines {
                self.code(program, &line.text, line.taint, line.is_known(), Language::Shell, &Stream::default());
            }
            return true;
        }
        let given = if after.is_empty() {
            let unknown = || alloc::vec![Word::unknown(stdin.taint)];
            stdin.text.as_ref().map_or_else(unknown, |text| text.lines().map(Word::literal).collect())
        } else {
            after.to_vec()
        };
        let more = (given.len() > MAX_GIVEN).then(|| Word::unknown(stdin.taint));
        for one in given.iter().take(MAX_GIVEN).chain(&more) {
            let (mut text, mut taint, known) = join(command);
            if text.contains("{}") {
                text = self.budget.replaced(&text, "{}", &one.text).unwrap_or_else(|| HOLE.to_string());
            } else {
                text.push(' ');
                text.push_str(&one.text);
            }
            taint = taint | one.taint;
            self.code(program, &text, taint, known && one.is_known(), Language::Shell, &Stream::default());
        }
        true
    }
}

/// Says whether a search keeps only what is made again anyway.
pub(crate) fn narrowing(arguments: &[Word]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if matches!(word.text.as_str(), "-name" | "-iname")
            && let Some(pattern) = words.next()
        {
            let place = super::path::place(&Word::literal(pattern.text.as_str()), None, None);
            if place.is_disposable() {
                return true;
            }
        }
    }
    false
}

/// Says whether a search is for files that hold keys or passwords, by their names.
pub(crate) fn seeks_keys(program: &str, arguments: &[Word]) -> bool {
    if !programs::is(program, Trait::Searches) {
        return false;
    }
    let by_name = [
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-iwholename",
        "-samefile",
        "-regex",
        "-iregex",
        "-g",
        "--glob",
    ];
    let ends =
        arguments.iter().position(|word| word.text.starts_with("-exec") || matches!(word.text.as_str(), "-x" | "-X"));
    let words = arguments.get(..ends.unwrap_or(arguments.len())).unwrap_or_default();
    let mut before = "";
    words.iter().any(|word| {
        let previous = core::mem::replace(&mut before, word.text.as_str());
        let sought = by_name.contains(&previous)
            || !programs::is(program, Trait::SearchesByExpression) && !word.text.starts_with('-');
        sought && secret_names::names_key(&word.text)
    })
}

/// Options of `fd` whose value is no pattern.
const NO_PATTERN: &[&str] = &[
    "-t",
    "--type",
    "-d",
    "--max-depth",
    "--min-depth",
    "-E",
    "--exclude",
    "-S",
    "--size",
    "-o",
    "--owner",
    "-j",
    "--threads",
];

/// Says whether a search is for names of which some may be those of files with keys or passwords: by a pattern that fits one
/// of them and no ordinary name, or by a regular expression.
pub(crate) fn may_seek_keys(program: &str, arguments: &[Word]) -> bool {
    if !programs::is(program, Trait::Searches) {
        return false;
    }
    let by_expression = programs::is(program, Trait::SearchesByExpression);
    let by_name = ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"];
    let is_exec = |word: &&Word| {
        let text = word.text.as_str();
        text.starts_with("-exec") || text.starts_with("--exec") || matches!(text, "-x" | "-X")
    };
    let fits = |names: Vec<String>| names.iter().any(|name| secret_names::may_name_key(name));
    let (mut before, mut previous) = ("", "");
    arguments.iter().take_while(|word| !is_exec(word)).any(|word| {
        let text = word.text.as_str();
        let earlier = core::mem::replace(&mut before, previous);
        previous = text;
        let (option, negation) = (before, earlier);
        if matches!(negation, "!" | "-not") {
            return false;
        }
        match option {
            "-regex" | "-iregex" => fits(regular::named_by(text, regular::Against::Path)),
            option if by_name.contains(&option) => secret_names::may_name_key(text),
            _ if by_expression || text.starts_with('-') || NO_PATTERN.contains(&option) => false,
            "-e" | "--extension" => secret_names::may_name_key(&alloc::format!("x.{text}")),
            "-g" | "--glob" => secret_names::may_name_key(text),
            _ => fits(regular::named_by(text, regular::Against::PartOfName)),
        }
    })
}

/// Says whether a search leaves out no file by its name, or where it lies.
fn seeks_by_no_name(arguments: &[Word]) -> bool {
    let by_name = ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-samefile"];
    !arguments.iter().any(|word| by_name.contains(&word.text.as_str()))
}

/// Says whether a search goes through what is hidden in a home, and keeps all of it.
pub(crate) fn seeks_all(program: &str, arguments: &[Word]) -> bool {
    if !programs::is(program, Trait::SearchesByExpression) {
        let is_hidden = |text: &str| {
            matches!(text, "--hidden" | "--unrestricted")
                || text.starts_with('-') && !text.starts_with("--") && text.contains(['H', 'u'])
        };
        return programs::is(program, Trait::Searches) && arguments.iter().any(|word| is_hidden(&word.text));
    }
    seeks_by_no_name(arguments)
}

/// Says whether a search is for what lies where secrets are: `-path '*/.ssh/*'`, and not `! -path …` or `-path … -prune`.
pub(crate) fn seeks_below_secrets(arguments: &[Word]) -> bool {
    let text = |at: usize| arguments.get(at).map_or("", |word| word.text.as_str());
    (1..arguments.len()).any(|at| {
        matches!(text(at - 1), "-path" | "-ipath" | "-wholename" | "-iwholename")
            && !(at > 1 && matches!(text(at - 2), "!" | "-not"))
            && text(at + 1) != "-prune"
            && text(at).contains('/')
            && {
                let place = super::path::place(&Word { glob: true, ..Word::literal(text(at)) }, None, None);
                place.is_secret() || place.is_device()
            }
    })
}

/// Says whether a search by names and paths finds a file that lies somewhere below where it starts.
pub(crate) fn finds_by_name(program: &str, arguments: &[Word], path: &str) -> bool {
    if !programs::is(program, Trait::SearchesByExpression) {
        return false;
    }
    let text = |at: usize| arguments.get(at).map_or("", |word| word.text.as_str());
    let path = path.trim_end_matches('*').to_ascii_lowercase();
    let (whole, below) = (alloc::format!("/~/{path}"), alloc::format!("/~/{path}/x"));
    let (mut all, mut any, mut choices) = (true, false, false);
    for at in 1..arguments.len() {
        let (test, pattern) = (text(at - 1), text(at).to_ascii_lowercase());
        let is_met = match test {
            "-name" | "-iname" => path.rsplit('/').any(|name| super::path::glob_match(&pattern, name)),
            "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                [&whole, &below].iter().any(|path| super::path::glob_match(&pattern, path))
            }
            "-regex" | "-iregex" => true,
            _ => {
                choices |= matches!(test, "-o" | "-or" | ",") && text(at.saturating_sub(2)) != "-prune";
                continue;
            }
        };
        let is_left_out = at > 1 && matches!(text(at - 2), "!" | "-not") || text(at + 1) == "-prune";
        if is_left_out {
            all &= !is_met;
        } else {
            all &= is_met;
            any |= is_met;
        }
    }
    all || choices && any
}

/// What `{}` may stand for: something below the start of the search.
fn replaced(word: &Word, start: &Word, narrow: bool, budget: &Budget) -> Word {
    let mut found = String::from(start.text.trim_end_matches('/'));
    found.push_str(if narrow { "/tmp/*.tmp" } else { "/*" });
    let text = budget.replaced(&word.text, "{}", &found).unwrap_or_else(|| HOLE.to_string());
    Word { text, glob: true, taint: word.taint | start.taint, whole: false }
}
