//! Scripts of a stream editor: `e` runs, `w` writes, `s///e` and `s///w file` do both.

use alloc::string::String;

use super::super::walk::Walker;
use super::super::word::{Stream, Word};
use crate::rules::Effect;
use crate::verdict::Verdict;

/// Commands that take nothing behind them and stay inside the stream.
const PLAIN: &str = "={}dDgGhHnNpPxzF";

/// Judges a script: each command behind its addresses; what is not understood is asked about.
pub(super) fn judge(walker: &mut Walker<'_>, text: &str) {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ';');
        if rest.is_empty() {
            return;
        }
        let Some(behind) = addresses(rest) else { return asks(walker, rest) };
        rest = behind.trim_start_matches([' ', '\t', '!']);
        let Some(command) = rest.chars().next() else { return };
        let tail = rest.get(command.len_utf8()..).unwrap_or_default();
        let line = tail.lines().next().unwrap_or_default();
        rest = match command {
            '#' | 'a' | 'i' | 'c' | 'r' | 'R' => {
                if matches!(command, 'r' | 'R') && !line.trim().is_empty() {
                    walker.read_file(&Word::literal(line.trim()));
                }
                // A line that ends in a backslash goes on.
                let mut length = 0;
                for part in tail.split_inclusive('\n') {
                    length += part.len();
                    if !part.trim_end_matches('\n').ends_with('\\') {
                        break;
                    }
                }
                tail.get(length..).unwrap_or_default()
            }
            ':' | 'b' | 't' | 'T' | 'q' | 'Q' | 'l' | 'L' | 'v' => {
                let end = tail.find([';', '\n', '}']).unwrap_or(tail.len());
                tail.get(end..).unwrap_or_default()
            }
            'e' => {
                runs(walker, rest, line.trim());
                tail.get(line.len()..).unwrap_or_default()
            }
            'w' | 'W' => {
                writes(walker, line.trim());
                tail.get(line.len()..).unwrap_or_default()
            }
            's' => match substitution(walker, tail) {
                Some(behind) => behind,
                None => return asks(walker, rest),
            },
            'y' => match parts(tail) {
                Some((_, _, behind)) => behind,
                None => return asks(walker, rest),
            },
            _ if PLAIN.contains(command) => tail,
            _ => return asks(walker, rest),
        };
    }
}

fn asks(walker: &mut Walker<'_>, rest: &str) {
    let reason = "has a script that is not understood";
    walker.note_plain(rest, Verdict::Ask, Effect::Unknown, "interpreters.sed-script", reason);
}

fn runs(walker: &mut Walker<'_>, script: &str, line: &str) {
    if line.is_empty() {
        let reason = "runs the lines of its input as commands";
        walker.note_plain(script, Verdict::Halt, Effect::RunForeign, "interpreters.sed-run", reason);
    } else {
        walker.text(line, &Stream::default());
    }
}

fn writes(walker: &mut Walker<'_>, target: &str) {
    if !target.is_empty() {
        walker.write_file(&Word::literal(target), false, &Stream::default());
    }
}

/// Skips the addresses before a command: `1`, `$`, `/x/I`, `\,x,`, `1~2`, `1,+3`; none where one does not end.
fn addresses(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let first = rest.chars().next()?;
        rest = match first {
            '/' => regex(rest.get(1..)?, '/')?.trim_start_matches(['I', 'M']),
            '\\' => {
                let mark = rest.chars().nth(1)?;
                regex(rest.get(1 + mark.len_utf8()..)?, mark)?.trim_start_matches(['I', 'M'])
            }
            '0'..='9' | '$' | '+' | '~' => {
                rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || "$+~".contains(letter))
            }
            ',' => rest.get(1..)?.trim_start_matches([' ', '\t']),
            ' ' | '\t' => rest.trim_start_matches([' ', '\t']),
            _ => return Some(rest),
        };
        if rest.is_empty() {
            return Some(rest);
        }
    }
}

/// Returns what stands behind the mark that ends a pattern.
fn regex(text: &str, mark: char) -> Option<&str> {
    let mut letters = text.char_indices();
    let mut bracket = false;
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if !bracket => drop(letters.next()),
            '[' => bracket = true,
            ']' => bracket = false,
            _ if letter == mark && !bracket => return text.get(at + letter.len_utf8()..),
            _ => {}
        }
    }
    // A bracket that never closes hides no mark.
    text.split_once(mark).map(|(_, behind)| behind)
}

/// Reads the two texts of `s` and `y`; returns both and what follows them.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let mark = text.chars().next().filter(|mark| *mark != '\n' && *mark != '\\')?;
    let inside = text.get(mark.len_utf8()..)?;
    let behind = regex(inside, mark)?;
    let pattern = inside.get(..inside.len() - behind.len() - mark.len_utf8())?;
    let mut letters = behind.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            _ if letter == mark => return Some((pattern, behind.get(..at)?, behind.get(at + letter.len_utf8()..)?)),
            _ => {}
        }
    }
    None
}

fn substitution<'s>(walker: &mut Walker<'_>, text: &'s str) -> Option<&'s str> {
    let (_, replacement, behind) = parts(text)?;
    let end =
        behind.find(|letter: char| !(letter.is_ascii_digit() || "gpeiImM".contains(letter))).unwrap_or(behind.len());
    let (flags, rest) = behind.split_at_checked(end)?;
    if flags.contains('e') {
        let reason = "runs what it replaces as commands";
        walker.note_plain(text, Verdict::Halt, Effect::RunForeign, "interpreters.sed-run", reason);
        walker.text(&String::from(replacement), &Stream::default());
    }
    match rest.strip_prefix('w') {
        Some(target) => {
            let line = target.lines().next().unwrap_or_default();
            writes(walker, line.trim());
            target.get(line.len()..)
        }
        None if rest.trim_start_matches([' ', '\t']).starts_with([';', '}', '\n', '#']) || rest.trim().is_empty() => {
            Some(rest)
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PolicyRules, Surroundings, analyse};

    #[test]
    fn addresses_and_parts_are_read() {
        for (text, rest) in
            [("1,3p", "p"), ("/a\\/b/Iw x", "w x"), ("\\,a,!d", "!d"), ("$!N", "!N"), ("0~3 p", "p"), ("/[/]/d", "d")]
        {
            assert_eq!(addresses(text), Some(rest), "{text}");
        }
        assert_eq!(parts("/a/b/g"), Some(("a", "b", "g")));
        assert_eq!(parts("|a\\|b|c|"), Some(("a\\|b", "c", "")));
        assert_eq!(parts("/a"), None);
    }

    #[test]
    fn every_command_that_writes_or_runs_is_found() {
        let verdict = |script: &str| {
            analyse(&alloc::format!("sed '{script}' f"), &Surroundings::default(), &PolicyRules::default())
                .judgement
                .verdict
        };
        for script in
            ["w x", "/a/!w x", "\\,a,w x", "s/a/b/gw x", "1,3{w x\n}", "y/a/b/;w x", "$!W x", "r .env", "s/a/b/;k"]
        {
            assert_ne!(verdict(script), Verdict::Allow, "{script}");
        }
        for script in ["e", "s/a/b/e", "1e rm -rf /srv", "\\,a,e rm -rf /srv"] {
            assert_eq!(verdict(script), Verdict::Halt, "{script}");
        }
        for script in [
            "p",
            "1,5p",
            "s/a/b/g;s|c|d|2",
            "/a/,/b/d",
            "$!N;P;D",
            ":a;N;$!ba;s/\\n/ /g",
            "a\\\nw x",
            "/a/{s/b/c/;p}",
            "y/abc/xyz/",
            "1!G;h;$!d",
            "s/w x/e/",
        ] {
            assert_eq!(verdict(script), Verdict::Allow, "{script}");
        }
    }
}
