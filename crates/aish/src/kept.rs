//! Approvals for good, in a file: projects to the texts that were approved there.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use aish_journal::{ReplaceError, hold, replace};
use aish_safety::KeptApprovals;

use crate::base::Base;
use crate::project::project_root;

/// The approvals of one project in the file of all.
#[derive(Debug)]
pub struct KeptFile {
    path: PathBuf,
    project: String,
}

/// Why approvals cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The file cannot be read, or is not what was written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says, or what is wrong in the file.
        #[source]
        source: io::Error,
    },
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] ReplaceError),
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
    /// When the file is there and cannot be read.
    pub fn texts(&self) -> Result<Vec<String>, KeptError> {
        Ok(self.read()?.remove(&self.project).unwrap_or_default())
    }

    /// Reads the file; a file that is there and cannot be read approves nothing and is never replaced.
    fn read(&self) -> Result<Content, KeptError> {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| self.fault(error.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Content::new()),
            Err(error) => Err(self.fault(error)),
        }
    }

    fn add(&self, text: &str) -> Result<(), KeptError> {
        let _held = hold(&self.path).map_err(|error| self.fault(error))?;
        let mut content = self.read()?;
        let texts = content.entry(self.project.clone()).or_default();
        if texts.iter().all(|known| known != text) {
            texts.push(text.to_owned());
        }
        let json = serde_json::to_string_pretty(&content).map_err(|error| self.fault(error.into()))?;
        Ok(replace(&self.path, json.as_bytes())?)
    }

    /// Takes an approval back; says whether there was one.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn remove(&self, text: &str) -> Result<bool, KeptError> {
        let _held = hold(&self.path).map_err(|error| self.fault(error))?;
        let mut content = self.read()?;
        let Some(texts) = content.get_mut(&self.project) else { return Ok(false) };
        let before = texts.len();
        texts.retain(|known| known != text);
        if texts.len() == before {
            return Ok(false);
        }
        let json = serde_json::to_string_pretty(&content).map_err(|error| self.fault(error.into()))?;
        replace(&self.path, json.as_bytes())?;
        Ok(true)
    }

    fn fault(&self, source: io::Error) -> KeptError {
        KeptError::File { path: self.path.clone(), source }
    }
}

impl KeptApprovals for KeptFile {
    fn any(&self, condition: &dyn Fn(&str) -> bool) -> bool {
        self.read().is_ok_and(|content| {
            content.get(&self.project).is_some_and(|texts| texts.iter().any(|text| condition(text)))
        })
    }

    fn keep(&self, text: &str) -> Result<(), String> {
        self.add(text).map_err(|error| crate::failure::chain(&error))
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
