//! What programs write, where it can be computed: `echo`, `printf`, `cat`, decoders, plain filters; and where it comes
//! from, where it cannot.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::{Act, Output, Trait};

use super::arguments::Arguments;
use super::budget::Work;
use super::decode;
use super::walk::Walker;
use super::word::{NUMERIC, Stream, Taint, Word};
use crate::rules::programs;

mod handed;

impl Walker<'_> {
    /// Returns what a program writes to the pipe.
    pub(crate) fn output(&mut self, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let bytes =
            stdin.text.as_ref().map_or(0, String::len) + arguments.iter().map(|word| word.text.len()).sum::<usize>();
        if !self.budget.pay(Work::Scan, bytes.saturating_mul(4)) {
            return Stream::unknown(Taint::NONE);
        }
        let known = programs::find(program);
        let kind = known.map_or(Output::Mixed, |known| known.facts().output);
        let counts = known.is_some_and(|known| {
            let argument = match arguments {
                [] => "none",
                [only] => only.text.as_str(),
                _ => return false,
            };
            known.tables().holds(known.facts().numbers, argument)
        });
        let mut out = match counts {
            true => Stream { text: Some(Word::number(Taint::NONE).text), taint: Taint::NONE, connected: true },
            false => self.written(kind, program, arguments, stdin),
        };
        if !counts && !super::printed::keeps_numbers(kind, arguments) {
            // A number that is not known may come out as a name.
            out.text = out.text.filter(|text| !text.contains(NUMERIC));
        }
        if matches!(kind, Output::Echo | Output::Format)
            && let Some(text) = &out.text
        {
            self.terminal(text);
            if text.contains('\\') {
                self.terminal(&super::escape::unescape(text));
            }
        }
        let is_there = known.is_some_and(|known| known.is(Trait::Everywhere) || known.is(Trait::Silent));
        if out.text.is_some() && !counts && !(is_there && super::printed::is_sure(kind, arguments)) {
            out = out.perhaps();
        }
        if self.reads_secret(program, arguments) || programs::prints_secrets(known, arguments) {
            out.taint = out.taint | Taint::SECRET;
        }
        if known.is_some_and(|known| known.is(Trait::Dumps)) || arguments.iter().any(|word| is_account_list(&word.text))
        {
            out.taint = out.taint | Taint::PRIVATE;
        }
        out.taint = out.taint | self.listed_names(program, arguments);
        if known.is_some_and(|known| known.is(Trait::NameOnly) && !known.is(Trait::Silent))
            && self.is_given_secret(program, arguments)
        {
            out.taint = out.taint | Taint::NAMES_SECRETS;
        }
        out.taint = self.still_chosen(kind, program, arguments, (stdin, out.taint));
        out.connected = true;
        out
    }

    fn written(&mut self, kind: Output, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let taint = arguments.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
        match kind {
            Output::Echo => from(super::printed::echo(arguments), taint),
            Output::Format => from(super::printed::printf(arguments), taint),
            Output::Whole | Output::Piped | Output::Blocks | Output::Part | Output::End => {
                self.passed(kind, program, arguments, stdin)
            }
            Output::Reversed => {
                self.mapped(arguments, stdin, |text| text.lines().map(reverse).collect::<Vec<_>>().join("\n"))
            }
            Output::Translated => match &stdin.text {
                Some(text) => from(decode::translate(text, arguments, &self.budget), stdin.taint),
                None => Stream::unknown(stdin.taint | Taint::DECODED),
            },
            Output::Filtered | Output::Edited | Output::Scanned | Output::Queried => {
                self.mapped_unknown(kind, program, arguments, stdin)
            }
            Output::Base64
            | Output::Base32
            | Output::Cipher
            | Output::Hexadecimal
            | Output::Uudecode
            | Output::OtherCode => self.decoded(kind, arguments, stdin),
            Output::Code
                if arguments.iter().any(|word| matches!(word.text.as_str(), "base64" | "binascii" | "quopri")) =>
            {
                Stream::unknown(stdin.taint | taint | Taint::DECODED)
            }
            Output::Folder => {
                let folder = self.folder_word();
                from(Some(folder.text), folder.taint)
            }
            Output::FreshName => from(Some(alloc::format!("/tmp/tmp.{}", super::word::HOLE)), Taint::NONE),
            Output::Endless => Stream {
                text: arguments.first().map(|word| word.text.clone()),
                taint: taint | Taint::ENDLESS,
                connected: true,
            },
            Output::BaseName | Output::FolderName => part_of_path(kind, arguments, taint),
            Output::About => Stream::unknown(Taint::NONE),
            Output::Processes if Arguments::new(program, arguments).has("-t") => Stream::unknown(Taint::NONE),
            Output::Processes => Stream::unknown(Taint::PROCESSES),
            Output::LastName => looked_for(arguments, taint, stdin),
            Output::Variables if arguments.iter().all(|word| word.text.starts_with('-')) => {
                Stream::unknown(Taint::SECRET)
            }
            Output::Secrets => {
                let decodes = arguments.iter().any(|word| matches!(word.text.as_str(), "-d" | "--decrypt"));
                Stream::unknown(Taint::SECRET | if decodes { Taint::DECODED } else { Taint::NONE })
            }
            Output::Shell => Stream::unknown(taint | stdin.taint | Taint::SHELL),
            Output::Fetched => fetched(program, arguments, stdin),
            Output::Decoded => Stream::unknown(stdin.taint | taint | Taint::DECODED),
            Output::Silent => Stream { text: Some(String::new()), taint: Taint::NONE, connected: true },
            Output::Run | Output::Mixed | Output::Code | Output::Variables => Stream::unknown(stdin.taint | taint),
        }
    }

    /// Says what is known of the names that a search writes.
    fn listed_names(&self, program: &str, arguments: &[Word]) -> Taint {
        let Some(known) = programs::find(program) else { return Taint::NONE };
        let searches = known.is(Trait::Searches)
            || known.is(Trait::SearchesContent)
                && arguments.iter().any(|word| {
                    matches!(word.text.as_str(), "--files-with-matches" | "--files" | "-l")
                        || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['l', 'L'])
                });
        if !searches {
            return Taint::NONE;
        }
        let sorted = Arguments::new(program, arguments);
        let mut places = sorted.operands().map(|(_, word, _)| self.place(word)).peekable();
        let below_scratch = sorted.operands().next().is_some_and(|(_, word, _)| {
            let mut below = word.clone();
            below.text.push_str("/x");
            self.place(&below).is_scratch()
        });
        let routine = super::spread::narrowing(arguments)
            || below_scratch
            || places.peek().is_some() && places.all(|place| place.is_disposable())
            || known.is(Trait::ExtensionOption)
                && sorted.values("-e").any(|value| {
                    let name = alloc::format!("x.{}", value.text);
                    self.place(&Word::literal(name)).is_disposable()
                });
        let keys = if super::spread::seeks_keys(program, arguments) { Taint::SECRET } else { Taint::NONE };
        keys | if routine { Taint::ROUTINE } else { Taint::LISTED }
    }

    fn reads_secret(&self, program: &str, arguments: &[Word]) -> bool {
        !programs::find(program).is_some_and(|known| known.is(Trait::Silent) || known.is(Trait::PrintsWords))
            && arguments.iter().enumerate().any(|(at, word)| {
                !super::matched::leaves_out(at.checked_sub(1).and_then(|at| arguments.get(at)), word)
                    && self.is_secret_word(word)
            })
    }

    /// Says whether an operand of a program is a file or a folder that holds secrets, or what it searches lies there.
    pub(crate) fn is_given_secret(&self, program: &str, arguments: &[Word]) -> bool {
        let goes_through = super::spread::seeks_all(program, arguments);
        let shallow = arguments.iter().any(|word| word.text == "-maxdepth");
        let is_shut = |word: &Word| {
            let place = self.place(word);
            let finds = |known: &str| {
                goes_through
                    || !self.budget.pay(Work::Scan, 8 * arguments.len())
                    || super::spread::finds_by_name(program, arguments, known)
            };
            let all = !(shallow && place.is_root()) && place.is_searched_for_secrets(finds);
            self.is_secret_word(word) || place.is_device() || all
        };
        let is_given = match programs::is(program, Trait::SearchesByExpression) {
            true => Arguments::new(program, arguments).operands().any(|(_, word, _)| is_shut(word)),
            false => arguments.iter().any(|word| !word.text.starts_with('-') && is_shut(word)),
        };
        is_given || super::spread::seeks_below_secrets(arguments) || super::spread::may_seek_keys(program, arguments)
    }

    /// The text of files or of the pipe, as it is.
    fn passed(&mut self, kind: Output, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let sorted = Arguments::new(program, arguments);
        let files: Vec<Word> = match kind {
            Output::Piped => Vec::new(),
            Output::Blocks => arguments
                .iter()
                .filter_map(|word| {
                    word.text.strip_prefix("if=").map(|path| Word { text: path.into(), glob: false, ..word.clone() })
                })
                .collect(),
            _ => sorted.operands().map(|(_, word, _)| word.clone()).collect(),
        };
        if files.is_empty() {
            let mut out = stdin.clone();
            if kind == Output::End
                && let Some(from) = super::printed::bytes_from(arguments)
            {
                out.text = out.text.as_ref().and_then(|text| text.get(from.saturating_sub(1)..)).map(String::from);
            }
            if matches!(kind, Output::Part | Output::End) {
                out.taint = Taint::NONE | mask(out.taint);
            }
            return out;
        }
        let mut out = Stream::default();
        for file in &files {
            let is_stdin = matches!(file.text.as_str(), "-" | "/dev/stdin") && kind != Output::Blocks;
            out.append(if is_stdin { stdin.clone() } else { self.peek(file) });
            if matches!(file.text.as_str(), "/dev/zero" | "/dev/urandom" | "/dev/random")
                && matches!(kind, Output::Whole | Output::Blocks)
            {
                let bounded = arguments.iter().any(|word| word.text.starts_with("count="));
                out.taint = out.taint | if bounded { Taint::NONE } else { Taint::ENDLESS };
            }
        }
        out
    }

    /// Returns a file's content where the line wrote it, without judging the reading.
    fn peek(&self, word: &Word) -> Stream {
        let place = self.place(word);
        match self.state.files.get(&place.text) {
            Some(file) if self.budget.pay(Work::Scan, file.text.as_ref().map_or(0, String::len)) => {
                Stream { text: file.text.clone(), taint: file.taint | word.taint, connected: true }
            }
            _ => {
                let fd = place.text.strip_prefix("/dev/fd/").or_else(|| place.text.strip_prefix("/proc/self/fd/"));
                let stream = fd.and_then(|fd| fd.parse::<i32>().ok()).and_then(|fd| self.state.descriptors.get(&fd));
                stream
                    .map(|stream| stream.clone().perhaps())
                    .unwrap_or(Stream::unknown(word.taint | super::picked::of_file(&place.text) | Taint::CONTENT))
            }
        }
    }

    fn mapped(&mut self, arguments: &[Word], stdin: &Stream, change: impl Fn(&str) -> String) -> Stream {
        let shows = programs::stand_in(Act::Show).next().unwrap_or_default();
        let input =
            if arguments.is_empty() { stdin.clone() } else { self.passed(Output::Whole, shows, arguments, stdin) };
        match input.text {
            Some(text) => from(Some(change(&text)), input.taint),
            None => Stream::unknown(input.taint | Taint::DECODED),
        }
    }

    fn mapped_unknown(&mut self, kind: Output, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let mut taint = stdin.taint;
        for word in arguments {
            taint = taint | self.peek(word).taint;
        }
        if kind == Output::Edited
            && let (Some(text), [script]) = (&stdin.text, arguments)
            && let Some(changed) = decode::sed(text, &script.text, &self.budget)
        {
            return from(Some(changed), taint);
        }
        if kind == Output::Scanned
            && let Some(printed) =
                arguments.first().and_then(|word| super::code::awk::printed(&word.text, &self.budget))
        {
            return from(Some(printed), taint);
        }
        let invents = kind == Output::Queried && Arguments::new(program, arguments).has("-n");
        if stdin.text.is_some() || invents {
            // Known text, changed in a way that is not followed, is as good as decoded when it is run.
            taint = taint | Taint::DECODED;
        }
        Stream::unknown(mask(taint))
    }

    fn decoded(&mut self, kind: Output, arguments: &[Word], stdin: &Stream) -> Stream {
        let letters = |word: &Word, flag: char| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(flag)
        };
        let given = |words: &[&str]| arguments.iter().any(|word| words.contains(&word.text.as_str()));
        let letter = if kind == Output::Hexadecimal { 'r' } else { 'd' };
        let decodes = kind == Output::Uudecode
            || arguments.iter().any(|word| letters(word, letter))
            || if kind == Output::Cipher {
                given(&["-d", "smime", "rsautl"])
            } else {
                given(&["--decode", "-D", "enc", "base64", "--reverse", "-revert"])
            };
        let operands: Vec<Word> = arguments
            .iter()
            .filter(|word| !word.text.starts_with('-') && !matches!(word.text.as_str(), "enc" | "base64"))
            .cloned()
            .collect();
        let input =
            if operands.is_empty() { stdin.clone() } else { self.passed(Output::Whole, "cat", &operands, stdin) };
        if !decodes {
            return Stream { text: None, taint: input.taint, connected: true };
        }
        let text = input.text.as_deref().and_then(|text| match kind {
            Output::Base64 | Output::Cipher => decode::base64(text),
            Output::Base32 => decode::base32(text),
            Output::Hexadecimal => decode::hex(text),
            _ => None,
        });
        match text {
            Some(text) => from(Some(text), input.taint),
            None => Stream::unknown(input.taint | Taint::DECODED),
        }
    }
}

fn from(text: Option<String>, taint: Taint) -> Stream {
    Stream { text: text.filter(|text| !text.contains(super::word::HOLE) || text.len() < 256), taint, connected: true }
}

/// A part of endless input has an end.
fn mask(taint: Taint) -> Taint {
    let mut out = Taint::NONE;
    for mark in [
        Taint::REMOTE,
        Taint::DECODED,
        Taint::SECRET,
        Taint::SHELL,
        Taint::LISTED,
        Taint::ROUTINE,
        Taint::PRIVATE,
        Taint::NAMES_SECRETS,
        Taint::CHOSEN,
        Taint::PROCESSES,
    ] {
        if taint.has(mark) {
            out = out | mark;
        }
    }
    out
}

/// Returns what a search of `arguments` hands on to a command.
pub(crate) fn listed_below(walker: &Walker<'_>, program: &str, arguments: &[Word]) -> Word {
    super::expand::listed(walker.listed_names(program, arguments))
}

/// Says whether a text names the list of accounts.
pub(crate) fn is_account_list(text: &str) -> bool {
    ["/etc/passwd", "/etc/group"].iter().any(|path| text.ends_with(path))
}

/// Returns the name or the folder of a path that is plain.
fn part_of_path(kind: Output, arguments: &[Word], taint: Taint) -> Stream {
    match arguments {
        [word] if word.is_known() && !word.glob && super::printed::is_plain_path(&word.text) => {
            let (folder, name) = word.text.rsplit_once('/').unwrap_or((".", &word.text));
            let text = if kind == Output::BaseName { name } else { folder };
            from(Some(text.to_string()), taint)
        }
        _ => Stream::unknown(taint),
    }
}

/// Returns what is found for the name of a program that is looked for: the name stands for its path.
fn looked_for(arguments: &[Word], taint: Taint, stdin: &Stream) -> Stream {
    match arguments {
        [name] if !name.text.starts_with('-') => {
            let found = if taint.has(Taint::GUESSED) { Taint::NONE } else { Taint::LOOKED_FOR };
            from(Some(name.text.clone()), taint | found)
        }
        [option, name] if matches!(option.text.as_str(), "-v" | "-p" | "-P") => from(Some(name.text.clone()), taint),
        _ => Stream::unknown(stdin.taint | taint),
    }
}

fn reverse(line: &str) -> String {
    line.chars().rev().collect()
}

fn fetched(program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
    let sorted = Arguments::new(program, arguments);
    let local = sorted.operands().all(|(_, word, _)| word.text.starts_with("file://"));
    let to_file = programs::is(program, Trait::FetchesToFile)
        && !sorted.values("-O").any(|value| value.text == "-")
        && !sorted.has_value("--output-document", "-");
    let named = sorted.operands().count() > 0;
    let listens = programs::is(program, Trait::Listens);
    if !named && !listens || named && local || to_file {
        return Stream::unknown(mask(stdin.taint));
    }
    Stream::unknown(Taint::REMOTE)
}
