//! Files that settings of git name: those of logins, which are closed, and settings that are taken in.

use std::path::{Path, PathBuf};

use crate::secret_lines::section;
use crate::veil;

/// Keys whose value is a file of a secret.
const SECRET_FILES: &[&str] = &["cookiefile", "sslkey", "proxysslkey", "smtpsslclientkey"];

/// What a file of settings names; what is not there is among it.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub(crate) secrets: Vec<PathBuf>,
    pub(crate) settings: Vec<PathBuf>,
}

/// Reads a file of settings of a repository. A relative path may be meant from several folders: that of the settings, that of the
/// repository, or that which git runs in.
pub(crate) fn files(file: &Path, repository: &Path, root: &Path, home: Option<&Path>) -> Named {
    let mut named = Named::default();
    let Some(text) = veil::read(file) else { return named };
    let text = String::from_utf8_lossy(&text);
    let around = [file.parent().unwrap_or(repository), repository, repository.parent().unwrap_or(root), root];
    let places = |path: &str| -> Vec<PathBuf> {
        match path.strip_prefix("~/") {
            Some(rest) => home.map(|home| home.join(rest)).into_iter().collect(),
            // An absolute path stays one.
            None => around.iter().map(|folder| folder.join(path)).collect(),
        }
    };
    let mut within = Vec::new();
    for line in text.lines() {
        if let Some(begun) = section(line.as_bytes()) {
            within = begun;
        }
        let setting = line.rsplit_once("\"]").map_or(line, |(_, behind)| behind);
        let Some((key, value)) = setting.split_once('=') else { continue };
        let key = key.rsplit(']').next().unwrap_or(key).trim().to_ascii_lowercase();
        let value = value.trim().trim_matches('"');
        if key == "helper" {
            named.secrets.extend(stored_in(value).into_iter().flat_map(places));
        } else if SECRET_FILES.contains(&key.as_str()) && !value.is_empty() {
            named.secrets.extend(places(value));
        } else if key == "path" && within.starts_with(b"include") && !value.is_empty() {
            named.settings.extend(places(value));
        }
    }
    named.secrets.retain(|path| path.exists());
    named.settings.retain(|path| path.exists());
    named.secrets.dedup();
    named.settings.dedup();
    named
}

/// Lists the paths among the words of a helper: `store --file=PATH`, `store --file PATH`.
fn stored_in(command: &str) -> Vec<&str> {
    let words: Vec<&str> = command.split_ascii_whitespace().map(|word| word.trim_matches(['"', '\'', '\\'])).collect();
    let mut found: Vec<&str> = words.iter().filter_map(|word| word.strip_prefix("--file=")).collect();
    found.extend(words.windows(2).filter_map(|pair| matches!(pair, ["--file", _]).then(|| pair.last().copied())?));
    found.retain(|path| !path.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_that_settings_name_are_found_where_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let git = root.join("sub/.git");
        fs::create_dir_all(&git).unwrap();
        for path in ["sub/.git/credentials", "store", "cookies", "sub/.git/more", "sub/key.pem"] {
            fs::write(root.join(path), "").unwrap();
        }
        let config = git.join("config");
        let text = "[credential]\n\thelper = store --file=.git/credentials\n\thelper = \"store --file ../store\"\n\
            [credential \"https://x=y\"]\n\thelper = cache\n[http]\ncookieFile = ~/cookies\n[http \"https://x\"] sslKey = key.pem\n\
            [include] path = more\n[includeIf \"gitdir:a\"]\n\tpath = gone\n[core]\n\tpath = ../store\n";
        fs::write(&config, text).unwrap();
        let named = files(&config, &git, &root, Some(&root));
        let real = |paths: &[PathBuf]| paths.iter().map(|path| fs::canonicalize(path).unwrap()).collect::<Vec<_>>();
        let expected = ["sub/.git/credentials", "store", "cookies", "sub/key.pem"].map(|path| root.join(path));
        assert_eq!(real(&named.secrets), expected);
        assert_eq!(real(&named.settings), [root.join("sub/.git/more")]);
    }
}
