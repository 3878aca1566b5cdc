//! The difference of two texts, by lines.

use aish_diff::Side;
use aish_types::sanitize;
use anstyle::Style;

use crate::capability::Capabilities;
use crate::styled::{Ink, Styled};
use crate::theme::Theme;

/// Returns the difference in the unified form, coloured where colour may be used; empty for equal texts.
pub fn unified(old: &str, new: &str, theme: &Theme, capabilities: &Capabilities) -> String {
    let (old, new) = (sanitize(old), sanitize(new));
    let ink = Ink { color: capabilities.color, links: false };
    let mut out = String::new();
    for hunk in aish_diff::hunks(&old, &new) {
        push(&mut out, ink, theme.dim, &hunk.header);
        for (side, text) in hunk.lines {
            let (sign, style) = match side {
                Side::Old => ('-', theme.bad),
                Side::New => ('+', theme.good),
                Side::Both => (' ', Style::new()),
            };
            push(&mut out, ink, style, &format!("{sign}{}", text.trim_end_matches('\n')));
        }
    }
    out
}

fn push(out: &mut String, ink: Ink, style: Style, text: &str) {
    let mut line = Styled::default();
    line.push(style, text);
    line.write(ink, out);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_changed() {
        let plain = Capabilities::plain();
        let shown = unified("a\nb\nc\n", "a\nx\nc\n", &Theme::dark(), &plain);
        insta::assert_snapshot!(shown, @r"
        @@ -1,3 +1,3 @@
         a
        -b
        +x
         c
        ");
        assert_eq!(unified("same\n", "same\n", &Theme::dark(), &plain), "");
    }

    #[test]
    fn colours_the_sides() {
        let shown = unified("b\n", "x\u{1b}[2J\n", &Theme::dark(), &Capabilities::terminal(80, 24));
        assert!(shown.contains("\u{1b}[31m-b\u{1b}[0m"));
        assert!(shown.contains("\u{1b}[32m+x\u{1b}[0m"));
    }
}
