//! Which confinement works here, found out by trying.

use std::io;
use std::os::fd::AsFd as _;

use rustix::mount::{FsOpenFlags, MountPropagationFlags, fsconfig_create, fsopen, mount_change};
use rustix::process::{WaitOptions, waitpid};

use crate::landlocked;
use crate::plan::Mechanism;
use crate::sys::{self, Fork};

/// What works here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// The strongest that does.
    pub mechanism: Mechanism,
    /// Why each stronger one does not, strongest first.
    pub missing: Vec<String>,
}

/// Exit codes of the trial, one a step.
const STEPS: &[(i32, &str)] = &[
    (1, "mounts of its own are not allowed"),
    (2, "a process table of its own is not allowed (a container that hides parts of /proc?)"),
    (3, "overlayfs is not allowed in user name spaces (needs Linux 5.11)"),
];

/// Tries what there is. This process must have one thread, as the launcher has.
pub fn available() -> Available {
    let mut missing = Vec::new();
    match try_namespaces() {
        Ok(()) => return Available { mechanism: Mechanism::Namespaces, missing },
        Err(why) => missing.push(format!("name spaces: {why}")),
    }
    match landlocked::probe() {
        Ok(()) => Available { mechanism: Mechanism::Landlock, missing },
        Err(why) => {
            missing.push(format!("landlock: {why}"));
            Available { mechanism: Mechanism::Bare, missing }
        }
    }
}

fn try_namespaces() -> Result<(), String> {
    let spaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWNET;
    let child = match sys::fork(spaces) {
        Ok(Fork::Child) => std::process::exit(trial()),
        Ok(Fork::Parent(pid)) => pid,
        Err(error) => return Err(refused(&error)),
    };
    let status = waitpid(Some(child), WaitOptions::empty()).map_err(|error| error.to_string())?;
    match status.and_then(|(_, status)| status.exit_status()) {
        Some(0) => Ok(()),
        Some(1) if is_restricted() => Err(refused(&io::ErrorKind::PermissionDenied.into())),
        Some(code) => {
            let step = STEPS.iter().find(|(known, _)| *known == code).map(|(_, words)| *words);
            Err(step.unwrap_or("the trial failed").to_owned())
        }
        None => Err("the trial was ended".to_owned()),
    }
}

fn trial() -> i32 {
    if mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).is_err() {
        return 1;
    }
    let makes =
        |name: &str| fsopen(name, FsOpenFlags::FSOPEN_CLOEXEC).and_then(|context| fsconfig_create(context.as_fd()));
    if makes("proc").is_err() {
        return 2;
    }
    // Without folders it must fail for their lack alone.
    match fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC) {
        Ok(_) => 0,
        Err(_) => 3,
    }
}

/// Says whether AppArmor takes all rights away in user name spaces, as on Ubuntu since 24.04.
fn is_restricted() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        .is_ok_and(|text| text.trim() == "1")
}

fn refused(error: &io::Error) -> String {
    let none = std::fs::read_to_string("/proc/sys/user/max_user_namespaces").is_ok_and(|text| text.trim() == "0");
    if is_restricted() {
        format!("AppArmor restricts user name spaces ({error}); a profile for aish allows them, see docs/sandbox.md")
    } else if none {
        format!("user.max_user_namespaces is 0 ({error}); set it with sysctl to allow them")
    } else {
        format!("user name spaces are not allowed ({error})")
    }
}
