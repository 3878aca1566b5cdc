//! A configuration's YAML, read piece by piece from the tree of `climax-yaml`.
//!
//! What a plain scalar means follows YAML 1.1, as in the files that exist (`yes` is a boolean where one is wanted, and the
//! text `yes` where text is wanted).

pub(crate) mod fields;
pub(crate) mod scalar;

pub(crate) use climax_yaml::{Kind, Node};
pub(crate) use fields::Fields;

use serde_json::Value;

use crate::fault::Faults;

/// Parses the first document of a text. A fault of the syntax is reported and gives nothing; so is another document, which is
/// not read.
pub(crate) fn parse<'a>(text: &'a str, faults: &mut Faults) -> Option<Node<'a>> {
    let parsed = climax_yaml::parse_first(text).map_err(|error| faults.error(error.at, error.message)).ok()?;
    if let Some(at) = parsed.second {
        faults.contradiction(at, "another document begins here (`---`), and a file has one; only the first one counts");
    }
    Some(parsed.root)
}

/// Reads a node as JSON.
pub(crate) fn json(node: &Node<'_>) -> Value {
    match &node.kind {
        Kind::Scalar { .. } if node.is_null() => Value::Null,
        Kind::Scalar { text, plain: true } => scalar::value(text),
        Kind::Scalar { text, plain: false } => Value::from(text.as_ref()),
        Kind::Sequence(items) => items.iter().map(json).collect(),
        Kind::Mapping(entries) => {
            let entry = |(key, value): &(Node<'_>, Node<'_>)| Some((key.text()?.to_owned(), json(value)));
            Value::Object(entries.iter().filter_map(entry).collect())
        }
    }
}
