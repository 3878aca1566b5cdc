//! Where symbolic links of a layer lead: those that lead out of the tree are not kept.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::attributes::{Attributes, FileKind};

/// System folders that a link may lead into: nobody's own files are there.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix/store", "/dev/null"];

/// Links that are followed to find out where one leads; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// Says whether a link leads out of the tree, by its words or by way of other links, as they are in the layer and below it.
pub(crate) fn leads_out(path: &Path, target: PathBuf, tree: &Path, upper: &Path) -> io::Result<bool> {
    Ok(leads_out_by_words(path, &target, tree) || is_led_out(path, target, tree, upper)?)
}

/// Says whether a link leads out of the tree by its words alone, and not into the system's folders. One that climbs behind a
/// name does, too: where the name is a link itself, now or later, it climbs from where that leads.
fn leads_out_by_words(path: &Path, target: &Path, tree: &Path) -> bool {
    use std::path::Component;
    if target.is_absolute() {
        let climbs = target.components().any(|part| part == Component::ParentDir);
        return climbs || !(target.starts_with(tree) || SYSTEM.iter().any(|folder| target.starts_with(folder)));
    }
    let depth = path.components().count().saturating_sub(1);
    let climbs = |part: &Component<'_>| *part == Component::ParentDir;
    let parts = || target.components().filter(|part| *part != Component::CurDir);
    let up = parts().take_while(climbs).count();
    up > depth || parts().skip(up).any(|part| climbs(&part))
}

/// Says whether a link leads out of the tree by way of other links, as they are in the layer and below it. One that leads to
/// itself leads nowhere.
fn is_led_out(path: &Path, target: PathBuf, tree: &Path, upper: &Path) -> io::Result<bool> {
    let parts = |path: &Path| path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
    let mut at = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut left: Vec<PathBuf> = parts(&target);
    let mut met: BTreeSet<(PathBuf, Vec<PathBuf>)> = BTreeSet::new();
    met.insert((path.to_owned(), Vec::new()));
    while let Some(part) = left.pop() {
        if part.is_absolute() {
            // Put together again: it is in the tree, or ends here.
            let whole: PathBuf = std::iter::once(part).chain(left.drain(..).rev()).collect();
            let Ok(below) = whole.strip_prefix(tree) else {
                let climbs = whole.components().any(|part| part == std::path::Component::ParentDir);
                return Ok(climbs || !SYSTEM.iter().any(|folder| whole.starts_with(folder)));
            };
            (at, left) = (PathBuf::new(), parts(below));
            continue;
        }
        match part.as_os_str().as_encoded_bytes() {
            b"." => continue,
            b".." if at.pop() => continue,
            b".." => return Ok(true),
            _ => at.push(&part),
        }
        if let Some(target) = link(&at, tree, upper)? {
            if !met.insert((at.clone(), left.clone())) {
                return Ok(false);
            }
            if met.len() > MOST_LINKS {
                return Ok(true);
            }
            at.pop();
            left.extend(parts(&target));
        }
    }
    Ok(false)
}

/// Returns where a link leads that is in the layer, or in the tree and not covered; none for everything else.
fn link(path: &Path, tree: &Path, upper: &Path) -> io::Result<Option<PathBuf>> {
    let (above, below) = (upper.join(path), tree.join(path));
    let there = match Attributes::of(&above)? {
        Some(attributes) => Some((above, attributes)),
        None => Attributes::of(&below)?.map(|attributes| (below, attributes)),
    };
    let link = there.filter(|(_, attributes)| attributes.kind == FileKind::Link);
    link.map(|(path, _)| fs::read_link(path)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, upper) = (folder.path().join("tree"), folder.path().join("upper"));
        for path in [&tree, &upper, &tree.join("d"), &upper.join("d")] {
            fs::create_dir(path).unwrap();
        }
        let link = |path: &str, target: &Path| std::os::unix::fs::symlink(target, upper.join(path)).unwrap();
        for (path, target) in [("loop", "loop"), ("d/b", "b"), ("a1", "a2"), ("a2", "a1"), ("d/up", "up/x")] {
            link(path, Path::new(target));
        }
        link("far", &tree.join("far"));
        // Forty-one behind one another, the last one out of the tree.
        (0..41).for_each(|number| link(&format!("l{number}"), Path::new(&format!("l{}", number + 1))));
        link("l41", Path::new("/etc"));
        let leads = |path: &str| {
            let target = fs::read_link(upper.join(path)).unwrap();
            leads_out(Path::new(path), target, &tree, &upper).unwrap()
        };
        assert!(!leads("loop") && !leads("d/b") && !leads("a1") && !leads("a2") && !leads("far"));
        assert!(leads("l0") && leads("l20") && leads("l41"));
    }

    #[test]
    fn links_are_followed_by_their_words() {
        let leads = |path: &str, target: &str| {
            leads_out_by_words(Path::new(path), Path::new(target), Path::new("/home/a/tree"))
        };
        for target in ["b", "./b", "../b", "../c/b", "/home/a/tree/x", "/usr/bin/python3"] {
            assert!(!leads("a/l", target), "{target}");
        }
        for target in [
            "../c/../b",
            "c/..",
            "./../c/..",
            "../../b",
            "/home/a",
            "/home/a/tree/../x",
            "/usr/../etc/passwd",
            "../c/../../b",
            "/tmp/x",
        ] {
            assert!(leads("a/l", target), "{target}");
        }
    }
}
