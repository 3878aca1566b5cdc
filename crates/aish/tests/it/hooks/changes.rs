//! Changes of files by commands of other agents, and what comes back of them: with a transaction, and with what was put
//! aside.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::Place;

/// Lines that change files, also through programs that no table of names foresees.
const CHANGES: [&str; 20] = [
    "rm notes.txt",
    "mv notes.txt old.txt",
    "sed -i s/first/FIRST/ notes.txt",
    "printf 'x\\n' >> notes.txt",
    "for f in src/*.c; do mv \"$f\" \"$f.bak\"; done",
    "python3 -c \"import os; os.remove('notes.txt'); open('new.txt', 'w').write('n')\"",
    "perl -pi -e s/a/b/ src/a.c",
    "find src -name '*.c' -exec sed -i s/int/long/ {} +",
    "make clean",
    "cp src/a.c src/b.c",
    "chmod 600 notes.txt",
    "touch -d 2001-01-01 notes.txt",
    "ln -sf notes.txt link",
    "tar xf archive.tar",
    "patch -p0 < change.patch",
    "mkdir -p deep/er/est && echo x > deep/er/est/f",
    "rm src/a.c src/c.c",
    "awk '{print > \"out.txt\"}' notes.txt",
    "git add notes.txt && git -c user.name=n -c user.email=e@e commit -qm one",
    "dd if=/dev/zero of=notes.txt bs=10 count=2 2>/dev/null",
];

/// Everything of a folder: paths, kinds, modes, times and content.
fn all_of(folder: &Path) -> Vec<String> {
    let list = "find . -printf '%P %y %m %l %T@\\n' | sort; find . -type f -print0 | sort -z | xargs -0 sha256sum";
    let listed = Command::new("bash").args(["-c", list]).current_dir(folder).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The same without the times of folders, which an undo of what was put aside changes by what it puts back.
fn files_of(folder: &Path) -> Vec<String> {
    all_of(folder)
        .into_iter()
        .map(|line| match line.rsplit_once(' ') {
            Some((entry, _)) if entry.trim_end().split(' ').any(|kind| kind == "d") => entry.to_owned(),
            _ => line,
        })
        .collect()
}

/// Makes a project of a few files.
fn fill(project: &Path) {
    let make = "rm -rf .git; git init -q; printf 'first\\nsecond\\n' > notes.txt; mkdir src; echo 'int a;' > src/a.c; echo 'int c;' > src/c.c; \
             printf 'clean:\\n\\trm -f src/*.c\\n' > Makefile; echo t > packed; tar cf archive.tar packed; rm packed; \
             printf -- '--- notes.txt\\n+++ notes.txt\\n@@ -1,2 +1,2 @@\\n-first\\n+one\\n second\\n' > change.patch";
    assert!(plainly(project, make).status.success());
}

/// Runs a command as an agent does.
fn plainly(project: &Path, command: &str) -> Output {
    Command::new("bash").args(["-c", command]).current_dir(project).output().unwrap()
}

#[test]
fn in_a_transaction_every_change_comes_back_byte_for_byte() {
    if aish_testkit::is_missing("in_a_transaction_every_change_comes_back_byte_for_byte", "make") {
        return;
    }
    let place = Place::new();
    let project = place.project();
    place.configure("[hooks]\ntransactions = true\n");
    fill(&project);
    let before = all_of(&project);
    for command in CHANGES {
        let (code, said, err) = place.before("claude", command);
        assert_eq!(code, Some(0), "{command}: {err}");
        let answer: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{command}: {error}: {said:?}"));
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["permissionDecision"], "ask", "{command}");
        let replaced = output["updatedInput"]["command"].as_str().unwrap();
        let ran = Command::new("bash")
            .args(["-c", replaced])
            .current_dir(&project)
            .env_clear()
            .env("HOME", place.home())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && err.contains("kept; `aish undo"), "{command}: {ran:?}");
        assert_ne!(all_of(&project), before, "{command} changed nothing");
        let reason = output["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.ends_with("It runs in a layer: `aish undo` takes back exactly what it changes."), "{reason}");
        let listed = place.start(&["undo", "list"], b"");
        assert!(String::from_utf8_lossy(&listed.stdout).contains("(claude, session s) "), "{listed:?}");
        assert!(String::from_utf8_lossy(&listed.stdout).contains(command.split(' ').next().unwrap()), "{listed:?}");
        let undone = place.start(&["undo"], b"");
        assert!(undone.status.success(), "{command}: {undone:?}");
        assert_eq!(all_of(&project), before, "{command}");
    }
}

/// The lines of [`CHANGES`] that do not name what they change: it is in a pattern with words around it, a makefile, an
/// archive, a patch, or a repository. docs/hooks.md lists them.
const NOT_NAMED: [&str; 5] = [
    "for f in src/*.c; do mv \"$f\" \"$f.bak\"; done",
    "make clean",
    "tar xf archive.tar",
    "patch -p0 < change.patch",
    "git add notes.txt && git -c user.name=n -c user.email=e@e commit -qm one",
];

#[test]
fn what_a_command_names_comes_back_byte_for_byte_and_the_rest_is_known() {
    if aish_testkit::is_missing("what_a_command_names_comes_back_byte_for_byte_and_the_rest_is_known", "make") {
        return;
    }
    for agent in ["claude", "gemini", "crush"] {
        let mut missed = Vec::new();
        for command in CHANGES {
            let place = Place::with_project("home/project");
            let project = place.project();
            fill(&project);
            let before = files_of(&project);
            assert_eq!(place.before(agent, command), (Some(0), String::new(), String::new()), "{agent}: {command}");
            assert!(plainly(&project, command).status.success(), "{command}");
            assert_ne!(files_of(&project), before, "{command} changed nothing");
            place.start(&["undo"], b"");
            if files_of(&project) != before {
                missed.push(command);
            }
        }
        assert_eq!(missed, NOT_NAMED, "{agent}");
    }
}
