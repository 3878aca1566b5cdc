//! Patterns of paths against the real folders, as the shell expands them.

use std::fs;
use std::path::{Path, PathBuf};

use aish_safety::change::matches_pattern;

/// The most paths of one pattern.
const MOST: usize = 20_000;

/// Returns the paths that match, sorted; none where nothing does.
pub fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let (start, rest) = match pattern.strip_prefix('/') {
        Some(rest) => (PathBuf::from("/"), rest),
        None => (root.to_owned(), pattern),
    };
    let mut found = vec![start];
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        let part = plain(part);
        let mut next = Vec::new();
        for folder in &found {
            if !part.contains(['*', '?', '[']) {
                next.push(folder.join(&part));
                continue;
            }
            let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
            for name in names {
                let text = name.to_string_lossy();
                let hidden = text.starts_with('.') && !part.starts_with('.');
                if !hidden && matches_pattern(&part, &text) && next.len() < MOST {
                    next.push(folder.join(&name));
                }
            }
        }
        found = next;
    }
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    found.sort();
    found
}

/// Takes extended patterns, `!(a|b)`, for `*`: too much rather than too little.
fn plain(part: &str) -> String {
    let mut out = String::new();
    let mut letters = part.chars().peekable();
    while let Some(letter) = letters.next() {
        if matches!(letter, '!' | '@' | '+' | '?' | '*') && letters.peek() == Some(&'(') {
            let mut depth = 0usize;
            for inner in letters.by_ref() {
                match inner {
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            out.push('*');
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_expanded_as_by_the_shell() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.log", "b.log", ".hidden.log", "c.txt", "sub/d.log", "sub/[x].log"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let check = |pattern: &str, expected: &[&str]| {
            let found: Vec<String> = expand(folder.path(), pattern)
                .iter()
                .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
                .collect();
            assert_eq!(found, expected, "{pattern}");
        };
        check("*.log", &["a.log", "b.log"]);
        check(".*.log", &[".hidden.log"]);
        check("*/*.log", &["sub/[x].log", "sub/d.log"]);
        check("sub/[[]x].log", &["sub/[x].log"]);
        check("!(a).log", &["a.log", "b.log"]);
        check("no*", &[]);
    }
}
