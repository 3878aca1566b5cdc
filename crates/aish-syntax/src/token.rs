//! What a scan gives: tokens that cover the text, words with their roles, and how the text ends.

use alloc::vec::Vec;
use core::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Blanks, and a line continuation.
    Blank,
    /// The end of a line.
    Newline,
    /// From `#` to the end of the line.
    Comment,
    /// The lines of a here-document with the one that ends it.
    Heredoc,
    /// `|`, `&&`, `;`, `(` and what else stands between commands; the parentheses of an array.
    Operator,
    /// `>`, `2>>`, `<<-`, with the descriptor before it.
    Redirection,
    /// Plain text of a word.
    Text,
    /// An apostrophe that is a letter.
    Apostrophe,
    /// A backslash and what it takes the meaning of.
    Escaped,
    /// `'`, `"`, `$'`, `$"`: what begins and ends a quote.
    Quote,
    /// Text in quotes.
    Quoted,
    /// `$name`, `${…}`.
    Variable,
    /// `$(`, `<(`, a backtick, and what closes them.
    Substitution,
    /// `((…))`, `$((…))`, `$[…]`.
    Arithmetic,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// The word that it is a part of, as an index of [`Scan::words`].
    pub word: Option<usize>,
}

impl Token {
    /// Where it stands, in bytes.
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// What a word is to its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It names the command that runs. Behind `sudo` and its like there is another one.
    Command,
    /// `if`, `{`, `done`, `[[`, `!`, where they are the shell's own.
    Keyword,
    /// `name=value` before a command.
    Assignment,
    /// The target of a redirection, or the word that ends a here-document.
    Target,
    /// The name of a function or of a loop's variable.
    Name,
    /// Anything else.
    Argument,
}

/// A word; words in a substitution stand behind the word that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// What it is to its command.
    pub role: Role,
    /// The simple command that it belongs to; numbers rise, and some are of no command.
    pub command: usize,
}

impl Word {
    /// Where it stands, in bytes.
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// How a text ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct End {
    /// Bash would read on.
    pub is_unfinished: bool,
    /// Bash would complain of something before the end.
    pub is_broken: bool,
    /// Compound commands outside of words.
    pub compounds: usize,
    /// The most levels that are open at once, quotes left out; each `!`, `time` and `coproc` in a row is one.
    pub deepest: usize,
    /// The quote that the end stands in, `'` or `"`, with where its text begins.
    pub quote: Option<(char, usize)>,
    /// The word that goes on at the end, as an index of [`Scan::words`].
    pub word: Option<usize>,
    /// The command that a next word would belong to.
    pub command: usize,
    /// A next word would name a command.
    pub is_command: bool,
    /// A next word would be the target of a redirection.
    pub is_target: bool,
}

/// A scanned text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// Tokens in order; each byte of the text is in exactly one.
    pub tokens: Vec<Token>,
    /// Words in the order of their beginnings.
    pub words: Vec<Word>,
    /// How the text ends.
    pub end: End,
}

impl Scan {
    /// The word that a token belongs to.
    pub fn word_of(&self, token: &Token) -> Option<&Word> {
        token.word.and_then(|index| self.words.get(index))
    }
}
