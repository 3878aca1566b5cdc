//! A person's own files about programs: `programs/*.toml` beside the configuration.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use aish_safety::ProgramText;
use aish_safety::policy::programs::{MAX_BYTES, MAX_FILES};

use super::Loaded;
use super::diagnostic::{About, Diagnostic, Severity};

/// Returns the folder of such files, beside a configuration file.
pub fn folder(config: &Path) -> Option<PathBuf> {
    Some(config.parent()?.join("programs"))
}

/// Reads the files of a folder that end in `.toml`, in the order of their names; none where there is no such folder.
///
/// # Errors
/// When the folder or one of the files cannot be read: what it says is not known then.
pub fn read(folder: &Path) -> Result<Vec<ProgramText>, Diagnostic> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(folder, &error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    // One more than there may be, so that what is left out is told.
    paths.truncate(MAX_FILES + 1);
    paths.iter().map(|path| read_one(path)).collect()
}

/// Reads one file about programs, no further than such a file may go.
///
/// # Errors
/// When it cannot be read.
pub fn read_one(path: &Path) -> Result<ProgramText, Diagnostic> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| unreadable(path, &error))?;
    Ok(ProgramText { path: path.display().to_string(), text: String::from_utf8_lossy(&bytes).into_owned() })
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        place: path.display().to_string(),
        position: None,
        about: About::Key("programs".to_owned()),
        message: format!("cannot be read: {error}"),
    }
}

impl Loaded {
    /// Adds what the files beside a configuration say of programs; what is wrong with them makes the policy unusable.
    #[must_use]
    pub fn with_programs(mut self, config: Option<&Path>) -> Self {
        let Some(folder) = config.and_then(folder) else { return self };
        if self.policy.broken.is_some() {
            return self;
        }
        let rules = std::mem::take(&mut self.policy.rules);
        let added = read(&folder).map_err(|fault| vec![fault]).and_then(|files| {
            rules.with_programs(&files).map_err(|errors| {
                errors.into_iter().map(|error| super::policy::fault(&error.place, error.message)).collect()
            })
        });
        match added {
            Ok(rules) => self.policy.rules = rules,
            Err(faults) => self.policy.break_with(faults, &mut self.diagnostics),
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use aish_safety::{Surroundings, Verdict, analyse};

    use super::*;
    use crate::config::load;

    fn loaded(files: &[(&str, &str)]) -> Loaded {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("programs");
        fs::create_dir(&folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
        load(None, &[], &[]).with_programs(Some(&home.path().join("config.toml")))
    }

    #[test]
    fn files_beside_the_configuration_raise_verdicts() {
        let text = "names = [\"deploytool\"]\n[[rule]]\nid = \"own.deploy\"\nhalt = \"publish\"\non = \"push\"\nreason = \"deploys {targets}\"\nmatch = [\"deploytool push web\"]\n";
        let loaded = loaded(&[("deploytool.toml", text), ("notes.txt", "no TOML")]);
        assert_eq!(loaded.policy.broken, None);
        let judgement = analyse("sudo deploytool push web", &Surroundings::default(), &loaded.policy.rules).judgement;
        assert_eq!((judgement.verdict, judgement.rule.as_str()), (Verdict::Halt, "policy.own.deploy"));
    }

    #[test]
    fn what_is_wrong_in_a_file_makes_the_policy_unusable_and_is_told_with_its_line() {
        for (text, line, message) in [
            (
                "names = [\"x\"]\n[[rule]]\nid = \"a.b\"\nallow = \"read\"\nreason = \"r\"\nmatch = [\"x\"]\n",
                3,
                "lets through",
            ),
            ("names = [\"x\"]\nharmless = true\n", 2, "`harmless` makes more harmless"),
            ("nmes = 5\n", 1, "unknown field"),
            (
                "names = [\"x\"]\nrule = [{ id = \"a.b\", ask = \"run\", on = \"%typo\", reason = \"r\", match = [\"x\"] }]\n",
                2,
                "`%typo` is no class",
            ),
            (
                "names = [\"x\"]\n[[rule]]\nid = \"a.b\"\nask = \"run\"\non = \"go\"\nreason = \"r\"\nmatch = [\"x stop\"]\n",
                3,
                "does not match its example",
            ),
        ] {
            let loaded = loaded(&[("x.toml", text)]);
            let broken = loaded.policy.broken.clone().unwrap_or_default();
            assert!(broken.contains(&format!("x.toml:{line}:")) && broken.contains(message), "{text}\n{broken}");
            assert!(loaded.policy.rules.is_empty());
            assert!(loaded.diagnostics.iter().any(|fault| fault.to_string().contains("everything is asked")));
        }
        assert_eq!(loaded(&[]).policy.broken, None);
    }
}
