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

/// Makes files as old as those are that nobody just made or read: a tick of the clock may be longer than a run takes to begin.
fn age(place: &Place) {
    for (name, seconds) in [("a", 1), ("c", 2)] {
        let accessed = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
        let file = fs::File::open(place.tree.join(name)).unwrap();
        file.set_times(fs::FileTimes::new().set_accessed(accessed)).unwrap();
    }
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
fn new_names_in_the_place_of_old_ones_are_one_file_when_they_are_kept() {
    for line in [
        "tar cf /tmp/x . ; tar xf /tmp/x",
        "cp a n; rm a d/b; mv n a; ln a d/b",
        "touch -d @7 a; rm d/b; ln a d/b",
        "chmod 600 a; rm d/b; ln a d/b",
        "cp -p a n; touch -d @7 n; ln -f n a; ln -f n d/b; rm n",
    ] {
        let place = Place::new();
        fill(&place);
        age(&place);
        one_file(&place, line, &["a", "d/b"]);
    }
    // What has another name still stays what it is.
    let place = Place::new();
    fill(&place);
    fs::hard_link(place.tree.join("a"), place.tree.join("e")).unwrap();
    age(&place);
    let old = inode(&place, "e");
    let layer = place.keep("cp a n; rm a d/b; touch -m -d @7 n; mv n a; ln a d/b");
    assert_eq!((inode(&place, "e"), inode(&place, "a")), (old, inode(&place, "d/b")));
    assert_ne!(inode(&place, "a"), old);
    assert_ne!(fs::metadata(place.tree.join("e")).unwrap().mtime(), 7);
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(["e", "d/b"].map(|name| inode(&place, name)), [old; 2]);
}

/// As rustc does with what it keeps from one build for the next: the new folder has names of the files of the last one, and the one
/// before goes. The files were all made in one tick of the clock.
#[test]
fn the_last_name_that_is_left_of_a_file_can_get_another_one() {
    let place = Place::new();
    let names = ["one", "two", "three"];
    for folder in ["s0", "s1"] {
        fs::create_dir(place.tree.join(folder)).unwrap();
    }
    let accessed = std::time::SystemTime::now() - std::time::Duration::from_secs(3);
    for name in names {
        let file = format!("s0/{name}");
        place.write(&file, name);
        let times = fs::FileTimes::new().set_accessed(accessed);
        fs::File::open(place.tree.join(&file)).unwrap().set_times(times).unwrap();
        fs::hard_link(place.tree.join(&file), place.tree.join(format!("s1/{name}"))).unwrap();
    }
    let before = place.picture();
    let layer = place.keep("mkdir s2; for f in s1/*; do ln $f s2/; done; rm -r s0");
    for name in names {
        let (old, new) = (format!("s1/{name}"), format!("s2/{name}"));
        assert_eq!(inode(&place, &old), inode(&place, &new), "{name}");
        assert_eq!(fs::metadata(place.tree.join(&old)).unwrap().nlink(), 2, "{name}");
        assert_eq!(fs::read_to_string(place.tree.join(&new)).unwrap(), name);
    }
    // The next build does the same with what was kept.
    let next = place.keep("mkdir s3; for f in s2/*; do ln $f s3/; done; rm -r s1");
    assert_eq!(inode(&place, "s2/one"), inode(&place, "s3/one"));
    next.take_back(OnConflict::Stop).unwrap();
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

/// As rustc does with what two builds have in common: all names of each file go, and it has another one. Size and times of the
/// files are the same, so that nothing tells their copies apart.
#[test]
fn files_that_are_alike_can_all_get_other_names() {
    let place = Place::new();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3);
    for name in ["one", "two", "six"] {
        let file = format!("s0/{name}");
        place.write(&file, name);
        let times = fs::FileTimes::new().set_accessed(old).set_modified(old);
        fs::File::options().write(true).open(place.tree.join(&file)).unwrap().set_times(times).unwrap();
        fs::create_dir_all(place.tree.join("s1")).unwrap();
        fs::hard_link(place.tree.join(&file), place.tree.join(format!("s1/{name}"))).unwrap();
    }
    let before = place.picture();
    let layer = place.keep("mkdir s2; for f in s1/*; do ln $f s2/; done; rm -r s0 s1");
    for name in ["one", "two", "six"] {
        assert_eq!(fs::read_to_string(place.tree.join("s2").join(name)).unwrap(), name);
    }
    layer.take_back(OnConflict::Stop).unwrap();
    assert_eq!(place.picture(), before);
}

#[test]
fn what_would_part_the_names_of_a_file_is_asked_about() {
    for (line, paths) in [
        ("mv a e; echo more >> e", &["e"][..]),
        ("mv a e; chmod 600 e", &["e"]),
        ("mkdir n; mv a n/e; touch n/f; echo more >> n/e", &["n/e"]),
        ("mv d n; echo more >> n/b", &["n/b"]),
        ("mv a c; echo more >> c", &["c"]),
        ("mv d/b e; cp a d/b; echo more >> e", &["d/b", "e"]),
        ("for f in a d/b; do echo more >> $f; done", &["a", "d/b"]),
        ("echo more >> a; chmod 600 d/b", &["a", "d/b"]),
        ("chmod 600 a; chmod 640 d/b", &["a", "d/b"]),
        ("mv d/b d/o; echo more >> a", &["a", "d/o"]),
        ("mv a e; echo more >> e; mv d/b f", &["e", "f"]),
        ("mv d/b f; chmod 600 a", &["a", "f"]),
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
fn what_does_not_part_the_names_of_a_file_or_makes_another_file_is_not_asked_about() {
    for line in [
        "rm a",
        "rm a d/b; echo new > a; ln a d/b",
        "rm a; echo more >> d/b",
        "rm a; mv d/b e",
        "mv c e",
        "cp -p a e; rm a; echo more >> e",
        "cp -p d/b e; mv e d/b",
        "cp d/b e; mv e d/b",
        "mv a e; mv e d/b",
        "rm a; echo more >> c",
        "chmod 600 a; chmod 600 d/b; echo > n",
        "ln a e; rm d/b e; echo more >> a",
        "ln a e",
        "mv a e",
        "mkdir n; mv a n/e; touch n/f",
        "mv d n",
        "mv a c",
        "mv a e; mv d/b f",
        "mv d/b e; cp a d/b",
        "mkdir n; ln a n/e",
        "ln a e; chmod 600 a",
        "cp a n; rm a d/b; mv n a; ln a d/b",
        "touch -d @5 d/b",
        "chmod 600 a; chmod 600 d/b",
        "touch a; echo more >> c",
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

/// A generator of numbers of its own, so that every run of the test does the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }

    /// Makes a line that gives, takes and moves names, and then writes to what is there: that a name was written to before it
    /// went leaves nothing behind. Nothing gives an old file another time of access, or reads through one name what was written
    /// through another; a file with several names gets no other one, and its names are not moved.
    fn line(&mut self) -> String {
        const NAMES: &[&str] = &["a", "b", "c", "e", "d/b", "d/f", "n/g"];
        let mut line = "mkdir -p n; ".repeat(self.below(2));
        for (choices, first) in [(8, 0), (6, 8)] {
            for _ in 0..self.below(4) {
                let (x, y) = (NAMES[self.below(NAMES.len())], NAMES[self.below(NAMES.len())]);
                let single = ["c", "e", "d/f", "n/g"][self.below(4)];
                line.push_str(&match first + self.below(choices) {
                    0 | 1 => format!("ln {single} {y}; "),
                    2 => format!("ln -f {single} {y}; "),
                    // Between two names of one file `mv` does nothing, and a layer may show two.
                    3 | 4 => format!("[ {single} = {y} ] || rm -f {y}; mv {single} {y}; "),
                    5 => format!("rm {x}; "),
                    6 | 7 => format!("echo {x} > t; mv t {y}; "),
                    8 | 9 => format!("echo {x} >> {y}; "),
                    10 => format!("echo {x} > {y}; "),
                    11 => format!("chmod 6{}0 {x}; ", self.below(3) * 2),
                    12 => format!("truncate -s 2 {y}; "),
                    _ => format!("touch -m -d @{} {x}; ", self.below(3)),
                });
            }
        }
        line
    }
}

/// Describes the files of a tree and which names are one; times that nobody set are left out.
fn files(tree: &std::path::Path) -> Vec<String> {
    let (mut lines, mut first) = (Vec::new(), std::collections::BTreeMap::new());
    let mut names: Vec<_> = ["", "d", "n"]
        .iter()
        .flat_map(|folder| fs::read_dir(tree.join(folder)).into_iter().flatten().flatten().map(|entry| entry.path()))
        .filter(|path| path.is_file())
        .collect();
    names.sort();
    for path in names {
        let meta = fs::metadata(&path).unwrap();
        let name = path.strip_prefix(tree).unwrap().display().to_string();
        let first = first.entry(meta.ino()).or_insert_with(|| name.clone());
        let time = if meta.mtime() < 10 { meta.mtime() } else { 10 };
        lines.push(format!("{name} is {first} {:o} {time} {:?}", meta.mode(), fs::read_to_string(&path).unwrap()));
    }
    lines
}

/// The oracle is the same line without a layer.
#[test]
fn what_is_kept_unasked_is_what_the_line_leaves_without_a_layer() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut kept, mut asked) = (0, 0);
    for _ in 0..100 {
        let mut place = Place::new();
        fill(&place);
        let line = numbers.line();
        let before = place.picture();
        age(&place);
        let ran = place.run(&line);
        if ran.layer.keep(Caches::LeftOut, OnConflict::Stop).is_err() {
            assert_eq!(place.picture(), before, "{line}");
            asked += 1;
            continue;
        }
        kept += 1;
        let left = files(&place.tree);
        ran.layer.take_back(OnConflict::Stop).unwrap();
        assert_eq!(place.picture(), before, "{line}");
        place.tree = place.home.join("open");
        fs::create_dir(&place.tree).unwrap();
        fill(&place);
        let open = std::process::Command::new("bash").args(["-c", &line]).current_dir(&place.tree).output();
        open.unwrap();
        assert_eq!(left, files(&place.tree), "{line}");
    }
    assert!(kept > 40 && asked > 10, "{kept} kept, {asked} asked about");
}
