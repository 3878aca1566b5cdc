//! Server lists of other programs: `mcp.json` in the shapes of Claude and Cursor (`mcpServers`), VS Code (`servers`, comments
//! and trailing commas allowed), Gemini and opencode (`mcp`), and the `config.toml` of Codex (`mcp_servers`).

mod shape;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::pool::clean_alias;

/// How a server is reached; texts as they were written, variables unexpanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenEndpoint {
    /// A program.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its variables, beside the harmless ones of our own environment.
        env: BTreeMap<String, String>,
        /// Its working directory; ours when none.
        cwd: Option<String>,
    },
    /// A URL.
    Http {
        /// The URL.
        url: String,
        /// Headers beside the protocol's own, without one that only carries a bearer token from the environment.
        headers: BTreeMap<String, String>,
        /// The variable that holds the bearer token.
        auth_env: Option<String>,
    },
}

/// A server of another program's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedServer {
    /// Its alias, in the letters that an alias may have.
    pub alias: String,
    /// How it is reached.
    pub endpoint: WrittenEndpoint,
    /// True when the other program does not start it.
    pub disabled: bool,
    /// Milliseconds that its start may take.
    pub start_ms: Option<u64>,
    /// Milliseconds that a call may take.
    pub call_ms: Option<u64>,
    /// Names of the tools that are offered alone; empty means all.
    pub include: Vec<String>,
    /// Names of tools that are not offered.
    pub exclude: Vec<String>,
    /// What could not be taken over, in sentences.
    pub notes: Vec<String>,
}

/// Why a list could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is no JSON, even with comments and trailing commas.
    #[error("the file is not JSON")]
    Syntax(#[source] serde_json::Error),
    /// It does not begin as JSON does, and is no TOML.
    #[error("the file is neither JSON nor TOML")]
    Toml(#[source] Box<toml::de::Error>),
    /// It names no servers.
    #[error("the file has neither `mcpServers` nor `servers` nor `mcp_servers`")]
    NoServers,
    /// It has a place for servers, and something else stands there.
    #[error("`{0}` of the file is no object with a server under each name")]
    NotNamed(String),
    /// It is larger than a list of servers is.
    #[error("the file has more than 4 MiB")]
    TooLarge,
}

/// Bytes that a list may have.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Where the servers stand in the files of the programs.
const PLACES: [&str; 7] =
    ["/mcpServers", "/servers", "/mcp_servers", "/mcp/servers", "/mcp/mcpServers", "/context_servers", "/mcp"];

/// Reads a list of servers. A server that cannot be read is left out, with a note under its name.
///
/// # Errors
/// When the text is no JSON or names no servers.
pub fn import(text: &str) -> Result<(Vec<ImportedServer>, Vec<String>), ImportError> {
    if text.len() > MAX_BYTES {
        return Err(ImportError::TooLarge);
    }
    let value = parse(text)?;
    let listed = PLACES.iter().find_map(|place| value.pointer(place)?.as_object());
    let listed = listed.or_else(|| bare(&value)).ok_or_else(|| none_listed(&value))?;
    let mut servers: Vec<ImportedServer> = Vec::new();
    let mut faults = Vec::new();
    // Names that are taken, each with the number that another server of it tries first.
    let mut taken: HashMap<String, usize> = HashMap::new();
    for (name, entry) in listed {
        match server(name, entry) {
            Ok(mut server) => {
                let wanted = server.alias.clone();
                let mut number = taken.get(&folded(&wanted)).copied().unwrap_or(2);
                while taken.contains_key(&folded(&server.alias)) {
                    server.alias = format!("{wanted}-{number}");
                    number += 1;
                }
                taken.insert(folded(&wanted), number);
                taken.entry(folded(&server.alias)).or_insert(2);
                servers.push(server);
            }
            Err(why) => faults.push(format!("{name}: {why}")),
        }
    }
    Ok((servers, faults))
}

/// Reads JSON, or TOML where the text does not begin as JSON does.
fn parse(text: &str) -> Result<Value, ImportError> {
    let json = plain_json(text);
    if json.trim_start().starts_with('{') {
        return serde_json::from_str(&json).map_err(ImportError::Syntax);
    }
    toml::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| ImportError::Toml(Box::new(error)))
}

/// Says why there is no list.
fn none_listed(value: &Value) -> ImportError {
    let taken = PLACES.iter().find(|place| value.pointer(place).is_some());
    taken.map_or(ImportError::NoServers, |place| ImportError::NotNamed(place.trim_start_matches('/').replace('/', ".")))
}

/// Takes the file itself as the list, where everything in it is a server.
fn bare(value: &Value) -> Option<&Map<String, Value>> {
    let is_server = |entry: &Value| ["command", "url", "httpUrl"].iter().any(|key| entry.get(key).is_some());
    value.as_object().filter(|map| !map.is_empty() && map.values().all(is_server))
}

/// Aliases that differ only in case and in `-` and `_` are one.
pub fn folded(alias: &str) -> String {
    alias.to_ascii_lowercase().replace('_', "-")
}

/// Why an entry is no server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum NoServer {
    #[error("it is not an object")]
    Object,
    #[error("it has neither a command nor a url")]
    Place,
    #[error("its `{0}` is {1}, and must be {2}")]
    Kind(&'static str, &'static str, &'static str),
}

fn server(name: &str, entry: &Value) -> Result<ImportedServer, NoServer> {
    let Value::Object(entry) = entry else { return Err(NoServer::Object) };
    let entry = &shape::common(entry);
    if let Some((key, given, wanted)) = shape::misfit(entry) {
        return Err(NoServer::Kind(key, given, wanted));
    }
    let mut notes = Vec::new();
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let url = text("url").or_else(|| text("serverUrl")).or_else(|| text("httpUrl"));
    let has_url = url.is_some();
    let endpoint = match (text("command"), url) {
        (Some(command), _) => WrittenEndpoint::Stdio {
            command,
            args: texts(entry.get("args")),
            env: without_loaders(pairs(entry.get("env")), &mut notes),
            cwd: text("cwd"),
        },
        (None, Some(url)) => {
            if text("type").or_else(|| text("transport")).as_deref() == Some("sse") {
                notes.push("it was listed with the old transport `sse`; streamable HTTP is tried".to_owned());
            }
            let mut headers = pairs(entry.get("headers").or_else(|| entry.get("requestInit")?.get("headers")));
            let auth_env = take_bearer(&mut headers);
            WrittenEndpoint::Http { url, headers, auth_env }
        }
        (None, None) => return Err(no_place(entry)),
    };
    if matches!(endpoint, WrittenEndpoint::Stdio { .. }) && has_url {
        notes.push("it has both a command and a url; the command is used".to_owned());
    }
    for key in NOT_TAKEN {
        if entry.contains_key(key) {
            notes.push(format!("`{key}` was not taken over"));
        }
    }
    let written = Value::Object(entry.clone()).to_string();
    if written.contains("${input:") {
        notes.push("it asks for inputs (`${input:…}`): put a variable in their place".to_owned());
    }
    if written.contains("${workspaceFolder") {
        notes.push("it names the folder of an editor (`${workspaceFolder}`): put the path in its place".to_owned());
    }
    let flag = |key: &str| entry.get(key).and_then(shape::flag);
    let disabled = flag("disabled") == Some(true) || flag("enabled") == Some(false);
    let (start_ms, call_ms) = shape::limits(entry);
    let (include, exclude) = shape::filters(entry);
    Ok(ImportedServer { alias: clean_alias(name), endpoint, disabled, start_ms, call_ms, include, exclude, notes })
}

/// Says why an entry leads nowhere.
fn no_place(entry: &Map<String, Value>) -> NoServer {
    let given = ["command", "url", "serverUrl", "httpUrl"].iter().find_map(|key| Some((*key, entry.get(*key)?)));
    let kind = |value: &Value| if value.is_string() { "empty" } else { shape::kind(value) };
    given.map_or(NoServer::Place, |(key, value)| NoServer::Kind(key, kind(value), "a text"))
}

/// What is said to be left: above all, nobody's approvals are taken over.
#[rustfmt::skip]
const NOT_TAKEN: [&str; 16] = [
    "alwaysAllow", "alwaysLoad", "authProviderType", "autoApprove", "default_tools_approval_mode", "dev", "envFile",
    "gallery", "headersHelper", "oauth", "oauth_resource", "required", "scopes", "supports_parallel_tool_calls",
    "tools", "trust",
];

/// Variables with which another program's code gets into any program: nobody needs one to reach a server.
#[rustfmt::skip]
const LOADERS: [&str; 16] = [
    "BASH_ENV", "BASH_FUNC_*", "DYLD_*", "ENV", "GCONV_PATH", "GIT_*", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "LD_*",
    "NODE_OPTIONS", "PERL5OPT", "PERL5LIB", "PROMPT_COMMAND", "PYTHONSTARTUP", "RUBYOPT", "_JAVA_OPTIONS",
];

fn without_loaders(env: BTreeMap<String, String>, notes: &mut Vec<String>) -> BTreeMap<String, String> {
    let loads = |name: &str| {
        LOADERS.iter().any(|loader| match loader.strip_suffix('*') {
            Some(begin) => name.starts_with(begin),
            None => name == *loader,
        })
    };
    let (loaders, kept): (BTreeMap<_, _>, BTreeMap<_, _>) = env.into_iter().partition(|(name, _)| loads(name));
    for name in loaders.keys() {
        let name = aish_types::visible(name);
        notes.push(format!(
            "`{name}` was not taken over: it loads code into the program; set it yourself if you mean it"
        ));
    }
    kept
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
}

fn pairs(value: Option<&Value>) -> BTreeMap<String, String> {
    let map: Option<&Map<String, Value>> = value.and_then(Value::as_object);
    map.into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect()
}

/// Takes a header out that is nothing but a bearer token from the environment.
fn take_bearer(headers: &mut BTreeMap<String, String>) -> Option<String> {
    let key = headers.keys().find(|key| key.eq_ignore_ascii_case("authorization"))?.clone();
    let value = headers.get(&key)?;
    let token = value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer "))?.trim();
    let name = token.strip_prefix("${")?.strip_suffix('}')?;
    let name = name.strip_prefix("env:").unwrap_or(name).to_owned();
    let is_variable = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_variable {
        headers.remove(&key);
        return Some(name);
    }
    None
}

/// A variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it needs ${0}, which is not set")]
pub struct Unset(pub String);

/// Fills `${env:NAME}`, `${NAME}` and `${NAME:-default}` in.
///
/// # Errors
/// When a variable without a default is not set.
pub fn expand(text: &str, look_up: impl Fn(&str) -> Option<String>) -> Result<String, Unset> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((name, remaining)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) = name.split_once(":-").map_or((name, None), |(name, default)| (name, Some(default)));
        let name = name.strip_prefix("env:").unwrap_or(name);
        match look_up(name).or_else(|| default.map(str::to_owned)) {
            Some(value) => out.push_str(&value),
            None => return Err(Unset(name.to_owned())),
        }
        rest = remaining;
    }
    out.push_str(rest);
    Ok(out)
}

/// Takes comments and trailing commas out of JSON, outside of its texts.
fn plain_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut in_text = false;
    while let Some(c) = chars.next() {
        if in_text {
            out.push(c);
            match c {
                '\\' => out.extend(chars.next()),
                '"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match (c, chars.peek()) {
            ('"', _) => {
                in_text = true;
                out.push(c);
            }
            ('/', Some('/')) => while chars.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ('}' | ']', _) => {
                let kept = out.trim_end().len();
                if out.get(..kept).is_some_and(|kept| kept.ends_with(',')) {
                    out.truncate(kept - 1);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claude_and_cursor() {
        let text = r#"{"mcpServers": {
            "files": {"command": "npx", "args": ["-y", "server", 5], "env": {"A": "1", "B": null}, "disabled": true},
            "my server!": {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}", "X-A": "b"}},
            "odd": 5, "empty": {}}}"#;
        let (servers, mut faults) = import(text).unwrap();
        assert_eq!(servers.len(), 2);
        let stdio = WrittenEndpoint::Stdio {
            command: "npx".into(),
            args: vec!["-y".into(), "server".into(), "5".into()],
            env: BTreeMap::from([("A".into(), "1".into())]),
            cwd: None,
        };
        let files = servers.iter().find(|server| server.alias == "files").unwrap();
        assert_eq!((&files.endpoint, files.disabled), (&stdio, true));
        let http = WrittenEndpoint::Http {
            url: "https://x/mcp".into(),
            headers: BTreeMap::from([("X-A".into(), "b".into())]),
            auth_env: Some("TOKEN".into()),
        };
        let mine = servers.iter().find(|server| server.alias == "my-server").unwrap();
        assert_eq!(mine.endpoint, http);
        faults.sort_unstable();
        assert_eq!(faults, ["empty: it has neither a command nor a url", "odd: it is not an object"]);
    }

    #[test]
    fn vs_code_with_comments() {
        let text = "\u{feff}{ // a comment\n \"servers\": { /* more */ \"a\": {\"type\": \"sse\", \"url\": \"http://h//mcp\",},\n\
                    \"b\": {\"command\": \"x\", \"args\": [\"${input:key}\", \"/* no */\",], \"envFile\": \".env\"}, } }";
        let (servers, faults) = import(text).unwrap();
        assert!(faults.is_empty());
        assert_eq!(servers[0].notes.len(), 1);
        assert!(matches!(&servers[0].endpoint, WrittenEndpoint::Http { url, .. } if url == "http://h//mcp"));
        assert!(matches!(&servers[1].endpoint, WrittenEndpoint::Stdio { args, .. } if args[1] == "/* no */"));
        assert_eq!(servers[1].notes.len(), 2);
    }

    #[test]
    fn variables_that_load_code_are_left_out_and_named() {
        let text = r#"{"mcpServers": {"a": {"command": "x", "env": {"LD_PRELOAD": "/tmp/x.so", "NODE_OPTIONS": "--require /tmp/x.js",
            "BASH_ENV": "/tmp/x", "DYLD_INSERT_LIBRARIES": "x", "API_URL": "https://x", "LDAP_HOST": "h"}}}}"#;
        let (servers, _) = import(text).unwrap();
        let WrittenEndpoint::Stdio { env, .. } = &servers[0].endpoint else { panic!("{servers:?}") };
        assert_eq!(env.keys().collect::<Vec<_>>(), ["API_URL", "LDAP_HOST"]);
        assert_eq!(servers[0].notes.len(), 4);
        assert!(
            servers[0].notes.iter().any(|note| note.contains("`LD_PRELOAD` was not taken over")),
            "{:?}",
            servers[0].notes
        );
    }

    #[test]
    fn codex_in_toml() {
        let text = "model = \"x\"\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server\"]\ncwd = \"/tmp\"\n\
                    env_vars = [\"A\", {name = \"B\", source = \"local\"}]\nenv = {C = \"1\"}\nstartup_timeout_sec = 2.5\n\
                    tool_timeout_sec = 7\nenabled_tools = [\"read\"]\ndisabled_tools = [\"rm\"]\n\
                    default_tools_approval_mode = \"approve\"\n[mcp_servers.web]\nurl = \"https://x/mcp\"\n\
                    bearer_token_env_var = \"TOKEN\"\nhttp_headers = {\"X-A\" = \"b\"}\n\
                    env_http_headers = {\"X-B\" = \"HB\"}\nenabled = false\n";
        let (servers, faults) = import(text).unwrap();
        assert_eq!((faults, servers.len()), (Vec::new(), 2));
        let files = &servers[0];
        assert!(matches!(&files.endpoint, WrittenEndpoint::Stdio { command, args, env, cwd }
            if command == "npx" && args == &["-y", "server"] && cwd.as_deref() == Some("/tmp")
                && env["A"] == "${A:-}" && env["B"] == "${B:-}" && env["C"] == "1"));
        assert_eq!((files.start_ms, files.call_ms), (Some(2500), Some(7000)));
        assert_eq!((&files.include[..], &files.exclude[..]), (&["read".to_owned()][..], &["rm".to_owned()][..]));
        assert_eq!(files.notes, ["`default_tools_approval_mode` was not taken over"]);
        let http = WrittenEndpoint::Http {
            url: "https://x/mcp".into(),
            headers: BTreeMap::from([("X-A".into(), "b".into()), ("X-B".into(), "${HB}".into())]),
            auth_env: Some("TOKEN".into()),
        };
        assert_eq!((&servers[1].endpoint, servers[1].disabled), (&http, true));
        assert!(matches!(import("a = ["), Err(ImportError::Toml(_))));
    }

    #[test]
    fn gemini_opencode_and_a_file_that_is_the_list() {
        let gemini = r#"{"mcpServers": {"g": {"httpUrl": "http://h/mcp", "timeout": 5000, "trust": true,
            "includeTools": ["a"], "excludeTools": ["b"]}}}"#;
        let (servers, _) = import(gemini).unwrap();
        let g = &servers[0];
        assert_eq!((g.start_ms, g.call_ms, g.include.len(), g.exclude.len()), (None, Some(5000), 1, 1));
        assert_eq!(g.notes, ["`trust` was not taken over"]);
        let opencode = r#"{"mcp": {"o": {"type": "local", "command": ["bun", "x", "y"], "timeout": 3000,
            "environment": {"K": "{env:KEY}", "L": "${env:KEY}"}, "enabled": true}}}"#;
        let (servers, _) = import(opencode).unwrap();
        let o = &servers[0];
        assert!(matches!(&o.endpoint, WrittenEndpoint::Stdio { command, args, env, .. }
            if command == "bun" && args == &["x", "y"] && env["K"] == "${env:KEY}" && env["L"] == "${env:KEY}"));
        assert_eq!((o.start_ms, o.call_ms, o.disabled), (Some(3000), None, false));
        let (servers, _) = import(r#"{"a": {"command": "x"}, "b": {"url": "http://h"}}"#).unwrap();
        assert_eq!(servers.len(), 2);
    }

    #[test]
    fn aliases_that_differ_in_case_and_punctuation_alone_are_numbered() {
        let text = r#"{"mcpServers": {"My Server": {"command": "x"}, "my-server": {"command": "y"}, "my_server": {"command": "z"}}}"#;
        let (servers, _) = import(text).unwrap();
        let aliases: Vec<_> = servers.iter().map(|server| folded(&server.alias)).collect();
        assert_eq!(aliases, ["my-server", "my-server-2", "my-server-3"]);
    }

    #[test]
    fn names_are_made_unique_and_nonsense_is_an_error() {
        let (servers, _) =
            import(r#"{"mcp": {"servers": {"a b": {"command": "x"}, "a.b": {"command": "y"}}}}"#).unwrap();
        let aliases: Vec<_> = servers.iter().map(|server| server.alias.as_str()).collect();
        assert_eq!(aliases, ["a-b", "a-b-2"]);
        assert!(matches!(import("{}"), Err(ImportError::NoServers)));
        let error = import(r#"{"mcpServers": [{"command": "x"}]}"#).unwrap_err().to_string();
        assert!(error.starts_with("`mcpServers` of the file is no object"), "{error}");
        assert!(matches!(import("mcp = 5"), Err(ImportError::NotNamed(place)) if place == "mcp"));
        assert!(matches!(import("{"), Err(ImportError::Syntax(_))));
    }

    #[test]
    fn variables_are_filled_in() {
        let look_up = |name: &str| (name == "A").then(|| "1".to_owned());
        assert_eq!(expand("x${env:A}y${A}z${B:-2}$", look_up), Ok("x1y1z2$".into()));
        assert_eq!(expand("${B}", look_up), Err(Unset("B".into())));
        assert_eq!(expand("${unclosed", look_up), Ok("${unclosed".into()));
    }
}
