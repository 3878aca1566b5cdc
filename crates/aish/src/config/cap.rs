//! Limits of cost that cannot be read: nothing that costs is sent until they are mended, for nobody knows what they are.

use super::diagnostic::{About, Diagnostic, Severity};
use super::policy::concerns;

/// The section that says what may be spent.
const LIMITS: [&str; 1] = ["cost"];

/// Says why the limits of cost cannot be used, where a fault may have taken one away; that goes into `diagnostics`, too.
pub fn fault(diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    let fault = diagnostics.iter().find(|fault| concerns(fault, &LIMITS))?;
    let why = fault.to_string();
    // What has all of a file is told about all of it.
    let is_of_cost = !matches!(fault.about, About::Whole);
    diagnostics.extend(is_of_cost.then(|| Diagnostic {
        severity: Severity::Error,
        place: "cost".to_owned(),
        position: None,
        about: About::Key("cost".to_owned()),
        message: format!("no request that costs is sent until this is mended: {why}"),
    }));
    Some(why)
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
            ("[cost]\nwarn_at_dollars = true\n", "`cost.warn_at_dollars` must be a number"),
            ("[cost]\nscope = 1\n", "`cost.scope` must be one of: session, day"),
            ("[cost]\ncap_at_dolars = 1\n", "unknown key `cost.cap_at_dolars`; did you mean `cost.cap_at_dollars`?"),
            ("[csot]\ncap_at_dollars = 1\n", "unknown key `csot`; did you mean `cost`?"),
            ("cost = 1\n", "`cost` is a section"),
            ("[cost\n", "this is not TOML"),
        ] {
            let loaded = load(Some((Path::new("config.toml"), text)), &[], &[]);
            let faults: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
            let why = loaded.cap_fault.unwrap_or_else(|| panic!("{text}: {faults:?}"));
            assert!(why.contains(message), "{why}");
            let told = "no request that costs is sent";
            assert!(text == "[cost\n" || faults.iter().any(|fault| fault.contains(told)), "{faults:?}");
        }
        for text in ["[cost]\ncap_at_dollars = 1\n", "[context]\nmax_turns = \"many\"\n", "[notes]\ncost = 3\n"] {
            assert_eq!(load(Some((Path::new("config.toml"), text)), &[], &[]).cap_fault, None, "{text}");
        }
        let variable = [("AISH_COST_CAP_AT_DOLLARS".to_owned(), "one".to_owned())];
        assert!(load(None, &[], &variable).cap_fault.is_some_and(|why| why.contains("$AISH_COST_CAP_AT_DOLLARS")));
    }
}
