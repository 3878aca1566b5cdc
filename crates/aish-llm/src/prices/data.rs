//! The built-in price data, of which one line is read for a model.

use aish_types::Money;
use serde::Deserialize;

use super::{KnownModel, LongPrompt, Price};
use crate::abilities::Abilities;

/// A JSON list of entries, each on a line of its own: one of them is read, and not all.
const MODELS: &str = include_str!("../../data/prices.json");
/// What an entry's line begins with, before the name.
const BEGIN: &str = "{\"model\": \"";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    model: &'static str,
    vendor: &'static str,
    input: f64,
    output: f64,
    cached: Option<f64>,
    above: Option<Above>,
    context: Option<u64>,
    answer: Option<u64>,
    tools: Option<bool>,
    images: Option<bool>,
    thinking: Option<Vec<String>>,
    sampling: Option<bool>,
    date: &'static str,
    source: &'static str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Above {
    tokens: u64,
    input: f64,
    output: f64,
    cached: Option<f64>,
}

impl Entry {
    fn known(&self) -> KnownModel {
        let above = self.above.as_ref().map(|above| LongPrompt {
            tokens: above.tokens,
            input: Money::from_dollars(above.input),
            output: Money::from_dollars(above.output),
            cached: above.cached.map(Money::from_dollars),
        });
        let write_percent = if self.vendor == "Anthropic" { super::ANTHROPIC_WRITE_PERCENT } else { 100 };
        let price = Price { above, write_percent, ..Price::from_dollars(self.input, self.output, self.cached) };
        let abilities = Abilities {
            context: self.context,
            output: self.answer,
            tools: self.tools,
            images: self.images,
            thinking: self.thinking.clone(),
            sampling: self.sampling,
            parameters: None,
        };
        KnownModel { price, abilities, date: self.date, source: self.source }
    }
}

pub(super) fn find(model: &str) -> Option<KnownModel> {
    if model.ends_with(":free") {
        let price = Price::from_dollars(0.0, 0.0, None);
        let (date, source) = ("2026-11-21", "https://openrouter.ai/docs/api-reference/limits");
        return Some(KnownModel { price, abilities: Abilities::default(), date, source });
    }
    let name = plain(model);
    let bare = Some(without_date(&name)).filter(|bare| *bare != name);
    entry(&name).or_else(|| entry(bare?)).or_else(|| entry(name.strip_suffix("-latest")?))
}

/// How many lines the data has.
const COUNT: usize = {
    let (mut rest, mut count) = (MODELS.as_bytes(), 0);
    while let [byte, behind @ ..] = rest {
        count += (*byte == b'\n') as usize;
        rest = behind;
    }
    count
};

/// Where lines begin, found when it is built: at a start a name is looked up before the first prompt.
const STARTS: [u32; COUNT] = {
    let mut starts = [0; COUNT];
    let (mut free, mut rest, mut at): (&mut [u32], _, _) = (&mut starts, MODELS.as_bytes(), 0);
    while let [byte, behind @ ..] = rest {
        at += 1;
        if *byte == b'\n'
            && let [start, more @ ..] = free
        {
            *start = at;
            free = more;
        }
        rest = behind;
    }
    starts
};

/// Returns the data from each line on.
fn lines() -> impl Iterator<Item = &'static str> {
    STARTS.iter().filter_map(|&start| MODELS.get(usize::try_from(start).ok()?..))
}

/// Looks up a plain name.
fn entry(name: &str) -> Option<KnownModel> {
    let from = lines().find(|from| named(from).is_some_and(|model| is_plain_form(model, name)))?;
    // A test reads every line.
    let entry: Entry = serde_json::from_str(from.lines().next()?.trim_end_matches(',')).ok()?;
    is_plain_form(entry.model, name).then(|| entry.known())
}

/// Returns the name in an entry's line, which the data may go on behind.
fn named(from: &'static str) -> Option<&'static str> {
    from.strip_prefix(BEGIN)?.split('"').next()
}

/// Returns whether a name is the plain form of the one that a model has in the data.
fn is_plain_form(model: &str, name: &str) -> bool {
    let plain = model.rsplit('/').next().unwrap_or_default().bytes();
    let plain = plain.map(|byte| if byte == b'.' { b'-' } else { byte.to_ascii_lowercase() });
    plain.eq(name.bytes())
}

/// Returns a name in lower case, without the vendor in front, with dots as dashes.
fn plain(model: &str) -> String {
    let name = model.trim().to_ascii_lowercase();
    name.rsplit('/').next().unwrap_or_default().replace('.', "-")
}

/// Takes `-YYYY-MM-DD` or `-YYYYMMDD` off a name.
fn without_date(name: &str) -> &str {
    for (length, dashes) in [(11, [0, 5, 8].as_slice()), (9, [0].as_slice())] {
        let Some((stem, tail)) = name.len().checked_sub(length).and_then(|at| name.split_at_checked(at)) else {
            continue;
        };
        let is_date = tail
            .bytes()
            .enumerate()
            .all(|(at, byte)| if dashes.contains(&at) { byte == b'-' } else { byte.is_ascii_digit() });
        if is_date && tail.get(1..3) == Some("20") {
            return stem;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_whole_and_plausible() {
        let entries: Vec<Entry> = serde_json::from_str(MODELS).unwrap();
        assert!(entries.len() > 100);
        let mut names = std::collections::BTreeSet::new();
        let mut vendors = std::collections::BTreeSet::new();
        for entry in &entries {
            vendors.insert(entry.vendor);
            names.insert(plain(entry.model));
            let found = find(entry.model).unwrap();
            assert_eq!(found, entry.known(), "{}", entry.model);
            let answer = entry.answer.zip(entry.context);
            assert!(answer.is_none_or(|(answer, context)| 0 < answer && answer < context), "{}", entry.model);
            assert!(entry.input > 0.0 && entry.output >= entry.input / 2.0, "{}", entry.model);
            assert!(entry.cached.is_none_or(|cached| cached <= entry.input), "{}", entry.model);
            assert!(entry.date.len() == 10 && entry.source.starts_with("https://"), "{}", entry.model);
        }
        assert_eq!(vendors.len(), 6, "{vendors:?}");
        assert_eq!(names.len(), entries.len(), "no name stands twice");
        assert_eq!(lines().filter_map(named).count(), entries.len(), "each has a line of its own");
    }
}
