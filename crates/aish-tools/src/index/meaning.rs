//! Meaning beside words: how near a request's vector is to those of tools, and one score of both.
//!
//! Score = words / (best of all words' scores + [`DOUBT`]) + [`WEIGHT`] x cosine, with a smaller weight for a long text. The first part goes from 0 to 1, and is near 1 only
//! for the best find of a request whose words are well covered: words that hardly find anything leave the order to meaning. The
//! numbers were learned on public sets of requests and tools, on the half that was split off by program. A tool without a vector
//! takes the mean of the others, so that it is found by its words as before.

use std::fmt;
use std::sync::Arc;

use aish_types::ToolDefinition;
use serde_json::Value;

use super::Index;
use super::document;

/// The words' score at which the best find by words counts half.
const DOUBT: f32 = 8.0;
/// What the whole of meaning counts beside the whole of words.
const WEIGHT: f32 = 2.0;
/// What it counts in a text of more words than [`LONG`]: that tells of several wishes, and one direction stands for one.
const WEIGHT_OF_TEXT: f32 = 0.5;
/// Words of a request beyond which it is a text.
const LONG: usize = 20;
/// Bytes of a name and a description that a vector is made of.
const MAX_BEGINNING: usize = 180;
/// Bytes of arguments' names that a vector is made of.
const MAX_ARGUMENTS: usize = 200;
/// A cosine from which a tool is found by its meaning alone.
const NEAR: f32 = 0.2;

/// Makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// Returns a text's vector; all have the same length.
    fn embed(&self, text: &str) -> Vec<i8>;
}

/// The vectors of an index's tools, in the order of its documents.
pub(super) struct Meaning {
    embedder: Arc<dyn Embedder>,
    width: usize,
    numbers: Vec<i8>,
    /// One over the length of each vector; 0 for none.
    scales: Vec<f32>,
}

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meaning").field("vectors", &self.scales.len()).finish_non_exhaustive()
    }
}

/// Returns what of a tool is made a vector of: its name in words, the beginning of its description, whose tool it is where its
/// name does not say so, the names of its arguments, and its examples. The rest of a description says more of conditions than of
/// what the tool does.
pub fn meaning_text(definition: &ToolDefinition) -> String {
    let mut text = spaced(definition.name.as_str());
    text.push_str(": ");
    let description = document::without_label(definition.description.trim());
    for word in description.split_whitespace() {
        if text.len() + word.len() > MAX_BEGINNING {
            break;
        }
        text.push_str(word);
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    let group = spaced(&definition.group);
    if !group.is_empty() && !spaced(definition.name.as_str()).to_lowercase().contains(&group.to_lowercase()) {
        text.push_str(&format!(" ({group})"));
    }
    add_arguments(&mut text, &definition.input_schema.value());
    for example in &definition.examples {
        text.push_str("; ");
        text.push_str(example);
    }
    text
}

/// Adds the names of a schema's properties.
fn add_arguments(text: &mut String, schema: &Value) {
    let most = text.len() + MAX_ARGUMENTS;
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut joint = "; ";
    for name in properties.into_iter().flat_map(serde_json::Map::keys) {
        if text.len() + name.len() > most {
            break;
        }
        text.push_str(joint);
        text.push_str(&spaced(name));
        joint = ", ";
    }
}

/// Writes a name with blanks for what joins its words.
fn spaced(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for c in name.chars() {
        let joins = matches!(c, '_' | '.' | '/' | '-');
        if (joins || (after_small && c.is_uppercase())) && !out.ends_with(' ') {
            out.push(' ');
        }
        if !joins {
            out.push(c);
        }
        after_small = c.is_lowercase() || c.is_ascii_digit();
    }
    out
}

impl Index {
    /// Lets searches go by meaning as well: takes the vectors of the tools, from the maker of the requests' vectors. Once for an
    /// index; a change of its tools takes it away again. Returns how many tools have a vector.
    pub fn give_meaning(
        &self,
        embedder: Arc<dyn Embedder>,
        width: usize,
        of: impl Fn(&ToolDefinition) -> Option<Arc<[i8]>>,
    ) -> usize {
        let mut meaning = Meaning { embedder, width, numbers: Vec::new(), scales: Vec::new() };
        meaning.numbers.reserve(width.saturating_mul(self.documents.len()));
        for document in &self.documents {
            let vector = of(&document.definition).filter(|vector| document.alive && vector.len() == width);
            match &vector {
                Some(vector) => meaning.numbers.extend_from_slice(vector),
                None => meaning.numbers.resize(meaning.numbers.len() + width, 0),
            }
            meaning.scales.push(vector.map_or(0.0, |vector| scale(&vector)));
        }
        let known = meaning.scales.iter().filter(|&&scale| scale > 0.0).count();
        // Whoever was sooner had the same vectors.
        let _ = self.meaning.set(meaning);
        known
    }

    /// Says whether searches go by meaning as well as by words.
    pub fn has_meaning(&self) -> bool {
        self.meaning.get().is_some()
    }
}

impl Meaning {
    /// Returns how near each document is to a text, from -1 to 1.
    pub(super) fn nearness(&self, text: &str) -> Vec<f32> {
        let wanted = self.embedder.embed(text);
        let own = scale(&wanted);
        let wide: Vec<i16> = wanted.iter().map(|&number| i16::from(number)).collect();
        let mut out = Vec::with_capacity(self.scales.len());
        let (mut sum, mut count) = (0.0_f32, 0.0_f32);
        for (numbers, &scale) in self.numbers.chunks_exact(self.width.max(1)).zip(&self.scales) {
            #[expect(clippy::cast_precision_loss, reason = "24 bits of the sum are enough")]
            let cosine = if scale > 0.0 { dot(numbers, &wide) as f32 * own * scale } else { f32::NAN };
            if scale > 0.0 {
                (sum, count) = (sum + cosine, count + 1.0);
            }
            out.push(cosine);
        }
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        out.iter_mut().filter(|cosine| cosine.is_nan()).for_each(|cosine| *cosine = mean);
        out
    }
}

/// Returns what meaning counts for a request.
pub(super) fn weight(text: &str) -> f32 {
    if text.split_whitespace().nth(LONG).is_some() { WEIGHT_OF_TEXT } else { WEIGHT }
}

/// Joins what words say of a tool, with what they say of the best one, and how near it is; nothing where neither finds it.
pub(super) fn joined(words: Option<f32>, best: f32, cosine: f32, weight: f32) -> Option<f32> {
    (words.is_some() || cosine >= NEAR).then(|| words.unwrap_or_default() / (best + DOUBT) + weight * cosine)
}

/// Returns one over the length of a vector, 0 for one without.
fn scale(vector: &[i8]) -> f32 {
    let square: i32 = vector.iter().map(|&number| i32::from(number) * i32::from(number)).sum();
    #[expect(clippy::cast_precision_loss, reason = "24 bits of the sum are enough")]
    let length = (square as f32).sqrt();
    if length > 0.0 { length.recip() } else { 0.0 }
}

fn dot(numbers: &[i8], wide: &[i16]) -> i32 {
    numbers.iter().zip(wide).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}

#[cfg(test)]
mod tests {
    use aish_types::SourceId;
    use serde_json::json;

    use super::super::Query;
    use super::*;

    /// Knows two meanings: what has to do with rain, and what has to do with money.
    struct Two;

    impl Embedder for Two {
        fn embed(&self, text: &str) -> Vec<i8> {
            let counts = |words: [&str; 4]| {
                i8::try_from(words.iter().filter(|word| text.contains(**word)).count()).unwrap() * 30
            };
            vec![counts(["rain", "umbrella", "weather", "forecast"]), counts(["money", "invoice", "bill", "pay"]), 5]
        }
    }

    fn index() -> Index {
        let tool = |name: &str, about: &str| {
            Arc::new(ToolDefinition::new(name, about, json!({"type": "object"}), SourceId::new("mcp:x")))
        };
        Index::of([
            tool("forecast", "Tells the weather of tomorrow"),
            tool("invoice", "Writes a bill"),
            tool("rest", "Sleeps"),
        ])
    }

    fn found(index: &Index, text: &str) -> Vec<String> {
        index.search(&Query::text(text)).hits.iter().map(|hit| hit.definition.name.to_string()).collect()
    }

    fn vector(definition: &ToolDefinition) -> Option<Arc<[i8]>> {
        Some(Two.embed(&meaning_text(definition)).into())
    }

    #[test]
    fn meaning_finds_what_shares_no_word() {
        let mut index = index();
        let request = "shall I take an umbrella";
        assert!(found(&index, request).is_empty(), "words alone do not find it");
        assert_eq!(index.give_meaning(Arc::new(Two), 3, vector), 3);
        assert_eq!(found(&index, request), ["forecast"]);
        assert_eq!(found(&index, "invoice")[0], "invoice", "a name that is given comes first");
        assert!(index.has_meaning());
        // Other tools have other vectors.
        index.remove(&"rest".into());
        assert!(!index.has_meaning());
        assert!(found(&index, request).is_empty());
    }

    #[test]
    fn a_tool_without_a_vector_is_found_by_its_words() {
        let index = index();
        let known = index.give_meaning(Arc::new(Two), 3, |definition| {
            vector(definition).filter(|_| definition.name.as_str() != "invoice")
        });
        assert_eq!(known, 2);
        assert_eq!(found(&index, "write an invoice")[0], "invoice");
    }

    #[test]
    fn a_text_is_a_name_in_words_and_the_beginning_of_what_is_said() {
        let mut tool = ToolDefinition::new(
            "maps.findRoute_v2",
            format!("WRITE: Finds a way. {}Costs money.", "Very ".repeat(40)),
            json!({"type": "object"}),
            SourceId::new("mcp:maps"),
        );
        tool.examples = vec!["go home".into()];
        let begin = format!("maps find Route v2: Finds a way. {}", "Very ".repeat(29));
        assert_eq!(meaning_text(&tool), format!("{}; go home", begin.trim_end()));
    }

    #[test]
    fn a_text_says_whose_tool_it_is_and_what_it_takes() {
        let properties = json!({"fromPlace": {}, "to": {"type": "string"}, "x".repeat(300): {}, "z": {}});
        let schema = json!({"type": "object", "properties": properties});
        let mut tool = ToolDefinition::new("find_route", "Finds a way", schema, SourceId::new("mcp:maps"));
        tool.group = "City-Maps".into();
        assert_eq!(meaning_text(&tool), "find route: Finds a way (City Maps); from Place, to");
        tool.name = "city_maps.find_route".into();
        assert_eq!(meaning_text(&tool), "city maps find route: Finds a way; from Place, to");
    }
}
