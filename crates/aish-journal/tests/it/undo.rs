//! What is put aside comes back as it was.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aish_journal::WallClock;
use aish_journal::undo::{UndoError, UndoJournal, UndoOptions, Wanted};
use aish_safety::change::{How, Reach};

struct Place {
    folder: tempfile::TempDir,
    journal: UndoJournal,
    seconds: Arc<AtomicU64>,
}

fn place(max_bytes: u64) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let seconds = Arc::new(AtomicU64::new(1_000_000));
    let now = Arc::clone(&seconds);
    let clock = WallClock::new(move || SystemTime::UNIX_EPOCH + Duration::from_secs(now.load(Ordering::SeqCst)));
    let options = UndoOptions { max_bytes, ..UndoOptions::default() };
    fs::create_dir(folder.path().join("work")).unwrap();
    Place { journal: UndoJournal::new(folder.path().join("state/undo"), options, clock), seconds, folder }
}

impl Place {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Everything in the working folder: kind, mode, time, content.
    fn picture(&self) -> Vec<String> {
        let mut out = Vec::new();
        look(&self.at(""), &self.at(""), &mut out);
        out.sort();
        out
    }
}

fn look(path: &Path, root: &Path, out: &mut Vec<String>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let content = if meta.is_symlink() {
            format!("-> {}", fs::read_link(&path).unwrap().display())
        } else if meta.is_file() {
            format!("{:?}", fs::read(&path).unwrap())
        } else {
            String::new()
        };
        let name = path.strip_prefix(root).unwrap().display().to_string();
        out.push(format!("{name} {:o} {}.{} {content}", meta.mode(), meta.mtime(), meta.mtime_nsec()));
        if meta.is_dir() {
            look(&path, root, out);
        }
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn tree(place: &Place) {
    place.write("tree/sub/leaf", "leaf");
    place.write("tree/run.sh", "#!/bin/sh\n");
    mode(&place.at("tree/run.sh"), 0o751);
    fs::create_dir_all(place.at("tree/empty")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.at("tree/link")).unwrap();
    fs::hard_link(place.at("tree/run.sh"), place.at("tree/second-name")).unwrap();
    mode(&place.at("tree/sub"), 0o500);
}

#[test]
fn a_deleted_tree_comes_back_byte_for_byte_and_mode_for_mode() {
    let place = place(1_000_000);
    tree(&place);
    let before = place.picture();
    let plan = place.journal.plan(&[Wanted::new(place.at("tree"), How::Remove, Reach::Tree)]).unwrap();
    assert_eq!((plan.files, plan.bytes, plan.missed.len()), (7, 24, 0));
    let step = place.journal.save("rm -r tree", &[Wanted::new(place.at("tree"), How::Remove, Reach::Tree)]).unwrap();
    assert_eq!((step.files, step.bytes), (7, 24));
    mode(&place.at("tree/sub"), 0o700);
    fs::remove_dir_all(place.at("tree")).unwrap();
    let restored = place.journal.undo(None).unwrap();
    assert!(restored.failed.is_empty() && restored.kept.is_none(), "{restored:?}");
    assert_eq!(place.picture(), before);
    assert!(matches!(place.journal.undo(None), Err(UndoError::Nothing)), "undone once");
    let left: Vec<_> = fs::read_dir(place.folder.path().join("state/undo")).unwrap().collect();
    assert_eq!(left.len(), 1, "only the list is left");
}

#[test]
fn modes_come_back_and_contents_are_not_copied() {
    let place = place(1_000_000);
    tree(&place);
    let before = place.picture();
    let step = place.journal.save("chmod -R 0 tree", &[Wanted::new(place.at("tree"), How::Attributes, Reach::Tree)]);
    assert_eq!(step.unwrap().bytes, 0, "no content is kept");
    for name in ["tree/sub/leaf", "tree/run.sh", "tree/sub", "tree/empty", "tree"] {
        mode(&place.at(name), 0o000);
    }
    let restored = place.journal.undo(None).unwrap();
    assert!(restored.failed.is_empty(), "{restored:?}");
    assert_eq!(place.picture(), before);
}

#[test]
fn what_is_written_over_or_made_is_as_it_was() {
    let place = place(1_000_000);
    let (file, new) = (place.write("file", "old"), place.at("new"));
    mode(&file, 0o640);
    fs::hard_link(&file, place.at("other-name")).unwrap();
    std::os::unix::fs::symlink("file", place.at("link")).unwrap();
    let before = place.picture();
    let wanted =
        [Wanted::new(place.at("link"), How::Write, Reach::Itself), Wanted::new(&new, How::Write, Reach::Itself)];
    place.journal.save("tee link new", &wanted).unwrap();
    fs::write(place.at("link"), "through the link").unwrap();
    fs::write(&new, "made").unwrap();
    let restored = place.journal.undo(None).unwrap();
    assert!(restored.failed.is_empty(), "{restored:?}");
    assert_eq!(place.picture(), before, "the file's other name too");
    // What was there instead is a step of its own, and comes back the same way.
    place.journal.undo(restored.kept.as_deref()).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "through the link");
    assert_eq!(fs::read_to_string(&new).unwrap(), "made");
}

#[test]
fn folders_that_were_made_for_a_file_go_with_it_where_they_are_empty() {
    let place = place(1_000_000);
    let before = place.picture();
    let wanted = ["a/b/one", "a/b/two", "a/three"].map(|path| Wanted::new(place.at(path), How::Write, Reach::Itself));
    let make = || {
        let step = place.journal.save("write_file", &wanted).unwrap();
        fs::create_dir_all(place.at("a/b")).unwrap();
        ["a/b/one", "a/b/two", "a/three"].iter().for_each(|path| fs::write(place.at(path), "x").unwrap());
        step
    };
    let step = make();
    let restored = place.journal.undo(Some(&step.id)).unwrap();
    assert!(restored.failed.is_empty() && restored.restored.len() == 3, "{restored:?}");
    assert_eq!(place.picture(), before);
    // And back, with their folders.
    place.journal.undo(restored.kept.as_deref()).unwrap();
    assert_eq!(fs::read_to_string(place.at("a/b/two")).unwrap(), "x");
    fs::remove_dir_all(place.at("a")).unwrap();

    let step = make();
    fs::write(place.at("a/of-another"), "stays").unwrap();
    let restored = place.journal.undo(Some(&step.id)).unwrap();
    assert!(restored.failed.is_empty(), "{restored:?}");
    assert!(place.at("a/of-another").exists() && !place.at("a/b").exists() && !place.at("a/three").exists());
}

#[test]
fn newer_content_is_put_aside_and_no_undo_of_an_undo_comes_by_itself() {
    let place = place(1_000_000);
    let file = place.write("file", "first");
    place.journal.save("rm file", &[Wanted::new(&file, How::Remove, Reach::Itself)]).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, "newer").unwrap();
    let restored = place.journal.undo(None).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "first");
    assert!(matches!(place.journal.undo(None), Err(UndoError::Nothing)));
    place.journal.undo(restored.kept.as_deref()).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "newer");
}

#[test]
fn newer_content_that_cannot_be_put_aside_stays() {
    let place = place(10);
    let file = place.write("file", "first");
    place.journal.save("rm file", &[Wanted::new(&file, How::Remove, Reach::Itself)]).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, "much longer than ten bytes").unwrap();
    let restored = place.journal.undo(None).unwrap();
    assert_eq!(restored.failed.len(), 1, "{restored:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "much longer than ten bytes");
    fs::remove_file(&file).unwrap();
    assert!(place.journal.undo(None).unwrap().failed.is_empty(), "it can be tried again");
    assert_eq!(fs::read_to_string(&file).unwrap(), "first");
}

#[test]
fn a_whole_folder_loses_what_came_in_and_a_searched_one_does_not() {
    let place = place(1_000_000);
    for (how, left) in [(How::Write, 1), (How::Remove, 2)] {
        let _ = fs::remove_dir_all(place.at("tree"));
        place.write("tree/a", "a");
        place.journal.save("x", &[Wanted::new(place.at("tree"), how, Reach::Tree)]).unwrap();
        place.write("tree/b", "b");
        fs::remove_file(place.at("tree/a")).unwrap();
        place.write("tree/a", "changed");
        place.journal.undo(None).unwrap();
        assert_eq!(fs::read_dir(place.at("tree")).unwrap().count(), left, "{how:?}");
        assert_eq!(fs::read_to_string(place.at("tree/a")).unwrap(), "a");
    }
}

#[test]
fn a_renamed_file_that_is_then_written_comes_back_with_its_old_content() {
    let place = place(1_000_000);
    let (a, b) = (place.write("a", "old"), place.at("b"));
    let wanted = [
        Wanted::new(&a, How::Move, Reach::Tree),
        Wanted::new(&b, How::Remove, Reach::Tree),
        Wanted::new(&b, How::Write, Reach::Itself),
    ];
    place.journal.save("mv a b; echo new > b", &wanted).unwrap();
    fs::rename(&a, &b).unwrap();
    fs::write(&b, "new").unwrap();
    let restored = place.journal.undo(None).unwrap();
    assert!(restored.failed.is_empty(), "{restored:?}");
    assert_eq!(fs::read_to_string(&a).unwrap(), "old");
    assert!(!b.exists());
}

#[test]
fn only_the_names_of_a_search_are_put_aside() {
    let place = place(20);
    place.write("src/a.o", "12345");
    place.write("src/deep/b.o", "12345");
    place.write("src/main.c", "much more than what may be put aside");
    let wanted = Wanted { names: vec!["*.o".into()], ..Wanted::new(place.at("src"), How::Remove, Reach::Tree) };
    let step = place.journal.save("find src -name '*.o' -delete", std::slice::from_ref(&wanted)).unwrap();
    assert_eq!((step.bytes, step.missed.len()), (10, 0));
    fs::remove_file(place.at("src/a.o")).unwrap();
    fs::remove_file(place.at("src/deep/b.o")).unwrap();
    place.journal.undo(None).unwrap();
    assert!(place.at("src/a.o").exists() && place.at("src/deep/b.o").exists());
}

#[test]
fn what_cannot_be_put_aside_is_named() {
    let place = place(10);
    let (small, large) = (place.write("small", "12345"), place.write("large", &"x".repeat(100)));
    let wanted = [
        Wanted::new(&small, How::Remove, Reach::Itself),
        Wanted::new(&large, How::Remove, Reach::Itself),
        Wanted::new(place.folder.path(), How::Remove, Reach::Tree),
    ];
    let plan = place.journal.plan(&wanted).unwrap();
    let missed: Vec<&Path> = plan.missed.iter().map(|(path, _)| path.as_path()).collect();
    assert_eq!(missed, [&large, place.folder.path()]);
    let step = place.journal.save("rm small large", &wanted).unwrap();
    fs::remove_file(&small).unwrap();
    let restored = place.journal.undo(Some(&step.id)).unwrap();
    assert_eq!((restored.restored, restored.failed.len()), (vec![small], 2));
}

#[test]
fn names_that_are_no_text_survive() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = place(1_000_000);
    let odd = place.at("").join(std::ffi::OsStr::from_bytes(b"a\xff%\n"));
    fs::write(&odd, "odd").unwrap();
    place.journal.save("rm *", &[Wanted::new(&odd, How::Remove, Reach::Itself)]).unwrap();
    fs::remove_file(&odd).unwrap();
    place.journal.undo(None).unwrap();
    assert_eq!(fs::read_to_string(&odd).unwrap(), "odd");
}

#[test]
fn old_and_many_steps_go() {
    let place = place(10);
    let file = place.write("file", "1234");
    let wanted = [Wanted::new(&file, How::Remove, Reach::Itself)];
    for _ in 0..4 {
        place.journal.save("rm file", &wanted).unwrap();
        place.seconds.fetch_add(1, Ordering::SeqCst);
    }
    let steps = place.journal.steps().unwrap();
    assert_eq!(steps.len(), 2, "the oldest go first");
    place.seconds.fetch_add(8 * 24 * 60 * 60, Ordering::SeqCst);
    place.journal.prune().unwrap();
    assert!(place.journal.steps().unwrap().is_empty());
}

#[test]
fn lines_of_steps_that_are_gone_are_left_out_of_the_journal() {
    let place = place(10);
    let file = place.write("file", "1234");
    let wanted = [Wanted::new(&file, How::Remove, Reach::Itself)];
    let lines = || fs::read_to_string(place.folder.path().join("state/undo/undo.jsonl")).unwrap().lines().count();
    let most = (0..450).map(|_| {
        place.journal.save("rm file", &wanted).unwrap();
        place.seconds.fetch_add(1, Ordering::SeqCst);
        lines()
    });
    let most = most.max().unwrap();
    assert!((200..=210).contains(&most), "{most}");
    assert_eq!(place.journal.steps().unwrap().len(), 2);
    let before = place.journal.steps().unwrap();
    fs::remove_file(&file).unwrap();
    place.journal.undo(Some(&before[1].id)).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "1234");
    assert_eq!(place.journal.steps().unwrap(), before[..1]);
}

#[test]
fn a_folder_of_state_that_cannot_be_used_is_an_error_before_anything_is_changed() {
    let place = place(1_000_000);
    let file = place.write("file", "1234");
    fs::write(place.folder.path().join("state"), "a file where the folder should be").unwrap();
    let wanted = [Wanted::new(&file, How::Remove, Reach::Itself)];
    assert!(matches!(place.journal.plan(&wanted), Err(UndoError::Io { .. })));
    assert!(matches!(place.journal.save("rm file", &wanted), Err(UndoError::Io { .. })));
}

#[test]
fn a_session_takes_back_its_own_last_command() {
    let place = place(1_000_000);
    let (mine, others) = (place.write("mine", "a"), place.write("others", "b"));
    let wanted = |path: &PathBuf| [Wanted::new(path, How::Remove, Reach::Itself)];
    let own = place.journal.save_of("me", "rm mine", &wanted(&mine), &["what `tar x` writes".to_owned()]).unwrap();
    place.seconds.fetch_add(1, Ordering::SeqCst);
    let other = place.journal.save_of("you", "rm others", &wanted(&others), &[]).unwrap();
    fs::remove_file(&mine).unwrap();
    fs::remove_file(&others).unwrap();
    assert!(matches!(place.journal.last(Some("she")), Err(UndoError::Nothing)));
    let last = place.journal.last(Some("me")).unwrap();
    assert_eq!((&last.id, last.unnamed.len()), (&own.id, 1));
    place.journal.bring_back(&last).unwrap();
    assert!(mine.exists() && !others.exists());
    assert!(matches!(place.journal.last(Some("me")), Err(UndoError::Nothing)), "another's is not the next");
    assert_eq!(place.journal.last(None).unwrap().id, other.id);
    let named = place.journal.named(&other.id).unwrap();
    place.journal.bring_back(&named).unwrap();
    assert!(others.exists(), "by its name it comes back");
}

#[test]
fn a_step_of_a_command_that_changed_nothing_is_not_listed() {
    let place = place(1_000_000);
    let (file, other) = (place.write("file", "1234"), place.write("folder/other", "5"));
    let (folder, absent) = (place.at("folder"), place.at("absent"));
    let wanted = |path: &Path| [Wanted::new(path, How::Remove, Reach::Tree)];
    let listed =
        || place.journal.steps_with_changes().unwrap().into_iter().map(|step| step.command).collect::<Vec<_>>();
    for (command, path) in [("rm -f absent", &absent), ("rm -f file", &file), ("rm -rf folder", &folder)] {
        place.journal.save(command, &wanted(path)).unwrap();
    }
    assert!(listed().is_empty(), "{:?}", listed());
    fs::write(&absent, "it was made").unwrap();
    assert_eq!(listed(), ["rm -f absent"]);
    fs::write(&file, "4321").unwrap();
    assert_eq!(listed(), ["rm -f absent", "rm -f file"]);
    fs::write(folder.join("more"), "").unwrap();
    assert_eq!(listed(), ["rm -f absent", "rm -f file", "rm -rf folder"]);
    fs::remove_file(folder.join("more")).unwrap();
    fs::remove_file(&other).unwrap();
    assert_eq!(listed().len(), 3);
    // A content that changed behind the same look counts, and what could not be put aside is always told.
    place.journal.save_of("s", "kill", &[], &["what it tells other processes".into()]).unwrap();
    assert_eq!(listed().len(), 4);
}
