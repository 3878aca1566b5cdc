//! Targets of a project's own file: what `make` and `just` can be told to make here. The file is read; nothing is run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes of a file that are read at most.
const LONGEST: u64 = 512 * 1024;

/// Files that are read at most, with what they include.
const MOST_FILES: usize = 16;

/// Programs whose words are the targets of such a file, so that nothing else is offered in their place.
const PROGRAMS: &[&str] = &["make", "gmake", "bmake", "just", "rake", "ninja"];

/// Says whether the words behind a program are targets of a project.
pub(super) fn has_targets(program: &str) -> bool {
    PROGRAMS.contains(&program)
}

/// Returns the targets that a program finds in a folder, told by the words before the cursor; none where there is no file
/// that can be read.
pub(super) fn targets<'a>(program: &str, folder: &Path, words: impl Iterator<Item = &'a str>) -> Option<Vec<String>> {
    let (names, read): (&[&str], fn(&str) -> Found) = match program {
        "make" | "gmake" | "bmake" => (&["GNUmakefile", "makefile", "Makefile"], makefile),
        "just" => (&["justfile", "Justfile", ".justfile"], justfile),
        _ => return None,
    };
    let place = Place::of(folder, words);
    let mut waiting: Vec<PathBuf> = match place.file {
        Some(file) => vec![place.folder.join(file)],
        None => vec![names.iter().map(|name| place.folder.join(name)).find(|path| path.is_file())?],
    };
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut all = BTreeSet::new();
    let mut is_read = false;
    while let Some(path) = waiting.pop() {
        if seen.len() >= MOST_FILES || !seen.insert(path.clone()) {
            continue;
        }
        let Some(text) = text_of(&path) else { continue };
        is_read = true;
        let found = read(&text);
        all.extend(found.targets);
        waiting.extend(found.included.iter().map(|name| place.folder.join(name)));
    }
    is_read.then(|| all.into_iter().collect())
}

/// Where a program looks, as its options say.
struct Place {
    folder: PathBuf,
    file: Option<String>,
}

impl Place {
    fn of<'a>(folder: &Path, mut words: impl Iterator<Item = &'a str>) -> Self {
        let mut place = Self { folder: folder.to_owned(), file: None };
        while let Some(word) = words.next() {
            match word {
                "-C" | "--directory" | "-d" | "--working-directory" => {
                    place.folder = words.next().map_or(place.folder.clone(), |name| place.folder.join(name));
                }
                "-f" | "--file" | "--makefile" | "--justfile" => place.file = words.next().map(str::to_owned),
                word => {
                    let option = |names: [&str; 3]| names.iter().find_map(|name| word.strip_prefix(name));
                    if let Some(name) = option(["--directory=", "-C", "-C="]).filter(|name| !name.is_empty()) {
                        place.folder = place.folder.join(name);
                    } else if let Some(name) = option(["--file=", "--makefile=", "--justfile="]) {
                        place.file = Some(name.to_owned());
                    }
                }
            }
        }
        place
    }
}

/// What one file tells.
#[derive(Default)]
struct Found {
    targets: Vec<String>,
    included: Vec<String>,
}

/// Reads a plain file as far as it is not too long; a pipe or a device in its place may never end.
fn text_of(path: &Path) -> Option<String> {
    let is_short = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LONGEST);
    let bytes = is_short.then(|| std::fs::read(path).ok())??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads explicit rules; those of patterns, of variables and of names that begin with a dot are left out.
fn makefile(text: &str) -> Found {
    let mut found = Found::default();
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut in_define = false;
    for line in text.lines() {
        let bare = line.trim();
        in_define = (in_define || bare.starts_with("define ")) && bare != "endef";
        if in_define || line.starts_with(['\t', '#']) {
            continue;
        }
        let bare = bare.split('#').next().unwrap_or_default();
        if let Some(names) = ["include ", "-include ", "sinclude "].iter().find_map(|word| bare.strip_prefix(word)) {
            found.included.extend(names.split_whitespace().filter(|name| is_plain(name)).map(str::to_owned));
            continue;
        }
        let Some((left, right)) = bare.split_once(':') else { continue };
        // `NAME := value`, `NAME ::= value`, and `NAME = a:b`.
        if right.trim_start_matches(':').starts_with('=') || left.contains('=') {
            continue;
        }
        let names = if left.trim() == ".PHONY" { right } else { left };
        let names = names.split_whitespace().filter(|name| is_plain(name) && !name.starts_with('.'));
        found.targets.extend(names.map(str::to_owned));
    }
    found
}

fn is_plain(name: &str) -> bool {
    !name.contains(['%', '$', '(', ')', '*', '=', '"', '\'', '&', ';', '|'])
}

/// Reads recipes; those that begin with an underscore are private.
fn justfile(text: &str) -> Found {
    let mut found = Found::default();
    for line in text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '['])) {
        let Some((head, behind)) = line.split_once(':') else {
            found
                .included
                .extend(line.strip_prefix("import ").map(|name| name.trim().trim_matches(['\'', '"']).into()));
            continue;
        };
        let name = head.trim_start_matches('@').split_whitespace().next().unwrap_or_default();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if behind.starts_with('=') {
            // `alias b := build` is called by its first name.
            found.targets.extend(head.strip_prefix("alias ").map(|name| name.trim().to_owned()));
        } else if is_name {
            found.targets.push(name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let found = |program: &str, words: &str| {
            let found = targets(program, folder.path(), words.split_whitespace());
            found.map(|names| names.join(" "))
        };
        assert_eq!(found("make", ""), None);
        let text = "CC := gcc\nA = x:y\nall: a.o \\\n  b.o\n.PHONY: all clean-all\n%.o: %.c\n\tcc $<\n$(OUT): x\n\
                    clean-all:\n\trm x: y\ndefine X\nno: y\nendef\nsub/one two &: z # c: d\ninclude more.mk $(X)\n.SUFFIXES:\n";
        std::fs::write(folder.path().join("Makefile"), text).unwrap();
        std::fs::write(folder.path().join("more.mk"), "deploy::\n\tx\ninclude Makefile\n").unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("in/other"), "there:\n").unwrap();
        assert_eq!(found("make", "-j4").as_deref(), Some("all clean-all deploy sub/one two"));
        assert_eq!(found("make", "-C in -f other").as_deref(), Some("there"));
        assert_eq!(found("make", "-Cin --file=other").as_deref(), Some("there"));
        assert_eq!(found("make", "-f nofile"), None);
        assert_eq!(found("ninja", ""), None);
        let text = "x := 'a'\nalias b := build\n# c\n@build target='all': dep\n  cargo x: y\n_private:\ntest *args:\n";
        std::fs::write(folder.path().join("justfile"), text).unwrap();
        assert_eq!(found("just", "").as_deref(), Some("b build test"));
        std::fs::remove_file(folder.path().join("Makefile")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join("Makefile")).status().unwrap().success());
        assert_eq!(found("make", ""), None);
    }
}
