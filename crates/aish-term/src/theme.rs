//! Which style each kind of text has.

use anstyle::{AnsiColor, Color, Style};

/// The styles of everything that is drawn. Only the sixteen colours that the user's terminal defines are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// A line that goes to the shell, and its command word.
    pub shell: Style,
    /// A line that goes to the model.
    pub model: Style,
    /// A line that is asked about.
    pub unsure: Style,
    /// A meta command.
    pub meta: Style,
    /// Quoted text in a shell line.
    pub quoted: Style,
    /// Variables in a shell line.
    pub variable: Style,
    /// Operators (`|`, `&&`, `>`) in a shell line.
    pub operator: Style,
    /// Flags in a shell line.
    pub flag: Style,
    /// The hint from history, and whatever should stand back.
    pub dim: Style,
    /// The selected row of a menu.
    pub selected: Style,
    /// Headings.
    pub heading: Style,
    /// Strong text.
    pub strong: Style,
    /// Emphasis.
    pub emphasis: Style,
    /// Struck-out text.
    pub strike: Style,
    /// Code within a line.
    pub code: Style,
    /// A link's text.
    pub link: Style,
    /// Things that went well, and added lines.
    pub good: Style,
    /// Things that failed, and removed lines.
    pub bad: Style,
    /// Things to look at.
    pub warn: Style,
    /// Keywords in code.
    pub keyword: Style,
    /// Names of functions and types in code.
    pub name: Style,
    /// Strings in code.
    pub string: Style,
    /// Numbers and constants in code.
    pub constant: Style,
    /// Comments in code.
    pub comment: Style,
}

const fn fg(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color)))
}

impl Theme {
    /// The theme for a terminal with a dark background.
    pub const fn dark() -> Self {
        Self {
            shell: fg(AnsiColor::Green),
            model: fg(AnsiColor::Cyan),
            unsure: fg(AnsiColor::Yellow),
            meta: fg(AnsiColor::Magenta),
            quoted: fg(AnsiColor::Yellow),
            variable: fg(AnsiColor::Magenta),
            operator: fg(AnsiColor::Blue).bold(),
            flag: fg(AnsiColor::Blue),
            dim: Style::new().dimmed(),
            selected: Style::new().invert(),
            heading: fg(AnsiColor::Cyan).bold(),
            strong: Style::new().bold(),
            emphasis: Style::new().italic(),
            strike: Style::new().strikethrough(),
            code: fg(AnsiColor::Yellow),
            link: fg(AnsiColor::Blue).underline(),
            good: fg(AnsiColor::Green),
            bad: fg(AnsiColor::Red),
            warn: fg(AnsiColor::Yellow),
            keyword: fg(AnsiColor::Magenta),
            name: fg(AnsiColor::Blue),
            string: fg(AnsiColor::Green),
            constant: fg(AnsiColor::Cyan),
            comment: Style::new().dimmed(),
        }
    }

    /// The theme for a terminal with a light background: yellow and cyan are hard to read there.
    pub const fn light() -> Self {
        let mut theme = Self::dark();
        theme.model = fg(AnsiColor::Blue);
        theme.unsure = fg(AnsiColor::Magenta);
        theme.quoted = fg(AnsiColor::Red);
        theme.heading = fg(AnsiColor::Blue).bold();
        theme.code = fg(AnsiColor::Magenta);
        theme.warn = fg(AnsiColor::Magenta).bold();
        theme.constant = fg(AnsiColor::Red);
        theme
    }

    /// A theme without colours, by weight alone.
    pub const fn mono() -> Self {
        let plain = Style::new();
        let bold = Style::new().bold();
        let dim = Style::new().dimmed();
        Self {
            shell: plain,
            model: Style::new().italic(),
            unsure: Style::new().underline(),
            meta: bold,
            quoted: plain,
            variable: plain,
            operator: bold,
            flag: plain,
            dim,
            selected: Style::new().invert(),
            heading: bold,
            strong: bold,
            emphasis: Style::new().italic(),
            strike: Style::new().strikethrough(),
            code: plain,
            link: Style::new().underline(),
            good: plain,
            bad: bold,
            warn: bold,
            keyword: bold,
            name: plain,
            string: plain,
            constant: plain,
            comment: dim,
        }
    }

    /// Looks a theme up by the name in the configuration: `dark`, `light` or `mono`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "dark" => Some(Self::dark()),
            "light" => Some(Self::light()),
            "mono" => Some(Self::mono()),
            _ => None,
        }
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self::dark()
    }
}
