//! Tools of strangers: what they publish or send out by the verbs of their names, and the secrets that their arguments name.
//! What they would destroy is in the gate's own judgement already.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use aish_program_format::Act;
use serde_json::Value;

use super::taint::Taint;
use crate::call::PreparedCall;
use crate::command::{Part, Surroundings, analyse, analyse_argv};
use crate::policy::rule::NONE;
use crate::rules::{Effect, programs};
use crate::verdict::{Judgement, Verdict};

/// Verbs of what others see.
const PUBLISHES: &str = "publish deploy release tweet merge push";
/// Verbs of what leaves the machine.
const SENDS: &str = "send post mail email upload share notify reply comment message invite submit forward export fax sms \
    dm broadcast webhook";
/// Arguments that hold a command line.
const COMMANDS: &[&str] = &["command", "cmd", "shell", "script", "bash", "commandline", "command_line", "exec"];
/// How deep arguments are looked into.
const DEPTH: usize = 16;

/// Returns why a person must decide about a stranger's tool, if one must.
pub(super) fn concern(
    call: &PreparedCall,
    surroundings: &Surroundings,
    taint: Taint,
    approved: Option<bool>,
) -> Option<Judgement> {
    let (_, name) = call.definition.name.split();
    let verbs = words(name);
    let is = |list: &str| verbs.iter().any(|verb| list.split(' ').any(|known| known == verb));
    let found = |rule: &'static str, reason: &str| Some(Judgement::new(Verdict::Ask, rule, reason));
    let by_name = if approved == Some(true) && taint < Taint::Foreign {
        None
    } else if approved != Some(true) && is(PUBLISHES) {
        found("stranger.publishes", "by its name it publishes; a person decides what is published")
    } else if taint == Taint::Foreign && (is(SENDS) || is(PUBLISHES)) {
        found("stranger.sends", "by its name it sends out, and the model has read what strangers wrote")
    } else if approved != Some(true) && taint == Taint::Foreign && has_address(&call.arguments, 0) {
        found("stranger.address", "it is given an address, and the model has read what strangers wrote")
    } else {
        None
    };
    let by_arguments = of_value("", &call.arguments, surroundings, 0);
    [by_name, by_arguments].into_iter().flatten().reduce(Judgement::strictest)
}

/// Takes a name apart: `send_email`, `sendEmail` and `send-email` are `send` and `email`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        let starts = c.is_uppercase() && lower;
        lower = c.is_lowercase() || c.is_numeric();
        if (!c.is_alphanumeric() || starts) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words
}

fn has_address(value: &Value, depth: usize) -> bool {
    match value {
        Value::String(text) => text.contains("://"),
        Value::Array(items) => depth < DEPTH && items.iter().any(|item| has_address(item, depth + 1)),
        Value::Object(fields) => depth < DEPTH && fields.values().any(|field| has_address(field, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Looks for secrets in what the arguments say: in a command line, or in a path.
fn of_value(key: &str, value: &Value, surroundings: &Surroundings, depth: usize) -> Option<Judgement> {
    if depth > DEPTH {
        return Some(Judgement::new(Verdict::Ask, "stranger.depth", "its arguments are nested too deep to be judged"));
    }
    match value {
        Value::String(text) => of_text(key, text, surroundings),
        Value::Array(items) => {
            items.iter().filter_map(|item| of_value(key, item, surroundings, depth + 1)).reduce(Judgement::strictest)
        }
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, field)| of_value(key, field, surroundings, depth + 1))
            .reduce(Judgement::strictest),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn of_text(key: &str, text: &str, surroundings: &Surroundings) -> Option<Judgement> {
    let is_command = COMMANDS.contains(&key.to_lowercase().as_str());
    let analysis = if is_command {
        analyse(text, surroundings, &NONE)
    } else if !text.is_empty() && text.len() < 4096 && !text.contains(['\n', ' ']) && !text.contains("://") {
        // A word may be a path: whoever reads it must not read a secret.
        let words: Vec<String> = programs::stand_in(Act::Show).chain([text]).map(String::from).collect();
        analyse_argv(&words, surroundings, &NONE)
    } else {
        return None;
    };
    let part = secret(&analysis.parts)?;
    let reason = format!("its argument `{key}` names what holds secrets; a person decides about secrets");
    Some(Judgement::new(Verdict::Ask, part.rule.clone(), reason))
}

fn secret(parts: &[Part]) -> Option<&Part> {
    parts.iter().find_map(|part| if part.effect == Effect::ReadSecret { Some(part) } else { secret(&part.parts) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (name, expected) in [
            ("send_email", vec!["send", "email"]),
            ("sendEmail", vec!["send", "email"]),
            ("read-multiple.files", vec!["read", "multiple", "files"]),
            ("HTTPGet2", vec!["httpget2"]),
            ("undelete", vec!["undelete"]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }
}
