//! `policy.rules`: read strictly, compiled, and their examples checked. What is wrong anywhere in the policy makes all of
//! it unusable: everything is asked then.

use std::path::Path;

use aish_safety::{PolicyRules, WrittenRule};
use aish_types::near::slip;
use serde_json::Value;

use super::diagnostic::{About, Diagnostic, Severity};
use super::keys::near;
use super::layer::{Layer, Origin, Setting};

/// The policy's rules, compiled.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// The rules; none where the policy is broken.
    pub rules: PolicyRules,
    /// Why the policy cannot be used, with the place.
    pub broken: Option<String>,
}

/// The field of a rule that says where it stands; put there when a file is read.
pub const PLACE: &str = "place";

/// Compiles the rules of the merged layers; what is wrong with them goes into `diagnostics`.
pub fn compile(merged: &Layer, diagnostics: &mut Vec<Diagnostic>) -> Compiled {
    let mut broken = diagnostics.iter().find(|fault| concerns_policy(fault)).map(ToString::to_string);
    let mut rules = PolicyRules::default();
    if let Some(setting) = merged.settings.get(&["policy".to_owned(), "rules".to_owned()][..]) {
        match read(setting).and_then(|written| {
            PolicyRules::compile(&written)
                .map_err(|errors| errors.into_iter().map(|error| fault(&error.place, error.message)).collect())
        }) {
            Ok(compiled) => rules = compiled,
            Err(faults) => {
                broken = broken.or_else(|| faults.first().map(ToString::to_string));
                diagnostics.extend(faults);
            }
        }
    }
    if let Some(why) = &broken {
        rules = PolicyRules::default();
        diagnostics.push(not_used(why));
    }
    Compiled { rules, broken }
}

impl Compiled {
    /// Makes the policy unusable by faults, which go into `diagnostics`.
    pub(super) fn break_with(&mut self, faults: Vec<Diagnostic>, diagnostics: &mut Vec<Diagnostic>) {
        let why = faults.first().map(ToString::to_string).unwrap_or_default();
        diagnostics.extend(faults);
        diagnostics.push(not_used(&why));
        *self = Self { rules: PolicyRules::default(), broken: Some(why) };
    }
}

fn not_used(why: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        place: "policy".to_owned(),
        position: None,
        about: About::Key("policy".to_owned()),
        message: format!("not used until this is mended, so everything is asked and nothing runs unasked: {why}"),
    }
}

/// Reads the rules of one file, without a look at their patterns and examples.
///
/// # Errors
/// What of the file cannot be read as rules.
pub fn written(path: &Path, text: &str) -> Result<Vec<WrittenRule>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let layer = super::file::parse(text, &Origin::User(path.to_owned()), &mut faults);
    faults.retain(concerns_policy);
    let read = match layer.settings.get(&["policy".to_owned(), "rules".to_owned()][..]) {
        Some(setting) => read(setting),
        None => Ok(Vec::new()),
    };
    match read {
        Ok(rules) if faults.is_empty() => Ok(rules),
        Ok(_) => Err(faults),
        Err(more) => {
            faults.extend(more);
            Err(faults)
        }
    }
}

/// The keys that say what runs unasked, and in what it is held; a section stands for all of its keys.
const GUARDS: [&str; 8] =
    ["policy", "approval", "confine", "sandbox", "hooks", "mcp.auto_approve", "norris.read_only", "shell.confirm_cmd"];

/// Says whether a fault may have taken a part of the policy away.
fn concerns_policy(fault: &Diagnostic) -> bool {
    match &fault.about {
        About::Whole => true,
        About::Key(name) => GUARDS.iter().any(|guard| is_within(name, guard) || is_within(guard, name)),
        // A rule under a name that is nearly right would be missed.
        About::UnknownKey(name) => {
            let section = (!name.contains('.')).then(|| near(std::slice::from_ref(name))).flatten();
            GUARDS
                .iter()
                .any(|guard| is_within(name, guard) || section.as_ref().is_some_and(|near| is_within(near, guard)))
        }
        About::Refused => false,
    }
}

/// Says whether a key is a section's, or is that itself.
pub(super) fn is_within(name: &str, section: &str) -> bool {
    name.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Reads rules as they are written; nothing is guessed.
fn read(setting: &Setting) -> Result<Vec<WrittenRule>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut written = Vec::new();
    for rule in setting.value.as_array().into_iter().flatten() {
        let place = rule.get(PLACE).and_then(Value::as_str).map_or_else(|| setting.origin.to_string(), str::to_owned);
        match read_one(rule, &place) {
            Ok(rule) => written.push(rule),
            Err(message) => faults.push(fault(&place, message)),
        }
    }
    if faults.is_empty() { Ok(written) } else { Err(faults) }
}

fn read_one(rule: &Value, place: &str) -> Result<WrittenRule, String> {
    let entries = rule.as_object().ok_or("a rule is a table {match, verdict, reason, examples}")?;
    let known = ["match", "verdict", "reason", "examples", PLACE];
    if let Some(other) = entries.keys().find(|key| !known.contains(&key.as_str())) {
        let near = slip(other, known);
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(format!("a rule has no `{other}`{hint}"));
    }
    let text = |name: &str| match entries.get(name) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{name}` must be a text in quotes")),
    };
    let examples = match entries.get("examples") {
        None => Vec::new(),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or("`examples` must be a list of texts")?,
        Some(_) => return Err("`examples` must be a list of texts".to_owned()),
    };
    Ok(WrittenRule {
        pattern: text("match")?,
        verdict: text("verdict")?,
        reason: text("reason")?,
        examples,
        place: place.to_owned(),
    })
}

/// Makes a fault of a rule, with line and column taken off its place again.
pub(super) fn fault(place: &str, message: String) -> Diagnostic {
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next().and_then(|part| part.parse().ok());
    let line = parts.next().and_then(|part| part.parse().ok());
    let (place, position) = match (parts.next(), line.zip(column)) {
        (Some(file), Some(position)) => (file, Some(position)),
        _ => (place, None),
    };
    let about = About::Key("policy.rules".to_owned());
    Diagnostic { severity: Severity::Error, place: place.to_owned(), position, about, message }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Loaded, load};

    fn user(text: &str) -> Loaded {
        load(Some((Path::new("config.toml"), text)), &[], &[])
    }

    #[test]
    fn rules_are_compiled_with_their_places() {
        let loaded =
            user("[[policy.rules]]\nmatch = \"npm publish\"\nverdict = \"halt\"\nexamples = [\"npm publish\"]\n");
        assert_eq!(loaded.policy.broken, None);
        let rule = loaded.policy.rules.iter().next().unwrap();
        assert_eq!((rule.place.as_str(), rule.id.as_str()), ("config.toml:1:1", "policy.1"));
    }

    #[test]
    fn what_is_wrong_with_the_policy_breaks_all_of_it() {
        for (text, message) in [
            ("[[policy.rules]]\nmatch = \"ls\"\n", "config.toml:1:1: error: the rule has no `verdict`"),
            (
                "[ui]\n\n[[policy.rules]]\nmatch = \"ls\"\nverdict = \"ask\"\nexamples = [\"cat x\"]\n",
                "config.toml:3:1: error: the rule does not match its example `cat x`",
            ),
            (
                "[policy]\nrules = [\n  {match = \"ls\", verdict = \"ask\"},\n  {match = \"ls\", verdit = \"ask\"},\n]\n",
                "config.toml:4:3: error: a rule has no `verdit`; did you mean `verdict`?",
            ),
            ("[[policy.rule]]\nmatch = \"ls\"\n", "unknown key `policy.rule`"),
            ("[policy]\nrules = 5\n", "config.toml:2:9: error: `policy.rules` must be"),
            ("[mcp]\nauto_approve = 5\n", "config.toml:2:16: error: `mcp.auto_approve` must be"),
            ("[approval]\nmode = \"strickt\"\n", "config.toml:2:8: error: `approval.mode` must be"),
            ("[hooks]\nask = \"deni\"\n", "config.toml:2:7: error: `hooks.ask` must be"),
            ("[hooks]\naks = \"deny\"\n", "unknown key `hooks.aks`"),
            ("[sandbox]\nmode = \"requird\"\n", "config.toml:2:8: error: `sandbox.mode` must be"),
            ("[norris]\nread_only = \"yes\"\n", "config.toml:2:13: error: `norris.read_only` must be"),
            ("approval = \"strict\"\n", "config.toml:1:1: error: `approval` is a section"),
            ("[confine]\nhidde = [\"notes\"]\n", "unknown key `confine.hidde`"),
            ("[[polcy.rules]]\nmatch = \"ls\"\nverdict = \"halt\"\n", "unknown key `polcy`; did you mean `policy`?"),
            ("[aproval]\nmode = \"strict\"\n", "unknown key `aproval`; did you mean `approval`?"),
            ("[policy\n", "config.toml:1:8: error: this is not TOML"),
        ] {
            let loaded = user(text);
            let faults: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
            let broken = loaded.policy.broken.unwrap_or_else(|| panic!("{text}: {faults:?}"));
            assert!(broken.contains(message), "{broken}");
            assert!(loaded.policy.rules.is_empty());
            assert!(faults.last().unwrap().contains("everything is asked"), "{faults:?}");
        }
        assert_eq!(user("[context]\nmax_turns = \"many\"\n").policy.broken, None);
        assert_eq!(user("[contxt]\nmax_turns = 3\n[notes]\npolicy = 3\n").policy.broken, None);
        let variable = [("AISH_APPROVAL_MODE".to_owned(), "strickt".to_owned())];
        let broken = load(None, &[], &variable).policy.broken.unwrap();
        assert!(broken.contains("$AISH_APPROVAL_MODE"), "{broken}");
    }

    #[test]
    fn a_project_only_tightens() {
        let own = "[[policy.rules]]\nmatch = \"ls\"\nverdict = \"ask\"\n";
        let project = "[[policy.rules]]\nmatch = \"touch\"\nverdict = \"allow\"\n[[policy.rules]]\nmatch = \"cat\"\nverdict = \"halt\"\n";
        let loaded = load(Some((Path::new("config.toml"), own)), &[(Path::new(".aish.toml"), project)], &[]);
        let rules: Vec<_> =
            loaded.policy.rules.iter().map(|rule| (rule.pattern.as_str(), rule.place.as_str())).collect();
        assert_eq!(rules, [("ls", "config.toml:1:1"), ("cat", ".aish.toml:4:1")]);
    }
}
