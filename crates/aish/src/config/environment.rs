//! The environment as a layer: `AISH_<SECTION>_<KEY>`.

use aish_types::near::slip;
use serde_json::Value;

use super::diagnostic::{About, Diagnostic, Severity};
use super::file::fits;
use super::key::{Key, Kind};
use super::keys::keys;
use super::layer::{Layer, Origin, Setting};

/// Variables that begin with `AISH_` and are no keys.
const OTHERS: &[&str] =
    &["AISH_CONFIG", "AISH_LOG", "AISH_INIT", "AISH_INIT_OFF", "AISH_MODEL_EXE", "AISH_STATE", "AISH_SESSION"];

/// Reads the variables that name a key; keys with a word of the user's in them cannot be set this way.
pub fn layer(variables: &[(String, String)], diagnostics: &mut Vec<Diagnostic>) -> Layer {
    let mut layer = Layer::default();
    for (name, text) in variables {
        if !name.starts_with("AISH_") || OTHERS.contains(&name.as_str()) || name.starts_with("AISH_TEST_") {
            continue;
        }
        let mut report = |severity, about, message| {
            diagnostics.push(Diagnostic { severity, place: format!("${name}"), position: None, about, message });
        };
        let Some(key) = keys().find(|key| key.variable().as_ref() == Some(name)) else {
            let near = slip(name, keys().filter_map(Key::variable));
            let hint = near.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
            report(Severity::Warning, About::UnknownKey(name.clone()), format!("no key of this name{hint}"));
            continue;
        };
        match value(key.kind, text).filter(|value| fits(key.kind, value)) {
            Some(value) => {
                let path = key.name.split('.').map(str::to_owned).collect();
                layer.settings.insert(path, Setting { value, origin: Origin::Variable(name.clone()), position: None });
            }
            None => {
                let message = format!("must be {}; it is not used", key.kind.expected());
                report(Severity::Error, About::Key(key.name.to_owned()), message);
            }
        }
    }
    layer
}

fn value(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Text | Kind::Word(_) | Kind::Thinking => Some(Value::String(text.to_owned())),
        Kind::Bool => match text.trim().to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(Value::Bool(true)),
            "false" | "0" | "no" | "off" | "" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Whole(..) => text.trim().parse::<u64>().ok().map(Value::from),
        Kind::Number(..) => text.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
        Kind::Texts => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Some(Value::Array(items.map(|item| Value::String(item.to_owned())).collect()))
        }
        Kind::TextMap | Kind::BoolMap | Kind::ByPurpose(_) | Kind::Rules | Kind::RouterRules => {
            serde_json::from_str(text).ok()
        }
    }
}
