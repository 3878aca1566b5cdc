//! Markdown and code for a page instead of a terminal: text that comes from outside never becomes markup.

mod code;
mod inert;
mod prose;

use aish_types::sanitize;

pub use code::code;
pub use inert::inert;
pub use prose::prose;

/// Writes a text so that nothing in it is markup, in an attribute too, and nothing in it hides.
pub fn escape(text: &str) -> String {
    let clean = sanitize(text);
    let mut out = String::with_capacity(clean.len() + clean.len() / 8);
    for c in clean.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
