//! A process that computes: it reads listed files and what it has open, and starts threads. It opens nothing else,
//! starts no program and reaches no network, whatever code of it does by mistake or by a file's intent.
//!
//! What such a process may do is a list; everything else fails with "not permitted". Landlock holds which files are read; where the
//! kernel has none, the filter still holds that nothing is written.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use landlock::{
    Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use crate::landlocked::{LEAST, NEWEST, probe};
use crate::set_up_error::SetUpError;

/// What holds a computing process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// It reads the listed files and no others.
    ToItsFiles,
    /// It may read any file that its user may: this kernel has no Landlock. All else is held.
    ToReading,
}

/// Calls that a process needs to compute with threads, to read, and to write into what it has open.
const NEEDED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_ppoll,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_membarrier,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getcpu,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Answered by another filter: its flags are behind a pointer.
    libc::SYS_clone3,
];

/// The same where the architecture has older forms.
#[cfg(target_arch = "x86_64")]
const OLD: &[i64] = &[libc::SYS_poll, libc::SYS_time];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[i64] = &[];

/// Confines this process for good: it reads the given files, and computes. It must have one thread; those that it starts
/// are held too.
///
/// # Errors
/// What could not be set; the process should not go on then.
pub fn compute_only(files: &[PathBuf]) -> Result<Held, SetUpError> {
    let held = if probe().is_ok() {
        reads_alone(files).map_err(|error| SetUpError::unfit(format!("Landlock cannot be set: {error}")))?;
        Held::ToItsFiles
    } else {
        rustix::thread::set_no_new_privs(true).map_err(io::Error::from)?;
        Held::ToReading
    };
    // Programs know this answer, and use `clone`, whose flags a filter can read.
    let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let mut programs = vec![compile(absent, libc::ENOSYS)?];
    programs.extend(no_second_table());
    // Last, since it lets no other be set.
    programs.push(needed()?);
    for program in programs {
        seccompiler::apply_filter(&program)?;
    }
    Ok(held)
}

fn reads_alone(files: &[PathBuf]) -> Result<(), RulesetError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(files, AccessFs::ReadFile))?
        .restrict_self()?;
    debug_assert!(status.ruleset != RulesetStatus::NotEnforced);
    Ok(())
}

/// Returns the filter of what is let through.
fn needed() -> Result<BpfProgram, SetUpError> {
    let has = |argument, bits: libc::c_int, value: libc::c_int| {
        let (bits, value) = (u64::from(bits.unsigned_abs()), u64::from(value.unsigned_abs()));
        condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bits), value)
    };
    let is = |argument, value: u64| condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = NEEDED.iter().chain(OLD).map(|call| (*call, Vec::new())).collect();
    // Opened to be read, and nothing is made.
    let written = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND;
    rules.insert(libc::SYS_openat, vec![rule(vec![has(2, written, libc::O_RDONLY)?])?]);
    // Memory that holds no code.
    rules.insert(libc::SYS_mmap, vec![rule(vec![has(2, libc::PROT_EXEC, 0)?])?]);
    rules.insert(libc::SYS_mprotect, vec![rule(vec![has(2, libc::PROT_EXEC, 0)?])?]);
    // A thread, never a process.
    rules.insert(libc::SYS_clone, vec![rule(vec![has(0, libc::CLONE_THREAD, libc::CLONE_THREAD)?])?]);
    // Its own limits, and its end by its own hand.
    rules.insert(libc::SYS_prlimit64, vec![rule(vec![is(0, 0)?])?]);
    rules.insert(libc::SYS_tgkill, vec![rule(vec![is(0, u64::from(std::process::id()))?])?]);
    // A thread's name, and that of memory.
    let names = [libc::PR_SET_NAME, libc::PR_SET_VMA];
    let named = names.iter().map(|name| rule(vec![is(0, u64::from(name.unsigned_abs()))?]));
    rules.insert(libc::SYS_prctl, named.collect::<Result<_, SetUpError>>()?);
    // What is open stays as it is but for this.
    rules.insert(libc::SYS_fcntl, vec![rule(vec![is(1, u64::from(libc::F_GETFL.unsigned_abs()))?])?]);
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch)?;
    Ok(BpfProgram::try_from(filter)?)
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, SetUpError> {
    Ok(SeccompCondition::new(argument, length, operator, value)?)
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, SetUpError> {
    Ok(SeccompRule::new(conditions)?)
}

fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<BpfProgram, SetUpError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?;
    Ok(BpfProgram::try_from(filter)?)
}

/// On x86-64 the same calls have second numbers with bit 30 set (x32), which a list of numbers would miss.
fn no_second_table() -> Option<BpfProgram> {
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
    use std::fs::{self, File};
    use std::io::{ErrorKind, Read as _};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;
    use std::thread;

    use super::*;

    /// Runs something on a thread that is confined; the test's other threads are not.
    fn confined<T: Send + 'static>(files: Vec<PathBuf>, work: impl FnOnce(Held) -> T + Send + 'static) -> T {
        thread::spawn(move || work(compute_only(&files).unwrap())).join().unwrap()
    }

    #[test]
    fn it_reads_its_file_and_computes_with_threads() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model");
        fs::write(&file, "abc").unwrap();
        let sum = confined(vec![file.clone()], move |_| {
            let mut text = String::new();
            File::open(&file).unwrap().read_to_string(&mut text).unwrap();
            let threads: Vec<_> =
                (0..4).map(|n: u64| thread::spawn(move || vec![n; 100_000].iter().sum::<u64>())).collect();
            (text, threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>())
        });
        assert_eq!(sum, ("abc".to_owned(), 600_000));
    }

    #[test]
    fn nothing_else_is_opened_written_started_or_reached() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("model"), folder.path().join("other"));
        fs::write(&file, "abc").unwrap();
        fs::write(&other, "secret").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (held, attempts) = confined(vec![file.clone()], move |held| {
            let attempts = [
                ("read another file", File::open(&other).err()),
                ("list a folder", fs::read_dir(folder.path()).err()),
                ("write the file", File::options().append(true).open(&file).err()),
                ("empty the file", File::options().write(true).truncate(true).open(&file).err()),
                ("make a file", File::create(folder.path().join("new")).err()),
                ("delete the file", fs::remove_file(&file).err()),
                ("move the file", fs::rename(&file, &other).err()),
                ("link the file", fs::hard_link(&file, folder.path().join("link")).err()),
                (
                    "change its mode",
                    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o777)).err(),
                ),
                ("connect", TcpStream::connect(address).err()),
                ("listen", TcpListener::bind("127.0.0.1:0").err()),
                ("send a packet", UdpSocket::bind("127.0.0.1:0").err()),
                ("a socket of the system", UnixStream::connect("/run/dbus/system_bus_socket").err()),
                ("start a program", Command::new("/bin/true").status().err()),
            ];
            (held, attempts.map(|(name, error)| (name, error.map(|error| error.kind()))))
        });
        for (name, error) in attempts {
            if held == Held::ToReading && matches!(name, "read another file" | "list a folder") {
                continue;
            }
            assert_eq!(error, Some(ErrorKind::PermissionDenied), "{name}");
        }
        drop(listener);
    }
}
