//! A line that shows that something is going on, and vanishes.

use std::time::Duration;

use aish_types::sanitize;

use crate::capability::Capabilities;
use crate::cells::{cut, ellipsis};
use crate::frame::shown_duration;
use crate::styled::{Ink, Styled};
use crate::theme::Theme;

/// How long one picture of the spinner stays.
pub const SPINNER_STEP: Duration = Duration::from_millis(100);

const UNICODE: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII: [&str; 4] = ["|", "/", "-", "\\"];

/// A spinner on the line where the cursor stands, which must be empty. Where the cursor may not be moved it shows nothing.
#[derive(Debug, Clone)]
pub struct Spinner {
    theme: Theme,
    capabilities: Capabilities,
    text: String,
    started: Duration,
    shown: bool,
}

impl Spinner {
    /// Makes a spinner that started at `now`.
    pub fn new(theme: Theme, capabilities: Capabilities, text: &str, now: Duration) -> Self {
        let text = sanitize(text).replace(['\n', '\t'], " ");
        Self { theme, capabilities, text, started: now, shown: false }
    }

    /// Returns what to write at a time; call it each [`SPINNER_STEP`].
    pub fn draw(&mut self, now: Duration) -> String {
        let Some(line) = self.line(now) else { return String::new() };
        self.shown = true;
        format!("\r{}\u{1b}[K", line.to_text(Ink { color: self.capabilities.color, links: false }))
    }

    /// Returns the line that is shown at a time, for a caller that places it. Nothing is shown for the first fifth of a
    /// second, so that quick things do not flicker.
    pub fn line(&self, now: Duration) -> Option<Styled> {
        let running = now.saturating_sub(self.started);
        if !self.capabilities.live || running < Duration::from_millis(200) {
            return None;
        }
        let pictures: &[&str] = if self.capabilities.unicode { &UNICODE } else { &ASCII };
        let step = usize::try_from(running.as_millis() / SPINNER_STEP.as_millis()).unwrap_or(0);
        let picture = pictures.get(step % pictures.len()).copied().unwrap_or("-");
        let seconds =
            if running >= Duration::from_secs(2) { format!(" {}", shown_duration(running)) } else { String::new() };
        // The last cell stays free: a line that fills it wraps on some terminals.
        let room = usize::from(self.capabilities.width).saturating_sub(1);
        let text = cut(&format!("{picture} {}{seconds}", self.text), room, ellipsis(self.capabilities.unicode));
        Some(Styled::of(self.theme.dim, &text))
    }

    /// Returns what takes it off the screen again.
    pub fn clear(&mut self) -> &'static str {
        if std::mem::take(&mut self.shown) { "\r\u{1b}[K" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appears_late_and_vanishes() {
        let mut spinner = Spinner::new(Theme::mono(), Capabilities::terminal(20, 5), "thinking", Duration::ZERO);
        assert_eq!(spinner.draw(Duration::from_millis(100)), "");
        assert_eq!(spinner.clear(), "");
        let mut screen = vt100::Parser::new(5, 20, 0);
        screen.process(spinner.draw(Duration::from_millis(300)).as_bytes());
        assert_eq!(screen.screen().contents(), "⠸ thinking");
        screen.process(spinner.draw(Duration::from_secs(12)).as_bytes());
        assert_eq!(screen.screen().contents(), "⠋ thinking 12.0s");
        screen.process(spinner.clear().as_bytes());
        assert_eq!(screen.screen().contents(), "");
    }

    #[test]
    fn shows_nothing_in_a_pipe() {
        let mut spinner = Spinner::new(Theme::mono(), Capabilities::plain(), "thinking", Duration::ZERO);
        assert_eq!(spinner.draw(Duration::from_secs(3)), "");
    }
}
