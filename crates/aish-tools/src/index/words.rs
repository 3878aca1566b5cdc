//! Text to words, and words to stems.

use rust_stemmers::{Algorithm, Stemmer};

/// Characters of a word that count; the rest is cut.
const MAX_WORD: usize = 40;

/// Splits a text into lower-case words: at everything that is no letter or digit, and where a small letter meets a capital,
/// unless the whole is a name (`GitHub`).
pub(super) fn split(text: &str, is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut humps = 0;
    let mut word = String::new();
    let mut length = 0_usize;
    let mut after_small = false;
    for c in text.chars() {
        let ends = !c.is_alphanumeric() || (after_small && c.is_uppercase());
        if ends && !word.is_empty() {
            out.push(std::mem::take(&mut word));
            length = 0;
            humps += 1;
        }
        if !c.is_alphanumeric() {
            join(&mut out, humps, &is_name);
            humps = 0;
        }
        // The genitive and other short forms say nothing that the word does not.
        after_small = c.is_lowercase();
        if c.is_alphanumeric() && length < MAX_WORD {
            length += 1;
            if c.is_ascii() {
                word.push(c.to_ascii_lowercase());
            } else {
                word.extend(c.to_lowercase());
            }
        }
    }
    if !word.is_empty() {
        out.push(word);
        humps += 1;
    }
    join(&mut out, humps, &is_name);
    out
}

/// Puts the last words together again when they are a name.
fn join(words: &mut Vec<String>, last: usize, is_name: impl Fn(&str) -> bool) {
    if last < 2 {
        return;
    }
    let from = words.len().saturating_sub(last);
    let whole = words.get(from..).unwrap_or_default().concat();
    if is_name(&whole) {
        words.truncate(from);
        words.push(whole);
    }
}

/// Takes the endings off words (Snowball English, <https://snowballstem.org/algorithms/english/stemmer.html>).
pub(super) struct Stems(Stemmer);

impl Stems {
    pub(super) fn new() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    /// Returns the stem. Words whose stem is another word's are left whole (a container is not what contains).
    pub(super) fn stem(&self, word: &str) -> String {
        match word {
            "container" | "containers" => return "container".into(),
            "news" | "aws" | "s3" | "ls" | "ps" | "dns" | "sns" | "sqs" | "eks" | "ecs" | "rds" | "sts" | "kms"
            | "logs" => {
                return if word == "logs" { "log".into() } else { word.into() };
            }
            "organization" | "organizations" | "organisation" | "organisations" => return "organization".into(),
            "general" | "generally" => return "general".into(),
            _ => {}
        }
        if word.len() <= 3 || !word.is_ascii() {
            return word.into();
        }
        self.0.stem(word).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_at_signs_and_humps() {
        for (text, expected) in [
            ("aws_s3_cp", vec!["aws", "s3", "cp"]),
            ("ListBuckets --dry-run", vec!["list", "buckets", "dry", "run"]),
            ("Übergröße", vec!["übergröße"]),
            ("on GitHub, MyHub", vec!["on", "github", "my", "hub"]),
            ("", vec![]),
        ] {
            assert_eq!(split(text, |word| word == "github"), expected, "{text}");
        }
    }

    #[test]
    fn endings_are_taken_off() {
        let stems = Stems::new();
        for (a, b) in [("branches", "branch"), ("deleting", "delete"), ("logs", "log"), ("instances", "instance")] {
            assert_eq!(stems.stem(a), stems.stem(b), "{a} {b}");
        }
        assert_ne!(stems.stem("container"), stems.stem("contains"));
    }
}
