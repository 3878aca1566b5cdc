//! Real commands in a real bash, undone: every byte, mode, time and link is as it was.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use aish_journal::WallClock;
use aish_journal::undo::{UndoJournal, UndoOptions};
use aish_safety::{PolicyRules, Surroundings, WayBack, analyse};

use super::{Prepared, UndoKeeper, say};

/// What a folder holds but for what git keeps for itself.
fn picture(root: &Path) -> Vec<String> {
    fn look(path: &Path, root: &Path, out: &mut Vec<String>) {
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            // The modes of a folder may keep its owner out, too.
            Err(error) => return out.push(format!("{}: {:?}", path.display(), error.kind())),
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if name == ".git" {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let content = if meta.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if meta.is_file() {
                let content = fs::read(&path).map_err(|error| error.kind());
                format!("{content:?} {}.{}", meta.mtime(), meta.mtime_nsec())
            } else {
                String::new()
            };
            out.push(format!("{name} {:o} {}:{} {content}", meta.mode(), meta.uid(), meta.gid()));
            if meta.is_dir() {
                look(&path, root, out);
            }
        }
    }
    let mut out = Vec::new();
    look(root, root, &mut out);
    out.sort();
    out
}

fn bash(folder: &Path, script: &str) -> String {
    let ran = Command::new("bash")
        .args(["--norc", "-c", script])
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .output()
        .unwrap();
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}

const FILES: &str = "umask 022; mkdir -p src/deep empty; echo one > a; echo two > b; echo deep > src/deep/leaf; \
    printf '#!/bin/sh\\n' > src/run.sh; chmod 755 src/run.sh; chmod 600 b; ln -s a link; echo obj > src/x.o; \
    touch -d '2001-02-03 04:05:06' a src/deep/leaf";

const REPOSITORY: &str = "git init -q .; git add a src; git commit -qm first; echo changed > a; echo staged > c; \
    git add c; chmod 644 src/run.sh; rm src/deep/leaf; echo second > b; git stash list";

struct Place {
    folder: tempfile::TempDir,
    work: PathBuf,
}

fn place(setup: &str) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let work = fs::canonicalize(folder.path()).unwrap().join("work");
    fs::create_dir(&work).unwrap();
    bash(&work, setup);
    Place { folder, work }
}

impl Place {
    fn journal(&self, options: UndoOptions) -> UndoJournal {
        UndoJournal::new(self.folder.path().join("state/undo"), options, WallClock::default())
    }

    fn around(&self) -> Surroundings {
        Surroundings { folder: Some(self.work.display().to_string()), ..Surroundings::default() }
    }
}

fn plan(runtime: &tokio::runtime::Runtime, keeper: &UndoKeeper, command: &str, place: &Place) -> Prepared {
    let around = place.around();
    let changes = analyse(command, &around, &PolicyRules::default()).changes;
    runtime.block_on(keeper.plan(command, &changes, &around))
}

#[track_caller]
fn check_in(setup: &str, command: &str, kept_by_git: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let place = place(setup);
    let before = (picture(&place.work), bash(&place.work, kept_by_git));
    let keeper = UndoKeeper::new(place.journal(UndoOptions::default()));
    let planned = plan(&runtime, &keeper, command, &place);
    assert!(!planned.notes.iter().any(|note| note.starts_with(say::LOSS)), "{command}: {:?}", planned.notes);
    let step = runtime.block_on(keeper.save(&planned, &"s".into())).unwrap().expect("something is put aside");
    let said = bash(&place.work, command);
    let after = (picture(&place.work), bash(&place.work, kept_by_git));
    assert_ne!(before, after, "{command} changes something: {said}");
    let restored = place.journal(UndoOptions::default()).undo(Some(&step.id)).unwrap();
    assert!(restored.failed.is_empty(), "{command}: {restored:?}");
    assert_eq!((picture(&place.work), bash(&place.work, kept_by_git)), before, "{command}");
}

#[track_caller]
fn check(command: &str) {
    check_in(FILES, command, "true");
}

#[test]
fn deleting_is_undone() {
    for command in [
        "rm -r src",
        "rm -rf src empty a link",
        "rm a *.o src/*.o",
        "cd src && rm -r deep run.sh",
        "find . -name '*.o' -delete",
        "find src -type f -exec rm {} \\;",
        "rmdir empty",
        "unlink b",
        "(cd src; rm -r deep)",
        "for f in a b; do rm \"$f\"; done",
        "bash -c 'rm -r src'",
        "printf 'a\\nb\\n' | xargs rm",
    ] {
        check(command);
    }
}

#[test]
fn what_is_not_there_is_not_counted() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let place = place(FILES);
    let keeper = UndoKeeper::new(place.journal(UndoOptions::default()));
    let notes = |command| plan(&runtime, &keeper, command, &place).notes;
    assert_eq!(notes("rm -rf nothing/of/that"), Vec::<String>::new());
    assert_eq!(notes("cp a made-anew"), Vec::<String>::new());
    assert!(notes("rm a nothing")[0].starts_with("undo: 1 file, "));
}

#[test]
fn moving_and_copying_over_is_undone() {
    for command in [
        "mv a b",
        "mv a new",
        "mv a b src",
        "mv src empty",
        "mv -t empty a b",
        "cp a b",
        "cp a src/run.sh",
        "cp -r src/. empty",
        "cp -r src empty",
        "ln -sf b link",
        "ln -f a b",
        "install -m 700 a b",
        "mv a b; echo new > b",
        "rsync -a --delete src/ empty/ 2>/dev/null || cp -r src/. empty",
    ] {
        check(command);
    }
}

#[test]
fn writing_over_is_undone() {
    for command in [
        "echo new > a",
        "echo new >| b",
        "echo more >> a",
        "echo new > link",
        "echo new | tee a b src/new > /dev/null",
        "sed -i s/one/ONE/ a",
        "sed -i.bak s/one/ONE/ a; rm a.bak",
        "perl -pi -e s/one/ONE/ a",
        "truncate -s 0 a b",
        "dd if=/dev/zero of=a bs=8 count=1 status=none",
        "mkdir -p x/y && echo z > x/y/z",
        "touch a new",
        "{ echo x; echo y; } > src/run.sh",
        "gzip a",
    ] {
        check(command);
    }
}

#[test]
fn changed_modes_are_undone() {
    for command in ["chmod -R 700 src", "chmod -x src/run.sh", "chmod -R a+w .", "chmod 000 a b", "chmod -R 000 src"] {
        check(command);
    }
    if rustix_is_root() {
        check("chown -R 12345:12345 src");
    }
}

fn rustix_is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

#[test]
fn git_is_undone() {
    let setup = format!("{FILES}; {REPOSITORY}");
    for command in [
        "git checkout -- .",
        "git checkout a src",
        "git restore .",
        "git restore --staged --worktree c a",
        "git reset --hard",
        "git reset -q --hard HEAD",
        "git clean -fd",
        "git clean -fdx",
        "git checkout -f",
        "git rm -qf a",
        "git mv b d 2>/dev/null || mv b d",
        "cd src && git checkout -- .",
        "git -C src checkout -- .",
    ] {
        check_in(&setup, command, "git status --porcelain; git rev-parse HEAD; git stash list");
    }
}

#[test]
fn branches_and_the_stash_are_undone() {
    let setup = format!(
        "{FILES}; git init -q -b main .; git add a; git commit -qm first; git branch old; \
        echo changed > a; git stash -q; echo two >> a; git commit -qam second; git reset -q --hard HEAD"
    );
    for command in [
        "git reset --hard HEAD~1",
        "git branch -D old",
        "git stash drop",
        "git commit --amend -qm other",
        "git stash clear",
    ] {
        check_in(&setup, command, "git status --porcelain; git log --format=%h:%s --all; git stash list; git branch");
    }
}

#[test]
fn a_full_disk_is_said_before_and_runs_nothing_by_surprise() {
    let place = place(FILES);
    let disk = place.folder.path().join("state");
    fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|ran| ran.status.success()) {
        return aish_testkit::skip("a_full_disk", "a small file system cannot be mounted here");
    }
    fs::write(place.work.join("big"), vec![7; 200_000]).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let keeper = UndoKeeper::new(place.journal(UndoOptions::default()));
    let planned = plan(&runtime, &keeper, "echo x > big", &place);
    // What changes between the question and the answer: the disk fills up.
    let small = plan(&runtime, &keeper, "echo x > a", &place);
    fs::write(disk.join("filler"), vec![7; 60_000]).unwrap();
    let _ = fs::write(disk.join("more"), vec![7; 60_000]);
    let saved = runtime.block_on(keeper.save(&small, &"s".into()));
    let again = plan(&runtime, &keeper, "echo x > a", &place);
    let unmounted = Command::new("umount").arg(&disk).status().is_ok_and(|status| status.success());
    assert!(unmounted);
    assert!(
        planned.way_back == WayBack::Nothing && planned.notes.iter().any(|note| note.contains("bytes left")),
        "{planned:?}"
    );
    assert!(saved.is_err(), "nothing is half put aside: {saved:?}");
    assert!(again.way_back == WayBack::Nothing && again.notes[0].contains("cannot put anything aside"), "{again:?}");
}

#[test]
fn a_state_folder_that_cannot_be_written_is_said() {
    let place = place(FILES);
    fs::write(place.folder.path().join("state"), "no folder").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let keeper = UndoKeeper::new(place.journal(UndoOptions::default()));
    let planned = plan(&runtime, &keeper, "rm a", &place);
    assert!(
        planned.unusable.is_some() && planned.notes[0].starts_with("undo: cannot put anything aside"),
        "{planned:?}"
    );
    assert!(runtime.block_on(keeper.save(&planned, &"s".into())).unwrap().is_none());
}
