//! What a word is to its command: keywords, names, assignments, arguments.

use crate::level::{At, Branch, Case, Each, Open, Part, Redirect, Test};
use crate::scanner::{CASE, EACH, Scanner, TEST};
use crate::token::Role;

/// Commands whose arguments may be assignments, arrays among them.
const DECLARING: &[&str] = &["alias", "declare", "export", "local", "readonly", "typeset"];

/// Commands that run the command behind them.
const CARRIERS: &[&str] = &["builtin", "command", "doas", "env", "exec", "nohup", "sudo"];

/// Reserved words that no command begins with.
const CLOSERS: &[&str] = &["then", "do", "done", "fi", "esac", "elif", "else", "}", "in"];

impl Test {
    /// What is read of the term is one, and no operand is missing.
    pub(crate) const fn is_term(self) -> bool {
        self.words == if self.is_unary { 2 } else { 3 }
    }
}

impl Scanner<'_> {
    /// A word was read: says what it is, and what may come next.
    pub(crate) fn word_done(&mut self, part: Part, word: &str) {
        if let Some(redirect) = self.top_mut().redirect.take() {
            self.set_role(part, Role::Target);
            if let Redirect::Heredoc { strips } = redirect {
                self.name_heredoc(word, strips);
            }
            return self.redirected();
        }
        let bare = !part.is_quoted;
        match self.top().open {
            Open::Test(test) => self.word_of_test(part, word, test),
            Open::Each(step) if step != Each::Body => self.word_of_each(part, word, step),
            Open::Case(step) if step != Case::Branch => self.word_of_case(part, word, step),
            open if open.holds_commands() => match self.top().at {
                At::FunctionName => {
                    self.set_role(part, Role::Name);
                    self.top_mut().at = At::FunctionNamed;
                }
                At::Arguments => self.top_mut().is_name = false,
                At::Closed | At::Redirected | At::Parentheses => {
                    if !(bare && self.top().at == At::Closed && self.closes(part, word)) {
                        self.broken();
                        self.top_mut().at = At::Arguments;
                    }
                }
                At::Prefix | At::Carried => self.first_word(part, word),
                At::Begin
                | At::Needed
                | At::Piped
                | At::Negated
                | At::Timed
                | At::Function
                | At::FunctionNamed
                | At::Coproc
                | At::CoprocNamed => {
                    if !(bare && (self.keyword(part, word) || self.closes(part, word))) {
                        self.first_word(part, word);
                    }
                }
            },
            _ => {}
        }
    }

    fn redirected(&mut self) {
        let level = self.top_mut();
        level.is_name = false;
        level.is_filled = true;
        match level.at {
            At::Closed | At::Redirected => level.at = At::Redirected,
            At::Arguments | At::Carried | At::Prefix => {}
            At::CoprocNamed => level.at = At::Arguments,
            _ => level.at = At::Prefix,
        }
    }

    /// The word that names a command, or an assignment before it.
    fn first_word(&mut self, part: Part, word: &str) {
        let at = self.top().at;
        match at {
            At::Timed if matches!(word, "-p" | "--") => return,
            At::Carried if word.starts_with('-') => {
                self.top_mut().is_name = false;
                return;
            }
            At::CoprocNamed => {
                self.top_mut().at = At::Arguments;
                return;
            }
            At::Function | At::FunctionNamed => self.broken(),
            _ => {}
        }
        if crate::is_assignment(word) {
            self.set_role(part, Role::Assignment);
            let level = self.top_mut();
            (level.is_filled, level.is_name) = (true, false);
            level.at = if at == At::Carried { At::Carried } else { At::Prefix };
            return;
        }
        self.set_role(part, Role::Command);
        let level = self.top_mut();
        level.is_filled = true;
        level.is_name = !matches!(at, At::Prefix | At::Carried | At::Coproc);
        level.declares = DECLARING.contains(&word);
        level.at = match at {
            At::Coproc => At::CoprocNamed,
            _ if CARRIERS.contains(&word) => At::Carried,
            _ => At::Arguments,
        };
    }

    /// Takes a word that the shell reserves; returns whether it is one at this place.
    fn keyword(&mut self, part: Part, word: &str) -> bool {
        let at = self.top().at;
        let in_function = matches!(at, At::Function | At::FunctionNamed);
        let in_coproc = matches!(at, At::Coproc | At::CoprocNamed);
        let opened = match word {
            "if" => Some(Open::If(Branch::Condition)),
            "while" | "until" => Some(Open::While(Branch::Condition)),
            "for" | "select" => Some(EACH),
            "case" => Some(CASE),
            "{" => Some(Open::Group),
            "[[" => Some(TEST),
            _ => None,
        };
        if let Some(open) = opened {
            self.set_role(part, Role::Keyword);
            self.open_command(open);
            return true;
        }
        let next = match word {
            "function" | "coproc" | "!" if in_function || at == At::Coproc => {
                self.broken();
                return false;
            }
            _ if in_function || in_coproc => return false,
            "function" => At::FunctionName,
            "coproc" => At::Coproc,
            "!" => At::Negated,
            "time" if at != At::Piped => At::Timed,
            _ => return false,
        };
        self.set_role(part, Role::Keyword);
        match next {
            At::Negated if at == At::Piped => self.broken(),
            At::FunctionName | At::Coproc => self.count_compound(),
            _ => {}
        }
        self.chain += 1;
        self.note_depth();
        let level = self.top_mut();
        (level.at, level.is_filled) = (next, true);
        true
    }

    /// Takes a word that ends a part of a compound command; returns whether it is such a word.
    fn closes(&mut self, part: Part, word: &str) -> bool {
        if !CLOSERS.contains(&word) {
            return false;
        }
        self.set_role(part, Role::Keyword);
        let level = *self.top();
        let is_ended = matches!(level.at, At::Begin | At::Closed);
        if !is_ended || !level.is_filled && word != "esac" {
            self.broken();
        }
        match (word, level.open) {
            ("then", Open::If(Branch::Condition)) => self.next_list(Open::If(Branch::Body)),
            ("elif", Open::If(Branch::Body)) => self.next_list(Open::If(Branch::Condition)),
            ("else", Open::If(Branch::Body)) => self.next_list(Open::If(Branch::Otherwise)),
            ("do", Open::While(Branch::Condition)) => self.next_list(Open::While(Branch::Body)),
            ("fi", Open::If(Branch::Body | Branch::Otherwise))
            | ("done", Open::While(Branch::Body) | Open::Each(Each::Body))
            | ("}", Open::Group)
            | ("esac", Open::Case(Case::Branch)) => self.close_command(),
            _ => {
                self.broken();
                self.top_mut().at = At::Arguments;
            }
        }
        true
    }

    fn word_of_test(&mut self, part: Part, word: &str, test: Test) {
        let bare = !part.is_quoted;
        if bare && word == "]]" {
            self.set_role(part, Role::Keyword);
            if !test.is_filled || test.open > 0 {
                self.broken();
            }
            return self.close_command();
        }
        let next = if bare && word == "!" && test.words == 0 {
            Test { is_filled: true, ..test }
        } else {
            let is_operator = bare && word.len() == 2 && word.starts_with('-');
            Test {
                words: test.words + 1,
                is_unary: if test.words == 0 { is_operator } else { test.is_unary },
                is_filled: true,
                is_regex: bare && test.words == 1 && word == "=~",
                ..test
            }
        };
        self.top_mut().open = Open::Test(next);
    }

    fn word_of_each(&mut self, part: Part, word: &str, step: Each) {
        let bare = !part.is_quoted;
        let next = match (step, word) {
            (Each::Name, _) => {
                self.set_role(part, Role::Name);
                if part.is_quoted {
                    self.broken();
                }
                Each::In
            }
            (Each::In, "in") if bare => {
                self.set_role(part, Role::Keyword);
                Each::Words
            }
            (Each::In | Each::Do | Each::Semicolon, "do") if bare => {
                self.set_role(part, Role::Keyword);
                return self.next_list(Open::Each(Each::Body));
            }
            (Each::Do | Each::Semicolon, "{") if bare => {
                self.set_role(part, Role::Keyword);
                return self.next_list(Open::Group);
            }
            (Each::Words, _) => return,
            _ => {
                self.broken();
                Each::Words
            }
        };
        self.top_mut().open = Open::Each(next);
    }

    fn word_of_case(&mut self, part: Part, word: &str, step: Case) {
        let bare = !part.is_quoted;
        let next = match step {
            Case::Word => Case::In,
            Case::In => {
                self.set_role(part, Role::Keyword);
                if !bare || word != "in" {
                    self.broken();
                }
                Case::Clause
            }
            Case::Clause if bare && word == "esac" => {
                self.set_role(part, Role::Keyword);
                return self.close_command();
            }
            Case::Clause | Case::Pattern => Case::Behind,
            Case::Behind | Case::Branch => {
                self.broken();
                Case::Behind
            }
        };
        self.top_mut().open = Open::Case(next);
    }
}
