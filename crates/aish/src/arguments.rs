//! The command line as it was written; resolved elsewhere.

mod config;
mod hook;
mod init;
mod itself;
mod line;
mod mcp;
mod norris;
mod quick;
mod state;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::export::Format;

pub use config::ConfigCommand;
pub use hook::{HookCommand, HookInstallFlags, HookScope};
pub use init::{InitFlags, InitTarget};
pub use itself::{SelfCommand, SelfUninstallFlags};
pub use line::{LineCommand, LineShell};
pub use mcp::{McpAddFlags, McpCommand, McpInstallFlags};
pub use norris::NorrisFlags;
pub use quick::quick;
pub use state::{ImportCommand, ImportFlags, StateCommand};

/// An AI-augmented conversational shell: a line is a shell command or a question.
#[derive(Debug, Default, Parser)]
#[command(name = "aish", version, max_term_width = 100)]
pub struct Arguments {
    /// What to do; without one, aish starts as a shell.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Flags of the shell itself.
    #[command(flatten)]
    pub shell: ShellFlags,
    /// Flags that every command takes.
    #[command(flatten)]
    pub shared: SharedFlags,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Default, Args)]
pub struct SharedFlags {
    /// Configuration file instead of the user's own.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Model to ask: a name from the configuration.
    #[arg(long, short, global = true, value_name = "NAME")]
    pub model: Option<String>,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", value_enum)]
    pub color: Option<When>,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a capable terminal.
    Auto,
    /// Also in a pipe.
    Always,
    /// Never.
    Never,
}

/// Flags of the shell itself.
#[derive(Debug, Clone, Default, Args)]
pub struct ShellFlags {
    /// Route this one line, run or answer it, and exit.
    #[arg(short = 'c', value_name = "LINE")]
    pub line: Option<String>,
    /// Continue a session: the newest, or the one with this id.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// Do not load the rc file of the shell.
    #[arg(long)]
    pub norc: bool,
    /// Draw nothing anew and use no colour: for screen readers and terminals that only print.
    #[arg(long)]
    pub plain: bool,
    /// Let the model work on a goal by itself; as `aish norris GOAL`.
    #[arg(long, value_name = "GOAL", conflicts_with_all = ["line", "resume"])]
    pub norris: Option<String>,
}

impl ShellFlags {
    /// Says whether any is given; none goes with a command.
    pub fn any(&self) -> bool {
        self.line.is_some() || self.resume.is_some() || self.norc || self.plain || self.norris.is_some()
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask a question once; what is piped in goes along.
    Ask(AskFlags),
    /// Let the model work on a goal by itself, within limits.
    Norris(NorrisFlags),
    /// Say for each line of standard input whether it is a shell command or a question.
    Route(LineFlags),
    /// Judge a command, or each line of standard input: allow, ask or halt.
    Check(CheckFlags),
    /// Count the tokens of a text, or of standard input.
    Tokenize(TokenizeFlags),
    /// Show or check the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Show the policy's rules, or test them.
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List, describe or call tools.
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// List, fetch or choose models.
    #[command(subcommand)]
    Model(ModelCommand),
    /// MCP servers and aish as one.
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Be an agent for an editor, over the Agent Client Protocol on standard input and output.
    Acp,
    /// Answer chat requests of other programs, on a NATS bus or over lines.
    Service(ServiceFlags),
    /// Let other agents ask aish before they run a command.
    #[command(subcommand)]
    Hook(HookCommand),
    /// Print what your own shell reads at its start: keys that turn a line into a command and explain what failed.
    Init(InitFlags),
    /// What the keys of `aish init` start.
    #[command(subcommand)]
    Line(LineCommand),
    /// Show what the project's own files say, and whether they are used.
    Project,
    /// Kept sessions: a session is named by its id, the beginning of it, or its name.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// What is remembered of you.
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Take along or delete what is kept: history, sessions, memory, approvals.
    #[command(subcommand)]
    State(StateCommand),
    /// Take over what other programs have.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Show what all sessions used and cost.
    Cost(CostFlags),
    /// Bring back what the model's last command changed, or what an earlier one did.
    Undo {
        /// `list`, or the name of a step as the list shows it.
        what: Option<String>,
    },
    /// Run a command in a layer, show what it changed, and keep or drop that.
    Try(TrialFlags),
    /// Check configuration, model, servers, terminal and shell.
    Doctor,
    /// Take out what aish wrote elsewhere, or say how a newer version comes.
    #[command(name = "self", subcommand)]
    Itself(SelfCommand),
    /// Print a completion script.
    Completions {
        /// The shell that it is for.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Become a program in a sandbox.
    #[command(name = "__sandbox", hide = true)]
    Sandbox(SandboxFlags),
    /// Print the manual page, or write those of all commands into a folder.
    Manual {
        /// A folder; `aish.1`, `aish-ask.1` and the others are written into it.
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
}

/// `aish ask`.
#[derive(Debug, Clone, Default, Args)]
pub struct AskFlags {
    /// The question; without one, standard input is it, at a terminal the line that is typed next.
    pub question: Vec<String>,
    /// Print events as JSON lines.
    #[arg(long)]
    pub json: bool,
    /// Print the answer alone.
    #[arg(long, short)]
    pub quiet: bool,
    /// Approve what would be asked, unless it is destructive.
    #[arg(long)]
    pub yes: bool,
    /// Offer no tools.
    #[arg(long)]
    pub no_tools: bool,
    /// Have the answer fit a JSON Schema; it is printed only when it does.
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Attach an image (PNG, JPEG, GIF or WebP); may be given more than once.
    #[arg(long, value_name = "FILE")]
    pub image: Vec<PathBuf>,
    /// Go on with a session: the newest, or the one that is named.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    pub resume: Option<String>,
    /// Go on with the newest session.
    #[arg(long = "continue", conflicts_with_all = ["resume", "session"])]
    pub go_on: bool,
    /// Go on with the session of this name, or begin one.
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    pub session: Option<String>,
}

/// `aish try`.
#[derive(Debug, Clone, Default, Args)]
pub struct TrialFlags {
    /// Keep what it changed without asking.
    #[arg(long, conflicts_with = "drop")]
    pub keep: bool,
    /// Drop what it changed without asking; also without a terminal.
    #[arg(long)]
    pub drop: bool,
    /// Print the changes as JSON; the command's own output goes to standard error.
    #[arg(long)]
    pub json: bool,
    /// Let it reach the network.
    #[arg(long)]
    pub net: bool,
    /// Keep ordinary files and drop all where others changed: for a hook, of the session `AGENT:ID`.
    #[arg(long, value_name = "SESSION", hide = true, conflicts_with_all = ["keep", "drop", "json", "net"])]
    pub agent: Option<String>,
    /// The command with its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<std::ffi::OsString>,
}

/// `aish __sandbox`.
#[derive(Debug, Clone, Args)]
pub struct SandboxFlags {
    /// Folders that may be written.
    #[arg(long)]
    pub write: Vec<PathBuf>,
    /// Files and folders in them that may not.
    #[arg(long)]
    pub protect: Vec<PathBuf>,
    /// Leave the network on.
    #[arg(long)]
    pub network: bool,
    /// The program with its arguments.
    #[arg(last = true, required = true)]
    pub program: Vec<std::ffi::OsString>,
}

/// How lines are read and printed.
#[derive(Debug, Clone, Default, Args)]
pub struct LineFlags {
    /// Lines end with NUL instead of a newline.
    #[arg(short = '0')]
    pub nul: bool,
    /// Print JSON objects, one a line.
    #[arg(long)]
    pub json: bool,
}

/// `aish check`.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckFlags {
    /// How lines are read and printed.
    #[command(flatten)]
    pub lines: LineFlags,
    /// Show the parts of the command with the effect of each.
    #[arg(long)]
    pub explain: bool,
    /// The command, one argument; without it, lines of standard input.
    pub command: Option<String>,
}

/// `aish tokenize`.
#[derive(Debug, Clone, Default, Args)]
pub struct TokenizeFlags {
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
    /// The text; without one, standard input is it.
    pub text: Vec<String>,
}

/// `aish policy`.
#[derive(Debug, Clone, Subcommand)]
pub enum PolicyCommand {
    /// Print the rules that hold; with a command, what decides about it, and why.
    Show {
        /// The command.
        command: Vec<String>,
    },
    /// Take back what `always` approved for good in this project, by its text as `show` lists it.
    Forget {
        /// The text.
        text: Vec<String>,
    },
    /// Try the examples of a file's rules; exit code 1 when one fails.
    Test {
        /// A file with `[[policy.rules]]`; the configuration where none is named.
        file: Option<std::path::PathBuf>,
    },
}

/// `aish tools`.
#[derive(Debug, Clone, Subcommand)]
pub enum ToolsCommand {
    /// List the tools.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print a tool's definition.
    Describe {
        /// The tool's full name.
        name: String,
    },
    /// Call a tool through the gate.
    Call {
        /// The tool's full name.
        name: String,
        /// Its arguments as a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
        /// Print the whole outcome as JSON.
        #[arg(long)]
        json: bool,
        /// Approve what would be asked, unless it is destructive.
        #[arg(long)]
        yes: bool,
    },
}

/// `aish model`.
#[derive(Debug, Clone, Subcommand)]
pub enum ModelCommand {
    /// List the models that can answer.
    List,
    /// Fetch an embedded model.
    Pull {
        /// A name of the list, hf:OWNER/REPO[:QUANT], or ollama:NAME[:TAG].
        #[arg(default_value = "smollm2")]
        name: String,
        /// Take this GGUF file instead of fetching one.
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Make an embedded model the one that answers when nothing else is configured.
    Use {
        /// The model's name.
        name: String,
    },
    /// Delete an embedded model.
    Remove {
        /// The model's name.
        name: String,
    },
}

/// `aish sessions`.
#[derive(Debug, Clone, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions, the last used first.
    List {
        /// Print JSON objects, one a line.
        #[arg(long)]
        json: bool,
    },
    /// Find the sessions in which something was said.
    Search {
        /// Words that stand in one message.
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Write a session as a document.
    Export(ExportFlags),
    /// Give a session a name.
    Rename {
        /// The session.
        session: String,
        /// Its name.
        name: String,
    },
    /// Copy a session into a new one and print its id.
    Fork {
        /// The session.
        session: String,
        /// The last turn that goes along.
        #[arg(long, value_name = "NUMBER")]
        turn: Option<u64>,
    },
    /// Delete sessions for good.
    Delete {
        /// The sessions.
        #[arg(required = true)]
        sessions: Vec<String>,
    },
}

/// `aish sessions export`.
#[derive(Debug, Clone, Args)]
pub struct ExportFlags {
    /// The session; the newest without one.
    pub session: Option<String>,
    /// The form; by the name of the file, else Markdown.
    #[arg(long, short, value_enum)]
    pub format: Option<Format>,
    /// A new file; standard output without one.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `aish memory`.
#[derive(Debug, Clone, Subcommand)]
pub enum MemoryCommand {
    /// List the newest facts.
    List {
        /// Print JSON objects, one a line.
        #[arg(long)]
        json: bool,
    },
    /// List the facts that have these words.
    Search {
        /// What to look for.
        #[arg(required = true)]
        words: Vec<String>,
        /// Print JSON objects, one a line.
        #[arg(long)]
        json: bool,
    },
    /// Keep a fact.
    Add {
        /// The fact.
        #[arg(required = true)]
        text: Vec<String>,
        /// It holds in this project alone.
        #[arg(long)]
        project: bool,
    },
    /// Forget facts.
    Forget {
        /// Their numbers.
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

/// `aish service`.
#[derive(Debug, Clone, Default, Args)]
pub struct ServiceFlags {
    /// The bus, as nats://HOST:PORT; else `nats.url`.
    #[arg(long, value_name = "URL", conflicts_with = "local")]
    pub nats: Option<String>,
    /// JSON lines on standard input and output, without a bus.
    #[arg(long)]
    pub local: bool,
    /// The first word of every subject; else `nats.prefix`.
    #[arg(long, value_name = "WORD")]
    pub prefix: Option<String>,
}

/// `aish cost`.
#[derive(Debug, Clone, Args)]
pub struct CostFlags {
    /// Only what is not older: a number and m, h, d or w, as in 7d.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// What a row stands for.
    #[arg(long, value_enum, default_value = "day")]
    pub by: CostBy,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
    /// Draw bars.
    #[arg(long, conflicts_with = "json")]
    pub plot: bool,
}

/// What a row of `aish cost` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CostBy {
    /// A day of the machine's time zone.
    Day,
    /// A model.
    Model,
    /// A project.
    Project,
}

impl CostBy {
    /// Returns the name as it is given.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Model => "model",
            Self::Project => "project",
        }
    }
}
