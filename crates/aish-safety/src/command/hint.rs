//! A command inside the arguments of a tool that no wrapper entry fits: found by the words that announce it.
//!
//! Such a guess is noted only where it halts.

use aish_program_format::Trait;
use aish_programs::words::hints;

use super::walk::Walker;
use super::word::{Stream, Word};
use crate::rules::programs;

/// What the fallback is called where one thing is left out, to see that it is needed.
pub const FALLBACK: &str = "fallback";

/// The most words that are looked at.
const MAX_WORDS: usize = 256;
/// The most words with a pipe that are looked at.
const MAX_PIPED: usize = 16;

impl Walker<'_> {
    /// Looks for commands behind options and subcommands that announce them; `stranger` where nothing is known of the
    /// tool.
    pub(crate) fn hinted(&mut self, name: &str, arguments: &[Word], stranger: bool) {
        if self.guessing || self.dropped == Some(FALLBACK) || arguments.len() > MAX_WORDS {
            return;
        }
        let mut runs = false;
        let mut loose = false;
        let mut at = 0;
        let mut operands = 0;
        while let Some(word) = arguments.get(at) {
            at += 1;
            let text = word.text.as_str();
            let rest = arguments.get(at..).unwrap_or_default();
            if text == "--" {
                if (runs || loose || stranger) && self.hinted_words(name, rest, false) {
                    return;
                }
                continue;
            }
            if text.starts_with('-') && text.len() > 1 {
                let (option, value) = match text.split_once('=') {
                    Some((option, value)) => (option, Some(value)),
                    None => (text, None),
                };
                let announces = hints::OPTIONS.contains(&option)
                    || (stranger || runs || loose) && hints::SHORT_OPTIONS.contains(&option);
                if announces {
                    let line = value.or_else(|| rest.first().map(|word| word.text.as_str())).unwrap_or_default();
                    if line.contains(' ') && self.suspect(line)
                        || value.is_none() && self.hinted_words(name, rest, false)
                    {
                        return;
                    }
                }
                continue;
            }
            operands += 1;
            if runs || loose {
                if self.hinted_words(name, arguments.get(at - 1..).unwrap_or_default(), !runs) {
                    return;
                }
            } else if operands <= 3 {
                let bare = text.rsplit(':').next().unwrap_or(text);
                runs = hints::VERBS.contains(&bare);
                loose = !runs && hints::LOOSE_VERBS.contains(&bare) && !programs::is(name, Trait::Tasks);
            }
        }
    }

    /// Judges words that begin or end with a pipe: many programs take such a name of a file for a command
    /// (`-o '|cmd'`, `open("cmd|")`); noted only where that halts.
    pub(crate) fn piped_words(&mut self, arguments: &[Word]) {
        if self.guessing || self.dropped.is_some() {
            return;
        }
        for word in arguments.iter().filter(|word| word.text.contains(['|', '!'])).take(MAX_PIPED) {
            let Some(line) = piped(&word.text).filter(|line| line.contains(' ')) else { continue };
            if self.suspect(line) {
                return;
            }
        }
    }

    /// Judges words as a program, or their first as a line; `several` where one word alone is a name.
    fn hinted_words(&mut self, name: &str, words: &[Word], several: bool) -> bool {
        let Some(first) = words.first() else { return false };
        if first.text.contains(' ') && self.suspect(&first.text.clone()) {
            return true;
        }
        let base = first.text.rsplit('/').next().unwrap_or_default();
        if first.text.starts_with('-') || !programs::is_destructive(base) || several && words.len() < 2 {
            return false;
        }
        self.guess_at(0, alloc::vec![Self::label(name, "")], |guess| {
            guess.run(words, &Stream::default());
        })
    }
}

/// Returns the command of a word that begins with a pipe or ends with one; a name, an option or a mark of a format may
/// stand before the first.
pub(crate) fn piped(text: &str) -> Option<&str> {
    let text = text.trim();
    if let Some(line) = text.strip_suffix('|') {
        return Some(line);
    }
    let behind = |text: &'_ str| text.trim_start_matches(['\'', '"', ' ']).starts_with(['|', '!']);
    let starts = [Some(0), text.find('=').map(|at| at + 1), text.find(':').map(|at| at + 1)];
    let option = text.starts_with('-').then_some(2);
    let from = starts.into_iter().chain([option]).flatten().find(|at| text.get(*at..).is_some_and(behind))?;
    let line = text.get(from..)?.trim_start_matches(['\'', '"', ' ']).trim_start_matches(['|', '!', '&']);
    Some(line.trim_end_matches(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_commands_are_found() {
        for (text, line) in [
            ("|rm x", Some("rm x")),
            ("'| rm x'", Some(" rm x")),
            ("!rm x", Some("rm x")),
            ("--output=|rm x", Some("rm x")),
            ("-o|rm x", Some("rm x")),
            ("concat:|rm x", Some("rm x")),
            ("rm x|", Some("rm x")),
            ("a|b", None),
            ("", None),
        ] {
            assert_eq!(piped(text), line, "{text}");
        }
    }
}
