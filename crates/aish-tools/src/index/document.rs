//! A definition as weighted terms.

use std::sync::Arc;

use aish_types::ToolDefinition;
use serde_json::Value;

use super::languages;
use super::lexicon::{Actions, Lexicon};
use super::postings::{Posting, Postings, TermId};
use super::query;

/// How much a field counts, how long it usually is in words, and how strongly length is held against it (BM25F's b).
struct Field {
    weight: f32,
    usual_length: f32,
    length_penalty: f32,
}

const NAME: Field = Field { weight: 4.0, usual_length: 3.0, length_penalty: 0.4 };
const TITLE: Field = Field { weight: 2.0, usual_length: 3.0, length_penalty: 0.4 };
const LEAD: Field = Field { weight: 2.0, usual_length: 8.0, length_penalty: 0.5 };
const DESCRIPTION: Field = Field { weight: 0.8, usual_length: 12.0, length_penalty: 0.5 };
const GROUP: Field = Field { weight: 1.5, usual_length: 2.0, length_penalty: 0.0 };
const CATEGORY: Field = Field { weight: 0.4, usual_length: 1.0, length_penalty: 0.0 };
const TAGS: Field = Field { weight: 0.5, usual_length: 4.0, length_penalty: 0.3 };
const EXAMPLES: Field = Field { weight: 1.5, usual_length: 12.0, length_penalty: 0.3 };
const ARGUMENTS: Field = Field { weight: 0.5, usual_length: 6.0, length_penalty: 0.3 };
const ARGUMENT_TEXTS: Field = Field { weight: 0.3, usual_length: 40.0, length_penalty: 0.3 };

/// Saturation of the weighted frequency (BM25's k1 in units of field weight).
const SATURATION: f32 = 2.0;

/// A tool in the index.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) definition: Arc<ToolDefinition>,
    /// False when it was removed or replaced.
    pub(super) alive: bool,
    /// How many terms its name has without those of its group, each once.
    pub(super) name_length: u16,
    /// Where it belongs.
    pub(super) place: Place,
    /// What it does, as its name or the first word of its description says.
    pub(super) actions: Actions,
}

/// Where a tool belongs, as numbers that the index gave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its place in load order.
    pub(super) order: u64,
    /// Its group.
    pub(super) group: u32,
    /// Its category.
    pub(super) category: u32,
}

impl Document {
    /// Reads a definition into the postings.
    pub(super) fn index(
        definition: Arc<ToolDefinition>,
        id: u32,
        place: Place,
        lexicon: &Lexicon,
        postings: &mut Postings,
    ) -> Self {
        let Read { weights, name_ids, group_ids, actions } = Read::of(&definition, lexicon, postings);
        let mut name_length = 0;
        for (term, weight) in weights {
            let in_name = name_ids.contains(&term) && !group_ids.contains(&term);
            name_length += u16::from(in_name);
            postings.add(term, Posting::new(id, weight / (weight + SATURATION), in_name));
        }
        Self { definition, alive: true, name_length, place, actions }
    }

    /// Returns all terms of a definition that is in the postings, each once. They are read anew, since tools seldom go and
    /// very many lists of terms take much room.
    pub(super) fn terms(definition: &ToolDefinition, lexicon: &Lexicon, postings: &mut Postings) -> Vec<TermId> {
        Read::of(definition, lexicon, postings).weights.into_iter().map(|(term, _)| term).collect()
    }
}

/// What was read of a definition.
struct Read {
    /// Each term once, with its weight.
    weights: Vec<(TermId, f32)>,
    name_ids: Vec<TermId>,
    group_ids: Vec<TermId>,
    actions: Actions,
}

impl Read {
    fn of(definition: &ToolDefinition, lexicon: &Lexicon, postings: &mut Postings) -> Self {
        let mut terms = Terms { lexicon, postings, weights: Vec::new() };
        let name = lexicon.split(definition.name.as_str());
        let group: Vec<String> = lexicon.split(&definition.group).into_iter().filter(|word| word != "tools").collect();
        let name_ids = terms.add(&NAME, name.iter().map(String::as_str));
        let group_ids = terms.add(&GROUP, group.iter().map(String::as_str));
        for word in &name {
            terms.add_written(word);
        }
        let told = languages::description(&definition.description, lexicon);
        if told.is_some() {
            terms.text(&DESCRIPTION, &definition.description);
        }
        let (plain, flags) = without_flags(without_label(told.as_deref().unwrap_or(definition.description.as_str())));
        let (lead, rest) = lead(&plain);
        let lead_words = lexicon.split(lead);
        terms.add(&LEAD, lead_words.iter().map(String::as_str));
        terms.text(&DESCRIPTION, rest);
        if let Some(title) = &definition.title {
            terms.text(&TITLE, title);
        }
        terms.text(&CATEGORY, &definition.category);
        terms.text(&TAGS, &definition.tags.join(" "));
        terms.text(&EXAMPLES, &definition.examples.join(" "));
        let (names, texts) = argument_words(&definition.input_schema.value());
        terms.text(&ARGUMENTS, &names);
        terms.text(&ARGUMENT_TEXTS, &flags);
        terms.text(&ARGUMENT_TEXTS, &texts);

        let weights = terms.summed();
        let actions = lexicon.actions_of_tool(&name, lead);
        Self { weights, name_ids, group_ids, actions }
    }
}

/// The weighted frequencies of one document while it is read, in the order of its words.
struct Terms<'p> {
    lexicon: &'p Lexicon,
    postings: &'p mut Postings,
    weights: Vec<(TermId, f32)>,
}

impl Terms<'_> {
    fn text(&mut self, field: &Field, text: &str) {
        if !text.is_empty() {
            let words = self.lexicon.split(text);
            self.add(field, words.iter().map(String::as_str));
        }
    }

    /// Adds a word of the name as it is written.
    fn add_written(&mut self, word: &str) {
        let id = self.postings.intern(&query::written(word));
        if self.weights.iter().all(|&(known, _)| known != id) {
            self.weights.push((id, SATURATION));
        }
    }

    /// Adds a field's words; returns their terms in order.
    fn add<'w>(&mut self, field: &Field, words: impl Iterator<Item = &'w str>) -> Vec<TermId> {
        let mut ids = Vec::new();
        let lexicon = self.lexicon;
        for word in words {
            let stem = || (!lexicon.is_filler(word)).then(|| lexicon.stem(word));
            ids.extend(self.postings.word(word, stem));
        }
        #[expect(clippy::cast_precision_loss, reason = "lengths are small")]
        let length = ids.len() as f32 / field.usual_length;
        let norm = 1.0 - field.length_penalty + field.length_penalty * length;
        self.weights.extend(ids.iter().map(|&id| (id, field.weight / norm)));
        ids
    }

    /// Returns each term once, by number, with all its weight.
    fn summed(mut self) -> Vec<(TermId, f32)> {
        self.weights.sort_by_key(|&(term, _)| term);
        self.weights.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        self.weights
    }
}

/// Takes a label in capitals off a description (`WRITE: Copy files`): it says nothing of what the tool does.
pub(super) fn without_label(description: &str) -> &str {
    match description.split_once(": ") {
        Some((label, rest)) if !label.chars().any(char::is_lowercase) => rest,
        Some(_) | None => description,
    }
}

/// Takes the flags out of a description: `Always give --title` says nothing of what the tool does.
fn without_flags(description: &str) -> (String, String) {
    let (mut plain, mut flags) = (String::new(), String::new());
    for token in description.split(' ') {
        let is_flag = token.trim_start_matches(['(', '\'', '"', '`', '[']).starts_with('-') && token.len() > 2;
        let text = if is_flag { &mut flags } else { &mut plain };
        text.push_str(token);
        text.push(' ');
    }
    (plain, flags)
}

/// Splits a description behind its first sentence, which says what the tool does; what follows are hints and conditions.
fn lead(description: &str) -> (&str, &str) {
    let end = [". ", " — ", " – ", " - ", "; "].iter().filter_map(|mark| description.find(mark)).min();
    end.map_or((description, ""), |end| description.split_at(end))
}

/// Collects the names of a schema's properties, and their descriptions, choices and flags.
fn argument_words(schema: &Value) -> (String, String) {
    let (mut names, mut texts) = (String::new(), String::new());
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        names.push_str(name);
        names.push(' ');
        for key in ["description", "x-flag"] {
            if let Some(text) = property.get(key).and_then(Value::as_str) {
                texts.push_str(text);
                texts.push(' ');
            }
        }
        for choice in property.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            texts.push_str(choice);
            texts.push(' ');
        }
    }
    (names, texts)
}
