//! Several phrasings of one wish: one ranking of all.
//!
//! Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): a tool has the sum of 1 / (60 + rank) over the phrasings that
//! find it. Ranks and not scores are added, since the scores of two requests say nothing of one another.

use std::collections::HashMap;
use std::sync::Arc;

use aish_types::{ToolDefinition, ToolName};

use super::Index;
use super::page::Query;

/// The constant of the fusion, as in its paper.
const K: f64 = 60.0;

struct Fused {
    definition: Arc<ToolDefinition>,
    score: f64,
    /// The numbers of the phrasings that found it, from 0.
    matched: Vec<usize>,
    /// When it was first found.
    seen: usize,
}

/// Ranks what any of the texts finds, best first, each tool with the numbers of the texts that found it.
pub(super) fn fused(index: &Index, filter: &Query, texts: &[&str]) -> Vec<(Arc<ToolDefinition>, Vec<usize>)> {
    let mut places: HashMap<ToolName, usize> = HashMap::new();
    let mut all: Vec<Fused> = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let query = Query { text: Some((*text).to_owned()), limit: usize::MAX, offset: 0, ..filter.clone() };
        for (rank, hit) in index.search(&query).hits.into_iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a rank is far below 2^52")]
            let score = 1.0 / (K + rank as f64 + 1.0);
            let seen = all.len();
            let at = *places.entry(hit.definition.name.clone()).or_insert(seen);
            match all.get_mut(at) {
                Some(known) => {
                    known.score += score;
                    known.matched.push(number);
                }
                None => all.push(Fused { definition: hit.definition, score, matched: vec![number], seen }),
            }
        }
    }
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.seen.cmp(&b.seen)));
    all.into_iter().map(|found| (found.definition, found.matched)).collect()
}
