//! `aish config show`: what holds and where each value comes from.

use super::Loaded;
use super::key::KEYS;
use super::layer::Setting;

/// Writes every set key as `key = value  # origin`, then the keys that stand at their defaults.
pub fn show(loaded: &Loaded) -> String {
    let mut out = String::new();
    for (path, setting) in &loaded.merged.settings {
        out.push_str(&format!("{} = {}  # {}\n", path.join("."), shown(path, setting), place(setting)));
    }
    let unset: Vec<&str> = KEYS
        .iter()
        .map(|key| key.name)
        .filter(|name| !loaded.merged.settings.keys().any(|path| path.join(".") == *name))
        .filter(|name| !name.contains('*'))
        .collect();
    out.push_str("\n# at their defaults:\n");
    for name in unset {
        out.push_str(&format!("# {name}\n"));
    }
    out
}

fn shown(path: &[String], setting: &Setting) -> String {
    let secret = path.iter().any(|part| part == "auth_token" || part == "headers" || part == "env");
    if secret { "\"[redacted]\"".to_owned() } else { setting.value.to_string() }
}

fn place(setting: &Setting) -> String {
    match setting.position {
        Some((line, column)) => format!("{}:{line}:{column}", setting.origin),
        None => setting.origin.to_string(),
    }
}
