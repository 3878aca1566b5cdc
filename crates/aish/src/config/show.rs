//! `aish config show`: every key with the value that holds and where that comes from.

use std::collections::BTreeSet;

use aish_types::{mask, mask_named, mask_words};
use serde_json::Value;

use super::Loaded;
use super::default::{default_of, toml};
use super::key::Key;
use super::layer::Setting;
use super::section::SECTIONS;
use crate::secrets::REDACTED;

/// Words of a key's name whose values are nobody's to see.
const SECRET: &[&str] = &["auth_token", "headers", "env"];

/// Writes every key as `key = value  # origin`, those below `wanted` alone where it is given. Of the sections that take
/// names of yours (`models.NAME`) it writes those that are there, and there leaves out what is not set.
pub fn show(loaded: &Loaded, wanted: Option<&str>) -> String {
    let mut lines = Vec::new();
    for section in SECTIONS {
        for name in names(loaded, section) {
            for key in *section {
                let path: Vec<String> = name.iter().cloned().chain([key.parts().1.to_owned()]).collect();
                let dotted = dotted(&path);
                if !wanted.is_none_or(|wanted| is_below(&dotted, wanted)) {
                    continue;
                }
                lines.extend(match (loaded.merged.settings.get(&path), default_of(key)) {
                    (Some(setting), _) => Some(format!("{dotted} = {}  # {}", shown(&path, setting), place(setting))),
                    (None, Some(value)) => Some(format!("{dotted} = {}  # default", toml(&value))),
                    (None, None) => (!key.is_starred()).then(|| format!("# {dotted} is not set")),
                });
            }
        }
    }
    lines.join("\n")
}

/// Returns the names that a section has: its own, or for `models.*` those that are set.
fn names(loaded: &Loaded, section: &[Key]) -> BTreeSet<Vec<String>> {
    let Some(first) = section.first() else { return BTreeSet::new() };
    let (name, _) = first.parts();
    if !first.is_starred() {
        return [name.split('.').map(str::to_owned).collect()].into();
    }
    let set = loaded.merged.settings.keys().filter(|path| section.iter().any(|key| key.is(path)));
    set.filter_map(|path| Some(path.split_last()?.1.to_vec())).collect()
}

/// Joins a path with dots; a word that TOML would not read bare is quoted.
fn dotted(path: &[String]) -> String {
    let is_bare = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let words = path.iter().map(|word| if is_bare(word) { word.clone() } else { toml(&Value::from(word.as_str())) });
    words.collect::<Vec<_>>().join(".")
}

fn is_below(dotted: &str, wanted: &str) -> bool {
    dotted.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn shown(path: &[String], setting: &Setting) -> String {
    if path.iter().any(|part| SECRET.contains(&part.as_str())) {
        return format!("\"{REDACTED}\"");
    }
    match &setting.value {
        Value::String(command) if path.last().is_some_and(|name| name == "key_command") => {
            toml(&Value::String(mask_named(&mask(command))))
        }
        value => toml(&open(value)),
    }
}

/// Takes what only its reader may know out of the texts of a value: in a URL who asks and the values of its query, keys that
/// are known by how they begin, and words of a command line that their names tell.
fn open(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(open_text(text)),
        Value::Array(items) => match items.iter().map(Value::as_str).collect::<Option<Vec<_>>>() {
            Some(words) => mask_words(words).iter().map(|word| open_text(word)).collect(),
            None => items.iter().map(open).collect(),
        },
        Value::Object(entries) => entries.iter().map(|(name, value)| (name.clone(), open(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn open_text(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return mask(text).into_owned() };
    let (before, query) = rest.split_once('?').map_or((rest, None), |(before, query)| (before, Some(query)));
    let (authority, path) = before.split_at(before.find('/').unwrap_or(before.len()));
    let host = authority.rsplit_once('@').map_or(authority.to_owned(), |(_, host)| format!("{REDACTED}@{host}"));
    let mut shown = format!("{scheme}://{host}{path}");
    if let Some(query) = query {
        let hide = |pair: &str| format!("{}={REDACTED}", pair.split('=').next().unwrap_or_default());
        shown.push('?');
        shown.push_str(&query.split('&').map(hide).collect::<Vec<_>>().join("&"));
    }
    shown
}

fn place(setting: &Setting) -> String {
    match setting.position {
        Some((line, column)) => format!("{}:{line}:{column}", setting.origin),
        None => setting.origin.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::keys::keys;
    use crate::config::load;

    fn user(text: &str) -> Loaded {
        load(Some((Path::new("config.toml"), text)), &[], &[("AISH_UI_EDIT_MODE".to_owned(), "vi".to_owned())])
    }

    #[test]
    fn every_key_is_shown_with_its_value_and_origin() {
        let shown = show(&user(""), None);
        for key in keys().filter(|key| !key.is_starred()) {
            let is_there = |line: &str| {
                line.starts_with(&format!("{} = ", key.name)) || line == format!("# {} is not set", key.name)
            };
            assert_eq!(shown.lines().filter(|line| is_there(line)).count(), 1, "{}", key.name);
        }
    }

    #[test]
    fn names_of_yours_and_secrets() {
        let text = "[models.\"a.b\"]\nendpoint = \"http://me:pw@host:1/v1?key=k1&x\"\n[mcp.servers.s]\nurl = \"http://h\"\n\
            headers = { A = \"secret\" }\n[context]\nmax_turns = 3\n";
        insta::assert_snapshot!(show(&user(text), Some("models")).lines().take(6).collect::<Vec<_>>().join("\n"), @r#"
        models."a.b".endpoint = "http://[redacted]@host:1/v1?key=[redacted]&x=[redacted]"  # config.toml:2:1
        models."a.b".provider = "openai"  # default
        models."a.b".timeout_ms = 300000  # default
        models."a.b".connect_timeout_ms = 5000  # default
        models."a.b".idle_timeout_ms = 60000  # default
        models."a.b".api = "auto"  # default
        "#);
        insta::assert_snapshot!(show(&user(text), Some("mcp.servers.s")), @r#"
        mcp.servers.s.url = "http://h"  # config.toml:4:1
        mcp.servers.s.args = []  # default
        mcp.servers.s.env = {}  # default
        mcp.servers.s.headers = "[redacted]"  # config.toml:5:1
        mcp.servers.s.elicitation = false  # default
        mcp.servers.s.sampling = false  # default
        mcp.servers.s.protocol = "any"  # default
        mcp.servers.s.enabled = true  # default
        "#);
        insta::assert_snapshot!(show(&user(text), Some("context.max_turns")), @"context.max_turns = 3  # config.toml:7:1");
        insta::assert_snapshot!(show(&user(text), Some("ui.edit_mode")), @r#"ui.edit_mode = "vi"  # $AISH_UI_EDIT_MODE"#);
        assert_eq!(show(&user(text), Some("context.max")), "");
        let text = "[models.m]\nkey_env = \"sk-proj-abcDEF0123456789abcd\"\nkey_command = \"vault --token hunter2 read x\"\n\
            [mcp.servers.s]\nargs = [\"--token\", \"a1\", \"--api-key=b2\", \"-H\", \"Authorization: Bearer c3\", \"https://h/?q=d4\", \"x\"]\n";
        let shown = show(&user(text), None);
        for line in [
            "models.m.key_env = \"[redacted]\"  # config.toml:2:1",
            "models.m.key_command = \"vault --token [redacted] read x\"  # config.toml:3:1",
            "mcp.servers.s.args = [\"--token\", \"[redacted]\", \"--api-key=[redacted]\", \"-H\", \
                \"Authorization: Bearer [redacted]\", \"https://h/?q=[redacted]\", \"x\"]  # config.toml:5:1",
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line} is not in {shown}");
        }
    }
}
