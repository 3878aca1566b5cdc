//! Variables whose values the owner wants to know after each command, exported or not: those that hold secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::{declarations, state};

/// Says of a variable's name whether its value is told.
#[derive(Clone)]
pub struct Wanted(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl Wanted {
    /// Has the values of the variables told whose names this says yes to.
    pub fn by(wants: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(wants))
    }

    /// No values at all.
    pub fn none() -> Self {
        Self::by(|_| false)
    }

    /// Says whether the value of a variable of this name is told.
    pub fn wants(&self, name: &str) -> bool {
        (self.0)(name)
    }
}

impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wanted")
    }
}

/// The values of such variables; its debug form shows none of them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Told(pub Vec<String>);

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Told({} values)", self.0.len())
    }
}

impl Told {
    /// Takes the exported ones.
    pub(crate) fn of_environment(environment: &BTreeMap<String, String>, wanted: &Wanted) -> Self {
        let values = environment.iter().filter(|(name, _)| wanted.wants(name)).map(|(_, value)| value.clone());
        Self(values.collect())
    }

    /// Returns what asks the shell for the others; none where there are none.
    pub(crate) fn query(
        names: &BTreeSet<String>,
        environment: &BTreeMap<String, String>,
        wanted: &Wanted,
    ) -> Option<String> {
        let is_word = |name: &str| name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
        let own = |name: &&String| wanted.wants(name) && is_word(name) && !environment.contains_key(*name);
        let names: Vec<&str> = names.iter().filter(own).map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("\\builtin declare -p {}", names.join(" ")))
    }

    /// Adds what the shell answered to the query.
    pub(crate) fn add(&mut self, answer: &[u8]) {
        let text = String::from_utf8_lossy(answer);
        for variable in state::variables(&text) {
            match &variable.value {
                Some(value) => self.0.push(value.clone()),
                // An array: `([0]="a" [k]="b")`.
                None => self.0.extend(elements(variable.text())),
            }
        }
    }
}

/// Returns the values of an array as `declare -p` prints it.
fn elements(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((_, quoted)) = rest.split_once("]=").filter(|(_, quoted)| quoted.starts_with(['"', '$'])) {
        let (value, behind) = declarations::unquote(quoted);
        values.push(value);
        rest = behind;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_asked_for_and_read() {
        let environment = BTreeMap::from([("A_TOKEN".to_owned(), "exported".to_owned())]);
        let names: BTreeSet<String> =
            ["A_TOKEN", "B_TOKEN", "HOME", "C_TOKEN"].iter().map(|name| (*name).to_owned()).collect();
        let wanted = Wanted::by(|name| name.ends_with("_TOKEN"));
        assert_eq!(Told::query(&names, &environment, &wanted).as_deref(), Some("\\builtin declare -p B_TOKEN C_TOKEN"));
        assert_eq!(Told::query(&names, &environment, &Wanted::none()), None);
        let mut told = Told::of_environment(&environment, &wanted);
        told.add(b"declare -- B_TOKEN=\"in the shell\"\ndeclare -a C_TOKEN=([0]=\"one\" [3]=$'two\\n2')\n");
        assert_eq!(told.0, ["exported", "in the shell", "one", "two\n2"]);
        assert_eq!(format!("{told:?}"), "Told(4 values)");
    }
}
