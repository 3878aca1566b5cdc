//! Repositories of every kind: bare ones, linked work trees, submodules, with real git.

use std::fs;
use std::path::Path;
use std::process::Command;

use aish_confine::{Caches, Caller, OnConflict, Report, Settings, Surroundings};

use crate::place::{Place, command, picture};

const IDENTITY: &[(&str, &str)] = &[
    ("GIT_AUTHOR_NAME", "a"),
    ("GIT_AUTHOR_EMAIL", "a@example.org"),
    ("GIT_COMMITTER_NAME", "a"),
    ("GIT_COMMITTER_EMAIL", "a@example.org"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "protocol.file.allow"),
    ("GIT_CONFIG_VALUE_0", "always"),
];

fn git(home: &Path, at: &Path, line: &str) -> String {
    let mut git = Command::new("git");
    git.args(line.split(' ')).current_dir(at).env("HOME", home).envs(IDENTITY.iter().copied());
    let output = git.output().unwrap();
    assert!(output.status.success(), "git {line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a line of bash around a folder as a caller would, keeps what it did, checks it with git, and takes it back.
fn commit(place: &Place, folder: &Path, line: &str, look: &str) -> String {
    let own = [place.home.join("state")];
    let caller = Caller { folder, home: Some(&place.home), own: &own, layers: &place.layers };
    let surroundings = Surroundings::of(&caller, &Settings::default()).unwrap();
    let before = picture(&place.home.join("all"));
    let layer = surroundings.layer(line, None).unwrap();
    let plan = surroundings.plan(&layer, ["bash", "-c", line].map(Into::into).into());
    let output = command(&plan).env("HOME", &place.home).envs(IDENTITY.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(Report::read(&layer.report_path()).unwrap().code, Some(0));
    assert_eq!(picture(&place.home.join("all")), before);
    let changes = layer.changes(Caches::LeftOut).unwrap();
    assert_eq!(layer.guarded(&changes, &Settings::default()), [], "{line} in {}", folder.display());
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    git(&place.home, folder, "fsck --strict");
    let said = git(&place.home, folder, look);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(picture(&place.home.join("all")), before, "{line}");
    said
}

#[test]
fn commits_in_every_kind_of_repository_are_kept_and_taken_back() {
    let place = Place::new();
    let all = place.home.join("all");
    let work = all.join("work");
    fs::create_dir_all(&work).unwrap();
    let run = |at: &Path, line: &str| git(&place.home, at, line);
    run(&work, "init -q -b main");
    fs::write(work.join("a"), "one\n").unwrap();
    run(&work, "add a");
    run(&work, "commit -q -m one");
    run(&work, "worktree add -q ../linked -b linked");
    run(&all, "clone -q --bare work bare.git");
    run(&all, "clone -q bare.git outer");
    run(&all.join("outer"), "submodule --quiet add ../bare.git module");
    run(&all.join("outer"), "commit -q -m module");
    let change = "echo two >> a && echo x > b && git add -A && git commit -q -m two && git status --porcelain";
    for folder in [work.clone(), all.join("linked"), all.join("outer"), all.join("outer/module")] {
        assert_eq!(commit(&place, &folder, change, "log --format=%s -1"), "two\n", "{}", folder.display());
    }
    let bare = all.join("bare.git");
    let line = "git update-ref refs/heads/new HEAD && git symbolic-ref HEAD refs/heads/new && git pack-refs --all";
    assert_eq!(commit(&place, &bare, line, "symbolic-ref HEAD"), "refs/heads/new\n");
    assert_eq!(commit(&place, &bare.join("refs"), line, "symbolic-ref HEAD"), "refs/heads/new\n");
}

#[test]
fn a_tree_below_a_temporary_folder_has_a_layer_too() {
    for base in ["/tmp", "/var/tmp", "/dev/shm"] {
        let place = Place::below(Path::new(base));
        let all = place.home.join("all");
        fs::create_dir(&all).unwrap();
        git(&place.home, &all, "init -q -b main");
        fs::write(all.join("a"), "one\n").unwrap();
        git(&place.home, &all, "add a");
        git(&place.home, &all, "commit -q -m one");
        let line = "echo two >> a && git commit -q -am two && test ! -e /tmp/left && touch /tmp/left";
        assert_eq!(commit(&place, &all, line, "log --format=%s -1"), "two\n", "{base}");
        assert!(!Path::new("/tmp/left").exists());
    }
}
