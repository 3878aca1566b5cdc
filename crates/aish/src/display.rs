//! How things are shown to this person: the theme, and what their terminals can show.

use std::io::{self, IsTerminal as _};

use aish_term::{Capabilities, ColorPolicy, Facts, Theme};

use crate::arguments::{SharedFlags, When};
use crate::base::Base;
use crate::config::section::Color;

/// Returns the theme that is configured, else the built-in one.
pub fn theme(base: &Base) -> Theme {
    base.config.ui.theme.as_deref().and_then(Theme::named).unwrap_or_default()
}

/// Returns what standard output and standard error can show.
pub fn capabilities(base: &Base, shared: &SharedFlags) -> (Capabilities, Capabilities) {
    let policy = match (shared.color, base.config.ui.color) {
        (Some(When::Always), _) | (None, Color::Always) => ColorPolicy::Always,
        (Some(When::Never), _) | (None, Color::Never) => ColorPolicy::Never,
        (Some(When::Auto), _) | (None, Color::Auto) => ColorPolicy::Auto,
    };
    let size = aish_term::capability::terminal_size();
    let facts = |is_terminal| Facts::gather(is_terminal, size, |name| base.variable(name));
    (
        Capabilities::detect(&facts(io::stdout().is_terminal()), policy),
        Capabilities::detect(&facts(io::stderr().is_terminal()), policy),
    )
}
