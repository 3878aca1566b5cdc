//! What owning a child costs over the bare price of starting one.

use std::process::{Command as Bare, Stdio};

use aish_process::{Command, run};
use tokio_util::sync::CancellationToken;

fn main() {
    divan::main();
}

fn bench_bare(bencher: divan::Bencher<'_, '_>) {
    bencher.bench(|| {
        // Without hooks the standard library starts children with `posix_spawn`.
        Bare::new("/bin/echo").arg("hello").stdin(Stdio::null()).output()
    });
}

fn bench_owned(bencher: divan::Bencher<'_, '_>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let Ok(runtime) = runtime else { return };
    let command = Command::new("/bin/echo").arg("hello");
    let cancel = CancellationToken::new();
    bencher.bench(|| runtime.block_on(run(&command, &cancel)));
}

/// Touches memory, as a process has that holds configurations and an index.
fn ballast(mebibytes: usize) -> Vec<u8> {
    divan::black_box(vec![1; mebibytes << 20])
}

#[divan::bench(sample_count = 200, args = [1, 50])]
fn bare_posix_spawn(bencher: divan::Bencher<'_, '_>, mebibytes: usize) {
    let _ballast = ballast(mebibytes);
    bench_bare(bencher);
}

#[divan::bench(sample_count = 200, args = [1, 50])]
fn owned(bencher: divan::Bencher<'_, '_>, mebibytes: usize) {
    let _ballast = ballast(mebibytes);
    bench_owned(bencher);
}
