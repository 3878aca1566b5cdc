//! What is put aside comes back as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aish_journal::WallClock;
use aish_journal::undo::{UndoError, UndoJournal, UndoOptions};

fn journal(folder: &tempfile::TempDir, max_bytes: u64) -> (UndoJournal, Arc<AtomicU64>) {
    let seconds = Arc::new(AtomicU64::new(1_000_000));
    let now = Arc::clone(&seconds);
    let clock = WallClock::new(move || SystemTime::UNIX_EPOCH + Duration::from_secs(now.load(Ordering::SeqCst)));
    let options = UndoOptions { max_bytes, ..UndoOptions::default() };
    (UndoJournal::new(folder.path().join("undo"), options, clock), seconds)
}

#[test]
fn files_folders_and_links_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = journal(&folder, 1_000_000);
    let at = |name: &str| -> PathBuf { folder.path().join(name) };
    fs::write(at("file"), "old").unwrap();
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(at("tree/sub")).unwrap();
    fs::write(at("tree/sub/leaf"), "leaf").unwrap();
    std::os::unix::fs::symlink("file", at("link")).unwrap();
    let paths = [at("file"), at("tree"), at("link"), at("new"), at("file")];
    let step = journal.save("rm -rf file tree link", &paths).unwrap();
    assert_eq!((step.saved.len(), step.bytes), (4, 7));

    fs::write(at("file"), "overwritten").unwrap();
    fs::remove_dir_all(at("tree")).unwrap();
    fs::remove_file(at("link")).unwrap();
    fs::write(at("new"), "made by the command").unwrap();
    let restored = journal.undo(None).unwrap();
    assert!(restored.failed.is_empty(), "{restored:?}");
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "old");
    assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(at("tree/sub/leaf")).unwrap(), "leaf");
    assert_eq!(fs::read_link(at("link")).unwrap(), PathBuf::from("file"));
    assert!(!at("new").exists());
    assert!(matches!(journal.undo(None), Err(UndoError::Nothing)), "undone once");
    assert!(journal.steps().unwrap().is_empty());
    let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["file", "link", "tree", "undo"], "nothing is left over");
}

#[test]
fn a_folder_that_grew_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = journal(&folder, 1_000_000);
    let tree = folder.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("a"), "a").unwrap();
    journal.save("mv x tree", std::slice::from_ref(&tree)).unwrap();
    fs::write(tree.join("b"), "b").unwrap();
    fs::write(tree.join("a"), "changed").unwrap();
    journal.undo(None).unwrap();
    assert_eq!(fs::read_dir(&tree).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(tree.join("a")).unwrap(), "a");
}

#[test]
fn what_cannot_be_put_aside_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = journal(&folder, 10);
    let (small, large) = (folder.path().join("small"), folder.path().join("large"));
    fs::write(&small, "12345").unwrap();
    fs::write(&large, "x".repeat(100)).unwrap();
    let device = PathBuf::from("/dev/null");
    let step = journal.save("rm small large", &[small.clone(), large.clone(), device.clone()]).unwrap();
    let missed: Vec<&PathBuf> = step.missed.iter().map(|(path, _)| path).collect();
    assert_eq!(missed, [&large, &device]);
    fs::remove_file(&small).unwrap();
    let restored = journal.undo(Some(&step.id)).unwrap();
    assert_eq!((restored.restored, restored.failed.len()), (vec![small], 2));
}

#[test]
fn old_and_many_steps_go() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, seconds) = journal(&folder, 10);
    let file = folder.path().join("file");
    fs::write(&file, "1234").unwrap();
    for _ in 0..4 {
        journal.save("rm file", std::slice::from_ref(&file)).unwrap();
        seconds.fetch_add(1, Ordering::SeqCst);
    }
    assert_eq!(journal.steps().unwrap().len(), 2, "the oldest go first");
    seconds.fetch_add(8 * 24 * 60 * 60, Ordering::SeqCst);
    journal.prune().unwrap();
    assert!(journal.steps().unwrap().is_empty());
}
