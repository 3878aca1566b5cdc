//! One argument of a tool.

use aish_tools::schema::Schema;
use serde_json::{Value, json};

use super::list::{self, List, ListStyle, Spot, Written};
use super::{Arg, ArgKind, Place, check, http};
use crate::fault::{Faults, Position};
use crate::yaml::{Fields, Node};

/// The words of `type` on a command line, which is made of words.
const KINDS: &[(&str, ArgKind)] = &[
    ("string", ArgKind::String),
    ("integer", ArgKind::Integer),
    ("number", ArgKind::Number),
    ("boolean", ArgKind::Boolean),
    ("array", ArgKind::Array),
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

const EMPTY_ENUM: &str = "'enum' is empty, so that nothing could be given; every value is taken";

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
    let values = Values::read(&mut fields, faults);
    let flag = fields.peek("flag").map(str::to_owned);
    let (words, slot, schema) = match target {
        Target::Program => {
            let words = (Words::read(&mut fields, faults), Written::read(&mut fields, faults));
            (Some(words), None, read_pattern(&mut fields, kind, faults))
        }
        Target::Api => (None, http::read_slot(&mut fields, faults), http::read_schema(&mut fields, faults)),
    };
    fields.end(faults);
    if faults.errors() > before {
        return None;
    }
    let name = name?;
    check::arg_words(&name, flag.as_deref(), at, faults);
    let (place, kind, list, nodes) = match words {
        Some((words, written)) => {
            let nodes = values.choices(&written, kind, &name, faults);
            let place = words.place(&name, kind, at, faults);
            let allow_dash = words.allow_dash == Some(true);
            let list = written.list(&Spot { name: &name, at, kind, required, place: &place, allow_dash }, faults);
            words.check_dash(&name, list.as_ref(), faults);
            // Why it can be none was said.
            let kind = if kind == ArgKind::Array && list.is_none() { ArgKind::String } else { kind };
            (place, kind, list, nodes)
        }
        None => (Place::Http(Box::new(slot?.named(&name))), kind, None, values.choices),
    };
    let choices = read_choices(nodes, &name, list.as_ref().map_or(kind, |list| list.items), faults);
    let default = values.default.and_then(|node| match &list {
        Some(list) => list::read_default(node, &name, list, &choices, faults),
        None => read_default(node, &name, kind, &choices, faults),
    });
    let (default, schema, list) = (default.map(Box::new), schema.map(Box::new), list.map(Box::new));
    Some(Arg { name, description, kind, required, default, choices, schema, list, place })
}

/// Reads `pattern`, a regular expression that the whole of each text matches, as JSON Schema says it.
fn read_pattern(fields: &mut Fields<'_, '_>, kind: ArgKind, faults: &mut Faults) -> Option<Value> {
    let at = fields.position_of("pattern").unwrap_or(fields.at);
    let pattern = fields.text("pattern", faults)?;
    if !matches!(kind, ArgKind::String | ArgKind::Array) {
        faults.contradiction(at, format!("'pattern' is for texts, and this is of the type {kind}"));
        return None;
    }
    // Alone first: a stray parenthesis must not close the group that is put around it.
    let whole = json!({"pattern": format!("^(?:{pattern})$")});
    if [json!({"pattern": pattern}), whole.clone()].iter().any(|schema| Schema::compile(schema).is_err()) {
        faults.error(at, "'pattern' is no regular expression that this program knows");
        return None;
    }
    Some(whole)
}

/// What an argument says of its values.
struct Values<'n, 'a> {
    default: Option<&'n Node<'a>>,
    choices: &'n [Node<'a>],
    enum_at: Option<Position>,
}

impl<'n, 'a> Values<'n, 'a> {
    fn read(fields: &mut Fields<'n, 'a>, faults: &mut Faults) -> Self {
        let before = faults.errors();
        let default = fields.take("default").map(|(_, node)| node);
        let enum_at = fields.position_of("enum");
        let choices = fields.list("enum", faults);
        if let Some(at) = enum_at.filter(|_| choices.is_empty() && faults.errors() == before) {
            faults.contradiction(at, EMPTY_ENUM);
        }
        Self { default, choices, enum_at }
    }

    /// Returns the choices; those of a list may stand in `items`.
    fn choices(&self, written: &Written<'n, 'a>, kind: ArgKind, name: &str, faults: &mut Faults) -> &'n [Node<'a>] {
        let Some((at, inner)) = written.choices().filter(|_| kind == ArgKind::Array) else { return self.choices };
        if let Some(at) = self.enum_at {
            faults.contradiction(at, format!("'{name}' has 'enum' beside 'items' and in it; the one in it counts"));
        }
        if inner.is_empty() {
            faults.contradiction(at, EMPTY_ENUM);
        }
        inner
    }
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

    fn place(&self, name: &str, kind: ArgKind, at: Position, faults: &mut Faults) -> Place {
        let Self { positional, stdin, cwd, allow_dash, dashes, .. } = *self;
        let switches = check::Switches { positional, stdin, cwd, flag: self.flag.is_some(), kind };
        check::place(name, &switches, self.flag_at.unwrap_or(at), faults);
        if dashes && !positional {
            faults.contradiction(at, format!("'dashes' of '{name}' means nothing: the argument is not positional"));
        }
        match (cwd, stdin, positional, &self.flag) {
            (true, ..) => Place::WorkingDir,
            (false, true, ..) => Place::Stdin,
            (false, false, true, _) => Place::Positional { allow_dash: allow_dash.unwrap_or(false), dashes },
            (false, false, false, Some(flag)) => Place::Flag(flag.clone()),
            (false, false, false, None) => Place::Flag(format!("--{}", name.replace('_', "-"))),
        }
    }

    /// Says where `allow_dash` means nothing.
    fn check_dash(&self, name: &str, list: Option<&List>, faults: &mut Faults) {
        let stands_alone = self.positional || list.is_some_and(|list| matches!(list.style, ListStyle::Once { .. }));
        if let (Some(at), false) = (self.dash_at, stands_alone) {
            faults.contradiction(at, format!("'allow_dash' of '{name}' means nothing: the argument is not positional"));
        }
    }
}
