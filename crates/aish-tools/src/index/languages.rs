//! Requests in German, French, Spanish, Russian and Chinese, told in the English words that tools are described with.
//!
//! A request is taken for one of these languages where no tool is described with some of its words, by their script, or where
//! more of its words are that language's alone than English alone. Then each word is told by its table ([`table`]), what says
//! nothing falls away, and names, values and what no table knows stay as they are. The tables are read when a request is the
//! first to need one.

mod table;

use super::lexicon::Lexicon;
use table::{LANGUAGES, Language, Table};

/// Words of a request that are told; the rest is cut.
const MAX_WORDS: usize = 96;
/// Letters of the longest word; what is longer, but for Chinese, which is not parted, is none of any language.
const MAX_LETTERS: usize = 80;

/// Of a request that is not English, at least one in so many words is not.
const STRANGE: usize = 3;

/// One word of a request in English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EnglishWord {
    /// The word, or the words of a name.
    pub(super) text: String,
    /// What else it may mean.
    pub(super) others: Vec<&'static str>,
}

impl EnglishWord {
    fn as_is(text: &str) -> Self {
        Self { text: text.to_owned(), others: Vec::new() }
    }
}

/// Tells a request in English; none for one that is English, as far as can be seen.
pub(super) fn english(text: &str, is_english: &dyn Fn(&str) -> bool) -> Option<Vec<EnglishWord>> {
    let words: Vec<Word<'_>> = words(text).into_iter().take(MAX_WORDS).collect();
    let plain = words.iter().filter(|word| !word.is_value).map(|word| word.text);
    let unknown: Vec<&str> = plain.clone().filter(|word| !is_english(&word.to_lowercase())).collect();
    let has = |within: fn(char) -> bool| unknown.iter().any(|word| word.chars().any(within));
    if has(is_han) {
        return Some(Language::Chinese.table().tell(&words, is_english));
    }
    if has(is_cyrillic) {
        return Some(Language::Russian.table().tell(&words, is_english));
    }
    // A word or two that are not known may be names or slips.
    if unknown.is_empty() || unknown.len() * STRANGE < plain.clone().count() {
        return None;
    }
    let own = |table: &Table| {
        let mut margin = 0_i32;
        for word in plain.clone() {
            match (table.knows(word, is_english), is_english(&word.to_lowercase())) {
                (true, false) => margin += 1,
                (false, true) => margin -= 1,
                (true, true) | (false, false) => {}
            }
        }
        margin
    };
    let latin = LANGUAGES.iter().filter(|language| language.is_latin());
    let best = latin.map(|language| (own(language.table()), language)).rev().max_by_key(|(margin, _)| *margin);
    best.filter(|(margin, _)| *margin > 0).map(|(_, language)| language.table().tell(&words, is_english))
}

/// Tells a tool's description in English where its script says that it is Russian or Chinese.
pub(super) fn description(text: &str, lexicon: &Lexicon) -> Option<String> {
    if text.is_ascii() || text.chars().any(is_kana) || !text.chars().any(|c| is_han(c) || is_cyrillic(c)) {
        return None;
    }
    let words = english(text, &|word| lexicon.knows(word))?;
    Some(words.into_iter().map(|word| word.text.replace('_', " ")).collect::<Vec<_>>().join(" "))
}

/// A word of a request as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word<'t> {
    text: &'t str,
    /// True for paths, numbers, addresses and the like.
    is_value: bool,
}

/// Splits a request at blanks, signs and changes of script; values stay whole.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    for token in text.split_whitespace().flat_map(by_script) {
        let inner =
            token.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '/' | '.' | '_' | '-' | '~' | '@'));
        let inner = inner.trim_end_matches(['.', '-']);
        let is_value =
            inner.chars().any(|c| c.is_ascii_digit() || matches!(c, '#' | '/' | '.' | '_' | '@' | ':' | '=' | '\\'));
        if is_value {
            out.push(Word { text: inner, is_value });
            continue;
        }
        let parts = inner.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        out.extend(parts.map(|text| Word { text, is_value: is_too_long(text) }));
    }
    out
}

fn is_too_long(word: &str) -> bool {
    !word.starts_with(is_han) && word.chars().nth(MAX_LETTERS).is_some()
}

/// Cuts a token where Han begins or ends.
fn by_script(token: &str) -> Vec<&str> {
    let (mut out, mut from, mut before) = (Vec::new(), 0, None);
    for (at, c) in token.char_indices() {
        let now = is_han(c);
        if before.is_some_and(|before| before != now) {
            out.extend(token.get(from..at));
            from = at;
        }
        before = Some(now);
    }
    out.extend(token.get(from..).filter(|rest| !rest.is_empty()));
    out
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Japanese is written with Han too.
fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        let known = |word: &str| {
            Lexicon::shared().knows(word)
                || ["container", "containers", "commits", "with", "message", "branches", "kubectl", "docker"]
                    .contains(&word)
        };
        let told = english(text, &known)?;
        Some(told.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn words_are_told_in_english() {
        for (request, expected) in [
            ("Zeige mir die Protokolle des Containers web-1", "show logs container web-1"),
            ("zeig die dateien", "show file"),
            ("Lade die Datei bericht.pdf hoch", "upload file bericht.pdf"),
            ("loesche alle Zweige", "delete all branch"),
            ("Ordnerrechte und Dockerversion", "directory permission docker version"),
            ("supprime les fichiers inutilisés", "delete file unused"),
            ("mets à jour les dépendances", "update dependency"),
            ("muestra los contenedores en ejecucion", "show container running"),
            ("покажи логи контейнера nginx", "show logs container nginx"),
            ("удалить неиспользуемые образы", "delete unused image"),
            ("查看容器web的日志", "show container web logs"),
            ("删除未使用的镜像", "delete unused image"),
        ] {
            assert_eq!(told(request).as_deref(), Some(expected), "{request}");
        }
    }

    #[test]
    fn english_stays_as_it_is() {
        for request in [
            "list containers",
            "comit with a message",
            "show logs of o/r",
            "#42",
            "",
            "unmerged branches",
            "kubectl die",
        ] {
            assert_eq!(told(request), None, "{request}");
        }
    }

    #[test]
    fn a_word_without_end_is_none() {
        for letters in ["x", "é", "ing", "ы", "ß"] {
            let long = letters.repeat(200_000);
            assert!(words(&format!("zeige {long}")).iter().any(|word| word.is_value && word.text.len() == long.len()));
            // Each of its ends would be looked for each of its beginnings.
            told(&format!("zeige die dateien {long}"));
        }
        assert_eq!(words(&"日志".repeat(500)).iter().filter(|word| word.is_value).count(), 0);
        let compound = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz";
        assert!(words(compound).iter().all(|word| !word.is_value));
    }

    #[test]
    fn descriptions_are_told_by_their_script() {
        let told = |text| description(text, Lexicon::shared());
        assert_eq!(told("获取科技新闻").as_deref(), Some("get technology news"));
        assert_eq!(told("Удаляет контейнер").as_deref(), Some("delete container"));
        for text in ["Zeigt die Dateien", "List files", "ファイルを一覧する", "Café menu", ""] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn every_line_of_the_tables_is_read() {
        for language in LANGUAGES {
            assert!(language.table().len() > 900, "{language:?}: {}", language.table().len());
        }
        assert_eq!(table::faults(), Vec::<String>::new());
    }
}
