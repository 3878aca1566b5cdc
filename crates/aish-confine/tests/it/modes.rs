//! Folders that keep their owner out: kept and taken back like all others, or told.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use aish_confine::{Caches, KeepError, OnConflict, State};

use crate::place::{Place, is_root};

const MODES: [u32; 7] = [0o644, 0o600, 0o000, 0o300, 0o111, 0o555, 0o500];

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Places with layers that a rename reaches the tree from, and with others.
fn places(check: impl Fn(Place)) {
    check(Place::new());
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut place = Place::new();
    place.layers = elsewhere.path().to_owned();
    check(place);
}

#[test]
fn a_folder_that_the_command_closes_is_kept_and_comes_back() {
    for closed in MODES {
        places(|place| {
            place.write("a", "1");
            place.write("d/f", "1");
            place.write("d/in/g", "1");
            place.write("d/gone", "1");
            let before = place.picture();
            let layer = place.keep(&format!(
                "echo -n 2 >> d/f; echo -n 2 > d/in/g; echo -n 2 > a; rm d/gone; echo n > d/n; chmod {closed:o} d/in d"
            ));
            let tree = &place.tree;
            assert_eq!((place.read("a").as_str(), mode(&tree.join("d"))), ("2", closed));
            layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(place.picture(), before, "{closed:o}");
            // Once more, to look at what came.
            let layer =
                place.keep(&format!("echo -n 2 >> d/f; echo -n 2 > d/in/g; rm d/gone; chmod {closed:o} d/in d"));
            set_mode(&tree.join("d"), 0o755);
            assert_eq!(mode(&tree.join("d/in")), closed);
            set_mode(&tree.join("d/in"), 0o755);
            assert_eq!((place.read("d/f"), place.read("d/in/g")), ("12".to_owned(), "2".to_owned()), "{closed:o}");
            layer.discard().unwrap();
        });
    }
}

#[test]
fn a_new_folder_that_is_closed_is_counted_and_comes_as_it_is() {
    for closed in MODES {
        places(|place| {
            let before = place.picture();
            let line = format!("mkdir -p e/in; echo 1 > e/f; echo 22 > e/in/g; chmod {closed:o} e/in e");
            let ran = place.run(&line);
            let changes = ran.layer.changes(Caches::LeftOut).unwrap();
            let facts: Vec<_> = changes.changes.iter().map(|one| (one.path.clone(), one.files, one.bytes)).collect();
            assert_eq!(facts, [("e".into(), 2, 5)], "{closed:o}");
            ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
            let (top, inner) = (place.tree.join("e"), place.tree.join("e/in"));
            assert_eq!(mode(&top), closed);
            ran.layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(place.picture(), before, "{closed:o}");
            let again = place.run(&line);
            again.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
            set_mode(&top, 0o755);
            assert_eq!(mode(&inner), closed);
            set_mode(&inner, 0o755);
            assert_eq!((place.read("e/f"), place.read("e/in/g")), ("1\n".to_owned(), "22\n".to_owned()));
        });
    }
}

#[test]
fn a_closed_folder_in_the_place_of_another_shows_nothing_of_it() {
    for closed in MODES {
        places(|place| {
            place.write("d/f", "old");
            let before = place.picture();
            let layer = place.keep(&format!("rm -r d; mkdir d; echo n > d/n; chmod {closed:o} d"));
            layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(place.picture(), before, "{closed:o}");
            place.keep(&format!("rm -r d; mkdir d; echo n > d/n; chmod {closed:o} d"));
            set_mode(&place.tree.join("d"), 0o755);
            assert!(!place.tree.join("d/f").exists() && place.read("d/n") == "n\n", "{closed:o}");
        });
    }
}

#[test]
fn a_folder_that_was_closed_before_is_written_in() {
    for closed in [0o300, 0o311, 0o333] {
        places(|place| {
            place.write("a", "precious");
            place.write("b", "precious");
            place.write("d/f", "1");
            set_mode(&place.tree.join("d"), closed);
            let before = place.picture();
            let layer = place.keep("echo -n new > a; rm b; echo -n 2 >> d/f; echo n > d/n");
            assert_eq!((place.read("a"), place.read("d/f")), ("new".to_owned(), "12".to_owned()));
            assert_eq!(mode(&place.tree.join("d")), closed);
            layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(place.picture(), before, "{closed:o}");
            assert_eq!((place.read("a"), place.read("d/f")), ("precious".to_owned(), "1".to_owned()));
            assert!(!place.tree.join("d/n").exists());
            set_mode(&place.tree.join("d"), 0o755);
        });
    }
}

#[test]
fn a_folder_that_a_person_closed_since_stays_closed_when_its_files_come_back() {
    for closed in MODES {
        places(|place| {
            place.write("a", "1");
            place.write("d/in/f", "1");
            place.write("d/in/g", "1");
            let before = place.picture();
            let layer = place.keep("echo -n 2 > a; echo -n 2 >> d/in/f; rm d/in/g; echo n > d/in/n");
            set_mode(&place.tree.join("d/in"), closed);
            set_mode(&place.tree.join("d"), closed);
            layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(mode(&place.tree.join("d")), closed);
            set_mode(&place.tree.join("d"), 0o755);
            assert_eq!(mode(&place.tree.join("d/in")), closed);
            set_mode(&place.tree.join("d/in"), 0o755);
            assert_eq!(place.picture(), before, "{closed:o}");
            assert_eq!(layer.state().unwrap(), State::TakenBack);
        });
    }
}

#[test]
fn the_tree_itself_may_be_closed() {
    for closed in [0o600, 0o300, 0o000] {
        places(|place| {
            place.write("a", "1");
            let before = place.picture();
            let layer = place.keep(&format!("echo -n 2 > a; echo n > n; chmod {closed:o} ."));
            assert_eq!(mode(&place.tree), closed);
            layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(place.picture(), before, "{closed:o}");
        });
    }
}

#[test]
fn unreadable_files_come_and_go() {
    places(|place| {
        place.write("a", "1");
        place.write("d/f", "1");
        set_mode(&place.tree.join("d/f"), 0o000);
        let before = place.picture();
        let layer = place.keep("echo -n 2 > a; chmod 0 a; rm -r d; echo n > n; chmod 0 n");
        assert_eq!(mode(&place.tree.join("a")), 0);
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before);
        set_mode(&place.tree.join("d/f"), 0o600);
        assert_eq!((place.read("a"), place.read("d/f")), ("1".to_owned(), "1".to_owned()));
    });
}

#[test]
fn what_is_left_out_of_a_folder_that_may_not_be_written_leaves_the_rest() {
    for closed in ["a-w", "a-rwx", "u=x"] {
        places(|place| {
            place.write("f", "1");
            let before = place.picture();
            let layer = place.keep(&format!(
                "rm f; mkdir -p v/m/o; echo 1 > v/m/f; ln -s /root/x v/m/l; mkfifo v/m/o/p; find v -depth -type d -exec chmod {closed} {{}} +"
            ));
            let folders = ["v", "v/m", "v/m/o"].map(|folder| place.tree.join(folder));
            let closed = mode(&folders[0]);
            folders.iter().for_each(|folder| set_mode(folder, 0o755));
            assert!(place.tree.join("v/m/f").exists());
            assert!(fs::symlink_metadata(place.tree.join("v/m/l")).is_err());
            assert!(fs::symlink_metadata(place.tree.join("v/m/o/p")).is_err());
            folders.iter().rev().for_each(|folder| set_mode(folder, closed));
            layer.take_back(OnConflict::Replace).unwrap();
            assert_eq!(place.picture(), before);
        });
    }
}

#[test]
fn a_folder_that_cannot_be_compared_is_told() {
    let place = Place::new();
    place.write("a", "precious");
    place.write("d/f", "precious");
    set_mode(&place.tree.join("d"), 0o200);
    let before = place.picture();
    let ran = place.run("echo n > a; chmod 700 d; echo n > d/f");
    let kept = ran.layer.keep(Caches::LeftOut, OnConflict::Stop);
    if is_root() {
        kept.unwrap();
        ran.layer.take_back(OnConflict::Stop).unwrap();
    } else {
        let KeepError::Layer(why) = kept.unwrap_err() else { panic!() };
        assert!(why.to_string().contains("tree/d/f; you must be able to read it and to enter its folders"), "{why}");
        assert_eq!(ran.layer.state().unwrap(), State::Open);
    }
    assert_eq!(place.picture(), before);
    set_mode(&place.tree.join("d"), 0o700);
    assert_eq!((place.read("a"), place.read("d/f")), ("precious".to_owned(), "precious".to_owned()));
}

#[test]
fn a_folder_that_was_open_for_its_move_when_that_was_cut_is_as_it_was() {
    let place = Place::new();
    place.write("d/f", "precious");
    set_mode(&place.tree.join("d"), 0o555);
    let before = place.picture();
    let layer = place.keep("chmod 755 d; rm -r d; mkdir e; echo n > e/n; chmod 555 e");
    let after = place.picture();
    let (folder, come) = (place.layers.join(layer.id()), place.tree.join("e"));
    let cut = |state: &str, opened: &[&Path]| {
        opened.iter().for_each(|path| set_mode(path, 0o755));
        let inode = std::os::unix::fs::MetadataExt::ino(&fs::metadata(opened[0]).unwrap());
        let note = format!("{{\"root\":0,\"path\":\"e\",\"mode\":365,\"inode\":{inode}}}\n");
        fs::write(folder.join("opened"), note).unwrap();
        fs::write(folder.join("state"), state).unwrap();
    };
    let old = fs::read_dir(folder.join("old")).unwrap().map(|entry| entry.unwrap().path());
    let old = old.into_iter().find(|path| path.join("f").exists()).unwrap();
    cut("keeping", &[&come, &old]);
    assert_eq!(layer.recover().unwrap().state, State::Kept);
    assert_eq!((place.picture(), mode(&old)), (after, 0o555));
    // One that a person has put in its place is no matter of the note.
    set_mode(&come, 0o755);
    fs::rename(&come, place.home.join("e")).unwrap();
    fs::create_dir(&come).unwrap();
    cut("keeping", &[&place.home.join("e"), &old]);
    set_mode(&come, 0o755);
    assert_eq!(layer.recover().unwrap().state, State::Kept);
    assert_eq!((mode(&come), mode(&old)), (0o755, 0o555));
    fs::remove_dir(&come).unwrap();
    set_mode(&place.home.join("e"), 0o755);
    fs::rename(place.home.join("e"), &come).unwrap();
    set_mode(&come, 0o555);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_folder_in_one_that_was_closed_gets_its_mode_again() {
    for line in ["chmod 700 d/e; chmod 000 d", "chmod 000 d/e/g d/e d", "chmod 500 d/e; echo n > n; chmod 300 d/e d"] {
        places(|place| {
            fs::create_dir_all(place.tree.join("d/e/g")).unwrap();
            let before = place.picture();
            let layer = place.keep(line);
            assert_ne!(place.picture(), before);
            layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(place.picture(), before, "{line}");
        });
    }
}

#[test]
fn a_folder_that_cannot_be_read_gets_attributes_and_loses_them_again() {
    for closed in [0o300, 0o500, 0o100, 0o000] {
        places(|place| {
            place.write("d/f", "1");
            set_mode(&place.tree.join("d"), closed);
            let before = open_picture(&place, closed);
            let set = "import os; os.setxattr(\"d\", \"user.note\", b\"1\")";
            let layer = place.keep(&format!("chmod 700 d; python3 -c '{set}'; chmod {closed:o} d"));
            assert_eq!(mode(&place.tree.join("d")), closed);
            assert_ne!(open_picture(&place, closed), before, "{closed:o}");
            layer.take_back(OnConflict::Stop).unwrap();
            assert_eq!(open_picture(&place, closed), before, "{closed:o}");
        });
    }
}

/// Looks at a tree with a folder in it that is closed.
fn open_picture(place: &Place, closed: u32) -> Vec<String> {
    let folder = place.tree.join("d");
    assert_eq!(mode(&folder), closed);
    set_mode(&folder, 0o700);
    let picture = place.picture();
    set_mode(&folder, closed);
    picture
}

#[test]
fn a_tree_that_may_not_be_written_to_is_moved_to_by_copies_too() {
    places(|place| {
        place.write("a", "1");
        place.write("b", "1");
        set_mode(&place.tree, 0o555);
        let before = place.picture();
        let layer = place.keep("chmod 755 .; echo 2 > a; rm b; echo 3 > c; chmod 555 .");
        assert_eq!(mode(&place.tree), 0o555);
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before);
        set_mode(&place.tree, 0o755);
    });
}
