//! Files that instructions for models take in: a word `@path` in them stands for the file's text.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::ways::{Text, place, text, ways};

/// Files of instructions in which programs follow such words.
const IMPORTING: &[&str] = &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md"];

/// The same for all of a person's work, from the home folder.
const OF_PERSON: &[&str] = &[".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md", ".qwen/QWEN.md"];

/// Files that are read for what they take in: programs follow such words from file to file some five times.
const MOST: usize = 1000;

/// How a file is called that may come later and be taken in then.
const TEXTS: &[&str] = &["md", "mdc", "txt"];

/// Returns the files of a tree, relative to it, that instructions in one of its folders take in, in turn those that they
/// name; for the tree itself those of the person's and of folders around it too. `tree` has no links in its path.
pub(super) fn of(tree: &Path, folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut left: Vec<PathBuf> = IMPORTING.iter().map(|name| tree.join(folder).join(name)).collect();
    if folder.as_os_str().is_empty() {
        left.extend(home.into_iter().flat_map(|home| OF_PERSON.iter().map(move |name| home.join(name))));
        // Programs read those of folders around it, too.
        let around = tree.ancestors().skip(1);
        left.extend(around.flat_map(|folder| IMPORTING.iter().map(|name| folder.join(name))));
    }
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    while let Some(file) = left.pop() {
        if seen.len() >= MOST || !seen.insert(file.clone()) {
            continue;
        }
        // Where it is a link its words are taken from where that leads, and from where it lies.
        let real = fs::canonicalize(&file).ok();
        let folders: BTreeSet<&Path> =
            [Some(&file), real.as_ref()].into_iter().flatten().filter_map(|file| file.parent()).collect();
        // What stands behind its first megabytes reaches no model: none of them takes in as much.
        let Text { text, .. } = text(&file);
        for word in words(&text) {
            for folder in &folders {
                let ways = place(folder, home, &word).map(|path| ways(&path)).unwrap_or_default();
                let Some(last) = ways.last() else { continue };
                let is_text = |path: &Path| path.extension().is_some_and(|end| TEXTS.iter().any(|text| end == *text));
                if last.is_file() || !last.exists() && is_text(last) {
                    left.push(last.clone());
                    found.extend(ways.iter().filter_map(|path| path.strip_prefix(tree).ok()).map(Path::to_owned));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Lists the paths that a text takes in: words behind an `@` with nothing before it, without the marks that end a sentence.
fn words(text: &str) -> Vec<String> {
    // A blank in a path has a backslash before it.
    let text = text.replace("\\ ", "\0");
    let words = text.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let path =
        |word: &str| word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '*', '`']).replace('\0', " ");
    words.map(path).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_instructions_take_in_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap();
        let (tree, home) = (real.join("tree"), real.join("home"));
        for name in ["tree/docs/deep", "tree/sub", "home/.claude"] {
            fs::create_dir_all(real.join(name)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(real.join(path), text).unwrap();
        write(
            "tree/CLAUDE.md",
            "See @docs/style.md, @README and @later.md.\nMail a@docs/mail.md, `@docs/code.md` @nobody @~/own.md\n",
        );
        write("tree/docs/style.md", "- @deep/a\\ b.md\n- @../CLAUDE.md\n- @/etc/hostname\n");
        write("tree/sub/GEMINI.md", "@../docs/mail.md");
        for path in ["tree/README", "tree/docs/mail.md", "tree/docs/code.md", "tree/docs/deep/a b.md", "home/own.md"] {
            write(path, "");
        }
        write("home/own.md", &format!("@{}/docs/code.md", tree.display()));
        let of = |folder: &str, home| {
            let found = of(&tree, Path::new(folder), home);
            found.into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        let expected = ["CLAUDE.md", "README", "docs/deep/a b.md", "docs/style.md", "later.md"];
        assert_eq!(of("", None), expected);
        assert_eq!(of("", Some(home.as_path())), [&expected[..2], &["docs/code.md"], &expected[2..]].concat());
        assert_eq!(of("sub", None), ["docs/mail.md"]);
        assert_eq!(of("docs", None), [""; 0]);
        fs::write(real.join("tree/sub/GEMINI.md"), b"\xe9 @../docs/code.md").unwrap();
        assert_eq!(of("sub", None), ["docs/code.md"]);
        write("home/.claude/CLAUDE.md", &format!("@{}/docs/mail.md", tree.display()));
        assert!(of("", Some(home.as_path())).contains(&"docs/mail.md".to_owned()));
    }
}
