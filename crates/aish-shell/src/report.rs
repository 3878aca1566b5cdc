//! What the hook reports at each prompt.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::declarations;

/// Makes a path of what a shell says.
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// The state of the shell at a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// The number of the last command that the hook has read; 0 before the first.
    pub(crate) number: u64,
    /// `$?`.
    pub(crate) status: i32,
    /// `$PWD`.
    pub(crate) cwd: PathBuf,
    /// Whether the shell says when a command begins to run: `PS0` came with bash 4.4.
    pub(crate) tells_start: bool,
    /// Whether commands can be handed over as an alias: the shell expands aliases, and its parser runs nothing between
    /// the lines of one, as that of bash 5.2 does.
    pub(crate) takes_alias: bool,
    /// Whether the shell reads lines with an editor of its own (`set -o vi`), which echoes what is typed.
    pub(crate) edits: bool,
    /// Whether the last command was put into the shell's history.
    pub(crate) kept: bool,
    /// How many jobs run or are stopped.
    pub(crate) jobs: usize,
    /// The names of all variables.
    pub(crate) variables: BTreeSet<String>,
    /// The exported variables.
    pub(crate) environment: BTreeMap<String, String>,
}

impl Report {
    /// Reads a report; `None` when it is no report.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut fields = text.splitn(9, '\0');
        let number = fields.next()?;
        let status = fields.next()?.parse().ok()?;
        // A path is bytes, and need not be text.
        fields.next()?;
        let cwd = path(bytes.split(|byte| *byte == 0).nth(2)?);
        let version = fields.next()?;
        let options = fields.next()?;
        let has = |name: &str| options.split(':').any(|option| option == name);
        let kept = fields.next()? == "1";
        let jobs = fields.next()?.lines().count();
        let variables = fields.next()?.lines().map(str::to_owned).collect();
        let environment = declarations::parse(fields.next()?);
        Some(Self {
            number: number.parse().unwrap_or_default(),
            status,
            cwd,
            tells_start: release(version) >= (4, 4),
            takes_alias: version.starts_with("5.2.") && has("expand_aliases"),
            edits: has("vi") || has("emacs"),
            kept,
            jobs,
            variables,
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

/// The first two numbers of `$BASH_VERSION`.
fn release(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_whose_name_is_no_text_is_that_folder() {
        let report = Report::parse(b"7\x000\0/a\xff\x005.2.15(1)-release\0vi\0\0\0\0").unwrap();
        assert_eq!(report.cwd.as_os_str().as_bytes(), b"/a\xff");
    }

    #[test]
    fn a_report_is_read_and_compared() {
        let before = Report::parse(
            b"\x000\0/tmp\x005.2.15(1)-release\0checkwinsize:expand_aliases\x001\x0017\n18\n\0A\nB\n\0declare -x A=\"1\"\ndeclare -x B=\"2\"\n",
        );
        let after = Report::parse(
            b"7\x00130\0/a b\x005.2.15(1)-release\0checkwinsize:vi\0\0\0\0declare -x A=\"1\"\ndeclare -x C=\"3\"\n",
        );
        let (before, after) = (before.unwrap(), after.unwrap());
        assert_eq!((before.number, after.number), (0, 7));
        assert_eq!((after.status, after.cwd.clone(), after.takes_alias), (130, "/a b".into(), false));
        assert!(!before.edits && after.edits);
        assert!(before.takes_alias && before.variables.contains("B"));
        assert_eq!((before.kept, before.jobs, after.kept, after.jobs), (true, 2, false, 0));
        assert_eq!(after.changed_since(&before), [("C".into(), Some("3".into())), ("B".into(), None)]);
        let older = Report::parse(b"\x000\0/\x005.1.4(1)-release\0expand_aliases\0\0\0\0").unwrap();
        assert!(!older.takes_alias && older.tells_start);
        let oldest = Report::parse(b"\x000\0/\x003.2.57(1)-release\0expand_aliases\0\0\0\0").unwrap();
        assert!(!oldest.tells_start);
        assert_eq!(Report::parse(b"junk"), None);
    }
}
