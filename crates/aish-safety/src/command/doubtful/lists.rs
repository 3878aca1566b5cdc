//! Lists in braces that shells read in several ways.

/// The most letters of a list in braces that are looked at.
const MAX_LIST: usize = 256;

/// Says what in a list that a text begins with is read in several ways; `before` is the letter before it.
pub(super) fn doubt(before: char, rest: &str) -> Option<&'static str> {
    if before != '$' && counts_letters(rest) {
        return Some("counts letters, or to what is in a variable, which zsh alone does");
    }
    if has_step(rest) {
        return Some("counts in steps");
    }
    (before != '$' && holds_blanks(rest)).then_some("holds blanks in a list that fish makes words of")
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
