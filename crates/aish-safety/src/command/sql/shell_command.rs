//! Commands of a database shell that only show something.

/// Commands that begin with a backslash: what is described, listed and told.
const BACKSLASHED: &[&str] = &["conninfo", "h", "l", "list", "q", "sf", "timing", "x", "z"];

/// What is described, by the letters behind `\d`; not the settings and addresses of other servers, with their passwords.
const DESCRIBED: &[&str] = &[
    "", "A", "Ac", "Af", "Ao", "Ap", "C", "D", "E", "F", "FA", "Fd", "Fp", "Ft", "L", "O", "P", "T", "X", "a", "b",
    "c", "d", "dp", "e", "f", "fa", "fn", "fp", "ft", "fw", "g", "i", "l", "m", "n", "o", "p", "s", "t", "ts", "tv",
    "tvs", "u", "v", "x", "y",
];

/// Commands that begin with a point.
const POINTED: &[&str] = &[
    "databases",
    "dbinfo",
    "exit",
    "fullschema",
    "header",
    "headers",
    "help",
    "indexes",
    "indices",
    "mode",
    "quit",
    "schema",
    "show",
    "stats",
    "tables",
    "timer",
    "width",
];

/// Says whether a line is such a command, with plain words behind it.
pub(super) fn shows(line: &str) -> bool {
    let line = line.trim();
    let end = line.find([' ', '\t']).unwrap_or(line.len());
    let Some((name, behind)) = line.split_at_checked(end) else { return false };
    let plain = |letter: char| letter.is_alphanumeric() || "_.*?%+-\"', \t".contains(letter);
    if !behind.chars().all(plain) {
        return false;
    }
    match (name.strip_prefix('\\'), name.strip_prefix('.')) {
        (Some(name), _) => {
            let name = name.trim_end_matches('+');
            let described = |letters: &str| DESCRIBED.contains(&letters);
            BACKSLASHED.contains(&name)
                || name
                    .strip_prefix('d')
                    .is_some_and(|letters| described(letters) || letters.strip_suffix('S').is_some_and(described))
        }
        (None, Some(name)) => POINTED.contains(&name),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::shows;

    #[test]
    fn commands_that_show_are_told_from_others() {
        for line in ["\\dt", "\\d+ users", "\\dtS+", "\\l", "\\l+", ".schema", ".tables a%", ".headers on", "\\df a.*"]
        {
            assert!(shows(line), "{line}");
        }
        for line in [
            "\\dt \\! touch x",
            "\\l \\o x",
            "\\d `touch x`",
            "\\deu",
            "\\des+",
            "\\dconfig",
            "\\o x",
            "\\! x",
            "\\pset pager always",
            ".sh touch x",
            ".o x",
            ".schema; .o x",
            ".output |x",
            ".dump > x",
            "select 1",
        ] {
            assert!(!shows(line), "{line}");
        }
    }
}
