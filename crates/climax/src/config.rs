//! The configuration of one command-line program: what is in a file, resolved.
//!
//! [`read`](mod@read) makes it from YAML and reports every fault at once; [`check`](mod@check) finds the contradictions.

mod arg;
mod check;
mod http;
mod list;
mod read;
mod tools;

pub use list::{List, ListStyle, MAX_ITEMS};
pub use read::read;
pub use tools::{Packed, Tools};

use std::fmt;

use aish_types::Risk;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::{Api, Operation, Slot};
use crate::servers::ServerEntry;

/// Seconds that a tool may run when its file does not say.
pub const DEFAULT_TIMEOUT_S: f64 = 30.0;
/// Seconds that a look-up for a confirmation may run when its file does not say.
pub const DEFAULT_RESOLVE_TIMEOUT_S: f64 = 10.0;

/// One command-line program with its tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The name that the `cli` filter matches.
    pub name: String,
    /// What the program is, in a sentence.
    pub description: String,
    /// The base command as written: `~` and variables are expanded when it is run, then it is split into words. Empty where
    /// the tools are operations of an API, and where there are servers alone.
    pub command: String,
    /// The API whose operations the tools are, in the place of a program.
    pub api: Option<Api>,
    /// Variables added to the inherited environment, in the file's order.
    pub env: Vec<(String, String)>,
    /// The working directory as written.
    pub working_dir: Option<String>,
    /// Discovery category.
    pub category: Option<String>,
    /// Discovery tags.
    pub tags: Vec<String>,
    /// Arguments appended to every call from their defaults alone.
    pub global_args: Vec<Arg>,
    /// True when options stand before positionals on a command line.
    pub options_first: bool,
    /// The tools, in the file's order, each name once.
    pub tools: Tools,
    /// MCP servers, in the file's order.
    pub servers: Vec<ServerEntry>,
}

/// One tool: a sub-command with its arguments. The keys are those of the packed form ([`Tools`]), which knows what is skipped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The name under which it is called.
    #[serde(skip)]
    pub name: String,
    /// What it does, for the model.
    #[serde(skip)]
    pub description: String,
    /// Requests that mean it, as somebody would say them; searches know them, and nobody is shown them.
    #[serde(skip)]
    pub examples: Vec<String>,
    /// The sub-command's words, split.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The operation, where the config is one of an API.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Box<Operation>>,
    /// The arguments, in the file's order.
    #[serde(rename = "a", default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Arg>,
    /// Seconds that it may run; over 0.
    #[serde(skip)]
    pub timeout_s: f64,
    /// What it may do.
    #[serde(skip)]
    pub risk: Risk,
    /// True when a call counts as `read` where its command line is known to only read.
    #[serde(skip)]
    pub judged: bool,
    /// What is asked at the gate, with `{argument}` places.
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    pub confirm_message: Option<String>,
    /// Look-ups that fill places of `confirm_message`.
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    pub resolve: Vec<Resolve>,
}

/// A read-only look-up that turns an opaque id into words for the person who is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resolve {
    /// The place that its output fills.
    pub variable: String,
    /// The sub-command's words, split.
    pub command: Vec<String>,
    /// Flag names and value templates, in the file's order.
    pub args: Vec<(String, String)>,
    /// Seconds that it may run; over 0.
    pub timeout_s: f64,
}

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ArgKind {
    /// Text.
    #[default]
    String,
    /// A whole number.
    Integer,
    /// Any finite number.
    Number,
    /// A switch.
    Boolean,
    /// A list.
    Array,
    /// An object; for an API alone.
    Object,
    /// Any value; for an API alone.
    Any,
}

impl ArgKind {
    /// Says whether it is the usual one.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_text(&self) -> bool {
        *self == Self::String
    }

    /// Says whether it is made of several values.
    pub const fn is_structured(self) -> bool {
        matches!(self, Self::Array | Self::Object | Self::Any)
    }

    /// Returns the word in a config; JSON Schema has the same, but for `any`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Any => "any",
        }
    }
}

impl fmt::Display for ArgKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where the value of an argument goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Behind a flag; one that ends in `=` is joined with its value to one word.
    #[serde(rename = "f")]
    Flag(String),
    /// On its own, in the order of definition.
    Positional {
        /// True when a text that begins with `-` may stand here.
        allow_dash: bool,
        /// True when `--` stands before it.
        #[serde(default, skip_serializing_if = "core::ops::Not::not")]
        dashes: bool,
    },
    /// To the standard input.
    Stdin,
    /// It is the working directory.
    WorkingDir,
    /// Into a request.
    Http(Box<Slot>),
}

/// One argument of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arg {
    /// Its name.
    #[serde(rename = "n")]
    pub name: String,
    /// What it means, for the model.
    #[serde(rename = "d", default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its type.
    #[serde(rename = "k", default, skip_serializing_if = "ArgKind::is_text")]
    pub kind: ArgKind,
    /// True when a call without it is refused.
    #[serde(rename = "r", default, skip_serializing_if = "core::ops::Not::not")]
    pub required: bool,
    /// What is used when it is absent; of the argument's type.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Box<Value>>,
    /// The values it may have, of the argument's type, and those of each item where it is a list; empty means any.
    #[serde(rename = "e", default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Value>,
    /// What else JSON Schema says of its values; an object.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<Value>>,
    /// What is said of it as a list of a program; lists of an API have a schema.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Box<List>>,
    /// Where the value goes.
    #[serde(rename = "p")]
    pub place: Place,
}

impl Config {
    /// Says whether it names MCP servers and no program.
    pub fn is_servers_alone(&self) -> bool {
        self.command.is_empty() && self.api.is_none() && self.tools.is_empty()
    }

    /// Looks a tool up by name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.tools.find(name)
    }
}

impl Arg {
    /// Returns the value that a call uses: what is given, or the default. Null is absent, and so is a list of a program that
    /// has no items: a default cannot be taken away with it.
    pub fn used<'v>(&'v self, arguments: &'v Map<String, Value>) -> Option<&'v Value> {
        let is_empty = |value: &Value| self.list.is_some() && value.as_array().is_some_and(Vec::is_empty);
        let given = arguments.get(&self.name).filter(|value| !value.is_null() && !is_empty(value));
        given.or(self.default.as_deref())
    }

    /// Returns the items of a value where the argument is a list, and else the value alone.
    pub fn items<'v>(&self, value: &'v Value) -> &'v [Value] {
        match value {
            Value::Array(items) if self.list.is_some() => items,
            value => std::slice::from_ref(value),
        }
    }
}

impl Tool {
    /// Looks an argument up by name.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        self.args.iter().find(|arg| arg.name == name)
    }
}
