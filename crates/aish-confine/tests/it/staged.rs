//! Keeping and taking back by copies, where a rename cannot reach: which names are one file, and what belongs to each.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use aish_confine::{Caches, Layer, OnConflict};

use crate::faults::Mounted;
use crate::place::{Place, command, elsewhere, is_root, picture};

/// Makes a file in each of two folders whose inodes have the same number, each with a second name.
fn alike(a: &Path, b: &Path) {
    let inode = |path: &PathBuf| fs::metadata(path).unwrap().ino();
    let make = |folder: &Path, text: &str| {
        let _ = fs::remove_file(folder.join("file"));
        fs::write(folder.join("file"), text).unwrap();
        folder.join("file")
    };
    let (mut one, mut other) = (make(a, "content of a"), make(b, "content of b"));
    while inode(&one) != inode(&other) {
        if inode(&one) < inode(&other) {
            one = make(a, "content of a");
        } else {
            other = make(b, "content of b");
        }
    }
    fs::hard_link(&one, a.join("name")).unwrap();
    fs::hard_link(&other, b.join("name")).unwrap();
}

#[test]
fn files_of_two_file_systems_with_one_number_stay_two_files() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let other = place.home.join("other");
    let _trees = [&place.tree, &other].map(|tree| Mounted::new(tree, &["-t", "tmpfs", "none"]));
    alike(&place.tree, &other);
    let pictures = || (place.picture(), picture(&other));
    let before = pictures();
    for line in [
        "rm file name ../other/file ../other/name",
        "for f in file ../other/file; do echo x > n; mv n $f; done; rm name ../other/name",
    ] {
        let roots = [(place.tree.clone(), false), (other.clone(), false)];
        let mut plan = place.plan(line).1;
        let layer = Layer::create(&place.layers, line, None, &roots).unwrap();
        (plan.roots, plan.report) = (layer.roots(), Some(layer.report_path()));
        assert!(command(&plan).status().unwrap().success());
        layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
        assert_ne!(pictures(), before);
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(pictures(), before, "{line}");
    }
}

#[test]
fn capabilities_of_another_users_program_come_back() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let _tree = Mounted::new(&place.tree, &["-t", "tmpfs", "none"]);
    place.write("program", "x");
    let program = place.tree.join("program");
    std::os::unix::fs::chown(&program, Some(4242), Some(4242)).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    // cap_net_raw+ep, as `setcap` writes it.
    let capability = [1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(&program, "security.capability", &capability, flags).unwrap();
    let before = place.picture();
    let layer = place.keep("rm program");
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_name_that_comes_back_is_one_of_the_same_file() {
    let (place, _shared) = elsewhere();
    place.write("a", "x\n");
    place.write("d/e/f", "other\n");
    for name in ["b", "d/c"] {
        fs::hard_link(place.tree.join("a"), place.tree.join(name)).unwrap();
    }
    rustix::fs::setxattr(place.tree.join("a"), "user.k", b"0", rustix::fs::XattrFlags::empty()).unwrap();
    let before = place.picture();
    let inode = |name: &str| fs::metadata(place.tree.join(name)).unwrap().ino();
    for line in [
        "rm a",
        "rm a; chmod 755 b",
        "chmod 755 b; rm a; echo n > n",
        "rm a; touch -d 2002-02-02 b",
        "rm a; python3 -c 'import os; os.setxattr(\"b\", \"user.k\", b\"1\")'",
        "echo other > n; mv n a; chmod 700 d/c",
        "rm a b; chmod 755 d/c",
        "rm -r d",
        "rm -r d; chmod 755 a",
        "rm -r d a",
        "rm -r d; echo file > d",
        "rm -r d; mkdir d; echo n > d/c",
    ] {
        let layer = place.keep(line);
        assert_ne!(place.picture(), before, "{line}");
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
        assert!(inode("a") == inode("b") && inode("a") == inode("d/c"), "{line}");
    }
}

#[test]
fn a_file_of_which_no_other_name_is_in_the_tree_has_what_it_had() {
    let (place, _shared) = elsewhere();
    place.write("a", "x\n");
    fs::hard_link(place.tree.join("a"), place.tree.join("b")).unwrap();
    fs::hard_link(place.tree.join("a"), place.home.join("beside")).unwrap();
    let described = |lines: Vec<String>| lines.iter().find(|line| line.starts_with("a ")).cloned().unwrap();
    let without_links = |line: String| line.split(" links ").next().unwrap().to_owned();
    let before = without_links(described(place.picture()));
    let layer = place.keep("rm a; chmod 755 b; touch -d 2002-02-02 b");
    // An edit of the person's, under the name that is left.
    fs::write(place.tree.join("b"), "mine\n").unwrap();
    layer.take_back(OnConflict::Replace).unwrap();
    assert_eq!(without_links(described(place.picture())), before);
    assert_eq!(place.read("a"), "x\n");
    assert_eq!(place.read("b"), "mine\n");
}

#[test]
fn names_of_one_file_in_two_roots_go_and_come_back() {
    let place = Place::new();
    let cache = place.home.join("cache");
    fs::create_dir(&cache).unwrap();
    place.write("a", "a\n");
    fs::hard_link(place.tree.join("a"), cache.join("a")).unwrap();
    let pictures = || (place.picture(), picture(&cache));
    let before = pictures();
    for line in ["rm a ../cache/a", "for f in a ../cache/a; do echo x > n; mv n $f; done"] {
        let roots = [(place.tree.clone(), false), (cache.clone(), true)];
        let mut plan = place.plan(line).1;
        let layer = Layer::create(&place.layers, line, None, &roots).unwrap();
        (plan.roots, plan.report) = (layer.roots(), Some(layer.report_path()));
        assert!(command(&plan).status().unwrap().success());
        layer.keep(Caches::Included, OnConflict::Stop).unwrap();
        assert_ne!(pictures(), before);
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(pictures(), before, "{line}");
    }
}

#[test]
fn attributes_that_cannot_be_read_are_not_taken_for_empty() {
    // Root reads all.
    if is_root() {
        return;
    }
    let place = Place::new();
    place.write("f", "f\n");
    let file = place.tree.join("f");
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(&file, "user.t", b"five", flags).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o200)).unwrap();
    let read = || {
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let mut value = [0; 8];
        let length = rustix::fs::getxattr(&file, "user.t", &mut value[..]).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o200)).unwrap();
        value[..length].to_vec()
    };
    let ran = place.run("echo more >> f");
    if ran.layer.keep(Caches::LeftOut, OnConflict::Stop).is_ok() {
        assert_eq!(read(), b"five");
        ran.layer.take_back(OnConflict::Stop).unwrap();
    }
    assert_eq!(read(), b"five");
}

#[test]
fn a_new_file_that_cannot_be_read_comes_with_its_attributes_and_goes() {
    let place = Place::new();
    place.write("a", "a\n");
    let before = place.picture();
    let line = "echo n > n; python3 -c 'import os; os.setxattr(\"n\", \"user.t\", b\"five\")'; chmod 200 n";
    let layer = place.keep(line);
    let file = place.tree.join("n");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o200);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn capabilities_come_back_with_the_owner_that_a_file_had() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    place.write("program", "x");
    let program = place.tree.join("program");
    fs::hard_link(&program, place.tree.join("name")).unwrap();
    let capability = [1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    rustix::fs::setxattr(&program, "security.capability", &capability, rustix::fs::XattrFlags::empty()).unwrap();
    let before = place.picture();
    let ran = place.run("chmod 700 program");
    // As a command with the rights to it would leave it: a new owner takes them away.
    let upper = place.layers.join(ran.layer.id()).join("upper-0/program");
    std::os::unix::fs::chown(upper, Some(4242), Some(4242)).unwrap();
    ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    assert_ne!(place.picture(), before);
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}
