//! What variables of this process lead to in a tree: the person's shell has them too, and what it starts takes programs and what
//! they read at their start from there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::modules;
use super::script_words;
use super::scripts::{Kind, Script};
use super::ways::{place, text, ways};

/// Variables that only say where something is or was done.
const PLACES: &[&str] = &["PWD", "OLDPWD", "INIT_CWD", "_"];

/// Variables that name folders from which programs, libraries and settings are taken, whatever asks for them.
#[rustfmt::skip]
const FOLDERS: &[&str] = &[
    "PATH", "FPATH", "LD_LIBRARY_PATH", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME", "XDG_DATA_DIRS", "EMACSLOADPATH", "BASH_COMPLETION_USER_DIR",
];

/// How names of variables begin that hold git's settings.
const OF_GIT: &str = "GIT_CONFIG_VALUE_";

/// Folders in which Python looks for modules before its own.
const OF_PYTHON: &str = "PYTHONPATH";

/// What variables lead to.
#[derive(Default)]
pub(super) struct Led {
    /// Paths, with the links on their ways; not all of them lie in the tree.
    pub(super) paths: Vec<PathBuf>,
    /// Files in the tree that are read or run.
    pub(super) scripts: Vec<Script>,
}

/// Returns what some variables lead to in a tree.
pub(super) fn led_to(
    tree: &Path,
    home: Option<&Path>,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Led {
    let mut led = Led::default();
    for (name, value) in variables {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        if PLACES.contains(&name) {
            continue;
        }
        let are_folders = FOLDERS.contains(&name) || name.starts_with(OF_GIT);
        let is_relative = FOLDERS.contains(&name) || name == OF_PYTHON;
        for word in script_words::of(value) {
            let Some(path) = named(tree, home, &word.text, is_relative) else { continue };
            let ways = ways(&path);
            let Some(real) = ways.last().filter(|real| real.starts_with(tree) && *real != tree) else { continue };
            if name == OF_PYTHON {
                led.paths.extend(modules::standard().map(|module| real.join(module)));
                continue;
            }
            let is_there = real.is_file() && !text(real).is_binary;
            if is_there {
                let (path, folder) = (real.clone(), tree.to_owned());
                led.scripts.push(Script { path, folder, kind: Kind::OfPerson });
            }
            if is_there || are_folders {
                led.paths.extend(ways);
            }
        }
    }
    led
}

/// Returns the path that a word of a value names; one that is relative is meant from where the person stands, mostly in the tree.
fn named(tree: &Path, home: Option<&Path>, word: &str, is_relative: bool) -> Option<PathBuf> {
    // `-I/path` is an option with a path.
    let word = match word.find('/') {
        Some(at) if word.starts_with('-') => word.get(at..)?,
        _ => word,
    };
    let is_whole = word.starts_with(['/', '~']);
    (is_whole || is_relative && !word.starts_with(['-', '$'])).then(|| place(tree, home, word)).flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn variables_lead_to_programs_and_to_what_is_read_at_their_start() {
        let folder = tempfile::tempdir().unwrap();
        let tree = &fs::canonicalize(folder.path()).unwrap();
        for name in ["bin", "lib", "data"] {
            fs::create_dir(tree.join(name)).unwrap();
        }
        for name in ["start.py", "edit", "hook.js"] {
            fs::write(tree.join(name), "x").unwrap();
        }
        fs::write(tree.join("base"), "x\0y").unwrap();
        let led = |name: &str, value: &str| {
            let value = value.replace('@', &tree.display().to_string());
            let led = led_to(tree, None, [(name.into(), value.into())]);
            let below = |path: &PathBuf| path.strip_prefix(tree).ok().map(|below| below.display().to_string());
            led.paths.iter().filter_map(below).collect::<Vec<_>>()
        };
        for (name, value, expected) in [
            ("PATH", "/usr/bin:@/bin", &["bin"][..]),
            ("PATH", "./bin:/usr/bin:@/later", &["bin", "later"]),
            ("PATH", ".:@", &[]),
            ("LD_LIBRARY_PATH", "@/lib", &["lib"]),
            ("PYTHONSTARTUP", "@/start.py", &["start.py"]),
            ("NODE_OPTIONS", "--max=1 --require=@/hook.js", &["hook.js"]),
            ("EDITOR", "'@/edit' -w", &["edit"]),
            ("GIT_CONFIG_VALUE_0", "@/bin", &["bin"]),
            ("DATA", "@/data", &[]),
            ("DATABASE", "@/base", &[]),
            ("PWD", "@/edit", &[]),
            ("EDITOR", "edit", &[]),
        ] {
            assert_eq!(led(name, value), expected, "{name}={value}");
        }
        let modules = led("PYTHONPATH", "@/lib");
        assert!(modules.contains(&"lib/json.py".to_owned()) && !modules.contains(&"lib".to_owned()), "{modules:?}");
    }
}
