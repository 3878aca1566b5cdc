//! Programs and libraries that are taken from whatever folder a person stands in: `.` or an empty entry in a variable of folders.

use std::ffi::OsString;
use std::path::Path;

use super::ways::ways;
use super::{Judge, program};

/// What is taken from whatever folder in a tree the person stands in, by variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    programs: bool,
    libraries: bool,
}

impl Taken {
    /// Returns what some variables have taken from the folders of a tree.
    pub(super) fn of(tree: &Path, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut taken = Self { programs: false, libraries: false };
        for (name, value) in variables {
            let Some(value) = value.to_str() else { continue };
            let is_here = |folder: &str| {
                !folder.starts_with(['/', '~']) || ways(Path::new(folder)).last().is_some_and(|real| real == tree)
            };
            let is_taken = !value.is_empty() && value.split([':', ';']).any(is_here);
            taken.programs |= is_taken && name == "PATH";
            taken.libraries |= is_taken && name == "LD_LIBRARY_PATH";
        }
        taken
    }

    /// Says whether a new file of a program's or library's format is one of it.
    pub(super) fn takes(self, name: &str, is_executable: bool) -> bool {
        self.programs && is_executable || self.libraries && name.contains(".so")
    }
}

impl Judge<'_> {
    /// Says whether a new file is a program or a library that the person's shell, or what it starts, takes before another.
    pub(super) fn is_taken(&self, path: &Path) -> bool {
        let mut all = self.known.taken.borrow_mut();
        let taken =
            *all.entry(self.root).or_insert_with(|| Taken::of(&self.layer.tree(self.root), std::env::vars_os()));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        taken.takes(&name, self.is_executable(path)) && program::is_one(&self.layer.upper(self.root).join(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_libraries_are_taken_from_the_working_folder() {
        let tree = Path::new("/tree");
        for (name, value, programs, libraries) in [
            ("PATH", "/usr/bin:.", true, false),
            ("PATH", "/usr/bin:", true, false),
            ("PATH", "/tree:/usr/bin", true, false),
            ("PATH", "/usr/bin:/tree/bin", false, false),
            ("LD_LIBRARY_PATH", "/opt/lib:", false, true),
            ("LD_LIBRARY_PATH", "/opt/lib::/x", false, true),
            ("LD_LIBRARY_PATH", "", false, false),
            ("OTHER", ".", false, false),
        ] {
            let taken = Taken::of(tree, [(name.into(), value.into())]);
            assert_eq!(taken, Taken { programs, libraries }, "{name}={value}");
            assert_eq!(taken.takes("ls", true), programs);
            assert_eq!(taken.takes("libc.so.6", false), libraries);
            assert!(!taken.takes("ls", false));
        }
    }
}
