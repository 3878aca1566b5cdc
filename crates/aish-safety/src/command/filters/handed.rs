//! Follows files from hand to hand: copies keep where their content comes from, downloads and archives get it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::{Program, Trait};
use aish_programs::words::places;

use super::super::arguments::Arguments;
use super::super::state::FileContent;
use super::super::walk::Walker;
use super::super::word::{Stream, Taint, Word};
use crate::rules::programs;

impl Walker<'_> {
    /// Notes what the files hold that a program writes.
    pub(crate) fn follow_files(&mut self, program: &str, arguments: &[Word], stdin: &Stream) {
        let Some(known) = programs::find(program) else { return };
        let copies = known.is(Trait::Copies);
        let packer = Some(known.tables().text(known.facts().packs)).filter(|ending| !ending.is_empty());
        if copies || packer.is_some() {
            let given = self.content_of_any(arguments);
            if let Some(ending) = packer {
                self.follow_packed(&Arguments::new(program, arguments), ending, given.taint);
            }
            if copies {
                self.follow_copies(known, arguments, given);
            }
        }
        if known.is(Trait::WritesInput) {
            for target in arguments.iter().filter(|word| !word.text.starts_with('-')) {
                let place = self.place(target).text;
                self.state.note_file(place, FileContent { text: stdin.text.clone(), taint: stdin.taint });
            }
        }
        if known.is(Trait::Fetches) {
            self.downloaded(known, arguments);
        }
        if known.is(Trait::Decodes) || known.is(Trait::DecodesToFile) {
            self.follow_decoded(&Arguments::new(program, arguments));
        }
    }

    /// Returns what is known of the content of all files that are named: the text is that of the first.
    fn content_of_any(&self, arguments: &[Word]) -> FileContent {
        let mut content = FileContent { text: None, taint: Taint::NONE };
        let mut before = None;
        for word in arguments {
            let left_out = super::super::matched::leaves_out(before.replace(word), word);
            if !left_out && self.is_secret_word(word) {
                content.taint = content.taint | Taint::SECRET;
            }
            let source = word.text.strip_prefix("if=").unwrap_or(&word.text);
            let place = self.place(&Word::literal(source)).text;
            if let Some(file) = self.state.files.get(&place) {
                content.taint = content.taint | file.taint;
                content.text = content.text.or_else(|| file.text.clone());
            }
        }
        content
    }

    /// Follows files into those that a packer makes of them.
    fn follow_packed(&mut self, sorted: &Arguments<'_>, ending: &str, taint: Taint) {
        if taint.without_content() == Taint::NONE {
            return;
        }
        let ending = sorted.values("-S").next().map_or_else(|| ending.to_string(), |ending| ending.text);
        for (_, word, _) in sorted.operands() {
            let place = self.place(word).text + &ending;
            self.state.note_file(place, FileContent { text: None, taint });
        }
    }

    /// Follows files into their copies.
    fn follow_copies(&mut self, known: Program<'_>, arguments: &[Word], given: FileContent) {
        let taint = given.taint;
        let text = given.text.or_else(|| copied_program(arguments));
        if taint.without_content() == Taint::NONE && text.is_none() {
            return;
        }
        let whole = known.is(Trait::CopiesWhole).then_some(text).flatten();
        for word in arguments.iter().filter(|word| !word.text.starts_with("--")) {
            let target = word.text.strip_prefix("of=").unwrap_or(&word.text);
            let place = self.place(&Word::literal(target)).text;
            if !self.state.files.contains_key(&place) && place.len() < 4096 {
                self.state.note_file(place, FileContent { text: whole.clone(), taint });
            }
        }
    }

    /// Follows what is decoded into the file that an option names.
    fn follow_decoded(&mut self, sorted: &Arguments<'_>) {
        for flag in ["-o", "-out", "--output"] {
            for value in sorted.values(flag) {
                let place = self.place(&value).text;
                let held = self.state.files.get(&place).map_or(Taint::NONE, |file| file.taint);
                self.state.note_file(place, FileContent { text: None, taint: Taint::DECODED | held });
            }
        }
    }

    /// Follows what comes from another machine into the files that it is put in.
    fn downloaded(&mut self, known: Program<'_>, arguments: &[Word]) {
        let sorted = Arguments::new(known.name(), arguments);
        let mut targets: Vec<Word> = Vec::new();
        for flag in ["-o", "-O", "--output", "--output-document", "--out", "-d", "--dir"] {
            if flag == "-O" && known.is(Trait::RemoteName) || flag == "-o" && known.is(Trait::LogOption) {
                continue;
            }
            targets.extend(sorted.values(flag));
        }
        // It shows what it fetches, but where it is told to keep the name.
        let shows = known.is(Trait::RemoteName)
            && !["-O", "--remote-name", "--remote-name-all", "-J", "-K", "--config"]
                .iter()
                .any(|option| sorted.has(option));
        let remote = sorted.operands().any(|(_, other, _)| super::super::pattern::is_remote(&other.text));
        for (_, word, _) in sorted.operands() {
            let path = word.text.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
            if let Some((_, name)) = path.rsplit_once('/')
                && !(name.is_empty() || shows)
            {
                targets.push(Word::literal(name));
            }
            if known.is(Trait::CopiesRemote) && remote && !super::super::pattern::is_remote(&word.text) {
                targets.push(word.clone());
            }
        }
        for target in targets {
            let place = self.place(&target).text;
            if place != "." && place.len() < 4096 && !self.state.files.contains_key(&place) {
                self.state.note_file(place, FileContent { text: None, taint: Taint::REMOTE });
            }
        }
    }
}

/// Returns what a copy of a program, or a link to it, does: the same as the program.
fn copied_program(arguments: &[Word]) -> Option<String> {
    arguments.iter().find_map(|word| {
        let (folder, name) = word.text.rsplit_once('/').unwrap_or(("", word.text.as_str()));
        let program = places::PROGRAMS.contains(&folder) && programs::is_destructive(name);
        let found = folder.is_empty() && word.taint.is_of_line() && programs::is_destructive(name) && name.len() > 1;
        (program || found && arguments.last().is_some_and(|last| last.text.contains('/') && last.text != word.text))
            .then(|| alloc::format!("{name} \"$@\""))
    })
}
