//! What a line itself gives to variables with a secret's name: `export API_TOKEN=value`, `DB_PASSWORD='a b' tool`.

/// Shorter values are no secrets that would have to be kept out of a history.
const SHORTEST: usize = 4;

/// Returns the values that words of a line assign to the names that `is_secret` says yes to, as far as they stand there in
/// full: nothing in them is expanded.
pub(super) fn values(line: &str, is_secret: impl Fn(&str) -> bool) -> Vec<String> {
    let scan = aish_syntax::scan(line);
    let words = scan.words.iter().filter_map(|word| line.get(word.range()));
    words
        .filter_map(|word| {
            let (name, value) = word.split_once('=')?;
            let name = name.trim_end_matches('+');
            // In `x[k]=v` the name is that of the array.
            let name = name.split_once('[').map_or(name, |(name, _)| name);
            let value = literal(value).filter(|value| value.len() >= SHORTEST)?;
            is_secret(name).then_some(value)
        })
        .collect()
}

/// Takes the quotes off a word; none where the shell would expand something in it.
fn literal(word: &str) -> Option<String> {
    let mut value = String::with_capacity(word.len());
    let mut quote = None;
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '\\') => value.extend(letters.next()),
            (Some('"'), '\\') => match letters.next() {
                Some(next @ ('"' | '\\' | '$' | '`')) => value.push(next),
                next => {
                    value.push('\\');
                    value.extend(next);
                }
            },
            (None | Some('"'), '$' | '`') => return None,
            (_, letter) => value.push(letter),
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_line_is_found() {
        let found = |line: &str| values(line, |name| name.ends_with("TOKEN")).join("|");
        for (line, expected) in [
            ("export FOO_TOKEN=plain-value", "plain-value"),
            ("A_TOKEN='two words' tool; declare -x B_TOKEN=\"q\\\"x yz\"", "two words|q\"x yz"),
            ("if true; then C_TOKEN=in\\ side; fi", "in side"),
            ("env D_TOKEN=value tool && E_TOKEN+=more", "value|more"),
            ("M_TOKEN[a]=element", "element"),
            ("FOO_TOKEN=$OTHER x; BAR_TOKEN=\"$(pass x)\"; BAZ_TOKEN=; TOKEN=abc", ""),
            ("echo FOO_TOKEN; KEYS=value", ""),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }
}
