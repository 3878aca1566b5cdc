//! Compound commands.

use super::{MISPLACED, Parsed, Parser};

impl Parser {
    /// Reads a compound command, if one is next.
    pub(super) fn compound(&mut self) -> Parsed<bool> {
        let begin = self.at;
        let doubled = self.starts("((");
        if doubled {
            self.at += 2;
            if self.arithmetic().is_some() {
                return Some(true);
            }
            self.back_to(begin)?;
        }
        if self.take("(") {
            self.deeper(|parser| parser.list(&[]).and_then(|()| parser.is_filled()))?;
            // Bash reads two parentheses that are no arithmetic as two subshells on one line alone.
            let text = self.chars.get(begin..self.at).unwrap_or_default();
            let is_read = !(doubled && text.contains(&'\n'));
            return (is_read && self.take(")")).then_some(true);
        }
        let word = self.reserved();
        let reads = match word.as_str() {
            "if" => Self::condition,
            "while" | "until" => Self::repeated,
            "for" | "select" => Self::each,
            "case" => Self::case,
            "{" => Self::group,
            "[[" => Self::test,
            "function" => Self::named,
            "coproc" => Self::coprocess,
            _ => return Some(false),
        };
        self.at += word.chars().count();
        self.deeper(reads)?;
        Some(true)
    }

    /// A subshell with nothing in it is an error.
    fn is_filled(&self) -> Parsed {
        let before = self.chars.get(..self.at).unwrap_or_default();
        (before.iter().rev().find(|c| !c.is_whitespace()) != Some(&'(')).then_some(())
    }

    fn word_is(&mut self, word: &str) -> Parsed {
        self.newlines();
        self.keyword(word).then_some(())
    }

    fn condition(&mut self) -> Parsed {
        self.list(&["then"])?;
        self.word_is("then")?;
        loop {
            self.list(&["elif", "else", "fi"])?;
            if self.keyword("elif") {
                self.list(&["then"])?;
                self.word_is("then")?;
            } else if self.keyword("else") {
                self.list(&["fi"])?;
                return self.word_is("fi");
            } else {
                return self.word_is("fi");
            }
        }
    }

    fn repeated(&mut self) -> Parsed {
        self.list(&["do"])?;
        self.body()
    }

    fn body(&mut self) -> Parsed {
        self.word_is("do")?;
        self.list(&["done"])?;
        self.word_is("done")
    }

    /// `for` and `select`, behind their word.
    fn each(&mut self) -> Parsed {
        self.blanks();
        if self.take("((") {
            if self.arithmetic_parts()? != 2 {
                return None;
            }
            self.blanks();
            let _ = self.take(";");
        } else {
            let name = self.word()?;
            if name.quoted || name.text.is_empty() {
                return None;
            }
            self.newlines();
            if self.keyword("in") {
                loop {
                    self.blanks();
                    match self.peek()? {
                        ';' | '\n' => break,
                        _ => drop(self.word()?),
                    }
                }
            }
            self.blanks();
            let _ = self.take(";");
        }
        self.newlines();
        if self.keyword("{") {
            return self.group();
        }
        self.body()
    }

    fn group(&mut self) -> Parsed {
        self.list(&["}"])?;
        self.word_is("}")
    }

    fn case(&mut self) -> Parsed {
        self.blanks();
        self.word()?;
        self.word_is("in")?;
        loop {
            self.newlines();
            if self.keyword("esac") {
                return Some(());
            }
            let _ = self.take("(");
            loop {
                self.blanks();
                self.word()?;
                self.blanks();
                if !self.take("|") {
                    break;
                }
            }
            if !self.take(")") {
                return None;
            }
            self.branch()?;
            self.newlines();
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) {
                return self.word_is("esac");
            }
        }
    }

    /// The commands of a branch, which may be none.
    fn branch(&mut self) -> Parsed {
        self.newlines();
        if self.starts(";;") || self.starts(";&") || self.reserved() == "esac" {
            return Some(());
        }
        self.list(&["esac"])
    }

    /// `[[ … ]]`: an expression with at least one word.
    fn test(&mut self) -> Parsed {
        // Whether a word stands behind the last operator.
        let mut filled = false;
        let mut open = 0_usize;
        loop {
            self.newlines();
            match self.peek()? {
                '(' => {
                    open += 1;
                    self.at += 1;
                }
                ')' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                '<' | '>' => self.at += 1,
                '&' | '|' => {
                    if !(self.take("&&") || self.take("||") || self.take("|")) || !filled {
                        return None;
                    }
                    filled = false;
                }
                ';' => return None,
                _ => {
                    let word = self.word()?;
                    if word.text == "]]" && !word.quoted {
                        return (filled && open == 0).then_some(());
                    }
                    filled = true;
                }
            }
        }
    }

    /// `function`, behind its word.
    fn named(&mut self) -> Parsed {
        self.blanks();
        self.word()?;
        self.blanks();
        if self.take("(") {
            self.blanks();
            if !self.take(")") {
                return None;
            }
        }
        self.newlines();
        self.compound()?.then_some(())
    }

    /// `coproc`, behind its word: a command, or a name and a compound command.
    fn coprocess(&mut self) -> Parsed {
        self.blanks();
        if self.compound()? {
            return Some(());
        }
        let begin = self.at;
        if let Some(name) = self.word() {
            self.blanks();
            if !MISPLACED.contains(&name.text.as_str()) && self.compound().unwrap_or(false) {
                return Some(());
            }
        }
        self.back_to(begin)?;
        self.simple(false)
    }
}
