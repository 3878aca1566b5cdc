//! Where the embedded model's executable is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The executable's file name.
pub const NAME: &str = "aish-model";

/// Where to look, in this order; the caller reads it from its surroundings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The folder of the running executable.
    pub beside: Option<PathBuf>,
    /// The value of `AISH_MODEL_EXE`: a path.
    pub named: Option<PathBuf>,
    /// The value of `PATH`.
    pub path: Option<OsString>,
}

/// There is no executable for the embedded model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the embedded model's program, {NAME}, is not here (looked in {looked}); build it with ./run, or name it in AISH_MODEL_EXE"
)]
pub struct NoExecutable {
    /// The places, separated by commas.
    pub looked: String,
}

impl Search {
    /// Finds the executable.
    ///
    /// # Errors
    /// When it is in none of the places; the message names them.
    pub fn find(&self) -> Result<PathBuf, NoExecutable> {
        let mut candidates: Vec<PathBuf> = self.beside.iter().map(|folder| folder.join(NAME)).collect();
        candidates.extend(self.named.clone());
        if let Some(path) = &self.path {
            candidates.extend(
                std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(NAME)),
            );
        }
        match candidates.iter().find(|candidate| is_executable(candidate)) {
            Some(found) => Ok(found.clone()),
            None => {
                let mut looked: Vec<String> =
                    self.beside.iter().chain(&self.named).map(|place| place.display().to_string()).collect();
                looked.push("PATH".into());
                Err(NoExecutable { looked: looked.join(", ") })
            }
        }
    }
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn program(file: &Path, mode: u32) {
        std::fs::write(file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn beside_comes_before_the_name_and_the_path() {
        let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
        let [beside, named, path] = [0, 1, 2].map(|index| folders[index].path().join(NAME));
        for file in [&beside, &named, &path] {
            program(file, 0o755);
        }
        let mut search = Search {
            beside: Some(folders[0].path().into()),
            named: Some(named.clone()),
            path: Some(format!("relative:{}", folders[2].path().display()).into()),
        };
        assert_eq!(search.find(), Ok(beside.clone()));
        program(&beside, 0o644);
        assert_eq!(search.find(), Ok(named), "what cannot be executed is not it");
        search.named = None;
        assert_eq!(search.find(), Ok(path));
        search.path = None;
        assert!(search.find().unwrap_err().to_string().contains("AISH_MODEL_EXE"));
    }
}
