//! Forms of a line that bash, zsh and fish, or a terminal, read in several ways, or that are judged by a guess: what holds one is
//! asked about, whatever it does.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

/// Letters of escapes in `$'…'` that bash and zsh read alike. Not the quote, which ends the text in dash.
const ESCAPES: &str = "abeEfnrtvxuU01234567\\\"?\n";

/// The most letters of a list in braces that are looked at.
const MAX_LIST: usize = 256;

/// The most braces outside quotes that are looked at.
const MAX_LISTS: usize = 256;

/// How far a bracket is looked for that closes one, in bytes.
const MAX_NEAR: usize = 512;

/// Quote that a place stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    /// `$'…'`
    Escaped,
    Double,
}

/// Says what in a text is read in several ways; none where nothing is. Linear in the text's length, but for the words in braces.
pub(crate) fn doubt(text: &str) -> Option<&'static str> {
    if text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')) {
        return Some("holds control characters, which a terminal acts on");
    }
    if text.contains("$\\\n") || text.match_indices("\\\n").any(|(at, _)| goes_on_in_a_name(text.get(..at))) {
        return Some("goes on in the next line within an expansion");
    }
    if text.split("<<").skip(1).any(|rest| rest.trim_start_matches('-').trim_start().starts_with(['$']))
        || joins_lines_of_a_document(text)
    {
        return Some("ends a here-document in a way that shells read differently");
    }
    if text.split(">&").skip(1).any(is_odd_descriptor) {
        return Some("names a file where a descriptor is meant");
    }
    let goes_on = text.trim_end().contains([';', '\n', '&', '|']);
    if goes_on && (words(text).any(|word| matches!(word, "readonly" | "nameref")) || declares_otherwise(text)) {
        return Some("gives a variable a property that changes what is assigned to it");
    }
    if text.split("([").skip(1).any(|rest| rest.split_once("]=").is_some_and(|(key, _)| key.contains(['(', '`']))) {
        return Some("computes the key of a list");
    }
    if defines_again(text) {
        return Some("defines a function twice");
    }
    if text.contains("@P}") || text.split("${").skip(1).any(evaluates) {
        return Some("runs what is in the value of a variable");
    }
    if super::apart::comes_apart(text) {
        return Some("has lines that run by themselves where a shell does not take one before them");
    }
    by_quotes(text)
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

/// Says whether lines may be joined behind the beginning of a here-document: that is done before they are compared with its mark.
fn joins_lines_of_a_document(text: &str) -> bool {
    let begins = text.match_indices("<<").find(|(at, _)| !text.get(at + 2..).unwrap_or_default().starts_with('<'));
    begins.is_some_and(|(at, _)| text.get(at..).unwrap_or_default().contains("\\\n"))
}

/// Says whether a text ends within the name of a variable.
fn goes_on_in_a_name(text: Option<&str>) -> bool {
    let before = text.unwrap_or_default().trim_end_matches(is_of_a_name);
    before.len() < text.map_or(0, str::len) && before.ends_with(['$', '{', '#', '!'])
}

/// Says whether a function is defined more than once.
fn defines_again(text: &str) -> bool {
    let mut names = BTreeSet::new();
    text.match_indices("()").any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default().trim_end();
        let from =
            before.rfind(|letter: char| letter.is_whitespace() || ";|&({".contains(letter)).map_or(0, |at| at + 1);
        before.get(from..).is_some_and(|name| !name.is_empty() && !names.insert(name))
    })
}

/// Says whether what stands behind `>&` is neither a plain descriptor nor a plain name.
fn is_odd_descriptor(rest: &str) -> bool {
    let word = rest.trim_start_matches([' ', '\t']);
    let word =
        word.split(|letter: char| letter.is_whitespace() || ";|&<>()".contains(letter)).next().unwrap_or_default();
    word.starts_with('+')
        || word.len() > 1
            && (word.starts_with('-') || word.ends_with('-'))
            && word.bytes().any(|byte| byte.is_ascii_digit())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || ";|&()".contains(letter))
}

/// `declare -r`, `typeset -n`, `local -R 2`.
fn declares_otherwise(text: &str) -> bool {
    let mut declares = false;
    words(text).any(|word| {
        let is_option = word.starts_with(['-', '+']);
        let found = declares && is_option && word.contains(['r', 'n', 'L', 'R', 'Z', 'T']);
        declares = matches!(word, "declare" | "typeset" | "local" | "export") || declares && is_option;
        found
    })
}

/// Goes through a text with the quotes that bash sees.
fn by_quotes(text: &str) -> Option<&'static str> {
    let mut quote = Quote::None;
    let mut letters = text.char_indices().peekable();
    let mut before = ' ';
    let has_lines = text.contains('\n');
    let (mut lists, mut assigned) = (0_usize, None);
    // How many brackets are open since those of an array began.
    let mut array = 0_usize;
    while let Some((at, letter)) = letters.next() {
        let rest = text.get(at..).unwrap_or_default();
        let next = rest.chars().nth(1);
        match (quote, letter) {
            (Quote::Single, '\'') | (Quote::Escaped, '\'') => quote = Quote::None,
            (Quote::Single, _) => {}
            (Quote::Escaped, '\\')
                if next.is_some_and(|next| !ESCAPES.contains(next)) || rest.get(2..3) == Some("{") =>
            {
                return Some("holds an escape that shells read differently");
            }
            (Quote::Escaped, '\\') | (Quote::None | Quote::Double, '\\') => {
                letters.next();
            }
            (Quote::None, _) if letter.is_whitespace() && !letter.is_ascii() => {
                return Some("holds a blank that only some shells take for one");
            }
            (Quote::Escaped, _) => {}
            (Quote::None, '\'') => quote = if before == '$' { Quote::Escaped } else { Quote::Single },
            (Quote::None, '"') => quote = Quote::Double,
            (Quote::Double, '"') => quote = Quote::None,
            // Where there is none such, the lines below are read by themselves.
            (_, '!')
                if is_event(text.get(..at).unwrap_or_default(), rest)
                    || before == '{' && is_designator(next) && !rest.starts_with("!#}")
                    || before == '[' && is_designator(next) =>
            {
                return Some("may stand for an earlier line of the history");
            }
            (_, '!') if next == Some('\'') && (quote == Quote::None || has_lines) => {
                return Some("may stand for an earlier line of the history");
            }
            (_, '$') if reaches_out(rest) => return Some("has an index that zsh reads past a quote"),
            (_, '$') if rest.starts_with("${") && holds_code(rest, quote == Quote::Double) => {
                return Some("holds a command or a quote within an expansion");
            }
            (_, '$')
                if next == Some('$')
                    && rest.chars().nth(2).is_some_and(|third| is_of_a_name(third) || third == '$') =>
            {
                return Some("is the value of a variable that another one names, to fish");
            }
            (_, '$') if matches!(next, Some('=' | '^' | '~')) => return Some("is split or matched by zsh alone"),
            (_, '$') if writes_escapes(rest.strip_prefix("$(").unwrap_or_default(), ')') => {
                return Some("prints escapes, which shells read differently");
            }
            (Quote::None, '(') if begins_pattern(text.get(..at), array > 0) && holds_qualifiers(rest) => {
                return Some("holds a pattern that zsh may run code of");
            }
            (Quote::None, '(') if array > 0 || before == '=' => array += 1,
            (Quote::None, ')') => array = array.saturating_sub(1),
            (Quote::None, '>') if next == Some('(') => return Some("writes to a command, or to a file that one names"),
            (_, '`') => {
                let inside = rest.get(1..).and_then(|rest| rest.split('`').next()).unwrap_or_default();
                if quote == Quote::Double && inside.contains(['"', '\'']) {
                    return Some("holds quotes in a command in quotes");
                }
                if writes_escapes(inside, '`') {
                    return Some("prints escapes, which shells read differently");
                }
                // What stands in it is looked at by itself.
                letters.by_ref().find(|(_, letter)| *letter == '`');
            }
            (Quote::None, '<') if is_range(rest) => {
                return Some("holds a pattern of numbers to zsh, which is no redirect");
            }
            (Quote::None, '0') if !is_of_a_name(before) && names_descriptor(rest) => {
                return Some("has a descriptor of two digits, which is a word to zsh and dash");
            }
            (Quote::None, '~')
                if before.is_whitespace()
                    && assigned.get_or_insert_with(|| names(text)).contains(name_behind(rest)) =>
            {
                return Some("is a folder of a variable to zsh");
            }
            (Quote::None, '{') => {
                lists += 1;
                if lists > MAX_LISTS {
                    return Some("holds more braces than are looked at");
                }
                if before != '$' && counts_letters(rest) {
                    return Some("counts letters, or to what is in a variable, which zsh alone does");
                }
                if has_step(rest) {
                    return Some("counts in steps");
                }
                if before != '$' && holds_blanks(rest) {
                    return Some("holds blanks in a list that fish makes words of");
                }
            }
            _ => {}
        }
        before = letter;
    }
    None
}

/// Says whether what stands behind `${` begins with flags of zsh of which one runs what is in the value (`(e)`).
fn evaluates(text: &str) -> bool {
    let flags = text.trim_start_matches(['#', '^', '=', '~', '+']).strip_prefix('(');
    flags.is_some_and(|flags| flags.split(')').next().unwrap_or_default().contains('e'))
}

/// Says whether a variable that a text begins with has an index that does not end before a quote.
fn reaches_out(text: &str) -> bool {
    let behind = text.get(1..).unwrap_or_default();
    let name = match behind.find(|letter| !is_of_a_name(letter)).unwrap_or(behind.len()) {
        // A sum (`$[1]`), or a variable that is a sign.
        0 => usize::from(!behind.starts_with('[')),
        length => length,
    };
    let Some(index) = behind.get(name..).and_then(|behind| behind.strip_prefix('[')) else { return false };
    near(index, "]").is_none_or(|inside| inside.contains(['"', '\'', '`', '\\']))
}

/// Says whether a bracket behind a text belongs to a pattern: one behind letters of it, or a word of an array.
fn begins_pattern(before: Option<&str>, in_array: bool) -> bool {
    let before = before.unwrap_or_default();
    let is_substitution = before.ends_with(['$', '<', '>', '=']) || before.ends_with("$(");
    !is_substitution && (in_array || before.ends_with(|last: char| !last.is_whitespace() && !";|&({".contains(last)))
}

/// Returns what stands before a sign; none where it is not near.
fn near<'t>(text: &'t str, sign: &str) -> Option<&'t str> {
    let end = text.floor_char_boundary(MAX_NEAR);
    text.get(..end)?.split_once(sign).map(|(before, _)| before)
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

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// `{-o ,name}`: one list to fish, where it closes before the command ends; several words to bash.
fn holds_blanks(rest: &str) -> bool {
    let (mut quote, mut lists, mut blank) = (None, false, false);
    for letter in rest.chars().take(MAX_LIST).skip(1) {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '}') => return lists && blank,
            (None, ';' | '|' | '&') => return false,
            (None, ',') => lists = true,
            (None, _) => blank |= letter.is_whitespace(),
        }
    }
    // What goes on past that is not looked at.
    rest.len() > MAX_LIST
}

/// `{+..-}` and `{1..$n}`: words to zsh, which counts through all letters and knows the values, and a text to others.
fn counts_letters(rest: &str) -> bool {
    let inside = rest.get(1..).unwrap_or_default();
    let Some((first, behind)) = inside.split_once("..") else { return false };
    let Some(last) = behind.split('}').next().filter(|last| last.len() < behind.len()) else { return false };
    if first.len() > MAX_LIST || last.len() > MAX_LIST || first.contains([' ', '\n', ';', '{']) {
        return false;
    }
    let kind = |text: &str| {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if letter.is_ascii_alphabetic() => 'a',
            (Some(letter), None) if !letter.is_ascii_digit() => '?',
            _ => '0',
        }
    };
    let (one, other) = (kind(first), kind(last));
    one != other && !first.contains('/') || one == '?' || first.contains(['$', '`']) || last.contains(['$', '`'])
}

/// `{a..z..2}`
fn has_step(rest: &str) -> bool {
    let mut dots = 0_usize;
    let mut before = ' ';
    for letter in rest.chars().take(MAX_LIST).skip(1) {
        if "} ,".contains(letter) {
            return dots > 1;
        }
        let is_pair = letter == '.' && before == '.';
        dots += usize::from(is_pair);
        before = if is_pair { ' ' } else { letter };
    }
    dots > 1 || rest.len() > MAX_LIST
}

/// Returns the variables that a text sets more than once, as far as its words tell: their values are guesses where a loop, a
/// part of a pipe or a function sets them.
pub(crate) fn set_again(text: &str) -> BTreeSet<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    // `{name}>` and `{name[0]}<` set it to a number.
    let mut opened = None;
    for (at, sign) in text.match_indices(['{', '}']) {
        let inside = if sign == "{" { None } else { opened.take().and_then(|from| text.get(from..at)) };
        if sign == "{" {
            opened = Some(at + 1);
        }
        if let Some(inside) = inside.filter(|_| text.get(at + 1..).is_some_and(|rest| rest.starts_with(['<', '>']))) {
            *times.entry(inside.split('[').next().unwrap_or_default()).or_default() += 2;
        }
    }
    for word in words(text) {
        let Some((name, _)) = word.split_once('=') else { continue };
        let name = name.trim_end_matches('+').split('[').next().unwrap_or_default().trim_start_matches(['"', '\'']);
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            *times.entry(name).or_default() += 1;
        }
    }
    times.into_iter().filter(|(_, times)| *times > 1).map(|(name, _)| String::from(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_lines_are_plain() {
        for line in [
            "find . ! -name '*.rs'",
            "[[ ! -f x ]] && echo 'no!'",
            "echo \"done!\"",
            "awk '!seen[$0]++' f",
            "[ a != b ]",
            "ls [!a]*",
            "echo ${x:-y} ${#x} ${!x} $! $$ x.$$",
            "diff <(sort a) <(sort b)",
            "ls 2>&1 | head >&2",
            "cat <<'E'\nx\nE",
            "echo {1..5}",
            "ls ~/x ~root",
            "find \"`pwd`\" -type f",
            "declare -A m",
            "ls {a,'b c'} {a,b}",
            "{ ls a, b; }",
            "jq '{a, b}' \"{c, d}\"",
        ] {
            assert_eq!(doubt(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_read_in_several_ways_is_doubtful() {
        for line in [
            "sort {-o ,c} f",
            "find d \u{3000}-delete",
            "sed $'a x\\C-jw c' f",
            "find d $'\\-delete'",
            "find d $'\\x{2d}delete'",
            "echo a!'b'",
            "echo {a..z..2}",
            "set n TOKEN; echo $$n",
            "echo \"$$n\"",
        ] {
            assert!(doubt(line).is_some(), "{line}");
        }
    }

    #[test]
    fn long_texts_are_read_in_time() {
        for part in ["{", "{a ,", "{a.", "!'", "$'\\a'", "a=", "()"] {
            let _ = doubt(&part.repeat(60_000 / part.len()));
        }
    }
}
