//! Where a key works: the person's terminal, what is said on it, and the word that stops.

use aish_term::Beside;
use tokio_util::sync::CancellationToken;

use crate::arguments::SharedFlags;
use crate::base::Base;
use crate::exit::ExitCode;

/// What every key has: the person's terminal, and the word that stops it.
pub(super) struct Desk<'a> {
    pub(super) base: &'a Base,
    pub(super) shared: &'a SharedFlags,
    pub(super) beside: Option<&'a Beside>,
    pub(super) cancel: CancellationToken,
}

impl Desk<'_> {
    /// Shows what is under way, in place of what was shown before.
    pub(super) fn paint(&self, text: &str) {
        if let Some(beside) = self.beside {
            beside.paint(&aish_types::sanitize(text));
        }
    }

    /// Says something that stays above the prompt; without a terminal, on standard error.
    pub(super) fn say(&self, text: &str, style: anstyle::Style) {
        let coloured = crate::display::capabilities(self.base, self.shared).1.color;
        let style = if coloured { style } else { anstyle::Style::new() };
        let text: String = text.lines().map(|line| format!("{style}{line}{style:#}\n")).collect();
        match self.beside {
            Some(beside) => beside.say(&text),
            None => eprint(&text),
        }
    }

    /// Says why nothing came of it.
    pub(super) fn failed(&self, why: &str) -> ExitCode {
        self.say(&format!("aish: {}", aish_types::visible(why)), anstyle::Style::new());
        ExitCode::Error
    }
}

fn eprint(text: &str) {
    use std::io::Write as _;
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
