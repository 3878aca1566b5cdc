//! Names of files.

use std::path::{Path, PathBuf};

use aish_term::Candidate;

use super::place::Place;
use super::{MOST, plain};

/// Commands that take folders alone.
const FOLDERS: &[&str] = &["cd", "pushd", "rmdir"];

/// Offers the files that the word may mean, seen from a folder.
pub(super) fn complete(folder: &Path, place: &Place<'_>) -> Vec<Candidate> {
    let typed = place.typed;
    let unescaped = if place.quote.is_some() { typed.to_owned() } else { typed.replace('\\', "") };
    let (parent, prefix) = unescaped.rsplit_once('/').map_or(("", unescaped.as_str()), |(parent, name)| (parent, name));
    let shown_parent = typed.rfind('/').map_or("", |at| typed.get(..=at).unwrap_or_default());
    let around = match (unescaped.starts_with('/'), parent) {
        (true, "") => PathBuf::from("/"),
        (_, "~") => std::env::home_dir().unwrap_or_default(),
        (_, parent) => match (parent.strip_prefix("~/"), std::env::home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => folder.join(parent),
        },
    };
    let folders_only = FOLDERS.contains(&place.command);
    let mut found: Vec<Candidate> = std::fs::read_dir(around)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            // Hidden files are offered when their dot is typed.
            if !name.starts_with(prefix) || name.starts_with('.') && !prefix.starts_with('.') {
                return None;
            }
            let is_folder = entry.path().is_dir();
            (is_folder || !folders_only).then(|| {
                let slash = if is_folder { "/" } else { "" };
                let value = match place.quote {
                    None => format!("{}{slash}", escaped(&name)),
                    // The quote stays open for what is in the folder.
                    Some(_) if is_folder => format!("{name}/"),
                    Some(quote) => format!("{name}{quote}"),
                };
                let span = place.start..place.start + typed.len();
                let mut candidate = plain(&format!("{shown_parent}{value}"), span, !is_folder);
                candidate.display = Some(format!("{name}{slash}"));
                candidate
            })
        })
        .collect();
    found.sort_by(|a, b| a.value.cmp(&b.value));
    found.truncate(MOST);
    found
}

/// Puts a backslash before what the shell would take apart.
pub(super) fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for (at, c) in name.chars().enumerate() {
        // A tilde before a slash is the home folder, and both mean something only where a word begins.
        let first = at == 0 && (c == '#' || c == '~' && !name.starts_with("~/"));
        if first || " \t\\'\"$`&|;()<>*?[]{}!".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_escaped_and_folders_end_in_a_slash() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("some file"), "").unwrap();
        std::fs::write(folder.path().join(".hidden"), "").unwrap();
        let values = |before: &str| -> Vec<String> {
            complete(folder.path(), &Place::find(before)).into_iter().map(|candidate| candidate.value).collect()
        };
        assert_eq!(values("cat s"), [r"some\ file", "src/"]);
        assert_eq!(values("cat ."), [".hidden"]);
        assert_eq!(values("cat ./so"), [r"./some\ file"]);
        assert_eq!(values("cat "), [r"some\ file", "src/"]);
        assert_eq!(values("cat 'some f"), ["some file'"]);
        assert_eq!(values("cd s"), ["src/"]);
    }

    #[test]
    fn what_the_shell_would_take_apart_is_escaped() {
        for (name, expected) in [("a b", r"a\ b"), ("~/x", "~/x"), ("~x", r"\~x"), ("a~", "a~"), ("#x", r"\#x")] {
            assert_eq!(escaped(name), expected);
        }
    }
}
