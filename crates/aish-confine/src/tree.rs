//! Which folders a run may write to through a layer: the tree around the working folder.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Bytes of a file that names a repository; a longer one names none.
const LONGEST_POINTER: u64 = 4096;

/// Returns the tree around a folder: the root of the git work tree, a repository without one, else the folder itself; with
/// the folder of the repository where that lies elsewhere. Nothing for `/`, the home folder and what contains it.
///
/// `folder` and `home` are absolute and without links in them.
pub fn tree(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let is_too_large = |path: &Path| path.parent().is_none() || home.is_some_and(|home| home.starts_with(path));
    let is_root = |path: &&Path| is_own(&path.join(".git")) || is_repository(path);
    let git = folder.ancestors().take_while(|path| !is_too_large(path)).find(is_root);
    // Inside a repository's own folder the work tree around it is what is worked on.
    let git = git.map(|found| match found.parent() {
        Some(parent) if found.ends_with(".git") && !is_too_large(parent) => parent,
        _ => found,
    });
    let Some(root) = git.or_else(|| (!is_too_large(folder)).then_some(folder)) else { return Vec::new() };
    let mut roots = vec![root.to_owned()];
    let elsewhere = repository(root).filter(|path| !path.starts_with(root) && !is_too_large(path));
    roots.extend(elsewhere);
    roots
}

/// Says whether a path is there and not another person's: anybody can make a `.git` in a shared folder.
fn is_own(path: &Path) -> bool {
    let own = rustix::process::geteuid();
    fs::symlink_metadata(path).is_ok_and(|meta| own.is_root() || meta.uid() == own.as_raw())
}

/// Says whether git takes a folder for a repository's own, as it does for `.git` and for bare ones.
pub fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").symlink_metadata().is_ok()
        && (folder.join("commondir").is_file() || (folder.join("objects").is_dir() && folder.join("refs").is_dir()))
}

/// Returns the folder of the repository of a linked work tree or a submodule, whose `.git` is a file that names it.
pub(crate) fn repository(root: &Path) -> Option<PathBuf> {
    let named = fs::canonicalize(root.join(pointer(&root.join(".git"))?)).ok()?;
    // A linked work tree has a folder of its own inside the common one, which a commit writes to as well.
    let common = short_text(&named.join("commondir"));
    let common = common.and_then(|text| fs::canonicalize(named.join(text.trim())).ok());
    let found = common.unwrap_or(named);
    // Only what looks like a repository: the file could name any folder.
    (found.join("HEAD").is_file() && found.join("objects").is_dir()).then_some(found)
}

/// Reads what a `.git` file names, as it is written; none where it is none.
pub(crate) fn pointer(file: &Path) -> Option<PathBuf> {
    let text = short_text(file)?;
    // Git takes the rest of the file, line ends inside it included.
    Some(text.strip_prefix("gitdir: ")?.trim_end_matches(['\n', '\r']).into())
}

/// Reads a plain file of a line; a pipe or a device would never end.
fn short_text(file: &Path) -> Option<String> {
    let is_short = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() < LONGEST_POINTER);
    is_short.then(|| fs::read_to_string(file).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_the_work_tree_and_never_the_home_folder() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let at = |path: &str| home.join(path);
        for path in [
            "work/.git/objects",
            "work/.git/refs/heads",
            "work/sub/deep",
            "plain/deep",
            "linked",
            "work/.git/worktrees/linked",
            "evil",
            "bare.git/objects",
            "bare.git/refs/heads",
            "sub/module",
            "sub/.git/modules/module/objects",
            "sub/.git/modules/module/refs",
        ] {
            fs::create_dir_all(at(path)).unwrap();
        }
        for path in ["work/.git/HEAD", "bare.git/HEAD", "sub/.git/modules/module/HEAD"] {
            fs::write(at(path), "ref: refs/heads/main\n").unwrap();
        }
        fs::write(at("linked/.git"), format!("gitdir: {}\n", at("work/.git/worktrees/linked").display())).unwrap();
        fs::write(at("work/.git/worktrees/linked/commondir"), "../..\n").unwrap();
        fs::write(at("evil/.git"), format!("gitdir: {}\n", at("plain").display())).unwrap();
        fs::write(at("sub/module/.git"), "gitdir: ../.git/modules/module\n").unwrap();
        let of = |path: &str| tree(&at(path), Some(&home));
        assert_eq!(of("work/sub/deep"), [at("work")]);
        assert_eq!(of("work/.git/objects"), [at("work")]);
        assert_eq!(of("plain/deep"), [at("plain/deep")]);
        assert_eq!(of("linked"), [at("linked"), at("work/.git")]);
        assert_eq!(of("evil"), [at("evil")], "what is no repository is not opened for writing");
        assert_eq!(of("bare.git/refs/heads"), [at("bare.git")]);
        assert_eq!(of("sub/module"), [at("sub/module"), at("sub/.git/modules/module")]);
        assert_eq!(tree(&home, Some(&home)), Vec::<PathBuf>::new());
        assert_eq!(tree(home.parent().unwrap(), Some(&home)), Vec::<PathBuf>::new());
        assert_eq!(tree(Path::new("/"), None), Vec::<PathBuf>::new());
    }
}
