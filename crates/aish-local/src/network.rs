//! How PyPI's index is reached: as pip is configured on this machine.
//!
//! Proxies (`HTTPS_PROXY`, `NO_PROXY`, …) and `SSL_CERT_FILE` are the HTTP client's own business. pip's settings are
//! described in "Configuration" of pip's user guide: environment over user file over site file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The index that pip takes when nothing else is said.
const DEFAULT_INDEX: &str = "https://pypi.org/simple";

/// How the index is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// Base URLs of indexes, tried in order. May hold a password: never shown whole.
    pub indexes: Vec<String>,
    /// A PEM file with further root certificates.
    pub certificates: Option<PathBuf>,
    /// A proxy for everything.
    pub proxy: Option<String>,
    /// How long a connection or a silence may last.
    pub patience: Duration,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let indexes: Vec<String> = self.indexes.iter().map(|index| without_password(index)).collect();
        f.debug_struct("Network")
            .field("indexes", &indexes)
            .field("certificates", &self.certificates)
            .finish_non_exhaustive()
    }
}

impl Default for Network {
    /// The public index, no proxy, 30 s of patience.
    fn default() -> Self {
        Self { indexes: vec![DEFAULT_INDEX.into()], certificates: None, proxy: None, patience: Duration::from_secs(30) }
    }
}

impl Network {
    /// Takes over pip's settings: `PIP_INDEX_URL`, `PIP_EXTRA_INDEX_URL`, `PIP_CERT`, `PIP_PROXY` and the same of its
    /// configuration files. `variable` reads the environment.
    pub fn from_pip(variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let mut settings = Settings::default();
        for file in files(variable) {
            if let Ok(text) = std::fs::read_to_string(&file) {
                settings.read(&text);
            }
        }
        for (key, slot) in settings.slots() {
            let name = format!("PIP_{}", key.replace('-', "_").to_uppercase());
            if let Some(value) =
                variable(&name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
            {
                *slot = Some(value);
            }
        }
        let words =
            |text: Option<String>| text.unwrap_or_default().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut indexes = words(settings.index);
        if indexes.is_empty() {
            indexes.push(DEFAULT_INDEX.into());
        }
        indexes.extend(words(settings.extra));
        Self {
            indexes,
            certificates: settings.certificate.map(PathBuf::from),
            proxy: settings.proxy,
            ..Self::default()
        }
    }
}

/// Returns a URL without user and password.
pub(crate) fn without_password(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            path.map_or_else(|| format!("{scheme}://{host}"), |path| format!("{scheme}://{host}/{path}"))
        }
        None => url.to_owned(),
    }
}

/// pip's files, the later winning.
fn files(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let named = variable("PIP_CONFIG_FILE").map(PathBuf::from);
    if named.as_ref().is_some_and(|file| file.as_os_str() == "/dev/null") {
        return Vec::new();
    }
    let mut files = vec![PathBuf::from("/etc/xdg/pip/pip.conf"), PathBuf::from("/etc/pip.conf")];
    // Never one of the folder that this was started in.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = absolute("HOME");
    files.extend(home.as_ref().map(|home| home.join(".pip/pip.conf")));
    let config = absolute("XDG_CONFIG_HOME").or_else(|| home.map(|home| home.join(".config")));
    files.extend(config.map(|config| config.join("pip/pip.conf")));
    files.extend(named);
    files
}

#[derive(Default)]
struct Settings {
    index: Option<String>,
    extra: Option<String>,
    certificate: Option<String>,
    proxy: Option<String>,
}

impl Settings {
    fn slots(&mut self) -> [(&'static str, &mut Option<String>); 4] {
        [
            ("index-url", &mut self.index),
            ("extra-index-url", &mut self.extra),
            ("cert", &mut self.certificate),
            ("proxy", &mut self.proxy),
        ]
    }

    /// Reads an INI file as far as it concerns us: the sections `global`, `install` and `download`; a value may go on
    /// on indented lines.
    fn read(&mut self, text: &str) {
        let mut ours = false;
        let mut open: Option<String> = None;
        for line in text.lines() {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
                continue;
            }
            if let Some(section) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                ours = matches!(section.trim(), "global" | "install" | "download");
                open = None;
            } else if line.starts_with([' ', '\t']) && open.is_some() {
                if ours {
                    self.set(open.as_deref().unwrap_or_default(), trimmed, Set::More);
                }
            } else if let Some((key, value)) = trimmed.split_once(['=', ':']) {
                let key = key.trim().replace('_', "-").to_lowercase();
                if ours {
                    self.set(&key, value.trim(), Set::Anew);
                }
                open = Some(key);
            }
        }
    }

    fn set(&mut self, key: &str, value: &str, set: Set) {
        for (name, slot) in self.slots() {
            if name == key {
                *slot = match (set, slot.take()) {
                    (Set::More, Some(before)) => Some(format!("{before} {value}")),
                    (Set::More | Set::Anew, _) => Some(value.to_owned()),
                };
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Set {
    Anew,
    More,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(conf: &str, variables: &[(&str, &str)]) -> Network {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pip.conf");
        std::fs::write(&file, conf).unwrap();
        Network::from_pip(&|name| {
            if name == "PIP_CONFIG_FILE" {
                return Some(file.clone().into());
            }
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into())
        })
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let conf = "[list]\nindex-url = http://wrong/\n[global]\n# ours\nindex_url: https://mirror/simple\nproxy = http://p:1\n";
        assert_eq!(network(conf, &[]).indexes, ["https://mirror/simple"]);
        assert_eq!(network(conf, &[]).proxy.as_deref(), Some("http://p:1"));
        assert_eq!(network(conf, &[("PIP_INDEX_URL", "https://env/simple")]).indexes, ["https://env/simple"]);
        assert_eq!(network(conf, &[("PIP_INDEX_URL", "")]).indexes, ["https://mirror/simple"]);
    }

    #[test]
    fn no_file_of_the_folder_that_this_was_started_in_counts() {
        for home in ["", "relative"] {
            let named = files(&|name| matches!(name, "HOME" | "XDG_CONFIG_HOME").then(|| home.into()));
            assert!(named.iter().all(|path| path.is_absolute()), "{home:?}: {named:?}");
        }
    }

    #[test]
    fn further_indexes_follow_and_values_go_on() {
        let conf = "[global]\nextra-index-url =\n    https://one/\n    https://two/\ncert = /c.pem\n";
        let network = network(conf, &[]);
        assert_eq!(network.indexes[1..], ["https://one/", "https://two/"]);
        assert_eq!(network.certificates, Some("/c.pem".into()));
    }

    #[test]
    fn a_password_is_never_shown() {
        let network = network("", &[("PIP_INDEX_URL", "https://me:secret@mirror/simple")]);
        assert!(!format!("{network:?}").contains("secret"));
        assert_eq!(without_password("https://me:secret@mirror/simple"), "https://mirror/simple");
        assert_eq!(without_password("https://mirror/a@b"), "https://mirror/a@b");
    }
}
