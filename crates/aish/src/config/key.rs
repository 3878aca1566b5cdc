//! Every key there is: its name, its kind, and what a project file may do with it.

/// What values a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A text.
    Text,
    /// true or false.
    Bool,
    /// A whole number in a range, both ends included.
    Whole(u64, u64),
    /// A number in a range, both ends included.
    Number(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A map from text to text.
    TextMap,
    /// A map from text to true or false.
    BoolMap,
    /// The list of policy rules.
    Rules,
    /// The list of rules that pick a model.
    RouterRules,
}

impl Kind {
    /// Returns what is expected, in words.
    pub fn expected(self) -> String {
        match self {
            Self::Text => "a text in quotes".into(),
            Self::Bool => "true or false".into(),
            Self::Whole(least, u64::MAX) => format!("a whole number of at least {least}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, most) if most == f64::MAX => format!("a number of at least {least}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Word(words) => format!("one of: {}", words.join(", ")),
            Self::Texts => "a list of texts".into(),
            Self::TextMap => "a table of texts".into(),
            Self::BoolMap => "a table of true and false".into(),
            Self::Rules => "a list of rules {match, verdict, reason, examples}".into(),
            Self::RouterRules => {
                "a list of rules {model, category, longer_than, shorter_than}, category being one of: main, fast, \
                 summary, norris, memory"
                    .into()
            }
        }
    }
}

/// What a project's `.aish.toml` may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlay {
    /// Set it: nothing that guards the person depends on it.
    Free,
    /// Set it to this, never to the other.
    Only(bool),
    /// Lower it.
    Lower,
    /// Add entries that tighten.
    Tighten,
    /// Leave it alone.
    Never,
}

/// One key. A `*` in the name stands for one word of the user's.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The dotted name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What a project file may do with it.
    pub overlay: Overlay,
}

const fn key(name: &'static str, kind: Kind, overlay: Overlay) -> Key {
    Key { name, kind, overlay }
}

const MANY: u64 = u64::MAX;
const COUNT: Kind = Kind::Whole(0, MANY);
const DOLLARS: Kind = Kind::Number(0.0, f64::MAX);

/// All keys.
pub const KEYS: &[Key] = &[
    key("model.default", Kind::Text, Overlay::Free),
    key("model.fast", Kind::Text, Overlay::Free),
    key("model.fallback", Kind::Texts, Overlay::Free),
    key("models.*.endpoint", Kind::Text, Overlay::Never),
    key("models.*.provider", Kind::Word(&["openai", "anthropic", "local"]), Overlay::Never),
    key("models.*.model", Kind::Text, Overlay::Never),
    key("models.*.key_env", Kind::Text, Overlay::Never),
    key("models.*.timeout_ms", Kind::Whole(1, MANY), Overlay::Free),
    key("models.*.connect_timeout_ms", Kind::Whole(1, MANY), Overlay::Free),
    key("models.*.idle_timeout_ms", Kind::Whole(1, MANY), Overlay::Free),
    key("models.*.context", Kind::Whole(1, MANY), Overlay::Free),
    key("models.*.max_tokens", Kind::Whole(1, 1_000_000), Overlay::Free),
    key("models.*.temperature", Kind::Number(0.0, 2.0), Overlay::Free),
    key("models.*.price_in", DOLLARS, Overlay::Never),
    key("models.*.price_out", DOLLARS, Overlay::Never),
    key("models.*.price_cached", DOLLARS, Overlay::Never),
    key("models.*.tokenizer", Kind::Text, Overlay::Free),
    key("models.*.images", Kind::Bool, Overlay::Free),
    key("models.*.tools", Kind::Bool, Overlay::Free),
    key("models.*.strict_names", Kind::Bool, Overlay::Free),
    key("context.max_turns", Kind::Whole(1, MANY), Overlay::Free),
    key("context.token_budget", Kind::Whole(1, MANY), Overlay::Free),
    key("context.use_tool_role", Kind::Bool, Overlay::Free),
    key("context.summarize", Kind::Bool, Overlay::Free),
    key("tokenize.use_endpoint", Kind::Bool, Overlay::Free),
    key("tokenize.timeout_ms", Kind::Whole(1, MANY), Overlay::Free),
    key("cost.warn_at_dollars", DOLLARS, Overlay::Lower),
    key("cost.cap_at_dollars", DOLLARS, Overlay::Lower),
    key("cost.scope", Kind::Word(&["session", "day"]), Overlay::Never),
    key("mcp.servers.*.url", Kind::Text, Overlay::Never),
    key("mcp.servers.*.command", Kind::Text, Overlay::Never),
    key("mcp.servers.*.args", Kind::Texts, Overlay::Never),
    key("mcp.servers.*.env", Kind::TextMap, Overlay::Never),
    key("mcp.servers.*.cwd", Kind::Text, Overlay::Never),
    key("mcp.servers.*.auth_token", Kind::Text, Overlay::Never),
    key("mcp.servers.*.auth_env", Kind::Text, Overlay::Never),
    key("mcp.servers.*.headers", Kind::TextMap, Overlay::Never),
    key("mcp.servers.*.timeout_ms", Kind::Whole(1, MANY), Overlay::Free),
    key("mcp.servers.*.elicitation", Kind::Bool, Overlay::Only(false)),
    key("mcp.servers.*.sampling", Kind::Bool, Overlay::Only(false)),
    key("mcp.servers.*.client_id", Kind::Text, Overlay::Never),
    key("mcp.servers.*.enabled", Kind::Bool, Overlay::Only(false)),
    key("mcp.auto_approve", Kind::BoolMap, Overlay::Tighten),
    key("mcp.max_tool_depth", Kind::Whole(1, 1000), Overlay::Lower),
    key("tools.builtin", Kind::Texts, Overlay::Free),
    key("tools.cli", Kind::Texts, Overlay::Never),
    key("tools.direct_limit", COUNT, Overlay::Free),
    key("tools.max_result_chars", Kind::Whole(200, MANY), Overlay::Free),
    key("tools.timeout_s", Kind::Whole(1, 86_400), Overlay::Free),
    key("shell.program", Kind::Text, Overlay::Never),
    key("shell.rc", Kind::Bool, Overlay::Free),
    key("shell.confirm_cmd", Kind::Bool, Overlay::Only(true)),
    key("shell.output_to_model", Kind::Bool, Overlay::Only(false)),
    key("shell.output_bytes", Kind::Whole(256, MANY), Overlay::Free),
    key("route.ask", Kind::Bool, Overlay::Only(true)),
    key("router.rules", Kind::RouterRules, Overlay::Free),
    key("policy.rules", Kind::Rules, Overlay::Tighten),
    key("norris.max_steps", COUNT, Overlay::Lower),
    key("norris.max_tool_calls", COUNT, Overlay::Lower),
    key("norris.max_tokens", COUNT, Overlay::Lower),
    key("norris.max_dollars", DOLLARS, Overlay::Lower),
    key("norris.max_minutes", DOLLARS, Overlay::Lower),
    key("norris.read_only", Kind::Bool, Overlay::Only(true)),
    key("sandbox.mode", Kind::Word(&["auto", "off", "required"]), Overlay::Never),
    key("sandbox.network", Kind::Bool, Overlay::Only(false)),
    key("sandbox.write", Kind::Texts, Overlay::Never),
    key("undo.enabled", Kind::Bool, Overlay::Only(true)),
    key("undo.max_bytes", COUNT, Overlay::Never),
    key("undo.keep_days", COUNT, Overlay::Never),
    key("memory.enabled", Kind::Bool, Overlay::Only(false)),
    key("memory.auto", Kind::Bool, Overlay::Only(false)),
    key("memory.max_prompt_tokens", COUNT, Overlay::Free),
    key("project.instructions", Kind::Texts, Overlay::Free),
    key("history.sessions", Kind::Bool, Overlay::Only(false)),
    key("history.size", COUNT, Overlay::Free),
    key("ui.prompt", Kind::Text, Overlay::Free),
    key("ui.theme", Kind::Word(&["dark", "light", "mono"]), Overlay::Free),
    key("ui.edit_mode", Kind::Word(&["emacs", "vi"]), Overlay::Free),
    key("ui.markdown", Kind::Bool, Overlay::Free),
    key("ui.color", Kind::Word(&["auto", "always", "never"]), Overlay::Free),
    key("nats.url", Kind::Text, Overlay::Never),
    key("nats.creds", Kind::Text, Overlay::Never),
    key("nats.prefix", Kind::Text, Overlay::Never),
    key("nats.legacy.*.description", Kind::Text, Overlay::Never),
    key("nats.legacy.*.arguments", Kind::TextMap, Overlay::Never),
    key("nats.legacy.*.args_from", Kind::Text, Overlay::Never),
    key("service.allow", Kind::Texts, Overlay::Never),
    key("service.per_minute", COUNT, Overlay::Lower),
    key("service.per_hour", COUNT, Overlay::Lower),
    key("service.per_day", COUNT, Overlay::Lower),
    key("service.max_tool_calls", Kind::Whole(1, 1000), Overlay::Lower),
    key("service.personas", Kind::TextMap, Overlay::Never),
];

/// Finds the key that a path of words names.
pub fn find(path: &[String]) -> Option<&'static Key> {
    KEYS.iter().find(|key| {
        let mut words = key.name.split('.');
        path.iter().all(|part| words.next().is_some_and(|word| word == "*" || word == part)) && words.next().is_none()
    })
}

/// Says whether a path of words is the beginning of some key's name.
pub fn is_section(path: &[String]) -> bool {
    KEYS.iter().any(|key| {
        let mut words = key.name.split('.');
        path.iter().all(|part| words.next().is_some_and(|word| word == "*" || word == part)) && words.next().is_some()
    })
}

/// Returns the known name nearest to an unknown one, when it is near enough to be a slip.
pub fn near(path: &[String]) -> Option<String> {
    let written = path.join(".");
    KEYS.iter()
        .map(|key| {
            let mut parts = path.iter();
            let name: Vec<&str> = key
                .name
                .split('.')
                .map(|word| {
                    let part = parts.next();
                    if word == "*" { part.map_or(word, String::as_str) } else { word }
                })
                .collect();
            name.join(".")
        })
        .map(|name| (strsim::damerau_levenshtein(&name, &written), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 6)
        .min()
        .map(|(_, name)| name)
}
