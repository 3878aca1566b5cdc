//! Extended attributes: those of overlayfs's own names, and those that another program changes while a layer is kept.

use std::fs;
use std::path::Path;

use aish_confine::{Caches, KeepError, Layer, OnConflict, State};
use rustix::fs::XattrFlags;

use crate::place::Place;

fn set(path: &Path, name: &str, value: &str) {
    rustix::fs::setxattr(path, name, value.as_bytes(), XattrFlags::empty()).unwrap();
}

fn get(path: &Path, name: &str) -> Option<String> {
    let mut value = [0; 64];
    let length = rustix::fs::getxattr(path, name, &mut value[..]).ok()?;
    Some(String::from_utf8(value[..length].to_vec()).unwrap())
}

/// A program that gives files attributes; words are `PATH NAME VALUE`.
const SET: &str = "xattr() { python3 -c 'import os,sys; os.setxattr(*map(os.fsencode, sys.argv[1:]))' \"$@\"; }; ";

fn refused(layer: &Layer) -> Vec<String> {
    let refused = layer.changes(Caches::LeftOut).unwrap().refused;
    assert!(refused.iter().all(|one| one.why.contains("user.overlay.")), "{refused:?}");
    refused.iter().map(|one| one.path.display().to_string()).collect()
}

#[test]
fn attributes_that_a_layer_takes_for_its_own_are_not_lost_in_silence() {
    for on_another in [false, true] {
        let mut place = Place::new();
        let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
        if on_another {
            place.layers = elsewhere.path().to_owned();
        }
        for name in ["had", "gone", "escaped", "plain", "d/in", "whole/in", "moved"] {
            place.write(name, "old\n");
        }
        for (name, attribute) in [
            ("had", "user.overlay.note"),
            ("gone", "user.overlay.note"),
            ("escaped", "user.overlay.overlay.note"),
            ("d", "user.overlay.note"),
            ("whole/in", "user.overlay.origin"),
            ("moved", "user.overlay.note"),
        ] {
            set(&place.tree.join(name), attribute, "1");
        }
        let before = place.picture();
        let ran = place.run(&format!(
            "{SET} echo new >> had; rm gone; echo new >> escaped; echo new >> plain; echo new >> d/in; chmod 711 d; \
            rm -r whole; xattr plain user.note 1; echo > given; xattr given user.overlay.opaque y; mkdir n f; \
            echo > n/plain; echo > n/given; xattr n/given user.overlay.x 1; echo > f/in; xattr f user.overlay.opaque y; \
            xattr d user.overlay.note 2; mkdir -p n/f; echo > n/f/in; xattr n/f user.overlay.x 1"
        ));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mut left_out = refused(&ran.layer);
        left_out.sort();
        assert_eq!(left_out, ["d", "escaped", "f", "given", "had", "n/f", "n/given"]);
        ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
        assert_eq!(["had", "escaped"].map(|name| place.read(name)), ["old\n", "old\n"]);
        assert_eq!(["plain", "d/in"].map(|name| place.read(name)), ["old\nnew\n", "old\nnew\n"]);
        assert_eq!(get(&place.tree.join("plain"), "user.note").as_deref(), Some("1"));
        assert_eq!(get(&place.tree.join("d"), "user.overlay.note").as_deref(), Some("1"));
        assert!(place.tree.join("n/plain").exists());
        for name in ["gone", "whole", "f", "given", "n/f", "n/given"] {
            assert!(!place.tree.join(name).exists(), "{name}");
        }
        ran.layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before);
    }
}

#[test]
fn a_file_that_loses_such_an_attribute_by_being_moved_is_asked_about() {
    let place = Place::new();
    place.write("a", "old\n");
    place.write("b", "old\n");
    set(&place.tree.join("a"), "user.overlay.note", "1");
    let before = place.picture();
    let ran = place.run("mv a c; mv b d");
    let Err(KeepError::Conflicts(found)) = ran.layer.keep(Caches::LeftOut, OnConflict::Stop) else { panic!() };
    assert_eq!(found.iter().map(|one| one.path.clone()).collect::<Vec<_>>(), [place.tree.join("c")]);
    assert_eq!(place.picture(), before);
}

/// Brings a layer to the moment before its first move.
fn about_to_move(layer: &Layer, place: &Place) {
    let folder = place.layers.join(layer.id());
    fs::create_dir(folder.join("state.new")).unwrap();
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap_err();
    fs::remove_dir(folder.join("state.new")).unwrap();
    fs::write(folder.join("state"), "keeping").unwrap();
}

#[test]
fn what_another_changes_between_the_look_and_the_move_is_not_overwritten() {
    use std::os::unix::fs::PermissionsExt as _;
    type Change = fn(&Path);
    let changes: [(&str, Change); 4] = [
        ("a file's attributes", |tree| set(&tree.join("a"), "user.person", "2")),
        ("a file's mode", |tree| fs::set_permissions(tree.join("a"), fs::Permissions::from_mode(0o640)).unwrap()),
        ("what is deleted", |tree| set(&tree.join("gone"), "user.person", "2")),
        ("attributes of a file with several names", |tree| set(&tree.join("l"), "user.note", "2")),
    ];
    for (what, change) in changes {
        let place = Place::new();
        for name in ["a", "gone", "l", "z"] {
            place.write(name, "old\n");
            set(&place.tree.join(name), "user.note", "1");
        }
        fs::hard_link(place.tree.join("l"), place.tree.join("l2")).unwrap();
        let ran = place.run(&format!("{SET} echo new >> a; rm gone; xattr l user.note 3; echo new >> z"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        about_to_move(&ran.layer, &place);
        change(&place.tree);
        let before = place.picture();
        assert_eq!(ran.layer.recover().unwrap().state, State::Open, "{what}");
        assert_eq!(place.picture(), before, "{what}");
    }
}

#[test]
fn attributes_of_a_folder_that_another_changes_meanwhile_stay() {
    let place = Place::new();
    place.write("d/a", "old\n");
    place.write("e/a", "old\n");
    for name in ["d", "e"] {
        set(&place.tree.join(name), "user.note", "1");
    }
    let ran = place.run(&format!("{SET} echo new >> d/a; xattr e user.note 2; echo new >> e/a"));
    about_to_move(&ran.layer, &place);
    set(&place.tree.join("d"), "user.note", "person");
    set(&place.tree.join("e"), "user.person", "1");
    assert_eq!(ran.layer.recover().unwrap().state, State::Kept);
    let note = |name: &str, attribute: &str| get(&place.tree.join(name), attribute);
    assert_eq!(note("d", "user.note").as_deref(), Some("person"));
    assert_eq!((note("e", "user.note").as_deref(), note("e", "user.person").as_deref()), (Some("2"), Some("1")));
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(note("d", "user.note").as_deref(), Some("person"));
    assert_eq!((note("e", "user.note").as_deref(), note("e", "user.person").as_deref()), (Some("1"), Some("1")));
}

#[test]
fn attributes_that_came_after_keeping_are_not_taken_away_in_silence() {
    let place = Place::new();
    for name in ["a", "s/l", "d/x"] {
        place.write(name, "old\n");
        set(&place.tree.join(name), "user.note", "1");
    }
    fs::hard_link(place.tree.join("s/l"), place.tree.join("s/l2")).unwrap();
    let before = place.picture();
    let layer = place.keep(&format!("{SET} echo new >> a; echo new > n; xattr s/l user.note 2; xattr d user.note 2"));
    let after = place.picture();
    for name in ["a", "n", "s/l", "d"] {
        let path = place.tree.join(name);
        let was = get(&path, "user.note");
        set(&path, "user.note", "person");
        let Err(KeepError::Conflicts(found)) = layer.take_back(OnConflict::Stop) else { panic!("{name}") };
        assert!(found.iter().all(|one| one.path == path) && found.len() == 1, "{found:?}");
        match was {
            Some(was) => set(&path, "user.note", &was),
            None => rustix::fs::removexattr(&path, "user.note").unwrap(),
        }
        assert_eq!(place.picture(), after);
    }
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_file_that_lost_its_attributes_is_told() {
    let place = Place::new();
    for name in ["lost", "kept", "gone", "plain"] {
        place.write(name, "old\n");
    }
    for name in ["lost", "kept", "gone"] {
        set(&place.tree.join(name), "user.note", "1");
    }
    let ran = place.run("for f in lost plain; do echo new > n; mv n $f; done; echo more >> kept; rm gone");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let changes = ran.layer.changes(Caches::LeftOut).unwrap().changes;
    let lost = changes.iter().filter(|change| change.loses_attributes()).map(|change| change.path.as_path());
    assert_eq!(lost.collect::<Vec<_>>(), [Path::new("lost")]);
}
