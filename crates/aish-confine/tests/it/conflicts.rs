//! A tree that changes while the command runs, or after its layer was kept.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use aish_confine::{Caches, KeepError, Layer, OnConflict, State, Why};

use crate::place::{Place, is_root};

fn keep(layer: &Layer, place: &Place) -> Vec<(String, Why)> {
    match layer.keep(Caches::LeftOut, OnConflict::Stop) {
        Err(KeepError::Conflicts(all)) => {
            all.iter().map(|c| (c.path.strip_prefix(&place.tree).unwrap().display().to_string(), c.why)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_that_another_changed_is_not_overwritten() {
    let place = Place::new();
    for name in ["a", "b", "d/x", "gone", "same"] {
        place.write(name, "old\n");
    }
    let ran = place.run("echo run >> a; echo run > b; rm -r d; rm gone; echo run > new; echo run >> same");
    place.write("b", "person\n");
    place.write("d/x", "person\n");
    fs::remove_file(place.tree.join("gone")).unwrap();
    place.write("gone", "person\n");
    let before = place.picture();
    let expected = ["b", "d", "gone"].map(|path| (path.to_owned(), Why::Changed));
    assert_eq!(keep(&ran.layer, &place), expected);
    assert_eq!(place.picture(), before);
    assert_eq!(ran.layer.state().unwrap(), State::Open);
    ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
    assert_eq!(place.read("b"), "run\n");
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before, "both versions are there to be had");
}

#[test]
fn a_folder_that_another_deleted_does_not_come_back_unasked() {
    for (line, asked) in
        [("rm -r d; mkdir d; echo run > d/y", true), ("echo run >> d/x", true), ("mkdir n; echo run > n/y", false)]
    {
        let place = Place::new();
        place.write("d/x", "old\n");
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        fs::remove_dir_all(place.tree.join("d")).unwrap();
        let before = place.picture();
        if asked {
            assert_eq!(keep(&ran.layer, &place), [("d".to_owned(), Why::Changed)], "{line}");
            assert_eq!(place.picture(), before, "{line}");
        }
        ran.layer.keep(Caches::LeftOut, if asked { OnConflict::Replace } else { OnConflict::Stop }).unwrap();
        ran.layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
    }
}

#[test]
fn a_new_path_that_another_made_first_is_not_overwritten() {
    let place = Place::new();
    let ran = place.run("echo run > new");
    place.write("new", "person\n");
    assert_eq!(keep(&ran.layer, &place), [("new".to_owned(), Why::Changed)]);
    assert_eq!(place.read("new"), "person\n");
}

#[test]
fn the_mode_that_another_gave_a_folder_stays() {
    let place = Place::new();
    place.write("d/a", "old\n");
    place.write("e/a", "old\n");
    let mode = |name: &str| fs::metadata(place.tree.join(name)).unwrap().mode() & 0o777;
    let set = |name: &str, mode| {
        fs::set_permissions(place.tree.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    // While it ran: what the layer says of the folder is of before.
    let ran = place.run("echo run >> d/a; echo run > d/n");
    set("d", 0o700);
    assert_eq!(keep(&ran.layer, &place), [("d".to_owned(), Why::Changed)]);
    ran.layer.discard().unwrap();
    // And between keeping and taking back.
    let layer = place.keep("echo run >> e/a; echo run > e/n");
    set("e", 0o700);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!((mode("e"), place.read("e/a").as_str()), (0o700, "old\n"));
    let layer = place.keep("chmod 711 e; echo run >> d/a; chmod 600 d/a");
    assert_eq!((mode("e"), mode("d")), (0o711, 0o700));
    set("e", 0o750);
    set("d/a", 0o640);
    let Err(KeepError::Conflicts(found)) = layer.take_back(OnConflict::Stop) else { panic!() };
    let paths: Vec<_> = found.iter().map(|conflict| conflict.path.strip_prefix(&place.tree).unwrap()).collect();
    assert_eq!(paths, [std::path::Path::new("d/a"), std::path::Path::new("e")]);
    set("e", 0o711);
    set("d/a", 0o600);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(mode("e"), 0o700);
}

#[test]
fn a_file_that_is_open_for_writing_is_a_conflict() {
    let place = Place::new();
    place.write("log", "old\n");
    place.write("read", "old\n");
    let ran = place.run("echo run >> log; echo run >> read");
    let _reader = fs::File::open(place.tree.join("read")).unwrap();
    let writer = fs::File::options().append(true).open(place.tree.join("log")).unwrap();
    assert_eq!(keep(&ran.layer, &place), [("log".to_owned(), Why::Open)]);
    drop(writer);
    // A process that another test starts has all that is open here until it runs its program.
    let begin = std::time::Instant::now();
    while let Err(error) = ran.layer.keep(Caches::LeftOut, OnConflict::Stop) {
        assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{error}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!((place.read("log"), place.read("read")), ("old\nrun\n".to_owned(), "old\nrun\n".to_owned()));
}

#[test]
fn a_name_of_several_is_a_conflict_unless_all_are_written() {
    let place = Place::new();
    place.write("a", "old\n");
    fs::hard_link(place.tree.join("a"), place.tree.join("b")).unwrap();
    let ran = place.run("echo run >> a");
    assert_eq!(keep(&ran.layer, &place), [("a".to_owned(), Why::Linked)]);
    place.keep("echo run > n; rm a b; mv n a; ln a b");
    assert_eq!((place.read("a").as_str(), place.read("b").as_str()), ("run\n", "run\n"));
}

#[test]
fn a_new_file_in_the_place_of_one_with_several_names_is_none() {
    let place = Place::new();
    place.write("a", "old\n");
    place.write("c", "old\n");
    fs::hard_link(place.tree.join("a"), place.tree.join("b")).unwrap();
    fs::hard_link(place.tree.join("c"), place.tree.join("d")).unwrap();
    let before = place.picture();
    let layer = place.keep("rm a; echo new > a; echo new > n; mv n c; cat a c");
    let all = ["a", "b", "c", "d"].map(|name| place.read(name));
    assert_eq!(all, ["new\n", "old\n", "new\n", "old\n"], "as it would be without a layer");
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
    let ran = place.run("echo more >> a; cat a");
    assert_eq!(keep(&ran.layer, &place), [("a".to_owned(), Why::Linked)], "reading it makes no new file of it");
}

#[test]
fn comparing_contents_makes_no_copy_of_a_new_file() {
    let place = Place::new();
    place.write("a", "old\n");
    place.write("c", "old\n");
    fs::hard_link(place.tree.join("a"), place.tree.join("b")).unwrap();
    fs::hard_link(place.tree.join("c"), place.tree.join("d")).unwrap();
    // Of the same size, so that both contents are read. The time of access of the old ones is set by the first who reads them.
    let ran = place.run("cat a c; echo new > n; mv n a; echo mew > c");
    ran.layer.changes(Caches::LeftOut).unwrap();
    assert_eq!(keep(&ran.layer, &place), [("c".to_owned(), Why::Linked)]);
}

#[test]
fn attributes_of_a_file_change_where_another_name_goes_with_a_folder() {
    let place = Place::new();
    place.write("a", "x");
    place.write("d/e", "x");
    std::fs::hard_link(place.tree.join("a"), place.tree.join("d/b")).unwrap();
    let before = place.picture();
    for line in ["rm -r d; chmod 755 a", "rm -r d; echo x > d; touch -d @5 a"] {
        let layer = place.keep(line);
        assert_ne!(place.picture(), before, "{line}");
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
    }
}

#[test]
fn attributes_of_a_file_with_several_names_change_for_all_of_them() {
    let place = Place::new();
    place.write("a", "old\n");
    fs::hard_link(place.tree.join("a"), place.home.join("outside")).unwrap();
    let before = place.picture();
    let layer =
        place.keep("touch -d @5 a; chmod 600 a; python3 -c 'import os; os.setxattr(\"a\", \"user.note\", b\"1\")'");
    let meta = fs::metadata(place.home.join("outside")).unwrap();
    assert_eq!((meta.mode() & 0o777, meta.mtime(), meta.nlink()), (0o600, 5, 2));
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
    assert_eq!(fs::metadata(place.home.join("outside")).unwrap().nlink(), 2);
}

#[test]
fn a_folder_that_became_a_link_is_never_followed() {
    let place = Place::new();
    place.write("d/a", "old\n");
    let ran = place.run("echo run >> d/a; echo run > d/n");
    let outside = place.home.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "precious\n").unwrap();
    fs::rename(place.tree.join("d"), place.tree.join("d2")).unwrap();
    std::os::unix::fs::symlink(&outside, place.tree.join("d")).unwrap();
    assert_eq!(keep(&ran.layer, &place), [("d".to_owned(), Why::Changed)]);
    ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "precious\n");
    assert!(!outside.join("n").exists());
}

#[test]
fn taking_back_does_not_overwrite_what_came_later() {
    let place = Place::new();
    place.write("a", "old\n");
    let before = place.picture();
    let layer = place.keep("echo run >> a; mkdir n; echo run > n/x");
    place.write("a", "person\n");
    place.write("n/y", "person\n");
    let Err(KeepError::Conflicts(found)) = layer.take_back(OnConflict::Stop) else { panic!() };
    assert_eq!(found.len(), 2);
    assert_eq!(place.read("a"), "person\n");
    layer.take_back(OnConflict::Replace).unwrap();
    assert_eq!(place.picture(), before);
    let roots = layer.roots();
    assert_eq!(fs::read_to_string(roots[0].upper.join("a")).unwrap(), "person\n", "it is in the layer");
    assert_eq!(fs::read_to_string(roots[0].upper.join("n/y")).unwrap(), "person\n");
}

#[test]
fn taking_back_never_follows_a_link() {
    let place = Place::new();
    place.write("d/a", "old\n");
    let layer = place.keep("echo run > d/a");
    let outside = place.home.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "precious\n").unwrap();
    fs::rename(place.tree.join("d"), place.tree.join("d2")).unwrap();
    std::os::unix::fs::symlink(&outside, place.tree.join("d")).unwrap();
    assert!(layer.take_back(OnConflict::Replace).is_err());
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "precious\n");
}

#[test]
fn runs_right_after_one_another_are_no_conflict() {
    let place = Place::new();
    place.write("a", "0\n");
    for round in 0..20 {
        place.keep(&format!("echo {round} >> a; echo {round} > n{round}; mkdir -p d; touch d/{round}"));
    }
    assert_eq!(place.read("a").lines().count(), 21);
}

#[test]
fn what_another_took_away_meanwhile_does_not_come_back_in_silence() {
    let place = Place::new();
    for name in ["a", "b", "d/x", "d/y"] {
        place.write(name, "old\n");
    }
    let ran = place.run("echo run >> a; rm b; echo run > b; echo run >> d/x; echo run > new");
    for name in ["a", "b"] {
        fs::remove_file(place.tree.join(name)).unwrap();
    }
    fs::rename(place.tree.join("d"), place.tree.join("moved")).unwrap();
    let before = place.picture();
    // A new file in the place of one that both took away is nobody's loss.
    assert_eq!(keep(&ran.layer, &place), ["a", "d"].map(|path| (path.to_owned(), Why::Changed)));
    assert_eq!(place.picture(), before);
    ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
    assert_eq!((place.read("a").as_str(), place.read("moved/x").as_str()), ("old\nrun\n", "old\n"));
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn an_index_that_git_only_looked_at_is_no_conflict() {
    let git = |place: &Place, words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words).current_dir(&place.tree);
        git.env("HOME", &place.home).env("GIT_CONFIG_NOSYSTEM", "1");
        let output = git.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let commit = "git -c user.name=a -c user.email=a@b commit -qm x";
    for line in ["git add a b", &format!("git add a b && {commit}")] {
        for version in ["2", "4"] {
            let place = Place::new();
            git(&place, &["init", "-q"]);
            git(&place, &["config", "index.version", version]);
            place.write("a", "1\n");
            place.write("d/b", "1\n");
            git(&place, &["add", "."]);
            git(&place, &["commit", "-qm", "first"]);
            place.write("a", "2\n");
            place.write("b", "2\n");
            let before = place.picture();
            let layer = place.keep(line);
            let index = place.tree.join(".git/index");
            let kept = fs::read(&index).unwrap();
            // Files of another time: git notes it anew.
            for name in ["a", "b", "d/b"] {
                let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
                let file = fs::File::options().write(true).open(place.tree.join(name)).unwrap();
                let was = file.metadata().unwrap().modified().unwrap();
                file.set_modified(old).unwrap();
                git(&place, &["status", "-s"]);
                file.set_modified(was).unwrap();
            }
            git(&place, &["status", "-s"]);
            assert_ne!(fs::read(&index).unwrap(), kept, "it was written anew");
            layer.take_back(OnConflict::Stop).unwrap();
            let without = |lines: &[String]| -> Vec<String> {
                lines.iter().filter(|line| !line.starts_with(".git/objects")).cloned().collect()
            };
            assert_eq!(without(&place.picture()), without(&before), "{line} {version}");
            // What says something else is one.
            let layer = place.keep(line);
            place.write("c", "c");
            git(&place, &["add", "c"]);
            assert!(matches!(layer.take_back(OnConflict::Stop), Err(KeepError::Conflicts(_))));
        }
    }
}

#[test]
fn a_folder_that_goes_is_looked_at_as_a_whole() {
    let place = Place::new();
    place.write("d/in/f", "old\n");
    place.write("e/in/f", "old\n");
    let ran = place.run("rm -r d; rm -r e; mkdir e; echo new > e/n");
    let writers =
        ["d", "e"].map(|name| fs::File::options().append(true).open(place.tree.join(name).join("in/f")).unwrap());
    assert_eq!(keep(&ran.layer, &place), ["d", "e"].map(|path| (path.to_owned(), Why::Open)));
    drop(writers);
    ran.layer.discard().unwrap();
    // Below where a path is longer than the system takes.
    let mut at = fs::File::open(place.tree.join("d")).unwrap();
    for _ in 0..25 {
        let name = "n".repeat(200);
        rustix::fs::mkdirat(&at, &name, rustix::fs::Mode::RWXU).unwrap();
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY;
        at = rustix::fs::openat(&at, &name, flags, rustix::fs::Mode::empty()).unwrap().into();
    }
    let ran = place.run("rm -r d");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
    let file = rustix::fs::openat(&at, "mine", flags, rustix::fs::Mode::RWXU).unwrap();
    drop(file);
    assert_eq!(keep(&ran.layer, &place), [("d".to_owned(), Why::Changed)]);
    ran.layer.discard().unwrap();
    aish_confine::remove_tree(&place.tree.join("d")).unwrap();
}

#[test]
fn a_folder_that_cannot_be_looked_through_is_a_conflict() {
    if is_root() {
        return;
    }
    for mode in [0o311, 0o444] {
        let place = Place::new();
        place.write("d/in/f", "old\n");
        fs::set_permissions(place.tree.join("d/in"), fs::Permissions::from_mode(mode)).unwrap();
        let ran = place.run("chmod 755 d/in; rm -r d");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(keep(&ran.layer, &place), [("d".to_owned(), Why::Unread)]);
        // Whoever wants it all the same gets it back as it was.
        ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
        ran.layer.take_back(OnConflict::Stop).unwrap();
        let now = fs::metadata(place.tree.join("d/in")).unwrap().mode() & 0o777;
        assert_eq!(now, mode);
        fs::set_permissions(place.tree.join("d/in"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(place.read("d/in/f"), "old\n");
    }
}

#[test]
fn attributes_of_another_file_are_only_taken_back_where_that_is_wanted() {
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    for elsewhere in [false, true] {
        let mut place = Place::new();
        if elsewhere {
            place.layers = shared.path().to_owned();
        }
        place.write("a", "old\n");
        fs::hard_link(place.tree.join("a"), place.tree.join("b")).unwrap();
        let layer = place.keep("chmod 755 a b");
        for name in ["a", "b"] {
            let status =
                std::process::Command::new("cp").arg("-p").args([name, "copy"]).current_dir(&place.tree).status();
            assert!(status.unwrap().success());
            fs::rename(place.tree.join("copy"), place.tree.join(name)).unwrap();
        }
        let now = place.picture();
        let Err(KeepError::Conflicts(found)) = layer.take_back(OnConflict::Stop) else { panic!() };
        assert_eq!(found.len(), 1);
        assert_eq!(place.picture(), now);
        layer.take_back(OnConflict::Replace).unwrap();
        assert_eq!(fs::metadata(&found[0].path).unwrap().mode() & 0o777, 0o644);
    }
}
