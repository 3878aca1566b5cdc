//! Faults of the machine and of file systems: the tree is whole, and the message says what to do.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use aish_confine::{Caches, KeepError, Layer, OnConflict, State};

use crate::place::{Place, is_root};

/// Runs a program that must succeed.
fn done(words: &[&str]) {
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A file system of its own on a folder, which goes when this does.
pub(crate) struct Mounted(String);

impl Mounted {
    pub(crate) fn new(folder: &Path, words: &[&str]) -> Self {
        fs::create_dir_all(folder).unwrap();
        let folder = folder.display().to_string();
        done(&[&["mount"], words, &[folder.as_str()]].concat());
        Self(folder)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(&format!(": {cause}"));
        next = cause.source();
    }
    text
}

#[test]
fn no_room_for_a_layer_is_said_and_changes_nothing() {
    if !is_root() {
        return;
    }
    let mut place = Place::new();
    place.write("a", "old\n");
    place.layers = place.home.join("small");
    let _small = Mounted::new(&place.layers, &["-t", "tmpfs", "-o", "size=256k,nr_inodes=24", "none"]);
    let before = place.picture();
    let ran = place.run("head -c 1M /dev/zero > big; echo $?; echo new > a");
    assert!(ran.stdout.starts_with("1\n") && ran.stderr.contains("No space left"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(place.picture(), before);
    ran.layer.discard().unwrap();
    for number in 0..20 {
        let _ = fs::write(place.layers.join(number.to_string()), "");
    }
    let made = Layer::create(&place.layers, "x", None, &[(place.tree.clone(), false)]);
    let why = words(&made.unwrap_err());
    assert!(why.contains("make room there and try again, nothing was changed: No space left on device"), "{why}");
    assert_eq!(fs::read_dir(&place.layers).unwrap().filter(|e| e.as_ref().unwrap().path().is_dir()).count(), 0);
    assert_eq!(place.picture(), before);
}

#[test]
fn a_tree_without_room_is_whole_after_keeping_failed() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let _tree = Mounted::new(&place.tree, &["-t", "tmpfs", "-o", "size=300k", "none"]);
    place.write("d/a", "old\n");
    place.write("d/b", "old\n");
    let before = place.picture();
    let ran = place.run("echo new > d/a; head -c 1M /dev/zero > d/b; echo new > c");
    assert_eq!(ran.code, 0, "the layer has room: {}", ran.stderr);
    let why = words(&ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap_err());
    assert!(why.contains("No space left on device") && why.contains("make room there"), "{why}");
    assert_eq!(place.picture(), before);
    assert_eq!(ran.layer.state().unwrap(), State::Open);
    ran.layer.discard().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_tree_that_is_a_mount_is_kept_and_taken_back() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let _tree = Mounted::new(&place.tree, &["-t", "tmpfs", "none"]);
    place.write("d/a", "old\n");
    rustix::fs::setxattr(place.tree.join("d"), "user.note", b"old", rustix::fs::XattrFlags::empty()).unwrap();
    let before = place.picture();
    let layer = place.keep(
        "echo new > d/a; echo new > d/n; setfattr -n user.note -v new d 2>/dev/null || \
        python3 -c 'import os; os.setxattr(\"d\", \"user.note\", b\"new\")'",
    );
    assert_eq!((place.read("d/a").as_str(), place.read("d/n").as_str()), ("new\n", "new\n"));
    let mut note = [0; 8];
    let length = rustix::fs::getxattr(place.tree.join("d"), "user.note", &mut note[..]).unwrap();
    assert_eq!(&note[..length], b"new", "attributes of a folder come with it");
    assert_eq!(place.picture()[0], before[0], "the root's own time stays when only a folder in it changed");
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_read_only_tree_can_be_tried_and_not_kept() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    place.write("a", "old\n");
    let before = place.picture();
    let tree = place.tree.display().to_string();
    let _bound = Mounted::new(&place.tree, &["--bind", &tree]);
    done(&["mount", "-o", "remount,bind,ro", &tree]);
    let ran = place.run("echo new > a; cat a");
    assert_eq!(ran.stdout, "new\n", "{}", ran.stderr);
    let why = words(&ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap_err());
    assert!(why.contains("Read-only file system") && why.contains("when the file system is writable again"), "{why}");
    assert_eq!(place.picture(), before);
    assert_eq!(ran.layer.state().unwrap(), State::Open);
}

#[test]
fn layers_on_an_overlay_are_refused_with_a_way_out() {
    if !is_root() {
        return;
    }
    let mut place = Place::new();
    let at = |name: &str| place.home.join(name).display().to_string();
    for name in ["lower", "up", "work"] {
        fs::create_dir(place.home.join(name)).unwrap();
    }
    let options = format!("lowerdir={},upperdir={},workdir={}", at("lower"), at("up"), at("work"));
    let merged = place.home.join("merged");
    let _merged = Mounted::new(&merged, &["-t", "overlay", "-o", &options, "none"]);
    place.layers = merged.join("layers");
    place.write("a", "old\n");
    let before = place.picture();
    let ran = place.run("echo new > a");
    let why = ran.report.failed.unwrap();
    assert!(why.contains("lies on an overlay itself") && why.contains("XDG_STATE_HOME"), "{why}");
    assert_eq!(place.picture(), before);
    // A tree on an overlay has a layer, where that lies elsewhere.
    let tree = merged.join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("a"), "old\n").unwrap();
    place.layers = place.home.join("state/layers");
    place.tree = tree;
    let before = place.picture();
    let layer = place.keep("echo new >> a; mkdir n; echo n > n/f");
    assert_eq!(place.read("a"), "old\nnew\n");
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn immutable_files_stay_as_they_are() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    place.write("fixed", "old\n");
    place.write("folder/a", "old\n");
    place.write("plain", "old\n");
    let paths = ["fixed", "folder"].map(|name| place.tree.join(name).display().to_string());
    paths.iter().for_each(|path| done(&["chattr", "+i", path]));
    let ran = place.run("echo new >> fixed; rm -f fixed; mv fixed other; echo new > plain; cat fixed");
    let kept = ran.layer.keep(Caches::LeftOut, OnConflict::Stop);
    let within = place.run("echo new > folder/b; echo new >> folder/a");
    let of_folder = within.layer.keep(Caches::LeftOut, OnConflict::Stop);
    paths.iter().for_each(|path| done(&["chattr", "-i", path]));
    assert_eq!(ran.stdout, "old\n");
    kept.unwrap();
    assert_eq!((place.read("fixed").as_str(), place.read("plain").as_str()), ("old\n", "new\n"));
    // What was done in an immutable folder was refused inside, or is when it is kept.
    match of_folder {
        Ok(_) | Err(KeepError::Move { .. }) => assert!(!place.tree.join("folder/b").exists()),
        Err(other) => panic!("{other:?}"),
    }
    assert_eq!(place.read("folder/a"), "old\n");
}

#[test]
fn a_folder_that_may_not_be_written_says_so_inside_as_outside() {
    let place = Place::new();
    place.write("closed/a", "old\n");
    fs::set_permissions(place.tree.join("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    let before = place.picture();
    let ran = place.run("echo new > closed/b; rm -f closed/a; echo $?");
    assert_eq!(ran.stdout, "1\n", "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("Permission denied").count(), 2, "{}", ran.stderr);
    assert!(ran.layer.changes(Caches::LeftOut).unwrap().is_empty());
    assert_eq!(place.picture(), before);
    fs::set_permissions(place.tree.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn many_files_come_and_go_in_one_move_a_folder() {
    let place = Place::new();
    for number in 0..2000 {
        place.write(&format!("old/{}/{number}", number % 20), "x");
    }
    let before = place.picture();
    let ran = place.run("rm -r old; mkdir new && cd new && seq 20000 | xargs touch");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
    assert_eq!(changes.iter().map(|change| change.files).collect::<Vec<_>>(), [20_000, 2_000]);
    ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    assert_eq!(fs::read_dir(place.tree.join("new")).unwrap().count(), 20_000);
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn folders_too_deep_for_a_path_are_told_and_leave_nothing() {
    let place = Place::new();
    place.write("a", "old\n");
    let before = place.picture();
    for depth in [600, 2500] {
        let program = format!("import os\nfor _ in range({depth}): os.mkdir('d'); os.chdir('d')\nopen('f', 'w')");
        let ran = place.run(&format!("echo new > a; python3 -c \"{program}\""));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let why = words(&ran.layer.changes(Caches::LeftOut).unwrap_err());
        assert!(why.contains("tree/d") && why.contains("more than 500 deep"), "{why}");
        assert!(ran.layer.keep(Caches::LeftOut, OnConflict::Stop).is_err());
        assert!(ran.layer.size().1 > depth, "all is counted");
        ran.layer.discard().unwrap();
        assert_eq!(fs::read_dir(&place.layers).unwrap().count(), 0);
        assert_eq!(place.picture(), before);
    }
}

#[test]
fn a_command_that_kills_all_it_can_kills_only_itself() {
    let place = Place::new();
    place.write("a", "old\n");
    for line in
        ["kill -9 -1", "kill -9 1; kill -9 -1", "kill -9 $PPID; kill -STOP 1; echo x > a; kill -9 0", "kill -9 $$"]
    {
        let ran = place.run(line);
        assert!(ran.report.code.is_some() || ran.report.signal.is_some(), "{line}: it is told how it ended");
        assert_eq!(place.read("a"), "old\n", "{line}");
        ran.layer.discard().unwrap();
    }
}

#[test]
fn what_another_program_writes_meanwhile_is_never_lost() {
    let place = Place::new();
    place.write("log", "start\n");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let (mut last, mut number) = (String::new(), 0);
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                last = format!("person {number}\n");
                let beside = place.home.join("beside");
                fs::write(&beside, &last).unwrap();
                fs::rename(&beside, place.tree.join("log")).unwrap();
            }
            last
        });
        let (mut kept, mut refused) = (0, 0);
        for _ in 0..20 {
            let ran = place.run("echo run >> log; echo new > new; rm new");
            match ran.layer.keep(Caches::LeftOut, OnConflict::Stop) {
                Ok(_) => kept += 1,
                Err(KeepError::Conflicts(_)) => refused += 1,
                Err(other) => panic!("{other:?}"),
            }
            ran.layer.discard().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        let last = writer.join().unwrap();
        assert_eq!(kept + refused, 20);
        assert!(refused > 0, "the writer was never met");
        let now = place.read("log");
        assert_eq!(now, last, "the last one to write was the person");
    });
}

#[test]
fn an_extended_attribute_that_only_root_may_set_is_no_fault() {
    let place = Place::new();
    place.write("a", "old\n");
    if is_root() {
        rustix::fs::setxattr(place.tree.join("a"), "trusted.note", b"x", rustix::fs::XattrFlags::empty()).unwrap();
    }
    let before = place.picture();
    let layer = place.keep("echo new >> a");
    assert_eq!(place.read("a"), "old\nnew\n");
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
    assert_eq!(fs::metadata(place.tree.join("a")).unwrap().nlink(), 1);
}
