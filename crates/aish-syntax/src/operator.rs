//! Between words: operators, parentheses, redirections, ends of lines, here-documents.

use alloc::string::String;

use crate::level::{Arithmetic, At, Case, Each, Open, Part, Redirect, Test};
use crate::scanner::{Heredoc, Scanner};
use crate::token::Kind;

/// How often `((` is read a second time, as two subshells.
const RETRIES: usize = 16;

impl Scanner<'_> {
    /// `|`, `&`, `;` and those of two or three bytes.
    pub(crate) fn operator(&mut self) {
        let rest = self.rest();
        if rest.starts_with("&>") {
            return self.redirection();
        }
        if matches!(self.top().open, Open::Test(Test { is_regex: true, .. })) && rest.starts_with('|') {
            self.begin_word();
            return self.emit(Kind::Text, 1);
        }
        self.end_word();
        const OPERATORS: [&str; 9] = [";;&", ";;", ";&", "&&", "||", "|&", "|", "&", ";"];
        let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)).unwrap_or_default();
        self.emit(Kind::Operator, operator.len());
        if self.top_mut().redirect.take().is_some() {
            self.broken();
        }
        match self.top().open {
            Open::Test(test) => {
                if !matches!(operator, "&&" | "||") || !test.is_filled {
                    self.broken();
                }
                self.top_mut().open = Open::Test(Test { open: test.open, ..Test::default() });
            }
            Open::Each(Each::In | Each::Words | Each::Semicolon) if operator == ";" => {
                self.top_mut().open = Open::Each(Each::Do);
            }
            Open::Case(Case::Behind) if operator == "|" => self.top_mut().open = Open::Case(Case::Pattern),
            open if open.holds_commands() => self.list_operator(operator),
            _ => self.broken(),
        }
    }

    fn list_operator(&mut self, operator: &str) {
        let level = self.top();
        let is_complete = level.at.is_complete();
        let (next, is_right) = match operator {
            ";;" | ";&" | ";;&" => {
                let is_right = level.open == Open::Case(Case::Branch) && (is_complete || level.at == At::Begin);
                if level.open == Open::Case(Case::Branch) {
                    self.next_list(Open::Case(Case::Clause));
                }
                if !is_right {
                    self.broken();
                }
                return;
            }
            "&&" | "||" => (At::Needed, is_complete),
            "|" | "|&" => (At::Piped, is_complete),
            "&" => (At::Begin, is_complete),
            _ => (At::Begin, is_complete || matches!(level.at, At::Negated | At::Timed)),
        };
        if !is_right {
            self.broken();
        }
        self.next_command(next);
    }

    /// What the end of a line does, here-documents apart.
    pub(crate) fn newline_done(&mut self) {
        if self.top_mut().redirect.take().is_some() {
            self.broken();
        }
        let level = self.top();
        match (level.open, level.at) {
            (Open::Array | Open::Each(Each::Do | Each::In) | Open::Case(Case::In | Case::Clause), _) => {}
            (Open::Test(test), _) => {
                if test.words > 0 && !test.is_term() {
                    self.broken();
                }
            }
            (Open::Each(Each::Words | Each::Semicolon), _) => self.top_mut().open = Open::Each(Each::Do),
            (open, at) if open.holds_commands() => match at {
                At::Begin | At::Needed | At::Piped | At::Function | At::FunctionNamed => {}
                at if at.is_complete() || matches!(at, At::Negated | At::Timed) => self.next_command(At::Begin),
                _ => {
                    self.broken();
                    self.next_command(At::Begin);
                }
            },
            _ => self.broken(),
        }
    }

    /// Reads the lines of the here-documents that were named, behind a newline.
    pub(crate) fn take_heredocs(&mut self) {
        let first = if self.in_backticks { self.heredocs_before.min(self.heredocs.len()) } else { 0 };
        let mut waiting = self.heredocs.split_off(first).into_iter().peekable();
        while let Some(Heredoc { tag, strips }) = waiting.next() {
            let mut length = 0;
            let mut is_ended = false;
            for line in self.rest().split_inclusive('\n') {
                let text = line.strip_suffix('\n').unwrap_or(line);
                is_ended = (if strips { text.trim_start_matches('\t') } else { text }) == tag;
                // The newline behind the last one ends the line of the command.
                length += if is_ended { text.len() } else { line.len() };
                if is_ended {
                    break;
                }
            }
            let follows = is_ended && waiting.peek().is_some() && self.byte(length) == Some(b'\n');
            self.emit(Kind::Heredoc, length + usize::from(follows));
            if !is_ended {
                self.heredocs.push(Heredoc { tag, strips });
                return self.heredocs.extend(waiting);
            }
        }
    }

    /// `<` and `>`: a redirection, a process's substitution, a comparison.
    pub(crate) fn angle(&mut self) {
        if self.byte(1) == Some(b'(') {
            self.begin_word();
            self.emit(Kind::Substitution, 2);
            return self.open(Open::Substitution);
        }
        if let Open::Test(test) = self.top().open {
            self.end_word();
            self.emit(Kind::Operator, 1);
            self.top_mut().open = Open::Test(Test { words: test.words + 1, ..test });
            return;
        }
        self.redirection();
    }

    fn redirection(&mut self) {
        let is_descriptor = |part: &Part| {
            let before = self.text.get(part.start..self.at).unwrap_or_default();
            let named = before.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            before.bytes().all(|byte| byte.is_ascii_digit()) || named.is_some_and(is_name)
        };
        let numbered = self.top().word.filter(|part| !self.rest().starts_with('&') && is_descriptor(part));
        let prefix = numbered.map_or(0, |part| self.at - part.start);
        match numbered {
            Some(part) => self.take_back(part),
            None => self.end_word(),
        }
        const OPERATORS: [&str; 12] = ["<<<", "<<-", "<<", "&>>", "&>", "<>", "<&", ">&", ">>", ">|", "<", ">"];
        let rest = self.rest().get(prefix..).unwrap_or_default();
        let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)).unwrap_or("<");
        let redirect = match operator {
            "<<" => Redirect::Heredoc { strips: false },
            "<<-" => Redirect::Heredoc { strips: true },
            _ => Redirect::Target,
        };
        self.emit(Kind::Redirection, prefix + operator.len());
        let level = self.top();
        let takes = level.open.holds_commands() && level.redirect.is_none();
        if !takes || matches!(level.at, At::Function | At::FunctionNamed | At::FunctionName | At::Parentheses) {
            self.broken();
        }
        self.top_mut().redirect = Some(redirect);
    }

    pub(crate) fn open_parenthesis(&mut self) {
        if let Some(part) = self.top().word {
            let word = self.text.get(part.start..self.at).unwrap_or_default();
            let plain = self.last_kind() == Some(Kind::Text);
            let negates = word == "!" && self.top().at.takes_compound() && self.top().open.holds_commands();
            let is_regex = matches!(self.top().open, Open::Test(Test { is_regex: true, .. }));
            if is_regex || plain && word.ends_with(['@', '!', '?', '*', '+']) && !negates {
                self.emit(Kind::Text, 1);
                return self.open(Open::Pattern);
            }
            let level = self.top();
            let may_assign =
                level.declares || matches!(level.at, At::Prefix | At::Carried) || level.at.takes_compound();
            let is_assignment = plain && word.ends_with('=') && crate::is_assignment(word);
            if level.open.holds_commands() && level.redirect.is_none() && may_assign && is_assignment {
                self.emit(Kind::Operator, 1);
                return self.open(Open::Array);
            }
        } else if matches!(self.top().open, Open::Test(Test { is_regex: true, .. })) {
            self.begin_word();
            self.emit(Kind::Text, 1);
            return self.open(Open::Pattern);
        }
        self.end_word();
        match self.top().open {
            Open::Test(test) => {
                self.emit(Kind::Operator, 1);
                self.top_mut().open = Open::Test(Test { open: test.open + 1, words: 0, ..test });
                self.note_brackets();
            }
            Open::Case(Case::Clause) => {
                self.emit(Kind::Operator, 1);
                self.top_mut().open = Open::Case(Case::Pattern);
            }
            Open::Each(Each::Name) if self.byte(1) == Some(b'(') => {
                self.open_arithmetic(Arithmetic::Loop(0), 2);
            }
            open => self.parenthesis_of_commands(open.holds_commands()),
        }
    }

    fn parenthesis_of_commands(&mut self, holds_commands: bool) {
        let level = self.top();
        let is_free = holds_commands && level.redirect.is_none();
        let is_pair = self.rest().get(1..).is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(')'));
        if is_free && (level.is_name && level.at.is_simple() || level.at == At::FunctionNamed && is_pair) {
            self.top_mut().at = At::Parentheses;
            return self.emit(Kind::Operator, 1);
        }
        if !is_free || !level.at.takes_compound() {
            self.broken();
        } else if self.byte(1) == Some(b'(') && !self.subshells.contains(&self.at) {
            self.top_mut().is_filled = true;
            return self.open_arithmetic(Arithmetic::Command, 2);
        }
        self.emit(Kind::Operator, 1);
        self.open_command(Open::Subshell);
    }

    /// A `((` that does not close as arithmetic is read again, as two subshells.
    pub(crate) fn not_arithmetic(&mut self) {
        let begin = self.top().begin;
        let is_loop = matches!(self.top().open, Open::Arithmetic(Arithmetic::Loop(_)));
        if is_loop || self.subshells.len() >= RETRIES {
            self.broken();
            self.emit(Kind::Arithmetic, 1);
            return self.close();
        }
        self.go_back();
        self.subshells.push(begin);
    }

    /// `for ((…))` is read as far as that.
    pub(crate) fn loop_counted(&mut self) {
        self.top_mut().open = Open::Each(Each::Semicolon);
    }

    pub(crate) fn note_brackets(&mut self) {
        let brackets = match self.top().open {
            Open::Test(test) => test.open,
            _ => self.top().brackets - 1,
        };
        self.chain += brackets;
        self.note_depth();
        self.chain -= brackets;
    }

    pub(crate) fn close_parenthesis(&mut self) {
        self.end_word();
        let level = *self.top();
        let is_ended = level.at.is_complete() && level.redirect.is_none();
        if level.open.holds_commands() && level.at == At::Parentheses {
            self.emit(Kind::Operator, 1);
            self.count_compound();
            return self.next_command(At::Function);
        }
        match level.open {
            Open::Subshell | Open::Substitution => {
                let is_plain = level.open == Open::Subshell;
                let is_list = level.at == At::Begin && (level.is_filled || !is_plain);
                if !is_ended && !is_list {
                    self.broken();
                }
                if is_plain {
                    self.emit(Kind::Operator, 1);
                    self.close_command();
                } else {
                    self.close();
                    self.emit(Kind::Substitution, 1);
                }
            }
            Open::Array => {
                self.close();
                self.emit(Kind::Operator, 1);
                self.quote_word();
            }
            Open::Test(test) => {
                self.emit(Kind::Operator, 1);
                if test.open == 0 || !test.is_filled {
                    self.broken();
                }
                self.top_mut().open = Open::Test(Test { open: test.open.saturating_sub(1), words: 0, ..test });
            }
            Open::Case(Case::Behind) => {
                self.emit(Kind::Operator, 1);
                self.next_list(Open::Case(Case::Branch));
            }
            _ => {
                self.emit(Kind::Operator, 1);
                self.broken();
            }
        }
    }

    /// Keeps the word that ends a here-document, without its quotes.
    pub(crate) fn name_heredoc(&mut self, word: &str, strips: bool) {
        let mut tag = String::with_capacity(word.len());
        let mut quote = None;
        let mut letters = word.chars();
        while let Some(letter) = letters.next() {
            match (letter, quote) {
                ('\\', None | Some('"')) => tag.extend(letters.next().filter(|next| *next != '\n')),
                ('\'' | '"', None) => quote = Some(letter),
                (_, Some(open)) if letter == open => quote = None,
                _ => tag.push(letter),
            }
        }
        self.heredocs.push(Heredoc { tag, strips });
    }
}
