//! Tokenizers in this process, loaded on first use and kept.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use kitoken::Kitoken;

use super::TokenizerChoice;

/// A loaded tokenizer.
enum Local {
    Kitoken(Box<Kitoken>),
    Gguf(Box<shimmytok::Tokenizer>),
}

/// The tokenizers of a session by their ids; what could not be loaded is remembered as that.
#[derive(Clone, Default)]
pub(super) struct Locals {
    loaded: Arc<Mutex<HashMap<String, Option<Arc<Local>>>>>,
}

impl Locals {
    /// Counts with the chosen tokenizer, or with bytes / 4 where it cannot be loaded or fails.
    pub(super) fn count(&self, choice: &TokenizerChoice, text: &str) -> (u64, String) {
        let counted = self.get(choice).and_then(|local| local.count(text));
        counted.map_or_else(|| by_chars(text), |count| (count, id(choice)))
    }

    /// Names the tokenizer that counts for a choice.
    pub(super) fn id(&self, choice: &TokenizerChoice) -> String {
        let id = id(choice);
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        match loaded.get(&id) {
            Some(None) => self::id(&TokenizerChoice::Chars),
            Some(Some(_)) | None => id,
        }
    }

    fn get(&self, choice: &TokenizerChoice) -> Option<Arc<Local>> {
        if !has_vocabulary(choice) {
            return None;
        }
        // The lock is held while loading, so that two threads do not load the same vocabulary.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.entry(id(choice)).or_insert_with(|| unless_it_panics(|| load(choice).map(Arc::new))).clone()
    }
}

impl Local {
    fn count(&self, text: &str) -> Option<u64> {
        let tokens = unless_it_panics(|| match self {
            Self::Kitoken(tokenizer) => tokenizer.encode(text, false).ok().map(|tokens| tokens.len()),
            Self::Gguf(tokenizer) => tokenizer.encode(text, false).ok().map(|tokens| tokens.len()),
        });
        u64::try_from(tokens?).ok()
    }
}

/// Both libraries panic on vocabularies that lack what they count on; a file is a stranger's text.
fn unless_it_panics<T>(run: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok().flatten()
}

/// Returns whether a choice needs a vocabulary; without one a count takes no time.
pub(super) fn has_vocabulary(choice: &TokenizerChoice) -> bool {
    match choice {
        TokenizerChoice::O200k | TokenizerChoice::Cl100k | TokenizerChoice::File(_) => true,
        TokenizerChoice::Auto | TokenizerChoice::Endpoint | TokenizerChoice::Chars => false,
    }
}

/// Counts bytes / 4, rounded down.
pub(super) fn by_chars(text: &str) -> (u64, String) {
    (u64::try_from(text.len() / 4).unwrap_or(u64::MAX), id(&TokenizerChoice::Chars))
}

fn id(choice: &TokenizerChoice) -> String {
    match choice {
        TokenizerChoice::O200k => "o200k".into(),
        TokenizerChoice::Cl100k => "cl100k".into(),
        TokenizerChoice::File(path) => format!("file {}", path.display()),
        TokenizerChoice::Auto | TokenizerChoice::Endpoint | TokenizerChoice::Chars => "chars".into(),
    }
}

fn load(choice: &TokenizerChoice) -> Option<Local> {
    let kitoken = |tokenizer: Kitoken| Local::Kitoken(Box::new(tokenizer));
    match choice {
        TokenizerChoice::O200k => built_in(include_bytes!("../../data/o200k_base.tokens.gz")).map(kitoken),
        TokenizerChoice::Cl100k => built_in(include_bytes!("../../data/cl100k_base.tokens.gz")).map(kitoken),
        TokenizerChoice::File(path) => load_file(path),
        TokenizerChoice::Auto | TokenizerChoice::Endpoint | TokenizerChoice::Chars => None,
    }
}

/// Unpacks a vocabulary of the executable (`data/README.md`), into the lines that tiktoken reads.
fn built_in(packed: &[u8]) -> Option<Kitoken> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    let (mut lines, mut rest) = (String::with_capacity(3 * bytes.len()), bytes.as_slice());
    for rank in 0_u32.. {
        let Some((&length, after)) = rest.split_first() else { break };
        let (token, after) = after.split_at_checked(usize::from(length))?;
        BASE64_STANDARD.encode_string(token, &mut lines);
        writeln!(lines, " {rank}").ok()?;
        rest = after;
    }
    Kitoken::from_tiktoken_slice(lines.as_bytes()).ok()
}

fn load_file(path: &Path) -> Option<Local> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if extension.eq_ignore_ascii_case("gguf") {
        // Reads the metadata at the head of the file, not its weights.
        return shimmytok::Tokenizer::from_gguf_file(path).ok().map(|tokenizer| Local::Gguf(Box::new(tokenizer)));
    }
    let tokenizer = match extension.to_ascii_lowercase().as_str() {
        "json" => Kitoken::from_tokenizers_file(path).ok().or_else(|| Kitoken::from_tekken_file(path).ok()),
        // Llama 3 calls its own `tokenizer.model`.
        _ => Kitoken::from_tiktoken_file(path).ok(),
    };
    tokenizer.map(|tokenizer| Local::Kitoken(Box::new(tokenizer)))
}

/// Returns the local tokenizer of a model's family: OpenAI's two; every other family counts bytes / 4.
pub(super) fn family(model: &str) -> TokenizerChoice {
    let name = model.trim().to_ascii_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    let starts = |stems: &[&str]| stems.iter().any(|stem| name.starts_with(stem));
    let is_reasoning = name.starts_with('o') && name.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    if is_reasoning || starts(&["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-6", "gpt-oss", "chatgpt"]) {
        TokenizerChoice::O200k
    } else if starts(&["gpt-4", "gpt-3.5", "gpt-35"]) {
        TokenizerChoice::Cl100k
    } else {
        TokenizerChoice::Chars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_known_by_name() {
        for (name, choice) in [
            ("gpt-4o-mini", TokenizerChoice::O200k),
            ("openai/gpt-5", TokenizerChoice::O200k),
            ("o3-mini", TokenizerChoice::O200k),
            ("gpt-oss:20b", TokenizerChoice::O200k),
            ("gpt-4-turbo", TokenizerChoice::Cl100k),
            ("gpt-3.5-turbo", TokenizerChoice::Cl100k),
            ("olmo-2", TokenizerChoice::Chars),
            ("claude-haiku-4-5", TokenizerChoice::Chars),
            ("qwen-coder-7b", TokenizerChoice::Chars),
            ("", TokenizerChoice::Chars),
        ] {
            assert_eq!(family(name), choice, "{name}");
        }
    }

    #[test]
    fn the_built_in_vocabularies_count_as_openai_does() {
        // The counts are tiktoken's.
        let locals = Locals::default();
        for (text, o200k, cl100k) in [
            ("hello world", 2, 2),
            ("antidisestablishmentarianism", 6, 6),
            ("2 + 2 = 4", 7, 7),
            ("お誕生日おめでとう", 8, 9),
            ("fn main() { println!(\"{}\", x); }", 9, 9),
        ] {
            assert_eq!(locals.count(&TokenizerChoice::O200k, text), (o200k, "o200k".into()), "{text}");
            assert_eq!(locals.count(&TokenizerChoice::Cl100k, text), (cl100k, "cl100k".into()), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_loaded_counts_bytes() {
        let locals = Locals::default();
        for path in ["/no/such/tokenizer.json", "/no/such/model.gguf", "/dev/null"] {
            let choice = TokenizerChoice::File(path.into());
            assert_eq!(locals.count(&choice, "hello world"), (2, "chars".into()), "{path}");
            assert_eq!(locals.id(&choice), "chars");
        }
        let folder = tempfile::tempdir().unwrap();
        // The library panics: for want of a token, and of one that stands for what is unknown.
        for (name, text) in [
            ("empty.tiktoken", ""),
            ("gap.json", r#"{"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {}}}"#),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            assert_eq!(locals.count(&TokenizerChoice::File(path), "hello world"), (2, "chars".into()), "{name}");
        }
        assert_eq!(by_chars("äöü"), (1, "chars".into()));
        assert_eq!(by_chars("abc").0, 0);
    }
}
