//! `aish try`: a command in a layer, its facts, kept or dropped, and taken back.

use std::path::Path;
use std::process::Output;

use crate::person::{Home, Person};

/// A home whose work folder has two files in it.
fn home() -> Home {
    let home = Home::new();
    std::fs::write(home.work().join("a"), "one\ntwo\n").unwrap();
    std::fs::write(home.work().join("b"), "old\n").unwrap();
    home
}

fn run(home: &Home, arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = std::process::Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(arguments)
        .env_clear()
        .envs(home.all_variables())
        .current_dir(home.work())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn read(home: &Home, name: &str) -> String {
    std::fs::read_to_string(home.work().join(name)).unwrap_or_else(|error| error.kind().to_string())
}

const LINE: &[&str] = &["sh", "-c", "sed -i s/two/2/ a; rm b; mkdir n; echo x > n/f; cat a; exit 7"];

fn with(flags: &[&'static str]) -> Vec<&'static str> {
    [&["try"], flags, &["--"], LINE].concat()
}

#[test]
fn without_anybody_to_ask_the_changes_are_shown_and_dropped() {
    let home = home();
    let (code, out, err) = run(&home, &with(&[]));
    assert_eq!((code, out.as_str()), (3, "one\n2\n"), "{err}");
    for line in [
        "changed  a +1 \u{2212}1",
        "deleted  b (4 bytes)",
        "new      n/ (1 file, 2 bytes)",
        "dropped: nothing of it is in the tree",
    ] {
        assert!(err.contains(line), "{line}: {err}");
    }
    assert_eq!((read(&home, "a").as_str(), read(&home, "b").as_str()), ("one\ntwo\n", "old\n"));
    assert_eq!(std::fs::read_dir(home.path(".local/state/aish/layers")).unwrap().count(), 0);
}

#[test]
fn what_is_kept_is_there_and_undo_takes_it_back() {
    let home = home();
    let (code, _, err) = run(&home, &with(&["--keep"]));
    assert_eq!(code, 7, "{err}");
    assert_eq!((read(&home, "a").as_str(), read(&home, "n/f").as_str()), ("one\n2\n", "x\n"));
    assert!(!home.work().join("b").exists());
    let (_, listed, _) = run(&home, &["undo", "list"]);
    assert!(listed.contains("(a layer, exact) sh -c"), "{listed}");
    let (code, said, err) = run(&home, &["undo"]);
    assert_eq!(code, 0, "{err}");
    assert!(said.contains("3 paths are as before, exactly"), "{said}");
    assert_eq!((read(&home, "a").as_str(), read(&home, "b").as_str()), ("one\ntwo\n", "old\n"));
    assert!(!home.work().join("n").exists());
    assert!(run(&home, &["undo"]).2.contains("there is nothing to undo"));
}

#[test]
fn what_went_with_a_replaced_folder_is_told_and_what_a_person_decides_on_is_never_left_out() {
    let home = home();
    let fill = "mkdir -p d/sub e f; for n in $(seq 200); do echo $n > d/sub/$n; done; echo x > e/x; echo x > f/x";
    assert!(std::process::Command::new("sh").args(["-c", fill]).current_dir(home.work()).status().unwrap().success());
    let line = "rm -rf d e f; mkdir d; echo n > d/n; echo y > e; ln -s a f; for n in $(seq -w 40); do echo > a$n; done; \
                echo '{\"scripts\":{\"a\":\"b\"}}' > package.json; mkdir zz; echo x > zz/CLAUDE.md; echo ls > z; chmod +x z; mkfifo p";
    let (_, _, err) = run(&home, &["try", "--", "bash", "-c", line]);
    for told in [
        "deleted  d/ (200 files, 692 bytes), and in its place a new folder (1 file, 2 bytes)",
        "deleted  e/ (1 file, 2 bytes), and in its place a file (2 bytes)",
        "deleted  f/ (1 file, 2 bytes), and in its place a link",
        "! it names scripts that are run",
        "zz/CLAUDE.md  ! it instructs models",
        "! it is new and can be run",
        "left out p because",
    ] {
        assert!(err.contains(told), "{told}: {err}");
    }
    let (_, out, _) = run(&home, &["try", "--json", "--", "bash", "-c", line]);
    let event: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let folder = event["changes"].as_array().unwrap().iter().find(|change| change["path"] == "d").unwrap();
    assert_eq!((&folder["deleted_files"], &folder["files"]), (&200.into(), &1.into()));
}

#[test]
fn undo_does_not_overwrite_later_work_unless_it_is_named() {
    let home = home();
    let (_, _, said) = run(&home, &["try", "--keep", "--", "sh", "-c", "echo run > a"]);
    let id = said.split("`aish undo ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    std::fs::write(home.work().join("a"), "person\n").unwrap();
    let (code, _, err) = run(&home, &["undo"]);
    assert_eq!(code, 1);
    assert!(err.contains("nothing was undone"), "{err}");
    assert_eq!(read(&home, "a"), "person\n");
    assert_eq!(run(&home, &["undo", &id]).0, 0);
    assert_eq!(read(&home, "a"), "one\ntwo\n");
}

#[test]
fn the_exit_code_is_the_commands_where_nothing_changed() {
    let home = home();
    for (line, code) in [("true", 0), ("exit 5", 5), ("kill -TERM $$", 143), ("cat a >/dev/null", 0)] {
        assert_eq!(run(&home, &["try", "--", "sh", "-c", line]).0, code, "{line}");
    }
    assert_eq!(run(&home, &["try", "--", "no-such-program"]).0, 127);
    assert_eq!(run(&home, &["try"]).0, 2);
    assert_eq!(run(&home, &["try", "--keep", "--drop", "--", "true"]).0, 2);
}

#[test]
fn the_changes_are_an_event_of_json() {
    let home = home();
    std::fs::create_dir(home.work().join(".git")).unwrap();
    let line =
        "echo out; echo x >> a; echo '[alias] x = !y' > .git/config; ln -s /etc/shadow l; getent hosts example.org";
    let (code, out, err) = run(&home, &["try", "--json", "--keep", "--", "sh", "-c", line]);
    assert!(code == 2 && err.starts_with("out\n"), "{code} {err}{out}");
    let event: serde_json::Value = serde_json::from_str(&out).unwrap();
    let changes = event.get("changes").unwrap();
    assert_eq!(event["event"], "changes");
    assert_eq!(event["decision"], "kept");
    let hosts = event["hosts"].as_array().unwrap();
    assert!(hosts.iter().any(|host| host.as_str().unwrap().starts_with("example.org")), "{out}");
    assert_eq!(changes[0]["path"], ".git/config");
    assert_eq!(changes[0]["guarded"], "git runs what it names");
    assert_eq!((&changes[1]["path"], &changes[1]["added"]), (&"a".into(), &1.into()));
    assert_eq!(event["left_out"][0]["path"], "l");
    assert!(!home.work().join("l").is_symlink());
}

#[test]
fn secrets_stay_outside_and_the_home_folder_is_no_tree() {
    let mut home = home().with("DEPLOY_TOKEN", "hush-hush-hush").with("PLAIN", "seen");
    std::fs::create_dir(home.path(".ssh")).unwrap();
    std::fs::write(home.path(".ssh/id"), "hush").unwrap();
    let line = "env; cat ~/.ssh/id ~/.local/state/aish/* ; echo x > /usr/new";
    let (_, out, err) = run(&home, &["try", "--", "sh", "-c", line]);
    assert!(out.contains("PLAIN=seen") && !out.contains("hush"), "{out}");
    assert!(err.contains("Read-only file system"), "{err}");
    home.variables.retain(|(name, _)| name != "HOME");
    let above = home.work().display().to_string();
    home.variables.push(("HOME".to_owned(), above));
    let (_, _, err) = run(&home, &["try", "--", "sh", "-c", "echo x > new"]);
    assert!(err.contains("belongs to no tree") && err.contains("Read-only file system"), "{err}");
}

#[test]
fn a_person_is_asked_and_sees_the_difference() {
    let home = home();
    std::fs::write(home.work().join("void"), "").unwrap();
    let ask = || {
        let arguments = ["try", "--", "sh", "-c", "tty -s && echo two more >> a && rm void"];
        Person { session: home.terminal(Path::new(env!("CARGO_BIN_EXE_aish")), &arguments) }
    };
    let person = ask();
    person.sees("[k]eep").types("d\r").sees("+two more");
    // An empty file has no lines that could differ: it is told as above.
    person.waits("the empty file", |screen| screen.matches("deleted  void (0 bytes)").count() == 2);
    person.ends_with("[?]why").types("n\r").sees("dropped");
    assert_eq!(person.leaves(""), Some(3));
    assert_eq!(read(&home, "a"), "one\ntwo\n");
    let person = ask();
    person.sees("[k]eep").types("k\r").sees("kept;");
    assert_eq!(person.leaves(""), Some(0));
    assert_eq!(read(&home, "a"), "one\ntwo\ntwo more\n");
}

#[test]
fn what_was_typed_while_the_command_ran_does_not_keep_its_changes() {
    let home = home();
    let arguments = ["try", "--", "sh", "-c", "echo rea''dy; sleep 2; echo more >> a"];
    let person = Person { session: home.terminal(Path::new(env!("CARGO_BIN_EXE_aish")), &arguments) };
    person.sees_line("ready").types("k\ry\rk");
    person.sees("[k]eep").types("n\r").sees("dropped");
    assert_eq!(person.leaves(""), Some(3));
    assert_eq!(read(&home, "a"), "one\ntwo\n");
}

/// Where nothing holds a command, the judgement alone decides what runs unasked: of the lines that try to break out none
/// that writes, sends or starts something.
#[test]
fn without_anything_that_holds_it_no_attempt_runs_unasked_but_those_that_read() {
    let home = home();
    let lines = include_str!("../../../aish-confine/tests/attempts.txt");
    let lines: Vec<&str> = lines.lines().filter(|line| !line.starts_with('#')).collect();
    let allowed: Vec<&str> = lines.iter().copied().filter(|line| run(&home, &["check", line]).0 == 0).collect();
    assert!(lines.len() > 100);
    for line in &allowed {
        let reads = ["cat $HIDDEN", "find / -xdev -name id_canary -exec cat {} +", "cat ../state/* ../state/*/*"];
        assert!(reads.contains(line), "{line}");
    }
}

#[test]
fn what_would_part_the_names_of_a_file_is_not_kept_in_silence() {
    let home = home();
    std::fs::hard_link(home.work().join("a"), home.work().join("other")).unwrap();
    let (code, _, err) = run(&home, &["try", "--keep", "--", "sh", "-c", "mv a c; echo more >> c"]);
    assert_ne!(code, 0, "{err}");
    for part in ["c is one of several names of a file", "would be parted; run it without `aish try`"] {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert_eq!((read(&home, "a").as_str(), read(&home, "c").as_str()), ("one\ntwo\n", "entity not found"));
    // A new name of a file is its name.
    let (code, _, err) = run(&home, &["try", "--keep", "--", "ln", "b", "d"]);
    assert_eq!(code, 0, "{err}");
    let inode = |name: &str| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(home.work().join(name)).unwrap());
    assert_eq!(inode("b"), inode("d"));
}

#[test]
fn what_is_refused_half_way_is_told_and_loses_nothing() {
    let home = home();
    let folder = home.work().join("d");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("f"), "old\n").unwrap();
    let line = ["try", "--keep", "--", "sh", "-c", "echo new > a; rm b; echo new > d/f"];
    let chattr = |flag: &str| std::process::Command::new("chattr").arg(flag).arg(&folder).status();
    if chattr("+i").is_ok_and(|status| status.success()) {
        let (code, _, err) = run(&home, &line);
        chattr("-i").unwrap();
        assert_eq!(code, 1, "{err}");
        assert!(err.contains("nothing was kept: ") && err.contains("d/f cannot be moved"), "{err}");
        assert_eq!((read(&home, "a").as_str(), read(&home, "b").as_str()), ("one\ntwo\n", "old\n"));
        assert_eq!(std::fs::read_dir(home.path(".local/state/aish/layers")).unwrap().count(), 0);
    }
    // One whose state says that it is being moved is brought to an end by the next start.
    assert_eq!(run(&home, &line).0, 0);
    let layers = home.path(".local/state/aish/layers");
    let layer = std::fs::read_dir(&layers).unwrap().next().unwrap().unwrap().path();
    std::fs::write(layer.join("state"), "taking-back").unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    let (_, out, err) = run(&home, &["undo", "list"]);
    assert!(out.contains("a layer, exact") && format!("{out}{err}").contains("is kept now"), "{out}{err}");
    std::fs::remove_file(&folder).unwrap();
    let id = layer.file_name().unwrap().to_str().unwrap().to_owned();
    let (code, _, err) = run(&home, &["undo"]);
    assert!(code == 1 && err.contains("nothing was undone"), "{err}");
    assert_eq!(run(&home, &["undo", &id]).0, 0);
    assert_eq!((read(&home, "a").as_str(), read(&home, "d/f").as_str()), ("one\ntwo\n", "old\n"));
}

#[test]
fn what_others_did_since_a_cut_is_a_step_at_once() {
    let home = home();
    assert_eq!(run(&home, &["try", "--keep", "--", "sh", "-c", "echo new > a"]).0, 0);
    let layers = home.path(".local/state/aish/layers");
    let layer = std::fs::read_dir(&layers).unwrap().next().unwrap().unwrap().path();
    std::fs::write(layer.join("state"), "taking-back").unwrap();
    std::fs::write(home.work().join("a"), "mine\n").unwrap();
    let (_, out, err) = run(&home, &["undo", "list"]);
    assert!(out.contains("undo of "), "{out}{err}");
    assert_eq!(read(&home, "a"), "one\ntwo\n");
    assert_eq!(run(&home, &["undo"]).0, 0);
    assert_eq!(read(&home, "a"), "mine\n");
}

#[test]
fn a_folder_that_is_no_folder_any_more_is_told_and_never_followed() {
    let home = home();
    std::fs::create_dir(home.work().join("k")).unwrap();
    std::fs::write(home.work().join("k/f"), "old\n").unwrap();
    assert_eq!(run(&home, &["try", "--keep", "--", "sh", "-c", "echo new > k/f; echo new > a"]).0, 0);
    let outside = home.path("outside");
    std::fs::rename(home.work().join("k"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, home.work().join("k")).unwrap();
    let (_, listed, _) = run(&home, &["undo", "list"]);
    let id = listed.split_whitespace().next().unwrap().to_owned();
    for words in [&["undo"][..], &["undo", &id]] {
        let (code, out, err) = run(&home, words);
        assert_eq!(code, 1, "{out}{err}");
        let said = format!("{out}{err}");
        assert!(said.contains("k was replaced by a link or a file since") && said.contains("move away what"), "{said}");
        assert_eq!(std::fs::read_to_string(outside.join("f")).unwrap(), "new\n");
        assert_eq!(read(&home, "a"), "new\n");
    }
    std::fs::remove_file(home.work().join("k")).unwrap();
    let (code, out, err) = run(&home, &["undo", &id]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!((read(&home, "a").as_str(), read(&home, "k/f").as_str()), ("one\ntwo\n", "old\n"));
}

#[test]
fn what_is_left_out_as_a_whole_is_not_said_to_be_kept() {
    let home = home();
    let (code, _, err) = run(&home, &["try", "--keep", "--", "sh", "-c", "rm a; mkfifo a"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("nothing was kept: all of it is left out") && !err.contains("aish undo"), "{err}");
    assert_eq!(read(&home, "a"), "one\ntwo\n");
    assert_eq!(std::fs::read_dir(home.path(".local/state/aish/layers")).unwrap().count(), 0);
}

#[test]
fn the_time_of_a_folder_is_kept_without_a_question() {
    let home = home();
    let folder = home.work().join("d");
    std::fs::create_dir(&folder).unwrap();
    let time = || std::fs::metadata(&folder).unwrap().modified().unwrap();
    let before = time();
    let (code, _, err) = run(&home, &["try", "--", "touch", "-d", "2001-02-03", "d"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("changed  the time of d/") && err.contains("kept; `aish undo"), "{err}");
    assert_ne!(time(), before);
    assert_eq!(run(&home, &["undo"]).0, 0);
    assert_eq!(time(), before);
}
