//! Words that zsh computes where others take a number: `exit WORD`, `shift WORD`, `printf %d WORD`, `$name[WORD]`.
//!
//! A word that comes out as `a[$(command)]` runs the command there, so that only numbers are taken unasked.

use aish_programs::words::special_variables::KEYED;

use super::walk::Walker;
use super::word::{HOLE, Taint, Word};

/// Built-ins all of whose words are computed.
const COUNTING: &[&str] = &["exit", "return", "break", "continue", "shift", "logout", "bye"];

/// Letters of a format whose value is a number.
const NUMBERS: &[char] = &['d', 'i', 'o', 'u', 'x', 'X', 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A', 'T', 'n'];

/// How many indices stand in one another before nobody looks any more.
const MAX_INDICES: usize = 4;

impl Walker<'_> {
    /// Judges the words of a built-in that zsh computes.
    pub(crate) fn counted_words(&mut self, name: &str, arguments: &[Word]) {
        match name {
            _ if COUNTING.contains(&name) => arguments.iter().for_each(|word| self.counted(word)),
            "printf" | "print" => self.formatted(arguments),
            // `-t` takes a descriptor, which is a number.
            "test" | "[" => {
                for pair in arguments.windows(2) {
                    if let [option, word] = pair
                        && option.text == "-t"
                        && word.text != "]"
                    {
                        self.counted(word);
                    }
                }
            }
            _ => {}
        }
    }

    /// Judges a word that is computed.
    pub(crate) fn counted(&mut self, word: &Word) {
        if word.text.contains(['*', '?']) {
            // It may stand for names of files.
            self.computes_with_the_unknown(&word.text);
        } else if !super::special::is_plain_number(&word.text) || word.taint.has(Taint::ASSUMED) {
            self.evaluated(word);
        }
    }

    /// Judges the values of `printf` that its format takes for numbers.
    fn formatted(&mut self, arguments: &[Word]) {
        let mut rest = arguments;
        match rest {
            [option, _, tail @ ..] if option.text == "-v" => rest = tail,
            [option, tail @ ..] if option.text.starts_with("-v") => rest = tail,
            _ => {}
        }
        if let [dashes, tail @ ..] = rest
            && dashes.text == "--"
        {
            rest = tail;
        }
        let Some((format, values)) = rest.split_first() else { return };
        let kinds = kinds(&format.text);
        if kinds.is_empty() || !kinds.contains(&true) {
            return;
        }
        for (value, is_number) in values.iter().zip(kinds.into_iter().cycle()) {
            // Behind a quote stands a letter whose number is meant.
            if is_number && !value.text.starts_with(['\'', '"']) {
                self.counted(value);
            }
        }
    }

    /// Judges what stands between brackets behind the name of a variable, which zsh takes for an index.
    pub(crate) fn zsh_index(&mut self, name: &str, behind: &str) {
        // `$a[1][2]`: a letter of a word.
        let mut behind = behind;
        while let Some(rest) = behind.strip_prefix('[')
            && let Some(end) = super::span::closing(rest, '[', ']', &self.budget)
        {
            self.one_index(name, rest.get(..end).unwrap_or_default());
            behind = rest.get(end + 1..).unwrap_or_default();
        }
    }

    fn one_index(&mut self, name: &str, inside: &str) {
        if is_plain_index(inside) {
            return;
        }
        if (self.state.has_keys(name) || KEYED.contains(&name)) && !inside.contains(['$', '`']) {
            return;
        }
        if self.unfolding > MAX_INDICES {
            self.computes_with_the_unknown(inside);
            return;
        }
        let index = self.expand_one(inside);
        self.evaluated(&index);
    }
}

/// Says whether an index is a number, a range of them, or what stands for all: `1`, `-1`, `2,3`, `1..3`, `@`.
fn is_plain_index(index: &str) -> bool {
    matches!(index, "@" | "*") || index.chars().all(|letter| letter.is_ascii_digit() || ".,- ".contains(letter))
}

/// Says of each value that a format takes whether it is taken for a number.
fn kinds(format: &str) -> alloc::vec::Vec<bool> {
    let mut out = alloc::vec::Vec::new();
    let mut rest = format;
    while let Some((_, tail)) = rest.split_once('%') {
        let end = tail.find(|letter: char| !"0123456789.-+ #'$*hlqjztL".contains(letter)).unwrap_or(tail.len());
        let (flags, behind) = tail.split_at_checked(end).unwrap_or((tail, ""));
        // A width that stands among the values; with `$` they are taken in another order.
        out.extend(flags.matches(['*', '$']).map(|_| true));
        // The letter of a time stands behind how it is told: `%(%F)T`.
        let behind = match behind.strip_prefix('(').and_then(|time| time.split_once(')')) {
            Some((_, letter)) => letter,
            None => behind,
        };
        let letter = behind.chars().next();
        match letter {
            Some('%') if flags.is_empty() => {}
            Some(letter) => out.push(NUMBERS.contains(&letter) || letter == HOLE || flags.contains('$')),
            None => {}
        }
        rest = behind.get(letter.map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_a_format_are_told_apart() {
        for (format, expected) in [
            ("%s: %d\\n", &[false, true][..]),
            ("%5.2f%%", &[true]),
            ("%*s", &[true, false]),
            ("%.*s", &[true, false]),
            ("%(%F)T %s", &[true, false]),
            ("%ld", &[true]),
            ("plain", &[]),
        ] {
            assert_eq!(kinds(format), expected, "{format}");
        }
    }

    #[test]
    fn plain_indices_are_known() {
        assert!(["1", "-1", "2,3", "1..3", "@"].iter().all(|index| is_plain_index(index)));
        assert!(!["x", "$i", "'$(a)'"].iter().any(|index| is_plain_index(index)));
    }
}
