//! Whether a command of git signs with the person's key, which is hidden in a layer: known before from its words and from
//! the settings of git.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use aish_process::{Command, Exit};
use aish_safety::Part;
use tokio_util::sync::CancellationToken;

/// How long git may take to say what is set.
const LIMIT: Duration = Duration::from_secs(5);

/// Sub-commands that make commits.
const COMMITS: &[&str] = &["commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull"];

/// Options of git before its sub-command that take the next word.
const VALUED: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

/// What decides whether something is signed.
#[derive(Debug, PartialEq, Eq)]
enum Signs {
    Never,
    Always,
    /// A setting of git.
    By(&'static str),
}

/// Says whether some part of a command signs, in a folder.
pub(super) async fn signs(parts: &[Part], folder: &Path) -> bool {
    let mut rest: Vec<&Part> = parts.iter().collect();
    let mut settings = BTreeSet::new();
    while let Some(part) = rest.pop() {
        match of_words(&part.text) {
            Signs::Always => return true,
            Signs::By(setting) => drop(settings.insert(setting)),
            Signs::Never => {}
        }
        rest.extend(&part.parts);
    }
    for setting in settings {
        if is_set(setting, folder).await {
            return true;
        }
    }
    false
}

fn of_words(text: &str) -> Signs {
    let mut words = text.split(' ');
    if words.next().is_none_or(|program| program.rsplit('/').next() != Some("git")) {
        return Signs::Never;
    }
    let mut command = "";
    while let Some(word) = words.next() {
        if VALUED.contains(&word) {
            let value = words.next().unwrap_or_default().to_ascii_lowercase();
            if let Some((name, set)) = value.split_once('=')
                && name.ends_with(".gpgsign")
                && !matches!(set, "false" | "no" | "off" | "0")
            {
                return Signs::Always;
            }
        } else if !word.starts_with('-') {
            command = word;
            break;
        }
    }
    let options: Vec<&str> = words.take_while(|word| *word != "--").filter(|word| word.starts_with('-')).collect();
    let has = |names: &[&str]| options.iter().any(|option| names.iter().any(|name| option.starts_with(name)));
    match command {
        _ if COMMITS.contains(&command) && has(&["--no-gpg-sign"]) => Signs::Never,
        _ if COMMITS.contains(&command) && has(&["-S", "--gpg-sign"]) => Signs::Always,
        _ if COMMITS.contains(&command) => Signs::By("commit.gpgsign"),
        "tag" if has(&["--no-sign"]) => Signs::Never,
        "tag" if has(&["-s", "--sign", "-u", "--local-user"]) => Signs::Always,
        // A list, or one that is deleted.
        "tag" if options.is_empty() || has(&["-a", "-m", "--annotate", "--message"]) => Signs::By("tag.gpgsign"),
        _ => Signs::Never,
    }
}

/// Asks git, which reads its settings and runs nothing for that. One that does not answer in time may be set.
async fn is_set(setting: &str, folder: &Path) -> bool {
    let git = Command::new("git").args(["config", "--type=bool", "--get", setting]).cwd(folder).timeout(LIMIT);
    match aish_process::run(&git, &CancellationToken::new()).await {
        Ok(ran) => match ran.exit {
            Exit::Code(0) => ran.stdout.text().trim() == "true",
            Exit::Code(_) => false,
            Exit::Signal(_) | Exit::TimedOut | Exit::Cancelled => true,
        },
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_signs_is_told_by_its_words() {
        for (text, signs) in [
            ("git commit -m x", Signs::By("commit.gpgsign")),
            ("/usr/bin/git -C sub commit", Signs::By("commit.gpgsign")),
            ("git commit -S -m x", Signs::Always),
            ("git commit --gpg-sign=ABC", Signs::Always),
            ("git commit --no-gpg-sign", Signs::Never),
            ("git -c commit.gpgSign=true commit", Signs::Always),
            ("git -c commit.gpgsign=false commit", Signs::By("commit.gpgsign")),
            ("git merge side", Signs::By("commit.gpgsign")),
            ("git tag v1", Signs::By("tag.gpgsign")),
            ("git tag -s v1", Signs::Always),
            ("git tag -l", Signs::Never),
            ("git status", Signs::Never),
            ("make commit", Signs::Never),
            ("", Signs::Never),
        ] {
            assert_eq!(of_words(text), signs, "{text}");
        }
    }

    #[tokio::test]
    async fn the_settings_of_a_repository_are_asked() {
        let folder = tempfile::tempdir().unwrap();
        let git = |words: &[&str]| {
            assert!(
                std::process::Command::new("git").args(words).current_dir(folder.path()).status().unwrap().success()
            );
        };
        git(&["init", "-q"]);
        assert!(!is_set("commit.gpgsign", folder.path()).await);
        git(&["config", "commit.gpgSign", "yes"]);
        assert!(is_set("commit.gpgsign", folder.path()).await);
        git(&["config", "commit.gpgSign", "no"]);
        assert!(!is_set("commit.gpgsign", folder.path()).await);
        // A file of settings that is never read to its end: it is asked about rather than waited for.
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join("endless")).status().unwrap().success());
        git(&["config", "--add", "include.path", &folder.path().join("endless").display().to_string()]);
        assert!(tokio::time::timeout(LIMIT * 10, is_set("commit.gpgsign", folder.path())).await.unwrap());
    }
}
