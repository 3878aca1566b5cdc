//! Files with several names: what a command does to one of them is kept for all, or asked about.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use aish_confine::{Caches, KeepError, Layer, OnConflict, State, Why};

use crate::place::Place;

/// Makes a tree in which `a` and `d/b` are one file, and `c` is another.
fn fill(place: &Place) {
    place.write("a", "old\n");
    place.write("c", "other\n");
    fs::create_dir(place.tree.join("d")).unwrap();
    fs::hard_link(place.tree.join("a"), place.tree.join("d/b")).unwrap();
}

fn elsewhere(place: &mut Place) -> tempfile::TempDir {
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    place.layers = elsewhere.path().to_owned();
    elsewhere
}

fn inode(place: &Place, path: &str) -> u64 {
    fs::metadata(place.tree.join(path)).unwrap().ino()
}

fn conflicts(layer: &Layer, place: &Place) -> Vec<(String, Why)> {
    match layer.keep(Caches::LeftOut, OnConflict::Stop) {
        Err(KeepError::Conflicts(all)) => {
            all.iter().map(|c| (c.path.strip_prefix(&place.tree).unwrap().display().to_string(), c.why)).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// Keeps what a line did, and says which paths are one file then; after it is taken back all is as it was.
#[track_caller]
fn one_file(place: &Place, line: &str, names: &[&str]) {
    let before = place.picture();
    let layer = place.keep(line);
    for name in names {
        assert_eq!(inode(place, name), inode(place, names[0]), "{line}: {name}");
        let links = fs::metadata(place.tree.join(name)).unwrap().nlink();
        assert_eq!(links, names.len() as u64, "{line}: {name}");
    }
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before, "{line}");
    layer.discard().unwrap();
}

#[test]
fn a_new_name_of_an_old_file_is_its_name_when_it_is_kept() {
    for on_another in [false, true] {
        let mut place = Place::new();
        let _elsewhere = on_another.then(|| elsewhere(&mut place));
        fill(&place);
        one_file(&place, "ln c e", &["c", "e"]);
        one_file(&place, "mkdir n; ln c n/e; ln n/e f", &["c", "n/e", "f"]);
        one_file(&place, "ln c e; chmod 600 e", &["c", "e"]);
        one_file(&place, "ln c e; echo more >> e", &["c", "e"]);
        one_file(&place, "ln c e; mv c f", &["e", "f"]);
        one_file(&place, "mv c e; ln e c", &["c", "e"]);
    }
}

#[test]
fn what_would_part_the_names_of_a_file_is_asked_about() {
    for (line, paths) in [
        ("mv a e", &["e"][..]),
        ("mv a e; echo more >> e", &["e"]),
        ("mkdir n; mv a n/e; touch n/f", &["n/e"]),
        ("mv d n", &["n/b"]),
        ("mv a c", &["c"]),
        ("mv a e; mv d/b f", &["e", "f"]),
        ("ln a e", &["e"]),
        ("mkdir n; ln a n/e", &["n/e"]),
        ("ln a e; chmod 600 a", &["e"]),
        ("for f in a d/b; do echo more >> $f; done", &["a", "d/b"]),
        ("echo more >> a; chmod 600 d/b", &["a"]),
        ("chmod 600 a; chmod 640 d/b", &["a", "d/b"]),
    ] {
        let place = Place::new();
        fill(&place);
        let before = place.picture();
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        let found = conflicts(&ran.layer, &place);
        let found: Vec<_> = found.iter().map(|(path, why)| (path.as_str(), *why)).collect();
        let expected: Vec<_> = paths.iter().map(|path| (*path, Why::Linked)).collect();
        assert_eq!(found, expected, "{line}");
        assert_eq!(place.picture(), before, "{line}");
        assert_eq!(ran.layer.state().unwrap(), State::Open, "{line}");
        ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
        assert_ne!(place.picture(), before, "{line}");
        ran.layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
    }
}

#[test]
fn what_is_the_same_for_all_names_of_a_file_is_not_asked_about() {
    for line in [
        "rm a",
        "rm a d/b; echo new > a; ln a d/b",
        "rm a; echo more >> d/b",
        "rm a; mv d/b e",
        "mv c e",
        "chmod 600 a; chmod 600 d/b",
        "chmod 600 a",
        "cp a e; echo new > n; mv n a",
        "sed -i s/old/new/ a; cp -r d n",
        "rm -r d; mv a e",
    ] {
        let place = Place::new();
        fill(&place);
        // One tick of the clock made all of them: their times tell nothing.
        let same = fs::metadata(place.tree.join("a")).unwrap().accessed().unwrap();
        let times = fs::FileTimes::new().set_accessed(same).set_modified(same);
        fs::File::options().write(true).open(place.tree.join("c")).unwrap().set_times(times).unwrap();
        let before = place.picture();
        let layer = place.keep(line);
        assert_ne!(place.picture(), before, "{line}");
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
    }
}
