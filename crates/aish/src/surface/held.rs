//! Holds the text of answers back: what is shown of them is decided when they are whole.

use std::time::Duration;

use super::{Shown, Surface};

/// A surface that shows everything but the text of answers.
pub struct WithoutText<'a>(pub &'a mut dyn Surface);

impl Surface for WithoutText<'_> {
    fn show(&mut self, shown: Shown<'_>, now: Duration) {
        if !matches!(shown, Shown::Text(_)) {
            self.0.show(shown, now);
        }
    }

    fn deadline(&self) -> Option<Duration> {
        self.0.deadline()
    }

    fn tick(&mut self, now: Duration) {
        self.0.tick(now);
    }

    fn flush(&mut self) {
        self.0.flush();
    }
}
