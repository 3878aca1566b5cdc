//! The models' files on this machine: one folder, one file a model, and which of them is in use.

use std::io;
use std::path::{Path, PathBuf};
use std::{fs, process};

use crate::gguf::{self, NoGguf};

/// Files under this size are small models: they get short instructions and answer short.
///
/// 800 MB is about a thousand million parameters at four to six bits.
const SMALL_BYTES: u64 = 800_000_000;

/// The file that names the model in use.
const CURRENT: &str = "current";

/// How the files of models end that answer, and of those that rank texts by what they mean.
const ANSWERS: &str = ".gguf";
const RANKS: &str = ".embedding";

/// One model's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    /// Its name: the file's without its ending.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

impl ModelFile {
    /// Returns whether the model answers; one that ranks texts does not.
    pub fn answers(&self) -> bool {
        self.path.extension().is_some_and(|ending| ANSWERS.strip_prefix('.').is_some_and(|answers| ending == answers))
    }

    /// Returns whether the model is small: it then wants [`crate::SMALL_PROMPT`] for its instructions.
    pub fn is_small(&self) -> bool {
        self.bytes < SMALL_BYTES
    }
}

/// Why the models' folder could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or a file in it cannot be read or written.
    #[error("{path} cannot be used")]
    Unusable {
        /// The file or folder.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// There is no model of that name.
    #[error("there is no model {name} here; {}", listed(.known))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The model ranks texts and answers nothing.
    #[error("{0} ranks what is searched by its meaning; it cannot answer")]
    Silent(String),
    /// A name that is no file name.
    #[error("a model cannot be called {0:?}: letters, digits, dot, dash and underscore only")]
    BadName(String),
    /// The file is no model.
    #[error(transparent)]
    NoGguf(#[from] NoGguf),
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "there is none yet".into() } else { format!("there is {}", names.join(", ")) }
}

/// The models' folder.
#[derive(Debug, Clone)]
pub struct Models {
    folder: PathBuf,
}

impl Models {
    /// Stands on a data folder (`$XDG_DATA_HOME/aish`); the models are in its `models`, which is made when needed.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("models") }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Lists the models that answer, by name. No folder means no models.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub fn list(&self) -> Result<Vec<ModelFile>, StoreError> {
        self.list_ending(ANSWERS)
    }

    /// Lists the models that rank texts by what they mean and answer nothing, by name.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub fn sentences(&self) -> Result<Vec<ModelFile>, StoreError> {
        self.list_ending(RANKS)
    }

    fn list_ending(&self, ending: &str) -> Result<Vec<ModelFile>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(self.unusable(&self.folder, source)),
        };
        let mut models = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(ending)) else { continue };
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if metadata.is_file() && is_name(name) {
                models.push(ModelFile { name: name.into(), bytes: metadata.len(), path: path.clone() });
            }
        }
        models.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(models)
    }

    /// Returns the model in use: the chosen one, or the first where none was chosen or the chosen one is gone.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub fn current(&self) -> Result<Option<ModelFile>, StoreError> {
        let models = self.list()?;
        let chosen = fs::read_to_string(self.folder.join(CURRENT)).unwrap_or_default();
        let found = models.iter().find(|model| model.name == chosen.trim()).or(models.first());
        Ok(found.cloned())
    }

    /// Finds a model by name.
    ///
    /// # Errors
    /// When there is none of that name, with the names that there are.
    pub fn find(&self, name: &str) -> Result<ModelFile, StoreError> {
        let mut models = self.list()?;
        models.extend(self.sentences()?);
        match models.iter().position(|model| model.name == name) {
            Some(index) => Ok(models.swap_remove(index)),
            None => {
                let known = models.into_iter().map(|model| model.name).collect();
                Err(StoreError::Unknown { name: name.into(), known })
            }
        }
    }

    /// Chooses the model in use.
    ///
    /// # Errors
    /// When there is none of that name, or the choice cannot be written.
    pub fn select(&self, name: &str) -> Result<ModelFile, StoreError> {
        let model = self.find(name)?;
        if !model.answers() {
            return Err(StoreError::Silent(model.name));
        }
        let file = self.folder.join(CURRENT);
        let beside = self.beside(CURRENT);
        fs::write(&beside, format!("{name}\n"))
            .and_then(|()| fs::rename(&beside, &file))
            .map_err(|source| self.unusable(&file, source))?;
        Ok(model)
    }

    /// Deletes a model; where it was the chosen one, none is chosen any more.
    ///
    /// # Errors
    /// When there is none of that name, or its file cannot be deleted.
    pub fn remove(&self, name: &str) -> Result<ModelFile, StoreError> {
        let model = self.find(name)?;
        fs::remove_file(&model.path).map_err(|source| self.unusable(&model.path, source))?;
        let current = self.folder.join(CURRENT);
        if fs::read_to_string(&current).unwrap_or_default().trim() == name {
            fs::remove_file(&current).map_err(|source| self.unusable(&current, source))?;
        }
        Ok(model)
    }

    /// Takes any GGUF file in under a name (its own when none is given): linked where that is possible, else copied.
    ///
    /// # Errors
    /// When the file is no GGUF, the name is none, or the folder cannot be written.
    pub fn add(&self, file: &Path, name: Option<&str>) -> Result<ModelFile, StoreError> {
        gguf::check(file)?;
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.unwrap_or(&stem);
        self.make_folder()?;
        let target = self.path_of(name)?;
        let beside = self.beside(name);
        let unusable = |source| self.unusable(&target, source);
        let _ = fs::remove_file(&beside);
        // A hard link costs nothing and outlives the original; across file systems the bytes must be copied.
        let original = fs::canonicalize(file).map_err(unusable)?;
        if fs::hard_link(&original, &beside).is_err() {
            fs::copy(&original, &beside).map_err(unusable)?;
        }
        fs::rename(&beside, &target).map_err(unusable)?;
        self.find(name)
    }

    /// Returns where a model of a name is or would be.
    pub(crate) fn path_of(&self, name: &str) -> Result<PathBuf, StoreError> {
        if is_name(name) {
            Ok(self.folder.join(format!("{name}{ANSWERS}")))
        } else {
            Err(StoreError::BadName(name.into()))
        }
    }

    /// Returns where a model that ranks is or would be.
    pub(crate) fn sentences_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{RANKS}"))
    }

    pub(crate) fn make_folder(&self) -> Result<(), StoreError> {
        fs::create_dir_all(&self.folder).map_err(|source| self.unusable(&self.folder, source))
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.folder.join(format!(".{name}.{}", process::id()))
    }

    fn unusable(&self, path: &Path, source: io::Error) -> StoreError {
        StoreError::Unusable { path: path.display().to_string(), source }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 120
        && !name.starts_with('.')
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '.' | '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gguf(folder: &Path, name: &str) -> PathBuf {
        let file = folder.join(name);
        fs::write(&file, b"GGUF\x03\0\0\0").unwrap();
        file
    }

    #[test]
    fn models_are_added_listed_and_chosen() {
        let data = tempfile::tempdir().unwrap();
        let models = Models::new(&data.path().join("deep/aish"));
        assert_eq!(models.current().unwrap(), None);
        let file = gguf(data.path(), "Big-7B.Q4.gguf");
        assert_eq!(models.add(&file, None).unwrap().name, "Big-7B.Q4");
        models.add(&file, Some("another")).unwrap();
        let names: Vec<String> = models.list().unwrap().into_iter().map(|model| model.name).collect();
        assert_eq!(names, ["Big-7B.Q4", "another"]);
        assert_eq!(models.current().unwrap().unwrap().name, "Big-7B.Q4");
        models.select("another").unwrap();
        assert_eq!(models.current().unwrap().unwrap().name, "another");
        assert!(models.remove("none").is_err());
        models.remove("another").unwrap();
        assert!(!models.folder().join(CURRENT).exists());
        assert_eq!(models.current().unwrap().unwrap().name, "Big-7B.Q4");
        fs::remove_file(&file).unwrap();
        assert_eq!(models.list().unwrap()[0].bytes, 8, "the original may go");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let data = tempfile::tempdir().unwrap();
        let models = Models::new(data.path());
        let message = |error: StoreError| error.to_string();
        assert_eq!(message(models.select("x").unwrap_err()), "there is no model x here; there is none yet");
        let file = gguf(data.path(), "a.gguf");
        assert!(message(models.add(&file, Some("../evil")).unwrap_err()).contains("cannot be called"));
        models.add(&file, None).unwrap();
        assert_eq!(message(models.find("b").unwrap_err()), "there is no model b here; there is a");
        fs::write(&file, "no").unwrap();
        assert!(message(models.add(&file, None).unwrap_err()).contains("no GGUF file"));
    }
}
