//! What programs write, where it can be computed: `echo`, `printf`, `cat`, decoders, plain filters; and where it comes
//! from, where it cannot.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::arguments::Arguments;
use super::state::FileContent;
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use super::{decode, escape};
use crate::rules::{programs, sources};

impl Walker<'_> {
    /// Returns what a program writes to the pipe.
    pub(crate) fn output(&mut self, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let taint = arguments.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
        let mut out = match program {
            "echo" => from(echo(arguments), taint),
            "printf" => from(printf(arguments), taint),
            "cat" | "tac" | "tee" | "head" | "tail" | "dd" | "less" | "more" | "bat" | "pv" | "sponge" | "nl"
            | "strings" | "unbuffer" => self.passed(program, arguments, stdin),
            "rev" => self.mapped(arguments, stdin, |text| text.lines().map(reverse).collect::<Vec<_>>().join("\n")),
            "tr" => match &stdin.text {
                Some(text) => from(decode::translate(text, arguments), stdin.taint),
                None => Stream::unknown(stdin.taint | Taint::DECODED),
            },
            "sed" | "awk" | "cut" | "grep" | "sort" | "uniq" | "jq" | "yq" | "paste" | "fold" | "gawk" | "mawk"
            | "column" | "fmt" | "expand" | "unexpand" | "iconv" | "envsubst" | "gsed" | "perl" => {
                self.mapped_unknown(program, arguments, stdin)
            }
            "base64" | "base32" | "gbase64" | "openssl" | "xxd" | "uudecode" | "basenc" => {
                self.decoded(program, arguments, stdin)
            }
            "python" | "python3" | "python2"
                if arguments.iter().any(|word| matches!(word.text.as_str(), "base64" | "binascii" | "quopri")) =>
            {
                Stream::unknown(stdin.taint | taint | Taint::DECODED)
            }
            "pwd" => Stream::known(self.folder_text()),
            "mktemp" => from(Some(alloc::format!("/tmp/tmp.{}", super::word::HOLE)), Taint::NONE),
            "yes" => Stream {
                text: arguments.first().map(|word| word.text.clone()),
                taint: taint | Taint::ENDLESS,
                connected: true,
            },
            "basename" | "dirname" => match arguments {
                [word] if word.is_known() => {
                    let (folder, name) = word.text.rsplit_once('/').unwrap_or((".", &word.text));
                    from(Some(if program == "basename" { name.into() } else { folder.to_string() }), taint)
                }
                _ => Stream::unknown(taint),
            },
            "whoami" | "id" | "hostname" | "date" | "uname" | "nproc" => Stream::unknown(Taint::NONE),
            "which" | "command" | "type" if !arguments.is_empty() => {
                let last = arguments.last().map(|word| word.text.clone());
                from(last, taint)
            }
            "env" | "printenv" | "export" | "set" if arguments.iter().all(|word| word.text.starts_with('-')) => {
                Stream::unknown(Taint::SECRET)
            }
            "gpg" | "gpg2" | "pass" | "security" | "secret-tool" | "op" | "bw" | "vault" | "history" | "lastpass" => {
                let decodes = arguments.iter().any(|word| matches!(word.text.as_str(), "-d" | "--decrypt"));
                Stream::unknown(Taint::SECRET | if decodes { Taint::DECODED } else { Taint::NONE })
            }
            "source" | "." | "eval" | "exec" => Stream::unknown(taint | stdin.taint),
            _ if programs::SHELLS.contains(&program) => Stream::unknown(taint | stdin.taint | Taint::SHELL),
            _ if sources::FETCHERS.contains(&program) => fetched(program, arguments, stdin),
            _ if sources::DECODERS.contains(&program) => Stream::unknown(stdin.taint | taint | Taint::DECODED),
            _ if sources::SILENT.contains(&program) => {
                Stream { text: Some(String::new()), taint: Taint::NONE, connected: true }
            }
            _ => Stream::unknown(stdin.taint | taint),
        };
        if self.reads_secret(program, arguments) || sources::prints_secrets(program, arguments) {
            out.taint = out.taint | Taint::SECRET;
        }
        if sources::DUMPERS.contains(&program) || arguments.iter().any(|word| is_account_list(&word.text)) {
            out.taint = out.taint | Taint::PRIVATE;
        }
        out.taint = out.taint | self.listed_names(program, arguments);
        out.connected = true;
        out
    }

    /// Says what is known of the names that a search writes.
    fn listed_names(&self, program: &str, arguments: &[Word]) -> Taint {
        let searches = match program {
            "find" | "gfind" | "bfs" | "fd" | "fdfind" | "locate" | "plocate" | "mlocate" | "ls" | "exa" | "eza" => {
                true
            }
            "grep" | "rg" | "ag" | "egrep" | "fgrep" | "ack" => arguments.iter().any(|word| {
                matches!(word.text.as_str(), "--files-with-matches" | "--files" | "-l")
                    || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['l', 'L'])
            }),
            _ => false,
        };
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
            || matches!(program, "fd" | "fdfind")
                && sorted.values("-e").any(|value| {
                    let name = alloc::format!("x.{}", value.text);
                    self.place(&Word::literal(name)).is_disposable()
                });
        let keys = if super::spread::seeks_keys(program, arguments) { Taint::SECRET } else { Taint::NONE };
        keys | if routine { Taint::ROUTINE } else { Taint::LISTED }
    }

    fn reads_secret(&self, program: &str, arguments: &[Word]) -> bool {
        !sources::SILENT.contains(&program)
            && !matches!(program, "echo" | "printf" | "ls" | "stat" | "test" | "[" | "find" | "which" | "file")
            && arguments.iter().any(|word| self.is_secret_word(word))
    }

    /// Says whether a word names a file that holds secrets, or is one.
    pub(crate) fn is_secret_word(&self, word: &Word) -> bool {
        if word.taint.has(Taint::SECRET) {
            return true;
        }
        let check = |text: &str| {
            let home = self.around.home.as_deref();
            let place = super::path::seen(text, word.glob, self.state.folder.as_deref(), home);
            place.is_secret() || self.state.taint_below(&place.text).has(Taint::SECRET)
        };
        !word.text.starts_with('-') && check(&word.text)
            || word.text.split(['=', '@']).skip(1).any(|part| !part.is_empty() && check(part))
    }

    /// The text of files or of the pipe, as it is.
    fn passed(&mut self, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let sorted = Arguments::new(program, arguments);
        let files: Vec<Word> = match program {
            "tee" | "pv" | "sponge" | "unbuffer" => Vec::new(),
            "dd" => arguments
                .iter()
                .filter_map(|word| {
                    word.text.strip_prefix("if=").map(|path| Word { text: path.into(), glob: false, taint: word.taint })
                })
                .collect(),
            _ => sorted.operands().map(|(_, word, _)| word.clone()).collect(),
        };
        let files: Vec<Word> = files
            .into_iter()
            .filter(|word| word.text != "-" && !word.text.chars().all(|c| c.is_ascii_digit()))
            .collect();
        if files.is_empty() {
            let mut out = stdin.clone();
            if program == "tail"
                && let Some(from) = bytes_from(arguments)
            {
                out.text = out.text.as_ref().and_then(|text| text.get(from.saturating_sub(1)..)).map(String::from);
            }
            if matches!(program, "head" | "tail" | "tac" | "strings") {
                out.taint = Taint::NONE | mask(out.taint);
                if program != "tail"
                    && out.text.as_ref().is_some_and(|text| text.lines().count() > 1)
                    && !arguments.is_empty()
                {
                    // Which lines are left is not followed; any of them may be run.
                    out.text = out.text.clone();
                }
            }
            return out;
        }
        let mut out = Stream::default();
        for file in &files {
            out.append(if matches!(file.text.as_str(), "/dev/stdin") { stdin.clone() } else { self.peek(file) });
            if matches!(file.text.as_str(), "/dev/zero" | "/dev/urandom" | "/dev/random")
                && matches!(program, "cat" | "dd")
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
            Some(file) => Stream { text: file.text.clone(), taint: file.taint | word.taint, connected: true },
            None => {
                let fd = place.text.strip_prefix("/dev/fd/").or_else(|| place.text.strip_prefix("/proc/self/fd/"));
                let stream = fd.and_then(|fd| fd.parse::<i32>().ok()).and_then(|fd| self.state.descriptors.get(&fd));
                stream.cloned().unwrap_or(Stream::unknown(word.taint))
            }
        }
    }

    fn mapped(&mut self, arguments: &[Word], stdin: &Stream, change: impl Fn(&str) -> String) -> Stream {
        let input = if arguments.is_empty() { stdin.clone() } else { self.passed("cat", arguments, stdin) };
        match input.text {
            Some(text) => from(Some(change(&text)), input.taint),
            None => Stream::unknown(input.taint | Taint::DECODED),
        }
    }

    fn mapped_unknown(&mut self, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let mut taint = stdin.taint;
        for word in arguments {
            taint = taint | self.peek(word).taint;
        }
        if program == "sed"
            && let (Some(text), [script]) = (&stdin.text, arguments)
            && let Some(changed) = decode::sed(text, &script.text)
        {
            return from(Some(changed), taint);
        }
        if program.ends_with("awk")
            && let Some(printed) = arguments.first().and_then(|word| super::code::awk::printed(&word.text))
        {
            return from(Some(printed), taint);
        }
        let invents = program == "jq" && Arguments::new(program, arguments).has("-n");
        if stdin.text.is_some() || invents {
            // Known text, changed in a way that is not followed, is as good as decoded when it is run.
            taint = taint | Taint::DECODED;
        }
        Stream::unknown(mask(taint))
    }

    fn decoded(&mut self, program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
        let letters = |word: &Word, flag: char| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(flag)
        };
        let decodes = arguments.iter().any(|word| {
            matches!(word.text.as_str(), "--decode" | "-D" | "enc" | "base64" | "--reverse" | "-revert")
                && program != "openssl"
                || program == "xxd" && letters(word, 'r')
                || program != "xxd" && letters(word, 'd')
        }) || program == "uudecode"
            || program == "openssl"
                && arguments.iter().any(|word| matches!(word.text.as_str(), "-d" | "smime" | "rsautl"));
        let operands: Vec<Word> = arguments
            .iter()
            .filter(|word| !word.text.starts_with('-') && !matches!(word.text.as_str(), "enc" | "base64"))
            .cloned()
            .collect();
        let input = if operands.is_empty() { stdin.clone() } else { self.passed("cat", &operands, stdin) };
        if !decodes {
            return Stream { text: None, taint: input.taint, connected: true };
        }
        let text = input.text.as_deref().and_then(|text| match program {
            "base64" | "gbase64" | "openssl" | "basenc" => decode::base64(text),
            "base32" => decode::base32(text),
            "xxd" => decode::hex(text),
            _ => None,
        });
        match text {
            Some(text) => from(Some(text), input.taint),
            None => Stream::unknown(input.taint | Taint::DECODED),
        }
    }

    /// Follows files from hand to hand: copies keep where their content comes from, downloads and archives get it.
    pub(crate) fn follow_files(&mut self, program: &str, arguments: &[Word], stdin: &Stream) {
        let copies = sources::COPIERS.contains(&program);
        let packer = sources::PACKERS.iter().find(|(packer, _)| *packer == program);
        let mut taint = Taint::NONE;
        let mut text = None;
        for word in arguments.iter().filter(|_| copies || packer.is_some()) {
            if self.is_secret_word(word) {
                taint = taint | Taint::SECRET;
            }
            let source = word.text.strip_prefix("if=").unwrap_or(&word.text);
            let place = self.place(&Word::literal(source)).text;
            if let Some(file) = self.state.files.get(&place) {
                taint = taint | file.taint;
                text = text.or_else(|| file.text.clone());
            }
        }
        if taint != Taint::NONE
            && let Some((_, ending)) = packer
        {
            let sorted = Arguments::new(program, arguments);
            let ending = sorted.values("-S").next().map_or_else(|| ending.to_string(), |ending| ending.text);
            for (_, word, _) in sorted.operands() {
                let place = self.place(word).text + &ending;
                self.state.note_file(place, FileContent { text: None, taint });
            }
        }
        if copies && text.is_none() {
            text = copied_program(arguments);
        }
        if copies && (taint != Taint::NONE || text.is_some()) {
            let known = matches!(program, "cp" | "mv" | "ln" | "install" | "link").then_some(text).flatten();
            for word in arguments.iter().filter(|word| !word.text.starts_with("--")) {
                let target = word.text.strip_prefix("of=").unwrap_or(&word.text);
                let place = self.place(&Word::literal(target)).text;
                if !self.state.files.contains_key(&place) && place.len() < 4096 {
                    self.state.note_file(place, FileContent { text: known.clone(), taint });
                }
            }
        }
        if matches!(program, "tee" | "sponge") {
            let targets: Vec<Word> = arguments.iter().filter(|word| !word.text.starts_with('-')).cloned().collect();
            for target in targets {
                let place = self.place(&target).text;
                self.state.note_file(place, FileContent { text: stdin.text.clone(), taint: stdin.taint });
            }
        }
        if sources::FETCHERS.contains(&program) {
            self.downloaded(program, arguments);
        }
        if sources::DECODERS.contains(&program) || matches!(program, "base64" | "xxd" | "openssl") {
            let sorted = Arguments::new(program, arguments);
            for flag in ["-o", "-out", "--output"] {
                let values: Vec<Word> = sorted.values(flag).collect();
                for value in values {
                    let place = self.place(&value).text;
                    let held = self.state.files.get(&place).map_or(Taint::NONE, |file| file.taint);
                    self.state.note_file(place, FileContent { text: None, taint: Taint::DECODED | held });
                }
            }
        }
    }

    fn downloaded(&mut self, program: &str, arguments: &[Word]) {
        let sorted = Arguments::new(program, arguments);
        let mut targets: Vec<Word> = Vec::new();
        for flag in ["-o", "-O", "--output", "--output-document", "--out", "-d", "--dir"] {
            if flag == "-O" && program == "curl" || flag == "-o" && program == "wget" {
                continue;
            }
            targets.extend(sorted.values(flag));
        }
        for (_, word, _) in sorted.operands() {
            let path = word.text.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
            if let Some((_, name)) = path.rsplit_once('/')
                && !name.is_empty()
            {
                targets.push(Word::literal(name));
            }
            if matches!(program, "scp" | "rsync" | "gsutil" | "aws" | "rclone" | "sftp")
                && !super::pattern::is_remote(&word.text)
            {
                let remote = sorted.operands().any(|(_, other, _)| super::pattern::is_remote(&other.text));
                if remote {
                    targets.push(word.clone());
                }
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
        let program = programs::FOLDERS.contains(&folder) && programs::is_destructive(name);
        let found = folder.is_empty() && word.taint == Taint::NONE && programs::is_destructive(name) && name.len() > 1;
        (program || found && arguments.last().is_some_and(|last| last.text.contains('/') && last.text != word.text))
            .then(|| alloc::format!("{name} \"$@\""))
    })
}

/// Returns from which byte on `tail -c +N` writes, counted from 1.
fn bytes_from(arguments: &[Word]) -> Option<usize> {
    arguments.iter().find_map(|word| {
        let text = word.text.strip_prefix("-c").or_else(|| word.text.strip_prefix("--bytes=")).unwrap_or(&word.text);
        text.strip_prefix('+')?.parse().ok()
    })
}

fn from(text: Option<String>, taint: Taint) -> Stream {
    Stream { text: text.filter(|text| !text.contains(super::word::HOLE) || text.len() < 256), taint, connected: true }
}

/// A part of endless input has an end.
fn mask(taint: Taint) -> Taint {
    let mut out = Taint::NONE;
    for mark in
        [Taint::REMOTE, Taint::DECODED, Taint::SECRET, Taint::SHELL, Taint::LISTED, Taint::ROUTINE, Taint::PRIVATE]
    {
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

fn reverse(line: &str) -> String {
    line.chars().rev().collect()
}

fn fetched(program: &str, arguments: &[Word], stdin: &Stream) -> Stream {
    let sorted = Arguments::new(program, arguments);
    let local = sorted.operands().all(|(_, word, _)| word.text.starts_with("file://"));
    let to_file = program == "wget"
        && !sorted.values("-O").any(|value| value.text == "-")
        && !sorted.has_value("--output-document", "-");
    let named = sorted.operands().count() > 0;
    let listens = matches!(program, "nc" | "ncat" | "netcat" | "socat");
    if !named && !listens || named && local || to_file {
        return Stream::unknown(mask(stdin.taint));
    }
    Stream::unknown(Taint::REMOTE)
}

fn echo(arguments: &[Word]) -> Option<String> {
    let mut rest = arguments;
    let (mut escapes, mut newline) = (false, true);
    while let Some((first, tail)) = rest.split_first() {
        let flags = first.text.strip_prefix('-').unwrap_or_default();
        if flags.is_empty() || !flags.chars().all(|letter| "neE".contains(letter)) {
            break;
        }
        escapes |= flags.contains('e');
        newline &= !flags.contains('n');
        rest = tail;
    }
    let mut out = rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    if escapes {
        out = escape::unescape(&out);
    }
    if newline {
        out.push('\n');
    }
    Some(out)
}

/// Computes what `printf` writes.
pub(crate) fn printf(arguments: &[Word]) -> Option<String> {
    let arguments = match arguments {
        [first, rest @ ..] if first.text == "--" => rest,
        all => all,
    };
    let (format, values) = arguments.split_first()?;
    let mut out = String::new();
    let mut values = values.iter();
    let has_values = values.len() > 0;
    for _ in 0..1_000 {
        let left = values.len();
        let mut letters = format.text.chars().peekable();
        let mut plain = String::new();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                plain.push(letter);
                continue;
            }
            out.push_str(&escape::unescape(&core::mem::take(&mut plain)));
            while letters.next_if(|letter| "0123456789.-+ #*".contains(*letter)).is_some() {}
            match letters.next() {
                Some('%') => out.push('%'),
                Some('b') => out.push_str(&escape::unescape(values.next().map_or("", |word| word.text.as_str()))),
                Some('c') => out.extend(values.next().and_then(|word| word.text.chars().next())),
                Some('x') => {
                    let number = values.next().and_then(|word| word.text.parse::<i64>().ok()).unwrap_or(0);
                    out.push_str(&alloc::format!("{number:x}"));
                }
                Some('o') => {
                    let number = values.next().and_then(|word| word.text.parse::<i64>().ok()).unwrap_or(0);
                    out.push_str(&alloc::format!("{number:o}"));
                }
                Some(_) => out.push_str(values.next().map_or("", |word| word.text.as_str())),
                None => out.push('%'),
            }
        }
        out.push_str(&escape::unescape(&plain));
        if !has_values || values.len() == 0 || values.len() == left {
            break;
        }
    }
    Some(out)
}
