//! What a Rust file imports of its own crate, read from its text: `use` trees and paths written out.
//!
//! A reader of text and not of syntax: it does not know macros, and takes a path for what it looks like. That is enough to
//! see which file needs which.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::Tree;

/// The files of one crate by module path (`""` is the crate's root), with the modules that each imports.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    /// Module path to the modules that it imports.
    pub(crate) of: BTreeMap<String, BTreeSet<String>>,
}

impl Imports {
    /// Reads the files below a crate's `src/`; unit tests do not count.
    pub(crate) fn read(tree: &Tree, source: &str) -> Self {
        let mut files = BTreeMap::new();
        for file in tree.rust() {
            let Some(path) = file.path.strip_prefix(source).and_then(|path| path.strip_suffix(".rs")) else { continue };
            let module = if path == "lib" || path == "main" { String::new() } else { path.replace('/', "::") };
            if !module.split("::").any(|part| part == "tests") {
                files.insert(module, code(&file.text));
            }
        }
        let of = files
            .iter()
            .map(|(module, code)| {
                let found = paths(code).into_iter().filter_map(|path| resolve(&path, module, &files));
                (module.clone(), found.filter(|to| to != module && !to.is_empty()).collect())
            })
            .collect();
        Self { of }
    }

    /// Returns the sets of modules that import one another in a circle, the largest first.
    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        let reached: BTreeMap<&String, BTreeSet<&String>> =
            self.of.keys().map(|from| (from, self.reach(from))).collect();
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        let mut circles = Vec::new();
        for (from, reach) in &reached {
            if seen.contains(from) || !reach.contains(from) {
                continue;
            }
            let circle: Vec<String> = reach
                .iter()
                .filter(|to| reached.get(*to).is_some_and(|back| back.contains(from)))
                .map(|to| (*to).clone())
                .collect();
            seen.extend(reach.iter().filter(|to| circle.contains(to)));
            circles.push(circle);
        }
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }

    /// Returns what a module reaches over imports; itself only where it is in a circle.
    fn reach<'a>(&'a self, from: &str) -> BTreeSet<&'a String> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&String> = self.of.get(from).into_iter().flatten().collect();
        while let Some(module) = open.pop() {
            if reached.insert(module) {
                open.extend(self.of.get(module).into_iter().flatten());
            }
        }
        reached
    }
}

/// Returns a file without its comments and without what follows the head of its unit tests.
pub(crate) fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Returns the paths that begin at the crate, the module above or this module: of `use` trees, and written out.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, statement) in statements(code) {
        match at {
            Place::Use => branches(statement, "", &mut found),
            Place::Code => found.extend(written_out(statement)),
        }
    }
    found.retain(|path| ["crate::", "super::", "self::"].iter().any(|root| path.starts_with(root)));
    found
}

enum Place {
    Use,
    Code,
}

/// Cuts code into the trees of its `use` statements and what is between them.
fn statements(code: &str) -> Vec<(Place, &str)> {
    let mut parts = Vec::new();
    let mut rest = code;
    while let Some(at) = find_use(rest) {
        let (before, from) = rest.split_at(at);
        parts.push((Place::Code, before));
        let (tree, after) = from.split_once(';').unwrap_or((from, ""));
        parts.push((Place::Use, tree.trim_start_matches("use ").trim()));
        rest = after;
    }
    parts.push((Place::Code, rest));
    parts
}

fn find_use(code: &str) -> Option<usize> {
    code.match_indices("use ").map(|(at, _)| at).find(|at| {
        let before = code.get(..*at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        line.is_empty() || line.starts_with("pub")
    })
}

/// Takes a `use` tree apart: `a::{b, c::{d, e}}` is `a::b`, `a::c::d`, `a::c::e`.
fn branches(tree: &str, above: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, inner)) = tree.split_once('{') else {
        let name = tree.split_whitespace().next().unwrap_or_default();
        if !name.is_empty() {
            found.push(format!("{above}{name}"));
        }
        return;
    };
    let above = format!("{above}{}", head.trim());
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut from) = (0_i32, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches(inner.get(from..at).unwrap_or_default(), &above, found);
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the paths in code that begin with `crate::` or `super::`.
fn written_out(code: &str) -> Vec<String> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.split(|c| !is_path(c))
        .filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
        .map(str::to_owned)
        .collect()
}

/// Finds the file that a path leads into: the deepest module on its way.
fn resolve(path: &str, module: &str, files: &BTreeMap<String, String>) -> Option<String> {
    let mut parts = path.split("::").peekable();
    let mut at: Vec<&str> = match parts.next()? {
        "crate" => Vec::new(),
        root => {
            let mut at: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
            if root == "super" {
                at.pop();
                while parts.next_if_eq(&"super").is_some() {
                    at.pop();
                }
            }
            at
        }
    };
    for part in parts {
        at.push(part);
        if !files.contains_key(&at.join("::")) {
            at.pop();
            break;
        }
    }
    Some(at.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::File;

    fn imports(files: &[(&str, &str)]) -> Imports {
        let files = files.iter().map(|(path, text)| File {
            path: format!("crates/x/src/{path}"),
            text: (*text).into(),
            executable: false,
        });
        Imports::read(&Tree { files: files.collect() }, "crates/x/src/")
    }

    #[test]
    fn imports_are_read_from_use_trees_and_paths() {
        let found = imports(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\n"),
            ("a.rs", "//! crate::c is not meant.\nuse std::fmt;\nuse crate::{b::{self, deep::{Deep, Other as O}}};\n"),
            (
                "b.rs",
                "mod deep;\nfn f() { super::c::g(); } // crate::a\n#[cfg(test)]\nmod tests {\n use crate::a;\n}\n",
            ),
            ("b/deep.rs", "pub(crate) use super::Thing;\n"),
            ("c.rs", "pub(super) fn g() { \"use crate::a\"; }\n"),
            ("c/tests.rs", "use crate::a;"),
        ]);
        let of = |module: &str| found.of.get(module).map(|to| to.iter().cloned().collect::<Vec<_>>().join(" "));
        assert_eq!(of("a").as_deref(), Some("b b::deep"));
        assert_eq!(of("b").as_deref(), Some("c"));
        assert_eq!(of("b::deep").as_deref(), Some("b"));
        assert_eq!(of("c/tests"), None);
    }

    #[test]
    fn circles_are_found_whole() {
        let found = imports(&[
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::C;"),
            ("c.rs", "use crate::a::A;\nuse crate::d::D;"),
            ("d.rs", "use crate::e::E;"),
            ("e.rs", "use crate::d::D;"),
            ("f.rs", "use crate::a::A;"),
        ]);
        let circles: Vec<String> = found.circles().iter().map(|circle| circle.join(" ")).collect();
        assert_eq!(circles, ["a b c", "d e"]);
    }
}
