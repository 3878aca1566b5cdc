//! Kept files with something wrong in them, in very many ways: as they are, and with a checksum that is right all the same.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::tests::{FILES, folder, kept_files, load, settle, start};
use super::*;
use crate::mutate::Dice;

/// Mutated files of each kind.
const TRIES: u64 = 120;

/// Loads, searches, and looks at every tool.
fn use_all(folder: &TempDir, state: &TempDir) -> Vec<String> {
    let (catalogue, _) = load(folder, state);
    let index = catalogue.index();
    for text in ["list the 17th bucket", "cli2_3", "every one", "zzz", "lsit bukets"] {
        for hit in index.search(&aish_tools::index::Query::text(text)).hits {
            assert!(catalogue.get(hit.definition.name.as_str()).is_some());
        }
    }
    let names = catalogue.definitions().iter().map(|tool| tool.name.to_string());
    let names: Vec<String> = names.collect();
    for definition in catalogue.definitions() {
        // What cannot be unpacked is a fault at the call.
        let _ = definition.input_schema.value();
    }
    names
}

#[test]
fn a_file_that_was_changed_in_any_way_gives_the_tools_of_the_configs() {
    let (folder, state) = (folder(), TempDir::new().unwrap());
    settle();
    let (first, ..) = start(&folder, &state);
    let mut names = use_all(&folder, &state);
    names.sort();
    let mut dice = Dice(17);
    for path in kept_files(&state) {
        let whole = fs::read(&path).unwrap();
        for _ in 0..TRIES / 12 {
            fs::write(&path, dice.mutate(&whole)).unwrap();
            assert_eq!(start(&folder, &state).0, first, "{}", path.display());
            let mut found = use_all(&folder, &state);
            found.sort();
            assert_eq!(found, names);
        }
    }
}

#[test]
fn content_that_is_wrong_behind_a_right_checksum_ends_nothing() {
    let (folder, state) = (folder(), TempDir::new().unwrap());
    settle();
    start(&folder, &state);
    let files = kept_files(&state);
    let contents: Vec<Vec<u8>> = files.iter().map(|path| file::read(path).unwrap().content().to_vec()).collect();
    let mut dice = Dice(4_711);
    for (path, content) in files.iter().zip(&contents) {
        let sealed = |content: &[u8]| {
            let mut bytes = file::room();
            bytes.extend_from_slice(content);
            file::write(path, bytes);
        };
        for number in 0..TRIES {
            sealed(&dice.mutate(content));
            // Reading the parts alone is fast; all of it is used now and then.
            if number % 15 == 0 {
                use_all(&folder, &state);
                sealed(content);
                continue;
            }
            let kept = file::read(path).unwrap();
            let sources = load::Source::find(&format!("{}/", folder.path().display())).unwrap();
            let mut all: Vec<Kept> = sources.iter().map(Kept::of).collect();
            configs::find(kept.content(), &mut all);
            Index::restore(std::iter::empty(), &[], kept.content());
        }
        sealed(content);
    }
    assert_eq!(start(&folder, &state).1, FILES, "whole again");
}

#[test]
fn a_file_that_others_may_have_written_is_made_anew() {
    let (folder, state) = (folder(), TempDir::new().unwrap());
    settle();
    let (first, ..) = start(&folder, &state);
    let elsewhere = TempDir::new().unwrap();
    for path in kept_files(&state) {
        let copy = elsewhere.path().join("copy");
        fs::copy(&path, &copy).unwrap();
        let put: [&dyn Fn(&Path); 3] = [
            &|path| fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap(),
            &|path| {
                fs::remove_file(path).unwrap();
                symlink(&copy, path).unwrap();
            },
            &|path| {
                fs::remove_file(path).unwrap();
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
            },
        ];
        for put in put {
            put(&path);
            let (answer, known, has_index) = start(&folder, &state);
            assert_eq!(answer, first);
            assert!(known < FILES || !has_index, "it was not believed");
            assert_eq!(start(&folder, &state), (first.clone(), FILES, true), "it was made anew, as one's own");
            assert_eq!(fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
