//! Says that a test cannot run here.

use std::io::Write;

/// Prints why and appends it to the file that `AISH_TEST_SKIPPED` names, where `./test` counts.
pub(crate) fn skip(test: &str, reason: &str) {
    eprintln!("skipped: {test}: {reason}");
    if let Some(file) = std::env::var_os("AISH_TEST_SKIPPED") {
        let mut file = std::fs::File::options().append(true).create(true).open(file).unwrap();
        writeln!(file, "aish-local {test}: {reason}").unwrap();
    }
}
