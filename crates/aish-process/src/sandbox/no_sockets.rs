//! A filter on system calls that lets no socket be made. Pairs of them stay, which lead nowhere but to oneself.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use super::SandboxError;

/// Sets the filter for this process and all that it will start; new rights must have been given up before.
pub(super) fn apply() -> Result<(), SandboxError> {
    // Programs know this answer, and say it in words.
    refuse(&[libc::SYS_socket], libc::ENETUNREACH)?;
    // A ring makes sockets without that call.
    refuse(&[libc::SYS_io_uring_setup], libc::ENOSYS)
}

fn refuse(calls: &[i64], errno: i32) -> Result<(), SandboxError> {
    let failed = |why: String| SandboxError::Filter(why);
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| failed(error.to_string()))?;
    let rules: BTreeMap<i64, Vec<seccompiler::SeccompRule>> = calls.iter().map(|call| (*call, Vec::new())).collect();
    let errno = SeccompAction::Errno(errno.unsigned_abs());
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, errno, arch).map_err(|error| failed(error.to_string()))?;
    let program = BpfProgram::try_from(filter).map_err(|error| failed(error.to_string()))?;
    seccompiler::apply_filter(&program).map_err(|error| failed(error.to_string()))
}
