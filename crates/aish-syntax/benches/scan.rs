//! How long a scan takes: a typical line, and 64 KiB.

use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

#[divan::bench]
fn line() -> usize {
    aish_syntax::scan(black_box("git log --oneline \"$(git merge-base main HEAD)\"..HEAD | head -n 20 > out.txt"))
        .tokens
        .len()
}

#[divan::bench]
fn long(bencher: Bencher<'_, '_>) {
    let text = "for i in 1 2 3; do echo \"$i ${x:-$(date)}\" | grep -v '#' >> log; done\n".repeat(920);
    bencher.bench(|| aish_syntax::scan(black_box(&text)).tokens.len());
}

#[divan::bench]
fn unfinished() -> bool {
    aish_syntax::is_unfinished(black_box("for f in *.txt; do echo \"$(cat \"$f\")\"; done <<EOF"))
}
