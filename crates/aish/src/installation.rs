//! How this program came onto the machine, told by where it lies.

use std::path::{Path, PathBuf};

/// The name of our packages, wherever they are.
pub const PACKAGE: &str = "aish-climax";

/// A way of being installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installation {
    /// `dpkg` knows its files.
    Debian,
    /// `pacman` knows its files.
    Arch,
    /// It lies in Homebrew's cellar.
    Homebrew,
    /// It lies in Nix's store.
    Nix,
    /// It lies in a folder of npm's.
    Npm,
    /// pip installed it.
    Pip,
    /// pipx installed it.
    Pipx,
    /// uv installed it.
    Uv,
    /// `cargo install` built it.
    Cargo,
    /// It was built in a checkout of the sources.
    Checkout,
    /// An archive was unpacked there.
    Archive,
    /// Somebody put it there.
    Unknown,
}

impl Installation {
    /// Tells how the running program was installed.
    pub fn here() -> Self {
        std::env::current_exe().map_or(Self::Unknown, |program| Self::of(&program, Path::new("/")))
    }

    /// Tells how a program was installed; `root` is where the lists of the system's packages are.
    fn of(program: &Path, root: &Path) -> Self {
        let Some(folder) = program.parent() else { return Self::Unknown };
        let above = folder.parent().unwrap_or(folder);
        let holds = |name: &str| program.components().any(|part| part.as_os_str() == name);
        if program.starts_with("/nix/store") {
            Self::Nix
        } else if holds("Cellar") && holds(PACKAGE) {
            Self::Homebrew
        } else if holds("node_modules") && holds(PACKAGE) {
            Self::Npm
        } else if is_wheel(above) {
            match (holds("pipx"), holds("uv")) {
                (true, _) => Self::Pipx,
                (false, true) => Self::Uv,
                (false, false) => Self::Pip,
            }
        } else if program == Path::new("/usr/bin/aish") && is_listed(&root.join("var/lib/dpkg/info"), ".list") {
            Self::Debian
        } else if program == Path::new("/usr/bin/aish") && is_listed(&root.join("var/lib/pacman/local"), "") {
            Self::Arch
        } else if std::fs::read_to_string(above.join(".crates.toml")).is_ok_and(|text| text.contains("\"aish ")) {
            Self::Cargo
        } else if folder.join(".cargo-lock").exists() {
            Self::Checkout
        } else if above.join("share").join(PACKAGE).is_dir() {
            Self::Archive
        } else {
            Self::Unknown
        }
    }

    /// Says what it is, in a few words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Debian => "the Debian package aish-climax",
            Self::Arch => "the Arch package aish-climax-bin",
            Self::Homebrew => "Homebrew's aish-climax",
            Self::Nix => "Nix's store",
            Self::Npm => "the npm package aish-climax",
            Self::Pip => "the PyPI package aish-climax, by pip",
            Self::Pipx => "the PyPI package aish-climax, by pipx",
            Self::Uv => "the PyPI package aish-climax, by uv",
            Self::Cargo => "cargo install",
            Self::Checkout => "a build in a checkout of the sources",
            Self::Archive => "an archive of a release",
            Self::Unknown => "a way that left no trace",
        }
    }

    /// Says what brings a newer version.
    pub const fn update(self) -> &'static str {
        match self {
            Self::Debian => {
                "download the newer .deb of the release, then: sudo apt install ./aish-climax_VERSION_amd64.deb"
            }
            Self::Arch => "build aish-climax-bin from the AUR again",
            Self::Homebrew => "brew upgrade aish-climax",
            Self::Nix => "nix profile upgrade aish-climax, or a newer input of your flake",
            Self::Npm => "npm install --global aish-climax@latest",
            Self::Pip => "pip install --upgrade aish-climax",
            Self::Pipx => "pipx upgrade aish-climax",
            Self::Uv => "uv tool upgrade aish-climax",
            Self::Cargo => "cargo install aish, and cargo install aish-climax for climax",
            Self::Checkout => "git pull in the checkout; ./run builds what has changed",
            Self::Archive => "unpack the newer archive of the release over this one, or beside it",
            Self::Unknown => "the way by which it came",
        }
    }

    /// Says what takes the programs away.
    pub const fn removal(self) -> &'static str {
        match self {
            Self::Debian => "sudo apt remove aish-climax",
            Self::Arch => "sudo pacman -R aish-climax-bin",
            Self::Homebrew => "brew uninstall aish-climax",
            Self::Nix => "nix profile remove aish-climax, or take it out of your flake",
            Self::Npm => "npm uninstall --global aish-climax",
            Self::Pip => "pip uninstall aish-climax",
            Self::Pipx => "pipx uninstall aish-climax",
            Self::Uv => "uv tool uninstall aish-climax",
            Self::Cargo => "cargo uninstall aish, and cargo uninstall aish-climax for climax",
            Self::Checkout => "delete the checkout",
            Self::Archive => "delete the folder of the archive",
            Self::Unknown => "delete the programs aish, climax and aish-model",
        }
    }
}

/// Says whether Python's lists below a prefix have our wheel.
fn is_wheel(prefix: &Path) -> bool {
    let folders = names(&prefix.join("lib"))
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python")));
    folders.flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name))).any(|packages| {
        names(&packages).iter().any(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("aish_climax-") && name.ends_with(".dist-info")
        })
    })
}

/// Says whether a folder has an entry of our package.
fn is_listed(folder: &Path, end: &str) -> bool {
    names(folder).iter().any(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(PACKAGE) && name.ends_with(end)
    })
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(files: &[&str], program: &str) -> Installation {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "[v1]\n\"aish 0.2.0 (registry)\" = [\"aish\"]\n").unwrap();
        }
        let program = if program.starts_with('/') { PathBuf::from(program) } else { root.path().join(program) };
        Installation::of(&program, root.path())
    }

    #[test]
    fn each_way_is_told_by_what_it_leaves() {
        let wheel = "lib/python3.13/site-packages/aish_climax-0.2.0.dist-info/METADATA";
        let in_folder = |folder: &str| format!("{folder}/{wheel}");
        for (files, program, way) in [
            (vec![], "/nix/store/abc-aish-climax-0.2.0/bin/aish", Installation::Nix),
            (vec![], "opt/Cellar/aish-climax/0.2.0/bin/aish", Installation::Homebrew),
            (vec![], "lib/node_modules/aish-climax/bin/aish", Installation::Npm),
            (vec![wheel.to_owned()], "bin/aish", Installation::Pip),
            (vec![in_folder("pipx/venvs/aish-climax")], "pipx/venvs/aish-climax/bin/aish", Installation::Pipx),
            (vec![in_folder("uv/tools/aish-climax")], "uv/tools/aish-climax/bin/aish", Installation::Uv),
            (vec!["var/lib/dpkg/info/aish-climax.list".to_owned()], "/usr/bin/aish", Installation::Debian),
            (vec!["var/lib/pacman/local/aish-climax-bin-0.2.0-1/desc".to_owned()], "/usr/bin/aish", Installation::Arch),
            (vec![".cargo/.crates.toml".to_owned()], ".cargo/bin/aish", Installation::Cargo),
            (vec!["target/release/.cargo-lock".to_owned()], "target/release/aish", Installation::Checkout),
            (vec!["share/aish-climax/sources.sha256".to_owned()], "bin/aish", Installation::Archive),
            (vec![], "bin/aish", Installation::Unknown),
            (vec![], "/usr/bin/aish", Installation::Unknown),
        ] {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            assert_eq!(told(&files, program), way, "{program}");
        }
    }
}
