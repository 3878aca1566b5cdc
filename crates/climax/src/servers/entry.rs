//! One MCP server as files name it: how it is reached, its bounds, and what the user says of its tools.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aish_mcp::client::{Endpoint, Era, ImportedServer, ServerOptions, WrittenEndpoint, expand, folded_alias};
use aish_types::Secret;
use reqwest::Url;

use super::overrides::ToolOverride;
use super::place;
use crate::expand::Variables;

/// Milliseconds that a call may take unless its server's entry says otherwise.
const CALL_MS: u64 = 60_000;
/// Seconds after which a program that nobody calls is stopped unless its entry says otherwise.
const IDLE_S: u64 = 300;
/// Calls of one server that run at once unless its entry says otherwise.
const PARALLEL: usize = 16;

/// Says why no MCP server can be at an address; what a variable will be filled in for is told when it is.
pub(crate) fn url_fault(url: &str) -> Option<String> {
    let wrong = || Some(format!("'{url}' must begin with http:// or https:// and a host"));
    match url.find("${") {
        Some(0) => None,
        // A variable behind the scheme may be any host.
        Some(at) => {
            let known = url.get(..at).unwrap_or_default().to_ascii_lowercase();
            if known.starts_with("http://") || known.starts_with("https://") { None } else { wrong() }
        }
        None => match Url::parse(url) {
            Ok(parsed) if matches!(parsed.scheme(), "http" | "https") && parsed.has_host() => None,
            Ok(_) => wrong(),
            Err(error) => Some(format!("'{url}' is no URL: {error}")),
        },
    }
}

/// The file that names a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerFile {
    /// A list, given by `--servers`.
    List(PathBuf),
    /// A configuration.
    Config(PathBuf),
}

impl ServerFile {
    /// Writes the option that names it, for a shell in any folder.
    fn option(&self) -> String {
        let (option, path): (_, &Path) = match self {
            Self::List(path) => ("--servers", path),
            Self::Config(path) => ("--config", path),
        };
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        format!("{option} {}", shell_words::quote(&path.to_string_lossy()))
    }
}

/// Writes the options that name the files of all these servers, each once: with them another command sees the same servers.
pub(crate) fn file_options(entries: &[ServerEntry]) -> String {
    let mut options: Vec<String> = Vec::new();
    for option in entries.iter().flat_map(|entry| &entry.files).map(ServerFile::option) {
        if !options.contains(&option) {
            options.push(option);
        }
    }
    options.join(" ")
}

/// Bounds of a server; what is not said has a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Milliseconds that its start may take; 20,000 by default.
    pub start_ms: Option<u64>,
    /// Milliseconds that listing its tools may take; 15,000 by default.
    pub list_ms: Option<u64>,
    /// Milliseconds that a call may take, open questions not counted; 60,000 by default.
    pub timeout_ms: Option<u64>,
    /// Seconds without a call after which it is stopped; 300 by default, 0 for never.
    pub idle_s: Option<u64>,
    /// Calls that run at once; 16 by default.
    pub max_parallel: Option<usize>,
}

impl Limits {
    /// Milliseconds that a call may take.
    pub fn call_ms(&self) -> u64 {
        self.timeout_ms.filter(|&ms| ms > 0).unwrap_or(CALL_MS)
    }

    /// How long it may be idle; none for ever.
    pub fn idle(&self) -> Option<Duration> {
        let seconds = self.idle_s.unwrap_or(IDLE_S);
        (seconds > 0).then(|| Duration::from_secs(seconds))
    }

    /// How many calls run at once.
    pub fn parallel(&self) -> usize {
        self.max_parallel.filter(|&count| count > 0).unwrap_or(PARALLEL)
    }
}

/// What files say of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    /// The name that its tools are shown under, of letters, digits, `_` and `-`.
    pub alias: String,
    /// The files that say something of it, where they are known.
    pub files: Vec<ServerFile>,
    /// How it is reached; none where the entry only says more of a server that another file names.
    pub reach: Option<WrittenEndpoint>,
    /// False when it is not used.
    pub enabled: bool,
    /// Its bounds.
    pub limits: Limits,
    /// Globs (`*`) of the tools that are offered alone; empty means all.
    pub include: Vec<String>,
    /// Globs of tools that are not offered, over `include`.
    pub exclude: Vec<String>,
    /// Whether it may put questions to the person behind a client.
    pub elicitation: bool,
    /// Whether it may have a client's model write.
    pub sampling: bool,
    /// Which protocol versions are tried.
    pub era: Era,
    /// What the user says of single tools, by the server's own names.
    pub tools: Vec<ToolOverride>,
}

impl ServerEntry {
    /// Makes an entry with nothing but a name.
    pub fn new(alias: impl Into<String>, reach: Option<WrittenEndpoint>) -> Self {
        Self {
            alias: alias.into(),
            files: Vec::new(),
            reach,
            enabled: true,
            limits: Limits::default(),
            include: Vec::new(),
            exclude: Vec::new(),
            elicitation: true,
            sampling: true,
            era: Era::Any,
            tools: Vec::new(),
        }
    }

    /// Says whether a tool is offered, by the server's own name; `exclude` wins.
    pub fn offers(&self, tool: &str) -> bool {
        let named = |globs: &[String]| globs.iter().any(|glob| matches(glob, tool));
        (self.include.is_empty() || named(&self.include)) && !named(&self.exclude)
    }

    /// Returns the options of the client, with variables filled in.
    ///
    /// # Errors
    /// In words, when it is not said how it is reached, or a variable is not set.
    pub(crate) fn options(&self, world: &dyn Variables) -> Result<ServerOptions, String> {
        let filled = |text: &String| expand(text, |name| world.get(name)).map_err(|unset| unset.to_string());
        let secrets = |pairs: &BTreeMap<String, String>| {
            let pairs = pairs.iter().map(|(name, text)| Ok((name.clone(), Secret::new(filled(text)?))));
            pairs.collect::<Result<BTreeMap<_, _>, String>>()
        };
        let endpoint = match &self.reach {
            None => return Err("no file says how it is reached: `command` or `url`".to_owned()),
            Some(WrittenEndpoint::Stdio { command, args, env, cwd }) => {
                let cwd = cwd.as_ref().map(filled).transpose()?;
                let folder = cwd.map(|cwd| place::absolute(Path::new(&crate::expand::home(&cwd, world))));
                let command = crate::expand::home(&filled(command)?, world);
                // A program may mean something else by `${X}` than we do.
                let args: Vec<String> = args.iter().map(|text| filled(text).unwrap_or_else(|_| text.clone())).collect();
                in_its_place(command, args, secrets(env)?, folder)
            }
            Some(WrittenEndpoint::Http { url, headers, auth_env }) => {
                let token = match auth_env {
                    None => None,
                    Some(name) => {
                        let token = world.get(name).filter(|token| !token.is_empty());
                        Some(Secret::new(token.ok_or_else(|| format!("it needs ${name}, which is not set"))?))
                    }
                };
                let url = filled(url)?;
                if let Some(fault) = url_fault(&url) {
                    return Err(fault);
                }
                Endpoint::Http { url, headers: secrets(headers)?, token }
            }
        };
        let mut options = ServerOptions::new(self.alias.clone(), endpoint);
        let ms = |ms: Option<u64>| ms.filter(|&ms| ms > 0).map(Duration::from_millis);
        options.connect_timeout = ms(self.limits.start_ms).unwrap_or(options.connect_timeout);
        options.list_timeout = ms(self.limits.list_ms).unwrap_or(options.list_timeout);
        // One that ended is started again when it is used.
        options.restarts = 0;
        options.era = self.era;
        options.elicitation = self.elicitation;
        options.sampling = self.sampling;
        Ok(options)
    }
}

/// Makes an endpoint whose words mean the same wherever it is looked at: with the folder, where they may hang on it.
fn in_its_place(
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, Secret>,
    folder: Option<PathBuf>,
) -> Endpoint {
    let here = || place::absolute(Path::new("."));
    let command = if place::is_relative(&command) {
        let file = folder.clone().unwrap_or_else(here).join(command.trim_start_matches("./"));
        file.to_string_lossy().into_owned()
    } else {
        command
    };
    let cwd = folder.or_else(|| place::hangs_on_folder(&args).then(here));
    Endpoint::Stdio { command, args, env, cwd }
}

impl From<ImportedServer> for ServerEntry {
    fn from(server: ImportedServer) -> Self {
        let limits = Limits { start_ms: server.start_ms, timeout_ms: server.call_ms, ..Limits::default() };
        Self {
            enabled: !server.disabled,
            limits,
            include: server.include,
            exclude: server.exclude,
            ..Self::new(server.alias, Some(server.endpoint))
        }
    }
}

/// Puts the entries of all files together: one without `command` and `url` says more of the server of its name, and a second
/// server of one name (case and punctuation do not count) gets `-2`. The second value says so, in sentences.
pub fn joined(entries: Vec<ServerEntry>) -> (Vec<ServerEntry>, Vec<String>) {
    let (servers, more): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.reach.is_some());
    let mut warnings = Vec::new();
    let mut out: Vec<ServerEntry> = Vec::with_capacity(servers.len());
    // Where each name is, and the number that another server of it gets.
    let mut places: HashMap<String, (usize, usize)> = HashMap::with_capacity(servers.len());
    for mut entry in servers {
        let name = folded_alias(&entry.alias);
        if let Some((_, next)) = places.get(&name).copied() {
            let mut numbered = (next..).map(|number| (number, format!("{}-{number}", entry.alias)));
            let free = numbered.find(|(_, alias)| !places.contains_key(&folded_alias(alias)));
            let (number, free) = free.unwrap_or_else(|| (next, entry.alias.clone()));
            places.entry(name).and_modify(|(_, next)| *next = number);
            warnings.push(format!("there is more than one server '{}'; this one is '{free}'", entry.alias));
            entry.alias = free;
        }
        places.entry(folded_alias(&entry.alias)).or_insert((out.len(), 2));
        out.push(entry);
    }
    for entry in more {
        match places.get(&folded_alias(&entry.alias)).and_then(|(at, _)| out.get_mut(*at)) {
            Some(server) => server.take_over(entry),
            None => warnings.push(format!("no file says how the server '{}' is reached; it is left out", entry.alias)),
        }
    }
    (out, warnings)
}

impl ServerEntry {
    /// Takes over what another entry says beyond how the server is reached.
    fn take_over(&mut self, more: Self) {
        self.enabled &= more.enabled;
        self.elicitation &= more.elicitation;
        self.sampling &= more.sampling;
        if more.era != Era::Any {
            self.era = more.era;
        }
        let Limits { start_ms, list_ms, timeout_ms, idle_s, max_parallel } = more.limits;
        self.limits = Limits {
            start_ms: start_ms.or(self.limits.start_ms),
            list_ms: list_ms.or(self.limits.list_ms),
            timeout_ms: timeout_ms.or(self.limits.timeout_ms),
            idle_s: idle_s.or(self.limits.idle_s),
            max_parallel: max_parallel.or(self.limits.max_parallel),
        };
        if !more.include.is_empty() {
            self.include = more.include;
        }
        self.exclude.extend(more.exclude);
        self.files.extend(more.files);
        for tool in more.tools {
            self.tools.retain(|known| known.tool != tool.tool);
            self.tools.push(tool);
        }
    }
}

/// Matches a name with a glob in which `*` stands for any letters.
fn matches(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(alias: &str) -> ServerEntry {
        let reach = WrittenEndpoint::Stdio { command: "x".into(), args: Vec::new(), env: BTreeMap::new(), cwd: None };
        ServerEntry::new(alias, Some(reach))
    }

    #[test]
    fn a_second_server_of_a_name_gets_the_first_free_number() {
        let more = ServerEntry { enabled: false, ..ServerEntry::new("A", None) };
        let entries =
            ["a", "A", "a-2", "b", "a", "A_2"].map(program).into_iter().chain([more, ServerEntry::new("c", None)]);
        let (servers, warnings) = joined(entries.collect());
        let names: Vec<&str> = servers.iter().map(|server| server.alias.as_str()).collect();
        assert_eq!(names, ["a", "A-2", "a-2-2", "b", "a-3", "A_2-3"]);
        assert_eq!((warnings.len(), servers[0].enabled, servers[1].enabled), (5, false, true));
    }

    #[test]
    fn globs() {
        for (glob, name, is_match) in [
            ("read", "read", true),
            ("read", "reader", false),
            ("read*", "read_file", true),
            ("*file", "read_file", true),
            ("*file", "read_files", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "ac", false),
            ("*", "", true),
            ("**", "x", true),
            ("ab*b", "ab", false),
        ] {
            assert_eq!(matches(glob, name), is_match, "{glob} {name}");
        }
        let mut entry = program("a");
        (entry.include, entry.exclude) = (vec!["read*".into()], vec!["*secret*".into()]);
        assert!(entry.offers("read_file") && !entry.offers("write") && !entry.offers("read_secrets"));
    }

    #[test]
    fn servers_of_one_name_are_numbered_and_more_is_said_of_them() {
        let mut more = ServerEntry::new("Notes", None);
        (more.limits.timeout_ms, more.exclude) = (Some(5), vec!["rm".into()]);
        let nowhere = ServerEntry::new("nowhere", None);
        let (joined, warnings) = joined(vec![program("notes"), program("NOTES"), more, nowhere]);
        let aliases: Vec<&str> = joined.iter().map(|entry| entry.alias.as_str()).collect();
        assert_eq!(aliases, ["notes", "NOTES-2"]);
        assert_eq!((joined[0].limits.call_ms(), joined[1].limits.call_ms()), (5, 60_000));
        assert!(!joined[0].offers("rm") && joined[1].offers("rm"));
        assert_eq!(warnings.len(), 2);
    }

    #[test]
    fn files_of_servers_are_named_once_and_for_any_folder() {
        let from = |file: Option<ServerFile>| ServerEntry { files: file.into_iter().collect(), ..program("a") };
        let list = || from(Some(ServerFile::List("/etc/my servers.json".into())));
        let entries = [list(), from(None), from(Some(ServerFile::Config("/x/notes.yaml".into()))), list()];
        assert_eq!(file_options(&entries), "--servers '/etc/my servers.json' --config /x/notes.yaml");
        let here = file_options(&[from(Some(ServerFile::List("mcp.json".into())))]);
        assert!(here.starts_with("--servers /") && here.ends_with("/mcp.json"), "{here}");
    }

    #[test]
    fn a_server_is_at_an_http_address() {
        for url in ["http://h", "HTTPS://h/mcp?x=1", "http://[::1]:8080/mcp", "${URL}", "https://${HOST}/mcp"] {
            assert_eq!(url_fault(url), None, "{url}");
        }
        for url in ["ftp://h/mcp", "file:///etc/passwd", "h/mcp", "http://", "ws://${HOST}", "", "mailto:a@b"] {
            assert!(url_fault(url).is_some(), "{url}");
        }
        // What a variable gives is looked at, too.
        let reach = WrittenEndpoint::Http { url: "${URL}".into(), headers: BTreeMap::new(), auth_env: None };
        let entry = ServerEntry::new("a", Some(reach));
        let world = |value: &'static str| move |name: &str| (name == "URL").then(|| value.to_owned());
        assert!(entry.options(&world("http://h/mcp")).is_ok());
        assert!(entry.options(&world("ftp://h/mcp")).unwrap_err().contains("must begin with http://"));
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let world = |name: &str| (name == "HOME").then(|| "/home/ada".to_owned());
        let mut entry = program("a");
        if let Some(WrittenEndpoint::Stdio { env, cwd, args, .. }) = &mut entry.reach {
            env.insert("KEY".into(), "${NOTES_KEY}".into());
            *cwd = Some("~/notes".into());
            args.push("${unknown}".into());
        }
        assert_eq!(entry.options(&world).unwrap_err(), "it needs $NOTES_KEY, which is not set");
        if let Some(WrittenEndpoint::Stdio { env, .. }) = &mut entry.reach {
            env.insert("KEY".into(), "${NOTES_KEY:-none}".into());
        }
        let options = entry.options(&world).unwrap();
        assert!(matches!(&options.endpoint, Endpoint::Stdio { cwd: Some(cwd), args, .. }
            if cwd.to_str() == Some("/home/ada/notes") && args[0] == "${unknown}"));
    }
}
