//! Guarded places by path and content alone, for who writes a file of a tree himself.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use super::{BUILT, IMPORTED, LED_TO, RESULTS, imports, instructs, is_entered, leads, package_json};
use crate::git_index::{self, Index};

/// Says why a change of a file of a tree is one that a person decides on; none for ordinary files. `path` is below the
/// root, `old` and `new` are the texts, empty for a file that is not there; `home` is the person's home folder.
pub fn guarded(root: &Path, home: Option<&Path>, path: &Path, old: &str, new: &str) -> Option<&'static str> {
    if path.ancestors().skip(1).any(|folder| is_repository(root, folder, path)) {
        return Some("it is git's own");
    }
    if leads::of(root, home).iter().any(|lead| path.starts_with(lead)) {
        return Some(LED_TO);
    }
    if path.ancestors().skip(1).any(|folder| imports::of(root, folder, home).iter().any(|import| import == path)) {
        return Some(IMPORTED);
    }
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_) => None,
    });
    let mut is_built = false;
    let mut folder = PathBuf::new();
    for name in names {
        folder.push(name);
        let name = name.to_string_lossy();
        if name == ".git" {
            return Some("it is git's own");
        }
        if instructs(&name) || name == "skills" && !is_built {
            return Some("it instructs models");
        }
        // What git has in a folder is no result of a build.
        is_built |= (BUILT.contains(&&*name) && folder != path || RESULTS.contains(&&*name))
            && !git_index::around(root, &folder).any(|(work_tree, below)| {
                let index = Index::of(&root.join(work_tree), BUILT);
                index.is_some_and(|index| index.has_in(below.as_os_str().as_bytes()))
            });
        if name.starts_with('.') && !is_built {
            return Some("its name begins with a dot: settings are kept there");
        }
        if let Some(why) = misleads(&name)
            && !is_built
        {
            return Some(why);
        }
    }
    if !is_built && path.file_name().is_some_and(|name| is_entered(&name.to_string_lossy())) {
        return Some("programs take settings from it");
    }
    let is_package = path.file_name().is_some_and(|name| name == "package.json") && !is_built;
    (is_package && !package_json::runs_the_same(old, new)).then_some("it names scripts that are run")
}

/// Says why a name does something by itself, in the person's own later commands.
pub(super) fn misleads(name: &str) -> Option<&'static str> {
    if name.starts_with('-') {
        return Some("its name begins with a dash: programs take it for an option");
    }
    name.contains(char::is_control)
        .then_some("its name has characters that are no letters: a line end, or a terminal's orders")
}

/// Says whether git takes a folder for a repository's own, whatever it is called, once there is something at a path in it.
fn is_repository(root: &Path, folder: &Path, path: &Path) -> bool {
    let within = path.strip_prefix(folder).ok().and_then(|below| below.components().next());
    let has = |name: &str| {
        within.is_some_and(|part| part.as_os_str() == name) || root.join(folder).join(name).symlink_metadata().is_ok()
    };
    has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_files_are_not_guarded() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["bare/objects", "bare/refs"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::write(root.join("bare/HEAD"), "ref: refs/heads/main\n").unwrap();
        let of = |path: &str| guarded(root, None, Path::new(path), "", "{\"scripts\":{\"a\":\"b\"}}");
        for path in ["src/main.rs", "target/.hidden", "README.md", "docs/x/y"] {
            assert_eq!(of(path), None, "{path}");
        }
        for name in ["begun/refs", "begun/hooks"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::write(root.join("begun/HEAD"), "").unwrap();
        assert!(of("begun/objects/x").is_some() && of("begun/x").is_none());
        for path in
            [".git/config", ".github/x.yml", "a/AGENTS.md", "skills/x/a.md", "bare/config", "package.json", ".env"]
        {
            assert!(of(path).is_some(), "{path}");
        }
        std::fs::write(root.join("CLAUDE.md"), "@docs/style.md").unwrap();
        assert!(of("docs/style.md").is_some());
        assert_eq!(guarded(root, None, Path::new("package.json"), "{\"version\":\"1\"}", "{\"version\":\"2\"}"), None);
    }
}
