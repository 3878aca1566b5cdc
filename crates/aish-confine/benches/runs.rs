//! What a confined run costs over the same command open, the look through the tree, the making of the layer, the facts and
//! the clean-up included. Trees lie below `CONFINE_BENCH`, else the home folder: it should be on a real disk.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use aish_confine::{Caches, Caller, Layer, Plan, Ready, Settings, Surroundings};
use tempfile::TempDir;

const ROUNDS: u32 = 60;

fn main() {
    divan::main();
}

struct Place {
    _folder: TempDir,
    home: PathBuf,
    tree: PathBuf,
    layers: PathBuf,
}

impl Place {
    /// Makes a tree of some files, a thousand a folder.
    fn new(files: usize) -> Self {
        let base = std::env::var_os("CONFINE_BENCH").or_else(|| std::env::var_os("HOME")).expect("a folder");
        let folder = tempfile::tempdir_in(base).expect("a folder");
        let home = fs::canonicalize(folder.path()).expect("a path");
        let (tree, layers) = (home.join("tree"), home.join("state/layers"));
        fs::create_dir_all(&layers).expect("a folder");
        fs::create_dir(&tree).expect("a tree");
        for number in 0..files {
            let folder = tree.join((number / 1000).to_string());
            if number % 1000 == 0 {
                fs::create_dir(&folder).expect("a folder");
            }
            fs::write(folder.join(number.to_string()), "").expect("a file");
        }
        let place = Self { _folder: folder, home, tree, layers };
        if files > 0 {
            // What changed a moment ago is not remembered.
            std::thread::sleep(std::time::Duration::from_secs(3));
        }
        place.look();
        place
    }

    fn look(&self) -> Surroundings {
        let own = [self.home.join("state")];
        let caller = Caller { folder: &self.tree, home: Some(&self.home), own: &own, layers: &self.layers };
        Surroundings::of(&caller, &Settings::default()).expect("surroundings")
    }

    /// Runs words in a layer and drops it, with a plan in the launcher's arguments.
    fn apart(&self, words: &[&str]) {
        let (layer, plan) = self.plan(words);
        let mut launcher = Command::new(env!("CARGO_BIN_EXE_confine-launcher"));
        let status = launcher.args(plan.to_arguments()).env_clear().env("PATH", "/usr/bin:/bin").status();
        Self::end(&layer, status.expect("a launcher"));
    }

    /// The same by a launcher that was started before.
    fn by(&self, ready: Ready, words: &[&str]) {
        let (layer, mut plan) = self.plan(words);
        plan.environment = Some(vec![("PATH".into(), "/usr/bin:/bin".into())]);
        let status = ready.run(&plan).and_then(|mut child| child.wait());
        Self::end(&layer, status.expect("a run"));
    }

    fn plan(&self, words: &[&str]) -> (Layer, Plan) {
        let surroundings = self.look();
        let layer = surroundings.layer("bench", None).expect("a layer");
        let plan = surroundings.plan(&layer, words.iter().map(OsString::from).collect());
        (layer, plan)
    }

    fn end(layer: &Layer, status: ExitStatus) {
        assert!(status.success(), "{status}");
        assert!(layer.changes(Caches::LeftOut).expect("changes").refused.is_empty());
        layer.discard().expect("dropped");
    }
}

fn start() -> Ready {
    Ready::start(Command::new(env!("CARGO_BIN_EXE_confine-launcher")).env_clear()).expect("a launcher")
}

fn ready() -> Ready {
    let ready = start();
    // Time in which a command is judged, or a person reads.
    std::thread::sleep(std::time::Duration::from_millis(20));
    ready
}

fn open(folder: &Path, words: &[&str]) {
    let (program, arguments) = words.split_first().expect("a word");
    let status = Command::new(program).args(arguments).current_dir(folder).env_clear().status();
    assert!(status.expect("a command").success());
}

const TRUE: &[&str] = &["/bin/true"];
const APPEND: &[&str] = &["/bin/sh", "-c", "echo >> a"];

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn true_open(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(0);
    bencher.bench_local(|| open(&place.tree, TRUE));
}

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn true_apart(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(0);
    bencher.bench_local(|| place.apart(TRUE));
}

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn true_apart_begun_before_its_plan_is_made(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(0);
    bencher.bench_local(|| place.by(start(), TRUE));
}

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn true_apart_ready(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(0);
    bencher.with_inputs(ready).bench_local_values(|ready| place.by(ready, TRUE));
}

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn append_open_200000_files(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(200_000);
    bencher.bench_local(|| open(&place.tree, APPEND));
}

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn append_apart_200000_files(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(200_000);
    bencher.bench_local(|| place.apart(APPEND));
}

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn append_apart_ready_200000_files(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(200_000);
    bencher.with_inputs(ready).bench_local_values(|ready| place.by(ready, APPEND));
}

#[divan::bench(sample_count = ROUNDS, sample_size = 1)]
fn look_through_200000_files(bencher: divan::Bencher<'_, '_>) {
    let place = Place::new(200_000);
    bencher.bench_local(|| place.look());
}
