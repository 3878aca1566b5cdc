//! Which places hold secrets: looked up once a line, however often its words name them.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::cell::RefCell;

use super::path::Place;

/// The longest path that is kept, and how many are at most.
const KEPT: (usize, usize) = (256, 1_024);

/// What was found of the places of a line, by their paths.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    names: Found,
    patterns: Found,
    plain: Found,
}

type Found = RefCell<BTreeMap<String, bool>>;

impl Secrets {
    /// Says whether a place holds secrets.
    pub(crate) fn holds<T: AsRef<str>>(&self, place: &Place<T>) -> bool {
        let found = if place.glob { &self.patterns } else { &self.names };
        once(found, place, Place::is_secret)
    }

    /// Says whether it holds secrets by a name that is an ordinary word.
    pub(crate) fn plainly<T: AsRef<str>>(&self, place: &Place<T>) -> bool {
        match place.glob {
            true => place.is_plainly_secret(),
            false => once(&self.plain, place, Place::is_plainly_secret),
        }
    }
}

fn once<T: AsRef<str>>(found: &Found, place: &Place<T>, look: impl FnOnce(&Place<T>) -> bool) -> bool {
    let path = place.text.as_ref();
    if let Some(known) = found.borrow().get(path) {
        return *known;
    }
    let is_so = look(place);
    let mut found = found.borrow_mut();
    if path.len() <= KEPT.0 && found.len() < KEPT.1 {
        found.insert(path.to_owned(), is_so);
    }
    is_so
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_a_pattern_of_the_same_letters_are_two() {
        let secrets = Secrets::default();
        for _ in 0..2 {
            assert!(secrets.holds(&Place { text: "~/.ssh/id_rsa", glob: false }));
            assert!(!secrets.holds(&Place { text: "README.md", glob: false }));
            assert!(!secrets.holds(&Place { text: ".e?v", glob: false }));
            assert!(secrets.holds(&Place { text: ".e?v", glob: true }));
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let secrets = Secrets::default();
        for number in 0..3_000 {
            assert!(secrets.holds(&Place { text: alloc::format!("/home/a/{number}/.env"), glob: false }));
        }
        assert_eq!(secrets.names.borrow().len(), KEPT.1);
    }
}
