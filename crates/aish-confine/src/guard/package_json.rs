//! Whether two versions of a `package.json` run the same scripts.

use serde_json::{Map, Value};

/// Keys that say what a package is and needs; everything else may be taken for a program's settings.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "name", "version", "description", "keywords", "homepage", "bugs", "license", "author", "contributors", "funding",
    "files", "repository", "dependencies", "devDependencies", "peerDependencies", "peerDependenciesMeta",
    "optionalDependencies", "bundleDependencies", "engines", "os", "cpu", "private", "type", "types", "typings", "main",
    "module", "exports", "sideEffects",
];

/// Says whether all keys that are not known as plain are equal in both. What cannot be read differs.
pub(super) fn runs_the_same(old: &str, new: &str) -> bool {
    match (others(old), others(new)) {
        (Some(old), Some(new)) => old == new,
        _ => false,
    }
}

fn others(text: &str) -> Option<Map<String, Value>> {
    if text.is_empty() {
        return Some(Map::new());
    }
    let mut keys: Map<String, Value> = serde_json::from_str(text).ok()?;
    keys.retain(|key, _| !PLAIN.contains(&key.as_str()));
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_plain_and_a_script_is_not() {
        let old = r#"{"name":"a","scripts":{"test":"x"}}"#;
        assert!(runs_the_same(old, r#"{"name":"b","version":"2","scripts":{"test":"x"},"dependencies":{"c":"1"}}"#));
        assert!(runs_the_same("", r#"{"name":"b"}"#));
        for new in
            [r#"{"name":"a","scripts":{"test":"y"}}"#, r#"{"name":"a"}"#, "{", r#"{"husky":{},"scripts":{"test":"x"}}"#]
        {
            assert!(!runs_the_same(old, new), "{new}");
        }
    }
}
