//! What the terminal can do: colour, cursor movement, width, Unicode, links.

/// The setting `ui.color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorPolicy {
    /// Colour on a terminal that is not dumb, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Colour also in a pipe and with `NO_COLOR`.
    Always,
    /// No colour.
    Never,
}

/// What is known of an output stream and of its environment. Made by the edge, so that detection itself is pure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The stream is a terminal.
    pub is_terminal: bool,
    /// `TERM`, none when unset.
    pub term: Option<String>,
    /// `NO_COLOR` is set and not empty (no-color.org).
    pub no_color: bool,
    /// `LC_ALL`, else `LC_CTYPE`, else `LANG`; none when all are unset or empty.
    pub locale: Option<String>,
    /// Names a terminal that is known to show OSC 8 links (`TERM_PROGRAM`, `VTE_VERSION`, …), none when unknown.
    pub program: Option<String>,
    /// Columns and rows, none when unknown.
    pub size: Option<(u16, u16)>,
}

impl Facts {
    /// Collects the facts from a look-up of environment variables.
    pub fn gather(is_terminal: bool, size: Option<(u16, u16)>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        Self {
            is_terminal,
            term: variable("TERM"),
            no_color: set("NO_COLOR").is_some(),
            locale: set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")),
            program: set("TERM_PROGRAM")
                .or_else(|| set("VTE_VERSION").map(|_| "vte".to_owned()))
                .or_else(|| set("KITTY_WINDOW_ID").map(|_| "kitty".to_owned()))
                .or_else(|| set("WT_SESSION").map(|_| "windows-terminal".to_owned())),
            size,
        }
    }
}

/// What may be written to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// The stream is a terminal, whose rows end somewhere.
    pub rows_end: bool,
    /// Colour and weight may be used.
    pub color: bool,
    /// The cursor may be moved, so that unfinished output is drawn again.
    pub live: bool,
    /// Characters beyond ASCII may be used for frames and bullets.
    pub unicode: bool,
    /// OSC 8 links may be written.
    pub links: bool,
    /// The terminal is known to break its rows anew when it gets narrower.
    pub reflows: bool,
    /// Columns, at least 1.
    pub width: u16,
    /// Rows, at least 1.
    pub height: u16,
}

impl Capabilities {
    /// Decides from facts and policy.
    ///
    /// A pipe, `TERM=dumb` and an unset `TERM` are never drawn on; `NO_COLOR` means plain text, append-only.
    pub fn detect(facts: &Facts, policy: ColorPolicy) -> Self {
        let term = facts.term.as_deref().unwrap_or("");
        let capable = facts.is_terminal && !term.is_empty() && term != "dumb";
        let color = match policy {
            ColorPolicy::Auto => capable && !facts.no_color,
            ColorPolicy::Always => true,
            ColorPolicy::Never => false,
        };
        let (width, height) = facts.size.unwrap_or((80, 24));
        Self {
            rows_end: facts.is_terminal,
            color,
            live: capable && color,
            unicode: facts.locale.as_deref().is_none_or(is_utf8),
            links: capable && color && facts.program.as_deref().is_some_and(shows_links),
            // Of those that do not name themselves, xterm does not.
            reflows: capable && (facts.program.is_some() || names_itself(term)),
            width: if width == 0 { 80 } else { width },
            height: if height == 0 { 24 } else { height },
        }
    }

    /// The capabilities of a pipe: plain text.
    pub const fn plain() -> Self {
        Self {
            rows_end: false,
            color: false,
            live: false,
            unicode: true,
            links: false,
            reflows: false,
            width: 80,
            height: 24,
        }
    }

    /// A capable terminal of the given size; for tests and examples.
    pub const fn terminal(width: u16, height: u16) -> Self {
        Self { rows_end: true, color: true, live: true, unicode: true, links: false, reflows: false, width, height }
    }
}

/// Returns columns and rows of the terminal of this process; none without one.
pub fn terminal_size() -> Option<(u16, u16)> {
    let size = [rustix::stdio::stdout(), rustix::stdio::stderr(), rustix::stdio::stdin()]
        .into_iter()
        .find_map(|stream| rustix::termios::tcgetwinsize(stream).ok())?;
    Some((size.ws_col, size.ws_row)).filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

/// A locale that is set says UTF-8 or it is not; an unset one is taken for UTF-8, as modern systems are.
fn is_utf8(locale: &str) -> bool {
    let lower = locale.to_ascii_lowercase();
    lower.ends_with("utf-8") || lower.ends_with("utf8") || lower.contains("utf-8@") || lower.contains("utf8@")
}

/// Says whether `TERM` is that of one terminal, and of one that breaks its rows anew.
fn names_itself(term: &str) -> bool {
    ["alacritty", "foot", "tmux", "wezterm", "xterm-ghostty", "xterm-kitty", "contour"]
        .iter()
        .any(|name| term.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
}

fn shows_links(program: &str) -> bool {
    matches!(program, "vte" | "kitty" | "iTerm.app" | "WezTerm" | "ghostty" | "vscode" | "windows-terminal" | "Hyper")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(term: Option<&str>) -> Facts {
        Facts { is_terminal: true, term: term.map(str::to_owned), size: Some((100, 30)), ..Facts::default() }
    }

    #[test]
    fn colour_needs_a_capable_terminal() {
        for (facts, policy, color, live) in [
            (facts(Some("xterm-256color")), ColorPolicy::Auto, true, true),
            (facts(Some("dumb")), ColorPolicy::Auto, false, false),
            (facts(None), ColorPolicy::Auto, false, false),
            (Facts { no_color: true, ..facts(Some("xterm")) }, ColorPolicy::Auto, false, false),
            (Facts { no_color: true, ..facts(Some("xterm")) }, ColorPolicy::Always, true, true),
            (Facts { is_terminal: false, ..facts(Some("xterm")) }, ColorPolicy::Auto, false, false),
            (Facts { is_terminal: false, ..facts(Some("xterm")) }, ColorPolicy::Always, true, false),
            (facts(Some("xterm")), ColorPolicy::Never, false, false),
        ] {
            let found = Capabilities::detect(&facts, policy);
            assert_eq!((found.color, found.live), (color, live), "{facts:?} {policy:?}");
        }
    }

    #[test]
    fn a_size_of_nothing_is_the_default() {
        let mut zero = facts(Some("xterm"));
        zero.size = Some((0, 0));
        let found = Capabilities::detect(&zero, ColorPolicy::Auto);
        assert_eq!((found.width, found.height), (80, 24));
    }

    #[test]
    fn the_locale_decides_on_unicode() {
        for (locale, expected) in [
            (None, true),
            (Some("C"), false),
            (Some("de_DE.UTF-8"), true),
            (Some("C.utf8"), true),
            (Some("POSIX"), false),
        ] {
            let facts = Facts { locale: locale.map(str::to_owned), ..facts(Some("xterm")) };
            assert_eq!(Capabilities::detect(&facts, ColorPolicy::Auto).unicode, expected, "{locale:?}");
        }
    }

    #[test]
    fn facts_come_from_the_first_variable_that_is_set() {
        let facts = Facts::gather(true, None, |name| match name {
            "LC_ALL" => Some(String::new()),
            "LANG" => Some("C.UTF-8".into()),
            "NO_COLOR" => Some(String::new()),
            "VTE_VERSION" => Some("7600".into()),
            _ => None,
        });
        assert_eq!(facts.locale.as_deref(), Some("C.UTF-8"));
        assert!(!facts.no_color);
        assert_eq!(facts.program.as_deref(), Some("vte"));
    }
}
