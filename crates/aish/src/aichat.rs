//! What aichat has: its roles as prompts, its models as configuration.

use std::collections::HashSet;

use climax_yaml::{Kind, Node};

use crate::failure::Failure;

/// The longest role or configuration that is read, in bytes.
pub const LONGEST: u64 = 256 * 1024;

/// A role as a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// The file to be written.
    pub text: String,
    /// What of it has no counterpart.
    pub left: Vec<String>,
}

/// What a role of a name says, as a prompt; none where it says nothing.
pub fn role(name: &str, text: &str) -> Option<Role> {
    let (front, body) = parts(text);
    let body = body.trim();
    if body.is_empty() {
        return None;
    }
    let left = front
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.trim(), value.trim()))
        .filter(|(key, value)| matches!(*key, "model" | "temperature" | "top_p" | "use_tools") && !value.is_empty())
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    // What is filled in here is none of aichat's signs.
    let mut prompt = variables(body).replace("$ARGUMENTS", "$$ARGUMENTS");
    for digit in '1'..='9' {
        prompt = prompt.replace(&format!("${digit}"), &format!("$${digit}"));
    }
    let prompt = if prompt.contains("__INPUT__") {
        prompt.replace("__INPUT__", "$ARGUMENTS")
    } else if prompt.contains("### INPUT:") {
        format!("{prompt}\n\n### INPUT:\n$ARGUMENTS\n\n### OUTPUT:")
    } else {
        format!("{prompt}\n\n$ARGUMENTS")
    };
    Some(Role { text: format!("---\ndescription: the role {name} of aichat\n---\n{prompt}\n"), left })
}

/// Takes the lines between two lines of three or more dashes off the beginning.
fn parts(text: &str) -> (&str, &str) {
    let is_line = |line: &str| line.trim_end().len() >= 3 && line.trim_end().chars().all(|c| c == '-');
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((first, rest)) = text.split_once('\n').filter(|(first, _)| is_line(first)) else { return ("", text) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if is_line(line) {
            let (front, body) = rest.split_at(at);
            return (front, body.get(line.len()..).unwrap_or_default());
        }
        at += line.len();
    }
    let _ = first;
    ("", text)
}

/// Fills in what aichat fills in when it loads a role; what changes with the place is in every request here.
fn variables(text: &str) -> String {
    let locale = std::env::var("LANG").unwrap_or_default();
    let filled = [
        ("{{__os__}}", std::env::consts::OS),
        ("{{__os_family__}}", std::env::consts::FAMILY),
        ("{{__arch__}}", std::env::consts::ARCH),
        ("{{__os_distro__}}", "the distribution that is in use"),
        ("{{__shell__}}", "bash"),
        ("{{__locale__}}", locale.as_str()),
        ("{{__now__}}", "the present time"),
        ("{{__cwd__}}", "the current folder"),
    ];
    filled.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// Makes the name of a prompt from that of a role; none where nothing of it can be typed.
pub fn prompt_name(role: &str) -> Option<String> {
    let name: String =
        role.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).collect();
    let name = name.trim_matches('-');
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (begins && name.len() <= 64).then(|| name.to_owned())
}

/// Writes the models of aichat's configuration as a piece of ours. Keys are named by a variable, never copied, also not out of
/// an address.
///
/// # Errors
/// Where the file is no YAML.
pub fn models(text: &str) -> Result<String, Failure> {
    let root = climax_yaml::parse(text)
        .map_err(|error| Failure::user(format!("line {}: {}", error.at.line, error.message)))?;
    let default = field(&root, "model").and_then(Node::text).unwrap_or_default().to_owned();
    let mut out = String::new();
    let mut sections = HashSet::new();
    for client in items(field(&root, "clients")) {
        let kind = field(client, "type").and_then(Node::text).unwrap_or_default();
        let name = field(client, "name").and_then(Node::text).unwrap_or(kind);
        let Some((provider, endpoint)) = place(kind, field(client, "api_base").and_then(Node::text)) else {
            out.push_str(&format!("# client {}: its kind has no counterpart\n", one_line(name)));
            continue;
        };
        let named: Vec<String> = items(field(client, "models"))
            .filter_map(|model| field(model, "name").and_then(Node::text).map(str::to_owned))
            .collect();
        let chosen = default.split_once(':').filter(|(client, _)| *client == name).map(|(_, model)| model.to_owned());
        let all = if named.is_empty() { chosen.clone().into_iter().collect() } else { named };
        for model in all {
            let section = own_name(&prompt_name(&model).unwrap_or_else(|| "model".to_owned()), &mut sections);
            let key =
                format!("{}_API_KEY", name.to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
            let provider = provider.map(|provider| format!("provider = \"{provider}\"\n")).unwrap_or_default();
            out.push_str(&format!(
                "[models.{section}]\n{provider}endpoint = {}\nmodel = {}\nkey_env = \"{key}\"\n\n",
                quoted(&aish_types::mask(&endpoint)),
                quoted(&model)
            ));
            if chosen.as_deref() == Some(model.as_str()) {
                out = format!("[model]\ndefault = \"{section}\"\n\n{out}");
            }
        }
    }
    Ok(out.trim_end().to_owned())
}

/// Returns a name that no section has yet: clients may offer models of one name.
fn own_name(name: &str, taken: &mut HashSet<String>) -> String {
    let mut own = name.to_owned();
    let mut number = 2;
    while !taken.insert(own.clone()) {
        own = format!("{name}-{number}");
        number += 1;
    }
    own
}

/// Says which provider a kind of client is, and where; none for kinds with a wire of their own.
fn place(kind: &str, base: Option<&str>) -> Option<(Option<&'static str>, String)> {
    let at = |usual: &str| base.unwrap_or(usual).to_owned();
    match kind {
        "openai" => Some((None, at("https://api.openai.com/v1"))),
        "openai-compatible" => base.map(|base| (None, base.to_owned())),
        "claude" => Some((Some("anthropic"), at("https://api.anthropic.com"))),
        "ollama" => Some((None, at("http://127.0.0.1:11434"))),
        _ => None,
    }
}

fn field<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    match &node.kind {
        Kind::Mapping(fields) => fields.iter().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value),
        Kind::Scalar { .. } | Kind::Sequence(_) => None,
    }
}

fn items<'n, 'a>(node: Option<&'n Node<'a>>) -> impl Iterator<Item = &'n Node<'a>> {
    match node.map(|node| &node.kind) {
        Some(Kind::Sequence(items)) => items.as_slice(),
        Some(Kind::Scalar { .. } | Kind::Mapping(_)) | None => &[],
    }
    .iter()
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

fn one_line(text: &str) -> String {
    aish_types::visible(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_become_prompts() {
        for (text, prompt) in [
            ("Speak like a pirate.", "Speak like a pirate.\n\n$ARGUMENTS"),
            ("---\nmodel: openai:gpt-4o\n---\n\nfix: __INPUT__ now", "fix: $ARGUMENTS now"),
            (
                "-----\ntemperature: 0\n-----\nsay\n### INPUT:\na\n### OUTPUT:\nb",
                "say\n### INPUT:\na\n### OUTPUT:\nb\n\n### INPUT:\n$ARGUMENTS\n\n### OUTPUT:",
            ),
            ("It costs $5 or $ARGUMENTS or $HOME", "It costs $$5 or $$ARGUMENTS or $HOME\n\n$ARGUMENTS"),
            ("use {{__shell__}} and {{unknown}}", "use bash and {{unknown}}\n\n$ARGUMENTS"),
        ] {
            let role = role("x", text).unwrap();
            assert_eq!(role.text, format!("---\ndescription: the role x of aichat\n---\n{prompt}\n"), "{text}");
        }
        assert_eq!(role("x", "---\nmodel: a\n---\n"), None);
        let left = role("x", "---\nmodel: openai:gpt-4o\nuse_tools: all\ntop_p:\n---\nx").unwrap().left;
        assert_eq!(left, ["model: openai:gpt-4o", "use_tools: all"]);
        for (name, expected) in
            [("shell", Some("shell")), ("a b#c", Some("a-b-c")), ("%x%", Some("x")), ("7", None), ("../x", Some("x"))]
        {
            assert_eq!(prompt_name(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn models_become_configuration_without_keys() {
        let text = "model: mine:qwen3\nclients:\n- type: openai\n  api_key: sk-secret\n- type: openai-compatible\n  name: mine\n  \
            api_base: http://127.0.0.1:9/v1\n  models:\n  - name: qwen3\n    max_input_tokens: 5\n  - name: other\n- type: bedrock\n";
        let config = models(text).unwrap();
        assert!(!config.contains("sk-secret"), "{config}");
        insta::assert_snapshot!(config, @r#"
        [model]
        default = "qwen3"

        [models.qwen3]
        endpoint = "http://127.0.0.1:9/v1"
        model = "qwen3"
        key_env = "MINE_API_KEY"

        [models.other]
        endpoint = "http://127.0.0.1:9/v1"
        model = "other"
        key_env = "MINE_API_KEY"

        # client bedrock: its kind has no counterpart
        "#);
        let twice = "clients:\n- type: openai\n  models: [{name: m}, {name: a/b}, {name: 'a:b'}]\n- type: openai-compatible\n  \
            name: other\n  api_base: https://me:password1@h/v1?key=abcdef123456\n  models: [{name: m}]\n";
        let config = models(twice).unwrap();
        assert!(!config.contains("password1") && !config.contains("abcdef123456"), "{config}");
        let parsed: toml_edit::DocumentMut = config.parse().unwrap();
        let names: Vec<&str> = parsed["models"].as_table().unwrap().iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["m", "a-b", "a-b-2", "m-2"]);
        assert!(models("a: [").is_err());
        assert_eq!(models("clients: 5").unwrap(), "");
    }
}
