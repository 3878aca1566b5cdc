//! The filter on system calls of a confined run.

use crate::bpf::{self, Rule, Test};
use crate::set_up_error::SetUpError;

/// Numbers that `libc` does not have yet; they are the same on every architecture.
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_OPEN_TREE_ATTR: i64 = 467;
const SYS_FILE_SETATTR: i64 = 469;

/// The newest call that was looked at; on every architecture new ones get the next numbers. Programs do without those that a
/// kernel does not have.
const NEWEST: i64 = SYS_FILE_SETATTR;

/// Of another type with each library; the same on every architecture.
const RLIMIT_CORE: u32 = 4;

/// Ways to change what the process sees or is, to reach other processes, or into parts of the kernel that no build needs.
const REFUSED: &[i64] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_process_madvise,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_vhangup,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
];

/// Calls that programs do without where the kernel has none of them.
const ABSENT: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    // Its flags are behind a pointer, which a filter cannot read; `clone` is used instead.
    libc::SYS_clone3,
];

/// Changes of metadata and of priorities, which Landlock does not see.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SYS_SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_REMOVEXATTRAT,
    libc::SYS_setpriority,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
    libc::SYS_ioprio_set,
    SYS_FILE_SETATTR,
    libc::SYS_mknodat,
];

/// Signals, where the kernel does not keep them inside by itself.
const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// Ways to let a descriptor send any signal to any process (`F_SETSIG` says which): requests of `fcntl` and `ioctl`.
const OWNERS: &[(i64, u32)] = &[
    (libc::SYS_fcntl, libc::F_SETOWN.unsigned_abs()),
    (libc::SYS_fcntl, F_SETOWN_EX),
    (libc::SYS_ioctl, FIOSETOWN),
    (libc::SYS_ioctl, SIOCSPGRP),
];
const F_SETOWN_EX: u32 = 15;
const FIOSETOWN: u32 = 0x8901;
const SIOCSPGRP: u32 = 0x8902;

/// The older forms of the same, where there are any.
#[cfg(target_arch = "x86_64")]
const OLD_METADATA: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_mknod,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_METADATA: &[i64] = &[];

/// Sockets that a network name space holds. Others reach past it: virtual machines', Bluetooth's, near fields'.
const FAMILIES: &[i32] = &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Types into a terminal, and acts on the console of the machine: `libc` has them in types of their own, or not at all.
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;

/// What a filter lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Name spaces hold files, processes and the network already.
    InNamespaces,
    /// Landlock holds files and, since Linux 6.12, signals; nothing else holds sockets and metadata.
    Alone {
        /// Whether Landlock keeps signals inside.
        signals: bool,
    },
}

/// Sets the filter for this process and all that it starts. New privileges must have been given up before.
///
/// # Errors
/// What could not be set.
pub(crate) fn apply(strength: Strength) -> Result<(), SetUpError> {
    Ok(seccompiler::apply_filter(&bpf::program(rules(strength), NEWEST)?)?)
}

fn rules(strength: Strength) -> Vec<Rule> {
    let always = |errno| move |call: &i64| Rule { call: *call, tests: Vec::new(), errno };
    let only = |call, tests, errno| Rule { call, tests, errno };
    let refuse = always(libc::EPERM);
    let mut rules: Vec<Rule> = REFUSED.iter().map(refuse).collect();
    rules.extend(ABSENT.iter().map(always(libc::ENOSYS)));
    for request in [TIOCSTI, TIOCLINUX] {
        rules.push(only(libc::SYS_ioctl, vec![Test::lower_is(1, request)], libc::EPERM));
    }
    let new_user = libc::CLONE_NEWUSER.unsigned_abs();
    let nested = Test { argument: 0, upper: false, bits: new_user, value: new_user, equal: true };
    rules.push(only(libc::SYS_clone, vec![nested], libc::EPERM));
    // A limit of another process: anything but "mine", which is 0.
    rules.push(only(libc::SYS_prlimit64, vec![Test::lower_is_not(0, 0)], libc::EPERM));
    // A lease holds up whoever opens the file, outside too, for most of a minute.
    let lease = Test::lower_is(1, libc::F_SETLEASE.unsigned_abs());
    rules.push(only(libc::SYS_fcntl, vec![lease], libc::EPERM));
    // The limit of memory images stays what it is, see [`crate::privileges::limit`]; who sets it is told that it was.
    rules.push(only(libc::SYS_setrlimit, vec![Test::lower_is(0, RLIMIT_CORE)], 0));
    for upper in [false, true] {
        let sets = Test { argument: 2, upper, bits: u32::MAX, value: 0, equal: false };
        rules.push(only(libc::SYS_prlimit64, vec![Test::lower_is(1, RLIMIT_CORE), sets], 0));
    }
    match strength {
        Strength::InNamespaces => {
            // One call takes all the room of a disk before anybody looks at how full the layer is; file systems that cannot do
            // this answer so, and programs write instead.
            rules.push(only(libc::SYS_fallocate, Vec::new(), libc::EOPNOTSUPP));
            let others = FAMILIES.iter().map(|family| Test::lower_is_not(0, family.unsigned_abs())).collect();
            rules.push(only(libc::SYS_socket, others, libc::EPERM));
        }
        Strength::Alone { signals } => {
            if !signals {
                rules.extend(SIGNALS.iter().map(refuse));
                let owner = |(call, request): &(i64, u32)| only(*call, vec![Test::lower_is(1, *request)], libc::EPERM);
                rules.extend(OWNERS.iter().map(owner));
            }
            rules.extend(METADATA.iter().chain(OLD_METADATA).map(refuse));
            // Programs know this answer, and say it in words.
            rules.push(only(libc::SYS_socket, Vec::new(), libc::ENETUNREACH));
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_fit_the_kernel() {
        for strength in [Strength::InNamespaces, Strength::Alone { signals: true }, Strength::Alone { signals: false }]
        {
            let program = bpf::program(rules(strength), NEWEST).unwrap();
            assert!((4..4096).contains(&program.len()));
        }
    }

    #[test]
    fn signals_are_sent_by_no_descriptor_where_the_kernel_does_not_keep_them_inside() {
        let sends = |signals| {
            let rules = rules(Strength::Alone { signals });
            OWNERS.iter().all(|(call, request)| {
                rules.iter().any(|rule| rule.call == *call && rule.tests == [Test::lower_is(1, *request)])
            })
        };
        assert!(sends(false) && !sends(true));
    }

    #[test]
    fn no_call_is_listed_twice() {
        let mut all: Vec<i64> = [REFUSED, ABSENT, METADATA, SIGNALS, OLD_METADATA].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
