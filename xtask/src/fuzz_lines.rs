//! `cargo xtask fuzz-lines`: does the judgement of any line keep to its bounds of time and memory?
//!
//! Lines are made from grammars of the languages that the judgement reads, and by changing the labelled lines of its
//! tests. They are judged in a child with an address space of 1 GiB and a stack of 2 MiB; one that takes too long or too
//! much memory, or ends the child, is kept in a file. The seed is printed: the same seed makes the same lines.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};

use self::grammar::Grammar;
use self::judge::{Judge, Outcome};
use self::random::Random;

mod child;
mod grammar;
mod judge;
mod mutate;
mod random;
mod shapes;

/// How often a line that seems too slow is judged again: the quickest time counts, for other programs run beside it.
const AGAIN: usize = 3;
/// After so many finds the search ends.
const MAX_FINDS: usize = 40;

/// What is looked for, and for how long.
#[derive(Debug)]
struct Options {
    seconds: u64,
    count: usize,
    seed: u64,
    files: Vec<PathBuf>,
    milliseconds: u64,
    megabytes: u64,
    length: usize,
    keep: PathBuf,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut options = Self {
            seconds: 0,
            count: 0,
            seed: clock,
            files: Vec::new(),
            milliseconds: 100,
            megabytes: 64,
            length: 65_536,
            keep: root()?.join("target/fuzz-lines"),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            let number = || value.parse::<u64>().with_context(|| format!("{word} needs a number"));
            match word.as_str() {
                "--seconds" => options.seconds = number()?,
                "--count" => options.count = usize::try_from(number()?)?,
                "--seed" => options.seed = number()?,
                "--lines" => options.files.push(value.into()),
                "--time-ms" => options.milliseconds = number()?,
                "--memory-mb" => options.megabytes = number()?,
                "--length" => options.length = usize::try_from(number()?)?,
                "--keep" => options.keep = value.into(),
                _ => bail!(
                    "use: cargo xtask fuzz-lines [--seconds N] [--count N] [--seed N] [--lines FILE]… [--time-ms N] \
                     [--memory-mb N] [--length BYTES] [--keep FOLDER]"
                ),
            }
        }
        Ok(options)
    }
}

/// Looks for lines that go over the bounds.
///
/// # Errors
/// When the arguments are wrong, the child cannot be started, or a line goes over a bound.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments == ["--child"] {
        return child::run();
    }
    let options = Options::parse(arguments)?;
    eprintln!("seed {}", options.seed);
    let mut search = Search::new(options)?;
    let only_files = !search.options.files.is_empty() && search.options.seconds == 0 && search.options.count == 0;
    for line in shapes::lines(search.options.length).filter(|_| !only_files) {
        search.look(&line)?;
    }
    for path in search.options.files.clone() {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for line in String::from_utf8_lossy(&bytes).lines() {
            search.look(line)?;
        }
    }
    search.made_lines()?;
    search.finish()
}

/// A search and what it found.
struct Search {
    options: Options,
    judge: Judge,
    judged: usize,
    verdicts: [usize; 3],
    slowest: (u64, String),
    largest: (u64, String),
    finds: usize,
}

impl Search {
    fn new(options: Options) -> Result<Self> {
        let judge = Judge::start()?;
        let nothing = || (0, String::new());
        Ok(Self { options, judge, judged: 0, verdicts: [0; 3], slowest: nothing(), largest: nothing(), finds: 0 })
    }

    /// Makes lines from the grammars and from labelled lines, and looks at each.
    fn made_lines(&mut self) -> Result<()> {
        let (grammar, labelled) = (Grammar::new(), labelled()?);
        let mut random = Random::new(self.options.seed);
        let end = Instant::now() + Duration::from_secs(self.options.seconds);
        let mut made = 0;
        while (made < self.options.count || Instant::now() < end) && self.finds < MAX_FINDS {
            made += 1;
            let line = match random.below(4) {
                0 => grammar.line(&mut random),
                kind => {
                    let first = match kind {
                        1 => grammar.line(&mut random),
                        _ => random.pick(&labelled).cloned().unwrap_or_default(),
                    };
                    let other = random.pick(&labelled).cloned().unwrap_or_default();
                    mutate::mutate(&first, &other, self.options.length, &mut random)
                }
            };
            self.look(&line)?;
        }
        Ok(())
    }

    /// Has one line judged, and keeps it where it goes over a bound.
    fn look(&mut self, line: &str) -> Result<()> {
        self.judged += 1;
        let mut best: Option<child::Cost> = None;
        for _ in 0..=AGAIN {
            let cost = match self.judge.judge(line)? {
                Outcome::Judged(cost) => cost,
                Outcome::Died(how) => {
                    self.judge = Judge::start()?;
                    return self.keep(line, &format!("ended the child: {how}"));
                }
                Outcome::Hung => {
                    self.judge = Judge::start()?;
                    return self.keep(line, "got no answer");
                }
            };
            let micros = best.map_or(cost.micros, |best| best.micros.min(cost.micros));
            let kilobytes = best.map_or(cost.kilobytes, |best| best.kilobytes.min(cost.kilobytes));
            best = Some(child::Cost { micros, kilobytes, verdict: cost.verdict });
            if micros <= self.options.milliseconds * 1_000 && kilobytes <= self.options.megabytes * 1_024 {
                break;
            }
            // What another line left in memory is no part of this one's cost.
            self.judge = Judge::start()?;
        }
        let Some(cost) = best else { return Ok(()) };
        if let Some(count) = usize::try_from(cost.verdict).ok().and_then(|at| self.verdicts.get_mut(at)) {
            *count += 1;
        }
        if cost.micros > self.slowest.0 {
            self.slowest = (cost.micros, start_of(line));
        }
        if cost.kilobytes > self.largest.0 {
            self.largest = (cost.kilobytes, start_of(line));
        }
        if cost.micros > self.options.milliseconds * 1_000 {
            return self.keep(line, &format!("took {} ms", cost.micros / 1_000));
        }
        if cost.kilobytes > self.options.megabytes * 1_024 {
            return self.keep(line, &format!("took {} MB", cost.kilobytes / 1_024));
        }
        Ok(())
    }

    fn keep(&mut self, line: &str, what: &str) -> Result<()> {
        self.finds += 1;
        let folder = &self.options.keep;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(format!("{}-{}.txt", self.options.seed, self.judged));
        fs::write(&path, line).with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("{what}: {} bytes, {}: {}", line.len(), path.display(), start_of(line));
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let [allowed, asked, halted] = self.verdicts;
        eprintln!("{} lines: {allowed} allowed, {asked} asked, {halted} halted", self.judged);
        eprintln!("slowest: {:.1} ms: {}", self.slowest.0 as f64 / 1e3, self.slowest.1);
        eprintln!("most memory: {:.1} MB: {}", self.largest.0 as f64 / 1024.0, self.largest.1);
        if self.finds > 0 {
            bail!("{} lines go over the bounds; seed {}", self.finds, self.options.seed);
        }
        Ok(())
    }
}

fn start_of(line: &str) -> String {
    let start: String = line.chars().take(100).collect();
    start.escape_debug().to_string()
}

fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")
}

/// Returns the labelled lines of the repository, each once.
fn labelled() -> Result<Vec<String>> {
    let tests = root()?.join("crates/aish-safety/tests/it");
    let mut lines = BTreeSet::new();
    let folder = tests.join("lines");
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for line in text.lines() {
            if let Ok(value) = serde_json::from_str::<serde_json::Value>(line)
                && let Some(command) = value.get("command").and_then(serde_json::Value::as_str)
            {
                lines.insert(command.to_string());
            }
        }
    }
    for name in ["wrapper_cases.txt", "combinations.txt"] {
        let path = tests.join(name);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        lines.extend(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_string));
    }
    Ok(lines.into_iter().collect())
}
