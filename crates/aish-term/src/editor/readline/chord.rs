//! Keys as the terminal library tells them, and as readline writes them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with Ctrl and Alt; Shift counts where the key is no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Chord {
    pub(super) code: KeyCode,
    pub(super) modifiers: KeyModifiers,
}

impl Chord {
    pub(super) fn of(key: &KeyEvent) -> Self {
        match key.code {
            KeyCode::Char(c) => {
                let modifiers = key.modifiers.intersection(KeyModifiers::CONTROL | KeyModifiers::ALT);
                let control = modifiers.contains(KeyModifiers::CONTROL);
                Self { code: KeyCode::Char(if control { c.to_ascii_lowercase() } else { c }), modifiers }
            }
            code => Self { code, modifiers: key.modifiers },
        }
    }

    /// Returns the character that it types where it is bound to nothing.
    pub(super) fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    fn plain(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::NONE }
    }

    fn with(self, modifiers: KeyModifiers) -> Self {
        Self { modifiers: self.modifiers | modifiers, ..self }
    }

    /// The key that a terminal sends a character for.
    fn of_char(c: char) -> Self {
        let control = |c: char| Self { code: KeyCode::Char(c), modifiers: KeyModifiers::CONTROL };
        match c {
            '\0' => control(' '),
            '\t' => Self::plain(KeyCode::Tab),
            '\r' => Self::plain(KeyCode::Enter),
            '\u{7f}' => Self::plain(KeyCode::Backspace),
            '\u{1b}' => Self::plain(KeyCode::Esc),
            '\u{1}'..='\u{1a}' => control(char::from(c as u8 - 1 + b'a')),
            '\u{1c}'..='\u{1f}' => control(char::from(c as u8 - 0x1c + b'4')),
            c => Self::plain(KeyCode::Char(c)),
        }
    }
}

/// Reads a key sequence as readline writes it between quotes; none of one that no terminal sends.
pub(super) fn sequence(notation: &str) -> Option<Vec<Chord>> {
    chords(&unescape(notation)?)
}

/// Returns the keys that a terminal sends a text for; none of one that it sends for nothing.
pub(super) fn chords(text: &str) -> Option<Vec<Chord>> {
    let mut chords = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..)?;
        if first != '\u{1b}' || rest.is_empty() {
            chords.push(Chord::of_char(first));
            continue;
        }
        let mut alt = KeyModifiers::ALT;
        if let Some(behind) = rest.strip_prefix('\u{1b}').filter(|behind| behind.starts_with(['[', 'O'])) {
            rest = behind;
        } else if rest.len() > 1 && rest.starts_with(['[', 'O']) {
            alt = KeyModifiers::NONE;
        }
        let introduced = rest.len() > 1 && rest.starts_with(['[', 'O']);
        if introduced {
            let end =
                rest.char_indices().skip(1).find(|(_, c)| c.is_ascii_alphabetic() || *c == '~').map(|(at, _)| at)?;
            let (sequence, behind) = rest.split_at(end + 1);
            chords.push(special(sequence)?.with(alt));
            rest = behind;
        } else {
            let c = rest.chars().next()?;
            rest = rest.get(c.len_utf8()..)?;
            chords.push(Chord::of_char(c).with(KeyModifiers::ALT));
        }
    }
    (!chords.is_empty()).then_some(chords)
}

/// `[A`, `OA`, `[3~`, `[1;5C`, `[5C`.
fn special(sequence: &str) -> Option<Chord> {
    let body = sequence.get(1..sequence.len().checked_sub(1)?)?;
    let last = sequence.chars().last()?;
    let (first, modifier) = body.split_once(';').unwrap_or((body, ""));
    // `[5C` is what old terminals send for Ctrl and an arrow.
    let modifier = if last != '~' && modifier.is_empty() { first } else { modifier };
    let modifiers = match modifier {
        "" | "1" => KeyModifiers::NONE,
        "2" => KeyModifiers::SHIFT,
        "3" => KeyModifiers::ALT,
        "5" => KeyModifiers::CONTROL,
        "7" => KeyModifiers::CONTROL | KeyModifiers::ALT,
        _ => return None,
    };
    let code = match (last, first) {
        ('A', _) => KeyCode::Up,
        ('B', _) => KeyCode::Down,
        ('C', _) => KeyCode::Right,
        ('D', _) => KeyCode::Left,
        ('H', _) | ('~', "1" | "7") => KeyCode::Home,
        ('F', _) | ('~', "4" | "8") => KeyCode::End,
        ('~', "2") => KeyCode::Insert,
        ('~', "3") => KeyCode::Delete,
        ('~', "5") => KeyCode::PageUp,
        ('~', "6") => KeyCode::PageDown,
        ('Z', _) => KeyCode::BackTab,
        _ => return None,
    };
    Some(Chord { code, modifiers })
}

/// Takes readline's escapes out of a text.
pub(super) fn unescape(notation: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = notation.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let (mut control, mut meta) = (false, false);
        let mut escaped = chars.next()?;
        while matches!(escaped, 'C' | 'M') && chars.peek() == Some(&'-') {
            control |= escaped == 'C';
            meta |= escaped == 'M';
            chars.next();
            escaped = chars.next()?;
            if escaped == '\\' {
                escaped = chars.next()?;
                if !(matches!(escaped, 'C' | 'M') && chars.peek() == Some(&'-')) {
                    escaped = plain_escape(escaped, &mut chars)?;
                }
            } else if !(matches!(escaped, 'C' | 'M') && chars.peek() == Some(&'-')) {
                break;
            }
        }
        if !control && !meta {
            out.push(plain_escape(escaped, &mut chars)?);
            continue;
        }
        if meta {
            out.push('\u{1b}');
        }
        out.push(match (control, escaped) {
            (true, '?') => '\u{7f}',
            (true, c) if c.is_ascii() => char::from(c.to_ascii_uppercase() as u8 & 0x1f),
            (_, c) => c,
        });
    }
    Some(out)
}

fn plain_escape(c: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    let mut digits = |first: Option<char>, radix: u32, most: usize| {
        let mut text: String = first.into_iter().collect();
        while text.len() < most
            && let Some(digit) = chars.next_if(|c| c.is_digit(radix))
        {
            text.push(digit);
        }
        u8::from_str_radix(&text, radix).ok().map(char::from)
    };
    Some(match c {
        'e' => '\u{1b}',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'd' => '\u{7f}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        'x' => digits(None, 16, 2)?,
        '0'..='7' => digits(Some(c), 8, 3)?,
        c => c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readlines_notation_is_read() {
        let chord = |code, modifiers| Chord { code, modifiers };
        let (none, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        for (notation, expected) in [
            (r"\C-x\C-e", vec![chord(KeyCode::Char('x'), control), chord(KeyCode::Char('e'), control)]),
            (r"\C-xe", vec![chord(KeyCode::Char('x'), control), chord(KeyCode::Char('e'), none)]),
            (r"\e.", vec![chord(KeyCode::Char('.'), alt)]),
            (r"\M-_", vec![chord(KeyCode::Char('_'), alt)]),
            (r"\M-\C-h", vec![chord(KeyCode::Char('h'), control | alt)]),
            (r"\e\C-?", vec![chord(KeyCode::Backspace, alt)]),
            (r"\C-_", vec![chord(KeyCode::Char('7'), control)]),
            (r"\C-]", vec![chord(KeyCode::Char('5'), control)]),
            (r"\C-@", vec![chord(KeyCode::Char(' '), control)]),
            (r"\e[A", vec![chord(KeyCode::Up, none)]),
            (r"\eOF", vec![chord(KeyCode::End, none)]),
            (r"\e[1;5C", vec![chord(KeyCode::Right, control)]),
            (r"\e[3;5~", vec![chord(KeyCode::Delete, control)]),
            (r"\e\e[D", vec![chord(KeyCode::Left, alt)]),
            (r"\e\\", vec![chord(KeyCode::Char('\\'), alt)]),
            (r"\033[B", vec![chord(KeyCode::Down, none)]),
            (r#"\""#, vec![chord(KeyCode::Char('"'), none)]),
        ] {
            assert_eq!(sequence(notation), Some(expected), "{notation}");
        }
        assert_eq!(sequence(r"\e[200~"), None);
        assert_eq!(unescape(r"a\tb\C-m").as_deref(), Some("a\tb\r"));
    }
}
