//! Styled text out of a text with SGR sequences, as other programs' prompts are written.

use anstyle::{Ansi256Color, AnsiColor, Color, Effects, RgbColor, Style};

use crate::styled::Styled;

/// Reads colours and effects; other sequences, and what bash and readline mark as having no width, are left out.
pub fn styled(text: &str) -> Styled {
    let mut out = Styled::default();
    let mut style = Style::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (plain, sequence) = rest.split_at(at);
        out.push(style, &clean(plain));
        rest = match sequence.as_bytes().get(1) {
            Some(b'[') => {
                let body = sequence.get(2..).unwrap_or_default();
                let end = body.find(|c: char| ('@'..='~').contains(&c)).unwrap_or(body.len());
                let (parameters, behind) = body.split_at(end);
                if behind.starts_with('m') {
                    style = with(style, parameters);
                }
                behind.get(1..).unwrap_or_default()
            }
            // A title or a mark, up to BEL or ST.
            Some(b']' | b'P') => {
                let body = sequence.get(2..).unwrap_or_default();
                match (body.find('\u{7}'), body.find("\u{1b}\\")) {
                    (Some(bell), st) if st.is_none_or(|st| bell < st) => body.get(bell + 1..).unwrap_or_default(),
                    (_, Some(st)) => body.get(st + 2..).unwrap_or_default(),
                    (_, None) => "",
                }
            }
            _ => {
                let mut chars = sequence.chars();
                chars.next();
                chars.next();
                chars.as_str()
            }
        };
    }
    out.push(style, &clean(rest));
    out
}

fn clean(text: &str) -> String {
    let text: String = text.chars().filter(|c| !matches!(c, '\u{1}' | '\u{2}')).collect();
    aish_types::sanitize(&text).into_owned()
}

/// Applies the parameters of one SGR sequence.
fn with(mut style: Style, parameters: &str) -> Style {
    let numbers: Vec<u16> = parameters.split([';', ':']).map(|number| number.parse().unwrap_or(0)).take(32).collect();
    let mut numbers = numbers.into_iter();
    while let Some(number) = numbers.next() {
        style = match number {
            0 => Style::new(),
            1 => style.bold(),
            2 => style.dimmed(),
            3 => style.italic(),
            4 => style.underline(),
            7 => style.invert(),
            22 => style.effects(style.get_effects().remove(Effects::BOLD | Effects::DIMMED)),
            23 => style.effects(style.get_effects().remove(Effects::ITALIC)),
            24 => style.effects(style.get_effects().remove(Effects::UNDERLINE)),
            27 => style.effects(style.get_effects().remove(Effects::INVERT)),
            30..=37 => style.fg_color(basic(number - 30).map(Color::Ansi)),
            90..=97 => style.fg_color(basic(number - 90).map(bright)),
            40..=47 => style.bg_color(basic(number - 40).map(Color::Ansi)),
            100..=107 => style.bg_color(basic(number - 100).map(bright)),
            38 => style.fg_color(extended(&mut numbers)),
            48 => style.bg_color(extended(&mut numbers)),
            39 => style.fg_color(None),
            49 => style.bg_color(None),
            _ => style,
        };
    }
    style
}

fn bright(color: AnsiColor) -> Color {
    Color::Ansi(color.bright(true))
}

fn basic(number: u16) -> Option<AnsiColor> {
    const COLORS: [AnsiColor; 8] = [
        AnsiColor::Black,
        AnsiColor::Red,
        AnsiColor::Green,
        AnsiColor::Yellow,
        AnsiColor::Blue,
        AnsiColor::Magenta,
        AnsiColor::Cyan,
        AnsiColor::White,
    ];
    COLORS.get(usize::from(number)).copied()
}

fn extended(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut byte = || numbers.next().and_then(|number| u8::try_from(number).ok());
    match byte()? {
        5 => Some(Color::Ansi256(Ansi256Color(byte()?))),
        2 => Some(Color::Rgb(RgbColor(byte()?, byte()?, byte()?))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_stay_and_all_else_goes() {
        let text =
            "\u{1}\u{1b}[1;32m\u{2}me@host\u{1}\u{1b}[0m\u{2}:\u{1b}[38;5;12m~\u{1b}]0;title\u{7}\u{1b}[m$ \u{1b}[2J";
        let spans: Vec<(String, Style)> = styled(text).spans.into_iter().map(|span| (span.text, span.style)).collect();
        let green = Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Green)));
        let blue = Style::new().fg_color(Some(Color::Ansi256(Ansi256Color(12))));
        assert_eq!(
            spans,
            [("me@host".into(), green), (":".into(), Style::new()), ("~".into(), blue), ("$ ".into(), Style::new())]
        );
        assert_eq!(styled("\u{1b}[38;2;1;2").text(), "");
        assert_eq!(styled("a\u{1b}").text(), "a");
    }
}
