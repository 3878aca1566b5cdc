//! The names that the live shell knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::alias;
use crate::told::Told;

/// The names that the live shell knows, its folder and its environment, at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Aliases and what they stand for.
    pub aliases: BTreeMap<String, String>,
    /// Functions.
    pub functions: BTreeSet<String>,
    /// Built-in commands that are enabled.
    pub builtins: BTreeSet<String>,
    /// Reserved words.
    pub keywords: BTreeSet<String>,
    /// Names of all variables.
    pub variables: BTreeSet<String>,
    /// Exported variables.
    pub environment: BTreeMap<String, String>,
    /// The values of the variables that [`Options::wanted`](crate::Options::wanted) names, exported or not.
    pub told: Told,
    /// Whether a trap of the person's does something at SIGINT.
    pub traps_interrupt: bool,
    /// The shell's folder.
    pub cwd: PathBuf,
    /// `$?` of the last command.
    pub status: i32,
}

impl Snapshot {
    /// How the shell is asked: what it reads through a pipe, it reads byte by byte, so the script waits in a file.
    pub(crate) const QUERY: &str = r#"\builtin . "$__aish_folder/names""#;

    /// What the shell is asked: the lines that define the aliases, then the other names, each list ended by an empty field.
    /// Each look into `BASH_ALIASES` costs as much as there are. The variables stand in the report of the prompt: bash compares
    /// each with all before it to list them.
    pub(crate) const SCRIPT: &str = r#"
\builtin alias -p
\builtin printf '\0'
\builtin compgen -A function
\builtin printf '\0'
\builtin compgen -A enabled
\builtin printf '\0'
\builtin compgen -A keyword
\builtin printf '\0'
\builtin trap -p INT
"#;

    /// Reads the answer to [`Snapshot::SCRIPT`].
    pub(crate) fn read(answer: &[u8]) -> Self {
        let text = String::from_utf8_lossy(answer);
        let mut fields = text.split('\0');
        let aliases = alias::read(fields.next().unwrap_or_default());
        let aliases = aliases.into_iter().map(|alias| (alias.name.to_owned(), alias.value)).collect();
        let mut names = || -> BTreeSet<String> {
            let list = fields.next().unwrap_or_default().lines();
            list.filter(|name| !name.is_empty() && !name.starts_with("__aish_")).map(str::to_owned).collect()
        };
        let functions = names();
        let builtins = names();
        let keywords = names();
        let trap = fields.next().unwrap_or_default().trim();
        let traps_interrupt = !trap.is_empty() && !trap.starts_with("trap -- '' ");
        Self { aliases, functions, builtins, keywords, traps_interrupt, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let snapshot = Snapshot::read(b"alias e=''\nalias ll='ls -l'\n\0__aish_hook\nf\n\0cd\n\0if\n\0");
        assert_eq!(snapshot.aliases, [("ll".into(), "ls -l".into()), ("e".into(), String::new())].into());
        assert_eq!(snapshot.functions, ["f".into()].into());
        assert_eq!((snapshot.builtins, snapshot.keywords), (["cd".into()].into(), ["if".into()].into()));
        for (trap, expected) in [("", false), ("trap -- '' SIGINT\n", false), ("trap -- 'echo x' SIGINT\n", true)] {
            assert_eq!(Snapshot::read(format!("\0\0\0\0{trap}").as_bytes()).traps_interrupt, expected, "{trap}");
        }
    }
}
