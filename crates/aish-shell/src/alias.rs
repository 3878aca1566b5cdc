//! What `alias -p` prints, alias by alias.

/// One alias.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Alias<'a> {
    /// The line that defines it, or the lines.
    pub(crate) text: &'a str,
    pub(crate) name: &'a str,
    pub(crate) value: String,
}

/// Reads `alias NAME='VALUE'` a line, with `'\''` for a quote and a value of several lines as it is; what follows something else
/// is not read.
pub(crate) fn read(text: &str) -> Vec<Alias<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((alias, behind)) = first(rest) {
        found.push(alias);
        rest = behind;
    }
    found
}

/// Reads the first one; returns what is behind it too.
fn first(text: &str) -> Option<(Alias<'_>, &str)> {
    let definition = text.strip_prefix("alias ")?;
    let definition = definition.strip_prefix("-- ").unwrap_or(definition);
    let (name, mut behind) = definition.split_once("='")?;
    let mut value = String::new();
    loop {
        let (part, more) = behind.split_once('\'')?;
        value.push_str(part);
        let Some(more) = more.strip_prefix("\\''") else {
            let rest = more.strip_prefix('\n').unwrap_or(more);
            let text = text.get(..text.len() - rest.len()).unwrap_or_default();
            return Some((Alias { text, name, value }, rest));
        };
        value.push('\'');
        behind = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_those_that_bash_has() {
        let defined = r#"alias -- -='cd -' q="echo 'a b'" m=$'one\ntwo' n="''" e= r='a\b"c$d`e'; alias -p"#;
        let printed = std::process::Command::new("bash").args(["-c", defined]).output().unwrap();
        let printed = String::from_utf8_lossy(&printed.stdout);
        let found = read(&printed);
        let mut pairs: Vec<_> = found.iter().map(|alias| (alias.name, alias.value.as_str())).collect();
        pairs.sort_unstable();
        let expected =
            [("-", "cd -"), ("e", ""), ("m", "one\ntwo"), ("n", "''"), ("q", "echo 'a b'"), ("r", "a\\b\"c$d`e")];
        assert_eq!(pairs, expected);
        assert_eq!(found.iter().map(|alias| alias.text).collect::<String>(), printed, "none of it is left out");
        assert_eq!(read("alias a='b"), []);
    }
}
