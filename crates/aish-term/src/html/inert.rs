//! Markdown in which nothing is HTML.

use pulldown_cmark::{Event, Options, Parser};

/// Puts a backslash before the `<` of whatever a reader of Markdown would take for HTML.
pub fn inert(text: &str) -> String {
    let mut marks: Vec<usize> = Parser::new_ext(text, Options::all())
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Html(_) | Event::InlineHtml(_)))
        .flat_map(|(_, range)| {
            let start = range.start;
            let piece = text.get(range).unwrap_or_default();
            piece.match_indices('<').map(move |(at, _)| start + at).collect::<Vec<_>>()
        })
        .collect();
    marks.sort_unstable();
    marks.dedup();
    let mut out = String::with_capacity(text.len() + marks.len());
    let mut from = 0;
    for at in marks {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push('\\');
        from = at;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_text_and_code_stays() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a <b>c</b>", "a \\<b>c\\</b>"),
            ("<script>\nalert(1)\n</script>\n\nx", "\\<script>\nalert(1)\n\\</script>\n\nx"),
            ("`<b>` and 1 < 2", "`<b>` and 1 < 2"),
            ("```html\n<b>\n```", "```html\n<b>\n```"),
            ("x <!-- y --> <https://example.com>", "x \\<!-- y --> <https://example.com>"),
        ] {
            let inert = inert(text);
            assert_eq!(inert, expected);
            let left = Parser::new_ext(&inert, Options::all());
            assert_eq!(
                left.filter(|event| matches!(event, Event::Html(_) | Event::InlineHtml(_))).count(),
                0,
                "{inert}"
            );
        }
    }
}
