//! A folder that was replaced by a link leads nothing elsewhere: nothing there is read, written or taken away.

use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use aish_journal::WallClock;
use aish_journal::undo::{UndoJournal, UndoOptions, Wanted};
use aish_safety::change::{How, Reach};

/// `work/a/b/c/{file,other}` with a journal, and `elsewhere` with the same names in it.
struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    journal: UndoJournal,
}

const WAY: [&str; 3] = ["work/a", "work/a/b", "work/a/b/c"];

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for below in ["work/a/b/c", "elsewhere/b/c", "elsewhere/c"] {
        fs::create_dir_all(root.join(below)).unwrap();
    }
    for name in ["work/a/b/c/file", "work/a/b/c/other"] {
        fs::write(root.join(name), "before").unwrap();
    }
    for folder in ["elsewhere", "elsewhere/c", "elsewhere/b/c"] {
        for name in ["file", "other", "new"] {
            fs::write(root.join(folder).join(name), "precious").unwrap();
        }
    }
    let journal = UndoJournal::new(root.join("state"), UndoOptions::default(), WallClock::default());
    Place { journal, root, _folder: folder }
}

impl Place {
    fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Moves a folder away and puts a link to `elsewhere` in its place.
    fn replace(&self, folder: &str) {
        fs::rename(self.at(folder), self.at("moved")).unwrap();
        symlink(self.at("elsewhere"), self.at(folder)).unwrap();
    }

    fn elsewhere_is_untouched(&self, case: &str) {
        let mut seen = 0;
        for folder in ["elsewhere", "elsewhere/c", "elsewhere/b/c"] {
            for entry in fs::read_dir(self.at(folder)).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_file() {
                    assert_eq!(fs::read_to_string(entry.path()).unwrap(), "precious", "{case}: {:?}", entry.path());
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, 9, "{case}: nothing came and nothing went");
    }
}

/// What a command does to the files, and how that is put aside.
type Case = (&'static str, How, fn(&Path));
const CASES: [Case; 4] = [
    ("file", How::Remove, |path| fs::remove_file(path).unwrap()),
    ("file", How::Write, |path| fs::write(path, "after").unwrap()),
    ("new", How::Write, |path| fs::write(path, "made").unwrap()),
    ("file", How::Attributes, |path| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }),
];

#[test]
fn a_folder_replaced_after_the_command_at_any_depth_is_not_followed() {
    for (name, how, act) in CASES {
        for folder in WAY {
            let case = format!("{name} {how:?} {folder}");
            let place = place();
            let path = place.at("work/a/b/c").join(name);
            place.journal.save(&case, &[Wanted::new(&path, how, Reach::Itself)]).unwrap();
            act(&path);
            place.replace(folder);
            let restored = place.journal.undo(None).unwrap();
            place.elsewhere_is_untouched(&case);
            assert!(restored.restored.is_empty(), "{case}: {restored:?}");
            assert!(restored.failed[0].1.contains("is a link by now"), "{case}: {restored:?}");
            // Once the folder is back, so is what was put aside.
            fs::remove_file(place.at(folder)).unwrap();
            fs::rename(place.at("moved"), place.at(folder)).unwrap();
            let restored = place.journal.undo(None).unwrap();
            assert!(restored.failed.is_empty(), "{case}: {restored:?}");
            assert_eq!(fs::read_to_string(&path).ok(), (name == "file").then(|| "before".to_owned()), "{case}");
        }
    }
}

#[test]
fn a_tree_whose_own_folders_were_replaced_comes_back_in_its_own_place() {
    for folder in WAY {
        let place = place();
        let tree = Wanted::new(place.at("work/a"), How::Write, Reach::Tree);
        place.journal.save("x", &[tree]).unwrap();
        place.replace(folder);
        let restored = place.journal.undo(None).unwrap();
        assert!(restored.failed.is_empty(), "{folder}: {restored:?}");
        place.elsewhere_is_untouched(folder);
        for name in ["work/a/b/c/file", "work/a/b/c/other"] {
            assert_eq!(fs::read_to_string(place.at(name)).unwrap(), "before", "{folder}");
        }
        assert!(!fs::symlink_metadata(place.at(folder)).unwrap().is_symlink(), "{folder}");
    }
}

#[test]
fn a_link_in_the_place_of_a_file_is_taken_away_and_not_written_through() {
    let place = place();
    let file = place.at("work/a/b/c/file");
    place.journal.save("x", &[Wanted::new(&file, How::Write, Reach::Itself)]).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(place.at("elsewhere/file"), &file).unwrap();
    let restored = place.journal.undo(None).unwrap();
    assert!(restored.failed.is_empty(), "{restored:?}");
    place.elsewhere_is_untouched("file");
    assert_eq!(fs::read_to_string(&file).unwrap(), "before");
    assert!(!fs::symlink_metadata(&file).unwrap().is_symlink());
}

#[test]
fn folders_that_are_swapped_all_the_time_lead_nothing_elsewhere() {
    let place = place();
    let (folder, other) = (place.at("work/a/b"), place.at("other"));
    symlink(place.at("elsewhere"), &other).unwrap();
    let held = fs::File::open(place.at("work/a/b/c")).unwrap();
    let real = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut swaps = 0_u32;
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            while !done.load(Ordering::Relaxed) || swaps % 2 == 1 {
                rustix::fs::renameat_with(rustix::fs::CWD, &folder, rustix::fs::CWD, &other, flags).unwrap();
                swaps += 1;
            }
            swaps
        });
        let (mut refused, mut back) = (0, 0);
        for _ in 0..300 {
            let wanted = ["file", "other", "new"].map(|name| {
                let how = if name == "file" { How::Remove } else { How::Write };
                Wanted::new(place.at("work/a/b/c").join(name), how, Reach::Itself)
            });
            let step = place.journal.save("x", &wanted).unwrap();
            // The command works in the folder itself, wherever its name leads.
            fs::remove_file(real.join("file")).unwrap();
            fs::write(real.join("other"), "after").unwrap();
            fs::write(real.join("new"), "made").unwrap();
            let restored = place.journal.undo(Some(&step.id)).unwrap();
            back += restored.restored.len();
            refused += step.missed.len() + restored.failed.len();
            fs::remove_file(real.join("new")).ok();
            for name in ["file", "other"] {
                fs::write(real.join(name), "before").unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
        let swaps = swapper.join().unwrap();
        assert!(swaps > 100 && back + refused > 0, "{swaps} swaps, {back} back, {refused} refused");
    });
    place.elsewhere_is_untouched("swapped");
}
