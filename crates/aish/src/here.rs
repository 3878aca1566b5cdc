//! Where the person is, in one line for the model: system, shell, terminal, day, folder, branch.
//!
//! The line stays the same, byte for byte, until the folder or the branch changes, so that a server's prompt cache holds.
//! Nothing is run for it: a repository may name programs that git would start.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::base::Base;
use crate::prompt;

/// The most bytes of a file that is read for it.
const MOST: u64 = 4_096;

/// What the line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Here {
    /// Distribution, shell, terminal and day, which stay.
    fixed: String,
    /// The folder, and the branch in it.
    place: String,
}

impl Here {
    /// Looks around at the start.
    pub fn of(base: &Base) -> Self {
        let system = fs::read_to_string("/etc/os-release").ok().and_then(|text| distribution(&text));
        let system = system.unwrap_or_else(|| std::env::consts::OS.to_owned());
        let day = jiff::Timestamp::from_millisecond(base.clock.millis()).unwrap_or_default();
        let day = day.to_zoned(crate::zone::local()).strftime("%A %Y-%m-%d").to_string();
        let width = aish_term::capability::terminal_size().map(|(width, _)| format!(", {width} columns"));
        let width = width.unwrap_or_default();
        let mut here = Self { fixed: format!("{system}{width}, {day}"), place: String::new() };
        here.goes_to(&base.folder, base.paths.home.as_deref());
        here
    }

    /// Looks at the folder that the person is in now; says whether the line is another one.
    pub fn goes_to(&mut self, folder: &Path, home: Option<&Path>) -> bool {
        let shown = match home.and_then(|home| folder.strip_prefix(home).ok()) {
            Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
            Some(below) => format!("~/{}", below.display()),
            None => folder.display().to_string(),
        };
        let git = prompt::branch(folder);
        let branch = git.filter(|branch| !branch.is_empty()).map(|branch| format!(" (git: {branch}{})", doing(folder)));
        let place = format!("{shown}{}", branch.unwrap_or_default());
        let place: String = aish_types::sanitize(&place).replace('\n', " ").chars().take(400).collect();
        let is_other = place != self.place;
        self.place = place;
        is_other
    }

    /// Returns the line.
    pub fn line(&self) -> String {
        format!("{}. Folder: {}", self.fixed, self.place)
    }
}

/// Says what git is in the middle of.
fn doing(folder: &Path) -> &'static str {
    let Some(root) = crate::project::project_root(folder) else { return "" };
    let git = root.join(".git");
    [
        ("rebase-merge", ", rebasing"),
        ("rebase-apply", ", rebasing"),
        ("MERGE_HEAD", ", merging"),
        ("CHERRY_PICK_HEAD", ", cherry-picking"),
        ("BISECT_LOG", ", bisecting"),
    ]
    .into_iter()
    .find(|(name, _)| git.join(name).exists())
    .map_or("", |(_, doing)| doing)
}

/// Returns the name of the distribution.
fn distribution(release: &str) -> Option<String> {
    let mut text = String::new();
    release.as_bytes().take(MOST).read_to_string(&mut text).ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| aish_types::sanitize(name).chars().take(80).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_changes_with_folder_and_branch_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let project = home.join("p");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let mut here = Here { fixed: "Debian, 80 columns, Monday 2026-11-23".into(), place: String::new() };
        assert!(here.goes_to(&project, Some(home)));
        assert_eq!(here.line(), "Debian, 80 columns, Monday 2026-11-23. Folder: ~/p (git: main)");
        assert!(!here.goes_to(&project, Some(home)));
        fs::write(project.join(".git/MERGE_HEAD"), "x").unwrap();
        assert!(here.goes_to(&project, Some(home)));
        assert!(here.line().ends_with("~/p (git: main, merging)"));
        assert!(here.goes_to(home, Some(home)));
        assert!(here.line().ends_with("Folder: ~"));
    }

    #[test]
    fn distributions_are_named() {
        assert_eq!(distribution("ID=x\nPRETTY_NAME=\"Debian GNU/Linux 13\"\n").as_deref(), Some("Debian GNU/Linux 13"));
        assert_eq!(distribution("ID=x\n"), None);
    }
}
