//! Keeping is exact, and so is taking back.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use aish_confine::{Caches, KeepError, Layer, OnConflict, State};

use crate::place::{Place, is_root, picture};

/// Fills a tree with what there may be in one.
fn fill(place: &Place) {
    for (path, content) in [
        ("a", "one\n"),
        ("b", "two\n"),
        ("d/e/f", "deep\n"),
        ("d/g", "x"),
        ("gone/a", "1"),
        ("gone/b/c", "2"),
        ("replaced/a", "x"),
        ("was-file", "x"),
        ("was-folder/x", "x"),
        ("lin\u{202e}k", "x"),
        ("run.sh", "#!/bin/sh\n"),
    ] {
        place.write(path, content);
    }
    fs::create_dir(place.tree.join("empty")).unwrap();
    fs::hard_link(place.tree.join("a"), place.tree.join("a2")).unwrap();
    std::os::unix::fs::symlink("a", place.tree.join("link")).unwrap();
    fs::write(place.tree.join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff\xfe")), "odd")
        .unwrap();
    let _ = rustix::fs::setxattr(place.tree.join("b"), "user.note", b"kept", rustix::fs::XattrFlags::empty());
    for path in ["a", "b", "d/g", "d", "gone", "."] {
        let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 123_456_789);
        fs::File::open(place.tree.join(path)).unwrap().set_modified(past).unwrap();
    }
}

/// What changes a tree in every way that there is.
const LINE: &str = "echo more >> b; echo n > d/e/n; rm d/g; rm -r gone replaced was-file was-folder empty; mkdir replaced; \
    echo y > replaced/y; mkdir was-file; echo z > was-file/z; echo z > was-folder; ln -sfn b link; chmod 600 run.sh; \
    chmod 711 d/e; mkdir -p new/deep; ln -s ../b new/l; echo 1 > new/deep/1; ln new/deep/1 new/deep/2; mv d/e/f d/e/f2; \
    setfattr -n user.new -v 1 run.sh; rm $'\\xff\\xfe'; echo o > $'\\xfe'; sed -i s/one/ONE/ a; ln -f a a2; touch -d @5 new/deep; \
    tar cf new/t.tar b; (cd new && tar xf t.tar); printf '%s' x > sparse; truncate -s 5M sparse";

#[test]
fn what_is_kept_is_what_the_run_saw_and_taking_it_back_is_exact() {
    let place = Place::new();
    fill(&place);
    let before = place.picture();
    let ran = place
        .run(&format!("{LINE}; cp -a . /tmp/copy; cd /tmp/copy; find . -type f -o -type l | sort; cat a b d/e/f2"));
    let inside = ran.stdout.clone();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.picture(), before, "nothing changes before it is kept");
    ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    assert_eq!(ran.layer.state().unwrap(), State::Kept);
    let after = place.picture();
    assert_ne!(after, before);
    assert!(!after.join("\n").contains("user.overlay"), "no note of overlayfs is left");
    let outside = std::process::Command::new("bash")
        .args(["-c", "find . -type f -o -type l | sort; cat a b d/e/f2"])
        .env("LC_ALL", "C.UTF-8")
        .current_dir(&place.tree)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&outside.stdout), inside);
    assert_eq!(fs::metadata(place.tree.join("new/deep")).unwrap().mtime(), 5);
    let inode = |path: &str| fs::metadata(place.tree.join(path)).unwrap().ino();
    assert_eq!(inode("new/deep/1"), inode("new/deep/2"));
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
    assert_eq!(ran.layer.state().unwrap(), State::TakenBack);
    ran.layer.discard().unwrap();
    assert_eq!(fs::read_dir(&place.layers).unwrap().count(), 0);
}

#[test]
fn a_layer_on_another_file_system_is_kept_by_copies_as_exactly() {
    let mut place = Place::new();
    fill(&place);
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    place.layers = elsewhere.path().to_owned();
    let before = place.picture();
    let layer = place.keep(LINE);
    let after = place.picture();
    assert_ne!(after, before);
    assert!(!after.join("\n").contains("aish-keep") && !after.join("\n").contains("user.overlay"), "{after:#?}");
    assert_eq!(place.read("b"), "two\nmore\n");
    assert_eq!(layer.take_back(OnConflict::Stop).map_err(|error| error.to_string()), Ok(18));
    assert_eq!(place.picture(), before);
}

#[test]
fn a_chain_of_runs_is_taken_back_one_by_one() {
    let place = Place::new();
    place.write("a", "0\n");
    let mut pictures = vec![place.picture()];
    let mut layers = Vec::new();
    for line in ["echo 1 >> a", "mkdir d; mv a d/a", "echo 2 >> d/a; echo new > d/n", "rm -r d", "echo again > a"] {
        layers.push(place.keep(line));
        pictures.push(place.picture());
    }
    for (layer, before) in layers.iter().zip(&pictures).rev() {
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(&place.picture(), before);
    }
}

#[test]
fn the_size_of_a_kept_layer_is_noted_until_its_state_changes() {
    let place = Place::new();
    place.write("a", &"x".repeat(1 << 20));
    let layer = place.keep("rm a; seq 100 > b");
    let counted = layer.size();
    assert!(counted.0 >= 1 << 20, "{counted:?}");
    let folder = place.layers.join(layer.id());
    fs::write(folder.join("more"), "x".repeat(1 << 16)).unwrap();
    assert_eq!(layer.size(), counted, "it is not walked again");
    fs::write(folder.join("size"), "12").unwrap();
    assert!(layer.size().0 > counted.0, "half a note is none");
    layer.take_back(OnConflict::Stop).unwrap();
    let less = layer.size();
    assert!(less.0 < counted.0, "{less:?}");
    layer.discard().unwrap();
}

#[test]
fn a_dropped_layer_leaves_nothing() {
    let place = Place::new();
    place.write("a", "x");
    let before = place.picture();
    let ran = place.run("rm a; mkdir -p d/e; echo x > d/e/f; chmod 0 d/e; chmod 500 d");
    ran.layer.discard().unwrap();
    assert_eq!(place.picture(), before);
    assert_eq!(fs::read_dir(&place.layers).unwrap().count(), 0);
}

#[test]
fn what_is_refused_stays_out_and_the_rest_comes() {
    let place = Place::new();
    let layer = place
        .keep("mkdir d; mkfifo d/f; echo x > d/ok; ln -s /etc/shadow out; echo y > y; cp /bin/true s; chmod 4755 s");
    assert_eq!(layer.changes(Caches::LeftOut).unwrap().refused.len(), 2, "those at the top stay in the layer");
    let mut names: Vec<_> =
        picture(&place.tree).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    names.retain(|name| !name.is_empty());
    assert_eq!(names, ["d", "d/ok", "y"]);
}

#[test]
fn folders_that_forbid_it_are_moved_too() {
    let place = Place::new();
    place.write("old/a", "x");
    fs::set_permissions(place.tree.join("old"), fs::Permissions::from_mode(0o555)).unwrap();
    let before = place.picture();
    let layer = place.keep("mkdir -p n/m; echo x > n/m/f; chmod 555 n/m n; chmod 755 old; rm -r old");
    assert_eq!(fs::metadata(place.tree.join("n")).unwrap().mode() & 0o777, 0o555);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
    fs::set_permissions(place.tree.join("old"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn files_that_may_not_be_written_come_and_go_with_their_attributes() {
    let place = Place::new();
    place.write("old", "x");
    place.write("closed/a", "x");
    let note = |path: &str, value: &[u8]| {
        rustix::fs::setxattr(place.tree.join(path), "user.note", value, rustix::fs::XattrFlags::empty()).unwrap();
    };
    note("old", b"1");
    note("closed", b"1");
    fs::set_permissions(place.tree.join("old"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(place.tree.join("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    let before = place.picture();
    let line = "python3 -c 'import os\nfor p in (\"old\", \"closed\"):\n os.chmod(p, 0o755); os.setxattr(p, \"user.note\", b\"2\"); os.chmod(p, 0o555)'; \
        mkdir new; echo x > new/made; ln new/made new/other; chmod 444 new/made";
    let layer = place.keep(line);
    assert!(!place.picture().join("\n").contains("user.overlay"));
    let mut value = [0; 4];
    let length = rustix::fs::getxattr(place.tree.join("closed"), "user.note", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"2");
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_file_that_cannot_be_moved_leaves_all_as_it_was() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    place.write("a", "x");
    place.write("z", "x");
    let ran = place.run("echo y > a; echo n > n; echo y > z");
    let before = place.picture();
    let immutable = |sign: &str| {
        let done =
            std::process::Command::new("chattr").arg(format!("{sign}i")).arg(place.tree.join("z")).status().unwrap();
        assert!(done.success());
    };
    immutable("+");
    let kept = ran.layer.keep(Caches::LeftOut, OnConflict::Replace);
    immutable("-");
    let Err(KeepError::Move { path, .. }) = kept else { panic!("{kept:?}") };
    assert_eq!(path, place.tree.join("z"));
    assert_eq!(place.picture(), before);
    assert_eq!(ran.layer.state().unwrap(), State::Open);
    ran.layer.keep(Caches::LeftOut, OnConflict::Replace).unwrap();
    assert_eq!(place.read("z"), "y\n");
}

#[test]
fn several_roots_are_kept_together_and_caches_only_when_asked() {
    let place = Place::new();
    let (other, cache) = (place.home.join("git-folder"), place.home.join("cache"));
    fs::create_dir(&other).unwrap();
    fs::create_dir(&cache).unwrap();
    let roots = [(place.tree.clone(), false), (other.clone(), false), (cache.clone(), true)];
    for keep_cache in [false, true] {
        let layer = aish_confine::Layer::create(&place.layers, "x", None, &roots).unwrap();
        let ran =
            place.run_with(&format!("for d in . ../git-folder ../cache; do echo x > $d/{keep_cache}; done"), |plan| {
                plan.roots = layer.roots();
            });
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let caches = if keep_cache { Caches::Included } else { Caches::LeftOut };
        layer.keep(caches, OnConflict::Stop).unwrap();
        let name = keep_cache.to_string();
        assert!(place.tree.join(&name).exists() && other.join(&name).exists());
        assert_eq!(cache.join(&name).exists(), keep_cache);
    }
}

#[test]
fn keeping_that_could_not_begin_leaves_nothing_in_the_tree() {
    let mut place = Place::new();
    place.write("a", "old\n");
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    place.layers = elsewhere.path().to_owned();
    let before = place.picture();
    let ran = place.run("echo new > a; echo new > b");
    // Its state cannot be written.
    let in_the_way = place.layers.join(ran.layer.id()).join("state.new");
    fs::create_dir(&in_the_way).unwrap();
    ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap_err();
    assert_eq!(place.picture(), before);
    fs::remove_dir(&in_the_way).unwrap();
    assert_eq!(ran.layer.state().unwrap(), State::Open);
    ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    let after = place.picture();
    fs::create_dir(&in_the_way).unwrap();
    ran.layer.take_back(OnConflict::Stop).unwrap_err();
    assert_eq!(place.picture(), after);
    fs::remove_dir(&in_the_way).unwrap();
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn of_the_cache_of_all_programs_only_what_was_fetched_is_kept() {
    let place = Place::new();
    let cache = place.home.join(".cache");
    fs::create_dir_all(cache.join("pip")).unwrap();
    let roots = [(place.tree.clone(), false), (cache.clone(), true)];
    let layer = Layer::create(&place.layers, "x", None, &roots).unwrap();
    let line =
        "cd ../.cache; echo x > pip/wheel; mkdir uv prompt; echo x > uv/a; echo x > prompt/program; echo x > start.zsh";
    let ran = place.run_with(line, |plan| plan.roots = layer.roots());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    layer.keep(Caches::Included, OnConflict::Stop).unwrap();
    let kept = ["pip/wheel", "uv/a", "prompt", "start.zsh"].map(|path| cache.join(path).exists());
    assert_eq!(kept, [true, true, false, false]);
}

#[test]
fn what_changed_in_folders_that_may_not_be_written_comes_and_goes() {
    for line in [
        "chmod 755 d; echo y > d/a; rm d/b; echo y > d/n; chmod 555 d",
        "chmod 755 d; rm -r d; mkdir d; echo y > d/a",
        "chmod 755 d; rm -r d; mkdir d; echo y > d/a; chmod 555 d",
        "chmod 755 d; rm -r d; echo y > d",
    ] {
        let place = Place::new();
        for name in ["d/a", "d/b"] {
            place.write(name, "x\n");
        }
        let mode = |mode| fs::set_permissions(place.tree.join("d"), fs::Permissions::from_mode(mode)).unwrap();
        mode(0o555);
        let before = place.picture();
        let layer = place.keep(line);
        let after = place.picture();
        assert_ne!(after, before, "{line}");
        layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
        // So that it can be deleted.
        mode(0o755);
    }
}

#[test]
fn a_time_that_is_given_to_a_folder_is_kept() {
    for (line, is_set) in [
        ("touch -d 2001-02-03 d", true),
        ("touch -d 2101-02-03 d", true),
        ("touch d", true),
        ("touch -r other d", true),
        ("touch -d 2001-02-03 .", true),
        ("touch d/n; rm d/n", false),
        ("ls d; mkdir d/n; ls d/n; rmdir d/n; ls d", false),
        ("cat d/f", false),
    ] {
        let place = Place::new();
        place.write("d/f", "1");
        place.write("other", "1");
        // Both may be made within one tick of the clock.
        let other = fs::File::options().write(true).open(place.tree.join("other")).unwrap();
        other.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
        let before = place.picture();
        let ran = place.run(line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let changes = ran.layer.changes(Caches::LeftOut).unwrap();
        assert_eq!((changes.is_empty(), changes.are_times()), (!is_set, is_set), "{line}");
        if is_set {
            ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
            assert_ne!(place.picture(), before, "{line}");
            ran.layer.take_back(OnConflict::Stop).unwrap();
        }
        assert_eq!(place.picture(), before, "{line}");
    }
}

#[test]
fn a_link_to_itself_leads_nowhere_and_is_kept() {
    let place = Place::new();
    place.write("d/f", "1");
    let ran = place.run("ln -s loop loop; ln -s b d/b; ln -s $PWD/far far; ln -s /root/x out");
    let changes = ran.layer.changes(Caches::LeftOut).unwrap();
    assert_eq!(changes.refused.iter().map(|one| one.path.as_path()).collect::<Vec<_>>(), [std::path::Path::new("out")]);
    let ran = place.run("rm d/f; mkfifo d/f");
    let changes = ran.layer.changes(Caches::LeftOut).unwrap();
    assert!(changes.keeps_nothing() && !changes.is_empty());
}
