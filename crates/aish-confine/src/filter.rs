//! The filter on system calls of a confined run.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use crate::set_up_error::SetUpError;

/// Numbers that `libc` does not have yet; they are the same on every architecture.
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_OPEN_TREE_ATTR: i64 = 467;
const SYS_FILE_SETATTR: i64 = 469;

/// Of another type with each library; the same on every architecture.
const RLIMIT_CORE: u64 = 4;

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

/// Acts on the console of the machine; `libc` has it for some targets only.
const TIOCLINUX: u64 = 0x541c;

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
    for program in programs(strength)? {
        seccompiler::apply_filter(&program)?;
    }
    Ok(())
}

fn programs(strength: Strength) -> Result<Vec<BpfProgram>, SetUpError> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    for request in [libc::TIOCSTI, TIOCLINUX] {
        let is = condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request)?;
        refused.entry(libc::SYS_ioctl).or_default().push(rule(vec![is])?);
    }
    let new_user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    let nested = condition(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(new_user), new_user)?;
    refused.insert(libc::SYS_clone, vec![rule(vec![nested])?]);
    // A limit of another process: anything but "mine", which is 0.
    let other = condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    refused.insert(libc::SYS_prlimit64, vec![rule(vec![other])?]);
    let absent: BTreeMap<i64, Vec<SeccompRule>> = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    let mut out = Vec::new();
    match strength {
        Strength::InNamespaces => {
            let others = FAMILIES
                .iter()
                .map(|family| {
                    let family = u64::from(family.unsigned_abs());
                    condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
                })
                .collect::<Result<Vec<_>, _>>()?;
            refused.insert(libc::SYS_socket, vec![rule(others)?]);
        }
        Strength::Alone { signals } => {
            if !signals {
                refused.extend(SIGNALS.iter().map(|call| (*call, Vec::new())));
            }
            refused.extend(METADATA.iter().chain(OLD_METADATA).map(|call| (*call, Vec::new())));
            let sockets = BTreeMap::from([(libc::SYS_socket, Vec::new())]);
            // Programs know this answer, and say it in words.
            out.push(compile(sockets, libc::ENETUNREACH)?);
        }
    }
    out.push(compile(refused, libc::EPERM)?);
    out.push(compile(absent, libc::ENOSYS)?);
    out.push(compile(core_stays()?, 0)?);
    out.extend(no_second_table());
    Ok(out)
}

/// The limit of memory images stays what it is, see [`crate::privileges::limit`]; who sets it is told that it was.
fn core_stays() -> Result<BTreeMap<i64, Vec<SeccompRule>>, SetUpError> {
    let is_core = |argument| condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, RLIMIT_CORE);
    let sets = condition(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    Ok(BTreeMap::from([
        (libc::SYS_setrlimit, vec![rule(vec![is_core(0)?])?]),
        (libc::SYS_prlimit64, vec![rule(vec![is_core(1)?, sets])?]),
    ]))
}

pub(crate) fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, SetUpError> {
    Ok(SeccompCondition::new(argument, length, operator, value)?)
}

pub(crate) fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, SetUpError> {
    Ok(SeccompRule::new(conditions)?)
}

pub(crate) fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<BpfProgram, SetUpError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?;
    Ok(BpfProgram::try_from(filter)?)
}

/// On x86-64 the same calls have second numbers with bit 30 set (x32), which a list of numbers would miss.
pub(crate) fn no_second_table() -> Option<BpfProgram> {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    if !cfg!(target_arch = "x86_64") {
        return None;
    }
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    Some(vec![
        step(LOAD_NUMBER, 0, 0, 0),
        step(JUMP_IF_AT_LEAST, 0, 1, 0x4000_0000),
        step(RETURN, 0, 0, 0x0005_0000 | libc::ENOSYS.unsigned_abs()),
        step(RETURN, 0, 0, 0x7fff_0000),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_compile_and_fit_the_kernel() {
        for strength in [Strength::InNamespaces, Strength::Alone { signals: true }, Strength::Alone { signals: false }]
        {
            let programs = programs(strength).unwrap();
            assert!(programs.iter().all(|program| (4..4096).contains(&program.len())));
        }
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
