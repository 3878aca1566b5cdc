//! What a project brings along: instructions for the model and settings, each file used only while a person trusts it.
//!
//! Order: the folders from the git root down to the working folder (without a repository that folder alone), in each
//! the settings file and the instruction files, each with its hash compared with the one that was trusted. A file that
//! is new, has changed or leads out of the project says nothing to anybody.

pub mod file;
pub mod instructions;

use std::path::{Path, PathBuf};

use aish_journal::{TrustError, TrustFile};

pub use file::{Kind, ProjectFile, Standing};

/// The name of the settings file.
pub const SETTINGS: &str = ".aish.toml";

/// Folders of prompts.
const PROMPTS: &[&str] = &[".claude/commands", ".aish/prompts"];

/// Folders of skills, each a folder of its own.
const SKILLS: &[&str] = &[".claude/skills", ".agents/skills", ".aish/skills"];

/// The most prompts or skills of one folder.
const MOST_PROMPTS: usize = 200;

/// The most files that a notice names.
const NAMED: usize = 5;

/// The files of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// Its root: the git root, else the folder itself.
    pub root: PathBuf,
    /// Its files, from the root down.
    pub files: Vec<ProjectFile>,
}

impl Project {
    /// Reads the files of the project that a folder lies in. `instructions` names instruction files, relative to each
    /// folder.
    pub fn read(folder: &Path, instructions: &[String], trust: &TrustFile) -> Self {
        let root = project_root(folder).unwrap_or(folder).to_owned();
        let Ok(real_root) = root.canonicalize() else { return Self { root, files: Vec::new() } };
        let Ok(real_folder) = folder.canonicalize() else { return Self { root, files: Vec::new() } };
        let mut folders: Vec<&Path> =
            real_folder.ancestors().take_while(|ancestor| ancestor.starts_with(&real_root)).collect();
        folders.reverse();
        let mut files = Vec::new();
        for folder in folders {
            let names = instructions.iter().map(|name| (name.as_str(), Kind::Instructions));
            for (name, kind) in std::iter::once((SETTINGS, Kind::Settings)).chain(names) {
                files.extend(ProjectFile::read(&real_root, folder, name, kind, trust));
            }
            for (name, kind) in prompts(folder) {
                files.extend(ProjectFile::read(&real_root, folder, &name, kind, trust));
            }
        }
        Self { root: real_root, files }
    }

    /// Returns the settings files that are trusted, from the root down.
    pub fn settings(&self) -> impl Iterator<Item = &ProjectFile> {
        self.files.iter().filter(|file| file.kind == Kind::Settings && file.standing == Standing::Trusted)
    }

    /// Returns the files that a person has not trusted as they are.
    pub fn waiting(&self) -> impl Iterator<Item = &ProjectFile> {
        self.files.iter().filter(|file| matches!(file.standing, Standing::New | Standing::Changed))
    }

    /// Trusts what is waiting, as it was read.
    ///
    /// # Errors
    /// When the list of trusted files cannot be read or written.
    pub fn trust(&self, trust: &TrustFile) -> Result<(), TrustError> {
        trust.trust(self.waiting().map(|file| (file.path.as_path(), file.hash.as_str())))
    }

    /// Says in one line what is not used until it is trusted; none when nothing waits.
    pub fn notice(&self) -> Option<String> {
        let named = |standing: &Standing| -> Vec<String> {
            let files = || self.files.iter().filter(|file| file.standing == *standing);
            let mut names: Vec<String> = files().take(NAMED).map(|file| file.name.clone()).collect();
            let more = files().count().saturating_sub(NAMED);
            names.extend((more > 0).then(|| format!("and {more} more")));
            names
        };
        let (new, changed) = (named(&Standing::New), named(&Standing::Changed));
        let mut parts = Vec::new();
        if !new.is_empty() {
            parts.push(format!("{} of this project: not used until you trust them", new.join(", ")));
        }
        if !changed.is_empty() {
            parts.push(format!("{}: changed since you trusted them, and not used", changed.join(", ")));
        }
        (!parts.is_empty()).then(|| format!("{} (`:project` shows them, `:project trust`)", parts.join("; ")))
    }
}

/// Lists the prompts and skills that a folder brings, by their paths below it.
fn prompts(folder: &Path) -> Vec<(String, Kind)> {
    let below = |name: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder.join(name)).into_iter().flatten().flatten().take(MOST_PROMPTS);
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names.into_iter().map(|file| format!("{name}/{file}")).collect()
    };
    let prompts = PROMPTS.iter().flat_map(|name| below(name)).filter(|file| file.ends_with(".md"));
    let skills = SKILLS.iter().flat_map(|name| below(name)).map(|folder| format!("{folder}/SKILL.md"));
    prompts.map(|file| (file, Kind::Prompt)).chain(skills.map(|file| (file, Kind::Skill))).collect()
}

/// Returns the git root above a folder.
pub fn project_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| ancestor.join(".git").exists())
}

#[cfg(test)]
mod tests;
