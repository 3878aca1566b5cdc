//! Whether a rule's pattern holds for a program's arguments.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::arguments::{Arguments, Role};
use super::mode;
use super::path::{self, Place, glob_match};
use super::word::{HOLE, SHORT_LIVED, Stream, Taint, Word};
use crate::rules::questions;

/// What a pattern is held against.
pub(crate) struct Subject<'a> {
    /// The program's name.
    pub(crate) program: &'a str,
    /// Its arguments.
    pub(crate) arguments: &'a Arguments<'a>,
    /// What comes in through the pipe.
    pub(crate) stdin: &'a Stream,
    /// The folder that the line went to, where known.
    pub(crate) folder: Option<&'a str>,
    /// The home folder.
    pub(crate) home: Option<&'a str>,
    /// Says what is known of a file's content by its plain path.
    pub(crate) file_taint: &'a dyn Fn(&str) -> Taint,
}

/// Holds a pattern against a command; returns where the operands that are left begin.
pub(crate) fn matches(on: &str, subject: &Subject<'_>) -> Option<Vec<usize>> {
    let (programs, parts) = on.split_once(' ').unwrap_or((on, ""));
    if !matches!(programs, "*" | "?") && !programs.split('|').any(|name| name == subject.program) {
        return None;
    }
    holds(parts, subject)
}

/// The same for a rule that was found by its program's name.
pub(crate) fn matches_found(on: &str, subject: &Subject<'_>) -> Option<Vec<usize>> {
    holds(on.split_once(' ').map_or("", |(_, parts)| parts), subject)
}

fn holds(parts: &str, subject: &Subject<'_>) -> Option<Vec<usize>> {
    let parts = pieces(parts, b' ').filter(|part| !part.is_empty());
    let arguments = subject.arguments;
    let mut next = 0;
    let mut skipping = false;
    for part in parts.clone() {
        let first = part.as_bytes().first().copied().unwrap_or(b' ');
        match first {
            b'*' if part == "**" => skipping = true,
            b'-' | b'!' | b'%' | b'<' => {}
            _ => {
                let mut found = false;
                while let Some((_, word, loose)) = arguments.operand(next) {
                    next += 1;
                    if pieces(part, b'|').any(|glob| glob_match(glob, &word.text)) {
                        found = true;
                        break;
                    }
                    if !loose && (!skipping || questions::VERBS.contains(&word.text.as_str()) && asks(subject.program))
                    {
                        return None;
                    }
                }
                if !found {
                    return None;
                }
                skipping = false;
            }
        }
    }
    let rest = Rest { subject, left: arguments.operands_from(next) };
    let conditions = parts.filter(|part| part.starts_with(['-', '!', '%', '<']));
    // Options are looked up; classes are asked of each word, and so come last.
    let options = conditions.clone().filter(|part| !part.contains('%'));
    let classes = conditions.filter(|part| part.contains('%'));
    options.chain(classes).all(|part| rest.holds(part)).then(|| rest.left.iter().map(|(at, _)| *at).collect())
}

/// Cuts a text at a separator: the parts of a pattern are so short that looking for it letter by letter is the quickest.
fn pieces(text: &str, separator: u8) -> impl Iterator<Item = &str> + Clone {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| byte == separator);
        rest = end.and_then(|end| text.get(end + 1..));
        end.map_or(Some(text), |end| text.get(..end))
    })
}

/// Says whether a verb of a program that only asks makes what stands behind it a name.
fn asks(program: &str) -> bool {
    !questions::SEVERAL.contains(&program)
}

struct Rest<'a, 'b> {
    subject: &'b Subject<'a>,
    /// Places of the operands that are left, and whether they are loose.
    left: &'b [(usize, bool)],
}

impl Rest<'_, '_> {
    fn holds(&self, part: &str) -> bool {
        if let Some(negated) = part.strip_prefix('!') {
            return !self.holds(negated);
        }
        if let Some(class) = part.strip_prefix('%') {
            if ["is:", "has:"].iter().any(|prefix| class.starts_with(prefix)) {
                return self.class(class);
            }
            // Options may stand behind a class as alternatives to it.
            let (class, rest) = class.split_once("|-").unwrap_or((class, ""));
            return self.class(class) || !rest.is_empty() && self.holds(&alloc::format!("-{rest}"));
        }
        if let Some((options, class)) = part.split_once("|%") {
            return self.holds(options) || self.holds(&alloc::format!("%{class}"));
        }
        if let Some(stream) = part.strip_prefix('<') {
            let stdin = self.subject.stdin;
            return match stream {
                "secret" => stdin.taint.has(Taint::SECRET),
                "foreign" => stdin.taint.foreign(),
                "none" => !stdin.connected,
                "shell" => stdin.taint.has(Taint::SHELL),
                "private" => stdin.taint.has(Taint::PRIVATE),
                _ => stdin.connected,
            };
        }
        pieces(part, b'|').any(|flag| self.one(flag))
    }

    /// One alternative that is an option, an option with a value, or an operand.
    fn one(&self, flag: &str) -> bool {
        let arguments = self.subject.arguments;
        match flag.split_once('=') {
            Some((flag, pattern)) if flag.starts_with('-') => arguments.has_value(flag, pattern),
            None if flag.starts_with('-') => arguments.has(flag),
            _ => self.words().any(|word| glob_match(flag, &word.text)),
        }
    }

    /// `kill -1` and `kill 1` with a signal: everything, or the first process.
    fn kills_all(&self) -> bool {
        let words = self.subject.arguments.words;
        let last_is = |text: &str| words.iter().skip(1).any(|word| word.text == text);
        let signalled = words.first().is_some_and(|word| word.text.starts_with('-'));
        (signalled && (last_is("-1") || last_is("1")))
            || matches!(words, [word] if word.text == "1")
            || words.iter().skip_while(|word| word.text != "--").any(|word| word.text == "-1")
    }

    /// Whether what a database shell is given only reads.
    fn reads_sql(&self) -> bool {
        let arguments = self.subject.arguments;
        let mut texts: Vec<String> = Vec::new();
        for flag in ["-c", "-e", "--command", "--execute"] {
            texts.extend(arguments.values(flag).map(|value| value.text));
        }
        if texts.is_empty() {
            texts.extend(self.words().skip(1).map(|word| word.text.clone()));
        }
        !texts.is_empty() && texts.iter().all(|text| super::sql::only_reads(text))
    }

    fn words(&self) -> impl Iterator<Item = &Word> {
        self.left.iter().filter_map(|(at, _)| self.subject.arguments.words.get(*at))
    }

    fn class(&self, class: &str) -> bool {
        match class {
            "none" => return self.left.is_empty(),
            "some" => return !self.left.is_empty(),
            "one" => return self.left.len() == 1,
            "two" => return self.left.len() == 2,
            "few" => return self.left.len() <= 1,
            "several" => return self.left.len() >= 2,
            "alone" => return self.subject.arguments.words.len() == 1,
            "dry" => return self.subject.arguments.is_dry(),
            "pretends" => return self.subject.arguments.pretends(),
            "named" => return !self.left.is_empty() && self.words().all(|word| !word.text.contains('=')),
            "dated" => return self.words().all(|word| word.text.starts_with('+')),
            // Operands behind `--`.
            "dashed" => {
                let words = self.subject.arguments.words;
                return words.iter().position(|word| word.text == "--").is_some_and(|at| at + 1 < words.len());
            }
            "ip-show" => {
                return !self.words().any(|word| IP_CHANGES.contains(&word.text.as_str()))
                    && self.words().all(|word| word.is_known());
            }
            "kill-all" => return self.kills_all(),
            "kill-hard" => {
                return self
                    .subject
                    .arguments
                    .options()
                    .any(|(_, text)| matches!(text, "-9" | "-KILL" | "-SIGKILL" | "-s" | "--signal"));
            }
            "plain-address" => {
                return !self.left.is_empty() && self.words().all(super::readonly::is_plain_address);
            }
            "reads-documents" => {
                let mut values = self.subject.arguments.values("--eval").peekable();
                return values.peek().is_some()
                    && values.all(|value| super::readonly::only_reads_documents(&value.text));
            }
            "reads-sql" => return self.reads_sql(),
            _ => {}
        }
        if let Some(texts) = class.strip_prefix("has:") {
            // No text of a rule holds a line end.
            let mut all = String::new();
            for word in self.subject.arguments.words {
                all.push_str(&word.text);
                all.push('\n');
            }
            all.make_ascii_lowercase();
            return pieces(texts, b'|').any(|text| all.contains(text));
        }
        if let Some(globs) = class.strip_prefix("is:") {
            return self.words().any(|word| pieces(globs, b'|').any(|glob| is_or_ends(glob, &word.text)));
        }
        if let Some(names) = class.strip_prefix("all:") {
            return !self.left.is_empty() && self.words().all(|word| self.in_classes(names, word));
        }
        if let Some(names) = class.strip_prefix("last:") {
            return self.words().last().is_some_and(|word| self.in_classes(names, word));
        }
        if let Some(names) = class.strip_prefix("arg:") {
            // Any argument at all, values of options too.
            return self.subject.arguments.words.iter().any(|word| self.in_classes(names, word));
        }
        if let Some(names) = class.strip_prefix("option:") {
            return self
                .subject
                .arguments
                .iter()
                .any(|(word, role)| matches!(role, Role::Value | Role::Option) && self.in_classes(names, word));
        }
        // The same word many times over is looked at once, two in turn too.
        let mut before: [Option<&Word>; 2] = [None; 2];
        self.words().any(|word| {
            let seen = before.contains(&Some(word));
            let [_, last] = before;
            before = [last, Some(word)];
            !seen && self.in_classes(class, word)
        })
    }

    fn in_classes(&self, names: &str, word: &Word) -> bool {
        let place = path::seen(&word.text, word.glob, self.subject.folder, self.subject.home);
        pieces(names, b'|').any(|name| self.in_class(name, word, &place))
    }

    fn in_class(&self, name: &str, word: &Word, place: &Place<Cow<'_, str>>) -> bool {
        match name {
            "any" => true,
            "root" => place.is_root(),
            "system" => place.is_system(),
            "config" => place.is_configuration() || place.is_root(),
            "home" => place.is_home(),
            "dotfile" => place.is_dotfile(),
            "startup" => place.is_startup(),
            "access" => place.is_access(),
            "device" => place.is_device(),
            "repo" => place.is_repository(),
            "wide" => place.is_wide(),
            "scratch" => place.is_scratch(),
            "disposable" => place.is_disposable(),
            "sink" => place.is_sink(),
            "absolute" => place.text.starts_with('/') || place.text.starts_with('~'),
            "glob" => word.glob && word.text.contains(['*', '?', '[']),
            "unknown" => word.text.contains(HOLE),
            "foreign" => word.taint.foreign() || (self.subject.file_taint)(&place.text).foreign(),
            "secret" => self.is_secret(word),
            "listed" => word.taint.has(Taint::LISTED),
            "private" => word.taint.has(Taint::PRIVATE) || super::filters::is_account_list(&word.text),
            "published" => place.is_published(),
            "remote" => is_remote(&word.text),
            "url" => word.text.contains("://"),
            "mode-open" => mode::is_open(&word.text),
            "mode-suid" => mode::is_suid(&word.text),
            "mode-shut" => mode::is_shut(&word.text),
            _ => false,
        }
    }

    fn is_secret(&self, word: &Word) -> bool {
        if word.taint.has(Taint::SECRET) {
            return true;
        }
        let check = |text: &str| {
            let place = path::seen(text, word.glob, self.subject.folder, self.subject.home);
            place.is_secret() || (self.subject.file_taint)(&place.text).has(Taint::SECRET)
        };
        if check(&word.text) {
            return true;
        }
        // `@file`, `name=@file`, `--data=@file`, `file:target`.
        let parts = word.text.split(['=', '@', ':', ',', ';', '<', '"', '\'']);
        parts.filter(|part| !part.is_empty() && part.len() < word.text.len()).any(check)
    }
}

/// Words of `ip` that change something.
const IP_CHANGES: &[&str] = &[
    "add",
    "del",
    "delete",
    "set",
    "flush",
    "change",
    "replace",
    "append",
    "up",
    "down",
    "d",
    "f",
    "exec",
    "attach",
    "detach",
    "restore",
    "save",
    "prepend",
    "a+",
    "blackhole",
    "monitor",
];

fn is_or_ends(glob: &str, text: &str) -> bool {
    glob_match(glob, text)
        || text.bytes().any(|byte| matches!(byte, b'=' | b':'))
            && text.split(['=', ':']).skip(1).any(|part| glob_match(glob, part))
}

/// `host:path`, `user@host:path`, `scheme://…`.
pub(crate) fn is_remote(text: &str) -> bool {
    if text.contains("://") {
        return !text.starts_with("file://");
    }
    let value = text.strip_prefix("--").and_then(|text| text.split_once('=')).map_or(text, |(_, value)| value);
    match value.split_once(':') {
        Some((host, _)) => !host.is_empty() && !host.contains('/') && !host.starts_with('-') && host.len() > 1,
        None => false,
    }
}

/// Fills a reason's template in.
pub(crate) fn fill(template: &str, program: &str, targets: &[&str]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else { break };
        match name {
            "program" => out.push_str(program),
            _ if targets.is_empty() => out.push_str("what it is given"),
            _ => {
                for (at, target) in targets.iter().take(3).enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    push_shown(&mut out, target);
                }
                if targets.len() > 3 {
                    out.push_str(" and more");
                }
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Appends a text as it may be shown: the unknown as `…`, no control characters, not too long.
pub(crate) fn push_shown(out: &mut String, text: &str) {
    if text.len() <= 80 && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        out.push_str(text);
        return;
    }
    if text == SHORT_LIVED {
        out.push('…');
        return;
    }
    for (at, letter) in text.chars().enumerate() {
        if at == 80 {
            out.push('…');
            break;
        }
        if letter == HOLE {
            out.push('…');
        } else if letter.is_control() {
            out.push(' ');
        } else {
            out.push(letter);
        }
    }
}

/// Classes of operands, and questions about all of them.
const CLASSES: &[&str] = &[
    "any",
    "root",
    "system",
    "config",
    "home",
    "dotfile",
    "startup",
    "access",
    "device",
    "repo",
    "wide",
    "scratch",
    "disposable",
    "sink",
    "absolute",
    "glob",
    "unknown",
    "foreign",
    "secret",
    "listed",
    "private",
    "published",
    "remote",
    "url",
    "mode-open",
    "mode-suid",
    "mode-shut",
    "none",
    "some",
    "one",
    "two",
    "few",
    "several",
    "alone",
    "dry",
    "named",
    "dated",
    "dashed",
];

/// Says what is wrong with a pattern that a person wrote.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    let mut parts = pattern.split(' ');
    let programs = parts.next().unwrap_or_default();
    if programs.starts_with(['-', '%', '!', '<']) || programs.split('|').any(str::is_empty) {
        return Err(alloc::format!("a pattern begins with a program's name, not with `{programs}`"));
    }
    if programs.contains(['*', '[', '?']) && programs != "*" {
        return Err(alloc::format!("`{programs}`: programs are named whole; `*` alone stands for all of them"));
    }
    for part in parts {
        let bare = part.trim_start_matches('!');
        if bare.is_empty() {
            return Err(alloc::format!("`{part}` has nothing behind it"));
        }
        if let Some(stream) = bare.strip_prefix('<')
            && !matches!(stream, "secret" | "foreign" | "none" | "shell" | "private" | "any")
        {
            return Err(alloc::format!(
                "`<{stream}` is no kind of input; it is `<any`, `<none`, `<secret` or `<foreign`"
            ));
        }
        let Some(class) = bare.strip_prefix('%') else { continue };
        if ["is:", "has:"].iter().any(|prefix| class.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty())) {
            continue;
        }
        let names =
            ["all:", "last:", "arg:", "option:"].iter().find_map(|prefix| class.strip_prefix(prefix)).unwrap_or(class);
        for name in names.split('|').filter(|name| !name.starts_with('-')) {
            if !CLASSES.contains(&name) {
                let near = CLASSES.iter().find(|known| known.get(..2) == name.get(..2));
                let hint = near.map(|near| alloc::format!("; did you mean `%{near}`?")).unwrap_or_default();
                return Err(alloc::format!("`%{name}` is no class of operands{hint}"));
            }
        }
    }
    Ok(())
}
