//! Code in colour: the sixteen colours of a terminal as classes `c0` to `c15`, and `dim`.

use anstyle::{Color, Effects, Style};

use super::escape;
use crate::markdown::code_lines;
use crate::theme::Theme;

/// Writes a block of code in a language.
pub fn code(out: &mut String, language: &str, text: &str) {
    out.push_str("<pre class=\"code\"><code>");
    let clean = aish_types::sanitize(text);
    for (at, line) in code_lines(language, &clean, &Theme::dark()).into_iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for span in line.spans {
            match class(span.style) {
                Some(class) => out.push_str(&format!("<span class=\"{class}\">{}</span>", escape(&span.text))),
                None => out.push_str(&escape(&span.text)),
            }
        }
    }
    out.push_str("</code></pre>\n");
}

fn class(style: Style) -> Option<String> {
    match style.get_fg_color() {
        Some(Color::Ansi(color)) => Some(format!("c{}", color as u8)),
        Some(Color::Ansi256(_) | Color::Rgb(_)) => None,
        None => style.get_effects().contains(Effects::DIMMED).then(|| "dim".to_owned()),
    }
}
