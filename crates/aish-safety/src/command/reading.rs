//! `read` and `mapfile`: which variables they set, and what their options do.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::Effect;
use crate::rules::programs;
use crate::verdict::Verdict;

/// Letters of `read` that take nothing and are harmless in every shell that has them.
const READ_FLAGS: &str = "rseEqAlgfLz";
/// Those that take a value. What takes none elsewhere is looked at as a name, too.
const READ_VALUES: &str = "adinNtupk";
/// The same of `mapfile`.
const MAP_FLAGS: &str = "t";
const MAP_VALUES: &str = "dnOsucC";
/// Letters whose value is a number, which zsh computes.
const COUNTS: &str = "nNtuksOc";

/// The most lines of an input that are each taken for what is read, and the most words of it that are looked at.
const MAX_ROWS: usize = 8;
const MAX_PIECES: usize = 64;

/// What `read` or `mapfile` is told to do.
#[derive(Default)]
struct Reading {
    names: Vec<String>,
    /// True where one variable becomes a list.
    listed: bool,
    /// True where lines are not read as a whole, or not all of them.
    cuts: bool,
    delimiter: Option<String>,
    descriptor: Option<i32>,
    callback: Option<Word>,
}

impl Walker<'_> {
    /// Follows `read` and `mapfile`.
    pub(super) fn read(&mut self, name: &str, arguments: &[Word], stdin: &Stream) {
        let reading = self.reading(name, arguments);
        let given = reading.descriptor.and_then(|number| self.state.descriptors.get(&number).cloned());
        let stdin = given.as_ref().unwrap_or(stdin);
        let word = |text: &str| Word { text: text.into(), taint: stdin.taint | Taint::GUESSED, ..Word::default() };
        if name != "read" {
            if let Some(callback) = &reading.callback {
                let text = callback.text.clone();
                self.within("mapfile -C".into(), |walker| walker.text(&text, &Stream::default()));
                let reason = "runs a command for the lines that it reads";
                self.note_plain(&text, Verdict::Ask, Effect::Run, "shell.callback", reason);
            }
            let words = match stdin.text.as_deref() {
                Some(text) if reading.cuts => {
                    let delimiters = reading.delimiter.as_deref().unwrap_or_default();
                    alloc::vec![Word::unknown(stdin.taint | self.taint_of_pieces(text, delimiters))]
                }
                Some(text) => text.lines().take(64).map(word).collect(),
                None => alloc::vec![Word::unknown(stdin.taint)],
            };
            self.state.assign(reading.names.last().map_or("MAPFILE", String::as_str), words);
            return;
        }
        let text = stdin.text.as_deref();
        let separators = self.separators();
        let delimiter = reading.delimiter.as_deref().unwrap_or_default();
        let cutting = [separators.as_str(), delimiter].concat();
        let taint = stdin.taint | text.map_or(Taint::NONE, |text| self.taint_of_pieces(text, &cutting));
        let is_plain = !reading.cuts && separators.is_empty() && text.is_none_or(|text| !text.contains('\\'));
        let taint = match text {
            Some(text) if reading.cuts => taint | self.taint_of_beginnings(text),
            Some(_) | None => taint,
        };
        match text.filter(|_| is_plain) {
            None => {
                for name in &reading.names {
                    self.state.assign(name, alloc::vec![super::expand::listed(taint)]);
                }
            }
            Some(text) => {
                let rows: Vec<&str> = text.lines().take(MAX_ROWS + 1).collect();
                self.put(&reading, rows.first().copied().unwrap_or_default(), &word);
                // Which of the lines it is depends on what was read before.
                for row in rows.iter().skip(1).take(MAX_ROWS - 1) {
                    let depth = self.state.begin_branch();
                    self.put(&reading, row, &word);
                    self.state.end_branch(depth);
                }
                if rows.len() > MAX_ROWS {
                    for name in &reading.names {
                        self.state.or_before(name, Some(alloc::vec![alloc::vec![Word::unknown(taint)]]));
                    }
                }
            }
        }
        if reading.names.is_empty() {
            self.state.assign("REPLY", alloc::vec![Word::unknown(taint)]);
        }
    }

    /// Returns the marks of a word that is one of those of a text, cut at blanks and some more letters.
    pub(super) fn taint_of_pieces(&self, text: &str, separators: &str) -> Taint {
        let bare = text.replace("\\\n", "").replace('\\', "");
        let cuts = |letter: char| letter.is_whitespace() || ":,".contains(letter) || separators.contains(letter);
        let pieces = bare.split(cuts).filter(|piece| !piece.is_empty());
        self.taint_of_any(&pieces.take(MAX_PIECES).map(Word::literal).collect::<Vec<Word>>())
    }

    /// The same of words that begin like those of a text.
    fn taint_of_beginnings(&self, text: &str) -> Taint {
        let pieces = text.split_whitespace().take(MAX_ROWS);
        let begun = pieces.flat_map(|piece| piece.char_indices().take(MAX_PIECES).map(|(at, _)| piece.get(..at)));
        self.taint_of_any(&begun.flatten().filter(|text| text.len() > 1).map(Word::literal).collect::<Vec<Word>>())
    }

    /// Puts the fields of a line into the variables.
    fn put(&mut self, reading: &Reading, line: &str, word: &dyn Fn(&str) -> Word) {
        let names = &reading.names;
        let mut fields = line.split_whitespace();
        if reading.listed {
            self.state.assign(names.last().map_or("REPLY", String::as_str), fields.take(64).map(word).collect());
            return;
        }
        for (at, name) in names.iter().enumerate() {
            let text = if at + 1 == names.len() {
                fields.by_ref().collect::<Vec<_>>().join(" ")
            } else {
                fields.next().unwrap_or_default().to_string()
            };
            self.state.assign(name, alloc::vec![word(&text)]);
        }
    }

    /// Reads the options; what is not known of them is asked about.
    fn reading(&mut self, name: &str, arguments: &[Word]) -> Reading {
        let (flags, values) = if name == "read" { (READ_FLAGS, READ_VALUES) } else { (MAP_FLAGS, MAP_VALUES) };
        let mut out = Reading::default();
        let mut words = arguments.iter();
        let mut ended = false;
        while let Some(word) = words.next() {
            let cluster = word.text.strip_prefix('-').filter(|rest| !ended && !rest.is_empty());
            let Some(cluster) = cluster else {
                self.name_read(word, &mut out);
                continue;
            };
            if cluster == "-" {
                ended = true;
                continue;
            }
            for (at, letter) in cluster.char_indices() {
                if flags.contains(letter) {
                    out.listed |= letter == 'A';
                    continue;
                }
                if !values.contains(letter) {
                    self.unknown_option(name, &word.text);
                    break;
                }
                let attached = cluster.get(at + letter.len_utf8()..).unwrap_or_default();
                let value = match attached {
                    // Zsh's count of letters stands behind its option or not at all.
                    "" if letter == 'k' => break,
                    "" => words.next().cloned(),
                    _ => Some(Word { text: attached.into(), ..word.clone() }),
                };
                if let Some(value) = value {
                    self.value_of(letter, value, &mut out);
                }
                break;
            }
        }
        out
    }

    /// Takes the name of a variable, perhaps with an index, which is evaluated, or with a prompt behind `?`.
    fn name_read(&mut self, name: &Word, out: &mut Reading) {
        self.named_variable(name);
        out.names.push(super::special::bare(&name.text).to_string());
    }

    /// Judges the value of an option.
    fn value_of(&mut self, letter: char, value: Word, out: &mut Reading) {
        out.cuts |= "dnNksO".contains(letter);
        match letter {
            'd' => out.delimiter = Some(value.text.clone()),
            'a' => {
                out.listed = true;
                self.name_read(&value, out);
                return;
            }
            'C' => out.callback = Some(value.clone()),
            'u' => out.descriptor = value.text.parse().ok(),
            'p' => self.prompted(&value),
            _ => {}
        }
        if COUNTS.contains(letter) {
            self.counted(&value);
        } else if letter != 'd' && value.is_known() {
            // To another shell the option takes nothing, and this is a name.
            self.state.note_special(&value.text, &[Word::unknown(Taint::NONE)]);
        }
    }

    /// Asks about a prompt that may be a command: fish runs it and shows what it writes.
    fn prompted(&mut self, prompt: &Word) {
        let text = ["(y/n)", "(Y/n)", "(y/N)", "(yes/no)"]
            .iter()
            .fold(prompt.text.clone(), |text, choice| text.replace(choice, ""));
        let first = text.split_whitespace().next().unwrap_or_default();
        let says = first.starts_with(char::is_uppercase) || first.ends_with([':', '?', '>', '!']) || first.is_empty();
        let runs = text.contains(['(', ')', ';', '&', '|', '<', '$', '\n']) || first.contains('/');
        if runs || !says || programs::is_known(first) {
            let reason = "asks with a text that fish runs as a command";
            self.note_plain(&prompt.text, Verdict::Ask, Effect::Run, "fish.prompt", reason);
        }
    }

    /// Asks about an option that is not known to be harmless.
    pub(super) fn unknown_option(&mut self, name: &str, option: &str) {
        let mut reason = String::from("what ");
        super::reason::push_shown(&mut reason, name);
        reason.push_str(" does with this option is not known for every shell");
        self.note_plain(option, Verdict::Ask, Effect::Unknown, "shell.option", &reason);
    }
}
