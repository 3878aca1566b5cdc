//! Every page of the documentation is in the book once, and what a page links to is there.

use crate::finding::Finding;
use crate::tree::{File, Tree};

/// The book's table of contents.
const CONTENTS: &str = "docs/SUMMARY.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let pages = || tree.files.iter().filter(|file| file.folder() == "docs" && file.name().ends_with(".md"));
    if let Some(contents) = tree.find(CONTENTS) {
        for page in pages().filter(|page| page.path != CONTENTS) {
            match links(&contents.text).filter(|link| *link == page.name()).count() {
                1 => {}
                0 => findings.push(Finding::new(&page.path, format!("is not in {CONTENTS}"))),
                _ => findings.push(Finding::new(&page.path, format!("is in {CONTENTS} more than once"))),
            }
        }
    }
    for page in pages().chain(tree.files.iter().filter(|file| file.folder().is_empty() && file.name().ends_with(".md")))
    {
        for link in links(&page.text).filter(|link| !resolves(tree, page, link)) {
            findings
                .push(Finding::new(&page.path, format!("links to {link}, which is not in the repository or its book")));
        }
    }
    findings
}

/// Lists where the links of a page lead to, without those to other hosts and within the page.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?.split('#').next()?;
        (!target.is_empty() && !target.contains("://") && !target.contains([' ', '\n'])).then_some(target)
    })
}

/// Tells whether a link leads to a file; the site of the book has nothing outside its folder.
fn resolves(tree: &Tree, page: &File, link: &str) -> bool {
    let folder = page.folder();
    let path = if folder.is_empty() { link.to_owned() } else { format!("{folder}/{link}") };
    let path = path.trim_end_matches('/');
    tree.files
        .iter()
        .any(|file| file.path == path || file.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn forgotten_pages_and_dead_links_are_found() {
        let files = [
            ("docs/SUMMARY.md", "- [A](a.md)\n- [A again](a.md)\n- [B](b.md)\n"),
            ("docs/a.md", "see [b](b.md#part), ![a picture](images/p.svg) and [there](https://example.com/x)"),
            ("docs/b.md", "see [nothing](c.md)"),
            ("docs/forgotten.md", "[the crates](../crates/)"),
            ("docs/images/p.svg", ""),
            ("crates/x/src/lib.rs", ""),
            ("README.md", "[a](docs/a.md), [the crates](crates/), [gone](docs/gone.md)"),
        ];
        let found = places(&check(&tree(&files))).join(" ");
        assert_eq!(found, "docs/a.md docs/forgotten.md docs/b.md docs/forgotten.md README.md");
    }
}
