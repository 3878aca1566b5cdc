//! The lines between `---` at the beginning of a Markdown file: keys with a text each. What is no such line is passed over.

use std::collections::BTreeMap;

/// The keys of a file, and what follows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontMatter<'t> {
    values: BTreeMap<String, String>,
    /// The file without them.
    pub(super) body: &'t str,
}

impl<'t> FrontMatter<'t> {
    /// Takes a file apart.
    pub(super) fn read(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let none = Self { values: BTreeMap::new(), body: text };
        let Some((_, rest)) = text.split_once('\n').filter(|(first, _)| first.trim_end() == "---") else { return none };
        let mut at = 0;
        let mut values = BTreeMap::new();
        let mut open: Option<String> = None;
        for line in rest.split_inclusive('\n') {
            at += line.len();
            let line = line.trim_end();
            if matches!(line, "---" | "...") {
                return Self { values, body: rest.get(at..).unwrap_or_default() };
            }
            // Lines that are indented belong to the key above, as one line.
            if line.starts_with([' ', '\t']) {
                if let Some(value) = open.as_ref().and_then(|key| values.get_mut(key)) {
                    let value: &mut String = value;
                    let space = if value.is_empty() { "" } else { " " };
                    value.push_str(&format!("{space}{}", line.trim()));
                }
                continue;
            }
            if let Some((key, value)) = line.split_once(':') {
                let value = value.trim();
                let is_block = matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+");
                values.insert(key.trim().to_owned(), if is_block { String::new() } else { bare(value).to_owned() });
                open = Some(key.trim().to_owned());
            }
        }
        none
    }

    /// Says whether a key is set to one of YAML's words for yes, as they are written in files of all kinds.
    pub(super) fn is_set(&self, key: &str) -> bool {
        let word = self.value(key).split(" #").next().unwrap_or_default();
        matches!(bare(word.trim()).to_ascii_lowercase().as_str(), "true" | "yes" | "on")
    }

    /// Returns the text of a key; empty where it is not there.
    pub(super) fn value(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }
}

/// Takes the quotes off a text that has them at both ends.
fn bare(text: &str) -> &str {
    let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    quoted.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_the_text() {
        let front = FrontMatter::read("---\na: x\nb: \"y: z\"\nc: >-\n  one\n  two\n- odd\n---\nbody\n---\n");
        assert_eq!((front.value("a"), front.value("b"), front.value("c")), ("x", "y: z", "one two"));
        assert_eq!(front.body, "body\n---\n");
        for whole in ["no keys", "---\na: x\nwithout an end", "--- a\n---\n", ""] {
            assert_eq!(FrontMatter::read(whole).body, whole);
        }
        assert_eq!(FrontMatter::read("---\r\na: x\r\n---\r\nb").value("a"), "x");
        assert_eq!(FrontMatter::read("--- \na: x\n...\nb"), FrontMatter::read("---\na: x\n---\nb"));
    }

    #[test]
    fn a_yes_is_a_yes_in_every_spelling() {
        for (value, is_set) in [
            ("true", true),
            ("True # for people", true),
            ("\"true\"", true),
            ("yes", true),
            ("false", false),
            ("no # true", false),
            ("", false),
        ] {
            assert_eq!(FrontMatter::read(&format!("---\na: {value}\n---\n")).is_set("a"), is_set, "{value}");
        }
    }
}
