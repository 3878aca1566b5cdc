//! Keys as people write them, and as each shell's line editor does.

/// One or two keys that are pressed one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chord(Vec<Key>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Control(char),
    Alt(char),
    Plain(char),
}

/// Keys of the terminal and of every shell: interrupt, end of input, backspace, tab, newline, return, flow, stop, escape.
const KEPT: &[char] = &['c', 'd', 'h', 'i', 'j', 'm', 'q', 's', 'z'];

/// Why keys cannot be bound.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum KeyError {
    #[error("{0:?} is no key: keys are written ctrl-x, alt-x or, behind another, x, as in \"ctrl-x ctrl-a\"")]
    Unknown(String),
    #[error("{0:?} is what people type; the first key must be one with ctrl or alt")]
    Printable(String),
    #[error("ctrl-{0} belongs to the terminal and the shell; choose another key")]
    Kept(char),
    #[error("more than two keys cannot be bound in bash; write one or two")]
    TooMany,
}

impl Chord {
    /// Reads one or two keys, separated by blanks.
    pub(super) fn parse(written: &str) -> Result<Self, KeyError> {
        let keys: Vec<Key> = written.split_whitespace().map(Key::parse).collect::<Result<_, _>>()?;
        match keys.as_slice() {
            [] => Err(KeyError::Unknown(written.to_owned())),
            [Key::Plain(_), ..] => Err(KeyError::Printable(written.to_owned())),
            [_] | [_, _] => Ok(Self(keys)),
            _ => Err(KeyError::TooMany),
        }
    }

    /// Returns the first key by itself.
    pub(super) fn first(&self) -> Self {
        Self(self.0.iter().take(1).copied().collect())
    }

    /// Returns the keys as people write them, an underscore between them.
    pub(super) fn name(&self) -> String {
        self.written("_", "ctrl-", "alt-")
    }

    pub(super) fn readline(&self) -> String {
        self.written("", "\\C-", "\\e")
    }

    pub(super) fn ble(&self) -> String {
        self.written(" ", "C-", "M-")
    }

    pub(super) fn zsh(&self) -> String {
        let upper =
            |key: &Key| if let Key::Control(letter) = key { Key::Control(letter.to_ascii_uppercase()) } else { *key };
        Self(self.0.iter().map(upper).collect()).written("", "^", "^[")
    }

    /// The notation that fish had up to version 3.
    pub(super) fn fish_3(&self) -> String {
        self.written("", "\\c", "\\e")
    }

    /// The notation that fish has since version 4.
    pub(super) fn fish_4(&self) -> String {
        self.written(",", "ctrl-", "alt-")
    }

    fn written(&self, between: &str, control: &str, alt: &str) -> String {
        let key = |key: &Key| match key {
            Key::Control(letter) => format!("{control}{letter}"),
            Key::Alt(letter) => format!("{alt}{letter}"),
            Key::Plain(letter) => letter.to_string(),
        };
        self.0.iter().map(key).collect::<Vec<_>>().join(between)
    }
}

impl Key {
    fn parse(word: &str) -> Result<Self, KeyError> {
        let unknown = || KeyError::Unknown(word.to_owned());
        let word = word.to_ascii_lowercase();
        let (kind, letter) = match word.rsplit_once('-') {
            Some((kind, letter)) => (kind, letter),
            None => ("", word.as_str()),
        };
        let mut letters = letter.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else { return Err(unknown()) };
        if !letter.is_ascii_alphanumeric() {
            return Err(unknown());
        }
        match kind {
            "ctrl" | "control" | "c" if letter.is_ascii_digit() => Err(unknown()),
            "ctrl" | "control" | "c" if KEPT.contains(&letter) => Err(KeyError::Kept(letter)),
            "ctrl" | "control" | "c" => Ok(Self::Control(letter)),
            "alt" | "meta" | "m" => Ok(Self::Alt(letter)),
            "" => Ok(Self::Plain(letter)),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_each_shell_reads_them() {
        let written = |keys: &str| {
            let chord = Chord::parse(keys).unwrap();
            [chord.readline(), chord.zsh(), chord.fish_3(), chord.fish_4(), chord.ble(), chord.first().readline()]
        };
        let rows = ["ctrl-x ctrl-a", "Alt-a", "C-o e"].map(|keys| written(keys).join("  "));
        insta::assert_snapshot!(rows.join("\n"), @r"
        \C-x\C-a  ^X^A  \cx\ca  ctrl-x,ctrl-a  C-x C-a  \C-x
        \ea  ^[a  \ea  alt-a  M-a  \ea
        \C-oe  ^Oe  \coe  ctrl-o,e  C-o e  \C-o
        ");
    }

    #[test]
    fn no_printable_key_and_none_of_the_terminals_is_taken() {
        for (keys, expected) in [
            ("?", KeyError::Unknown("?".into())),
            ("a", KeyError::Printable("a".into())),
            ("a ctrl-b", KeyError::Printable("a ctrl-b".into())),
            ("ctrl-c", KeyError::Kept('c')),
            ("ctrl-x ctrl-m", KeyError::Kept('m')),
            ("ctrl-i", KeyError::Kept('i')),
            ("ctrl-x ctrl-a ctrl-b", KeyError::TooMany),
            ("ctrl-1", KeyError::Unknown("ctrl-1".into())),
            ("ctrl-x \"", KeyError::Unknown("\"".into())),
            ("enter", KeyError::Unknown("enter".into())),
            ("", KeyError::Unknown(String::new())),
        ] {
            assert_eq!(Chord::parse(keys), Err(expected), "{keys}");
        }
    }
}
