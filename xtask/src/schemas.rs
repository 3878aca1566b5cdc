//! `cargo xtask schemas [COUNT]`: random tool schemas, each answered by a valid call of the embedded model.
//!
//! The test of `aish-model` that `./test` runs with a few of them, run with many. It needs a model's file.

use anyhow::{Result, bail};

use crate::step::cargo_with;

/// Schemas unless said otherwise.
const COUNT: &str = "200";
/// The test that asks.
const TEST: &str = "calls::random_schemas_give_valid_calls";

/// Runs the schemas.
///
/// # Errors
/// When there is no model's file, the count is none, or a call is not valid.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let count = arguments.first().map_or(COUNT, String::as_str);
    if count.parse::<u32>().is_err() {
        bail!("use: cargo xtask schemas [COUNT]");
    }
    if std::env::var_os("AISH_TEST_GGUF").is_none() {
        bail!("AISH_TEST_GGUF names no model's file (./test fetches one into target/tests/venv)");
    }
    // The whole workspace, as `./test` builds it: with the features of one crate llama.cpp would be built again.
    let test = ["test", "--workspace", "--locked", "--test", "it", "--", "--exact", "--nocapture", TEST];
    cargo_with(&format!("{count} random schemas"), &test, &[("AISH_SCHEMAS", count)])
}
