//! The tools: built-in ones, command lines, MCP servers.

use std::collections::BTreeMap;

use super::super::key::{COUNT, Kind, MANY, Overlay, SOME};
use super::super::word::one_of;

one_of! {
    /// The protocols that are tried with an MCP server.
    Protocol {
        /// All.
        Any = "any",
        /// Those before 2026-07-28.
        Older = "older",
        /// The newest alone.
        Newest = "newest",
    }
}

section! {
    /// `[tools]`.
    Tools in "tools" {
        /// The built-in tools that models are offered.
        builtin: Vec<String> = aish_tools::builtin::names().map(str::to_owned).collect(), Kind::Texts, Overlay::Free;
        /// Command lines as tools: climax configs, by name or path.
        cli: Vec<String> = Vec::new(), Kind::Texts, Overlay::Never;
        /// The number of tools above which a model gets two tools that find and call the others.
        direct_limit: usize = 32, COUNT, Overlay::Free;
        /// The most characters of a result that reach the model; the middle of a longer one is left out.
        max_result_chars: usize = 16_000, Kind::Whole(200, MANY), Overlay::Free;
        /// The seconds after which a call is ended.
        timeout_s: u64 = 30, Kind::Whole(1, 86_400), Overlay::Free;
    }
}

section! {
    /// `[mcp]`.
    Mcp in "mcp" {
        /// The servers, by alias.
        servers: BTreeMap<String, McpServer> = BTreeMap::new();
        /// Calls that need no yes (`true`) or always need one (`false`), by `alias.tool` or `alias.*`.
        auto_approve: BTreeMap<String, bool> = BTreeMap::new(), Kind::BoolMap, Overlay::Tighten;
        /// The most rounds of tool calls for one question.
        max_tool_depth: u32 = 8, Kind::Whole(1, 1000), Overlay::Lower;
    }
}

section! {
    /// `[mcp.servers.ALIAS]`.
    McpServer in "mcp.servers.*" {
        /// The URL of a server that speaks streamable HTTP; a server has this or a command.
        url: Option<String> = None, Kind::Text, Overlay::Never;
        /// The program of a server that speaks on standard input and output.
        command: Option<String> = None, Kind::Text, Overlay::Never;
        /// The program's arguments.
        args: Vec<String> = Vec::new(), Kind::Texts, Overlay::Never;
        /// Variables for the program beside those that every server gets; `${env:NAME}` takes one of yours.
        env: BTreeMap<String, String> = BTreeMap::new(), Kind::TextMap, Overlay::Never;
        /// The folder that the program starts in.
        cwd: Option<String> = None, Kind::Text, Overlay::Never;
        /// The bearer token itself; `auth_env` keeps it out of the file.
        auth_token: Option<String> = None, Kind::Text, Overlay::Never;
        /// The variable that holds the bearer token.
        auth_env: Option<String> = None, Kind::Text, Overlay::Never;
        /// Headers that go with each request; `${env:NAME}` takes a variable.
        headers: BTreeMap<String, String> = BTreeMap::new(), Kind::TextMap, Overlay::Never;
        /// The milliseconds after which a call is ended; without it `tools.timeout_s` holds.
        timeout_ms: Option<u64> = None, SOME, Overlay::Free;
        /// Lets the server put questions to you.
        elicitation: bool = false, Kind::Bool, Overlay::Only(false);
        /// Lets the server have the model write, after your yes each time.
        sampling: bool = false, Kind::Bool, Overlay::Only(false);
        /// The protocols that are tried: all, those before 2026-07-28 (`older`), or the newest alone.
        protocol: Protocol = Protocol::Any, Protocol::WORDS, Overlay::Never;
        /// The client id to sign in with, where the server's operator gave you one.
        client_id: Option<String> = None, Kind::Text, Overlay::Never;
        /// Starts the server; false leaves it alone.
        enabled: bool = true, Kind::Bool, Overlay::Only(false);
    }
}
