//! The child that judges: lines come in through its standard input, what each cost goes out through its standard output.
//!
//! A line is its length in bytes as four bytes, then its text. An answer is a line of three numbers: microseconds of
//! processor time, kilobytes of memory at the most since the line before, and the verdict (0 allow, 1 ask, 2 halt).

use std::fs;
use std::io::{self, Read, Write};

use aish_safety::{PolicyRules, Surroundings, Verdict, analyse};
use anyhow::{Context as _, Result};

/// The stack of the thread that judges, in bytes: as small as those of a server's threads.
const STACK: usize = 2 << 20;

/// What one line cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// Microseconds of processor time, for the judgement.
    pub(super) micros: u64,
    /// Kilobytes of memory, all of the process's.
    pub(super) kilobytes: u64,
    /// The verdict: 0 allow, 1 ask, 2 halt.
    pub(super) verdict: u64,
}

impl Cost {
    /// Reads an answer.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut numbers = line.split_whitespace().map(|word| word.parse().ok());
        let (micros, kilobytes, verdict) = (numbers.next()??, numbers.next()??, numbers.next()??);
        Some(Self { micros, kilobytes, verdict })
    }
}

/// Judges what comes in until nothing more does.
///
/// # Errors
/// When the thread cannot be started, or the pipes fail.
pub(super) fn run() -> Result<()> {
    let judge = std::thread::Builder::new().stack_size(STACK).spawn(judge).context("cannot start a thread")?;
    judge.join().map_err(|_| anyhow::anyhow!("the judgement panicked"))?
}

fn judge() -> Result<()> {
    let around = Surroundings { home: Some("/home/user".into()), ..Surroundings::default() };
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut length = [0_u8; 4];
    while input.read_exact(&mut length).is_ok() {
        let mut bytes = vec![0_u8; usize::try_from(u32::from_le_bytes(length))?];
        input.read_exact(&mut bytes).context("a line ends before its length")?;
        let line = String::from_utf8_lossy(&bytes);
        // The highest mark of memory begins anew.
        fs::write("/proc/self/clear_refs", "5").context("cannot reset the mark of memory")?;
        let before = processor_time()?;
        let analysis = analyse(&line, &around, &PolicyRules::default());
        let micros = processor_time()?.saturating_sub(before) / 1_000;
        drop(analysis.render());
        let verdict = match analysis.judgement.verdict {
            Verdict::Allow => 0,
            Verdict::Ask => 1,
            Verdict::Halt => 2,
        };
        drop(analysis);
        writeln!(output, "{micros} {} {verdict}", memory()?).context("cannot answer")?;
        output.flush().context("cannot answer")?;
    }
    Ok(())
}

/// Returns the processor time of this thread, in nanoseconds.
fn processor_time() -> Result<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").context("cannot read the time of this thread")?;
    let first = text.split_whitespace().next().context("the kernel keeps no time of threads")?;
    first.parse().context("the time of this thread is no number")
}

/// Returns the most memory that this process had, in kilobytes.
fn memory() -> Result<u64> {
    let text = fs::read_to_string("/proc/self/status").context("cannot read the state of this process")?;
    let line =
        text.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("the kernel keeps no mark of memory")?;
    line.trim().trim_end_matches(" kB").parse().context("the mark of memory is no number")
}
