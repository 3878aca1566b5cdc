//! What variables of this process lead to in a tree: the person's shell has them too, and what it starts takes programs and what
//! they read at their start from there.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::modules;
use super::program;
use super::script_words;
use super::scripts::{Kind, Script};
use super::ways::{place, text, ways};

/// Variables that only say where something is or was done.
const PLACES: &[&str] = &["PWD", "OLDPWD", "INIT_CWD", "_"];

/// Variables that name folders from which programs, libraries and settings are taken, whatever asks for them.
#[rustfmt::skip]
const FOLDERS: &[&str] = &[
    "PATH", "FPATH", "LD_LIBRARY_PATH", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME", "XDG_DATA_DIRS", "EMACSLOADPATH", "BASH_COMPLETION_USER_DIR", "GEM_HOME", "PYTHONHOME", "PYTHONUSERBASE",
    "VIM", "VIMRUNTIME", "R_LIBS_USER", "OPENSSL_MODULES", "OPENSSL_ENGINES",
];

/// How names of variables end that name such folders of any language: `PERL5LIB`, `NODE_PATH`, `R_LIBS`.
const ENDS: &[&str] = &["PATH", "LIB", "LIBS"];

/// Words in such names that say that what lies there is no code: `DATA_PATH`, `LOG_PATH`.
#[rustfmt::skip]
const OF_DATA: &[&str] = &[
    "DATA", "DATABASE", "DATASET", "DB", "LOG", "LOGS", "OUTPUT", "OUT", "INPUT", "CACHE", "UPLOAD", "UPLOADS", "STORAGE", "MEDIA", "STATIC",
    "IMAGE", "IMAGES", "DOC", "DOCS", "MANPATH", "INFOPATH", "TMP", "TEMP", "BACKUP", "MODEL", "MODELS", "RESULT", "RESULTS",
];

/// Variables that may name the working folder or the tree itself, of which all else in it is a part: of a library of theirs
/// one with the name of a standard one is taken first.
const WHOLE: &[&str] = &["PERL5LIB", "PERLLIB", "RUBYLIB"];

/// Folders with the programs of the system, in which no link leads to a tree.
const OF_SYSTEM: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

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
        let is_of_data = name.split('_').any(|word| OF_DATA.contains(&word));
        let is_relative = FOLDERS.contains(&name) || !is_of_data && ENDS.iter().any(|end| name.ends_with(end));
        let are_folders = is_relative || name.starts_with(OF_GIT);
        if name == OF_PYTHON && has_empty(value) {
            led.paths.extend(modules::standard().map(|module| tree.join(module)));
        }
        for word in script_words::of(value) {
            let Some(path) = named(tree, home, &word.text, is_relative) else { continue };
            let ways = ways(&path);
            if name == "PATH" {
                led.links(tree, &path);
            }
            let Some(real) = ways.last().filter(|real| real.starts_with(tree)) else { continue };
            if name == OF_PYTHON {
                led.paths.extend(modules::standard().map(|module| real.join(module)));
                continue;
            }
            if real == tree && !WHOLE.contains(&name) {
                continue;
            }
            let is_binary = text(real).is_binary;
            let is_archive = real.extension().is_some_and(|end| end == "jar" || end == "zip");
            if is_binary && !program::is_one(real) && !is_archive {
                continue;
            }
            let is_there = real.is_file();
            if is_there && !is_binary {
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

impl Led {
    /// Adds where links in a folder of programs lead in a tree, and has what they name read.
    fn links(&mut self, tree: &Path, folder: &Path) {
        if folder.starts_with(tree) || OF_SYSTEM.iter().any(|known| folder == Path::new(known)) {
            return;
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for link in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink())) {
            // Most lead elsewhere, and there may be thousands.
            if fs::canonicalize(link.path()).is_ok_and(|real| !real.starts_with(tree)) {
                continue;
            }
            let ways = ways(&link.path());
            if let Some(real) = ways.last().filter(|real| real.starts_with(tree) && *real != tree) {
                if real.is_file() {
                    let (path, folder) = (real.clone(), tree.to_owned());
                    self.scripts.push(Script { path, folder, kind: Kind::OfPerson });
                }
                self.paths.extend(ways);
            }
        }
    }
}

/// Says whether one of the folders of a value is empty, which means the working folder. An empty value means none.
fn has_empty(value: &str) -> bool {
    !value.is_empty() && value.split(':').any(str::is_empty)
}

/// Returns the path that a word of a value names; one that is relative is meant from where the person stands, mostly in the tree.
fn named(tree: &Path, home: Option<&Path>, word: &str, is_relative: bool) -> Option<PathBuf> {
    // `-I/path` is an option with a path.
    let word = match word.find('/') {
        Some(at) if word.starts_with('-') => word.get(at..)?,
        _ => word,
    };
    // A pattern of names, as Lua's are, has its folder before it.
    let word = word.split_once("/?").map_or(word, |(folder, _)| folder);
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
        fs::copy("/bin/sh", tree.join("program")).unwrap();
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
            ("PERL5LIB", "@/lib", &["lib"]),
            ("RUBYLIB", "lib:/x", &["lib"]),
            ("RUBYLIB", "@", &[""]),
            ("NODE_PATH", "@/lib:@", &["lib"]),
            ("LUA_PATH", "@/lib/?.lua;;", &["lib"]),
            ("CLASSPATH", "@/x.jar", &["x.jar"]),
            ("DATABASE_PATH", "@/base", &[]),
            ("DATA_PATH", "@/lib", &[]),
            ("APP_PLUGIN_PATH", "@/lib", &["lib"]),
            ("LD_PRELOAD", "@/program", &["program"]),
        ] {
            assert_eq!(led(name, value), expected, "{name}={value}");
        }
        let modules = led("PYTHONPATH", "@/lib");
        assert!(modules.contains(&"lib/json.py".to_owned()) && !modules.contains(&"lib".to_owned()), "{modules:?}");
    }
    #[test]
    fn modules_of_the_tree_itself_take_the_place_of_standard_ones() {
        let folder = tempfile::tempdir().unwrap();
        let tree = &fs::canonicalize(folder.path()).unwrap();
        let has = |value: &str| {
            let value = value.replace('@', &tree.display().to_string());
            let led = led_to(tree, None, [("PYTHONPATH".into(), value.into())]);
            led.paths.contains(&tree.join("sitecustomize.py"))
        };
        for value in ["@", ".", "/x:", ":/x", "/x::/y"] {
            assert!(has(value), "{value}");
        }
        assert!(!has("") && !has("/x:/y"));
    }

    #[test]
    fn links_in_folders_of_programs_lead_to_a_tree() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let (tree, bin) = (home.join("tree"), home.join("bin"));
        for folder in [&tree, &bin] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(tree.join("tool.sh"), "x").unwrap();
        for (target, name) in [("../tree/tool.sh", "tool"), ("/bin/sh", "other"), ("../tree/later", "later")] {
            std::os::unix::fs::symlink(target, bin.join(name)).unwrap();
        }
        let value = format!("/usr/bin:{}", bin.display());
        let led = led_to(&tree, None, [("PATH".into(), value.into())]);
        let mut below: Vec<_> = led.paths.iter().filter_map(|path| path.strip_prefix(&tree).ok()).collect();
        below.sort();
        assert_eq!(below, [Path::new("later"), Path::new("tool.sh")]);
        assert_eq!(led.scripts.len(), 1);
    }
}
