//! What a word or a line means to zsh, and to a bash newer than 5.2, where that is more than to the parser.
//!
//! Nobody knows here which shell a line goes to: what any of them would run is judged, and what is not understood is
//! asked about.

use alloc::string::String;
use alloc::vec::Vec;

use super::budget::{Budget, Work};
use super::span::closing;
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::Effect;
use crate::verdict::Verdict;

/// The most brackets of a word or line that are looked into.
const MAX_GROUPS: usize = 64;

/// Letters of zsh's expansions that stand before a name: `${~x}`, `${=x}`, `${^x}`, `${+x}`.
const BEFORE_NAMES: &[char] = &['~', '=', '^', '+'];

/// Begins the text of a substitution that runs in the shell itself: what it assigns stays.
pub(crate) const IN_THE_SHELL: char = '\u{2}';

/// Writes `${ cmd; }` and `${| cmd; }` as substitutions, for the parser leaves the blank behind the bracket out; none
/// where a text has none of them.
pub(crate) fn inline_commands_as_substitutions(text: &str, budget: &Budget) -> Option<String> {
    let begins = |rest: &str| rest.starts_with([' ', '\t', '\n', '|']);
    if !text.match_indices("${").any(|(at, _)| text.get(at + 2..).is_some_and(begins)) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut single = false;
    let mut double = false;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
        let inside = tail.strip_prefix('{').filter(|inside| letter == '$' && !single && begins(inside));
        if let Some(inside) = inside
            && let Some(end) = closing(inside, '{', '}', budget).or_else(|| inside.rfind('}'))
        {
            let commands = inside.get(..end).unwrap_or_default();
            out.push_str("$(");
            out.push(IN_THE_SHELL);
            // Others may stand inside.
            out.push_str(inline_commands_as_substitutions(commands, budget).as_deref().unwrap_or(commands));
            out.push(')');
            rest = inside.get(end + 1..).unwrap_or_default();
            continue;
        }
        match letter {
            '\\' if !single => {
                out.push(letter);
                let next = tail.chars().next();
                out.extend(next);
                rest = tail.get(next.map_or(0, char::len_utf8)..).unwrap_or_default();
                continue;
            }
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            _ => {}
        }
        out.push(letter);
        rest = tail;
    }
    Some(out)
}

impl Walker<'_> {
    /// Judges commands that run in the shell itself and stand for what they write, or behind a `|` for what they leave in
    /// `REPLY`.
    pub(crate) fn in_the_shell(&mut self, source: &str) -> Stream {
        let value = source.strip_prefix('|');
        let out = self.within("${ …; }".into(), |walker| walker.text(value.unwrap_or(source), &Stream::default()));
        if value.is_none() {
            return out;
        }
        match self.state.look_up("REPLY").and_then(|words| words.into_iter().next()) {
            Some(word) => super::redirect::stream_of(word),
            None => Stream::unknown(Taint::NONE),
        }
    }

    /// Judges what stands in `${…}` where it is no parameter: commands, as in [`inline_commands_as_substitutions`],
    /// which did not see them.
    pub(crate) fn inline_commands(&mut self, inside: &str) -> Option<Word> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let first = inside.chars().next()?;
        let named = inside.trim_start_matches('!');
        let behind = named.find(|letter: char| !is_name(letter)).and_then(|end| named.get(end..)).unwrap_or_default();
        let parameter = match first {
            '!' if behind.is_empty() => true,
            '$' => !inside.chars().nth(1).is_some_and(|letter| is_name(letter) || matches!(letter, '(' | '{')),
            _ if is_name(first) || first == '!' => !behind.starts_with([' ', '\t', '\n', ';', '|', '&', '>', '<']),
            '#' | '@' | '*' | '?' | '-' | '(' => true,
            _ => BEFORE_NAMES.contains(&first),
        };
        (!parameter).then(|| super::expand::substituted(self.in_the_shell(inside)))
    }

    /// Asks about what only zsh takes between the brackets of a parameter: flags, marks before the name, `::=`.
    pub(crate) fn zsh_parameter(&mut self, inside: &str) -> Option<Word> {
        let flags = inside.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (flags, rest) = flags.unwrap_or(("", inside));
        let bare = rest.trim_start_matches(BEFORE_NAMES);
        let assigns = bare.split_once("::=");
        if flags.is_empty() && bare.len() == rest.len() && assigns.is_none() {
            return None;
        }
        if flags.contains(' ') {
            // The bracket of a subshell, in shells that take commands here.
            self.suspect(flags);
        }
        let reason = "expands a variable in a way that only zsh knows";
        self.note_plain(inside, Verdict::Ask, Effect::Unknown, "zsh.parameter", reason);
        if let Some((name, value)) = assigns {
            let value = self.expand_one(value);
            self.state.assign(name, alloc::vec![Word::unknown(value.taint)]);
        }
        // With `e` the value is expanded again, with `P` it is a name.
        let words = self.parameter_words(assigns.map_or(bare, |(name, _)| name));
        let taint = words.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
        for word in words.iter().filter(|word| word.text.contains(['$', '`'])) {
            self.expand_document(&word.text);
        }
        Some(Word::unknown(taint))
    }

    /// Judges code in the qualifiers of a pattern: `*(e:'code':)`, `*(+command)`.
    pub(crate) fn glob_qualifiers(&mut self, source: &str) {
        if !source.contains('(') {
            return;
        }
        for group in groups(source) {
            if !self.budget.pay(Work::Scan, group.len()) {
                return;
            }
            // `*(om[1,x])`: which of the names are taken is computed.
            self.zsh_index("", group.find('[').and_then(|at| group.get(at..)).unwrap_or_default());
            for (at, letter) in group.char_indices().filter(|(_, letter)| matches!(letter, 'e' | '+')).take(MAX_GROUPS)
            {
                let rest = group.get(at + 1..).unwrap_or_default();
                let code = if letter == '+' { Some(name_of(rest)) } else { delimited(rest) };
                let Some(code) = code.filter(|code| !code.trim().is_empty()) else { continue };
                let code = self.expand_one(code);
                let reason = "runs code for each name that a pattern of zsh finds";
                self.note_plain(source, Verdict::Ask, Effect::Run, "zsh.qualifier", reason);
                self.within("a pattern of zsh".into(), |walker| {
                    walker.apart_from(|walker| walker.text(&code.text, &Stream::default()))
                });
            }
        }
    }

    /// Asks about a text at which a terminal does more than show it.
    pub(crate) fn terminal(&mut self, text: &str) {
        if super::escape::acts_on_terminal(text) {
            let reason = "holds control characters, which a terminal acts on";
            self.note_plain("", Verdict::Ask, Effect::Unknown, "shell.doubtful", reason);
        }
    }

    /// Judges what stands behind and in the brackets of a line that does not parse, where that halts: short forms of
    /// loops and conditions (`for i (a b) cmd`, `if (…) { … }`), `=(cmd)`, functions without a name.
    pub(crate) fn suspect_brackets(&mut self, text: &str) {
        let mut seen: Vec<&str> = Vec::new();
        let mut quote = None;
        for (at, letter) in text.char_indices() {
            match (quote, letter) {
                (Some(open), _) if open == letter => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(letter),
                (None, '(' | ')' | '{' | '}') if seen.len() < MAX_GROUPS => {
                    let rest = text.get(at + 1..).unwrap_or_default();
                    let end = rest.find(['(', ')', '{', '}', ';', '|', '&', '\n']).unwrap_or(rest.len());
                    let part = rest.get(..end).unwrap_or_default().trim();
                    if part.contains(' ') && !seen.contains(&part) {
                        seen.push(part);
                    }
                }
                (None, _) => {}
            }
        }
        for part in seen {
            if self.suspect(part) {
                return;
            }
        }
    }

    /// Judges a command by its name without what zsh takes before it: `=rm` is the path of `rm`, `zf_rm` its built-in.
    pub(crate) fn zsh_name(&mut self, words: &[Word], stdin: &Stream) {
        let Some((first, arguments)) = words.split_first() else { return };
        let bare = first.text.strip_prefix('=').or_else(|| first.text.strip_prefix("zf_"));
        let Some(bare) = bare.filter(|bare| !bare.is_empty()) else { return };
        let mut line = alloc::vec![Word { text: String::from(bare), ..first.clone() }];
        line.extend(arguments.iter().cloned());
        self.guess_program(&line, stdin);
    }
}

/// Goes through what stands in the unquoted brackets of a word, those of substitutions left out.
pub(super) fn groups(source: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut open: Vec<Option<usize>> = Vec::new();
    let (mut quote, mut before) = (None, ' ');
    let mut letters = source.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(mark), _) if mark == letter => quote = None,
            (Some(_), _) => {}
            (None, '\\') => {
                letters.next();
            }
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(') => {
                let substitutes = matches!(before, '$' | '<' | '>') || matches!(open.last(), Some(None));
                open.push((!substitutes).then_some(at + 1));
            }
            (None, ')') => {
                if let Some(Some(from)) = open.pop()
                    && out.len() < MAX_GROUPS
                {
                    out.extend(source.get(from..at));
                }
            }
            (None, _) => {}
        }
        before = letter;
    }
    out
}

/// Returns what stands between two equal marks at the start of a text, or a bracket and its partner.
fn delimited(text: &str) -> Option<&str> {
    let open = text.chars().next().filter(|letter| !letter.is_alphanumeric() && !letter.is_whitespace())?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        '|' | ')' | '*' | '?' => return None,
        letter => letter,
    };
    let inside = text.get(open.len_utf8()..)?;
    inside.get(..inside.rfind(close).unwrap_or(inside.len()))
}

/// Returns the name at the start of a text.
fn name_of(text: &str) -> &str {
    let end = text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_curly_brackets_become_substitutions() {
        let check = |text: &str, expected: &str| {
            let found = inline_commands_as_substitutions(text, &Budget::default());
            assert_eq!(found.as_deref().unwrap_or_default().replace(IN_THE_SHELL, "!"), expected, "{text}");
        };
        check("echo ${ ls; }", "echo $(! ls; )");
        check("echo \"a ${| REPLY=x; } b\"", "echo \"a $(!| REPLY=x; ) b\"");
        check("${ a ${ b; }; }c", "$(! a $(! b; ); )c");
        check("x '${ a; }' ${\tb}", "x '${ a; }' $(!\tb)");
        check("${ a{b; c; }", "$(! a{b; c; )");
        check("echo ${a} ${a:- b}", "");
    }

    #[test]
    fn brackets_of_a_word_are_found() {
        assert_eq!(groups("*(e:'a b':)"), ["e:'a b':"]);
        assert_eq!(groups("x$(a)'(b)'\\(c*(.)$((1+2))"), ["."]);
        assert_eq!(groups("**/*(#q.e{a})y"), ["#q.e{a}"]);
        assert_eq!(delimited(":'a':"), Some("'a'"));
        assert_eq!(delimited("{a}D"), Some("a"));
        assert_eq!(delimited("xa"), None);
        assert_eq!(name_of("f.x)"), "f.x");
    }
}
