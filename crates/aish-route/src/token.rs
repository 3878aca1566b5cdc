//! A line as words and operators, the way a shell would cut it, apostrophes of language apart.
//!
//! The shell's scanner cuts. What is joined again here is what people write and no shell would: an `&` between letters, words
//! between backticks and in parentheses, which are words of the line as all others.

use alloc::string::String;
use alloc::vec::Vec;

use aish_syntax::{Kind, Token, scan_language};

/// One word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The text without its quotes.
    pub text: String,
    /// True when some of it was in quotes.
    pub quoted: bool,
    /// True when it expands: a variable, a command substitution, a glob.
    pub expands: bool,
    /// True when it stands behind an operator that starts a new command (`|`, `&&`, `;`).
    pub first: bool,
    /// Index of the command of the line that it belongs to, from 0.
    pub command: usize,
    /// True when it is the target of a redirection.
    pub redirected: bool,
}

/// A line cut into words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tokens {
    /// The words, in order.
    pub words: Vec<Word>,
    /// `|`, `||`, `&&`.
    pub pipes: usize,
    /// `;` between commands, and `&` at an end.
    pub separators: usize,
    /// `>`, `>>`, `<`, `<<`, `2>&1`.
    pub redirections: usize,
    /// Parentheses, braces and backticks that only a shell uses.
    pub groups: usize,
    /// Apostrophes inside words (`what's`, `don't`).
    pub contractions: usize,
    /// True when a quote is left open.
    pub open_quote: bool,
}

/// Cuts a line into words. Linear.
pub fn tokenize(line: &str) -> Tokens {
    let scan = scan_language(line, is_contraction);
    let mut cutter = Cutter { first: true, ..Cutter::default() };
    for (index, token) in scan.tokens.iter().enumerate() {
        let text = line.get(token.range()).unwrap_or_default();
        let before = index.checked_sub(1).and_then(|before| scan.tokens.get(before));
        cutter.take(token, text, before, scan.tokens.get(index + 1));
    }
    cutter.end_word();
    cutter.tokens.open_quote = scan.end.quote.is_some();
    cutter.tokens
}

#[derive(Default)]
struct Cutter {
    tokens: Tokens,
    word: Option<Word>,
    command: usize,
    first: bool,
    redirect: bool,
}

impl Cutter {
    fn word(&mut self) -> &mut Word {
        let (first, command, redirected) = (self.first, self.command, self.redirect);
        self.word.get_or_insert_with(|| Word { first: first && !redirected, command, redirected, ..Word::default() })
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.first &= word.redirected;
            self.redirect = false;
            self.tokens.words.push(word);
        }
    }

    fn next_command(&mut self) {
        self.end_word();
        self.redirect = false;
        self.command += 1;
        self.first = true;
    }

    fn take(&mut self, token: &Token, text: &str, before: Option<&Token>, behind: Option<&Token>) {
        match token.kind {
            Kind::Blank => self.end_word(),
            Kind::Newline | Kind::Heredoc => self.next_command(),
            Kind::Operator => self.operator(text, before, behind),
            Kind::Redirection => {
                self.end_word();
                self.redirect = true;
                self.tokens.redirections += 1;
            }
            Kind::Apostrophe => {
                self.tokens.contractions += 1;
                self.word().text.push_str(text);
            }
            Kind::Escaped => {
                let word = self.word();
                word.quoted = true;
                word.text.push_str(text.get(1..).unwrap_or_default());
            }
            Kind::Quote => {
                let word = self.word();
                word.quoted = true;
                word.expands |= text.starts_with('$');
            }
            Kind::Quoted => self.word().text.push_str(text),
            Kind::Substitution => {
                self.tokens.groups += 1;
                let word = self.word();
                word.expands = true;
                word.text.push_str(text.trim_matches('`'));
            }
            // What a comment says is language, too.
            Kind::Text | Kind::Variable | Kind::Arithmetic | Kind::Comment => self.plain(text, token.kind),
        }
    }

    fn operator(&mut self, text: &str, before: Option<&Token>, behind: Option<&Token>) {
        let is_blank =
            |token: Option<&Token>| token.is_none_or(|token| matches!(token.kind, Kind::Blank | Kind::Newline));
        match text {
            "(" | ")" => {
                self.tokens.groups += 1;
                self.word().text.push_str(text);
            }
            "&" if !is_blank(behind) && !is_blank(before) => self.word().text.push('&'),
            "&" | ";" | ";;" | ";&" | ";;&" => {
                self.next_command();
                self.tokens.separators += 1;
            }
            _ => {
                self.next_command();
                self.tokens.pipes += 1;
            }
        }
    }

    fn plain(&mut self, text: &str, kind: Kind) {
        for letter in text.chars() {
            if letter.is_whitespace() {
                self.end_word();
                continue;
            }
            self.tokens.groups += usize::from(matches!(letter, '{' | '}' | '(' | ')'));
            let word = self.word();
            word.expands |= matches!(letter, '*' | '[') || !matches!(kind, Kind::Text | Kind::Comment);
            word.text.push(letter);
        }
    }
}

/// An apostrophe between letters with an ending of language behind it: `what's`, `don't`, `I'll`, `l'heure`, `dell'anno`.
fn is_contraction(word: &str, behind: &str) -> bool {
    if !word.chars().last().is_some_and(char::is_alphabetic) {
        return false;
    }
    let rest: String = behind.chars().take_while(|c| c.is_alphabetic()).collect();
    let elided = word.chars().nth(2).is_none() && word.chars().all(char::is_alphabetic) && !rest.is_empty();
    let article = if word.len() > 8 { String::new() } else { word.to_lowercase() };
    let italian =
        ["dell", "nell", "sull", "all", "dall", "quell", "qu", "jusqu", "lorsqu", "puisqu", "quest", "cos", "com"]
            .contains(&article.as_str())
            && !rest.is_empty();
    let plural = word.ends_with('s') && rest.is_empty() && behind.chars().next().is_none_or(char::is_whitespace);
    elided
        || italian
        || plural
        || ["s", "t", "re", "ll", "ve", "d", "m", "em", "all"].contains(&rest.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_like_a_shell_but_knows_apostrophes() {
        let tokens = tokenize("what's up & don't 'quote me' >out 2>&1 | wc -l");
        assert_eq!(tokens.contractions, 2);
        assert_eq!(tokens.redirections, 2);
        assert_eq!(tokens.pipes, 1);
        assert!(!tokens.open_quote);
        let words: Vec<&str> = tokens.words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(words, ["what's", "up", "don't", "quote me", "out", "1", "wc", "-l"]);
        assert!(tokenize("echo 'open").open_quote);
        assert_eq!(tokenize("echo 'it' 's'").contractions, 0);
    }
}
