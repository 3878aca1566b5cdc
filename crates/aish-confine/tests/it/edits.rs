//! What a person edits while a layer is moved, or after a cut: it stays in the tree, or is put aside as a step that brings it back.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use aish_confine::{Caches, KeepError, Layer, OnConflict, State};
use tempfile::TempDir;

use crate::place::{Place, is_root};

/// Files that are moved between the first and the last one.
const MANY: usize = 3000;

fn append(path: &Path, text: &str) {
    fs::File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Notes that a layer is in the midst of something, as a cut leaves it.
fn cut(place: &Place, layer: &Layer, state: &str) {
    fs::write(place.layers.join(layer.id()).join("state"), state).unwrap();
}

/// Returns the steps that were put aside.
fn steps(place: &Place, of: &Layer) -> Vec<Layer> {
    let all = Layer::all(&place.layers);
    all.into_iter().filter(|one| one.id() != of.id() && one.state().unwrap() == State::Kept).collect()
}

/// Places with layers that a rename reaches the tree from, and with others.
fn places() -> Vec<(Place, Option<TempDir>)> {
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut elsewhere = Place::new();
    elsewhere.layers = shared.path().to_owned();
    vec![(Place::new(), None), (elsewhere, Some(shared))]
}

#[test]
fn what_was_edited_after_all_moves_of_a_cut_keeping_stays() {
    let place = Place::new();
    place.write("f", "old\n");
    place.write("gone", "old\n");
    let before = place.picture();
    let layer = place.keep("mkdir n; echo n > n/n; echo new >> f; rm gone; echo x > x; echo y > y");
    place.write("n/mine", "mine\n");
    append(&place.tree.join("f"), "newer\n");
    fs::remove_file(place.tree.join("x")).unwrap();
    fs::write(place.home.join("saved"), "mine\n").unwrap();
    fs::rename(place.home.join("saved"), place.tree.join("y")).unwrap();
    cut(&place, &layer, "keeping");
    assert_eq!(layer.recover().unwrap().state, State::Kept);
    assert_eq!((place.read("n/mine"), place.read("f")), ("mine\n".into(), "old\nnew\nnewer\n".into()));
    assert_eq!((place.read("y").as_str(), place.tree.join("x").exists()), ("mine\n", false));
    // And it is what it was kept as.
    assert!(matches!(layer.take_back(OnConflict::Stop), Err(KeepError::Conflicts(_))));
    layer.take_back(OnConflict::Replace).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn what_was_edited_in_a_cut_keeping_that_is_given_up_is_put_aside() {
    let place = Place::new();
    place.write("a", "old\n");
    place.write("e", "old\n");
    place.write("z/f", "old\n");
    let layer = place.keep("echo new >> a; mkdir b; echo n > b/n; echo n > c; echo new >> e; chmod 711 z");
    append(&place.tree.join("a"), "mine\n");
    place.write("b/mine", "mine\n");
    fs::write(place.home.join("saved"), "mine\n").unwrap();
    fs::rename(place.home.join("saved"), place.tree.join("e")).unwrap();
    // Neither what it was nor what it came with: this cannot be completed.
    fs::set_permissions(place.tree.join("z"), std::os::unix::fs::PermissionsExt::from_mode(0o750)).unwrap();
    cut(&place, &layer, "keeping");
    assert_eq!(layer.recover().unwrap().state, State::Open);
    assert_eq!((place.read("a"), place.read("e")), ("old\n".into(), "mine\n".into()));
    assert!(!place.tree.join("b").exists() && !place.tree.join("c").exists());
    let steps = steps(&place, &layer);
    assert_eq!(steps.len(), 1);
    assert!(steps[0].about.command.starts_with(&format!("keeping of {}: echo new", layer.id())));
    layer.discard().unwrap();
    steps[0].take_back(OnConflict::Stop).unwrap();
    assert_eq!((place.read("a"), place.read("b/mine")), ("old\nnew\nmine\n".into(), "mine\n".into()));
    assert_eq!(place.read("e"), "old\n", "what was there before what a person put there is in it, too");
    assert!(!place.tree.join("c").exists());
}

#[test]
fn what_was_edited_before_a_keeping_is_refused_is_put_aside() {
    if !is_root() {
        return;
    }
    for (place, _shared) in places() {
        place.write("a", "old\n");
        (0..MANY).for_each(|number| place.write(&format!("m/{number}"), ""));
        place.write("z/last", "old\n");
        let (first, last) = (place.tree.join("a"), place.tree.join("z"));
        for attempt in 0.. {
            assert!(attempt < 20, "it was never edited in time");
            let ran = place.run("echo new >> a; for f in m/*; do echo n > $f; done; echo new >> z/last");
            assert!(Command::new("chattr").arg("+i").arg(&last).status().unwrap().success());
            let done = AtomicBool::new(false);
            let kept = thread::scope(|scope| {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        if fs::read_to_string(&first).is_ok_and(|text| text == "old\nnew\n") {
                            append(&first, "mine\n");
                            return;
                        }
                    }
                });
                let kept = ran.layer.keep(Caches::LeftOut, OnConflict::Stop);
                done.store(true, Ordering::Relaxed);
                kept
            });
            assert!(Command::new("chattr").arg("-i").arg(&last).status().unwrap().success());
            let Err(KeepError::GaveWay { step, .. }) = kept else {
                assert!(matches!(kept, Err(KeepError::Move { .. } | KeepError::Layer(_))), "{kept:?}");
                ran.layer.discard().unwrap();
                place.write("a", "old\n");
                continue;
            };
            assert_eq!((place.read("a").as_str(), ran.layer.state().unwrap()), ("old\n", State::Open));
            ran.layer.discard().unwrap();
            Layer::open(place.layers.join(step)).unwrap().take_back(OnConflict::Stop).unwrap();
            assert_eq!(place.read("a"), "old\nnew\nmine\n");
            break;
        }
    }
}

#[test]
fn what_was_edited_after_a_cut_of_an_undo_is_put_aside() {
    let place = Place::new();
    for name in ["a", "gone", "e"] {
        place.write(name, "old\n");
    }
    let before = place.picture();
    let layer = place.keep("echo new >> a; echo n > n; rm gone; echo new >> e");
    append(&place.tree.join("a"), "mine\n");
    append(&place.tree.join("n"), "mine\n");
    place.write("gone", "mine\n");
    cut(&place, &layer, "taking-back");
    assert_eq!(layer.recover().unwrap().state, State::TakenBack);
    assert_eq!(place.picture(), before);
    let steps = steps(&place, &layer);
    assert_eq!(steps.len(), 1);
    layer.discard().unwrap();
    assert_eq!(steps[0].take_back(OnConflict::Stop).unwrap(), 3);
    let all = ["a", "n", "gone"].map(|name| place.read(name));
    assert_eq!(all, ["old\nnew\nmine\n", "n\nmine\n", "mine\n"]);
}

#[test]
fn a_step_that_was_cut_while_it_was_made_gets_its_place() {
    let place = Place::new();
    place.write("a", "old\n");
    let layer = place.keep("echo new >> a; echo n > n");
    append(&place.tree.join("a"), "mine\n");
    append(&place.tree.join("n"), "mine\n");
    cut(&place, &layer, "taking-back");
    layer.recover().unwrap();
    let made = &steps(&place, &layer)[0];
    // As if it had been cut before the first of both was in it.
    let folder = place.layers.join(layer.id());
    fs::rename(place.layers.join(made.id()), folder.join("step")).unwrap();
    fs::rename(folder.join("step/old/0"), folder.join("upper-0/n")).unwrap();
    cut(&place, &layer, "taking-back");
    assert_eq!(layer.recover().unwrap().state, State::TakenBack);
    let steps = steps(&place, &layer);
    assert_eq!(steps.len(), 2);
    layer.discard().unwrap();
    steps.iter().for_each(|step| assert_eq!(step.take_back(OnConflict::Stop).unwrap(), 1));
    assert_eq!((place.read("a"), place.read("n")), ("old\nnew\nmine\n".into(), "n\nmine\n".into()));
}

#[test]
fn an_undo_stops_at_what_was_edited_since_it_looked() {
    for (place, _shared) in places() {
        place.write("a", "old\n");
        (0..MANY).for_each(|number| place.write(&format!("m/{number}"), ""));
        place.write("z", "old\n");
        let (first, last) = (place.tree.join("a"), place.tree.join("z"));
        for attempt in 0.. {
            assert!(attempt < 20, "it was never edited in time");
            let layer = place.keep("echo new >> a; for f in m/*; do echo n > $f; done; echo new >> z");
            let done = AtomicBool::new(false);
            let (taken, edited) = thread::scope(|scope| {
                let edits = scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        // The last one comes back first.
                        if fs::read_to_string(&last).is_ok_and(|text| text == "old\n") {
                            append(&first, "mine\n");
                            return true;
                        }
                    }
                    false
                });
                let taken = layer.take_back(OnConflict::Stop);
                done.store(true, Ordering::Relaxed);
                (taken, edits.join().unwrap())
            });
            if taken.is_ok() {
                // It came too late.
                assert!(!edited || place.read("a") == "old\nmine\n", "{}", place.read("a"));
                place.write("a", "old\n");
                continue;
            }
            assert!(matches!(taken, Err(KeepError::Conflicts(_))), "{taken:?}");
            assert_eq!((place.read("a").as_str(), place.read("z").as_str()), ("old\nnew\nmine\n", "old\nnew\n"));
            assert_eq!(layer.state().unwrap(), State::Kept);
            break;
        }
    }
}

#[test]
fn a_folder_that_changed_after_it_was_looked_at_stays() {
    let place = Place::new();
    (0..MANY).for_each(|number| place.write(&format!("a/{number}"), ""));
    for attempt in 0.. {
        assert!(attempt < 20, "it was never edited in time");
        place.write("z/in/f", "old\n");
        let ran = place.run("for f in a/*; do echo n > $f; done; rm -r z");
        let (was, last) = (place.read("a/0"), place.tree.join("z/in/f"));
        let done = AtomicBool::new(false);
        let kept = thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // It is written after all was looked at.
                    if place.layers.join(ran.layer.id()).join("state").exists() {
                        if let Ok(mut file) = fs::File::options().append(true).open(&last) {
                            file.write_all(b"mine\n").unwrap();
                        }
                        return;
                    }
                }
            });
            let kept = ran.layer.keep(Caches::LeftOut, OnConflict::Stop);
            done.store(true, Ordering::Relaxed);
            kept
        });
        if kept.is_ok() {
            ran.layer.discard().unwrap();
            continue;
        }
        assert!(matches!(kept, Err(KeepError::Conflicts(_))), "{kept:?}");
        assert_eq!(place.read("z/in/f"), "old\nmine\n");
        assert_eq!(place.read("a/0"), was);
        break;
    }
}

#[test]
fn what_was_edited_in_a_folder_that_the_command_closed_is_put_aside() {
    use std::os::unix::fs::PermissionsExt as _;
    for closed in [0o555, 0o500, 0o311] {
        for (place, shared) in places() {
            place.write("d/f", "old\n");
            let before = place.picture();
            let layer = place.keep(&format!("echo new >> d/f; echo n > d/n; chmod {closed:o} d"));
            append(&place.tree.join("d/f"), "mine\n");
            append(&place.tree.join("d/n"), "mine\n");
            assert!(matches!(layer.take_back(OnConflict::Stop), Err(KeepError::Conflicts(_))));
            if shared.is_none() {
                cut(&place, &layer, "taking-back");
                assert_eq!(layer.recover().unwrap().state, State::TakenBack);
                assert_eq!(place.picture(), before);
                let steps = steps(&place, &layer);
                layer.discard().unwrap();
                fs::set_permissions(place.tree.join("d"), fs::Permissions::from_mode(closed)).unwrap();
                steps[0].take_back(OnConflict::Stop).unwrap();
                let mode = fs::metadata(place.tree.join("d")).unwrap().permissions().mode() & 0o777;
                assert_eq!((steps.len(), mode), (1, closed));
                assert_eq!((place.read("d/f"), place.read("d/n")), ("old\nnew\nmine\n".into(), "n\nmine\n".into()));
            } else {
                layer.take_back(OnConflict::Replace).unwrap();
                assert_eq!(place.picture(), before);
            }
            fs::set_permissions(place.tree.join("d"), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}
