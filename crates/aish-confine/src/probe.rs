//! Which confinement works here, found out by trying.

use std::io;
use std::os::fd::AsFd as _;

use rustix::io::Errno;
use rustix::mount::{FsOpenFlags, MountPropagationFlags, fsconfig_create, fsconfig_set_flag, fsopen, mount_change};
use rustix::process::{WaitOptions, waitpid};

use crate::landlocked;
use crate::plan::Mechanism;
use crate::sys::{self, Fork};

/// What works here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// The strongest that does.
    pub mechanism: Mechanism,
    /// Each stronger one, the strongest first.
    pub missing: Vec<Missing>,
}

/// A mechanism that does not work here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Which.
    pub mechanism: Mechanism,
    /// Why, in words.
    pub why: String,
    /// What a person can do about it; empty where nothing is known.
    pub remedy: String,
}

impl Missing {
    fn new(mechanism: Mechanism, why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { mechanism, why: why.into(), remedy: remedy.into() }
    }
}

/// Steps of the trial, by its exit code: what failed, and what can be done.
const STEPS: &[(i32, &str, &str)] = &[
    (
        1,
        "mounts of its own are not allowed",
        "run it outside the container, or start the container with a profile that allows them",
    ),
    (
        2,
        "a process table of its own is not allowed",
        "the container hides parts of /proc: start it with --security-opt systempaths=unconfined, or run it outside",
    ),
    (3, "overlayfs is not allowed in user name spaces", "Linux 5.11 or later allows it"),
];

/// Exit code of a trial that was refused as AppArmor and filters refuse.
const NO_MOUNTS: i32 = 1;

impl Available {
    /// Writes it as lines, for a caller that has this asked of a process of its own.
    pub fn to_lines(&self) -> String {
        let one_line = |text: &str| text.replace(['\n', '\t'], " ");
        let mut lines = format!("{}\n", self.mechanism.as_str());
        for missing in &self.missing {
            let (why, remedy) = (one_line(&missing.why), one_line(&missing.remedy));
            lines.push_str(&format!("{}\t{why}\t{remedy}\n", missing.mechanism.as_str()));
        }
        lines
    }

    /// Reads such lines; none where they are not whole.
    pub fn from_lines(lines: &str) -> Option<Self> {
        let mut lines = lines.lines();
        let mechanism = Mechanism::parse(lines.next()?.as_ref())?;
        let missing = lines.map(|line| {
            let mut fields = line.split('\t');
            Some(Missing::new(Mechanism::parse(fields.next()?.as_ref())?, fields.next()?, fields.next()?))
        });
        Some(Self { mechanism, missing: missing.collect::<Option<_>>()? })
    }
}

/// Tries what there is. This process must have one thread, as the launcher has.
pub fn available() -> Available {
    let mut missing = Vec::new();
    let mut mechanism = Mechanism::Bare;
    match try_namespaces() {
        Ok(()) => return Available { mechanism: Mechanism::Namespaces, missing },
        Err(why) => missing.push(why),
    }
    match landlocked::probe() {
        Ok(()) => mechanism = Mechanism::Landlock,
        Err(why) => {
            let remedy = "Linux 6.2 or later has it, where `lsm=` of the kernel's command line names landlock";
            missing.push(Missing::new(Mechanism::Landlock, why.to_string(), remedy));
        }
    }
    Available { mechanism, missing }
}

fn try_namespaces() -> Result<(), Missing> {
    let plain = |why: String| Missing::new(Mechanism::Namespaces, why, "");
    let spaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWNET;
    let child = match sys::fork(spaces) {
        Ok(Fork::Child) => std::process::exit(trial()),
        Ok(Fork::Parent(pid)) => pid,
        Err(error) => return Err(refused(&error)),
    };
    let status = waitpid(Some(child), WaitOptions::empty()).map_err(|error| plain(error.to_string()))?;
    match status.and_then(|(_, status)| status.exit_status()) {
        Some(0) => Ok(()),
        Some(NO_MOUNTS) if is_restricted() => Err(refused(&io::ErrorKind::PermissionDenied.into())),
        Some(code) => Err(match STEPS.iter().find(|(known, ..)| *known == code) {
            Some((_, why, remedy)) => Missing::new(Mechanism::Namespaces, *why, *remedy),
            None => plain("the trial failed".to_owned()),
        }),
        None => Err(plain("the trial was ended".to_owned())),
    }
}

fn trial() -> i32 {
    if mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).is_err() {
        return NO_MOUNTS;
    }
    let table = fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC).and_then(|context| fsconfig_create(context.as_fd()));
    if table.is_err() {
        return 2;
    }
    // Without folders it must fail for their lack alone.
    let overlay = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC).and_then(|context| {
        fsconfig_set_flag(context.as_fd(), "userxattr")?;
        fsconfig_create(context.as_fd())
    });
    match overlay {
        Err(Errno::PERM | Errno::NODEV | Errno::NOSYS) => 3,
        // An older kernel does not know the flag.
        Err(Errno::INVAL) if !knows_userxattr() => 3,
        Ok(()) | Err(_) => 0,
    }
}

fn knows_userxattr() -> bool {
    fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)
        .and_then(|context| fsconfig_set_flag(context.as_fd(), "userxattr"))
        .is_ok()
}

/// Says whether AppArmor takes all rights away in user name spaces, as on Ubuntu since 24.04.
fn is_restricted() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        .is_ok_and(|text| text.trim() == "1")
}

fn refused(error: &io::Error) -> Missing {
    let none = std::fs::read_to_string("/proc/sys/user/max_user_namespaces").is_ok_and(|text| text.trim() == "0");
    let (why, remedy) = if is_restricted() {
        ("AppArmor restricts user name spaces", "a profile for aish allows them: docs/sandbox.md has it")
    } else if none {
        ("user.max_user_namespaces is 0", "`sudo sysctl user.max_user_namespaces=15000` allows them")
    } else {
        (
            "user name spaces are not allowed",
            "in a container, start it with a profile that allows them; else `sudo sysctl kernel.unprivileged_userns_clone=1`",
        )
    };
    Missing::new(Mechanism::Namespaces, format!("{why} ({error})"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_available_survives_its_lines() {
        let missing = vec![
            Missing::new(Mechanism::Namespaces, "why", "what to do"),
            Missing::new(Mechanism::Landlock, "no rules", ""),
        ];
        let found = Available { mechanism: Mechanism::Bare, missing };
        assert_eq!(Available::from_lines(&found.to_lines()), Some(found));
        for text in ["", "magic\n", "bare\nnamespaces\n", "bare\nnamespaces\twhy\n", "bare\nmagic\twhy\t\n"] {
            assert_eq!(Available::from_lines(text), None, "{text}");
        }
    }
}
