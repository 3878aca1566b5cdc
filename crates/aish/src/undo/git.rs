//! What git alone knows: which files it would put back or delete, and where its records are. Git is only asked, with
//! hooks and watchers off.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aish_journal::undo::Wanted;
use aish_process::{Command, Exit};
use aish_safety::change::{GitChange, How, Reach};
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;

/// How long git may take to answer.
const LIMIT: Duration = Duration::from_secs(10);

/// The most bytes of an answer.
const ANSWER: usize = 16 * 1024 * 1024;

/// Returns what a change by git is to be put aside for.
///
/// # Errors
/// When git does not answer or this is no repository.
pub async fn wanted(folder: &Path, what: &GitChange, paths: &[PathBuf]) -> Result<Vec<Wanted>, Failure> {
    let root = PathBuf::from(line(folder, &["rev-parse", "--show-toplevel"]).await?);
    match what {
        GitChange::Tracked { against, .. } => {
            let mut names = BTreeSet::new();
            let mut status = vec!["status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--"];
            let specs: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            status.extend(specs.iter().map(String::as_str));
            let answer = ask(folder, &status).await?;
            names.extend(answer.split('\0').filter_map(|entry| entry.get(3..)).map(str::to_owned));
            if let Some(against) = against.as_deref().filter(|against| !against.starts_with('-')) {
                let mut diff = vec![
                    "diff",
                    "--name-only",
                    "-z",
                    "--no-renames",
                    "--no-ext-diff",
                    "--no-textconv",
                    "HEAD",
                    against,
                    "--",
                ];
                diff.extend(specs.iter().map(String::as_str));
                // A commit that is not known is git's to complain of: then nothing is changed.
                let answer = ask(folder, &diff).await.unwrap_or_default();
                names.extend(answer.split('\0').filter(|name| !name.is_empty()).map(str::to_owned));
            }
            Ok(names.iter().map(|name| Wanted::new(root.join(name), How::Write, Reach::Itself)).collect())
        }
        GitChange::Untracked { ignored, .. } => {
            let mut list = vec!["ls-files", "-z", "--others", "--full-name"];
            if !ignored {
                list.push("--exclude-standard");
            }
            list.push("--");
            let specs: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            list.extend(specs.iter().map(String::as_str));
            let answer = ask(folder, &list).await?;
            let mut folders = BTreeSet::new();
            let mut wanted = Vec::new();
            for name in answer.split('\0').filter(|name| !name.is_empty()) {
                let path = root.join(name);
                let above = path.ancestors().skip(1).take_while(|above| *above != root);
                folders.extend(above.map(Path::to_owned));
                wanted.push(Wanted::new(path, How::Remove, Reach::Itself));
            }
            wanted.extend(folders.into_iter().map(|path| Wanted::new(path, How::Attributes, Reach::Itself)));
            // Folders that hold nothing of git's, the empty ones too.
            list.insert(1, "--directory");
            let answer = ask(folder, &list).await?;
            let whole = answer.split('\0').filter_map(|name| name.strip_suffix('/'));
            wanted.extend(whole.map(|name| Wanted::new(root.join(name), How::Attributes, Reach::Tree)));
            Ok(wanted)
        }
        GitChange::Records { refs } => records(folder, refs).await,
    }
}

/// Names the files that say where branches, tags and the stash point.
async fn records(folder: &Path, refs: &[String]) -> Result<Vec<Wanted>, Failure> {
    let own = PathBuf::from(line(folder, &["rev-parse", "--absolute-git-dir"]).await?);
    let common = line(folder, &["rev-parse", "--git-common-dir"]).await?;
    let common = folder.join(common);
    if common.join("reftable").is_dir() {
        return Err(Failure::user("where branches point is kept in a form that cannot be put aside"));
    }
    let mut files = vec![own.join("index")];
    let mut names: Vec<String> = refs.iter().map(|name| format!("refs/{name}")).collect();
    if refs.is_empty() {
        files.extend(["HEAD", "ORIG_HEAD", "logs/HEAD"].iter().map(|name| own.join(name)));
        names.extend(line(folder, &["symbolic-ref", "-q", "HEAD"]).await.ok());
    } else {
        files.push(common.join("config"));
    }
    for name in names.iter().filter(|name| !name.contains("..")) {
        let loose = common.join(name);
        if !loose.exists() {
            files.push(common.join("packed-refs"));
        }
        files.extend([loose, common.join("logs").join(name)]);
    }
    Ok(files.into_iter().map(|path| Wanted::new(path, How::Write, Reach::Itself)).collect())
}

async fn line(folder: &Path, arguments: &[&str]) -> Result<String, Failure> {
    Ok(ask(folder, arguments).await?.trim_end_matches('\n').to_owned())
}

async fn ask(folder: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let command = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"])
        .arg("-C")
        .arg(folder)
        .args(arguments.iter().copied())
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C.UTF-8")
        .timeout(LIMIT)
        .output_cap(ANSWER);
    let ran = aish_process::run(&command, &CancellationToken::new()).await?;
    if ran.exit != Exit::Code(0) {
        let why = ran.stderr.text();
        return Err(Failure::user(why.lines().next().unwrap_or("git did not answer")));
    }
    if ran.stdout.truncated() {
        return Err(Failure::user("there are too many files"));
    }
    Ok(ran.stdout.text())
}
