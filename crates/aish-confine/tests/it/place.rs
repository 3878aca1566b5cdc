//! A home with a tree in it, things beside the tree that must not change, and a way to run commands.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aish_confine::{Caches, Layer, Mechanism, OnConflict, Plan, Report, secrets};
use tempfile::TempDir;

/// The launcher; another one where the tests run as another user.
pub(crate) fn launcher() -> PathBuf {
    std::env::var_os("CONFINE_LAUNCHER").map_or_else(|| env!("CARGO_BIN_EXE_confine-launcher").into(), PathBuf::from)
}

/// A folder that is no private one of a run.
pub(crate) fn base() -> PathBuf {
    std::env::var_os("CONFINE_BASE").map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from)
}

pub(crate) struct Place {
    pub(crate) home: PathBuf,
    pub(crate) tree: PathBuf,
    pub(crate) layers: PathBuf,
    pub(crate) _folder: TempDir,
}

/// What a run did.
pub(crate) struct Ran {
    pub(crate) layer: Layer,
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) report: Report,
}

/// A place whose layers are on another file system.
pub(crate) fn elsewhere() -> (Place, tempfile::TempDir) {
    let mut place = Place::new();
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    place.layers = shared.path().to_owned();
    (place, shared)
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::below(&base())
    }

    /// Makes a place below a folder.
    pub(crate) fn below(base: &Path) -> Self {
        let folder = tempfile::tempdir_in(base).unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let tree = home.join("tree");
        fs::create_dir(&tree).unwrap();
        let layers = home.join("state/layers");
        fs::create_dir_all(&layers).unwrap();
        Self { home, tree, layers, _folder: folder }
    }

    /// Writes a file below the tree, with its folders.
    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.tree.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.tree.join(path)).unwrap()
    }

    /// Plans a line of bash over a new layer, with the secrets of this home hidden.
    pub(crate) fn plan(&self, line: &str) -> (Layer, Plan) {
        let layer = Layer::create(&self.layers, line, None, &[(self.tree.clone(), false)]).unwrap();
        let words = ["bash", "--norc", "--noprofile", "-c", line].map(OsString::from).into();
        let mut plan = Plan::new(Mechanism::Namespaces, &self.tree, words);
        plan.roots = layer.roots();
        plan.hidden = secrets(Some(&self.home), &[]);
        plan.hidden.push(self.home.join("state"));
        plan.report = Some(layer.report_path());
        (layer, plan)
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_with(line, |_| {})
    }

    /// Runs a line of bash, with a change of its plan.
    pub(crate) fn run_with(&self, line: &str, change: impl FnOnce(&mut Plan)) -> Ran {
        let (layer, mut plan) = self.plan(line);
        change(&mut plan);
        let output = command(&plan).output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            report: Report::read(&layer.report_path()).unwrap(),
            layer,
        }
    }

    /// Runs a line that must succeed, and keeps what it did.
    pub(crate) fn keep(&self, line: &str) -> Layer {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
        ran.layer
    }

    /// Describes everything in the tree: what must come back exactly.
    pub(crate) fn picture(&self) -> Vec<String> {
        picture(&self.tree)
    }

    /// The same for trees whose files are too long to be read.
    pub(crate) fn picture_without_content(&self) -> Vec<String> {
        picture_of(&self.tree, |path| fs::metadata(path).unwrap().len().to_string())
    }
}

/// Makes the command that runs a plan, with a clean environment.
pub(crate) fn command(plan: &Plan) -> Command {
    let mut command = Command::new(launcher());
    command.args(plan.to_arguments()).stdin(Stdio::null()).env_clear();
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin").env("LC_ALL", "C.UTF-8");
    command
}

/// Describes everything below a folder: kind, mode, owner, time, links, extended attributes, content.
pub(crate) fn picture(folder: &Path) -> Vec<String> {
    picture_of(folder, |path| format!("{:?}", fs::read(path).unwrap_or_default()))
}

fn picture_of(folder: &Path, content_of: impl Fn(&Path) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let content = if meta.is_file() {
            content_of(&path)
        } else if meta.is_symlink() {
            fs::read_link(&path).unwrap().display().to_string()
        } else {
            let entries = fs::read_dir(&path).into_iter().flatten();
            left.extend(entries.map(|entry| entry.unwrap().path()));
            String::new()
        };
        let mut names = [0_u8; 4096];
        let length = rustix::fs::llistxattr(&path, &mut names[..]).unwrap_or(0);
        let names = names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let mut extended: Vec<String> = names
            .map(|name| {
                let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name);
                let mut value = [0_u8; 4096];
                let length = rustix::fs::lgetxattr(&path, name, &mut value[..]).unwrap_or(0);
                format!("{}={:?}", name.display(), &value[..length])
            })
            .collect();
        extended.sort();
        lines.push(format!(
            "{} {:o} {}:{} {}.{} links {} {:?} {content}",
            path.strip_prefix(folder).unwrap().display(),
            meta.mode(),
            meta.uid(),
            meta.gid(),
            meta.mtime(),
            meta.mtime_nsec(),
            if meta.is_dir() { 0 } else { meta.nlink() },
            extended,
        ));
    }
    lines.sort();
    lines
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
