//! What keeping, dropping and taking back cost. The folder is `CONFINE_BENCH`, or the one for temporary files.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::fs;

use aish_confine::{Caches, Layer, OnConflict};
use tempfile::TempDir;

const FILES: usize = 1000;

fn main() {
    divan::main();
}

/// Makes a tree of 1,000 files of 4 kB, and a layer that has another version of each.
fn changed() -> (TempDir, Layer) {
    changed_with(&[])
}

/// The same of files that were written where they are, which overlayfs gives a note.
fn noted() -> (TempDir, Layer) {
    changed_with(&["user.overlay.origin"])
}

fn changed_with(notes: &[&str]) -> (TempDir, Layer) {
    let base = std::env::var_os("CONFINE_BENCH").map_or_else(std::env::temp_dir, Into::into);
    let folder = tempfile::tempdir_in(base).expect("a folder");
    let real = fs::canonicalize(folder.path()).expect("a path");
    let tree = real.join("tree");
    fs::create_dir(&tree).expect("a tree");
    for number in 0..FILES {
        fs::write(tree.join(number.to_string()), vec![b'a'; 4096]).expect("a file");
    }
    // It was there long before its layer.
    rustix::fs::syncfs(fs::File::open(&tree).expect("a tree")).expect("synced");
    let layer = Layer::create(&real.join("layers"), "bench", None, &[(tree, false)]).expect("a layer");
    let upper = layer.roots().into_iter().next().expect("a root").upper;
    for number in 0..FILES {
        let file = upper.join(number.to_string());
        fs::write(&file, vec![b'b'; 4096]).expect("a file");
        for note in notes {
            rustix::fs::setxattr(&file, *note, b"", rustix::fs::XattrFlags::empty()).expect("a note");
        }
    }
    (folder, layer)
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn keep_1000_files(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(changed).bench_values(|(folder, layer)| {
        layer.keep(Caches::LeftOut, OnConflict::Stop).expect("kept");
        (folder, layer)
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn keep_1000_files_with_notes(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(noted).bench_values(|(folder, layer)| {
        layer.keep(Caches::LeftOut, OnConflict::Stop).expect("kept");
        (folder, layer)
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn take_1000_files_back(bencher: divan::Bencher<'_, '_>) {
    let kept = || {
        let (folder, layer) = changed();
        layer.keep(Caches::LeftOut, OnConflict::Stop).expect("kept");
        (folder, layer)
    };
    bencher.with_inputs(kept).bench_values(|(folder, layer)| {
        layer.take_back(OnConflict::Stop).expect("taken back");
        (folder, layer)
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn drop_1000_files(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(changed).bench_values(|(folder, layer)| {
        layer.discard().expect("dropped");
        folder
    });
}

/// The judgement of one changed file in a tree of 200,000 in 4,000 folders: the first one reads the folders
/// (the slowest sample), the others look whether they changed.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn judge_in_200000_files(bencher: divan::Bencher<'_, '_>) {
    let base = std::env::var_os("CONFINE_BENCH").map_or_else(std::env::temp_dir, Into::into);
    let folder = tempfile::tempdir_in(base).expect("a folder");
    for below in 0..4_000 {
        let below = folder.path().join(format!("{}/{}", below / 100, below % 100));
        fs::create_dir_all(&below).expect("a folder");
        (0..50).for_each(|file| fs::write(below.join(file.to_string()), "").expect("a file"));
    }
    // A folder that was just changed is read each time.
    std::thread::sleep(std::time::Duration::from_secs(4));
    bencher.bench_local(|| aish_confine::guarded(folder.path(), None, "src/main.rs".as_ref(), "", "x"));
}
