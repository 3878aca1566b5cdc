//! Approvals for good, in a file: projects to the texts that were approved there.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;

use aish_journal::{hold, replace};
use aish_safety::KeptApprovals;

use crate::base::Base;
use crate::project::project_root;

/// The approvals of one project in the file of all.
#[derive(Debug)]
pub struct KeptFile {
    path: PathBuf,
    project: String,
}

type Content = BTreeMap<String, Vec<String>>;

impl KeptFile {
    /// Returns the approvals of the project that the working folder is in.
    pub fn of(base: &Base) -> Self {
        let project = project_root(&base.folder).unwrap_or(&base.folder).display().to_string();
        Self::new(base.in_state("approvals.json"), project)
    }

    /// Names the file and the project; the file is made at the first approval.
    pub fn new(path: PathBuf, project: String) -> Self {
        Self { path, project }
    }

    /// Returns what was approved for good in this project.
    ///
    /// # Errors
    /// In words, when the file is there and cannot be read.
    pub fn texts(&self) -> Result<Vec<String>, String> {
        Ok(self.read()?.remove(&self.project).unwrap_or_default())
    }

    /// Reads the file; a file that is there and cannot be read approves nothing and is never replaced.
    fn read(&self) -> Result<Content, String> {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{}: {error}", self.path.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Content::new()),
            Err(error) => Err(format!("{}: {error}", self.path.display())),
        }
    }
}

impl KeptApprovals for KeptFile {
    fn any(&self, condition: &dyn Fn(&str) -> bool) -> bool {
        self.read().is_ok_and(|content| {
            content.get(&self.project).is_some_and(|texts| texts.iter().any(|text| condition(text)))
        })
    }

    fn keep(&self, text: &str) -> Result<(), String> {
        let _held = hold(&self.path).map_err(|error| format!("{}: {error}", self.path.display()))?;
        let mut content = self.read()?;
        let texts = content.entry(self.project.clone()).or_default();
        if texts.iter().all(|known| known != text) {
            texts.push(text.to_owned());
        }
        let json = serde_json::to_string_pretty(&content).map_err(|error| error.to_string())?;
        replace(&self.path, json.as_bytes()).map_err(|error| crate::failure::chain(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvals_that_are_kept_at_once_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("approvals.json");
        std::thread::scope(|scope| {
            for session in 0..8 {
                let kept = KeptFile::new(path.clone(), format!("/{}", session % 2));
                scope.spawn(move || (0..10).for_each(|at| kept.keep(&format!("make {session}-{at}")).unwrap()));
            }
        });
        let count = |project: &str| KeptFile::new(path.clone(), project.into()).texts().unwrap().len();
        assert_eq!([count("/0"), count("/1")], [40, 40]);
    }

    #[test]
    fn an_approval_holds_in_its_project_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("approvals.json");
        let kept = KeptFile::new(path.clone(), "/a".into());
        assert!(!kept.any(&|_| true));
        kept.keep("ls -la").unwrap();
        kept.keep("ls -la").unwrap();
        assert!(kept.any(&|text| text == "ls -la"));
        assert!(!KeptFile::new(path.clone(), "/b".into()).any(&|_| true));
        std::fs::write(&path, "not json").unwrap();
        assert!(!kept.any(&|_| true));
        assert!(kept.keep("x").is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "not json");
    }
}
