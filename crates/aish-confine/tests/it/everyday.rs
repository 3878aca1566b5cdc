//! Everyday commands in clones, apart and open: the same exit code, the same output, the same tree. Those for cargo need
//! more than tests have; `scripts/measure/everyday.py` runs them all through `aish`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use aish_confine::{Caches, Caller, OnConflict, Settings, Surroundings};

use crate::place::{Place, base, command};

const COMMANDS: &str = include_str!("../../../../scripts/measure/everyday/commands.txt");
const PROJECTS: &str = include_str!("../../../../scripts/measure/everyday/projects.sh");

/// What commands are given: nothing of it differs between two runs.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_AUTHOR_DATE", "2026-02-02T00:00:00Z"),
    ("GIT_COMMITTER_DATE", "2026-02-02T00:00:00Z"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_audit", "false"),
];

fn projects(folder: &Path) {
    let made = Command::new("bash").args(["-c", PROJECTS, "projects"]).arg(folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// Describes a project: its files but for what differs by time or place, and its history.
fn describe(project: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![project.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let meta = fs::symlink_metadata(&path).unwrap();
            let varies = [".gz", ".tgz", ".zip", ".db", ".o"].iter().any(|end| name.ends_with(end)) || name == "app";
            let content = if meta.is_dir() {
                if ![".git", "__pycache__", ".venv"].contains(&name.as_str()) {
                    folders.push(path.clone());
                }
                "folder".to_owned()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().display().to_string()
            } else if varies {
                "a file".to_owned()
            } else {
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
            };
            let mode = std::os::unix::fs::PermissionsExt::mode(&meta.permissions());
            found.insert(path.strip_prefix(project).unwrap().display().to_string(), format!("{mode:o} {content}"));
        }
    }
    let history =
        "git log --format='%H %s' --all; git status --porcelain; git stash list; git ls-files -s; git fsck --strict";
    let said = Command::new("bash").args(["-c", history]).current_dir(project).output().unwrap();
    found.insert("history".to_owned(), String::from_utf8_lossy(&said.stdout).into_owned());
    found
}

#[test]
fn everyday_commands_do_apart_what_they_do_open() {
    if aish_testkit::is_missing("everyday_commands_do_apart_what_they_do_open", "make") {
        return;
    }
    let mut place = Place::new();
    let (apart, open) = (place.home.join("apart"), tempfile::tempdir_in(base()).unwrap());
    let open = fs::canonicalize(open.path()).unwrap();
    projects(&apart);
    projects(&open);
    // Tools have run here before: their caches are there.
    for home in [&place.home, &open] {
        fs::create_dir_all(home.join(".npm")).unwrap();
        fs::create_dir_all(home.join(".cache")).unwrap();
    }
    let has_node = Path::new("/usr/bin/npm").exists();
    let (mut ran, mut asked) = (0, Vec::new());
    for line in COMMANDS.lines().filter(|line| !line.starts_with('#')) {
        let (project, words) = line.split_once('\t').unwrap();
        if project == "rust" || (project == "node" && !has_node) {
            continue;
        }
        ran += 1;
        place.tree = apart.join(project);
        let own = [place.home.join("state")];
        let caller = Caller { folder: &place.tree, home: Some(&place.home), own: &own, layers: &place.layers };
        let surroundings = Surroundings::of(&caller, &Settings::default()).unwrap();
        let layer = surroundings.layer(words, None).unwrap();
        let plan = surroundings.plan(&layer, ["bash", "-c", words].map(Into::into).into());
        let there = command(&plan).env("HOME", &place.home).envs(VARIABLES.iter().copied()).output().unwrap();
        let changes = layer.changes(Caches::LeftOut).unwrap();
        if !layer.guarded(&changes, &Settings::default()).is_empty() {
            asked.push(words);
        }
        layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
        let mut here = Command::new("bash");
        here.args(["-c", words]).current_dir(open.join(project)).env_clear().envs(VARIABLES.iter().copied());
        here.env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin").env("LC_ALL", "C.UTF-8").env("HOME", &open);
        let here = here.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(there.status.code(), here.status.code(), "{line}: {}{}", text(&there.stderr), text(&here.stderr));
        assert_eq!(here.status.code(), Some(0), "{line}: {}", text(&here.stderr));
        assert_eq!(text(&there.stdout), text(&here.stdout), "{line}");
        let (there, here) = (describe(&place.tree), describe(&open.join(project)));
        let differs: Vec<_> = there.iter().filter(|(path, is)| here.get(*path) != Some(is)).collect();
        assert!(differs.is_empty() && there.len() == here.len(), "{line}: {differs:?} {:?}", here.keys());
    }
    assert!(ran >= 35, "{ran}");
    // What acts later in the person's own commands, and no more.
    let expected = ["python3 -m venv --without-pip .venv", "chmod +x run.sh"];
    assert!(asked.iter().all(|words| expected.iter().any(|known| words.starts_with(known))), "{asked:?}");
}
