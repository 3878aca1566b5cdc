//! What lies around a tree and acts in it: what is read when one of its folders is entered, and what a repository around it runs.

use std::fs;
use std::path::{Path, PathBuf};

use super::leads::Leads;
use super::settings_files::{self, Of};
use super::walk::ENVRC;

impl Leads<'_> {
    /// Adds what files in folders around the tree lead to. `of_all` are files of git's settings that hold for all.
    pub(super) fn around(&mut self, of_all: &[PathBuf]) {
        let tree = self.tree;
        for folder in tree.ancestors().skip(1) {
            let envrc = folder.join(ENVRC);
            if envrc.is_file() {
                self.entered(&[envrc]);
            }
            if folder.join(".git").symlink_metadata().is_ok() {
                self.repository(folder, of_all);
            }
            // Those of the home folder are a person's, and looked at as such.
            if self.home != Some(folder) {
                self.settings(&settings(folder), Of::Folder(folder));
            }
        }
    }
}

/// Lists the files of settings right in a folder.
fn settings(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| settings_files::is_one(&entry.file_name(), false));
    files.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::leads::of;
    use super::*;

    #[test]
    fn what_lies_around_a_tree_and_names_something_in_it_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let tree = home.join("work/tree");
        let write = |path: &str, text: &str| {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for path in ["a.sh", "b", "c", "d/x", "plain", "src/x"] {
            write(&format!("work/tree/{path}"), "");
        }
        let found = || of(&tree, Some(&home)).iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        assert!(found().is_empty());
        write("work/.envrc", "source_env tree/a.sh\nPATH_add tree/d\n");
        assert_eq!(found(), ["a.sh", "d"]);
        write("work/.git/HEAD", "");
        write("work/.git/hooks/pre-commit", "sh tree/b; sh plain; run src");
        write("work/.pre-commit-config.yaml", "entry: tree/c\n");
        assert_eq!(found(), ["a.sh", "b", "c", "d"]);
    }

    #[test]
    fn settings_of_a_person_name_a_tree_by_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let tree = home.join("work/tree");
        fs::create_dir_all(&tree).unwrap();
        fs::create_dir_all(home.join(".ssh")).unwrap();
        std::os::unix::fs::symlink("work/tree", home.join("dot")).unwrap();
        for name in ["a.sh", "b", "plain"] {
            fs::write(tree.join(name), "").unwrap();
        }
        for (file, text, expected) in [
            (".bashrc", "W=$HOME/work\n. \"$W/tree/a.sh\"\n", &["a.sh"][..]),
            (".bashrc", "W=$HOME/work\n. \"$W/tree/later\"\n", &["later"]),
            (".bashrc", "W=~/work\nPATH=\"$W/tree/bin:$PATH\"\n", &["bin"]),
            (".bashrc", "W=~/work\ncd \"$W/tree\" && . ./b\n", &["b"]),
            (".bashrc", "ls $W/trees/a.sh; cat a.sh\n", &[]),
            (".vimrc", "so ~/dot/b\n", &["b"]),
            (".xsession", "exec ~/work/tree/b\n", &["b"]),
            (".lock.sh", "sh ~/work/tree/later", &["later"]),
            (".ssh/config", "Include ../work/tree/b\n", &["b"]),
        ] {
            fs::write(home.join(file), text).unwrap();
            let found = of(&tree, Some(&home));
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{file}: {text}");
            fs::remove_file(home.join(file)).unwrap();
        }
    }
}
