//! Argument names that a tool does not have.

use aish_types::near::{near, slip};

/// Names that are listed where none is near.
const MAX_LISTED: usize = 12;

/// Says of a name that there is no such argument, and what may be meant; without a near one, which ones there are.
pub fn unknown_argument<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let meant = slip(given, known.iter().copied()).or_else(|| near(given, known.iter().copied(), 1).first().copied());
    let given = super::fault::short(given);
    match (meant, known.get(..MAX_LISTED)) {
        (Some(meant), _) => format!("Unknown argument '{given}'; did you mean '{meant}'?"),
        (None, _) if known.is_empty() => format!("Unknown argument '{given}'; the tool takes none."),
        (None, Some(first)) if known.len() > MAX_LISTED => {
            format!("Unknown argument '{given}'; there are {} and {} more.", first.join(", "), known.len() - MAX_LISTED)
        }
        (None, Some(_) | None) => format!("Unknown argument '{given}'; there is {}.", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_is_meant_is_said() {
        let many: Vec<String> = (10..30).map(|number| format!("x{number}")).collect();
        let names = ["dry_run", "branch"];
        let check = |given: &str, known: &[&str], end: &str| {
            assert_eq!(unknown_argument(given, known.iter().copied()), format!("Unknown argument '{given}'; {end}"));
        };
        check("dry-run", &names, "did you mean 'dry_run'?");
        check("branch_name", &names, "did you mean 'branch'?");
        check("zzz", &names, "there is dry_run, branch.");
        check("zzz", &[], "the tool takes none.");
        let many = unknown_argument("zzz", many.iter().map(String::as_str));
        assert!(many.ends_with("x21 and 8 more."), "{many}");
    }
}
