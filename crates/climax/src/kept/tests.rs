//! Kept tools: the same as read ones, and nothing that is wrong with a file is more than a new reading.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;
use crate::policy::Policy;
use crate::schema::Flags;

pub(super) const FILES: usize = 5;

/// Five files with 420 tools each, settled for an hour.
pub(super) fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in 0..FILES {
        write(folder.path(), file, "Lists");
    }
    folder
}

fn write(folder: &Path, file: usize, verb: &str) {
    let mut text = format!("name: cli{file}\ndescription: d\ncommand: echo {file}\ncategory: c\ntags: [t]\ntools:\n");
    for at in 0..420 {
        text.push_str(&format!(
            "  - {{name: cli{file}_{at}, description: {verb} the {at}th bucket, command: list, timeout: 2.5, risk: write,\n     args: [{{name: all, type: boolean, description: Every one}}]}}\n"
        ));
    }
    let path = folder.join(format!("{file}.yaml"));
    fs::write(&path, text).unwrap();
}

fn sources(folder: &TempDir) -> Vec<Source> {
    Source::find(&format!("{}/", folder.path().display())).unwrap()
}

pub(super) fn load(folder: &TempDir, state: &TempDir) -> (Catalogue, Vec<crate::Fault>) {
    let (loaded, kept) = KeptTools::load(Some(state.path()), &sources(folder));
    (Catalogue::with_kept(loaded.configs, Arc::new(Policy::default()), Flags::Shown, kept), loaded.faults)
}

fn found(catalogue: &Catalogue, index: &Index) -> String {
    let page = index.search(&aish_tools::index::Query::text("list the 17th bucket"));
    let tool = catalogue.get("cli3_17").map(|entry| (entry.config.command.clone(), entry.tool));
    format!("{page:?} {:?} {tool:?}", index.summary())
}

/// Loads, answers and keeps; says how many configurations and whether the index came from the files.
pub(super) fn start(folder: &TempDir, state: &TempDir) -> (String, usize, bool) {
    let (catalogue, _) = load(folder, state);
    let index = catalogue.index();
    let (is_stale, has_index) = (catalogue.kept().is_stale, catalogue.kept().has_index.load(Ordering::Relaxed));
    let answer = found(&catalogue, &index);
    catalogue.keep(&index);
    (answer, if is_stale { 0 } else { FILES }, has_index)
}

/// Waits until files that were just written count as left alone.
pub(super) fn settle() {
    std::thread::sleep(Duration::from_millis(1_050));
}

pub(super) fn kept_files(state: &TempDir) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(state.path().join("kept")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn what_is_kept_is_what_was_read() {
    let (folder, state) = (folder(), TempDir::new().unwrap());
    // Files that were changed a moment ago may change again within a tick of the clock: they are not kept.
    let (first, ..) = start(&folder, &state);
    settle();
    assert_eq!(start(&folder, &state).0, first);
    assert_eq!(start(&folder, &state), (first.clone(), FILES, true));
    // Another file, another list.
    fs::copy(folder.path().join("0.yaml"), folder.path().join("9.yaml")).unwrap();
    assert!(!start(&folder, &state).2);
    fs::remove_file(folder.path().join("9.yaml")).unwrap();
    assert_eq!(start(&folder, &state), (first, FILES, true));
}

#[test]
fn what_changed_is_read_anew() {
    let (folder, state) = (folder(), TempDir::new().unwrap());
    settle();
    let (first, ..) = start(&folder, &state);
    assert_eq!(start(&folder, &state), (first.clone(), FILES, true));
    // As long as before, and with the old time of its content.
    let path = folder.path().join("3.yaml");
    let old = path.metadata().unwrap().modified().unwrap();
    write(folder.path(), 3, "Drops");
    fs::File::options().append(true).open(&path).unwrap().set_modified(old).unwrap();
    let (second, _, has_index) = start(&folder, &state);
    assert!(second.contains("Drops the 17th bucket") && second != first && !has_index);
    settle();
    assert_eq!(start(&folder, &state).0, second);
    assert_eq!(start(&folder, &state), (second, FILES, true));
    // A fault is told at each start.
    fs::write(&path, "command: x\ntools:\n  - {name: bad}\n").unwrap();
    settle();
    for _ in 0..2 {
        let (catalogue, faults) = load(&folder, &state);
        assert_eq!(faults.len(), 1, "{faults:?}");
        catalogue.keep(&catalogue.index());
    }
}

#[test]
fn a_broken_file_is_made_anew() {
    let (folder, state) = (folder(), TempDir::new().unwrap());
    settle();
    let (first, ..) = start(&folder, &state);
    let files = kept_files(&state);
    assert_eq!(files.len(), 2, "{files:?}");
    for path in &files {
        let whole = fs::read(path).unwrap();
        let changed = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        };
        let cut = |end: usize| whole[..end].to_vec();
        let middle = whole.len() / 2;
        // The first byte, the build, the checksum, the content; cut in the head, behind it and in the content; empty.
        for broken in [changed(0), changed(9), changed(17), changed(middle), cut(7), cut(24), cut(middle), cut(0)] {
            fs::write(path, broken).unwrap();
            assert_eq!(start(&folder, &state).0, first, "{}", path.display());
            assert_eq!(start(&folder, &state), (first.clone(), FILES, true), "{}", path.display());
        }
        // What is no file, and what cannot be written.
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        assert_eq!(start(&folder, &state).0, first, "{}", path.display());
        fs::remove_dir(path).unwrap();
        assert_eq!(start(&folder, &state).0, first, "{}", path.display());
    }
}

#[test]
fn many_may_write_at_once() {
    let (folder, state) = (folder(), TempDir::new().unwrap());
    settle();
    let first = start(&folder, &state).0;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for path in kept_files(&state).into_iter().filter(|path| path.extension().is_some()) {
                    let _ = fs::remove_file(path);
                    assert_eq!(start(&folder, &state).0, first);
                }
            });
        }
    });
    start(&folder, &state);
    assert_eq!(start(&folder, &state), (first, FILES, true));
}

#[test]
fn old_lists_and_what_was_left_behind_go() {
    let state = TempDir::new().unwrap();
    let own = state.path().join("own");
    let long_ago = SystemTime::now() - Duration::from_secs(86_400);
    let names: Vec<String> =
        (0..8).flat_map(|at| [format!("{at}.configs"), format!("{at}.index")]).chain([".aish-x".into()]).collect();
    for name in names.iter().map(String::as_str).chain(["own.configs", "own.index", ".aish-new"]) {
        fs::write(state.path().join(name), "x").unwrap();
        if name != ".aish-new" && !name.starts_with('7') {
            fs::File::options().append(true).open(state.path().join(name)).unwrap().set_modified(long_ago).unwrap();
        }
    }
    file::forget_old(&own);
    let left: Vec<String> =
        fs::read_dir(state.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(left.iter().filter(|name| name.ends_with(".configs") || name.ends_with(".index")).count(), 12);
    for name in ["own.configs", "own.index", ".aish-new", "7.configs", "7.index"] {
        assert!(left.iter().any(|left| left == name), "{name}: {left:?}");
    }
    assert!(!left.iter().any(|left| left == ".aish-x"));
}
