//! Keeping or taking back that is refused half way: the tree is whole, and nothing of before is thrown away.

use std::fs;
use std::process::Command;

use aish_confine::{Caches, KeepError, OnConflict, State};

use crate::place::{Place, is_root};

/// A small file system in memory on a folder, which goes when this does.
struct Small(std::path::PathBuf);

impl Small {
    fn new(folder: &std::path::Path, size: &str) -> Self {
        fs::create_dir_all(folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(folder);
        assert!(mount.status().unwrap().success());
        Self(folder.to_owned())
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn fixed(path: &std::path::Path, flag: &str) {
    assert!(Command::new("chattr").arg(flag).arg(path).status().unwrap().success());
}

#[test]
fn a_layer_that_is_being_moved_is_never_thrown_away() {
    let place = Place::new();
    place.write("a", "precious");
    let layer = place.keep("rm a");
    let folder = place.layers.join(layer.id());
    for state in ["keeping", "taking-back", "?"] {
        fs::write(folder.join("state"), state).unwrap();
        assert!(layer.discard().is_err(), "{state}");
        assert!(folder.join("journal").exists());
    }
    fs::write(folder.join("state"), "kept").unwrap();
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.read("a"), "precious");
    layer.discard().unwrap();
    layer.discard().unwrap();
}

/// Changes, deletes and makes something in each folder of [`full`].
const EVERYTHING: &str = "echo n > a; rm b/c; echo n > d/f; rm d/g; echo n > d/n; rm -r x; echo n > z; echo n > new";

/// A tree with files in it, and its layers beside it or on another file system, which lasts as long as the folder.
fn full(elsewhere: bool) -> (Place, tempfile::TempDir) {
    let mut place = Place::new();
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    if elsewhere {
        place.layers = shared.path().to_owned();
    }
    for path in ["a", "b/c", "d/f", "d/g", "x/y", "z"] {
        place.write(path, "precious");
    }
    (place, shared)
}

#[test]
fn a_keeping_that_is_refused_half_way_leaves_all_as_it_was() {
    if !is_root() {
        return;
    }
    for elsewhere in [false, true] {
        let (place, _shared) = full(elsewhere);
        let before = place.picture();
        let ran = place.run(EVERYTHING);
        fixed(&place.tree.join("d"), "+i");
        let kept = ran.layer.keep(Caches::LeftOut, OnConflict::Stop);
        fixed(&place.tree.join("d"), "-i");
        assert!(matches!(kept, Err(KeepError::Move { .. })), "{kept:?}");
        assert_eq!(place.picture(), before);
        assert_eq!(ran.layer.state().unwrap(), State::Open);
        // Nothing is in the way any more.
        ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
        assert_eq!(place.read("d/f"), "n\n");
        ran.layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before);
    }
}

#[test]
fn a_taking_back_that_is_refused_half_way_leaves_what_was_kept() {
    if !is_root() {
        return;
    }
    for elsewhere in [false, true] {
        let (place, _shared) = full(elsewhere);
        let before = place.picture();
        let layer = place.keep(EVERYTHING);
        let after = place.picture();
        fixed(&place.tree.join("d"), "+i");
        let taken = layer.take_back(OnConflict::Stop);
        // And where it was cut.
        fs::write(place.layers.join(layer.id()).join("state"), "taking-back").unwrap();
        let recovered = if elsewhere { None } else { Some(layer.recover().unwrap().state) };
        fixed(&place.tree.join("d"), "-i");
        assert!(matches!(taken, Err(KeepError::Move { .. })), "{taken:?}");
        assert_eq!(place.picture(), after);
        if elsewhere {
            fs::write(place.layers.join(layer.id()).join("state"), "kept").unwrap();
        } else {
            assert_eq!(recovered, Some(State::Kept));
        }
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before);
    }
}

#[test]
fn a_disk_without_room_for_what_was_there_takes_nothing_away() {
    if !is_root() {
        return;
    }
    let mut place = Place::new();
    place.layers = place.home.join("small");
    let _small = Small::new(&place.layers, "1m");
    place.write("docs/a", &"precious".repeat(1 << 17));
    place.write("docs/b", &"precious".repeat(1 << 17));
    place.write("c", "precious");
    let before = place.picture();
    let ran = place.run("rm -r docs; echo n > c; echo n > n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let why = ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap_err();
    let KeepError::Layer(why) = why else { panic!("{why:?}") };
    assert!(why.to_string().contains("make room there and try again, nothing was changed"), "{why}");
    assert_eq!(place.picture(), before);
    assert_eq!(ran.layer.state().unwrap(), State::Open);
    ran.layer.discard().unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn what_cannot_be_put_away_is_put_back() {
    if !is_root() {
        return;
    }
    let mut place = Place::new();
    place.layers = place.home.join("small");
    // Room enough, and too few names: it is seen when the moves are made.
    let _small = Small::new(&place.layers, "4m,nr_inodes=400");
    let leave = |more: u64| {
        let known = rustix::fs::statvfs(&place.layers).unwrap();
        let option = format!("remount,nr_inodes={}", known.f_files - known.f_ffree + more);
        assert!(Command::new("mount").args(["-o", &option]).arg(&place.layers).status().unwrap().success());
    };
    (0..60).for_each(|number| place.write(&format!("docs/{number}"), "precious"));
    place.write("c", "precious");
    place.write("d", "precious");
    let before = place.picture();
    let ran = place.run("echo n > c; rm d; rm -r docs; echo n > n");
    leave(20);
    let error = ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap_err();
    assert!(matches!(error, KeepError::Layer(_)), "{error:?}");
    assert_eq!(place.picture(), before);
    assert_eq!(ran.layer.state().unwrap(), State::Open);
    let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
    assert_eq!(changes.len(), 4, "the layer is as it was, too: {changes:?}");
    ran.layer.discard().unwrap();
    leave(400);
    // What was kept is taken back where there is no room for what came, which waits.
    let layer = place.keep("rm d; mkdir more; touch more/x; echo n > c");
    (0..60).for_each(|number| place.write(&format!("more/{number}"), "since"));
    leave(20);
    let error = layer.take_back(OnConflict::Replace).unwrap_err();
    assert!(error.to_string().contains("nothing is lost"), "{error}");
    assert_eq!((place.read("c"), place.read("d")), ("precious".to_owned(), "precious".to_owned()));
    assert!(layer.discard().is_err());
    assert!(matches!(layer.recover(), Err(KeepError::Unfinished { .. })), "it waits");
    leave(400);
    assert_eq!(layer.recover().unwrap().state, State::TakenBack);
    assert_eq!(place.picture(), before);
}

#[test]
fn a_full_disk_at_the_last_step_leaves_the_tree_whole() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    // Tree and layers on one small disk.
    let small = place.home.join("small");
    let _small = Small::new(&small, "400k");
    let place = Place { tree: small.join("tree"), layers: small.join("layers"), ..place };
    fs::create_dir(&place.tree).unwrap();
    place.write("a", "precious");
    place.write("b", "precious");
    let before = place.picture();
    let ran = place.run("echo n > a; rm b; echo n > n");
    let mut fill = fs::File::create(small.join("fill")).unwrap();
    while std::io::Write::write(&mut fill, &[1; 4096]).is_ok_and(|written| written == 4096) {}
    let kept = ran.layer.keep(Caches::LeftOut, OnConflict::Stop);
    match (&kept, ran.layer.state().unwrap()) {
        (Ok(_), State::Kept) => ran.layer.take_back(OnConflict::Stop).map(drop).unwrap(),
        (Err(_), State::Open) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(place.picture(), before);
    ran.layer.discard().unwrap();
    assert_eq!(place.picture(), before);
}
