//! What interpreters find by names that are no paths: modules beside a script or in the working folder, and files without their
//! ending.

use std::path::{Path, PathBuf};

/// Endings of files that are found without them, and files that stand for their folder.
pub(super) const ENDINGS: &[&str] = &[
    ".js",
    ".cjs",
    ".mjs",
    ".ts",
    ".json",
    ".node",
    ".py",
    ".rb",
    ".pl",
    ".lua",
    "/index.js",
    "/index.cjs",
    "/index.mjs",
    "/index.ts",
    "/package.json",
    "/__main__.py",
    "/__init__.py",
    "/default.nix",
];

/// Endings of a module of Python.
const MODULE: &[&str] = &["", ".py", ".pyc", ".so", ".abi3.so"];

/// Words behind an interpreter among which its module is named.
const NEAR: usize = 4;

/// Modules of Python's standard library: one of the same name in the working folder is taken first.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "abc", "argparse", "array", "ast", "asyncio", "atexit", "base64", "bisect", "bz2", "calendar", "cmath", "cmd", "code", "codecs",
    "collections", "colorsys", "compileall", "concurrent", "configparser", "contextlib", "contextvars", "copy", "copyreg",
    "cProfile", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal", "difflib", "dis", "doctest", "email",
    "encodings", "ensurepip", "enum", "errno", "faulthandler", "fcntl", "filecmp", "fileinput", "fnmatch", "fractions", "ftplib",
    "functools", "gc", "genericpath", "getopt", "getpass", "gettext", "glob", "graphlib", "grp", "gzip", "hashlib", "heapq", "hmac",
    "html", "http", "imaplib", "imp", "importlib", "inspect", "io", "ipaddress", "itertools", "json", "keyword", "linecache",
    "locale", "logging", "lzma", "mailbox", "math", "mimetypes", "mmap", "multiprocessing", "netrc", "ntpath", "nturl2path",
    "numbers", "opcode", "operator", "optparse", "os", "pathlib", "pdb", "pickle", "pickletools", "pkgutil", "platform", "plistlib",
    "poplib", "posixpath", "pprint", "profile", "pstats", "pty", "pwd", "py_compile", "pyclbr", "pydoc", "queue", "quopri", "random",
    "re", "readline", "reprlib", "resource", "rlcompleter", "runpy", "sched", "secrets", "select", "selectors", "shelve", "shlex",
    "shutil", "signal", "site", "smtplib", "socket", "socketserver", "sqlite3", "sre_compile", "sre_constants", "sre_parse", "ssl",
    "stat", "statistics", "string", "stringprep", "struct", "subprocess", "symtable", "sysconfig", "syslog", "tarfile", "tempfile",
    "termios", "textwrap", "threading", "timeit", "tkinter", "token", "tokenize", "tomllib", "trace", "traceback", "tracemalloc",
    "tty", "types", "typing", "unicodedata", "unittest", "urllib", "uuid", "venv", "warnings", "wave", "weakref", "webbrowser",
    "xml", "xmlrpc", "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo", "sitecustomize", "usercustomize",
];

/// Lists paths, from the working folder, that an interpreter of a command may take for a module.
pub(super) fn named<'a>(words: impl Iterator<Item = &'a str>) -> Vec<PathBuf> {
    let words: Vec<&str> = words.collect();
    let mut found = Vec::new();
    let mut is_searched = false;
    for (at, _) in words.iter().enumerate().filter(|(_, word)| is_python(word)) {
        let near = words.get(at + 1..).unwrap_or_default();
        for (next, word) in near.iter().enumerate().take(NEAR) {
            let module = match word.strip_prefix("-m") {
                Some("") => near.get(next + 1).copied(),
                Some(module) => Some(module),
                None => None,
            };
            is_searched |= module.is_some() || *word == "-c";
            found.extend(module.into_iter().flat_map(paths));
        }
    }
    if is_searched {
        found.extend(standard());
    }
    found
}

/// Lists paths of what takes the place of a module of Python's own.
pub(super) fn standard() -> impl Iterator<Item = PathBuf> {
    STANDARD.iter().flat_map(|module| paths(module))
}

/// Lists what a script of Python that lies right in a tree may take from there.
pub(super) fn imported<'a>(words: impl Iterator<Item = &'a str>) -> Vec<PathBuf> {
    let words: Vec<&str> = words.collect();
    let pairs = words.windows(2).filter_map(|pair| match pair {
        ["import" | "from", module] => Some(*module),
        _ => None,
    });
    pairs.chain(STANDARD.iter().copied()).flat_map(paths).collect()
}

/// Says whether a script is one of Python, by its name or how it begins.
pub(super) fn is_python_script(path: &Path, text: &str) -> bool {
    let first = text.strip_prefix("#!").and_then(|rest| rest.lines().next());
    path.extension().is_some_and(|end| end == "py") || first.is_some_and(|first| first.contains("py"))
}

fn is_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word).to_lowercase();
    name.contains("python") || name.starts_with("pypy") || name == "py"
}

/// Lists the files and packages of a module, those around it among them.
fn paths(module: &str) -> Vec<PathBuf> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    if module.is_empty() || module.starts_with('.') || !module.chars().all(is_name) {
        return Vec::new();
    }
    let path = module.replace('.', "/");
    let mut found: Vec<PathBuf> = MODULE.iter().map(|end| PathBuf::from(format!("{path}{end}"))).collect();
    for (at, _) in path.match_indices('/') {
        let around = path.get(..at).unwrap_or_default();
        let files = MODULE.iter().skip(1).flat_map(|end| [format!("{around}{end}"), format!("{around}/__init__{end}")]);
        found.extend(files.map(PathBuf::from));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_files_and_packages_of_the_working_folder() {
        let of = |line: &str| named(line.split(' '));
        let has = |line: &str, path: &str| of(line).contains(&PathBuf::from(path));
        for path in ["pre_commit.py", "pre_commit", "json.py", "json"] {
            assert!(has("exec $INSTALL_PYTHON -mpre_commit hook-impl", path), "{path}");
        }
        for path in ["a/b.py", "a/b", "a/__init__.py", "a.py"] {
            assert!(has("/usr/bin/python3.12 -u -m a.b", path), "{path}");
        }
        assert!(has("python3 -c x", "os.py"));
        assert!(!has("python3 -m a.b", "a") && !has("python3 -m pre_commit", "src"));
        assert!(of("git commit -m json").is_empty() && of("python3 tools/x.py").is_empty());
    }
}
