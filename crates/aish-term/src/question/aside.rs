//! What was typed while a question was on its way: it never answers the question and waits for the prompt.

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};

/// How much is kept; what comes behind is dropped.
const MOST: usize = 64 * 1024;

/// Text that was typed and that no question took; a newline stands where Enter was pressed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Aside {
    text: String,
    /// What was said beside a no.
    pub(crate) words: Option<String>,
}

impl Aside {
    /// Takes an event. Editing keys do what they do in a line that the terminal reads; others are dropped, as lines that
    /// were set aside are looked at before they are entered.
    pub(crate) fn keep(&mut self, event: &Event) {
        match event {
            Event::Paste(text) => self.push(&aish_types::sanitize(text)),
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                let control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::Enter => self.push("\n"),
                    KeyCode::Char('j' | 'm') if control => self.push("\n"),
                    KeyCode::Char('u') if control => self.text.truncate(self.line_start()),
                    KeyCode::Char('w') if control => self.erase_word(),
                    KeyCode::Backspace => self.erase(),
                    KeyCode::Char('h') if control => self.erase(),
                    KeyCode::Char(c) if !control && !key.modifiers.contains(KeyModifiers::ALT) => {
                        self.push(c.encode_utf8(&mut [0; 4]));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Takes an event of keys that may go to a program: those that a terminal acts on stand in the text as they come from it.
    pub(crate) fn keep_all(&mut self, event: &Event) {
        if let Event::Key(key) = event
            && key.kind != KeyEventKind::Release
            && key.modifiers.contains(KeyModifiers::CONTROL)
            && let KeyCode::Char(c @ ('c' | 'd' | 'z' | '\\' | '4')) = key.code
        {
            // A terminal library may name Ctrl-\ by its digit.
            let byte = if c == '4' { 0x1c } else { c as u8 & 0x1f };
            return self.push(char::from(byte).encode_utf8(&mut [0; 4]));
        }
        self.keep(event);
    }

    /// Returns the text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn push(&mut self, text: &str) {
        if self.text.len() + text.len() <= MOST {
            self.text.push_str(text);
        }
    }

    fn line_start(&self) -> usize {
        self.text.rfind('\n').map_or(0, |at| at + 1)
    }

    fn erase(&mut self) {
        if self.text.len() > self.line_start() {
            self.text.pop();
        }
    }

    fn erase_word(&mut self) {
        let line = self.text.get(self.line_start()..).unwrap_or_default().trim_end();
        let kept = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        self.text.truncate(self.line_start() + kept);
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn editing_keys_edit_the_line_that_they_were_typed_in() {
        let mut aside = Aside::default();
        let mut press = |code, modifiers| aside.keep(&Event::Key(KeyEvent::new(code, modifiers)));
        for c in "one".chars() {
            press(KeyCode::Char(c), KeyModifiers::NONE);
        }
        press(KeyCode::Enter, KeyModifiers::NONE);
        press(KeyCode::Backspace, KeyModifiers::NONE);
        for c in "two words".chars() {
            press(KeyCode::Char(c), KeyModifiers::NONE);
        }
        press(KeyCode::Char('w'), KeyModifiers::CONTROL);
        press(KeyCode::Backspace, KeyModifiers::NONE);
        press(KeyCode::Left, KeyModifiers::NONE);
        press(KeyCode::Char('j'), KeyModifiers::CONTROL);
        press(KeyCode::Char('x'), KeyModifiers::NONE);
        press(KeyCode::Char('u'), KeyModifiers::CONTROL);
        assert_eq!(aside.into_text(), "one\ntwo\n");
    }

    #[test]
    fn keys_that_a_terminal_acts_on_are_kept_for_programs_alone() {
        let pressed = |c| Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
        let (mut all, mut text) = (Aside::default(), Aside::default());
        for c in ['c', 'd', 'z', '\\', '4', 'a'] {
            all.keep_all(&pressed(c));
            text.keep(&pressed(c));
        }
        assert_eq!((all.into_text().as_str(), text.into_text().as_str()), ("\u{3}\u{4}\u{1a}\u{1c}\u{1c}", ""));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut aside = Aside::default();
        for _ in 0..3 {
            aside.keep(&Event::Paste("x".repeat(MOST / 2)));
        }
        assert_eq!(aside.into_text().len(), MOST);
    }
}
