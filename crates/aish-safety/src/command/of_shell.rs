//! Variables that a shell sets by itself from what the line says: the last word of a command, what a pattern matched, an
//! option's value, the folder before. None of them is known, but whether it may name or hold a secret is.

use alloc::vec;
use alloc::vec::Vec;

use super::walk::Walker;
use super::word::{Taint, Word};

/// What holds the parts of a text that a regular expression matched, in bash and in zsh.
const MATCHED: &[&str] = &["BASH_REMATCH", "MATCH", "match"];

/// Where those parts begin and end, in zsh.
const MATCHED_AT: &[&str] = &["MBEGIN", "MEND", "mbegin", "mend"];

/// The most letters of an option's word behind which its value is looked for.
const MAX_OPTION: usize = 64;

impl Walker<'_> {
    /// Returns what a variable holds that a shell sets itself; none where it is no such one.
    pub(super) fn of_shell(&mut self, name: &str) -> Option<Vec<Word>> {
        let taint = match name {
            // The last word of the command before, whatever that was.
            "_" => Taint::SECRET | Taint::NAMES_SECRETS,
            "OLDPWD" | "DIRSTACK" | "dirstack" | "dirprev" | "dirnext" => self.taint_of_visited(),
            "argv" | "BASH_ARGV" => self.taint_of_any(&self.state.positional) | self.taint_of_any(&self.state.mixed),
            "0" | "FUNCNAME" | "funcstack" if self.in_function > 0 => {
                let called: Vec<Word> = self.calling.iter().map(|name| Word::literal(name.as_str())).collect();
                self.taint_of_any(&called)
            }
            _ => return None,
        };
        let set = self.state.look_up(name).unwrap_or_default();
        Some(vec![Word::unknown(taint | self.taint_of_any(&set))])
    }

    /// Notes that a text was matched: any part of it may be in the shell's own variables now.
    pub(super) fn matched(&mut self, text: &Word) {
        for name in MATCHED_AT {
            self.state.set_to(name, vec![vec![Word::number(Taint::GUESSED)]]);
        }
        let taint = text.taint | if text.is_known() { Taint::NAMES_SECRETS } else { Taint::NONE };
        if taint == Taint::NONE {
            return;
        }
        for name in MATCHED {
            self.state.set_to(name, vec![vec![Word::unknown(taint)]]);
        }
    }

    /// Keeps what `getopts` finds: a word of those that it is given, or what stands behind the letter of an option.
    pub(super) fn option_found(&mut self, arguments: &[Word]) {
        let given = match arguments.get(2..) {
            Some(given) if !given.is_empty() => given.to_vec(),
            _ => self.state.positional.to_vec(),
        };
        let mut taint = self.taint_of_any(&given);
        for word in given.iter().filter(|word| word.text.starts_with('-')) {
            for (at, _) in word.text.char_indices().skip(2).take(MAX_OPTION) {
                let text = word.text.get(at..).unwrap_or_default();
                taint = taint | self.taint_of_any(&[Word { text: text.into(), ..word.clone() }]);
            }
        }
        self.state.set_to("OPTARG", vec![vec![Word::unknown(taint)]]);
    }

    /// Takes each of several values in turn, as those of a variable are taken.
    pub(super) fn one_of(&mut self, key: &str, values: Vec<Vec<Word>>) -> Vec<Word> {
        if self.state.variables.get(key) != Some(&values) {
            self.state.variables.insert(key.into(), values);
        }
        self.state.look_up(key).unwrap_or_default()
    }
}
