//! The other sections, with their defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::diagnostic::{Diagnostic, Severity};
use super::layer::Layer;
use super::model::{ModelChoice, Models};
use super::router::Router;

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|&word| word.to_owned()).collect()
}

section! {
    /// Every section.
    Config {
        /// Which model answers.
        model: ModelChoice = ModelChoice::default(),
        /// The models.
        models: Models = Models::new(),
        /// The context's limits.
        context: ContextSection = ContextSection::default(),
        /// Token counts by endpoint.
        tokenize: Tokenize = Tokenize::default(),
        /// Limits of cost.
        cost: Cost = Cost::default(),
        /// MCP servers and approvals.
        mcp: Mcp = Mcp::default(),
        /// Tools.
        tools: Tools = Tools::default(),
        /// The live shell.
        shell: ShellSection = ShellSection::default(),
        /// Routing.
        route: Route = Route::default(),
        /// Rules that pick a model.
        router: Router = Router::default(),
        /// Rules for commands.
        policy: PolicySection = PolicySection::default(),
        /// The autonomous mode's limits.
        norris: Norris = Norris::default(),
        /// The sandbox.
        sandbox: Sandbox = Sandbox::default(),
        /// Undo.
        undo: Undo = Undo::default(),
        /// Memory.
        memory: Memory = Memory::default(),
        /// Project instructions.
        project: Project = Project::default(),
        /// History.
        history: History = History::default(),
        /// Looks.
        ui: Ui = Ui::default(),
        /// The bus.
        nats: Nats = Nats::default(),
        /// The chat service.
        service: Service = Service::default(),
    }
}

section! {
    /// `[context]`.
    ContextSection {
        /// Messages at most.
        max_turns: usize = 40,
        /// Tokens at most; none means by the model's context.
        token_budget: Option<u64> = None,
        /// False sends results of tools as text.
        use_tool_role: bool = true,
        /// Summarise what is evicted.
        summarize: bool = true,
    }
}

section! {
    /// `[tokenize]`.
    Tokenize {
        /// Ask the endpoint's `/tokenize`.
        use_endpoint: bool = false,
        /// Milliseconds to wait for it.
        timeout_ms: u64 = 2000,
    }
}

section! {
    /// `[cost]`.
    Cost {
        /// Dollars from which a line warns.
        warn_at_dollars: Option<f64> = None,
        /// Dollars at which requests are refused.
        cap_at_dollars: Option<f64> = None,
        /// `session` or `day`.
        scope: String = "session".to_owned(),
    }
}

section! {
    /// `[mcp.servers.ALIAS]`.
    McpServer {
        /// Streamable HTTP.
        url: Option<String> = None,
        /// A program that speaks MCP on stdin and stdout.
        command: Option<String> = None,
        /// Its arguments.
        args: Vec<String> = Vec::new(),
        /// Its further environment.
        env: BTreeMap<String, String> = BTreeMap::new(),
        /// Its folder.
        cwd: Option<String> = None,
        /// Bearer token.
        auth_token: Option<String> = None,
        /// Variable with the bearer token.
        auth_env: Option<String> = None,
        /// Further headers.
        headers: BTreeMap<String, String> = BTreeMap::new(),
        /// Milliseconds of a call.
        timeout_ms: Option<u64> = None,
        /// The server may put questions to the person.
        elicitation: bool = false,
        /// The server may have the model write, each time with the person's leave.
        sampling: bool = false,
        /// The client id to sign in with, where the server gave one out.
        client_id: Option<String> = None,
        /// False leaves it alone.
        enabled: bool = true,
    }
}

section! {
    /// `[mcp]`.
    Mcp {
        /// The servers, by alias.
        servers: BTreeMap<String, McpServer> = BTreeMap::new(),
        /// `alias.tool` or `alias.*` to yes or no.
        auto_approve: BTreeMap<String, bool> = BTreeMap::new(),
        /// Rounds of tools a question.
        max_tool_depth: u32 = 8,
    }
}

section! {
    /// `[tools]`.
    Tools {
        /// The built-in tools that are offered.
        builtin: Vec<String> = words(&["calculator", "get_time", "roll_dice", "search_memory", "remember"]),
        /// climax configs, by name or path.
        cli: Vec<String> = Vec::new(),
        /// Tools over which the model gets the two discovery tools instead.
        direct_limit: usize = 32,
        /// Characters of a result that reach the model.
        max_result_chars: usize = 16_000,
        /// Seconds of a call.
        timeout_s: u64 = 30,
    }
}

section! {
    /// `[shell]`.
    ShellSection {
        /// The shell.
        program: String = "bash".to_owned(),
        /// Load the user's rc file.
        rc: bool = true,
        /// Ask before every proposed command.
        confirm_cmd: bool = true,
        /// Attach the last commands' output to the next question.
        output_to_model: bool = true,
        /// Bytes of output that are attached.
        output_bytes: usize = 16_384,
    }
}

section! {
    /// `[route]`.
    Route {
        /// Ask when unsure; else it goes to the shell.
        ask: bool = true,
    }
}

section! {
    /// One rule of `[policy]`.
    PolicyRule {
        /// The pattern of the command.
        r#match: String = String::new(),
        /// `allow`, `ask` or `halt`.
        verdict: String = String::new(),
        /// Why, in words.
        reason: String = String::new(),
        /// Commands that the pattern must match.
        examples: Vec<String> = Vec::new(),
    }
}

section! {
    /// `[policy]`.
    PolicySection {
        /// The rules, the strictest wins.
        rules: Vec<PolicyRule> = Vec::new(),
    }
}

section! {
    /// `[norris]`.
    Norris {
        /// Requests to the model.
        max_steps: u32 = 25,
        /// Calls and commands.
        max_tool_calls: u32 = 50,
        /// Tokens.
        max_tokens: u64 = 200_000,
        /// Dollars.
        max_dollars: f64 = 1.0,
        /// Minutes.
        max_minutes: f64 = 30.0,
        /// Every `ask` goes to a person.
        read_only: bool = false,
    }
}

section! {
    /// `[sandbox]`.
    Sandbox {
        /// `auto`, `off` or `required`.
        mode: String = "auto".to_owned(),
        /// Let commands reach the network.
        network: bool = false,
        /// Folders that may be written; empty means the project and the temporary folder.
        write: Vec<String> = Vec::new(),
    }
}

section! {
    /// `[undo]`.
    Undo {
        /// Put files aside before they are deleted or overwritten.
        enabled: bool = true,
        /// Bytes kept at most.
        max_bytes: u64 = 256 * 1024 * 1024,
        /// Days kept at most.
        keep_days: u64 = 7,
    }
}

section! {
    /// `[memory]`.
    Memory {
        /// Use memory at all.
        enabled: bool = true,
        /// Keep facts at the end of a session.
        auto: bool = true,
        /// Tokens of memory in a prompt at most.
        max_prompt_tokens: u64 = 300,
    }
}

section! {
    /// `[project]`.
    Project {
        /// Names of instruction files.
        instructions: Vec<String> = words(&["AGENTS.md", ".aish/instructions.md"]),
    }
}

section! {
    /// `[history]`.
    History {
        /// Keep session logs.
        sessions: bool = true,
        /// Entries of the line history at most.
        size: u64 = 100_000,
    }
}

section! {
    /// `[ui]`.
    Ui {
        /// The prompt's template; none means the built-in one.
        prompt: Option<String> = None,
        /// The theme's name.
        theme: Option<String> = None,
        /// `emacs` or `vi`.
        edit_mode: String = "emacs".to_owned(),
        /// Render markdown.
        markdown: bool = true,
        /// `auto`, `always` or `never`.
        color: String = "auto".to_owned(),
    }
}

section! {
    /// `[nats.legacy."PLUGIN.ACTION"]`: a tool of a plugin that answers commands and does not register.
    LegacyPlugin {
        /// What it does, for the model.
        description: String = String::new(),
        /// The names of its arguments, all of them texts, and what they mean.
        arguments: BTreeMap<String, String> = BTreeMap::new(),
        /// The argument that is sent alone, as a person would type it; none sends all.
        args_from: Option<String> = None,
    }
}

section! {
    /// `[nats]`.
    Nats {
        /// The bus.
        url: Option<String> = None,
        /// Its credentials file.
        creds: Option<String> = None,
        /// The first word of every subject.
        prefix: String = "rosey".to_owned(),
        /// Tools of plugins that do not register, by `plugin.action`.
        legacy: BTreeMap<String, LegacyPlugin> = BTreeMap::new(),
    }
}

section! {
    /// `[service]`.
    Service {
        /// Tools that the service may run.
        allow: Vec<String> = Vec::new(),
        /// Requests a user a minute.
        per_minute: u64 = 10,
        /// Requests a user an hour.
        per_hour: u64 = 100,
        /// Requests a user a day.
        per_day: u64 = 500,
        /// Tool calls of one question at most; then the model answers without tools.
        max_tool_calls: usize = 5,
        /// System prompts by the name that a request may give as its `persona`.
        personas: BTreeMap<String, String> = BTreeMap::new(),
    }
}

impl Config {
    /// Turns checked settings into typed values; a setting that still does not fit costs its section, and is reported.
    pub fn from_layer(layer: &Layer, diagnostics: &mut Vec<Diagnostic>) -> Self {
        match serde_json::from_value(layer.tree()) {
            Ok(config) => config,
            Err(error) => {
                diagnostics.push(Diagnostic {
                    severity: Severity::Error,
                    place: "configuration".to_owned(),
                    position: None,
                    message: format!("{error}; the defaults are used"),
                });
                Self::default()
            }
        }
    }
}
