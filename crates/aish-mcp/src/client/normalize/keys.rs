//! Names of members as libraries of other languages write them: `InputSchema` and `input_schema` are `inputSchema`.

use serde_json::{Map, Value};

/// Renames members whose names are those of the protocol but for case and separators. One that is there under its own name
/// stays as it is.
pub(super) fn settle(map: &mut Map<String, Value>, known: &[&str]) {
    for name in known {
        if map.contains_key(*name) {
            continue;
        }
        let other = map.keys().find(|own| is_same(own, name)).cloned();
        if let Some(value) = other.and_then(|own| map.remove(&own)) {
            map.insert((*name).to_owned(), value);
        }
    }
}

fn is_same(own: &str, name: &str) -> bool {
    let letters = |text: &str| {
        text.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect::<String>()
    };
    own.len() >= name.len() && own.len() <= name.len() + 4 && letters(own) == letters(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_known_in_every_case_and_what_is_there_stays() {
        let mut map = json!({"InputSchema": 1, "_meta": 2, "is_error": 3, "isError": 4, "NAME": 5, "names": 6});
        let map = map.as_object_mut().unwrap();
        settle(map, &["inputSchema", "isError", "name", "meta2"]);
        assert_eq!(
            json!(map),
            json!({"inputSchema": 1, "_meta": 2, "is_error": 3, "isError": 4, "name": 5, "names": 6})
        );
    }
}
