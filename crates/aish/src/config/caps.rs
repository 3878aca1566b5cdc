//! Limits of cost that cannot be read: nothing is spent then, since the default would be more than what was meant.

use super::diagnostic::{About, Diagnostic, Severity};
use super::keys::near;
use super::section::Config;

const CAP: &str = "cost.cap_at_dollars";
const RUN: &str = "norris.max_dollars";

/// Sets limits to nothing that faults may have taken away; `texts` are those of the files.
pub(super) fn hold<'t>(
    config: &mut Config,
    mut texts: impl Iterator<Item = &'t str>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let is_capped = config.cost.cap_at_dollars.is_some();
    let was_named = texts.any(|text| text.contains("cap_at_dollars"));
    let of_cost = |fault: &&Diagnostic| match &fault.about {
        About::Whole => was_named,
        About::Key(name) => name == "cost" || name == CAP || is_capped && name == "cost.scope",
        // What a cap was meant to be, under a name that is nearly right.
        About::UnknownKey(name) => !is_capped && is_in_cost(name),
        About::Refused => false,
    };
    let of_runs = |fault: &&Diagnostic| matches!(&fault.about, About::Key(name) if name == "norris" || name == RUN);
    let cost = diagnostics.iter().find(of_cost).map(|fault| held(CAP, "no request that costs is sent", fault));
    let runs = diagnostics.iter().find(of_runs).map(|fault| held(RUN, "no autonomous run may cost anything", fault));
    if cost.is_some() {
        config.cost.cap_at_dollars = Some(0.0);
    }
    if runs.is_some() {
        config.norris.max_dollars = 0.0;
    }
    diagnostics.extend(cost.into_iter().chain(runs));
}

fn is_in_cost(name: &str) -> bool {
    let is = |name: &str| name.strip_prefix("cost").is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    is(name) || !name.contains('.') && near(&[name.to_owned()]).is_some_and(|near| is(&near))
}

fn held(key: &str, what: &str, why: &Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        place: key.to_owned(),
        position: None,
        about: About::Key(key.to_owned()),
        message: format!("{what} until this is mended: {why}"),
    }
}
