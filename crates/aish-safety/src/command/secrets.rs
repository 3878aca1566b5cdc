//! Which places hold secrets: looked up once a line, however often its words name them.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::cell::RefCell;

use super::path::{self, Place};
use super::walk::Walker;
use super::word::{HOLE, NUMERIC, Taint, Word};

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

impl Walker<'_> {
    /// Says whether a word names a file that holds secrets, or is one.
    pub(crate) fn is_secret_word(&self, word: &Word) -> bool {
        if word.may_be_secret() {
            return true;
        }
        let check = |text: &str| {
            let home = self.around.home.as_deref();
            let place = path::seen(text, word.glob, self.state.folder.as_deref(), home);
            self.secrets.holds(&place)
                || self.is_secret_elsewhere(text, word.glob)
                || self.state.taint_below(&place.text).has(Taint::SECRET)
        };
        // What is not known may be nothing.
        let rest = if word.is_known() { String::new() } else { word.text.replace([HOLE, NUMERIC], "") };
        !word.text.starts_with('-') && check(&word.text)
            || !rest.is_empty() && !rest.starts_with('-') && check(&rest)
            || word.text.split(['=', '@']).skip(1).any(|part| !part.is_empty() && check(part))
    }
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
