//! `aish __sandbox`, hidden: becomes a program in a sandbox. The launcher of the shells that aish starts for the model.

use std::path::PathBuf;

use aish_process::sandbox::{Bounds, enter};

use crate::arguments::SandboxFlags;
use crate::failure::Failure;
use crate::sandbox::EXCHANGE;

/// Becomes the program; returns only when that failed.
///
/// # Errors
/// Why the program did not run.
pub fn run(flags: &SandboxFlags) -> Result<crate::exit::ExitCode, Failure> {
    let bounds = Bounds {
        writable: flags.write.clone(),
        protected: flags.protect.clone(),
        exchange: std::env::var_os(EXCHANGE).map(PathBuf::from),
        network: flags.network,
    };
    Err(enter(&bounds, &flags.program).into())
}
