//! Our styles in the line editor library's terms.

use anstyle::{AnsiColor, Color, Effects, Style};

/// Converts a style.
pub(super) fn converted(style: Style) -> nu_ansi_term::Style {
    let effects = style.get_effects();
    nu_ansi_term::Style {
        foreground: style.get_fg_color().map(color),
        background: style.get_bg_color().map(color),
        is_bold: effects.contains(Effects::BOLD),
        is_dimmed: effects.contains(Effects::DIMMED),
        is_italic: effects.contains(Effects::ITALIC),
        is_underline: effects.contains(Effects::UNDERLINE),
        is_reverse: effects.contains(Effects::INVERT),
        is_strikethrough: effects.contains(Effects::STRIKETHROUGH),
        ..nu_ansi_term::Style::default()
    }
}

fn color(color: Color) -> nu_ansi_term::Color {
    use nu_ansi_term::Color as Theirs;
    match color {
        Color::Ansi(ansi) => match ansi {
            AnsiColor::Black => Theirs::Black,
            AnsiColor::Red => Theirs::Red,
            AnsiColor::Green => Theirs::Green,
            AnsiColor::Yellow => Theirs::Yellow,
            AnsiColor::Blue => Theirs::Blue,
            AnsiColor::Magenta => Theirs::Purple,
            AnsiColor::Cyan => Theirs::Cyan,
            AnsiColor::White => Theirs::White,
            AnsiColor::BrightBlack => Theirs::DarkGray,
            AnsiColor::BrightRed => Theirs::LightRed,
            AnsiColor::BrightGreen => Theirs::LightGreen,
            AnsiColor::BrightYellow => Theirs::LightYellow,
            AnsiColor::BrightBlue => Theirs::LightBlue,
            AnsiColor::BrightMagenta => Theirs::LightPurple,
            AnsiColor::BrightCyan => Theirs::LightCyan,
            AnsiColor::BrightWhite => Theirs::LightGray,
        },
        Color::Ansi256(index) => Theirs::Fixed(index.0),
        Color::Rgb(rgb) => Theirs::Rgb(rgb.0, rgb.1, rgb.2),
    }
}
