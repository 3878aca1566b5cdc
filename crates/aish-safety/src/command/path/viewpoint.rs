//! From where paths are seen.

use alloc::borrow::Cow;
use alloc::format;

use super::super::walk::Walker;
use super::super::word::Word;
use super::{Place, plain, seen, strip_home};

/// From where a path is seen.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Viewpoint<'a> {
    /// The folder that the line went to, where it is known; one that is not absolute lies below the one that it began in.
    pub(crate) folder: Option<&'a str>,
    /// The folder that the line began in, absolute.
    pub(crate) start: Option<&'a str>,
    /// The home folder.
    pub(crate) home: Option<&'a str>,
}

impl<'a> Viewpoint<'a> {
    /// The same from another folder.
    pub(crate) fn from(self, folder: &'a str) -> Self {
        Self { folder: Some(folder), ..self }
    }

    /// Makes a path plain. One that leads out of the folder that the line began in is what it comes to, where that is a home, of
    /// the system, or hidden in a home; elsewhere it stays one that leads out.
    pub(crate) fn seen<'t>(self, text: &'t str, glob: bool) -> Place<Cow<'t, str>> {
        let place = seen(text, glob, self.folder, self.home);
        let leads_out = place.text == ".." || place.text.starts_with("../");
        let Some(start) = self.start.filter(|start| leads_out && start.starts_with('/')) else { return place };
        let whole = plain(&format!("{start}/{}", place.text));
        let meant = Place { text: strip_home(&whole, self.home), glob: place.glob };
        match meant.matters() {
            true => Place { text: Cow::Owned(meant.text.into_owned()), glob: meant.glob },
            false => place,
        }
    }
}

impl Walker<'_> {
    /// Returns a word's place, seen from where the line went.
    pub(crate) fn place(&self, word: &Word) -> Place {
        let Place { text, glob } = self.viewpoint().seen(&word.text, word.glob);
        Place { text: text.into_owned(), glob }
    }

    /// Returns from where paths are seen: where the line went.
    pub(crate) fn viewpoint(&self) -> Viewpoint<'_> {
        Viewpoint { folder: self.state.folder.as_deref(), ..self.start() }
    }

    /// Returns the same where the line began.
    pub(crate) fn start(&self) -> Viewpoint<'_> {
        Viewpoint { folder: None, start: self.around.folder.as_deref(), home: self.around.home.as_deref() }
    }
}

impl<T: AsRef<str>> Place<T> {
    /// Says whether it is known by where it lies what it means to touch a place.
    pub(crate) fn matters(&self) -> bool {
        let text = self.text();
        let is_hidden = |part: &str| part.starts_with(['.', '_']) || part == "snap";
        let is_own = text.starts_with("/home/") || text.starts_with("/mnt/");
        self.is_home()
            || self.is_system() && !is_own
            || self.below_home().is_some_and(|mut parts| parts.next().is_some_and(is_hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_out_of_the_first_folder_is_what_it_comes_to() {
        let check = |folder: Option<&str>, text: &str, expected: &str| {
            let from = Viewpoint { folder, start: Some("/home/ana/w/x"), home: Some("/home/ana") };
            assert_eq!(from.seen(text, false).text, expected, "{text} from {folder:?}");
        };
        check(None, "../../.ssh", "~/.ssh");
        check(None, "../..", "~");
        check(None, "../../../bob/.ssh/config", "/home/bob/.ssh/config");
        check(None, "../../../../etc/shadow", "/etc/shadow");
        check(None, "..", "..");
        check(None, "../y/z", "../y/z");
        check(None, "y/../z", "z");
        check(Some("y"), "../../../.ssh", "~/.ssh");
        check(Some("../.."), ".", "~");
        check(Some("/srv"), "../.ssh", "/.ssh");
    }
}
