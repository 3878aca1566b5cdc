//! Our entries in a file that others write to as well: what they replaced comes back, and what is not ours stays.

use std::collections::BTreeSet;

use super::place::Program;
use super::{ServerEntry, Standing, bring_back, find, install, uninstall};
use crate::edit::{EditError, Edited};

/// What is known of a file that we wrote to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What it would be without our entries; none where there would be no file.
    pub before: Option<String>,
    /// What we wrote.
    pub after: String,
    /// The names of our entries.
    pub names: BTreeSet<String>,
}

/// What is to become of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The text; none where the file goes.
    pub text: Option<String>,
    /// What is to be known of it from then on; nothing where none of our entries is left.
    pub kept: Option<Kept>,
    /// The entry of somebody else that makes room or comes back, as its command line.
    pub other: Option<String>,
}

/// Why a file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstalledError {
    /// It cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The entry is not one of ours.
    #[error("its entry '{name}' ({shown}) is not one that was put in from here; take it out by hand")]
    NotOurs {
        /// The entry's name.
        name: String,
        /// Its command line.
        shown: String,
    },
}

/// A program's settings, and how an entry of ours is told where nothing is known of the file.
pub struct Settings<'a> {
    /// The program.
    pub program: Program,
    /// The text; none where there is no file.
    pub now: Option<&'a str>,
    /// What is known of it.
    pub kept: Option<&'a Kept>,
    /// Tells an entry of ours by its command and arguments.
    pub is_own: &'a dyn Fn(&str, &[String]) -> bool,
}

impl Settings<'_> {
    /// Puts an entry in; none where it is there already.
    ///
    /// # Errors
    /// When the text cannot be parsed, or is not of the program's shape.
    pub fn install(&self, entry: &ServerEntry) -> Result<Option<Change>, InstalledError> {
        let now = self.now.unwrap_or_default();
        let text = match install(now, self.program, entry)? {
            Edited::Same => return Ok(None),
            Edited::Text(text) | Edited::Empty(text) => text,
        };
        let before = self.before(Some(&entry.name))?;
        let other = find(now, self.program, &entry.name)?.filter(|standing| !self.is_ours(&entry.name, standing));
        let mut names = self.kept.map(|kept| kept.names.clone()).unwrap_or_default();
        names.insert(entry.name.clone());
        let kept = Kept { before, after: text.clone(), names };
        Ok(Some(Change { text: Some(text), kept: Some(kept), other: other.map(|standing| standing.shown()) }))
    }

    /// Takes an entry out, and puts back what it replaced; none where it is not there.
    ///
    /// # Errors
    /// As [`Settings::install`], and when the entry is somebody else's.
    pub fn uninstall(&self, name: &str) -> Result<Option<Change>, InstalledError> {
        let Some(now) = self.now else { return Ok(None) };
        let Some(standing) = find(now, self.program, name)? else { return Ok(None) };
        if !self.is_ours(name, &standing) {
            return Err(InstalledError::NotOurs { name: name.to_owned(), shown: standing.shown() });
        }
        let mut others = self.kept.map(|kept| kept.names.clone()).unwrap_or_default();
        others.retain(|own| own != name && self.holds(now, own));
        let earlier = self.kept.and_then(|kept| kept.before.as_deref());
        let other = earlier.and_then(|before| find(before, self.program, name).ok().flatten());
        let other = other.map(|standing| standing.shown());
        if others.is_empty() {
            return Ok(Some(Change { text: self.before(Some(name))?, kept: None, other }));
        }
        let before = self.before(Some(name))?;
        let text = text_of(self.without(now, name)?, now);
        Ok(Some(Change { kept: Some(Kept { before, after: text.clone(), names: others }), text: Some(text), other }))
    }

    /// Says whether a text has an entry of ours.
    fn holds(&self, text: &str, name: &str) -> bool {
        find(text, self.program, name).ok().flatten().is_some_and(|standing| self.is_ours(name, &standing))
    }

    /// Says whether an entry is ours: as we wrote it, or told by its command.
    fn is_ours(&self, name: &str, standing: &Standing) -> bool {
        let written = self.kept.filter(|kept| kept.names.contains(name));
        let written = written.and_then(|kept| find(&kept.after, self.program, name).ok().flatten());
        written.is_some_and(|written| written == *standing)
            || standing.command.as_deref().is_some_and(|command| (self.is_own)(command, &standing.arguments))
    }

    /// Returns what the file would be without our entries, `name` among them; none where there would be none.
    fn before(&self, name: Option<&str>) -> Result<Option<String>, InstalledError> {
        let Some(now) = self.now else { return Ok(None) };
        if let Some(kept) = self.kept.filter(|kept| kept.after == now) {
            return Ok(kept.before.clone());
        }
        let own = self.kept.into_iter().flat_map(|kept| kept.names.iter().map(String::as_str));
        let names: BTreeSet<&str> = own.chain(name).collect();
        let mut rest = now.to_owned();
        let mut is_empty = false;
        for name in names {
            if self.holds(&rest, name) {
                let edited = self.without(&rest, name)?;
                is_empty = matches!(edited, Edited::Empty(_));
                rest = text_of(edited, &rest);
            }
        }
        let was_made = self.kept.is_some_and(|kept| kept.before.is_none());
        Ok((!is_empty || !was_made).then_some(rest))
    }

    /// Takes an entry out of a text, or puts the one in its place that it replaced.
    fn without(&self, text: &str, name: &str) -> Result<Edited, InstalledError> {
        let earlier = self.kept.and_then(|kept| kept.before.as_deref());
        Ok(match earlier {
            Some(before) if find(before, self.program, name).is_ok_and(|standing| standing.is_some()) => {
                bring_back(text, self.program, name, before)?
            }
            _ => uninstall(text, self.program, name)?,
        })
    }
}

fn text_of(edited: Edited, old: &str) -> String {
    match edited {
        Edited::Same => old.to_owned(),
        Edited::Text(text) | Edited::Empty(text) => text,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A file and what is known of it, as a caller holds them.
    struct Held {
        program: Program,
        text: Option<String>,
        kept: Option<Kept>,
    }

    impl Held {
        fn settings(&self) -> Settings<'_> {
            let is_own = &|command: &str, arguments: &[String]| command == "/bin/us" && arguments == ["run"];
            Settings { program: self.program, now: self.text.as_deref(), kept: self.kept.as_ref(), is_own }
        }

        fn take(&mut self, change: Option<Change>) -> Option<String> {
            let change = change.unwrap();
            (self.text, self.kept) = (change.text, change.kept);
            change.other
        }

        fn put(&mut self, name: &str, word: &str) -> Option<String> {
            let entry = ServerEntry::new(name, Path::new("/bin/us"), vec!["run".into(), word.into()]);
            self.take(self.settings().install(&entry).unwrap())
        }

        fn out(&mut self, name: &str) -> Option<String> {
            self.take(self.settings().uninstall(name).unwrap())
        }
    }

    const JSON: &str =
        "{\"a\":1, \"mcpServers\": {\"x\": {\"command\":\"theirs\",\"args\":[\"-p\"],\"env\":{\"T\":\"t\"}}}}";
    const TOML: &str = "a = 1 # one\n\n[mcp_servers.x]\ncommand = \"theirs\" # mine\nargs = [\"-p\"]\n[mcp_servers.x.env]\nT = \"t\"\n";

    #[test]
    fn an_entry_of_others_comes_back_byte_by_byte() {
        for (program, text) in [(Program::Cursor, JSON), (Program::Codex, TOML)] {
            let mut held = Held { program, text: Some(text.into()), kept: None };
            assert_eq!(held.put("x", "git").as_deref(), Some("theirs -p"));
            assert_eq!(held.put("x", "docker"), None, "that one is ours");
            assert!(!held.text.as_ref().unwrap().contains("theirs"));
            assert_eq!(held.out("x").as_deref(), Some("theirs -p"));
            assert_eq!((held.text.as_deref(), held.kept), (Some(text), None));
        }
    }

    #[test]
    fn it_comes_back_into_a_file_that_was_changed_meanwhile() {
        for (program, text, change) in
            [(Program::Cursor, JSON, ("\"a\":1", "\"a\":2")), (Program::Codex, TOML, ("a = 1", "a = 2"))]
        {
            let mut held = Held { program, text: Some(text.into()), kept: None };
            held.put("x", "git");
            held.text = held.text.map(|text| text.replace(change.0, change.1));
            held.put("x", "docker");
            held.text = held.text.map(|text| format!("{text}\n"));
            held.out("x");
            let rest = held.text.unwrap();
            assert!(rest.contains(change.1) && rest.contains("theirs") && !rest.contains("/bin/us"), "{rest}");
            assert_eq!(find(&rest, program, "x").unwrap(), find(text, program, "x").unwrap(), "{rest}");
        }
    }

    #[test]
    fn what_is_not_ours_is_not_taken_out() {
        for (program, text) in [(Program::Cursor, JSON), (Program::Codex, TOML)] {
            let held = Held { program, text: Some(text.into()), kept: None };
            let refused = held.settings().uninstall("x");
            assert!(matches!(refused, Err(InstalledError::NotOurs { .. })), "{refused:?}");
            // Nor where somebody put theirs in the place of ours.
            let mut held = Held { program, text: None, kept: None };
            held.put("x", "git");
            held.text = Some(text.into());
            assert!(held.settings().uninstall("x").is_err());
            assert_eq!(held.put("x", "git").as_deref(), Some("theirs -p"));
            held.out("x");
            assert_eq!(held.text.as_deref(), Some(text));
        }
    }

    #[test]
    fn two_of_ours_go_one_by_one_and_a_file_that_was_made_goes_with_the_last() {
        for (program, text) in [
            (Program::Cursor, None),
            (Program::Codex, None),
            (Program::Cursor, Some("{\"a\":1}")),
            (Program::Codex, Some("a=1")),
        ] {
            for order in [["x", "y"], ["y", "x"]] {
                let mut held = Held { program, text: text.map(String::from), kept: None };
                held.put("x", "git");
                held.put("y", "docker");
                for name in order {
                    assert!(held.text.as_ref().unwrap().contains("/bin/us"));
                    held.out(name);
                }
                assert_eq!((held.text.as_deref(), held.kept), (text, None), "{program:?}");
            }
        }
    }

    #[test]
    fn ours_is_told_where_nothing_is_known() {
        let mut held = Held { program: Program::Cursor, text: None, kept: None };
        let entry = ServerEntry::new("x", Path::new("/bin/us"), vec!["run".into()]);
        held.take(held.settings().install(&entry).unwrap());
        held.kept = None;
        held.out("x");
        assert_eq!(held.text.as_deref(), Some("{}\n"));
        assert_eq!(held.settings().uninstall("x").unwrap(), None);
    }
}
