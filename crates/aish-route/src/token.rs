//! A line as words and operators, the way a shell would cut it, apostrophes of language apart.

use alloc::string::String;
use alloc::vec::Vec;

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
    let mut cutter = Cutter {
        chars: line.chars().collect(),
        at: 0,
        tokens: Tokens::default(),
        word: None,
        command: 0,
        first: true,
        redirect: false,
    };
    cutter.run();
    cutter.tokens
}

struct Cutter {
    chars: Vec<char>,
    at: usize,
    tokens: Tokens,
    word: Option<Word>,
    command: usize,
    first: bool,
    redirect: bool,
}

impl Cutter {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

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

    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            match c {
                '\\' => {
                    if let Some(next) = self.peek(1) {
                        self.word().quoted = true;
                        self.word().text.push(next);
                    }
                    self.at += 2;
                    continue;
                }
                '\'' if self.is_contraction() => {
                    self.tokens.contractions += 1;
                    self.word().text.push(c);
                }
                '\'' | '"' => {
                    self.quote(c);
                    continue;
                }
                c if c.is_whitespace() => {
                    if c == '\n' {
                        self.next_command();
                    }
                    self.end_word();
                }
                '|' => {
                    self.next_command();
                    self.tokens.pipes += 1;
                    self.skip_run('|');
                }
                '&' if self.peek(1) == Some('&') => {
                    self.next_command();
                    self.tokens.pipes += 1;
                    self.skip_run('&');
                }
                '&' if self.word.is_none() && matches!(self.peek(1), Some('>')) => {}
                '&' if self.peek(1).is_none_or(char::is_whitespace) => {
                    self.next_command();
                    self.tokens.separators += 1;
                }
                ';' => {
                    self.next_command();
                    self.tokens.separators += 1;
                }
                '>' | '<' => self.redirection(c),
                '`' => {
                    self.word().expands = true;
                    self.tokens.groups += 1;
                }
                '(' | ')' | '{' | '}' => {
                    self.word().text.push(c);
                    self.tokens.groups += 1;
                }
                '$' if self.peek(1).is_some_and(|next| next.is_alphanumeric() || "({_?!#@*'\"".contains(next)) => {
                    self.word().expands = true;
                    self.word().text.push(c);
                }
                '*' | '[' => {
                    self.word().expands = true;
                    self.word().text.push(c);
                }
                c => self.word().text.push(c),
            }
            self.at += 1;
        }
        self.end_word();
    }

    fn skip_run(&mut self, c: char) {
        while self.peek(1) == Some(c) {
            self.at += 1;
        }
    }

    fn redirection(&mut self, c: char) {
        let digits = self.word.as_ref().is_some_and(|word| word.text.chars().all(|c| c.is_ascii_digit()));
        if digits {
            self.word = None;
        } else {
            self.end_word();
        }
        self.skip_run(c);
        if self.peek(1) == Some('&') {
            self.at += 1;
        }
        self.redirect = true;
        self.tokens.redirections += 1;
    }

    fn quote(&mut self, quote: char) {
        self.word().quoted = true;
        self.at += 1;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == quote {
                return;
            }
            if c == '$' && quote == '"' {
                self.word().expands = true;
            }
            self.word().text.push(c);
        }
        self.tokens.open_quote = true;
    }

    /// An apostrophe between letters with an ending of language behind it: `what's`, `don't`, `I'll`, `l'heure`, `dell'anno`.
    fn is_contraction(&self) -> bool {
        let Some(word) = &self.word else { return false };
        if word.quoted || !word.text.chars().last().is_some_and(char::is_alphabetic) {
            return false;
        }
        let rest: String = self.chars.iter().skip(self.at + 1).take_while(|c| c.is_alphabetic()).collect();
        let elided = word.text.chars().count() <= 2 && word.text.chars().all(char::is_alphabetic) && !rest.is_empty();
        let italian =
            ["dell", "nell", "sull", "all", "dall", "quell", "qu", "jusqu", "lorsqu", "puisqu", "quest", "cos", "com"]
                .contains(&word.text.to_lowercase().as_str())
                && !rest.is_empty();
        let plural = word.text.ends_with('s') && rest.is_empty() && self.peek(1).is_none_or(char::is_whitespace);
        elided
            || italian
            || plural
            || ["s", "t", "re", "ll", "ve", "d", "m", "em", "all"].contains(&rest.to_lowercase().as_str())
    }
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
