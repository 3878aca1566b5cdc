//! The launcher alone, for the tests of this crate; `aish` has the same as a hidden command.
//!
//! `--without user-name-spaces,overlay,landlock` first takes those away as a container's filter or an older kernel does.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    if arguments.next_if(|first| first == "--without").is_some() {
        let names = arguments.next().unwrap_or_default().to_string_lossy().into_owned();
        if let Err(why) = names.split(',').try_for_each(take_away) {
            let _ = writeln!(std::io::stderr(), "{why}");
            return ExitCode::from(2);
        }
    }
    if arguments.peek().is_some_and(|first| first == "--probe") {
        let written = std::io::stdout().write_all(aish_confine::available().to_lines().as_bytes());
        return if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if let Some(told) = arguments.peek().and_then(|first| aish_confine::Told::from_argument(first)) {
        return ExitCode::from(aish_confine::launch_when_told(told));
    }
    match aish_confine::Plan::from_arguments(arguments) {
        Ok(plan) => ExitCode::from(aish_confine::launch(&plan)),
        Err(_) => ExitCode::from(2),
    }
}

/// Refuses the calls by which something is had, with the answer of a system that lacks it.
fn take_away(name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let flag = |argument, value: u64, operator| -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
        Ok(vec![SeccompRule::new(vec![condition])?])
    };
    let new_user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    let (call, rules, answer) = match name {
        "user-name-spaces" => (libc::SYS_clone, flag(0, new_user, SeccompCmpOp::MaskedEq(new_user))?, libc::EPERM),
        // The option `userxattr`, a flag, came with overlayfs for users.
        "overlay" => (libc::SYS_fsconfig, flag(1, 0, SeccompCmpOp::Eq)?, libc::EINVAL),
        "landlock" => (libc::SYS_landlock_create_ruleset, Vec::new(), libc::ENOSYS),
        "mounts" => (libc::SYS_mount, Vec::new(), libc::EPERM),
        other => return Err(format!("{other} cannot be taken away").into()),
    };
    let rules = BTreeMap::from([(call, rules)]);
    let refuse = SeccompAction::Errno(answer.unsigned_abs());
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, TargetArch::try_from(std::env::consts::ARCH)?)?;
    Ok(seccompiler::apply_filter(&BpfProgram::try_from(filter)?)?)
}
