//! What programs for files change.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Change;

use super::super::arguments::Arguments;
use super::super::explain::Part;
use super::super::outputs;
use super::super::placed::{destination, in_place, makes_archive, scanned_in_place, written_archive};
use super::super::walk::Walker;
use super::super::word::Word;
use crate::change::{How, Reach, Target};
use crate::rules::programs;

impl Walker<'_> {
    /// Writes down what a program for files changes; false where it is none of these.
    pub(super) fn record_files(&mut self, name: &str, change: Change, arguments: &Arguments<'_>, part: &Part) -> bool {
        let text = part.text.as_str();
        let operands: Vec<Word> = arguments.operands().map(|(_, word, _)| word.clone()).collect();
        match change {
            Change::Removes => {
                let reach = recursive(arguments, &["-r", "-R", "--recursive", "-d", "--dir"]);
                self.each(&operands, How::Remove, reach, text);
            }
            Change::Unlinks => self.each(&operands, How::Remove, Reach::Itself, text),
            Change::Shreds => {
                let reach = recursive(arguments, &["-r", "-R", "--recursive"]);
                self.each(&operands, How::Write, reach, text);
            }
            Change::Moves => self.moved(arguments, &operands, text),
            Change::Copies | Change::CopiesTrees | Change::Installs | Change::Links => {
                self.copied(change, arguments, &operands, text);
            }
            Change::EditsInPlace => return self.rewritten(edited_in_place(arguments, &operands), text),
            Change::RewritesInPlace => return self.rewritten(in_place(arguments.words), text),
            Change::ScansInPlace => return self.rewritten(scanned_in_place(arguments.words).as_deref(), text),
            Change::Modes | Change::Owners => {
                let files = after_mode(change, arguments, &operands);
                self.each(files, How::Attributes, recursive(arguments, &["-R", "--recursive"]), text);
            }
            Change::Touches => self.each(&operands, How::Attributes, Reach::Itself, text),
            Change::MakesFolders => self.made_folders(arguments, &operands, text),
            Change::Renames => {
                self.each(operands.get(1..).unwrap_or_default(), How::Move, Reach::Itself, text);
            }
            Change::Packs => self.packed(arguments, &operands, text),
            Change::Finds => return self.found(arguments.words, text),
            Change::Synchronises => return self.synchronised(arguments, &operands, text),
            Change::Patches => match operands.first() {
                Some(file) => self.change(file, How::Write, Reach::Itself, text),
                None => self.cannot_name(text),
            },
            Change::Archives => return self.archived(arguments, &operands, text),
            Change::Unpacks => self.cannot_name(text),
            Change::Leaves => {
                self.state.folder = Some(String::from(super::super::word::HOLE));
                return false;
            }
            Change::Repository => return self.record_repository(name, arguments, part),
            Change::Nothing => {
                let written = programs::find(name).map(|program| outputs::named_by(program, arguments));
                return self.rewritten(written.as_deref().filter(|written| !written.is_empty()), text);
            }
        }
        true
    }

    fn each(&mut self, words: &[Word], how: How, reach: Reach, part: &str) {
        for word in words {
            self.change(word, how, reach, part);
        }
    }

    /// Writes down that files are written, where there are any; false where there are none.
    fn rewritten(&mut self, files: Option<&[Word]>, part: &str) -> bool {
        let Some(files) = files else { return false };
        self.each(files, How::Write, Reach::Itself, part);
        true
    }

    /// `mkdir`: the folders, and those above them where these are made too.
    fn made_folders(&mut self, arguments: &Arguments<'_>, operands: &[Word], part: &str) {
        let parents = arguments.has("-p") || arguments.has("--parents");
        for word in operands {
            if parents {
                for (at, _) in word.text.match_indices('/').filter(|(at, _)| *at > 0) {
                    let above = Word { text: word.text.get(..at).unwrap_or_default().into(), ..word.clone() };
                    self.change(&above, How::Attributes, Reach::Itself, part);
                }
            }
            self.change(word, How::Attributes, Reach::Itself, part);
        }
    }

    /// `mv`: the sources lose their names, and what has the new names is replaced.
    fn moved(&mut self, arguments: &Arguments<'_>, operands: &[Word], part: &str) {
        let Some((sources, destination, whole)) = destination(arguments, operands) else { return };
        self.each(&sources, How::Move, Reach::Tree, part);
        self.into(&sources, &destination, whole, (How::Remove, Reach::Tree), part);
    }

    fn copied(&mut self, change: Change, arguments: &Arguments<'_>, operands: &[Word], part: &str) {
        if change == Change::Installs && (arguments.has("-d") || arguments.has("--directory")) {
            return self.each(operands, How::Attributes, Reach::Itself, part);
        }
        let tree = ["-r", "-R", "-a", "--recursive", "--archive"].iter().any(|flag| arguments.has(flag));
        let reach =
            if change == Change::Copies && tree || change == Change::CopiesTrees { Reach::Tree } else { Reach::Itself };
        let how = if change == Change::Links { How::Remove } else { How::Write };
        match destination(arguments, operands) {
            Some((sources, destination, whole)) => self.into(&sources, &destination, whole, (how, reach), part),
            // `ln TARGET` makes a link of that name here.
            None if change == Change::Links => {
                let here = Word::literal(".");
                self.into(operands, &here, false, (how, reach), part);
            }
            None => {}
        }
    }

    fn into(&mut self, sources: &[Word], destination: &Word, whole: bool, (how, reach): (How, Reach), part: &str) {
        if self.place(destination).is_sink() {
            return;
        }
        let (Some(to), Some(from)) =
            (self.path_text(destination), sources.iter().map(|word| self.path_text(word)).collect::<Option<Vec<_>>>())
        else {
            return self.cannot_name(part);
        };
        if whole {
            self.target(Target::Path { path: to, how, reach, names: Vec::new() });
        } else {
            self.target(Target::Into { destination: to, sources: from, how, reach });
        }
    }

    /// `gzip` and others: the files, and those that stand in their place then.
    fn packed(&mut self, arguments: &Arguments<'_>, operands: &[Word], part: &str) {
        let keeps = ["-k", "--keep", "-c", "--stdout", "-t", "--test", "-l", "--list"];
        if keeps.iter().any(|flag| arguments.has(flag)) {
            return;
        }
        // Copied and not linked: these programs leave a file alone that has another name.
        self.each(operands, How::Write, recursive(arguments, &["-r", "--recursive"]), part);
        self.in_other_form(operands, part);
    }

    /// The file that a packer makes in the place of the one it packs, or the other way round.
    fn in_other_form(&mut self, operands: &[Word], part: &str) {
        const ENDINGS: &[&str] = &[".gz", ".bz2", ".xz", ".lzma", ".tgz"];
        for word in operands.iter().filter(|word| !word.glob) {
            match ENDINGS.iter().find_map(|ending| word.text.strip_suffix(ending)) {
                Some(stem) => self.change(&Word::literal(stem), How::Remove, Reach::Itself, part),
                None => {
                    for ending in ENDINGS.iter().take(3) {
                        let packed = alloc::format!("{}{ending}", word.text);
                        self.change(&Word::literal(packed), How::Remove, Reach::Itself, part);
                    }
                }
            }
        }
    }

    /// `find … -delete`: whatever is below the starts, or what has one of the names.
    fn found(&mut self, words: &[Word], part: &str) -> bool {
        let writes = ["-fprint", "-fprint0", "-fprintf", "-fls"];
        for pair in words.windows(2) {
            if let [option, file] = pair
                && writes.contains(&option.text.as_str())
            {
                self.change(file, How::Write, Reach::Itself, part);
            }
        }
        if !words.iter().any(|word| word.text == "-delete") {
            return false;
        }
        let names = search_names(words);
        for start in search_starts(words) {
            match self.path_text(&start) {
                Some(path) => {
                    self.target(Target::Path { path, how: How::Remove, reach: Reach::Tree, names: names.clone() });
                }
                None => self.cannot_name(part),
            }
        }
        true
    }

    fn synchronised(&mut self, arguments: &Arguments<'_>, operands: &[Word], part: &str) -> bool {
        let Some((destination, sources)) = operands.split_last() else { return false };
        let remote = |word: &Word| word.text.split('/').next().is_some_and(|first| first.contains(':'));
        if arguments.has("--remove-source-files") {
            for source in sources.iter().filter(|source| !remote(source)) {
                self.change(source, How::Remove, Reach::Tree, part);
            }
        }
        if remote(destination) {
            return sources.is_empty();
        }
        // A source that ends with a slash stands for what is in it.
        let content = sources.iter().any(|source| source.text.ends_with('/') || source.text.ends_with("/."));
        self.into(sources, destination, content, (How::Write, Reach::Tree), part);
        true
    }

    fn archived(&mut self, arguments: &Arguments<'_>, operands: &[Word], part: &str) -> bool {
        let Some(first) = arguments.words.first() else { return false };
        let bundled = !first.text.starts_with('-');
        let cluster = if first.text.starts_with("--") { "" } else { first.text.trim_start_matches('-') };
        let asks = |letter: char, long: &str| cluster.contains(letter) || arguments.has(long);
        if arguments.has("--remove-files") {
            let files = operands.get(usize::from(bundled) * 2..).unwrap_or_default().to_vec();
            self.each(&files, How::Remove, Reach::Tree, part);
        }
        if asks('x', "--extract") && !asks('O', "--to-stdout") {
            self.cannot_name(part);
            return true;
        }
        if makes_archive(arguments) {
            if let Some(archive) = written_archive(arguments) {
                self.change(&archive, How::Write, Reach::Itself, part);
            }
            return true;
        }
        false
    }
}

/// Returns how far a change reaches by options that take what is below a folder too.
fn recursive(arguments: &Arguments<'_>, flags: &[&str]) -> Reach {
    if flags.iter().any(|flag| arguments.has(flag)) { Reach::Tree } else { Reach::Itself }
}

/// Returns the files that `sed` edits in place; none where it does not.
fn edited_in_place<'o>(arguments: &Arguments<'_>, operands: &'o [Word]) -> Option<&'o [Word]> {
    if !(arguments.has("-i") || arguments.has("--in-place")) {
        return None;
    }
    let scripted = ["-e", "--expression", "-f", "--file"].iter().any(|flag| arguments.has(flag));
    // The ending for copies that the editors of BSD take, which may be empty.
    let empty = usize::from(operands.first().is_some_and(|word| word.text.is_empty()));
    Some(operands.get(empty + usize::from(!scripted)..).unwrap_or_default())
}

/// Returns the files of `chmod`, `chown`, `chgrp`: all operands behind the mode, which may look like an option.
fn after_mode<'o>(change: Change, arguments: &Arguments<'_>, operands: &'o [Word]) -> &'o [Word] {
    let like_mode = |text: &str| {
        text.len() > 1
            && text.starts_with('-')
            && text.chars().skip(1).all(|letter| "rwxXst0123456789,=+".contains(letter))
    };
    let elsewhere = arguments.has("--reference")
        || change == Change::Modes && arguments.words.iter().any(|word| like_mode(&word.text));
    operands.get(usize::from(!elsewhere)..).unwrap_or_default()
}

/// Returns where a search starts.
fn search_starts(words: &[Word]) -> Vec<Word> {
    let mut starts: Vec<Word> = words
        .iter()
        .skip_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P"))
        .take_while(|word| !word.text.starts_with(['-', '(', '!']))
        .cloned()
        .collect();
    if starts.is_empty() {
        starts.push(Word::literal("."));
    }
    starts
}

/// Returns the patterns of names that a search keeps to; none where its expression is more than a list of conditions.
pub(crate) fn search_names(words: &[Word]) -> Vec<String> {
    if words
        .iter()
        .any(|word| matches!(word.text.as_str(), "-o" | "-or" | "!" | "-not" | "(" | "," | "-path" | "-prune"))
    {
        return Vec::new();
    }
    let named = words.windows(2).filter_map(|pair| match pair {
        [option, name] if option.text == "-name" && name.is_known() => Some(name.text.clone()),
        _ => None,
    });
    named.take(1).collect()
}
