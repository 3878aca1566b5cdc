//! From validated arguments to what is started: words, standard input, working directory.
//!
//! Order of the words: base command, sub-command, positionals, flags (both in the order of definition), global arguments;
//! with `options_first` positionals come last. Positionals that want `--` before them come behind everything else.
//! No shell is ever involved.

use serde_json::{Map, Value};

use crate::config::{Arg, Config, Place, Tool};
use crate::expand::{self, Variables};

/// Bytes of a command line that can be judged, as `aish-safety` bounds them.
const MAX_BYTES: usize = 64 * 1024;

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments; never empty.
    pub words: Vec<String>,
    /// How many of the words are the base command.
    pub base: usize,
    /// Text for the standard input; none means `/dev/null`.
    pub stdin: Option<String>,
    /// The working directory; none means the server's own.
    pub folder: Option<String>,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
}

/// Why a call cannot be started; every fault at once, in words for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct Refused(pub Vec<String>);

/// Builds what is started for a call. Defaults are applied here as well, null is absent.
///
/// # Errors
/// A text that would be read as an option, a value with a NUL in it, a base command without words.
pub fn build(
    config: &Config,
    tool: &Tool,
    arguments: &Map<String, Value>,
    world: &dyn Variables,
) -> Result<Invocation, Refused> {
    let mut words = expand::command(&config.command, world);
    let mut faults = Vec::new();
    if words.first().is_none_or(String::is_empty) {
        faults.push(format!("The command of '{}' is empty", config.name));
    }
    let base = words.len();
    words.extend(tool.command.iter().cloned());
    let guarded = words.get(1..).unwrap_or_default().iter().any(|word| word == "--");
    let folder = config.working_dir.as_deref().map(|folder| expand::path(folder, world));
    let mut invocation = Invocation { words, base, stdin: None, folder, env: config.env.clone() };
    let (mut positionals, mut flags, mut behind_dashes) = (Vec::new(), Vec::new(), Vec::new());
    for arg in &tool.args {
        let given = arguments.get(&arg.name).filter(|value| !value.is_null());
        let Some(value) = given.or(arg.default.as_deref()) else { continue };
        let text = plain(value);
        if text.contains('\0') {
            faults.push(format!("Argument '{}' contains a NUL character", arg.name));
            continue;
        }
        match &arg.place {
            Place::Stdin => invocation.stdin = Some(text),
            Place::WorkingDir => invocation.folder = Some(expand::path(&text, world)),
            Place::Flag(flag) => flag_words(flag, value, text, &mut flags),
            Place::Positional { dashes, .. } if *dashes || !behind_dashes.is_empty() => behind_dashes.push(text),
            Place::Positional { allow_dash, .. } => {
                if !allow_dash && !guarded && is_option_like(arg, value, &text) {
                    faults.push(format!(
                        "Argument '{}': '{text}' begins with '-' and would be read as an option",
                        arg.name
                    ));
                }
                positionals.push(text);
            }
            // Of an API, and no part of a command line.
            Place::Http(_) => {}
        }
    }
    for arg in &config.global_args {
        global_words(arg, world, &mut flags);
    }
    let parts = if config.options_first { [flags, positionals] } else { [positionals, flags] };
    invocation.words.extend(parts.into_iter().flatten());
    if !behind_dashes.is_empty() {
        invocation.words.push("--".to_owned());
        invocation.words.append(&mut behind_dashes);
    }
    let bytes: usize = invocation.words.iter().map(String::len).sum();
    if bytes > MAX_BYTES {
        faults.push(format!(
            "The command line of '{}' would have {bytes} bytes, and {MAX_BYTES} are the most; long text goes through a file or an \
             argument with 'stdin'",
            tool.name
        ));
    }
    if faults.is_empty() { Ok(invocation) } else { Err(Refused(faults)) }
}

/// Says whether a value could smuggle in an option: a text that begins with `-`, is not just `-`, and that the file does not name itself.
fn is_option_like(arg: &Arg, value: &Value, text: &str) -> bool {
    let named = arg.default.as_deref() == Some(value) || arg.choices.contains(value);
    value.is_string() && text.len() > 1 && text.starts_with('-') && !named
}

fn flag_words(flag: &str, value: &Value, text: String, words: &mut Vec<String>) {
    match value {
        Value::Bool(true) => words.push(flag.to_owned()),
        Value::Bool(false) => {}
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            if flag.ends_with('=') {
                words.push(format!("{flag}{text}"));
            } else {
                words.push(flag.to_owned());
                words.push(text);
            }
        }
    }
}

/// A global argument comes from its default alone, always behind a flag; one whose variable is not set is left out whole.
fn global_words(arg: &Arg, world: &dyn Variables, words: &mut Vec<String>) {
    let Some(value) = &arg.default else { return };
    let flag = match &arg.place {
        Place::Flag(flag) => flag.clone(),
        Place::Positional { .. } | Place::Stdin | Place::WorkingDir | Place::Http(_) => {
            format!("--{}", arg.name.replace('_', "-"))
        }
    };
    let (text, all_set) = expand::variables(&plain(value), world);
    if all_set {
        flag_words(&flag, value, text, words);
    }
}

/// Writes a value as one word of a command line.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
