//! The arguments of a tool as lines of a configuration.

use std::collections::BTreeSet;

use super::{quoted, word};
use crate::import::help::{HelpOption, Positional};

/// Writes the options of a tool, then its positionals; each has a name of its own.
pub(super) fn lines(options: &[HelpOption], positionals: &[Positional]) -> String {
    let mut out = String::new();
    let mut used = BTreeSet::new();
    for (option, name) in options.iter().zip(names(options)) {
        if used.insert(name.clone()) && !name.is_empty() {
            out.push_str(&option_line(option, &name));
        }
    }
    for positional in positionals {
        // `--file` and FILE are two arguments.
        let names = [positional.name.clone(), format!("{}_argument", positional.name)];
        let Some(name) = names.into_iter().find(|name| !used.contains(name)) else { continue };
        out.push_str(&positional_line(positional, &name));
        used.insert(name);
    }
    out
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
    match &option.value {
        None => out.push_str(", type: boolean"),
        Some(_) if !option.choices.is_empty() => {}
        Some(value) if is_integer(value) => out.push_str(", type: integer"),
        Some(value) if is_number(value) => out.push_str(", type: number"),
        Some(_) => {}
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

fn positional_line(positional: &Positional, name: &str) -> String {
    let required = if positional.required { ", required: true" } else { "" };
    let dashes = if positional.dashes { ", dashes: true" } else { "" };
    let choices: Vec<String> = positional.choices.iter().map(|choice| quoted(choice)).collect();
    let choices = if choices.is_empty() { String::new() } else { format!(", enum: [{}]", choices.join(", ")) };
    let description = match positional.description.as_str() {
        "" => String::new(),
        text => format!(", description: {}", quoted(text)),
    };
    format!("      - {{name: {}, positional: true{dashes}{required}{choices}{description}}}\n", quoted(name))
}

fn is_integer(value: &str) -> bool {
    matches!(
        value,
        "int"
            | "integer"
            | "integer_range"
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
    matches!(value, "number" | "float" | "float_range" | "float64" | "sec" | "secs" | "seconds")
}
