//! The arguments of a tool as lines of a configuration.

use std::collections::BTreeSet;

use aish_types::mask_words;

use super::{quoted, word};
use crate::import::help::{HelpOption, Many, Positional};

/// Writes the options of a tool, then its positionals; each has a name of its own.
pub(super) fn lines(options: &[HelpOption], positionals: &[Positional]) -> String {
    let mut out = String::new();
    let mut used = BTreeSet::new();
    for (option, name) in options.iter().zip(names(options)) {
        if used.insert(name.clone()) && !name.is_empty() {
            out.push_str(&option_line(option, &name));
        }
    }
    for (at, positional) in positionals.iter().enumerate() {
        // `--file` and FILE are two arguments.
        let names = [positional.name.clone(), format!("{}_argument", positional.name)];
        let Some(name) = names.into_iter().find(|name| !used.contains(name)) else { continue };
        let many = if is_last_list(positionals, at) { positional.many } else { Many::One };
        out.push_str(&positional_line(positional, &name, many));
        used.insert(name);
    }
    out
}

/// Says whether no other list stands behind this positional: it would take that one's items. What stands behind `--` is told
/// from what stands before.
fn is_last_list(positionals: &[Positional], at: usize) -> bool {
    let dashes = positionals.iter().position(|positional| positional.dashes).unwrap_or(positionals.len());
    let end = if at < dashes { dashes } else { positionals.len() };
    positionals.get(at + 1..end).unwrap_or_default().iter().all(|positional| positional.many == Many::One)
}

/// Names options: of flags that differ in case alone, the one of small letters has the plain name.
fn names(options: &[HelpOption]) -> Vec<String> {
    let is_small = |flag: &str| !flag.contains(|c: char| c.is_ascii_uppercase());
    let small: BTreeSet<String> =
        options.iter().filter(|option| is_small(&option.flag)).map(|option| plain(&option.flag)).collect();
    let mut used: BTreeSet<String> = BTreeSet::new();
    let named = options.iter().map(|option| {
        let plain = plain(&option.flag);
        let first =
            if !is_small(&option.flag) && small.contains(&plain) { format!("{plain}_upper") } else { plain.clone() };
        let more = (2..).map(|number| format!("{plain}_{number}"));
        let name = std::iter::once(first).chain(more).find(|name| !used.contains(name)).unwrap_or_default();
        used.insert(name.clone());
        name
    });
    named.collect()
}

fn plain(flag: &str) -> String {
    word(flag.trim_matches(['-', '+', '=']))
}

fn option_line(option: &HelpOption, name: &str) -> String {
    let mut out = format!("      - {{name: {}", quoted(name));
    let kind = match &option.value {
        None => "boolean",
        Some(_) if !option.choices.is_empty() => "string",
        Some(value) if is_integer(value) => "integer",
        Some(value) if is_number(value) => "number",
        Some(_) => "string",
    };
    match (option.many, kind) {
        (Many::One, "string") => {}
        (Many::One, kind) => out.push_str(&format!(", type: {kind}")),
        (Many::Repeated | Many::Greedy, "string") => out.push_str(", type: array"),
        (Many::Repeated | Many::Greedy, kind) => out.push_str(&format!(", type: array, items: {kind}")),
    }
    if option.many == Many::Greedy && may_stand_once(&option.flag) {
        out.push_str(", style: once");
    }
    out.push_str(&format!(", flag: {}", quoted(&option.flag)));
    if option.required {
        out.push_str(", required: true");
    }
    if option.value.is_some() && !option.choices.is_empty() {
        let choices: Vec<String> = option.choices.iter().map(|choice| quoted(choice)).collect();
        out.push_str(&format!(", enum: [{}]", choices.join(", ")));
    }
    if !option.description.is_empty() {
        out.push_str(&format!(", description: {}", quoted(&option.description)));
    }
    out.push_str("}\n");
    out
}

/// Says whether several items may stand behind a flag: logs hide one word behind a flag with a secret's name.
fn may_stand_once(flag: &str) -> bool {
    !flag.ends_with('=') && mask_words([flag, "value"]).get(1).is_some_and(|value| value == "value")
}

fn positional_line(positional: &Positional, name: &str, many: Many) -> String {
    let kind = if many == Many::One { "" } else { ", type: array" };
    let required = if positional.required { ", required: true" } else { "" };
    let dashes = if positional.dashes { ", dashes: true" } else { "" };
    let choices: Vec<String> = positional.choices.iter().map(|choice| quoted(choice)).collect();
    let choices = if choices.is_empty() { String::new() } else { format!(", enum: [{}]", choices.join(", ")) };
    let description = match positional.description.as_str() {
        "" => String::new(),
        text => format!(", description: {}", quoted(text)),
    };
    format!("      - {{name: {}{kind}, positional: true{dashes}{required}{choices}{description}}}\n", quoted(name))
}

fn is_integer(value: &str) -> bool {
    matches!(
        value,
        "int"
            | "integer"
            | "integer_range"
            | "ints"
            | "uints"
            | "intslice"
            | "int32slice"
            | "int64slice"
            | "uintslice"
            | "n"
            | "count"
            | "uint"
            | "int32"
            | "int64"
            | "lines"
            | "port"
            | "depth"
            | "cols"
    )
}

fn is_number(value: &str) -> bool {
    matches!(
        value,
        "number" | "float" | "float_range" | "float64" | "float32slice" | "float64slice" | "sec" | "secs" | "seconds"
    )
}
