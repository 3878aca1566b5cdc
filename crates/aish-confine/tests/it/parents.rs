//! Folders that are gone, renamed or replaced since their files were kept: told, and made again where that is wanted.

use std::fs;
use std::os::unix::fs::symlink;

use aish_confine::{Conflict, KeepError, Layer, OnConflict, State, Why};

use crate::place::Place;

fn conflicts(layer: &Layer, on_conflict: OnConflict) -> Vec<Conflict> {
    match layer.take_back(on_conflict) {
        Err(KeepError::Conflicts(conflicts)) => conflicts,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_folder_that_is_gone_is_told_and_made_again() {
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    for elsewhere in [false, true] {
        let mut place = Place::new();
        if elsewhere {
            place.layers = shared.path().to_owned();
        }
        place.write("a", "1");
        place.write("k/in/f", "1");
        place.write("k/in/gone", "1");
        place.write("e/gone", "1");
        let before = place.picture();
        let layer = place.keep("echo 2 > k/in/f; rm k/in/gone e/gone; echo n > k/in/n; echo 2 > a");
        fs::remove_dir_all(place.tree.join("k")).unwrap();
        fs::rename(place.tree.join("e"), place.tree.join("moved")).unwrap();
        let told = conflicts(&layer, OnConflict::Stop);
        let of = |name: &str| Conflict { path: place.tree.join(name), why: Why::Gone };
        assert!(told.contains(&of("k")) && told.contains(&of("e")), "{told:?}");
        assert_eq!(layer.state().unwrap(), State::Kept);
        layer.take_back(OnConflict::Replace).unwrap();
        fs::remove_dir(place.tree.join("moved")).unwrap();
        assert_eq!((place.read("k/in/f"), place.read("k/in/gone")), ("1".to_owned(), "1".to_owned()));
        let now = place.picture();
        // The time of a folder that nothing was done in by the run is not known.
        let known = |lines: &[String]| -> Vec<String> {
            lines.iter().filter(|line| !line.starts_with("k ") && !line.starts_with(' ')).cloned().collect()
        };
        assert_eq!(known(&now), known(&before));
    }
}

#[test]
fn no_way_leads_through_what_is_in_the_place_of_a_folder() {
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    for (elsewhere, link) in [(false, true), (false, false), (true, true), (true, false)] {
        let mut place = Place::new();
        if elsewhere {
            place.layers = shared.path().to_owned();
        }
        place.write("a", "1");
        place.write("k/in/f", "1");
        place.write("k/in/gone", "1");
        let layer = place.keep("echo 2 > k/in/f; rm k/in/gone; echo n > k/in/n; echo 2 > a");
        // Another folder of the same shape, outside.
        let outside = place.home.join("outside");
        fs::rename(place.tree.join("k"), &outside).unwrap();
        let target = place.tree.join("k");
        if link {
            symlink(&outside, &target).unwrap()
        } else {
            fs::write(&target, "file").unwrap()
        }
        let after = place.picture();
        for on_conflict in [OnConflict::Stop, OnConflict::Replace] {
            let told = conflicts(&layer, on_conflict);
            assert_eq!(told, [Conflict { path: target.clone(), why: Why::Replaced }]);
            assert_eq!(layer.state().unwrap(), State::Kept);
            assert_eq!(place.picture(), after);
            assert_eq!(fs::read_to_string(outside.join("in/f")).unwrap(), "2\n");
        }
        fs::remove_file(&target).unwrap();
        fs::rename(&outside, &target).unwrap();
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!((place.read("k/in/f"), place.read("a")), ("1".to_owned(), "1".to_owned()));
    }
}

#[test]
fn a_tree_that_is_gone_is_named() {
    let place = Place::new();
    place.write("a", "1");
    let layer = place.keep("echo 2 > a");
    let moved = place.home.join("moved");
    fs::rename(&place.tree, &moved).unwrap();
    let why = layer.take_back(OnConflict::Replace).unwrap_err();
    assert!(matches!(&why, KeepError::Gone(path) if *path == place.tree), "{why:?}");
    assert!(why.to_string().contains("is not there any more; put it back there"), "{why}");
    assert_eq!(layer.state().unwrap(), State::Kept);
    fs::rename(&moved, &place.tree).unwrap();
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.read("a"), "1");
}

#[test]
fn a_file_whose_attributes_alone_changed_may_be_gone() {
    let place = Place::new();
    place.write("a", "1");
    place.write("f", "1");
    fs::hard_link(place.tree.join("f"), place.tree.join("g")).unwrap();
    let layer = place.keep("echo 2 > a; chmod 700 f g");
    fs::remove_file(place.tree.join("f")).unwrap();
    fs::remove_file(place.tree.join("g")).unwrap();
    assert!(!conflicts(&layer, OnConflict::Stop).is_empty());
    layer.take_back(OnConflict::Replace).unwrap();
    assert_eq!(place.read("a"), "1");
}
