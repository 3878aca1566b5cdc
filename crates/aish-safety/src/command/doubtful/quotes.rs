//! What stands in quotes, in brackets and behind signs, and is read in several ways.

use alloc::collections::BTreeSet;
use core::str::CharIndices;

use super::{is_of_a_name, lists};

/// Letters of escapes in `$'…'` that bash and zsh read alike. Not the quote, which ends the text in dash.
const ESCAPES: &str = "abeEfnrtvxuU01234567\\\"?\n";

/// The most braces outside quotes that are looked at.
const MAX_LISTS: usize = 256;

/// How far a bracket is looked for that closes one, in bytes.
const MAX_NEAR: usize = 512;

/// Why a text is doubtful that prints what a shell may take for escapes.
const PRINTS_ESCAPES: &str = "prints escapes, which shells read differently";

/// Quote that a place stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    /// `$'…'`
    Escaped,
    Double,
}

/// Goes through a text with the quotes that bash sees, and says what in it is read in several ways.
pub(super) fn doubt(text: &str) -> Option<&'static str> {
    let mut reading = Reading {
        text,
        letters: text.char_indices(),
        quote: Quote::None,
        before: ' ',
        lists: 0,
        array: 0,
        assigned: None,
        has_lines: text.contains('\n'),
    };
    while let Some((at, letter)) = reading.letters.next() {
        let found = reading.meet(at, letter);
        if found.is_some() {
            return found;
        }
        reading.before = letter;
    }
    None
}

/// A text at one of its letters.
struct Reading<'t> {
    text: &'t str,
    /// What is behind the letter.
    letters: CharIndices<'t>,
    quote: Quote,
    /// The letter before it.
    before: char,
    /// How many braces stood outside quotes.
    lists: usize,
    /// How many brackets are open since those of an array began.
    array: usize,
    /// What the text sets, once that was asked.
    assigned: Option<BTreeSet<&'t str>>,
    /// Whether it has several lines.
    has_lines: bool,
}

impl Reading<'_> {
    /// Takes a letter; says what is doubtful from there on.
    fn meet(&mut self, at: usize, letter: char) -> Option<&'static str> {
        let rest = self.text.get(at..).unwrap_or_default();
        let next = rest.chars().nth(1);
        match (self.quote, letter) {
            (Quote::Single | Quote::Escaped, '\'') => self.quote = Quote::None,
            (Quote::Single, _) => {}
            (Quote::Escaped, '\\')
                if next.is_some_and(|next| !ESCAPES.contains(next)) || rest.get(2..3) == Some("{") =>
            {
                return Some("holds an escape that shells read differently");
            }
            (_, '\\') => {
                self.letters.next();
            }
            (Quote::Escaped, _) => {}
            (Quote::None, _) if letter.is_whitespace() && !letter.is_ascii() => {
                return Some("holds a blank that only some shells take for one");
            }
            (Quote::None, '\'') => {
                let before = self.text.get(..at).unwrap_or_default();
                // Two of them are the number of the process.
                let signs = before.len() - before.trim_end_matches('$').len();
                self.quote = if signs % 2 == 1 { Quote::Escaped } else { Quote::Single };
            }
            (Quote::None, '"') => self.quote = Quote::Double,
            (Quote::Double, '"') => self.quote = Quote::None,
            (_, '!') if self.may_be_history(at, rest) => return Some("may stand for an earlier line of the history"),
            (_, '$') => return of_expansion(rest, self.quote),
            (_, '`') => return self.meet_backquote(rest),
            (Quote::None, _) => return self.meet_unquoted(at, letter),
            (Quote::Double, _) => {}
        }
        None
    }

    /// Says whether a `!` may begin an event of the history. Where there is none such, the lines below are read by themselves.
    fn may_be_history(&self, at: usize, rest: &str) -> bool {
        let next = rest.chars().nth(1);
        is_event(self.text.get(..at).unwrap_or_default(), rest)
            || self.before == '{' && is_designator(next) && !rest.starts_with("!#}")
            || self.before == '[' && is_designator(next)
            || next == Some('\'') && (self.quote == Quote::None || self.has_lines)
    }

    /// Goes to the end of a command in backquotes: what stands in it is looked at by itself.
    fn meet_backquote(&mut self, rest: &str) -> Option<&'static str> {
        let inside = rest.get(1..).and_then(|rest| rest.split('`').next()).unwrap_or_default();
        if self.quote == Quote::Double && inside.contains(['"', '\'']) {
            return Some("holds quotes in a command in quotes");
        }
        if writes_escapes(inside, '`') {
            return Some(PRINTS_ESCAPES);
        }
        self.letters.find(|(_, letter)| *letter == '`');
        None
    }

    fn meet_unquoted(&mut self, at: usize, letter: char) -> Option<&'static str> {
        let rest = self.text.get(at..).unwrap_or_default();
        match letter {
            '(' if begins_pattern(self.text.get(..at), self.array > 0) && holds_qualifiers(rest) => {
                Some("holds a pattern that zsh may run code of")
            }
            '(' => {
                self.array += usize::from(self.array > 0 || self.before == '=');
                None
            }
            ')' => {
                self.array = self.array.saturating_sub(1);
                None
            }
            '>' if rest.starts_with(">(") => Some("writes to a command, or to a file that one names"),
            '<' if is_range(rest) => Some("holds a pattern of numbers to zsh, which is no redirect"),
            '0' if !is_of_a_name(self.before) && names_descriptor(rest) => {
                Some("has a descriptor of two digits, which is a word to zsh and dash")
            }
            '~' if self.before.is_whitespace() && self.sets(name_behind(rest)) => {
                Some("is a folder of a variable to zsh")
            }
            '{' => {
                self.lists += 1;
                if self.lists > MAX_LISTS {
                    return Some("holds more braces than are looked at");
                }
                lists::doubt(self.before, rest)
            }
            _ => None,
        }
    }

    /// Says whether the text sets a variable, perhaps.
    fn sets(&mut self, name: &str) -> bool {
        self.assigned.get_or_insert_with(|| names(self.text)).contains(name)
    }
}

/// Says what is doubtful of an expansion that a text begins with.
fn of_expansion(rest: &str, quote: Quote) -> Option<&'static str> {
    let next = rest.chars().nth(1);
    if reaches_out(rest) {
        return Some("has an index that zsh reads past a quote");
    }
    if rest.starts_with("${") && holds_code(rest, quote == Quote::Double) {
        return Some("holds a command or a quote within an expansion");
    }
    if next == Some('$') && rest.chars().nth(2).is_some_and(|third| is_of_a_name(third) || third == '$') {
        return Some("is the value of a variable that another one names, to fish");
    }
    if next == Some('$') && rest.chars().nth(2).is_some_and(|third| "{([`".contains(third)) {
        return Some("holds the number of a process before a bracket, which not all read as such");
    }
    if matches!(next, Some('=' | '^' | '~')) {
        return Some("is split or matched by zsh alone");
    }
    writes_escapes(rest.strip_prefix("$(").unwrap_or_default(), ')').then_some(PRINTS_ESCAPES)
}

/// Says whether a variable that a text begins with has an index that does not end before a quote.
fn reaches_out(text: &str) -> bool {
    let behind = text.get(1..).unwrap_or_default();
    // Of zsh: whether it is set, how long it is.
    let behind = behind.trim_start_matches(['+', '#', '^', '=', '~']);
    let name = match behind.find(|letter| !is_of_a_name(letter)).unwrap_or(behind.len()) {
        // A sum (`$[1]`), or a variable that is a sign.
        0 => usize::from(!behind.starts_with('[')),
        length => length,
    };
    let Some(index) = behind.get(name..).and_then(|behind| behind.strip_prefix('[')) else { return false };
    near(index, "]").is_none_or(|inside| inside.contains(['"', '\'', '`', '\\']))
}

/// Says whether `${…}` holds a command, or a quote that is a letter where it stands in quotes.
fn holds_code(text: &str, in_quotes: bool) -> bool {
    let (mut depth, mut before) = (0_usize, ' ');
    for letter in text.chars().skip(1) {
        match letter {
            '{' => depth += 1,
            '}' if depth <= 1 => return false,
            '}' => depth -= 1,
            '(' if matches!(before, '$' | '<' | '>' | '=') => return true,
            '`' => return true,
            '\'' if in_quotes => return true,
            _ => {}
        }
        before = letter;
    }
    true
}

/// Says whether a command writes a text with backslashes, of which shells make different things.
fn writes_escapes(command: &str, end: char) -> bool {
    let command = command.trim_start();
    let prints = ["echo ", "print "].iter().any(|name| command.starts_with(name));
    prints && command.split(end).next().unwrap_or_default().contains('\\')
}

/// Says whether `!` at the end of `before` may begin an event of the history.
fn is_event(before: &str, rest: &str) -> bool {
    let behind = rest.get(1..).unwrap_or_default();
    let Some(next) = behind.chars().next() else { return false };
    // What is no letter of a pattern, no variable of a variable's name and no last job is one.
    let is_taken = before.ends_with('[') && near(behind, "]").is_some()
        || before.ends_with("${") && near(behind, "}").is_some()
        || before.ends_with('$') && !is_of_a_name(next)
        || before.ends_with("{") && matches!(next, '}' | ',');
    !is_taken && !next.is_whitespace() && !matches!(next, '=' | '(' | '"' | ')' | ';' | '|' | '&' | '\'')
}

/// Says whether what stands behind `!` is the mark of an event, and not the first letter of a line.
fn is_designator(next: Option<char>) -> bool {
    matches!(next, Some('#' | '!' | '$' | '^' | '*' | '-' | '?' | '{' | ':'))
}

/// Says whether a bracket behind a text belongs to a pattern: one behind letters of it, or a word of an array.
fn begins_pattern(before: Option<&str>, in_array: bool) -> bool {
    let before = before.unwrap_or_default();
    let is_substitution = before.ends_with(['$', '<', '>', '=']) || before.ends_with("$(");
    !is_substitution && (in_array || before.ends_with(|last: char| !last.is_whitespace() && !";|&({".contains(last)))
}

/// Says whether the brackets that a text begins with may hold qualifiers of zsh that run code: `e` with something between two
/// equal signs, `+` with a name, or what is not known. Where there is a choice in them they hold none.
fn holds_qualifiers(text: &str) -> bool {
    let Some(inside) = near(text.get(1..).unwrap_or_default(), ")") else { return true };
    let runs = |at: usize| {
        let mut behind = inside.get(at + 1..).unwrap_or_default().chars();
        behind.next().is_some_and(|sign| behind.as_str().contains(sign))
    };
    let calls = |at: usize| inside.get(at + 1..).is_some_and(|behind| behind.starts_with(is_of_a_name));
    inside.contains(['$', '\'', '"', '`', '\\'])
        || !inside.contains('|')
            && (inside.match_indices('e').any(|(at, _)| runs(at)) || inside.match_indices('+').any(|(at, _)| calls(at)))
}

/// Returns what stands before a sign; none where it is not near.
fn near<'t>(text: &'t str, sign: &str) -> Option<&'t str> {
    let end = text.floor_char_boundary(MAX_NEAR);
    text.get(..end)?.split_once(sign).map(|(before, _)| before)
}

/// Says whether a text begins with zsh's pattern of numbers: `<1-9>`, `<->`.
fn is_range(text: &str) -> bool {
    let digits = |text: &'_ str| text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let behind = text.get(1..).unwrap_or_default();
    let Some(behind) = behind.get(digits(behind)..).and_then(|behind| behind.strip_prefix('-')) else { return false };
    behind.get(digits(behind)..).is_some_and(|behind| behind.starts_with('>'))
}

/// Says whether a text begins with several digits and a redirect.
fn names_descriptor(text: &str) -> bool {
    let behind = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    text.len() - behind.len() > 1 && behind.starts_with(['<', '>'])
}

/// Returns the names that a text sets, and perhaps others that stand before a `=`.
fn names(text: &str) -> BTreeSet<&str> {
    let before = text.match_indices('=').filter_map(|(at, _)| text.get(..at));
    before
        .filter_map(|before| before.rsplit(|letter| !is_of_a_name(letter)).next())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Returns the name behind the `~` that a text begins with.
fn name_behind(text: &str) -> &str {
    text.get(1..).and_then(|rest| rest.split(|letter| !is_of_a_name(letter)).next()).unwrap_or_default()
}
