//! What the hook reports at each prompt.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::declarations;

/// The state of the shell at a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// `$?`.
    pub(crate) status: i32,
    /// `$PWD`.
    pub(crate) cwd: PathBuf,
    /// Whether the shell expands aliases.
    pub(crate) expands_aliases: bool,
    /// The exported variables.
    pub(crate) environment: BTreeMap<String, String>,
}

impl Report {
    /// Reads a report; `None` when it is no report.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut fields = text.splitn(5, '\0');
        let status = fields.next()?.parse().ok()?;
        let cwd = PathBuf::from(fields.next()?);
        let _flags = fields.next()?;
        let options = fields.next()?;
        let environment = declarations::parse(fields.next()?);
        Some(Self {
            status,
            cwd,
            expands_aliases: options.split(':').any(|option| option == "expand_aliases"),
            environment,
        })
    }

    /// Lists what differs in the environment from an earlier report.
    pub(crate) fn changed_since(&self, earlier: &Self) -> Vec<(String, Option<String>)> {
        // `_` changes with every command and is the shell's own.
        let set = self.environment.iter().filter(|(name, value)| earlier.environment.get(*name) != Some(value));
        let set = set.map(|(name, value)| (name.clone(), Some(value.clone())));
        let gone = earlier.environment.keys().filter(|name| !self.environment.contains_key(*name));
        let gone = gone.map(|name| (name.clone(), None));
        set.chain(gone).filter(|(name, _)| name != "_").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_and_compared() {
        let before =
            Report::parse(b"0\0/tmp\0himBHs\0checkwinsize:expand_aliases\0declare -x A=\"1\"\ndeclare -x B=\"2\"\n");
        let after = Report::parse(b"130\0/a b\0himBHs\0checkwinsize\0declare -x A=\"1\"\ndeclare -x C=\"3\"\n");
        let (before, after) = (before.unwrap(), after.unwrap());
        assert_eq!((after.status, after.cwd.clone(), after.expands_aliases), (130, "/a b".into(), false));
        assert!(before.expands_aliases);
        assert_eq!(after.changed_since(&before), [("C".into(), Some("3".into())), ("B".into(), None)]);
        assert_eq!(Report::parse(b"junk"), None);
    }
}
