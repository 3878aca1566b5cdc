//! Arguments of a program that take several values.

use aish_types::mask_words;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Arg, ArgKind, Place, check};
use crate::fault::{Faults, Position};
use crate::yaml::{Fields, Kind, Node};

/// The most items of a list whose file does not say.
pub const MAX_ITEMS: usize = 256;
/// The largest bound that a file may say.
const LARGEST: usize = 10_000;
/// The flag behind which nothing is an option.
const DASHES: &str = "--";

/// The types of an item.
const KINDS: &[(&str, ArgKind)] = &[
    ("string", ArgKind::String),
    ("integer", ArgKind::Integer),
    ("number", ArgKind::Number),
    ("boolean", ArgKind::Boolean),
];

/// What a list may hold, and how it is written. The choices of its items are those of its argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct List {
    /// The type of each item; text, a number or a boolean.
    #[serde(rename = "k", default, skip_serializing_if = "ArgKind::is_text")]
    pub items: ArgKind,
    /// The fewest items of a list that is given.
    #[serde(rename = "a", default)]
    pub min: usize,
    /// The most items, where the file says so.
    #[serde(rename = "z", default, skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
    /// How it is written.
    #[serde(rename = "w", default)]
    pub style: ListStyle,
}

/// How the items of a list stand on a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ListStyle {
    /// Each behind the flag (`-e A -e B`); a positional's one after another.
    #[default]
    Repeat,
    /// The flag once, and all items behind it (`--files a b`).
    Once {
        /// True when a text that begins with `-` may stand there.
        allow_dash: bool,
    },
    /// As one word, with this between them (`--columns=a,b`).
    Join(String),
}

impl List {
    /// Returns the most items of a call.
    pub fn most(&self) -> usize {
        self.max.unwrap_or(MAX_ITEMS.max(self.min))
    }
}

/// What is said of an argument's place, as far as lists depend on it.
pub(super) struct Spot<'s> {
    pub(super) name: &'s str,
    pub(super) at: Position,
    pub(super) kind: ArgKind,
    pub(super) required: bool,
    pub(super) place: &'s Place,
    pub(super) allow_dash: bool,
}

/// What a file says of a list.
pub(super) struct Written<'n, 'a> {
    items: Option<ArgKind>,
    /// The choices inside of `items`.
    choices: Option<(Position, &'n [Node<'a>])>,
    min: Option<usize>,
    max: Option<usize>,
    join: Option<(Position, String)>,
    style: Option<(Position, Style)>,
    min_at: Position,
    /// The keys that are for lists alone.
    keys: Vec<(&'static str, Position)>,
}

impl<'n, 'a> Written<'n, 'a> {
    pub(super) fn read(fields: &mut Fields<'n, 'a>, faults: &mut Faults) -> Self {
        let names = ["items", "min_items", "max_items", "join", "style"];
        let keys = names.into_iter().filter_map(|key| Some((key, fields.position_of(key)?))).collect();
        let (items, choices) = read_items(fields, faults);
        let style_at = fields.position_of("style").unwrap_or(fields.at);
        let styles = [("repeat", Style::Repeat), ("once", Style::Once)];
        let style = fields.word("style", &styles, faults).map(|style| (style_at, style));
        let join_at = fields.position_of("join").unwrap_or(fields.at);
        let join = fields.text("join", faults).map(|mark| (join_at, mark));
        if let Some((at, _)) = join.as_ref().filter(|(_, mark)| mark.is_empty() || mark.contains('\0')) {
            faults.error(*at, "'join' is what stands between the items, as in `join: \",\"`, and this is nothing");
        }
        let min_at = fields.position_of("min_items").unwrap_or(fields.at);
        let min = read_bound(fields, "min_items", 0, faults);
        let max = read_bound(fields, "max_items", 1, faults);
        Self { items, choices, min, max, join, style, min_at, keys }
    }

    /// Returns the choices that stand inside of `items`, and where.
    pub(super) fn choices(&self) -> Option<(Position, &'n [Node<'a>])> {
        self.choices
    }

    /// Makes the list; none where the argument takes one value.
    pub(super) fn list(self, spot: &Spot<'_>, faults: &mut Faults) -> Option<List> {
        let name = spot.name;
        if spot.kind != ArgKind::Array {
            for (key, at) in &self.keys {
                let means = format!("'{key}' of '{name}' means nothing: only `type: array` is a list");
                faults.contradiction(*at, means);
            }
            return None;
        }
        if matches!(spot.place, Place::Stdin | Place::WorkingDir) {
            let means = "a list cannot be the standard input or a folder; it takes one value";
            faults.contradiction(spot.at, format!("the argument '{name}' has 'type: array', and {means}"));
            return None;
        }
        let least = usize::from(spot.required);
        let mut min = self.min.unwrap_or(0).max(least);
        if let Some(max) = self.max.filter(|max| min > *max) {
            let which = format!("'min_items' of '{name}' is {min} and 'max_items' is {max}");
            faults.contradiction(self.min_at, format!("{which}: no list has so many; only 'max_items' counts"));
            min = least;
        }
        let (items, max) = (self.items.unwrap_or_default(), self.max);
        Some(List { items, min, max, style: self.written(spot, faults) })
    }

    /// Says how it is written; what cannot be is told.
    fn written(self, spot: &Spot<'_>, faults: &mut Faults) -> ListStyle {
        let name = spot.name;
        let Place::Flag(flag) = spot.place else {
            for (key, at) in self.keys.iter().filter(|(key, _)| matches!(*key, "join" | "style")) {
                let means = "its items stand one after another";
                faults.contradiction(*at, format!("'{key}' of '{name}' means nothing for a positional list: {means}"));
            }
            return ListStyle::Repeat;
        };
        let mut cannot = |at: Position, why: &str| faults.contradiction(at, format!("'{name}': {why}"));
        match (self.join, self.style) {
            (join, style) if flag == DASHES => {
                let other = style.filter(|(_, style)| *style == Style::Repeat).map(|(at, _)| at);
                if let Some(at) = join.map(|(at, _)| at).or(other) {
                    cannot(at, "the flag '--' stands once, before all items");
                }
                ListStyle::Once { allow_dash: true }
            }
            (Some((_, mark)), None) => ListStyle::Join(mark),
            (Some((_, mark)), Some((at, _))) => {
                cannot(at, "it has both 'join' and 'style'; its items are joined");
                ListStyle::Join(mark)
            }
            (None, Some((at, Style::Once))) if flag.ends_with('=') => {
                cannot(at, "a flag that ends in '=' is one word with an item, and cannot stand once; it is repeated");
                ListStyle::Repeat
            }
            (None, Some((at, Style::Once))) if is_secret(flag) => {
                cannot(
                    at,
                    "with 'style: once' only the first item would be hidden in the audit log; the flag is repeated",
                );
                ListStyle::Repeat
            }
            (None, Some((_, Style::Once))) => ListStyle::Once { allow_dash: spot.allow_dash },
            (None, Some((_, Style::Repeat)) | None) => ListStyle::Repeat,
        }
    }
}

/// The words of `style`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Repeat,
    Once,
}

/// Says whether what follows a flag is a secret, as logs see it.
fn is_secret(flag: &str) -> bool {
    mask_words([flag, "value"]).get(1).is_some_and(|value| value != "value")
}

/// Reads `items`: a type, or a mapping as in JSON Schema.
fn read_items<'n, 'a>(
    fields: &mut Fields<'n, 'a>,
    faults: &mut Faults,
) -> (Option<ArgKind>, Option<(Position, &'n [Node<'a>])>) {
    if fields.peek("items").is_some() {
        return (fields.word("items", KINDS, faults), None);
    }
    let Some((_, node)) = fields.take("items") else { return (None, None) };
    let Some(mut inner) = Fields::open(node, "'items'", faults) else { return (None, None) };
    let kind = inner.word("type", KINDS, faults);
    let at = inner.position_of("enum");
    let choices = inner.list("enum", faults);
    inner.end(faults);
    (kind, at.map(|at| (at, choices)))
}

fn read_bound(fields: &mut Fields<'_, '_>, key: &'static str, least: usize, faults: &mut Faults) -> Option<usize> {
    let at = fields.position_of(key)?;
    let number = fields.number(key, faults)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float to integer cast saturates")]
    let count = number as usize;
    if number.fract() != 0.0 || number < 0.0 || !(least..=LARGEST).contains(&count) {
        faults.error(at, format!("'{key}' must be a whole number from {least} to {LARGEST}"));
        return None;
    }
    Some(count)
}

/// Reads the default of a list; an empty one is none.
pub(super) fn read_default(
    node: &Node<'_>,
    name: &str,
    list: &List,
    choices: &[Value],
    faults: &mut Faults,
) -> Option<Value> {
    let Kind::Sequence(nodes) = &node.kind else {
        faults.contradiction(node.at, format!("'default' of '{name}' is no list; there is none then"));
        return None;
    };
    let mut items = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(item) = check::typed(node, list.items) else {
            let what = format!("'default' of '{name}' has an item that is no {}", list.items);
            faults.contradiction(node.at, format!("{what}; there is none then"));
            return None;
        };
        if !choices.is_empty() && !choices.contains(&item) {
            faults.contradiction(node.at, format!("'default' of '{name}' has an item that is not in its 'enum'"));
        }
        items.push(item);
    }
    let count = items.len();
    if count > 0 && !(list.min..=list.most()).contains(&count) {
        let bounds = format!("{} to {}", list.min, list.most());
        let what = format!("'default' of '{name}' has {count} items, and a list has {bounds}");
        faults.contradiction(node.at, format!("{what}; there is none then"));
        return None;
    }
    (count > 0).then_some(Value::Array(items))
}

/// Of positional lists one after another only the last may be without an end: nobody could tell whose an item is. What
/// stands behind `--` is told from what stands before.
pub(super) fn ends(args: &[(Position, &Arg)], faults: &mut Faults) {
    let is_positional = |(_, arg): &&(Position, &Arg)| matches!(arg.place, Place::Positional { .. });
    let args: Vec<(Position, &Arg)> = args.iter().filter(is_positional).copied().collect();
    let has_dashes = |(_, arg): &(Position, &Arg)| matches!(arg.place, Place::Positional { dashes: true, .. });
    let (before, behind) = args.split_at(args.iter().position(has_dashes).unwrap_or(args.len()));
    for part in [before, behind] {
        let lists: Vec<(Position, &Arg)> = part.iter().filter(|(_, arg)| arg.list.is_some()).copied().collect();
        let Some(((_, last), others)) = lists.split_last() else { continue };
        for (at, arg) in others {
            if arg.list.as_ref().is_some_and(|list| list.max.is_none()) {
                let what =
                    format!("'{}' is a list without an end, and the list '{}' stands behind it", arg.name, last.name);
                faults.contradiction(*at, format!("{what}: nobody could tell whose an item is; give it 'max_items'"));
            }
        }
    }
}
