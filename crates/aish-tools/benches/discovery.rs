//! Discovery at 5,000, 17,000 and 100,000 tools: one request at a time, spread over kinds of requests.
#![expect(clippy::indexing_slicing, reason = "a benchmark over tables of its own")]

use std::sync::Arc;

use aish_tools::Index;
use aish_tools::index::Query;
use aish_types::{SourceId, ToolDefinition};
use serde_json::json;

const VERBS: [&str; 12] =
    ["list", "create", "delete", "update", "start", "stop", "describe", "copy", "export", "import", "tag", "restore"];
const REQUESTS: [&str; 8] = [
    "container logs",
    "delete a snapshot of my database",
    "how do I list all running instances",
    "opne the network policy",
    "upload file to storage 4711",
    "show me which users may restart the service",
    "create",
    "zzz nothing like this",
];

fn main() {
    divan::main();
}

/// Words that a corpus of this size would have: a few thousand nouns, the frequent ones far more often.
fn noun(number: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "net", "vol", "ser", "con", "ta", "ner", "sta", "clu", "ster", "log", "user", "pol", "icy", "data", "base",
        "que", "inst", "ance", "sto", "rage",
    ];
    let pick = |n: usize| SYLLABLES[n % SYLLABLES.len()];
    format!("{}{}{}", pick(number), pick(number / 20 + 7), pick(number / 400 + 3))
}

fn corpus(tools: usize) -> Index {
    let mut seed = 1_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (seed >> 33) as f64 / f64::from(1_u32 << 31);
        ((x * x * x) * below as f64) as usize
    };
    Index::of((0..tools).map(|number| {
        let cli = format!("cli{}", number / 25);
        let (a, b) = (noun(random(4_000)), noun(random(4_000)));
        let verb = VERBS[random(VERBS.len())];
        let schema = json!({"type": "object", "properties": {
            "name": {"type": "string", "description": format!("Name of the {a}")},
            "region": {"type": "string", "description": "Where it is"},
            b.clone(): {"type": "boolean", "description": format!("Include every {b}")},
        }});
        let text = format!("{verb} the {a} of a {b} in the {}", noun(random(4_000)));
        let mut tool = ToolDefinition::new(format!("{cli}_{verb}_{a}_{number}"), text, schema, SourceId::new("bench"));
        tool.group = cli.into();
        tool.category = noun(number / 500).into();
        Arc::new(tool)
    }))
}

#[divan::bench(args = [5_000, 17_000, 100_000], sample_count = 400)]
fn search(bencher: divan::Bencher<'_, '_>, tools: usize) {
    let index = corpus(tools);
    let mut next = 0_usize;
    bencher.bench_local(|| {
        next += 1;
        index.search(&Query::text(REQUESTS[next % REQUESTS.len()]))
    });
}

#[divan::bench(args = [5_000], sample_count = 5)]
fn build(bencher: divan::Bencher<'_, '_>, tools: usize) {
    bencher.bench_local(|| corpus(tools));
}
