//! Files of secret settings in a tree: `.env` and its like.

/// What the last word of a name is where a file shows what a secret one is like.
const EXAMPLES: &[&[u8]] = &[b"example", b"sample", b"template", b"dist", b"defaults"];

/// Says whether a file of a work tree holds settings that are secret by custom: `.env`, `.env.*` and copies of them, but for
/// examples.
pub fn is_dotenv(name: &str) -> bool {
    is_dotenv_bytes(name.as_bytes())
}

pub(crate) fn is_dotenv_bytes(name: &[u8]) -> bool {
    [".env", ".envrc"].iter().any(|known| is_or_copies(name, known))
}

/// Says whether a name is one that is known, or that of a version of it which an editor, a program or a person puts beside it
/// (`#NAME#`, `.NAME.swp`, `.NAME.un~`, `NAME~`, `NAME.bak`, `NAME-old`, `NAME2`), and no example.
pub(crate) fn is_or_copies(name: &[u8], known: &str) -> bool {
    let marks = name.iter().take_while(|byte| b".#~".contains(byte)).count();
    let start = marks.saturating_sub(usize::from(known.starts_with('.')));
    let rest = name.get(start..).and_then(|rest| rest.strip_prefix(known.as_bytes()));
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    rest.is_some_and(|rest| {
        let last = rest.split(|byte| !is_letter(byte)).rfind(|word| !word.is_empty());
        !rest.first().is_some_and(is_letter) && !last.is_some_and(|word| EXAMPLES.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_settings_are_no_secrets() {
        let secret: Vec<_> = [
            ".env",
            ".env.local",
            ".envrc",
            ".env.example",
            ".environment",
            "x.env",
            ".envoy",
            ".env.production.sample",
            ".env-sample",
            ".env.example~",
            "a.env~",
        ]
        .into_iter()
        .filter(|name| is_dotenv(name))
        .collect();
        assert_eq!(secret, [".env", ".env.local", ".envrc"]);
    }

    #[test]
    fn what_editors_put_beside_secrets_is_secret() {
        let copies = [
            ".env~",
            "#.env#",
            ".env.swp",
            "..env.swp",
            "..env.un~",
            ".env.~1~",
            ".#.env",
            ".env-old",
            ".env_backup",
            ".env2",
            ".env (copy)",
            ".envrc~",
            "..envrc.swo",
            ".env.local~",
            ".env.example.bak",
        ];
        for name in copies {
            assert!(is_dotenv(name), "{name}");
        }
        for name in [".npmrc~", "..npmrc.swp", ".npmrc"] {
            assert!(is_or_copies(name.as_bytes(), ".npmrc"), "{name}");
        }
        assert!(!is_or_copies(b".npmrcs", ".npmrc") && !is_or_copies(b"npmrc", ".npmrc"));
    }
}
