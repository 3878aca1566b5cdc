//! What a process gives up before it becomes the command: capabilities, new privileges, room.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::plan::Limits;
use crate::sys;

/// Gives up every capability, for this process and all that it will start.
pub(crate) fn drop_all() -> io::Result<()> {
    sys::empty_bounding_set();
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}

/// Lets nothing that is started gain privileges (setuid programs).
pub(crate) fn no_new_privileges() -> io::Result<()> {
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Lowers limits of resources.
pub(crate) fn limit(limits: &Limits) {
    for (resource, most) in [
        (Resource::Nproc, limits.processes),
        (Resource::Memlock, 64 << 20),
        (Resource::Msgqueue, 1 << 20),
        (Resource::Nice, 0),
        (Resource::Rtprio, 0),
    ] {
        let now = getrlimit(resource);
        let lower = |old: Option<u64>| Some(old.map_or(most, |old| old.min(most)));
        // A limit that cannot be lowered is not there.
        let _ = setrlimit(resource, Rlimit { current: lower(now.current), maximum: lower(now.maximum) });
    }
    // With none at all the kernel still hands the memory of what crashes to a program outside, where it is set up so; with
    // one byte it does neither. So the lower limit is raised to that, where it may be.
    let one = Some(getrlimit(Resource::Core).maximum.map_or(1, |most| most.min(1)));
    let _ = setrlimit(Resource::Core, Rlimit { current: one, maximum: one });
}

/// Says that this process and all that it will start go first where memory runs out.
pub(crate) fn first_to_go() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "900");
}
