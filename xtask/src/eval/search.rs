//! How many of the tools that a request means are among the first five, on public sets: by words, and by words and meaning.
//!
//! A set is a JSON file (a folder stands for those in it) with `docs` (`name`, `description`, and where there are some `group`,
//! `category`, `examples` and `schema`), `queries`, and `gold`: the numbers of the tools that each request means. Half of the
//! requests, split by the name of the first tool that they mean, are reported apart: weights are chosen on the others.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aish_embedding::Model;
use aish_tools::Index;
use aish_tools::index::{Embedder, Query};
use aish_types::{SourceId, ToolDefinition};
use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

/// Results that are looked at.
const DEPTH: usize = 5;

#[derive(Deserialize)]
struct Set {
    docs: Vec<Document>,
    queries: Vec<String>,
    gold: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
struct Document {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    group: String,
    #[serde(default)]
    category: String,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    schema: Option<Value>,
}

/// What one way of searching finds.
#[derive(Default)]
struct Tally {
    first: f64,
    five: f64,
    reported: f64,
    times: Vec<Duration>,
}

struct Sentences(Model);

impl Embedder for Sentences {
    fn embed(&self, text: &str) -> Vec<i8> {
        self.0.embed(text).numbers().to_vec()
    }
}

/// Evaluates sets; with `--model FILE` by meaning as well.
///
/// # Errors
/// When a set or the model cannot be read.
pub(super) fn run(arguments: &[&str]) -> Result<()> {
    let (model, sets) = match arguments {
        ["--model", file, sets @ ..] => {
            let bytes = fs::read(file).with_context(|| format!("reading {file}"))?;
            (Some(Arc::new(Sentences(Model::read(&bytes)?))), sets)
        }
        sets => (None, sets),
    };
    ensure!(!sets.is_empty(), "name files or folders of sets: JSON with `docs`, `queries` and `gold`");
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{:<24} {:>8} {:>6}   {:<7} {:>5} {:>5} {:>9} {:>8} {:>8}",
        "set", "requests", "tools", "by", "R@1", "R@5", "half R@5", "median", "p95"
    )?;
    for file in sets.iter().map(|set| files(Path::new(set))).collect::<Result<Vec<_>>>()?.concat() {
        evaluate(&file, model.as_ref(), &mut out).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    let mut files: Vec<PathBuf> =
        entries.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    Ok(files)
}

fn evaluate(file: &Path, model: Option<&Arc<Sentences>>, out: &mut impl io::Write) -> Result<()> {
    let set: Set = serde_json::from_slice(&fs::read(file)?)?;
    ensure!(
        set.queries.len() == set.gold.len() && !set.queries.is_empty(),
        "as many `gold` as `queries`, and not none"
    );
    let tools: Vec<Arc<ToolDefinition>> = set.docs.iter().enumerate().map(|(at, tool)| definition(at, tool)).collect();
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut index = Index::default();
    index.put_all(&tools);
    let mut row = |by: &str, tally: Tally| -> Result<()> {
        let Tally { first, five, reported, mut times } = tally;
        times.sort();
        let time = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default().as_secs_f64() * 1e3;
        let count = set.queries.len() as f64;
        let half = (0..set.queries.len()).filter(|&at| is_reported(&set, at)).count() as f64;
        writeln!(
            out,
            "{name:<24} {count:>8} {:>6}   {by:<7} {:>5.3} {:>5.3} {:>9.3} {:>5.2} ms {:>5.2} ms",
            tools.len(),
            first / count,
            five / count,
            reported / half.max(1.0),
            time(50),
            time(95),
        )?;
        Ok(())
    };
    row("words", tally(&set, &index))?;
    if let Some(model) = model {
        let embedder: Arc<dyn Embedder> = Arc::<Sentences>::clone(model);
        index.give_meaning(embedder, model.0.width(), |text| Some(model.embed(text).into()));
        row("both", tally(&set, &index))?;
    }
    Ok(())
}

/// Names a tool by its number as well, since sets have several of one name.
fn definition(at: usize, tool: &Document) -> Arc<ToolDefinition> {
    let schema = tool.schema.clone().unwrap_or_else(|| json!({"type": "object"}));
    let mut definition =
        ToolDefinition::new(tool.name.as_str(), tool.description.as_str(), schema, SourceId::new(format!("mcp:{at}")));
    definition.group = (&tool.group).into();
    definition.category = (&tool.category).into();
    definition.examples.clone_from(&tool.examples);
    Arc::new(definition)
}

fn tally(set: &Set, index: &Index) -> Tally {
    let mut tally = Tally::default();
    for (at, (request, gold)) in set.queries.iter().zip(&set.gold).enumerate() {
        let started = Instant::now();
        let page = index.search(&Query { limit: DEPTH, ..Query::text(request.as_str()) });
        tally.times.push(started.elapsed());
        let wanted: Vec<&str> = gold.iter().filter_map(|&at| set.docs.get(at)).map(|tool| tool.name.as_str()).collect();
        let is_wanted = |name: &str| wanted.contains(&name);
        let found = page.hits.iter().filter(|hit| is_wanted(hit.definition.name.as_str())).count() as f64;
        let share = (found / wanted.len().max(1) as f64).min(1.0);
        tally.first += f64::from(page.hits.first().is_some_and(|hit| is_wanted(hit.definition.name.as_str())));
        tally.five += share;
        tally.reported += if is_reported(set, at) { share } else { 0.0 };
    }
    tally
}

/// Says whether a request is of the half that nothing is chosen on: by the FNV-1a hash of the first tool that it means.
fn is_reported(set: &Set, at: usize) -> bool {
    let first = set.gold.get(at).and_then(|gold| set.docs.get(*gold.first()?));
    let hash = first.map_or(0, |tool| {
        tool.name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    });
    // The low bits of this hash are its weak ones.
    (hash >> 32).is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_evaluated() {
        let folder = std::env::temp_dir().join(format!("aish-search-sets-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let set = json!({
            "docs": [{"name": "tar", "description": "Pack files"}, {"name": "ping", "description": "Reach a host"}],
            "queries": ["pack these files", "reach the host", "reach the host"], "gold": [[0], [1], [0]],
        });
        fs::write(folder.join("two.json"), set.to_string()).unwrap();
        let mut out = Vec::new();
        evaluate(&files(&folder).unwrap()[0], None, &mut out).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let text = String::from_utf8(out).unwrap();
        let words: Vec<&str> = text.split_whitespace().take(6).collect();
        assert_eq!(words, ["two", "3", "2", "words", "0.667", "0.667"]);
    }
}
