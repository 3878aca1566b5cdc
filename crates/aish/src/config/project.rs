//! What of a project's `.aish.toml` counts: it may tighten, never loosen, and never name what is started.

use serde_json::Value;

use super::diagnostic::{About, Diagnostic, Severity};
use super::key::Overlay;
use super::keys;
use super::layer::{Layer, Setting};
use super::section::Config;

/// What of a setting a project may not make, and why.
enum Refused {
    Nothing,
    /// So many of its entries.
    Some(usize, String),
    All(String),
}

/// Keeps the settings of a project's layer that it may make; the others are reported.
pub fn tighten(overlay: Layer, below: &Layer, diagnostics: &mut Vec<Diagnostic>) -> Layer {
    let mut kept = Layer::default();
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    for (path, mut setting) in overlay.settings {
        let rule = keys::find(&path).map_or(Overlay::Never, |key| key.overlay);
        let default = || defaults.pointer(&format!("/{}", path.join("/"))).filter(|value| !value.is_null());
        let current = below.settings.get(&path).map(|setting| &setting.value).or_else(default);
        let refused = match rule {
            Overlay::Free => Refused::Nothing,
            Overlay::Only(allowed) if setting.value.as_bool() == Some(allowed) => Refused::Nothing,
            Overlay::Only(allowed) => Refused::All(format!("a project may only set it to {allowed}")),
            Overlay::Deny if setting.value.as_str() == Some("deny") => Refused::Nothing,
            Overlay::Deny => Refused::All("a project may only set it to \"deny\"".to_owned()),
            Overlay::Lower => lower(&setting.value, current),
            Overlay::Tighten => stricter(&path, &mut setting, current),
            Overlay::Never => Refused::All("only your own configuration may set it".to_owned()),
        };
        let name = path.join(".");
        let message = match &refused {
            Refused::Nothing => None,
            Refused::Some(count, why) => Some(format!("{count} of `{name}` not used: {why}")),
            Refused::All(why) => Some(format!("`{name}` is not used: {why}")),
        };
        diagnostics.extend(message.map(|message| Diagnostic {
            severity: Severity::Warning,
            place: setting.origin.to_string(),
            position: setting.position,
            about: About::Refused,
            message,
        }));
        if !matches!(refused, Refused::All(_)) {
            kept.settings.insert(path, setting);
        }
    }
    kept
}

fn lower(value: &Value, current: Option<&Value>) -> Refused {
    match (value.as_f64(), current.and_then(Value::as_f64)) {
        (Some(value), Some(current)) if value > current => {
            Refused::All(format!("a project may only lower it, and it is {current}"))
        }
        _ => Refused::Nothing,
    }
}

/// Keeps the entries that tighten: a `false` approval, a rule that asks or halts (behind the user's own rules).
fn stricter(path: &[String], setting: &mut Setting, current: Option<&Value>) -> Refused {
    let (before, kept, why) = match &mut setting.value {
        Value::Object(approvals) => {
            let before = approvals.len();
            approvals.retain(|_, approved| *approved == Value::Bool(false));
            (before, approvals.len(), "a project may only say `false` there")
        }
        Value::Array(rules) => {
            let before = rules.len();
            rules.retain(|rule| matches!(rule.get("verdict").and_then(Value::as_str), Some("ask" | "halt")));
            let kept = rules.len();
            if let Some(Value::Array(own)) = current {
                rules.splice(0..0, own.iter().cloned());
            }
            (before, kept, "a project's rules may only ask or halt")
        }
        _ => return Refused::All(format!("`{}` has no entries", path.join("."))),
    };
    match before - kept {
        0 => Refused::Nothing,
        _ if kept == 0 => Refused::All(why.to_owned()),
        refused => Refused::Some(refused, why.to_owned()),
    }
}
