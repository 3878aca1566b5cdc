//! KILL at any moment of keeping leaves a tree that is whole: before or after.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aish_confine::{Caches, Layer, OnConflict, State};

use crate::place::{Place, elsewhere};

/// Set for the process that keeps a layer and is ended.
const VICTIM: &str = "CONFINE_KEEP";

/// Not a test of its own: run again by the test below as another process, to be ended.
#[test]
fn keep_the_layer_that_is_named() {
    let Some(folder) = std::env::var_os(VICTIM) else { return };
    println!("begins");
    let layer = Layer::open(folder).unwrap();
    layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    println!("done");
}

#[test]
fn two_hundred_cuts_leave_two_hundred_whole_trees() {
    cut(&Place::new(), 200);
}

#[test]
fn cuts_of_keeping_by_copies_leave_whole_trees() {
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut place = Place::new();
    place.layers = elsewhere.path().to_owned();
    cut(&place, 60);
}

#[test]
fn a_journal_that_is_not_whole_began_no_move() {
    let place = Place::new();
    place.write("a", "old\n");
    let ran = place.run("echo new > a");
    let folder = place.layers.join(ran.layer.id());
    for journal in [None, Some(""), Some("{\"staged\":false,\"moves\":2}\n"), Some("\0\0\0\0")] {
        std::fs::write(folder.join("state"), "keeping").unwrap();
        journal.into_iter().for_each(|text| std::fs::write(folder.join("journal"), text).unwrap());
        assert_eq!(ran.layer.recover().unwrap().state, State::Open, "{journal:?}");
        assert_eq!(place.read("a"), "old\n");
    }
    ran.layer.keep(Caches::LeftOut, OnConflict::Stop).unwrap();
    assert_eq!(place.read("a"), "new\n");
}

/// Ends the keeping of a layer at many moments, and looks at the tree before and after it is recovered and taken back.
fn cut(place: &Place, rounds: u32) {
    if std::env::var_os(VICTIM).is_some() {
        return;
    }
    const FILES: usize = 60;
    let mut in_the_middle = 0;
    // A generator of its own: the moments differ from each other, and are the same in every run of the test.
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut longest = Duration::from_millis(30);
    for round in 0..rounds {
        let _ = std::fs::remove_dir_all(&place.tree);
        std::fs::create_dir(&place.tree).unwrap();
        for number in 0..FILES {
            place.write(&format!("d{}/f{number}", number % 7), &format!("old {round}\n"));
        }
        let before = place.picture();
        let ran = place
            .run("for f in d*/f*; do echo new > $f; done; rm d0/*5 d1/f1; rm -r d2; mkdir n; cp d3/* n; mv d4/f4 d4/g");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let folder = place.layers.join(ran.layer.id());
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["keep_the_layer_that_is_named", "--nocapture", "--test-threads", "1"])
            .env(VICTIM, &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let started = Instant::now();
        let moment = longest.mul_f64((seed >> 11) as f64 / (1_u64 << 53) as f64);
        // Every second cut waits for the moving to begin, and then for a number of looks: however busy the machine is, some
        // fall into it.
        let waits = round % 2 == 1;
        while waits && !ended(&mut victim) && ran.layer.state().is_ok_and(|state| state == State::Open) {}
        let mut looks = if waits { seed % 24 } else { 0 };
        while if waits { looks > 0 } else { started.elapsed() < moment } && !ended(&mut victim) {
            looks = looks.saturating_sub(1);
            std::hint::spin_loop();
        }
        if !waits {
            let by = if ended(&mut victim) { 0.98 } else { 1.02 };
            longest = longest.mul_f64(by).max(Duration::from_millis(2));
        }
        let _ = victim.kill();
        victim.wait().unwrap();
        let layer = Layer::open(&folder).unwrap();
        let state = layer.state().unwrap();
        in_the_middle += usize::from(state == State::Keeping);
        match layer.recover().unwrap().state {
            State::Open => {
                // Copies that were made for a keeping that never began go with the layer.
                layer.discard().unwrap();
                assert_eq!(place.picture(), before, "round {round} from {state:?}");
                continue;
            }
            State::Kept => {
                let after = place.picture();
                let text = after.join("\n");
                assert!(!text.contains("old ") && text.contains("d4/g ") && !text.contains("d2/"), "round {round}");
                layer.take_back(OnConflict::Stop).unwrap();
                assert_eq!(place.picture(), before, "round {round} from {state:?}");
            }
            state => panic!("{state:?}"),
        }
        layer.discard().unwrap();
    }
    assert!(in_the_middle > 5, "only {in_the_middle} cuts fell into the moving");
}

fn ended(victim: &mut Child) -> bool {
    victim.try_wait().unwrap().is_some()
}

#[test]
fn copies_that_a_cut_left_before_the_first_move_are_taken_away() {
    use std::os::unix::fs::MetadataExt as _;
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut place = Place::new();
    place.layers = elsewhere.path().to_owned();
    place.write("a", "old\n");
    let old = place.picture();
    let layer = place.keep("echo new > a");
    let before = place.picture();
    let meta = std::fs::metadata(&place.tree).unwrap();
    let (mode, time) = (meta.mode() & 0o7777, format!("[{},{}]", meta.mtime(), meta.mtime_nsec()));
    let root = format!(
        "{{\"kind\":\"folder\",\"inode\":{},\"mode\":{mode},\"uid\":{},\"gid\":{},\"size\":0,\"links\":2,\"modified\":{time},\"changed\":{time}}}",
        meta.ino(),
        meta.uid(),
        meta.gid()
    );
    let cut = || {
        let copies = place.tree.join(format!(".aish-keep-{}", layer.id()));
        std::fs::create_dir(&copies).unwrap();
        std::fs::write(copies.join("0"), "ol").unwrap();
        let note = format!("{{\"roots\":[[0,{root}]],\"copies\":[]}}");
        std::fs::write(place.layers.join(layer.id()).join("staged"), note).unwrap();
    };
    cut();
    assert_eq!(layer.recover().unwrap().state, State::Kept);
    assert_eq!(place.picture(), before);
    cut();
    // As each start does.
    assert_eq!(Layer::all(&place.layers).len(), 1);
    assert_eq!(place.picture(), before);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), old);
}

#[test]
fn a_folder_that_was_open_for_its_move_when_that_was_cut_is_closed_again() {
    use std::os::unix::fs::PermissionsExt as _;
    if std::env::var_os(VICTIM).is_some() {
        return;
    }
    let (place, _shared) = elsewhere();
    let set = |path: &std::path::Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    place.write("shut/old", "old\n");
    place.write("long", &"x".repeat(200_000));
    set(&place.tree.join("shut"), 0o555);
    let before = place.picture();
    let ran = place.run("chmod 755 shut; rm -r shut; mkdir shut; echo new > shut/new; chmod 511 shut; echo new > long");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let folder = place.layers.join(ran.layer.id());
    // What was there before is too long for it to be copied out: all moves are made by then.
    let cut = Command::new("bash")
        .args(["-c", "ulimit -f 64; exec \"$0\" keep_the_layer_that_is_named --nocapture --test-threads 1"])
        .arg(std::env::current_exe().unwrap())
        .env(VICTIM, &folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(!cut.success());
    assert_eq!(ran.layer.state().unwrap(), State::Keeping);
    // A little earlier it would have been left so.
    let copies = std::fs::read_dir(place.tree.join(format!(".aish-keep-{}", ran.layer.id()))).unwrap();
    let old = copies.map(|entry| entry.unwrap().path()).find(|path| path.join("old").exists()).unwrap();
    set(&old, 0o755);
    assert_eq!(ran.layer.recover().unwrap().state, State::Kept);
    assert_eq!(place.read("shut/new"), "new\n");
    ran.layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn a_mode_that_a_file_had_for_a_moment_goes_with_the_cut() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let place = Place::new();
    place.write("a", "x\n");
    let a = place.tree.join("a");
    std::fs::hard_link(&a, place.tree.join("b")).unwrap();
    let set = |mode: u32| std::fs::set_permissions(&a, std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o444);
    let before = place.picture();
    let layer = place.keep(
        "chmod 644 a; python3 -c 'import os; os.setxattr(\"a\", \"user.note\", b\"1\")'; chmod 444 a; touch -d @5 a",
    );
    let after = place.picture();
    assert_ne!(after, before);
    let folder = place.layers.join(layer.id());
    let cut = |state: &str| {
        let inode = std::fs::metadata(&a).unwrap().ino();
        let note = format!("{{\"path\":\"{}\",\"inode\":{inode},\"modes\":[292,420]}}\n", a.display());
        std::fs::write(folder.join("writable"), note).unwrap();
        std::fs::write(folder.join("state"), state).unwrap();
        set(0o644);
    };
    cut("keeping");
    assert_eq!(layer.recover().unwrap().state, State::Kept);
    assert_eq!(place.picture(), after);
    cut("taking-back");
    assert_eq!(layer.recover().unwrap().state, State::TakenBack);
    assert_eq!(place.picture(), before);
}
