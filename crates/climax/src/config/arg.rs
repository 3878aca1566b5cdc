//! One argument of a tool.

use serde_json::Value;

use super::{Arg, ArgKind, Place, check, http};
use crate::fault::{Faults, Position};
use crate::yaml::{Fields, Node};

/// The words of `type` on a command line, which is made of words.
const KINDS: &[(&str, ArgKind)] = &[
    ("string", ArgKind::String),
    ("integer", ArgKind::Integer),
    ("number", ArgKind::Number),
    ("boolean", ArgKind::Boolean),
];
/// The words of `type` in a request.
const KINDS_OF_APIS: &[(&str, ArgKind)] = &[
    ("string", ArgKind::String),
    ("integer", ArgKind::Integer),
    ("number", ArgKind::Number),
    ("boolean", ArgKind::Boolean),
    ("array", ArgKind::Array),
    ("object", ArgKind::Object),
    ("any", ArgKind::Any),
];

/// What a config's tools are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Sub-commands of a program.
    Program,
    /// Operations of an API.
    Api,
}

/// What an argument says of its place on a command line.
struct Words {
    flag: Option<String>,
    positional: bool,
    stdin: bool,
    cwd: bool,
    allow_dash: Option<bool>,
    dashes: bool,
    flag_at: Option<Position>,
    dash_at: Option<Position>,
}

pub(super) fn read_arg(node: &Node<'_>, what: &'static str, target: Target, faults: &mut Faults) -> Option<Arg> {
    let before = faults.errors();
    let mut fields = Fields::open(node, what, faults)?;
    let at = fields.at;
    let name = fields.required_text("name", faults);
    let kinds = match target {
        Target::Program => KINDS,
        Target::Api => KINDS_OF_APIS,
    };
    let kind = fields.word("type", kinds, faults).unwrap_or_default();
    let description = fields.text("description", faults).unwrap_or_default();
    let required = fields.boolean("required", faults);
    let default = fields.take("default").map(|(_, node)| node);
    let enum_at = fields.position_of("enum");
    let choices = fields.list("enum", faults);
    if let Some(at) = enum_at.filter(|_| choices.is_empty() && faults.errors() == before) {
        faults.contradiction(at, "'enum' is empty, so that nothing could be given; every value is taken");
    }
    let flag = fields.peek("flag").map(str::to_owned);
    let (words, slot, schema) = match target {
        Target::Program => (Some(Words::read(&mut fields, faults)), None, None),
        Target::Api => (None, http::read_slot(&mut fields, faults), http::read_schema(&mut fields, faults)),
    };
    fields.end(faults);
    if faults.errors() > before {
        return None;
    }
    let name = name?;
    check::arg_words(&name, flag.as_deref(), at, faults);
    let choices = read_choices(choices, &name, kind, faults);
    let default = default.and_then(|node| read_default(node, &name, kind, &choices, faults));
    let place = match (words, slot) {
        (Some(words), _) => words.place(&name, kind, at, faults),
        (None, slot) => Place::Http(Box::new(slot?.named(&name))),
    };
    let (default, schema) = (default.map(Box::new), schema.map(Box::new));
    Some(Arg { name, description, kind, required, default, choices, schema, place })
}

fn read_choices(nodes: &[Node<'_>], name: &str, kind: ArgKind, faults: &mut Faults) -> Vec<Value> {
    let mut choices: Vec<Value> = Vec::with_capacity(nodes.len());
    for choice in nodes {
        match check::typed(choice, kind) {
            Some(value) if choices.contains(&value) => {
                faults.contradiction(choice.at, format!("'enum' of '{name}' names {value} twice"));
            }
            Some(value) => choices.push(value),
            None => faults.contradiction(choice.at, format!("this member of 'enum' is no {kind}; it is left out")),
        }
    }
    choices
}

fn read_default(node: &Node<'_>, name: &str, kind: ArgKind, choices: &[Value], faults: &mut Faults) -> Option<Value> {
    let value = check::typed(node, kind);
    match &value {
        None => faults.contradiction(node.at, format!("'default' of '{name}' is no {kind}; there is none then")),
        Some(value) if !choices.is_empty() && !choices.contains(value) => {
            faults.contradiction(node.at, format!("'default' of '{name}' is not in its 'enum'"));
        }
        Some(_) => {}
    }
    value
}

impl Words {
    fn read(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Self {
        Self {
            flag_at: fields.position_of("flag"),
            dash_at: fields.position_of("allow_dash"),
            flag: fields.text("flag", faults).filter(|flag| !flag.is_empty()),
            positional: fields.boolean("positional", faults),
            stdin: fields.boolean("stdin", faults),
            cwd: fields.boolean("cwd", faults),
            allow_dash: fields.optional_boolean("allow_dash", faults),
            dashes: fields.boolean("dashes", faults),
        }
    }

    fn place(self, name: &str, kind: ArgKind, at: Position, faults: &mut Faults) -> Place {
        let Self { flag, positional, stdin, cwd, allow_dash, dashes, flag_at, dash_at } = self;
        let switches = check::Switches { positional, stdin, cwd, flag: flag.is_some(), kind };
        check::place(name, &switches, flag_at.unwrap_or(at), faults);
        if let (Some(at), false) = (dash_at, positional) {
            faults.contradiction(at, format!("'allow_dash' of '{name}' means nothing: the argument is not positional"));
        }
        if dashes && !positional {
            faults.contradiction(at, format!("'dashes' of '{name}' means nothing: the argument is not positional"));
        }
        match (cwd, stdin, positional, flag) {
            (true, ..) => Place::WorkingDir,
            (false, true, ..) => Place::Stdin,
            (false, false, true, _) => Place::Positional { allow_dash: allow_dash.unwrap_or(false), dashes },
            (false, false, false, Some(flag)) => Place::Flag(flag),
            (false, false, false, None) => Place::Flag(format!("--{}", name.replace('_', "-"))),
        }
    }
}
