//! What is known of the common languages, as data: enough for colour, not for a parser.

mod compiled;
mod plain;
mod scripting;

/// A kind of quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote {
    /// What opens it.
    pub(super) open: &'static str,
    /// What closes it.
    pub(super) close: &'static str,
    /// A backslash takes the next character along.
    pub(super) escapes: bool,
    /// It goes on over the end of a line.
    pub(super) lines: bool,
}

/// A language, or a family of languages that look alike.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Language {
    /// The names after a fence, in lower case.
    pub(super) names: &'static [&'static str],
    /// What opens a comment that ends with the line.
    pub(super) line_comments: &'static [&'static str],
    /// What opens and closes other comments.
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// Quotes; the longer ones stand first.
    pub(super) quotes: &'static [Quote],
    /// Words of the language itself, with a blank between two.
    pub(super) keywords: &'static str,
    /// Words that stand for values.
    pub(super) constants: &'static str,
    /// Letters do not differ by case.
    pub(super) caseless: bool,
    /// What a name is, beyond letters, digits and underscores.
    pub(super) shape: Shape,
}

/// What marks names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A name before `(` is a function's, one in capitals a type's.
    Calls,
    /// As in a shell: `$name`, and a word at the start of a command.
    Shell,
    /// A name before `:` or `=` is a key.
    Keys,
    /// A name after `<` is an element's, one before `=` an attribute's.
    Tags,
    /// Lines are marked by their first character.
    Diff,
}

const fn quote(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escapes: true, lines: false }
}

const fn long_quote(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escapes: true, lines: true }
}

const DOUBLE: Quote = quote("\"");
const SINGLE: Quote = quote("'");
const RAW_SINGLE: Quote = Quote { open: "'", close: "'", escapes: false, lines: true };
const BOTH: &[Quote] = &[DOUBLE, SINGLE];
const SLASHES: &[&str] = &["//"];
const HASH: &[&str] = &["#"];
const STARS: Option<(&str, &str)> = Some(("/*", "*/"));

const BASE: Language = Language {
    names: &[],
    line_comments: SLASHES,
    block_comment: STARS,
    quotes: BOTH,
    keywords: "",
    constants: "true false null",
    caseless: false,
    shape: Shape::Calls,
};

/// Returns every language.
pub(super) fn all() -> impl Iterator<Item = &'static Language> {
    [scripting::LANGUAGES, compiled::LANGUAGES, plain::LANGUAGES].into_iter().flatten()
}

/// Looks a language up by its name after a fence, in lower case.
pub(super) fn named(name: &str) -> Option<&'static Language> {
    all().find(|language| language.names.contains(&name))
}
