//! Folders that are called like files of secret settings, as `.env/production`, `.env.d/a` and `.envs/.production/.django` are kept: what
//! a file in them is called or holds decides.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use aish_types::{NameContext, is_secret_name};

use crate::dotenv::is_dotenv_bytes;
use crate::key_files;

/// What a folder of programs has that is called `.env` as well: environments of Python, of Conda and of Node.
const OF_ENVIRONMENTS: &[&str] = &["pyvenv.cfg", "conda-meta", "bin/activate"];

/// Says whether a folder is so called.
pub(crate) fn is_named(name: &[u8]) -> bool {
    is_dotenv_bytes(name) || name == b".envs"
}

/// Says whether a path has `.env` in it at all: asked of very many.
pub(crate) fn may_be_below(path: &[u8]) -> bool {
    path.windows(b".env".len()).any(|four| four == b".env") && path.rsplit(|byte| *byte == b'/').skip(1).any(is_named)
}

/// Says whether a folder is one: it is so called, and is no environment of programs.
pub(crate) fn is_one(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| is_named(name.as_bytes())) && !is_environment(folder)
}

/// Says whether a folder has programs and their libraries in it.
pub(crate) fn is_environment(folder: &Path) -> bool {
    OF_ENVIRONMENTS.iter().any(|name| folder.join(name).exists())
}

/// Says whether a file in such a folder is a secret: it is called like a variable that holds one, as programs read a file for each, or
/// it holds one.
pub(crate) fn has_secret(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().as_bytes();
    let is_variable = name.iter().all(|byte| *byte == b'_' || byte.is_ascii_alphanumeric());
    is_variable && is_secret_name(name, NameContext::Text) || key_files::is_one(file)
}

/// Says whether a file may lie in such a folder, by its path alone.
pub fn may_be_in_dotenv(file: &Path) -> bool {
    may_be_below(file.as_os_str().as_bytes())
}

/// Says whether a file of a tree lies in such a folder and is a secret.
pub fn is_in_dotenv(file: &Path, root: &Path) -> bool {
    let below = file.strip_prefix(root).ok().filter(|below| may_be_below(below.as_os_str().as_bytes()));
    let mut folders = below.into_iter().flat_map(|below| below.ancestors().skip(1)).map(|folder| root.join(folder));
    folders.any(|folder| folder != root && is_one(&folder)) && has_secret(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_in_such_a_folder_is_told_by_name_and_content() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let secret = "A=1\nDB_PASSWORD=tr0ub4dor\n";
        let cases = [
            (".env/production", secret, true),
            (".env/colours", "A=1\n", false),
            (".env.d/deep/a", secret, true),
            (".env.d/API_KEY", "x\n", true),
            ("pk/.envs/.production/.django", secret, true),
            (".env.example/a", secret, false),
            (".environment/a", secret, false),
            ("venv/.env/pyvenv.cfg", "", false),
            ("venv/.env/lib/a", secret, false),
            ("a", secret, false),
        ];
        for (path, text, _) in cases {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        for (path, _, expected) in cases {
            assert_eq!(is_in_dotenv(&root.join(path), &root), expected, "{path}");
        }
        assert!(!is_in_dotenv(&root.join(".env/production"), &root.join(".env")), "the tree itself is so called");
    }
}
