//! Names of files.

use std::collections::HashSet;
use std::path::Path;

use aish_term::Candidate;

use super::fit::Fit;
use super::place::Place;
use super::plain;
use super::quoting::{escaped, quoted, unquoted};
use super::variables::expanded;

/// Commands that take folders alone.
const FOLDERS: &[&str] = &["cd", "pushd", "rmdir"];

/// Offers the files that the word may mean, seen from a folder.
pub(super) fn complete(folder: &Path, place: &Place<'_>, variable: &dyn Fn(&str) -> Option<String>) -> Vec<Candidate> {
    let typed = place.typed;
    let shown_parent = typed.rfind('/').map_or("", |at| typed.get(..=at).unwrap_or_default());
    let begun = typed.get(shown_parent.len()..).unwrap_or_default();
    // What it stands for is looked into; what was typed stays.
    let Some(parent) = expanded(shown_parent, place.quote, variable) else { return Vec::new() };
    let around = folder.join(unquoted(&parent, place.quote));
    let prefix = &unquoted(begun, place.quote);
    let folders_only = FOLDERS.contains(&place.command);
    let entries = std::fs::read_dir(around).into_iter().flatten().flatten();
    let entries: Vec<(String, std::fs::DirEntry)> = entries
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry)))
        // Hidden files are offered when their dot is typed.
        .filter(|(name, _)| !name.starts_with('.') || prefix.starts_with('.'))
        .collect();
    let fit = Fit::best(prefix, entries.iter().map(|(name, _)| name.as_str()));
    let mut found: Vec<Candidate> = entries
        .into_iter()
        .filter(|(name, _)| fit.admits(prefix, name))
        .filter_map(|(name, entry)| {
            let is_folder = is_folder(&entry);
            (is_folder || !folders_only).then(|| {
                let slash = if is_folder { "/" } else { "" };
                let value = match place.quote {
                    None => format!("{}{slash}", escaped(&name)),
                    // The quote stays open for what is in the folder.
                    Some(quote) if is_folder => format!("{}/", quoted(&name, quote)),
                    Some(quote) => format!("{}{quote}", quoted(&name, quote)),
                };
                let span = place.start..place.start + typed.len();
                let mut candidate = plain(&format!("{shown_parent}{value}"), span);
                candidate.space_after = !is_folder;
                candidate.display = Some(format!("{name}{slash}"));
                candidate
            })
        })
        .collect();
    found.sort_by(|a, b| a.value.cmp(&b.value));
    if begun == ".." {
        let span = place.start..place.start + typed.len();
        found.insert(0, Candidate { space_after: false, ..plain(&format!("{shown_parent}../"), span) });
    }
    found
}

/// Says whether an entry is a folder, or a link to one.
fn is_folder(entry: &std::fs::DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if !kind.is_symlink() => kind.is_dir(),
        Ok(_) | Err(_) => entry.path().is_dir(),
    }
}

/// Adds what lies in the folders of a `CDPATH` and begins as it was typed.
pub(super) fn extend_by_path(found: &mut Vec<Candidate>, folder: &Path, path: &str, place: &Place<'_>) {
    let mut known: HashSet<String> = found.iter().map(|candidate| candidate.value.clone()).collect();
    for other in path.split(':').filter(|other| !matches!(*other, "" | ".")) {
        let there = complete(&folder.join(other), place, &|_| None);
        let begins = there.into_iter().filter(|candidate| candidate.value.starts_with(place.typed));
        for candidate in begins {
            if known.insert(candidate.value.clone()) {
                found.push(candidate);
            }
        }
    }
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
            let variable = |name: &str| (name == "HERE").then(|| folder.path().display().to_string());
            complete(folder.path(), &Place::find(before), &variable)
                .into_iter()
                .map(|candidate| candidate.value)
                .collect()
        };
        assert_eq!(values("cat s"), [r"some\ file", "src/"]);
        assert_eq!(values("cat ."), [".hidden"]);
        assert_eq!(values("cat ./so"), [r"./some\ file"]);
        assert_eq!(values("cat "), [r"some\ file", "src/"]);
        assert_eq!(values("cat 'some f"), ["some file'"]);
        assert_eq!(values("cd s"), ["src/"]);
        assert_eq!(values("cat $HERE/s"), [r"$HERE/some\ file", "$HERE/src/"]);
        assert_eq!(values("cat \"${HERE}/so"), ["${HERE}/some file\""]);
        // Letters in the wrong case, and scattered ones, where nothing else fits.
        assert_eq!(values("cd .."), ["../"]);
        assert_eq!(values("ls src/.."), ["src/../"]);
        assert_eq!(values("cat SR"), ["src/"]);
        assert_eq!(values("cat sfl"), [r"some\ file"]);
    }

    #[test]
    fn folders_of_a_path_are_offered_too() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["here/src", "there/srv", "there/s b", "more/src"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("there/some"), "").unwrap();
        let (here, more) = (folder.path().join("here"), folder.path().join("more"));
        let path = format!(".:../there:{}", more.display());
        let values = |before: &str| -> Vec<String> {
            let place = Place::find(before);
            let mut found = complete(&here, &place, &|_| None);
            assert!(place.looks_elsewhere(), "{before}");
            extend_by_path(&mut found, &here, &path, &place);
            found.into_iter().map(|candidate| candidate.value).collect()
        };
        assert_eq!(values("cd s"), ["src/", r"s\ b/", "srv/"]);
        assert_eq!(values("pushd sr"), ["src/", "srv/"]);
        assert!(!Place::find("ls s").looks_elsewhere() && !Place::find("cd ./s").looks_elsewhere());
        assert!(Place::find("rm -- -x").ends_options("rm -- -x") && !Place::find("rm -x").ends_options("rm -x"));
    }

    #[test]
    fn names_stay_whole_in_the_quote_that_is_open() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["do$x.txt", "it's", "q\"x"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("a$b")).unwrap();
        std::fs::write(folder.path().join("a$b/in"), "").unwrap();
        let value = |before: &str| {
            let found = complete(folder.path(), &Place::find(before), &|_| None);
            assert_eq!(found.len(), 1, "{before}: {found:?}");
            format!("{}{}", &before[..found[0].span.start], found[0].value)
        };
        for (before, expected) in [
            ("cat \"do", "cat \"do\\$x.txt\""),
            ("cat \"do\\$", "cat \"do\\$x.txt\""),
            ("cat 'do$", "cat 'do$x.txt'"),
            ("cat \"it", "cat \"it's\""),
            ("cat 'it", "cat 'it'\\''s'"),
            ("cat \"q", "cat \"q\\\"x\""),
            ("cat \"q\\\"", "cat \"q\\\"x\""),
            ("cat \"a", "cat \"a\\$b/"),
            ("cat \"a\\$b/", "cat \"a\\$b/in\""),
            ("cat a\\$b/", "cat a\\$b/in"),
        ] {
            assert_eq!(value(before), expected);
        }
    }
}
