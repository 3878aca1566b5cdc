//! Nothing beyond the tree is read or written, and nothing that has changed in the meantime.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use aish_files::{Change, FileError};

use crate::place::{Place, names};

#[test]
fn no_path_leads_out() {
    let place = Place::new();
    std::fs::write(place.outside.join("secret"), "s").unwrap();
    place.write("in/a.txt", "a");
    symlink(&place.outside, place.root.join("out")).unwrap();
    symlink("../outside", place.root.join("up")).unwrap();
    symlink("in", place.root.join("inner")).unwrap();
    symlink("nowhere", place.root.join("dangling")).unwrap();
    symlink("/proc/self/root", place.root.join("magic")).unwrap();
    let tree = place.tree();
    let refused = [
        "out/secret",
        "up/secret",
        "../outside/secret",
        "/etc/passwd",
        "magic/etc/passwd",
        "in/../../outside/secret",
        "out/new",
    ];
    for path in refused {
        assert!(matches!(tree.locate(path), Err(FileError::Outside(..))), "{path}: {:?}", tree.locate(path));
    }
    for path in ["", "a\0b", "dangling", "in/a.txt/b"] {
        assert!(tree.locate(path).is_err(), "{path}");
    }
    let through = tree.locate("inner/../inner/a.txt").unwrap();
    assert_eq!((through.below.to_str(), through.asked.to_str()), (Some("in/a.txt"), Some("inner/a.txt")));
    let absolute = tree.locate(place.root.join("in/a.txt").to_str().unwrap()).unwrap();
    assert_eq!(tree.read(&absolute).unwrap().bytes, b"a");
}

#[test]
fn a_folder_that_becomes_a_link_is_not_followed() {
    let place = Place::new();
    std::fs::write(place.outside.join("a.txt"), "outside").unwrap();
    place.write("in/a.txt", "inside");
    let tree = place.tree();
    let located = tree.locate("in/a.txt").unwrap();
    let hash = tree.read(&located).unwrap().hash;
    std::fs::rename(place.root.join("in"), place.root.join("was")).unwrap();
    symlink(&place.outside, place.root.join("in")).unwrap();
    assert!(tree.read(&located).is_err());
    let change = Change::Replace { expected: &hash, bytes: b"x" };
    assert!(tree.replace(&located, change).is_err());
    assert!(tree.replace(&tree.locate("was/b.txt").unwrap(), Change::Create(b"b")).is_ok());
    assert_eq!(std::fs::read(place.outside.join("a.txt")).unwrap(), b"outside");
    assert_eq!(names(&place.outside), ["a.txt"]);
}

#[test]
fn what_has_changed_is_not_written() {
    let place = Place::new();
    let path = place.write("a.txt", "one");
    let tree = place.tree();
    let located = tree.locate("a.txt").unwrap();
    let hash = tree.read(&located).unwrap().hash;
    std::fs::write(&path, "two").unwrap();
    for change in
        [Change::Replace { expected: &hash, bytes: b"x" }, Change::Delete { expected: &hash }, Change::Create(b"x")]
    {
        assert!(matches!(tree.replace(&located, change), Err(FileError::Changed(_))), "{change:?}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    assert_eq!(names(&place.root), ["a.txt"]);
}

#[test]
fn a_new_file_gets_its_folders() {
    let place = Place::new();
    let tree = place.tree();
    let located = tree.locate("a/b/c.txt").unwrap();
    assert!(!located.exists);
    tree.replace(&located, Change::Create(b"new")).unwrap();
    assert_eq!(std::fs::read(place.root.join("a/b/c.txt")).unwrap(), b"new");
    assert_eq!(names(&place.root.join("a/b")), ["c.txt"]);
    let hash = tree.read(&located).unwrap().hash;
    tree.replace(&located, Change::Delete { expected: &hash }).unwrap();
    assert_eq!(names(&place.root.join("a/b")), Vec::<String>::new());
}

#[test]
fn pipes_and_devices_are_not_opened() {
    let place = Place::new();
    let pipe = place.root.join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.root.join("socket")).unwrap();
    let tree = place.tree();
    for path in ["pipe", "socket", "."] {
        let read = tree.read(&tree.locate(path).unwrap());
        assert!(matches!(read, Err(FileError::Kind(..))), "{path}: {read:?}");
    }
}

#[test]
fn mode_owner_and_attributes_are_kept() {
    let place = Place::new();
    let path = place.write("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4751)).unwrap();
    if std::os::unix::fs::chown(&path, Some(1234), Some(1234)).is_ok() {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4751)).unwrap();
    }
    let named = rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    let before = std::fs::metadata(&path).unwrap();
    let tree = place.tree();
    let located = tree.locate("run.sh").unwrap();
    let hash = tree.read(&located).unwrap().hash;
    tree.replace(&located, Change::Replace { expected: &hash, bytes: b"#!/bin/sh\necho\n" }).unwrap();
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    if named.is_ok() {
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(&path, "user.note", &mut value).unwrap();
        assert_eq!(value.get(..length), Some(&b"kept"[..]));
    }
}
