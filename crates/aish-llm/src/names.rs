//! Tool names on the wire: `alias.tool` for servers that take a dot, `alias__tool` for those that refuse it, and back.

use std::collections::HashMap;

use aish_types::ToolName;

use crate::request::ChatRequest;

/// The longest name that providers accept, in characters (OpenAI, Anthropic).
const MAX_NAME: usize = 64;

/// Which names a server accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// Any characters, up to 64.
    Dotted,
    /// `[a-zA-Z0-9_-]{1,64}`.
    Strict,
}

/// The names of one request, both ways.
pub(crate) struct WireNames {
    rule: NameRule,
    to_wire: HashMap<ToolName, String>,
    from_wire: HashMap<String, ToolName>,
}

impl WireNames {
    /// Maps the names of the tools that are offered and of the calls in the conversation.
    ///
    /// A name's wire form depends on the name alone, so that old requests stay a prefix of new ones; only a name whose
    /// form is taken already gets a number.
    pub(crate) fn new(rule: NameRule, request: &ChatRequest) -> Self {
        let mut names = Self { rule, to_wire: HashMap::new(), from_wire: HashMap::new() };
        for tool in &request.tools {
            names.insert(&tool.name);
        }
        for message in &request.messages {
            for call in message.tool_calls() {
                names.insert(&call.name);
            }
        }
        names
    }

    fn insert(&mut self, name: &ToolName) {
        if self.to_wire.contains_key(name) {
            return;
        }
        let plain = encode(name, self.rule);
        let mut wire = plain.clone();
        let mut number = 2_usize;
        while self.from_wire.contains_key(&wire) {
            let suffix = format!("_{number}");
            let kept: String = plain.chars().take(MAX_NAME.saturating_sub(suffix.len())).collect();
            wire = format!("{kept}{suffix}");
            number += 1;
        }
        self.from_wire.insert(wire.clone(), name.clone());
        self.to_wire.insert(name.clone(), wire);
    }

    /// Returns the form that goes to the server.
    pub(crate) fn wire(&self, name: &ToolName) -> String {
        self.to_wire.get(name).cloned().unwrap_or_else(|| encode(name, self.rule))
    }

    /// Returns the full name of what the model called. An unknown name is undone as far as its form tells.
    pub(crate) fn full(&self, wire: &str) -> ToolName {
        if let Some(name) = self.from_wire.get(wire) {
            return name.clone();
        }
        let as_it_is = ToolName::new(wire);
        if self.to_wire.contains_key(&as_it_is) {
            return as_it_is;
        }
        // What some models are trained to put in front.
        for space in ["functions.", "default_api."] {
            let Some(rest) = wire.strip_prefix(space) else { continue };
            let known = self.full(rest);
            if self.to_wire.contains_key(&known) {
                return known;
            }
        }
        // A model that was told `files__read` may still say `files.read`, and the other way round.
        let undone = ToolName::new(wire.replacen("__", ".", 1));
        match self.rule {
            NameRule::Strict => undone,
            NameRule::Dotted if self.to_wire.contains_key(&undone) => undone,
            NameRule::Dotted => as_it_is,
        }
    }
}

/// Returns the wire form of a name: itself or `alias__tool` where that can be undone, else a readable form with a hash.
fn encode(name: &ToolName, rule: NameRule) -> String {
    let text = name.as_str();
    match rule {
        NameRule::Dotted if text.chars().count() <= MAX_NAME => text.to_owned(),
        NameRule::Dotted => hashed(text, text),
        NameRule::Strict => {
            let legal = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            let (alias, tool) = name.split();
            let plain = alias.map_or_else(|| tool.to_owned(), |alias| format!("{alias}__{tool}"));
            // Only where the first `__` is where the dot was can the form be undone.
            let alias_is_safe =
                alias.is_none_or(|alias| !alias.is_empty() && !alias.ends_with('_') && !alias.contains("__"));
            let tool_is_safe = !tool.is_empty() && !tool.contains("__") && (alias.is_none() || !tool.starts_with('_'));
            if alias_is_safe && tool_is_safe && legal(&plain) && plain.len() <= MAX_NAME {
                return plain;
            }
            let readable: String = plain
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
                .collect();
            hashed(&readable, text)
        }
    }
}

/// Shortens a readable form and adds the hash of the whole name (FNV-1a, 32 bits).
fn hashed(readable: &str, whole: &str) -> String {
    let hash = whole.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let kept: String = readable.chars().take(MAX_NAME - 9).collect();
    format!("{kept}_{hash:08x}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::{Purpose, ToolSpec};

    fn names(rule: NameRule, tools: &[&str]) -> WireNames {
        let tools = tools
            .iter()
            .map(|name| ToolSpec { name: ToolName::new(*name), description: String::new(), parameters: json!({}) })
            .collect();
        let request = ChatRequest { tools, ..ChatRequest::new(Vec::new(), Purpose::Main) };
        WireNames::new(rule, &request)
    }

    #[test]
    fn a_dot_becomes_two_underscores_and_comes_back() {
        let names = names(NameRule::Strict, &["files.read", "calculator"]);
        assert_eq!(names.wire(&"files.read".into()), "files__read");
        assert_eq!(names.wire(&"calculator".into()), "calculator");
        assert_eq!(names.full("files__read"), "files.read".into());
        assert_eq!(names.full("files.read"), "files.read".into());
        assert_eq!(names.full("other__tool"), "other.tool".into());
        assert_eq!(names.full("functions.calculator"), "calculator".into());
        assert_eq!(names.full("default_api.files__read"), "files.read".into());
        assert_eq!(names.full("functions.unknown"), "functions.unknown".into());
    }

    #[test]
    fn a_server_that_takes_dots_gets_them() {
        let names = names(NameRule::Dotted, &["files.read"]);
        assert_eq!(names.wire(&"files.read".into()), "files.read");
        assert_eq!(names.full("files__read"), "files.read".into());
        assert_eq!(names.full("a__b"), "a__b".into());
    }

    #[test]
    fn no_two_names_share_a_form_and_all_are_legal() {
        let long = "x".repeat(80);
        let tools = [
            "a.b",
            "a__b",
            "a._b",
            "a_.b",
            "a.b.c",
            "a.b_c",
            "a b",
            "a.é",
            "é",
            "a.",
            ".a",
            "A.b",
            "a.b__c",
            &format!("{long}.one"),
            &format!("{long}.two"),
            &long,
            &format!("m.{long}"),
            &format!("m.{long}y"),
        ];
        for rule in [NameRule::Strict, NameRule::Dotted] {
            let names = names(rule, &tools);
            let mut seen = std::collections::HashSet::new();
            for tool in tools {
                let wire = names.wire(&tool.into());
                assert!(wire.chars().count() <= 64, "{wire}");
                if rule == NameRule::Strict {
                    assert!(wire.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{wire}");
                }
                assert_eq!(names.full(&wire), tool.into(), "{wire}");
                assert!(seen.insert(wire.clone()), "{wire} twice");
            }
        }
    }
}
