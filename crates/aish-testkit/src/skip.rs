//! Says that a test cannot run here, and why.

use std::io::Write as _;

/// Prints why a test cannot run, and appends it to the file that `AISH_TEST_SKIPPED` names, where `./test` counts.
///
/// # Panics
/// When that file cannot be written: a test that was left out would count as passed.
#[expect(clippy::print_stderr, clippy::expect_used, reason = "a test tells its runner")]
pub fn skip(test: &str, reason: &str) {
    eprintln!("skipped: {test}: {reason}");
    if let Some(file) = std::env::var_os("AISH_TEST_SKIPPED") {
        let mut file =
            std::fs::File::options().append(true).create(true).open(file).expect("the list of skipped tests");
        writeln!(file, "{test}: {reason}").expect("the list of skipped tests");
    }
}

/// Says whether a program that is not ours is not installed; if so, the test is skipped with that reason.
///
/// # Panics
/// As [`skip`].
pub fn is_missing(test: &str, program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = !std::env::split_paths(&path).any(|folder| folder.join(program).exists());
    if missing {
        skip(test, &format!("{program} is not installed"));
    }
    missing
}
