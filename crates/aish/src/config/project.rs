//! What of a project's `.aish.toml` counts: it may tighten, never loosen, and never name what is started.

use serde_json::Value;

use super::diagnostic::{Diagnostic, Severity};
use super::key::{self, Overlay};
use super::layer::{Layer, Setting};
use super::section::Config;

/// Keeps the settings of a project's layer that it may make; the others are reported.
pub fn tighten(overlay: Layer, below: &Layer, diagnostics: &mut Vec<Diagnostic>) -> Layer {
    let mut kept = Layer::default();
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    for (path, mut setting) in overlay.settings {
        let rule = key::find(&path).map_or(Overlay::Never, |key| key.overlay);
        let default = || defaults.pointer(&format!("/{}", path.join("/"))).filter(|value| !value.is_null());
        let current = below.settings.get(&path).map(|setting| &setting.value).or_else(default);
        let refused = match rule {
            Overlay::Free => None,
            Overlay::Only(allowed) if setting.value.as_bool() == Some(allowed) => None,
            Overlay::Only(allowed) => Some(format!("a project may only set it to {allowed}")),
            Overlay::Lower => lower(&setting.value, current),
            Overlay::Tighten => stricter(&path, &mut setting, current),
            Overlay::Never => Some("only your own configuration may set it".to_owned()),
        };
        match refused {
            None => {
                kept.settings.insert(path, setting);
            }
            Some(why) => diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                place: setting.origin.to_string(),
                position: setting.position,
                message: format!("`{}` is not used: {why}", path.join(".")),
            }),
        }
    }
    kept
}

fn lower(value: &Value, current: Option<&Value>) -> Option<String> {
    let current = current.and_then(Value::as_f64)?;
    (value.as_f64()? > current).then(|| format!("a project may only lower it, and it is {current}"))
}

/// Keeps the entries that tighten: a `false` approval, a rule that asks or halts (behind the user's own rules).
fn stricter(path: &[String], setting: &mut Setting, current: Option<&Value>) -> Option<String> {
    match &mut setting.value {
        Value::Object(approvals) => {
            let before = approvals.len();
            approvals.retain(|_, approved| *approved == Value::Bool(false));
            (approvals.is_empty() && before > 0).then(|| "a project may only say `false` there".to_owned())
        }
        Value::Array(rules) => {
            let before = rules.len();
            rules.retain(|rule| matches!(rule.get("verdict").and_then(Value::as_str), Some("ask" | "halt")));
            let refused = rules.len() < before;
            if let Some(Value::Array(own)) = current {
                rules.splice(0..0, own.iter().cloned());
            }
            (refused && rules.is_empty()).then(|| "a project's rules may only ask or halt".to_owned())
        }
        _ => Some(format!("`{}` has no entries", path.join("."))),
    }
}
