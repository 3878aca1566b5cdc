//! What a command costs in the live shell.

use aish_shell::{Options, Shell, Surroundings};

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 300, args = ["true", "/bin/true"])]
fn live_shell(bencher: divan::Bencher<'_, '_>, command: &str) {
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build() else {
        return;
    };
    let shell = runtime.block_on(async {
        let shell = Shell::start(Options::headless());
        let _ = shell.ready().await;
        shell
    });
    bencher.bench(|| runtime.block_on(shell.run(command, Surroundings::unwatched())));
    runtime.block_on(shell.stop());
}
