//! From validated arguments to what is started: words, standard input, working directory.
//!
//! Order of the words: base command, sub-command, positionals, flags (both in the order of definition), global arguments;
//! with `options_first` positionals come last. Positionals that want `--` before them come behind everything else.
//! No shell is ever involved.

use aish_safety::Given;
use serde_json::{Map, Value};

use crate::config::{Arg, Config, ListStyle, Place, Tool};
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

impl Invocation {
    /// Returns what is judged and shown beside the words.
    pub(crate) fn given(&self) -> Given {
        Given { folder: self.folder.clone(), input: self.stdin.clone() }
    }
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
    let mut parts = Parts { faults, ..Parts::default() };
    parts.guarded = words.get(1..).unwrap_or_default().iter().any(|word| word == "--");
    for arg in &tool.args {
        if let Some(value) = arg.used(arguments) {
            parts.take(arg, value, world);
        }
    }
    for arg in &config.global_args {
        parts.global(arg, world);
    }
    let own = config.working_dir.as_deref().map(|folder| expand::path(folder, world));
    let (stdin, folder) = (parts.stdin.take(), parts.folder.take().or(own));
    let mut faults = std::mem::take(&mut parts.faults);
    words.extend(parts.words(if config.options_first { Order::FlagsFirst } else { Order::PositionalsFirst }));
    let bytes: usize = words.iter().map(String::len).sum();
    if bytes > MAX_BYTES {
        faults.push(format!(
            "The command line of '{}' would have {bytes} bytes, and {MAX_BYTES} are the most; long text goes through a file or an \
             argument with 'stdin'",
            tool.name
        ));
    }
    let invocation = Invocation { words, base, stdin, folder, env: config.env.clone() };
    if faults.is_empty() { Ok(invocation) } else { Err(Refused(faults)) }
}

/// Whether options stand before positionals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    FlagsFirst,
    PositionalsFirst,
}

/// What arguments make, by where it stands.
#[derive(Default)]
struct Parts {
    /// True where the command has `--`, behind which no positional is an option.
    guarded: bool,
    positionals: Vec<String>,
    flags: Vec<String>,
    /// Where among the flags the flag `--` stands.
    dashes_at: Option<usize>,
    /// Flags that take every word up to the next option.
    greedy: Vec<String>,
    behind_dashes: Vec<String>,
    stdin: Option<String>,
    folder: Option<String>,
    faults: Vec<String>,
}

impl Parts {
    fn take(&mut self, arg: &Arg, value: &Value, world: &dyn Variables) {
        let items = arg.items(value);
        let mut texts: Vec<String> = items.iter().map(plain).collect();
        let faults = self.faults.len();
        self.check_items(arg, items, &texts);
        let may_be_option = match &arg.place {
            Place::Positional { dashes, .. } if *dashes || !self.behind_dashes.is_empty() => false,
            Place::Positional { allow_dash, .. } => !allow_dash && !self.guarded,
            Place::Flag(_) => arg.list.as_ref().is_some_and(|list| list.style == ListStyle::Once { allow_dash: false }),
            Place::Stdin | Place::WorkingDir | Place::Http(_) => false,
        };
        for (item, text) in items.iter().zip(&texts).filter(|_| may_be_option) {
            if is_option_like(arg, item) {
                let what = format!("'{text}' begins with '-' and would be read as an option");
                self.faults.push(format!("Argument '{}': {what}", arg.name));
            }
        }
        if self.faults.len() > faults {
            return;
        }
        match &arg.place {
            Place::Stdin => self.stdin = texts.pop(),
            Place::WorkingDir => {
                // The variables of the file's own word are filled in; in a caller's they would be told, secrets and all.
                let is_own = arg.default.as_deref() == Some(value);
                let filled = if is_own { expand::path } else { expand::home };
                self.folder = texts.pop().map(|text| filled(&text, world));
            }
            Place::Flag(flag) => self.flag(flag, arg, value, texts),
            Place::Positional { dashes, .. } if *dashes || !self.behind_dashes.is_empty() => {
                self.behind_dashes.append(&mut texts);
            }
            Place::Positional { .. } => self.positionals.append(&mut texts),
            // Of an API, and no part of a command line.
            Place::Http(_) => {}
        }
    }

    /// Says what no command line can have, and how many items a list has too few or too many.
    fn check_items(&mut self, arg: &Arg, items: &[Value], texts: &[String]) {
        let name = &arg.name;
        if texts.iter().any(|text| text.contains('\0')) {
            self.faults.push(format!("Argument '{name}' contains a NUL character"));
        }
        let Some(list) = &arg.list else { return };
        if items.iter().any(|item| matches!(item, Value::Null | Value::Array(_) | Value::Object(_))) {
            self.faults.push(format!("Argument '{name}' takes a list of single values, as in [\"a\", \"b\"]"));
        }
        let (count, least, most) = (items.len(), list.min, list.most());
        if count < least {
            self.faults.push(format!("Argument '{name}' is a list of {count}, and at least {least} must be given"));
        }
        if count > most {
            self.faults.push(format!("Argument '{name}' is a list of {count}, and at most {most} can be given"));
        }
        if let ListStyle::Join(mark) = &list.style
            && let Some(text) = texts.iter().find(|text| text.contains(mark.as_str()))
        {
            let why =
                format!("'{text}' has '{mark}' in it, which stands between items: give each as an item of its own");
            self.faults.push(format!("Argument '{name}': {why}"));
        }
    }

    fn flag(&mut self, flag: &str, arg: &Arg, value: &Value, texts: Vec<String>) {
        if flag == "--" {
            self.dashes_at.get_or_insert(self.flags.len());
        }
        match (arg.list.as_ref().map(|list| &list.style), value) {
            (None, Value::Bool(false)) => {}
            (None, Value::Bool(true)) => self.flags.push(flag.to_owned()),
            (None | Some(ListStyle::Repeat), _) => {
                texts.into_iter().for_each(|text| push_flag(flag, text, &mut self.flags));
            }
            (Some(ListStyle::Join(mark)), _) => push_flag(flag, texts.join(mark.as_str()), &mut self.flags),
            (Some(ListStyle::Once { .. }), _) => {
                let words = if flag == "--" { &mut self.flags } else { &mut self.greedy };
                words.push(flag.to_owned());
                words.extend(texts);
            }
        }
    }

    /// A global argument comes from its default alone, always behind a flag; one whose variable is not set is left out whole.
    fn global(&mut self, arg: &Arg, world: &dyn Variables) {
        let Some(value) = arg.default.as_deref() else { return };
        let flag = match &arg.place {
            Place::Flag(flag) => flag.clone(),
            Place::Positional { .. } | Place::Stdin | Place::WorkingDir | Place::Http(_) => {
                format!("--{}", arg.name.replace('_', "-"))
            }
        };
        let filled = arg.items(value).iter().map(|item| {
            let (text, all_set) = expand::variables(&plain(item), world);
            all_set.then_some(text)
        });
        if let Some(texts) = filled.collect() {
            self.flag(&flag, arg, value, texts);
        }
    }

    /// Puts the words in their order. A flag that takes every word up to the next option stands behind positionals, which it
    /// would take too, and before the flag `--`, behind which it would be none.
    fn words(mut self, order: Order) -> Vec<String> {
        if let Some(at) = self.dashes_at {
            self.flags.splice(at..at, self.greedy.drain(..));
        }
        let parts = match order {
            Order::FlagsFirst => [self.flags, self.positionals, self.greedy],
            Order::PositionalsFirst => [self.positionals, self.flags, self.greedy],
        };
        let dashes = (!self.behind_dashes.is_empty()).then(|| "--".to_owned());
        parts.into_iter().flatten().chain(dashes).chain(self.behind_dashes).collect()
    }
}

/// Says whether a value could smuggle in an option: a text that begins with `-`, is not just `-`, and that the file does not name itself.
fn is_option_like(arg: &Arg, value: &Value) -> bool {
    let is_default = arg.default.as_deref().is_some_and(|default| arg.items(default).contains(value));
    let is_dashed = value.as_str().is_some_and(|text| text.len() > 1 && text.starts_with('-'));
    is_dashed && !is_default && !arg.choices.contains(value)
}

fn push_flag(flag: &str, text: String, words: &mut Vec<String>) {
    if flag.ends_with('=') {
        words.push(format!("{flag}{text}"));
    } else {
        words.push(flag.to_owned());
        words.push(text);
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
