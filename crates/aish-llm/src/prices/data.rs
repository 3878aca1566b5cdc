//! The built-in price data, read on first use.

use std::collections::HashMap;
use std::sync::LazyLock;

use aish_types::Money;
use serde::Deserialize;

use super::{KnownModel, LongPrompt, Price};

static MODELS: LazyLock<HashMap<String, KnownModel>> = LazyLock::new(|| {
    // A test reads the data, so it is never empty.
    let entries: Vec<Entry> = serde_json::from_str(include_str!("../../data/prices.json")).unwrap_or_default();
    entries.into_iter().map(|entry| (plain(entry.model), entry.known())).collect()
});

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
        KnownModel { price, context: self.context, date: self.date, source: self.source }
    }
}

pub(super) fn find(model: &str) -> Option<KnownModel> {
    if model.ends_with(":free") {
        let price = Price::from_dollars(0.0, 0.0, None);
        let (date, source) = ("2026-11-21", "https://openrouter.ai/docs/api-reference/limits");
        return Some(KnownModel { price, context: None, date, source });
    }
    let name = plain(model);
    let exact = MODELS.get(&name);
    exact.or_else(|| MODELS.get(without_date(&name))).or_else(|| MODELS.get(name.strip_suffix("-latest")?)).copied()
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
        let entries: Vec<Entry> = serde_json::from_str(include_str!("../../data/prices.json")).unwrap();
        assert!(entries.len() > 100);
        let mut vendors = std::collections::BTreeSet::new();
        for entry in &entries {
            vendors.insert(entry.vendor);
            assert!(entry.input > 0.0 && entry.output >= entry.input / 2.0, "{}", entry.model);
            assert!(entry.cached.is_none_or(|cached| cached <= entry.input), "{}", entry.model);
            assert!(entry.date.len() == 10 && entry.source.starts_with("https://"), "{}", entry.model);
        }
        assert_eq!(vendors.len(), 6, "{vendors:?}");
        assert_eq!(MODELS.len(), entries.len(), "no name stands twice");
    }
}
