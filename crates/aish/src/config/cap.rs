//! Limits of cost that cannot be read: nothing that costs is sent until they are mended, for nobody knows what they are.

use super::diagnostic::{About, Diagnostic, Severity};
use super::keys::near;
use super::policy::is_within;
use super::section::Config;

const CAP: &str = "cost.cap_at_dollars";
const RUN: &str = "norris.max_dollars";

/// Says why the cap of cost cannot be used, where a fault may have taken it away; that goes into `diagnostics`, too. A limit of
/// autonomous runs becomes nothing. `texts` are those of the files.
pub fn fault<'t>(
    config: &mut Config,
    mut texts: impl Iterator<Item = &'t str>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<String> {
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
    let why = diagnostics.iter().find(of_cost).map(ToString::to_string);
    let cost = why.as_ref().map(|why| held("cost", "no request that costs is sent", why));
    let runs = diagnostics.iter().find(of_runs);
    let runs = runs.map(|fault| held(RUN, "no autonomous run may cost anything", &fault.to_string()));
    if runs.is_some() {
        config.norris.max_dollars = 0.0;
    }
    diagnostics.extend(cost.into_iter().chain(runs));
    why
}

fn is_in_cost(name: &str) -> bool {
    let is = |name: &str| is_within(name, "cost");
    is(name) || !name.contains('.') && near(&[name.to_owned()]).is_some_and(|near| is(&near))
}

fn held(key: &str, what: &str, why: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        place: key.to_owned(),
        position: None,
        about: About::Key(key.to_owned()),
        message: format!("{what} until this is mended: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::load;

    #[test]
    fn a_fault_of_a_limit_is_told_with_what_to_write() {
        for (text, message) in [
            (
                "[cost]\ncap_at_dollars = \"1\"\n",
                "`cost.cap_at_dollars` must be a number of at least 0, without quotes: 1;",
            ),
            ("[cost]\ncap_at_dollars = \"one\"\n", "`cost.cap_at_dollars` must be a number of at least 0;"),
            ("[cost]\ncap_at_dollars = -1\n", "`cost.cap_at_dollars` must be a number of at least 0;"),
            ("[cost]\ncap_at_dollars = 1\nscope = 1\n", "`cost.scope` must be one of: session, day"),
            ("[cost]\ncap = 1\n", "unknown key `cost.cap`"),
            ("[costs]\ncap_at_dollars = 1\n", "unknown key `costs`; did you mean `cost`?"),
            ("[cost]\ncap_at_dolars = 1\n", "unknown key `cost.cap_at_dolars`; did you mean `cost.cap_at_dollars`?"),
            ("[csot]\ncap_at_dollars = 1\n", "unknown key `csot`; did you mean `cost`?"),
            ("cost = 1\n", "`cost` is a section"),
            ("[cost]\ncap_at_dollars = 1,0\n", "this is not TOML"),
            ("[cost]\ncap_at_dollars = 1\n[models\n", "this is not TOML"),
        ] {
            let loaded = load(Some((Path::new("config.toml"), text)), &[], &[]);
            let faults: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
            let why = loaded.cap_fault.unwrap_or_else(|| panic!("{text}: {faults:?}"));
            assert!(why.contains(message), "{why}");
            let told = "no request that costs is sent";
            assert!(faults.iter().any(|fault| fault.contains(told)), "{faults:?}");
        }
        for text in [
            "[cost]\ncap_at_dollars = 1\n",
            "[cost]\ncap_at_dollars = 1\nwarn_at = 1\n",
            "[cost]\nwarn_at_dollars = \"1\"\n",
            "[cost]\nscope = 1\n",
            "[models\n",
            "[context]\nmax_turns = \"many\"\n",
            "[notes]\ncost = 3\n",
        ] {
            assert_eq!(load(Some((Path::new("config.toml"), text)), &[], &[]).cap_fault, None, "{text}");
        }
        let run = load(Some((Path::new("config.toml"), "[norris]\nmax_dollars = \"0.1\"\n")), &[], &[]);
        assert_eq!(run.config.norris.max_dollars.to_bits(), 0);
        let variable = [("AISH_COST_CAP_AT_DOLLARS".to_owned(), "one".to_owned())];
        assert!(load(None, &[], &variable).cap_fault.is_some_and(|why| why.contains("$AISH_COST_CAP_AT_DOLLARS")));
    }
}
