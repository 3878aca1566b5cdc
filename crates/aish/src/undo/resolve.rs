//! From what a command's text names to paths: home and folders filled in, patterns expanded, destinations looked at.

use std::path::{Path, PathBuf};

use aish_journal::undo::Wanted;
use aish_safety::change::{GitChange, How, PathText, Reach, Target};

use super::{git, pattern};

/// What was found.
#[derive(Debug, Default)]
pub struct Resolved {
    /// What is to be put aside.
    pub wanted: Vec<Wanted>,
    /// What could not be found out, as phrases behind "cannot bring back".
    pub unnamed: Vec<String>,
}

/// Looks the targets of a command up, seen from the folder it starts in.
pub async fn resolve(targets: &[Target], folder: &Path, home: Option<&Path>) -> Resolved {
    let view = View { folder, home, targets };
    let mut out = Resolved::default();
    let mut skip_records = false;
    for target in targets {
        match target {
            Target::Path { path, how, reach, names } => {
                for path in view.paths(path) {
                    out.wanted.push(Wanted { names: names.clone(), ..Wanted::new(path, *how, *reach) });
                }
            }
            Target::Into { destination, sources, how, reach } => {
                for destination in view.paths(destination) {
                    view.inside(&destination, sources, *how, *reach, &mut out.wanted);
                }
            }
            Target::Git { folder, what } => {
                let records = matches!(what, GitChange::Records { .. });
                if records && std::mem::take(&mut skip_records) {
                    continue;
                }
                let Some(place) = view.paths(folder).into_iter().next() else { continue };
                let paths = match what {
                    GitChange::Tracked { paths, .. } | GitChange::Untracked { paths, .. } => {
                        paths.iter().flat_map(|path| view.paths(path)).collect()
                    }
                    GitChange::Records { .. } => Vec::new(),
                };
                match git::wanted(&place, what, &paths).await {
                    Ok(wanted) => {
                        // `git checkout NAME` of a branch: there is no such path, and nothing is lost.
                        skip_records = wanted.is_empty()
                            && matches!(what, GitChange::Tracked { against: None, paths } if !paths.is_empty());
                        out.wanted.extend(wanted);
                    }
                    Err(why) => out.unnamed.push(format!("what git changes: {why}")),
                }
            }
        }
    }
    out
}

struct View<'a> {
    folder: &'a Path,
    home: Option<&'a Path>,
    targets: &'a [Target],
}

impl View<'_> {
    /// Returns the paths that a text stands for; a pattern that nothing matches stands for none.
    fn paths(&self, path: &PathText) -> Vec<PathBuf> {
        let mut roots = vec![self.root(path)];
        // A `cd` that fails leaves the line where it was.
        if path.folder.is_some() && !roots.iter().all(|root| root.is_dir()) && !self.is_made(path.folder.as_deref()) {
            roots.push(self.folder.to_owned());
        }
        let mut found = Vec::new();
        for root in roots {
            let below_home = path.text == "~" || path.text.starts_with("~/");
            let (root, text) = match self.home {
                Some(home) if below_home => {
                    (home.to_owned(), path.text.trim_start_matches('~').trim_start_matches('/'))
                }
                _ => (root, path.text.as_str()),
            };
            if path.pattern {
                found.extend(pattern::expand(&root, text));
            } else {
                found.push(if text.is_empty() { root } else { root.join(text) });
            }
        }
        found.dedup();
        found
    }

    fn root(&self, path: &PathText) -> PathBuf {
        match path.folder.as_deref() {
            None => self.folder.to_owned(),
            Some(folder) => match (folder.strip_prefix('~'), self.home) {
                (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                    home.join(rest.trim_start_matches('/'))
                }
                _ => self.folder.join(folder),
            },
        }
    }

    /// Says whether the line itself makes a folder before it goes there.
    fn is_made(&self, folder: Option<&str>) -> bool {
        self.targets.iter().any(|target| match target {
            Target::Path { path, how: How::Attributes, .. } => {
                path.folder.is_none() && Some(path.text.trim_end_matches('/')) == folder
            }
            Target::Path { .. } | Target::Into { .. } | Target::Git { .. } => false,
        })
    }

    /// A destination that is a folder gets the sources' names in it.
    fn inside(&self, destination: &Path, sources: &[PathText], how: How, reach: Reach, out: &mut Vec<Wanted>) {
        if !destination.is_dir() {
            out.push(Wanted::new(destination, how, reach));
            return;
        }
        for source in sources {
            let mut paths = self.paths(source);
            if paths.is_empty() {
                paths.push(PathBuf::from(&source.text));
            }
            for path in paths {
                let content = source.text.ends_with("/.") || matches!(source.text.as_str(), "." | "..");
                match path.file_name() {
                    Some(name) if !content => out.push(Wanted::new(destination.join(name), how, reach)),
                    // `cp -r src/. dest`: what is in it comes to lie in the destination.
                    Some(_) | None => out.push(Wanted::new(destination, how, reach)),
                }
            }
        }
    }
}
