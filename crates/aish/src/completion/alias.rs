//! What an alias at a command's place stands for, so that what is behind it is completed as behind that.

use std::collections::BTreeMap;

use aish_term::Candidate;

use super::place::Place;

/// A line with an alias replaced by what it stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Followed {
    /// The line up to the cursor.
    pub(super) before: String,
    /// Bytes that the line has become longer by.
    longer: isize,
}

impl Followed {
    /// Moves what was found for the replaced line to where it belongs in the line as it is typed.
    pub(super) fn back(&self, found: Vec<Candidate>) -> Vec<Candidate> {
        let moved = |at: usize| at.checked_add_signed(-self.longer);
        let found = found.into_iter();
        found
            .filter_map(|candidate| {
                let span = moved(candidate.span.start)?..moved(candidate.span.end)?;
                Some(Candidate { span, ..candidate })
            })
            .collect()
    }
}

/// Replaces the alias that the cursor's word belongs to; none where there is none, or where more than words stands behind it.
pub(super) fn followed(before: &str, place: &Place<'_>, aliases: &BTreeMap<String, String>) -> Option<Followed> {
    let is_plain =
        |text: &str| text.chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || "-_./:=,+@%".contains(c));
    let name = place.command;
    let mut text = aliases.get(name)?.clone();
    let mut seen = vec![name.to_owned()];
    // As in bash, an alias is not replaced inside of itself.
    loop {
        let first = text.split_whitespace().next()?.to_owned();
        let Some(next) = aliases.get(&first).filter(|_| !seen.contains(&first)) else { break };
        text = text.replacen(&first, next, 1);
        seen.push(first);
    }
    if !is_plain(&text) || text.split_whitespace().next() == Some(name) {
        return None;
    }
    let (start, end) = (place.command_at, place.command_at + name.len());
    let replaced = format!("{}{}{}", before.get(..start)?, text.trim(), before.get(end..)?);
    let longer = isize::try_from(replaced.len()).ok()? - isize::try_from(before.len()).ok()?;
    Some(Followed { before: replaced, longer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_what_it_stands_for() {
        let pairs = [("g", "git"), ("gc", "g commit"), ("ls", "ls --color"), ("x", "a | b"), ("p", "q"), ("q", "p")];
        let aliases: BTreeMap<String, String> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        for (before, expected) in [
            ("g che", Some("git che")),
            ("cd x && g che", Some("cd x && git che")),
            ("gc --am", Some("git commit --am")),
            ("gag; g --flag g", Some("gag; git --flag g")),
            ("sudo g che", Some("sudo git che")),
            ("ls --co", None),
            ("x --co", None),
            ("p --co", None),
            ("git che", None),
            ("g", None),
        ] {
            let found = followed(before, &Place::find(before), &aliases);
            assert_eq!(found.as_ref().map(|found| found.before.as_str()), expected, "{before}");
        }
        let found = followed("g che", &Place::find("g che"), &aliases).unwrap();
        let candidate = super::super::plain("checkout", 4..7);
        assert_eq!(found.back(vec![candidate.clone()]), [Candidate { span: 2..5, ..candidate }]);
    }
}
