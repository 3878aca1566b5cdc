//! Places of secrets that variables name in the place of the usual ones, and homes that are a person's besides `$HOME`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use aish_types::secret_files::AT_HOME;
use aish_types::{NameContext, is_secret_name};

/// Variables that name another place for a folder of the home folder.
#[rustfmt::skip]
const FOLDERS: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"), ("XDG_DATA_HOME", ".local/share"), ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"), ("ZDOTDIR", ""), ("CARGO_HOME", ".cargo"), ("GNUPGHOME", ".gnupg"), ("DOCKER_CONFIG", ".docker"),
    ("PASSWORD_STORE_DIR", ".password-store"), ("PASSAGE_DIR", ".passage"), ("CLOUDSDK_CONFIG", ".config/gcloud"),
    ("AZURE_CONFIG_DIR", ".azure"), ("GH_CONFIG_DIR", ".config/gh"), ("GLAB_CONFIG_DIR", ".config/glab-cli"),
    ("HF_HOME", ".cache/huggingface"), ("CLAUDE_CONFIG_DIR", ".claude"), ("CODEX_HOME", ".codex"), ("COMPOSER_HOME", ".composer"),
    ("GRADLE_USER_HOME", ".gradle"), ("PULUMI_HOME", ".pulumi"), ("SNOWFLAKE_HOME", ".snowflake"),
    ("KAGGLE_CONFIG_DIR", ".kaggle"), ("STEPPATH", ".step"), ("WEECHAT_HOME", ".weechat"), ("FLY_CONFIG_DIR", ".fly"),
    ("BITWARDENCLI_APPDATA_DIR", ".config/Bitwarden CLI"), ("IRSSI_HOME", ".irssi"), ("OP_CONFIG_DIR", ".config/op"),
];

/// Patterns that lie in such a folder and in no home folder.
const ONLY_THERE: &[(&str, &str)] = &[("ZDOTDIR", ".zsh_history"), ("COMPOSER_HOME", "auth.json")];

/// Variables that name a file of secrets, or several with colons between them.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "KUBECONFIG", "NPM_CONFIG_USERCONFIG",
    "npm_config_userconfig", "NETRC", "PGPASSFILE", "PGSERVICEFILE", "HISTFILE", "MYSQL_HISTFILE", "MYSQL_TEST_LOGIN_FILE",
    "PSQL_HISTORY", "NODE_REPL_HISTORY", "PYTHON_HISTORY", "SQLITE_HISTORY", "REDISCLI_HISTFILE", "LESSHISTFILE",
    "GOOGLE_APPLICATION_CREDENTIALS", "BOTO_CONFIG", "DATABRICKS_CONFIG_FILE", "TF_CLI_CONFIG_FILE", "TALOSCONFIG",
    "REGISTRY_AUTH_FILE", "HELM_REGISTRY_CONFIG", "XAUTHORITY", "ICEAUTHORITY", "OCI_CLI_CONFIG_FILE", "RCLONE_CONFIG",
    "SOPS_AGE_KEY_FILE", "ANSIBLE_VAULT_PASSWORD_FILE", "RESTIC_PASSWORD_FILE", "BUNDLE_USER_CONFIG", "S3CMD_CONFIG", "DOCKER_CERT_PATH",
];

/// Lists the places that variables name, as patterns whose last component may begin or end with `*`, and folders of settings in
/// which each program has one of its own. None of them is known to be there, and what is usual in a home folder is left out.
pub(crate) fn of_variables(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    home: Option<&Path>,
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut patterns, mut settings) = (Vec::new(), Vec::new());
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|_| !value.is_empty()) else { continue };
        let folder = Path::new(&value);
        let is_usual = |usual: &str| home.is_some_and(|home| home.join(usual) == folder);
        for (_, usual) in FOLDERS.iter().filter(|(known, usual)| *known == name && !is_usual(usual)) {
            patterns.extend(AT_HOME.iter().filter_map(|pattern| {
                let below = Path::new(pattern).strip_prefix(usual).ok().filter(|_| !usual.is_empty())?;
                Some(if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(below) })
            }));
            if name.starts_with("XDG_") && name != "XDG_CACHE_HOME" {
                settings.push(folder.to_owned());
            }
        }
        patterns.extend(ONLY_THERE.iter().filter(|(known, _)| *known == name).map(|(_, below)| folder.join(below)));
        if FILES.contains(&name) {
            let several = value.as_bytes().split(|byte| *byte == b':').map(OsStr::from_bytes).map(PathBuf::from);
            patterns.extend(several);
            patterns.push(folder.to_owned());
        } else if is_secret_name(name.as_bytes(), NameContext::Judged) && is_plain_file(folder) {
            patterns.push(folder.to_owned());
        }
    }
    patterns.retain(|path| path.is_absolute());
    patterns.sort();
    patterns.dedup();
    (patterns, settings)
}

/// Says whether a path leads to a file that is no program: some variables name one that asks for a password.
fn is_plain_file(path: &Path) -> bool {
    path.is_absolute() && fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 == 0)
}

/// Lists the home folders of this person besides one: that of the table of users, and those in `/home` that are theirs.
pub(crate) fn other_homes(home: Option<&Path>) -> Vec<PathBuf> {
    let own = rustix::process::geteuid().as_raw();
    let table = fs::read("/etc/passwd").unwrap_or_default();
    let mut homes: Vec<PathBuf> = of_table(&table, own).into_iter().collect();
    if own != 0 {
        let entries = fs::read_dir("/home").into_iter().flatten().flatten();
        homes.extend(
            entries
                .map(|entry| entry.path())
                .filter(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir() && meta.uid() == own)),
        );
    }
    let mut homes: Vec<PathBuf> = homes.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    homes.retain(|path| path.parent().is_some() && home != Some(path.as_path()));
    homes.sort();
    homes.dedup();
    homes
}

/// Returns the home folder that a table of users has for a user.
fn of_table(table: &[u8], user: u32) -> Option<PathBuf> {
    let user = user.to_string();
    table.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.split(|byte| *byte == b':').skip(2);
        (fields.next()? == user.as_bytes()).then(|| fields.nth(2))?.map(OsStr::from_bytes).map(PathBuf::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_name_places() {
        let variables = [
            ("CARGO_HOME", "/c"),
            ("XDG_STATE_HOME", "/s"),
            ("GNUPGHOME", "/g"),
            ("KUBECONFIG", "/k/a:/k/b:relative"),
            ("HISTFILE", ""),
            ("GH_CONFIG_DIR", "relative"),
            ("ZDOTDIR", "/z"),
            ("API_KEY", "/etc/passwd"),
            ("SSH_KEY_ASKER", "/bin/sh"),
            ("PATH", "/bin"),
            // Known to all, and needed by most.
            ("SSL_CERT_FILE", "/etc/group"),
            ("XDG_DATA_HOME", "/h/.local/share"),
        ];
        let (patterns, settings) =
            of_variables(variables.map(|(name, value)| (name.into(), value.into())), Some(Path::new("/h")));
        let expected = [
            "/c/credentials*",
            "/etc/passwd",
            "/g",
            "/k/a",
            "/k/a:/k/b:relative",
            "/k/b",
            "/s/bash/history",
            "/s/nvim/backup",
            "/s/nvim/shada",
            "/s/nvim/swap",
            "/s/nvim/undo",
            "/s/python_history",
            "/s/vim",
            "/s/zsh/history",
            "/z/.zsh_history",
        ];
        assert_eq!(patterns, expected.map(PathBuf::from));
        assert_eq!(settings, [PathBuf::from("/s")]);
    }

    #[test]
    fn the_table_of_users_names_a_home() {
        let table = b"root:x:0:0:root:/root:/bin/bash\nana:x:1000:1000::/data/ana:/bin/sh\nbroken:x:7\n";
        assert_eq!(of_table(table, 1000), Some(PathBuf::from("/data/ana")));
        assert_eq!(of_table(table, 7), None);
        assert_eq!(of_table(table, 10), None);
    }
}
