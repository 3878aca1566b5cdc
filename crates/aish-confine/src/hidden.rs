//! Files of secrets: what seems empty inside a confined run unless the person says otherwise.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use aish_types::secret_files::{AT_HOME, ELSEWHERE, FOLDERS_OF_SETTINGS, OPEN_IN_SSH, names_secret};

use crate::dotenv::is_or_copies;
use crate::mounts::Mounts;
use crate::named_places::{of_variables, other_homes};
use crate::secret_settings::holds_secret;

/// Entries of a folder that are looked at.
const MOST: usize = 2_000;

/// Lists the files and folders of secrets that are there, with links followed to where the secret lies. `open` are folders
/// that are worked in: the home of another person around one is not hidden as a whole.
///
/// Looked at are the homes of this person, what variables of this process name in the place of the usual, and each path by which
/// mounts show the same.
pub fn secrets(home: Option<&Path>, open: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = places(home, open, std::env::vars_os());
    Mounts::read().add_others(&mut found, &kept(home, open));
    found
}

/// Lists what no cover may lie around: it is worked in.
pub(crate) fn kept(home: Option<&Path>, open: &[PathBuf]) -> Vec<PathBuf> {
    home.map(Path::to_owned).into_iter().chain(open.iter().cloned()).collect()
}

/// The same by one path each. `variables` are those that may name places.
pub(crate) fn places(
    home: Option<&Path>,
    open: &[PathBuf],
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for home in home.map(Path::to_owned).into_iter().chain(other_homes(home)) {
        of_home(&home, open, &mut found);
    }
    let (patterns, settings) = of_variables(variables, home);
    let mut named = Vec::new();
    for pattern in &patterns {
        expand(pattern, &mut named);
    }
    for folder in settings.iter().flat_map(|folder| entries(folder, open, |_| true).0) {
        named.extend(entries(&folder, open, |_| true).1.into_iter().filter(|file| is_secret(file, open)));
    }
    let kept = kept(home, open);
    // A name leads to the file; a device, or what all work is in, is no secret.
    named.retain(|path| {
        let real = fs::canonicalize(path).ok().filter(|real| real.is_file() || real.is_dir());
        real.is_some_and(|real| real.parent().is_some() && !kept.iter().any(|inside| inside.starts_with(&real)))
    });
    found.append(&mut named);
    for pattern in ELSEWHERE {
        expand(Path::new(pattern), &mut found);
    }
    if rustix::process::geteuid().is_root() {
        // Root could read the homes of others, with all the same secrets in them.
        let others = fs::read_dir("/home").into_iter().flatten().flatten().map(|entry| entry.path());
        let others = others.chain([PathBuf::from("/root")]);
        for other in others.filter(|other| other.is_dir() && home.is_none_or(|home| home != other)) {
            if open.iter().map(PathBuf::as_path).chain(home).any(|inside| inside.starts_with(&other)) {
                of_home(&other, open, &mut found);
            } else {
                found.push(other);
            }
        }
    }
    let mut found: Vec<PathBuf> = found.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    found.sort();
    found.dedup();
    found
}

/// Adds the secrets of one home: the places that are known, and files of settings whose names say what they hold, or that hold a
/// secret whatever their name.
fn of_home(home: &Path, open: &[PathBuf], found: &mut Vec<PathBuf>) {
    for pattern in AT_HOME {
        expand(&home.join(pattern), found);
    }
    let is_dotted = |name: &str| name.starts_with('.');
    let (mut folders, files) = entries(home, open, is_dotted);
    let is_around = |path: &&PathBuf| open.iter().any(|inside| inside.starts_with(path));
    found.extend(files.iter().chain(&folders).filter(|path| !is_around(path) && is_copy(path)).cloned());
    found.extend(files.into_iter().filter(|file| is_secret(file, open)));
    for below in FOLDERS_OF_SETTINGS {
        folders.extend(entries(&home.join(below), open, |_| true).0);
    }
    for folder in folders.iter().filter(|folder| !folder.ends_with(".ssh")) {
        found.extend(entries(folder, open, |_| true).1.into_iter().filter(|file| is_secret(file, open)));
    }
}

/// Says whether what lies right in a home is called as a copy of a known secret: `.netrc~`, `.ssh.bak`.
fn is_copy(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let known = AT_HOME.iter().map(|known| known.trim_end_matches("/*")).filter(|known| !known.contains(['/', '*']));
    known.filter(|known| name != known.as_bytes()).any(|known| is_or_copies(name, known))
}

/// Says whether a file of settings is a secret by its name or by what it holds. Where is worked, content says nothing.
fn is_secret(file: &Path, open: &[PathBuf]) -> bool {
    is_named_secret(file) || !is_within(open, file) && holds_secret(file)
}

fn is_within(folders: &[PathBuf], file: &Path) -> bool {
    folders.iter().any(|folder| file.starts_with(folder))
}

/// Lists the folders and the files right in a folder whose names are asked for. A link is what it leads to, but where is worked.
fn entries(folder: &Path, open: &[PathBuf], is_asked_for: impl Fn(&str) -> bool) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST) {
        if !is_asked_for(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let (mut path, mut kind) = (entry.path(), entry.file_type().ok());
        if kind.is_some_and(|kind| kind.is_symlink()) {
            let real = fs::canonicalize(&path).ok().filter(|real| !is_within(open, real));
            kind = real.as_ref().and_then(|real| Some(real.metadata().ok()?.file_type()));
            path = real.unwrap_or(path);
        }
        match kind {
            Some(kind) if kind.is_dir() => folders.push(path),
            Some(kind) if kind.is_file() => files.push(path),
            Some(_) | None => {}
        }
    }
    (folders, files)
}

fn is_named_secret(file: &Path) -> bool {
    file.file_name().is_some_and(|name| names_secret(&name.to_string_lossy()))
}

/// Adds what matches a path whose last component may begin or end with `*`, with links followed.
pub(crate) fn add(pattern: &Path, hidden: &mut Vec<PathBuf>) {
    let mut found = Vec::new();
    expand(pattern, &mut found);
    hidden.extend(found.iter().filter_map(|path| fs::canonicalize(path).ok()));
}

/// Lists what matches a path whose last component may begin or end with `*`.
fn expand(pattern: &Path, found: &mut Vec<PathBuf>) {
    let (Some(folder), Some(name)) = (pattern.parent(), pattern.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    let Some((start, end)) = name.split_once('*') else {
        if pattern.symlink_metadata().is_ok() {
            found.push(pattern.to_owned());
        }
        return;
    };
    let in_ssh = folder.ends_with(".ssh");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let open = in_ssh && (OPEN_IN_SSH.contains(&&*name) || name.ends_with(".pub"));
        if name.starts_with(start) && name.ends_with(end) && !open {
            found.push(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hidden_and_public_keys_are_not() {
        let home = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(home.path()).unwrap();
        for folder in [".ssh", ".aws", ".cargo", "elsewhere"] {
            fs::create_dir(home.join(folder)).unwrap();
        }
        for file in [
            ".ssh/id_ed25519",
            ".ssh/id_ed25519.pub",
            ".ssh/known_hosts",
            ".ssh/config",
            ".cargo/credentials.toml",
            ".cargo/config.toml",
            "elsewhere/netrc",
        ] {
            fs::write(home.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(home.join("elsewhere/netrc"), home.join(".netrc")).unwrap();
        let found = secrets(Some(&home), &[]);
        let below: Vec<_> = found.iter().filter_map(|path| path.strip_prefix(&home).ok()?.to_str()).collect();
        assert_eq!(
            below,
            [".aws", ".cargo/credentials.toml", ".ssh/config", ".ssh/id_ed25519", "elsewhere/netrc"],
            "the link leads to the file that is hidden"
        );
    }

    #[test]
    fn files_of_settings_are_hidden_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let hidden = [".config/new/auth.json", ".deploy-token", ".local/share/app/session.key", ".tool/Credentials.db"];
        let open = [".config/new/settings.json", ".tool/tokenizer.json", ".tool/key.pub", "work/token", ".bashrc"];
        for file in hidden.iter().chain(&open) {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), "x").unwrap();
        }
        let found = secrets(Some(&home), &[]);
        let below: Vec<_> = found.iter().filter_map(|path| path.strip_prefix(&home).ok()?.to_str()).collect();
        assert_eq!(below, hidden);
    }

    #[test]
    fn copies_of_secrets_are_hidden_and_what_editors_keep() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let hidden =
            [".bash_history-01.tmp", ".config/Code/User/History", ".gnupg-old", ".netrc~", ".ssh.bak", ".vim/undodir"];
        let open = [".netrc.example", ".netrcs", ".ssh", ".config/Code/User/settings.json", ".vim/ftplugin/x"];
        for path in hidden.iter().chain(&open) {
            fs::create_dir_all(home.join(path).join("x").parent().unwrap()).unwrap();
        }
        let below = |open: &[PathBuf]| -> Vec<String> {
            let found = secrets(Some(&home), open);
            found.iter().filter_map(|path| Some(path.strip_prefix(&home).ok()?.display().to_string())).collect()
        };
        assert_eq!(below(&[]), hidden);
        assert_eq!(below(&[home.join(".ssh.bak/x")]).len(), hidden.len() - 1);
    }

    #[test]
    fn settings_that_links_lead_to_are_hidden_but_where_is_worked() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for path in ["dotfiles/app", "work", ".config"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        for file in ["dotfiles/app/settings.yml", "dotfiles/apprc", "work/token", "work/x.toml"] {
            fs::write(home.join(file), "token = a1B2c3D4e5\n").unwrap();
        }
        for (to, at) in
            [("../dotfiles/app", ".config/app"), ("dotfiles/apprc", ".apprc"), ("work", ".mine"), ("work/token", ".t")]
        {
            std::os::unix::fs::symlink(to, home.join(at)).unwrap();
        }
        let below = |open: &[PathBuf]| -> Vec<String> {
            let found = secrets(Some(&home), open);
            found.iter().filter_map(|path| Some(path.strip_prefix(&home).ok()?.display().to_string())).collect()
        };
        assert_eq!(below(&[home.join("work")]), ["dotfiles/app/settings.yml", "dotfiles/apprc"]);
        assert_eq!(below(&[home.join("dotfiles")]), ["work/token", "work/x.toml"]);
    }

    #[test]
    fn the_home_of_another_is_hidden_but_for_who_works_in_it() {
        if !rustix::process::geteuid().is_root() || !Path::new("/root").is_dir() {
            return;
        }
        let nobody = Path::new("/nonexistent");
        let root = PathBuf::from("/root");
        assert!(secrets(Some(nobody), &[]).contains(&root));
        assert!(!secrets(Some(nobody), &[root.join("work")]).contains(&root));
        assert!(!secrets(Some(&root.join("home")), &[]).contains(&root));
        assert!(!secrets(Some(&root), &[]).contains(&root));
    }
}
