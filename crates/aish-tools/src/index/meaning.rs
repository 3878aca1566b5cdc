//! Meaning beside words: how near a request's vector is to those of tools, and one score of both.
//!
//! Score = (words - crowd) / (best of all words' scores + [`DOUBT`]) + [`WEIGHT`] x cosine, with a smaller weight for a long text.
//! The crowd is the words' score of the tool in place [`CROWD`]: what very many tools have in common with a request tells none of
//! them from the others, and only what stands out of it counts; none of it is below 0. The first part goes from 0 to 1, and is near
//! 1 only for the best find of a request whose words are well covered: words that hardly find anything leave the order to meaning.
//! The numbers were learned on public sets of requests and tools, on the half that was split off by program. A tool without a
//! vector takes the mean of the others, so that it is found by its words as before.

use std::fmt;
use std::sync::Arc;

use aish_types::ToolDefinition;
use serde_json::Value;

use super::lexicon::Lexicon;
use super::{Index, document, languages};

/// The words' score at which the best find by words counts half.
const DOUBT: f32 = 12.0;
/// How many tools are no crowd yet.
const CROWD: usize = 40;
/// What the whole of meaning counts beside the whole of words.
const WEIGHT: f32 = 0.75;
/// What it counts in a text of more words than [`LONG`]: that tells of several wishes, and one direction stands for one.
const WEIGHT_OF_TEXT: f32 = 0.375;
/// Words of a request beyond which it is a text.
const LONG: usize = 20;
/// Bytes of a name and a description that a vector is made of.
const MAX_BEGINNING: usize = 180;
/// Bytes of arguments' names that a vector is made of.
const MAX_ARGUMENTS: usize = 200;
/// Examples of a tool that have vectors, and vectors of examples of all tools together: 12 MB, and 2 ms of a search.
const MAX_EXAMPLES: usize = 8;
const MAX_ALL_EXAMPLES: usize = 30_000;
/// A cosine from which a tool is found by its meaning alone.
const NEAR: f32 = 0.2;

/// Makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// Returns a text's vector; all have the same length.
    fn embed(&self, text: &str) -> Vec<i8>;
}

/// The vectors of an index's tools, in the order of its documents: of each tool its own, then those of its examples.
pub(super) struct Meaning {
    embedder: Arc<dyn Embedder>,
    width: usize,
    /// How many vectors each document has; 0 where its own is not known.
    counts: Vec<u8>,
    numbers: Vec<i8>,
    /// One over the length of each vector; 0 for none.
    scales: Vec<f32>,
}

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meaning").field("vectors", &self.scales.len()).finish_non_exhaustive()
    }
}

/// Returns what a tool is, as a text: its name in words, the beginning of its description, whose tool it is where its
/// name does not say so, and the names of its arguments. The rest of a description says more of conditions than of what the tool
/// does.
fn own_text(definition: &ToolDefinition) -> String {
    let mut text = spaced(definition.name.as_str());
    text.push_str(": ");
    let told = languages::description(&definition.description, Lexicon::shared());
    let description = document::without_label(told.as_deref().unwrap_or(&definition.description).trim());
    for word in description.split_whitespace() {
        if text.len() + word.len() > MAX_BEGINNING {
            // A description without blanks is one word.
            let room = MAX_BEGINNING.saturating_sub(text.len()).min(word.len());
            if word.len() > MAX_BEGINNING / 2 {
                text.push_str(word.get(..word.floor_char_boundary(room)).unwrap_or_default());
            }
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
    /// Returns the texts that vectors are made of: of each tool what it is, then its examples, as far as they have vectors.
    pub fn meaning_texts(&self) -> impl Iterator<Item = String> {
        self.texts().map(|(_, _, text)| text)
    }

    /// The same, each with the place of its document and its own place in that.
    fn texts(&self) -> impl Iterator<Item = (usize, usize, String)> {
        let mut room = MAX_ALL_EXAMPLES;
        let documents = self.documents.iter().enumerate().filter(|(_, document)| document.alive);
        documents.flat_map(move |(at, document)| {
            let definition = &document.definition;
            let taken = definition.examples.len().min(MAX_EXAMPLES).min(room);
            room -= taken;
            let examples = definition.examples.iter().take(taken).cloned();
            let texts = std::iter::once(own_text(definition)).chain(examples);
            texts.enumerate().map(move |(place, text)| (at, place, text))
        })
    }

    /// Lets searches go by meaning as well: takes the vectors of the tools' texts, from the maker of the requests' vectors. Once for an
    /// index; a change of its tools takes it away again. Returns how many tools have a vector.
    pub fn give_meaning(
        &self,
        embedder: Arc<dyn Embedder>,
        width: usize,
        of: impl Fn(&str) -> Option<Arc<[i8]>>,
    ) -> usize {
        let mut meaning = Meaning { embedder, width, counts: Vec::new(), numbers: Vec::new(), scales: Vec::new() };
        meaning.numbers.reserve(width.saturating_mul(self.documents.len()));
        meaning.counts.resize(self.documents.len(), 0);
        for (at, place, text) in self.texts() {
            let Some(count) = meaning.counts.get_mut(at) else { continue };
            // Without its own vector a tool takes the mean of the others; an example without one is left out.
            if place > 0 && *count == 0 {
                continue;
            }
            if let Some(vector) = of(&text).filter(|vector| vector.len() == width && scale(vector) > 0.0) {
                meaning.numbers.extend_from_slice(&vector);
                meaning.scales.push(scale(&vector));
                *count += 1;
            }
        }
        let known = meaning.counts.iter().filter(|&&count| count > 0).count();
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
        #[expect(clippy::cast_precision_loss, reason = "24 bits of the sum are enough")]
        let cosine = |numbers: &[i8], scale: f32| dot(numbers, &wide) as f32 * own * scale;
        let vectors = self.numbers.chunks_exact(self.width.max(1)).zip(&self.scales);
        let mut cosines = vectors.map(|(numbers, &scale)| cosine(numbers, scale));
        let mut out = Vec::with_capacity(self.counts.len());
        let (mut sum, mut known) = (0.0_f32, 0.0_f32);
        for &count in &self.counts {
            let mut of_tool = cosines.by_ref().take(usize::from(count));
            // Half what it is, and half the best of what people say for it.
            let cosine = match (of_tool.next(), of_tool.reduce(f32::max)) {
                (Some(what), Some(said)) => f32::midpoint(what, said),
                (Some(what), None) => what,
                (None, _) => f32::NAN,
            };
            if count > 0 {
                (sum, known) = (sum + cosine, known + 1.0);
            }
            out.push(cosine);
        }
        let mean = if known > 0.0 { sum / known } else { 0.0 };
        out.iter_mut().filter(|cosine| cosine.is_nan()).for_each(|cosine| *cosine = mean);
        out
    }
}

/// Joins what words and meaning say of the tools of one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    /// The words' score that the crowd has.
    crowd: f32,
    /// The words' score of the best tool, and the doubt.
    whole: f32,
    /// What meaning counts.
    weight: f32,
}

impl Joint {
    /// Takes the request, and what words found for it.
    pub(super) fn new(text: &str, mut scores: Vec<f32>) -> Self {
        let best = scores.iter().copied().fold(0.0, f32::max);
        let crowd =
            if scores.len() > CROWD { *scores.select_nth_unstable_by(CROWD, |a, b| b.total_cmp(a)).1 } else { 0.0 };
        let is_long = text.split_whitespace().nth(LONG).is_some();
        Self { crowd, whole: best + DOUBT, weight: if is_long { WEIGHT_OF_TEXT } else { WEIGHT } }
    }

    /// Joins what words say of a tool, and how near it is; nothing where neither finds it.
    pub(super) fn score(self, words: Option<f32>, cosine: f32) -> Option<f32> {
        let outstanding = (words.unwrap_or_default() - self.crowd).max(0.0);
        (words.is_some() || cosine >= NEAR).then(|| outstanding / self.whole + self.weight * cosine)
    }
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

    fn vector(text: &str) -> Option<Arc<[i8]>> {
        Some(Two.embed(text).into())
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
    fn an_example_says_what_the_tool_itself_does_not() {
        let tool = |name: &str, examples: &[&str]| {
            let mut tool = ToolDefinition::new(name, "Sleeps", json!({"type": "object"}), SourceId::new("mcp:x"));
            tool.examples = examples.iter().map(|&example| example.into()).collect();
            Arc::new(tool)
        };
        let index = Index::of([
            tool("first", &[]),
            tool("second", &["pay the invoice", "zzz", "weather, forecast"]),
            tool("third", &["money"]),
        ]);
        // An example without a vector is left out, and those of the next tool stay its own.
        let known = index.give_meaning(Arc::new(Two), 3, |text| vector(text).filter(|_| text != "zzz"));
        assert_eq!(known, 3);
        assert_eq!(found(&index, "umbrella and rain")[0], "second");
        let nearness = index.meaning.get().unwrap().nearness("umbrella and rain");
        assert!(nearness[1] > nearness[0] && nearness[0] > nearness[2], "{nearness:?}");
    }

    #[test]
    fn what_a_crowd_has_in_common_tells_nothing() {
        let of = |count: u16| (0..count).map(|_| 6.0).chain([8.0]).collect::<Vec<f32>>();
        let (few, many) = (Joint::new("list them", of(39)), Joint::new("list them", of(400)));
        // Among few, what words find counts; in a crowd only what stands out of it does, and meaning tells the others apart.
        assert!(few.score(Some(6.0), 0.3) > few.score(None, 0.6));
        assert!(many.score(Some(6.0), 0.3) < many.score(None, 0.6));
        assert!(many.score(Some(8.0), 0.3) > many.score(Some(6.0), 0.3));
        assert_eq!(many.score(Some(1.0), 0.3), many.score(Some(6.0), 0.3), "nothing counts against a tool");
        assert_eq!(many.score(None, 0.1), None);
    }

    #[test]
    fn a_tool_without_a_vector_is_found_by_its_words() {
        let index = index();
        let known = index.give_meaning(Arc::new(Two), 3, |text| vector(text).filter(|_| !text.starts_with("invoice")));
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
        tool.examples = vec!["go home".into(); 20];
        let begin = format!("maps find Route v2: Finds a way. {}", "Very ".repeat(29));
        let texts: Vec<String> = Index::of([Arc::new(tool)]).meaning_texts().collect();
        assert_eq!((texts[0].as_str(), texts[1].as_str(), texts.len()), (begin.trim_end(), "go home", 9));
    }

    #[test]
    fn a_text_says_whose_tool_it_is_and_what_it_takes() {
        let properties = json!({"fromPlace": {}, "to": {"type": "string"}, "x".repeat(300): {}, "z": {}});
        let schema = json!({"type": "object", "properties": properties});
        let mut tool = ToolDefinition::new("find_route", "Finds a way", schema, SourceId::new("mcp:maps"));
        tool.group = "City-Maps".into();
        assert_eq!(own_text(&tool), "find route: Finds a way (City Maps); from Place, to");
        tool.name = "city_maps.find_route".into();
        assert_eq!(own_text(&tool), "city maps find route: Finds a way; from Place, to");
    }
}
