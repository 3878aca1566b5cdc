//! The system calls that no dependency has a safe wrapper for. All unsafe code of this crate is here.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;

use rustix::process::{Pid, Signal};

/// Which side of a [`fork`] this is.
pub(crate) enum Fork {
    /// The new process.
    Child,
    /// The old one, with the number of the new one.
    Parent(Pid),
}

/// Copies this process into new name spaces (`CLONE_NEW*`; 0 for none).
///
/// The process must have one thread: the copy goes on with Rust code that allocates.
#[expect(unsafe_code, reason = "clone without shared memory, which std and rustix do not offer")]
pub(crate) fn fork(name_spaces: libc::c_int) -> io::Result<Fork> {
    let flags = libc::c_long::from(name_spaces | libc::SIGCHLD);
    // SAFETY: without CLONE_VM the child has its own copy of all memory and its stack, and no pointer is passed.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match i32::try_from(pid) {
        Ok(0) => Ok(Fork::Child),
        Ok(pid) => Pid::from_raw(pid.max(0)).map(Fork::Parent).ok_or_else(io::Error::last_os_error),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Moves this thread into a network name space of its own.
#[expect(unsafe_code, reason = "unsharing is unsafe for tables of descriptors")]
pub(crate) fn leave_network() -> io::Result<()> {
    // SAFETY: descriptors stay shared; the network alone is left.
    Ok(unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNET) }?)
}

/// Reads a table of the kernel: its length is told nowhere, so that who asks for little gets it in many pieces.
pub(crate) fn read_table(file: &Path) -> io::Result<Vec<u8>> {
    let mut table = Vec::with_capacity(TABLE);
    File::open(file)?.read_to_end(&mut table)?;
    Ok(table)
}

/// Bytes of a table that are asked for at once.
const TABLE: usize = 32 * 1024;

/// `struct mount_attr` of the kernel.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_name_space: u64,
}

/// Sets attributes (`MOUNT_ATTR_*`) of the mount at a path and of all below it.
#[expect(unsafe_code, reason = "mount_setattr has no safe wrapper")]
pub(crate) fn set_mount_attributes(from: BorrowedFd<'_>, path: &CStr, set: u64) -> io::Result<()> {
    let attributes = MountAttributes { set, clear: 0, propagation: 0, user_name_space: 0 };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    // SAFETY: the path is NUL-terminated and the structure is a live local of the size that is passed.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            from.as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Brings the loopback interface of this network name space up.
#[expect(unsafe_code, reason = "interface flags are set by an ioctl without a safe wrapper")]
pub(crate) fn loopback_up(socket: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: all zeroes is a valid `ifreq`, its name stays NUL-terminated, and the kernel reads this structure alone.
    let done = unsafe {
        let mut request = std::mem::zeroed::<libc::ifreq>();
        for (slot, byte) in request.ifr_name.iter_mut().zip(*b"lo") {
            *slot = libc::c_char::from_ne_bytes([byte]);
        }
        request.ifr_ifru.ifru_flags = libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(0x41);
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request)
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns a descriptor that the starter of this process handed on. It is closed when the command begins.
#[expect(unsafe_code, reason = "a descriptor that is known by its number alone")]
pub(crate) fn handed_on(number: RawFd) -> BorrowedFd<'static> {
    // SAFETY: nothing here owns it or closes it. Where it was not handed on, reading from it is an error.
    unsafe { BorrowedFd::borrow_raw(number) }
}

/// Closes every descriptor from 3 on at the next `execve`.
#[expect(unsafe_code, reason = "close_range has no safe wrapper")]
pub(crate) fn close_above_two() -> io::Result<()> {
    // SAFETY: nothing is closed now; descriptors that Rust owns stay valid until the image is replaced.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Which signals of this process wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalMask {
    /// All of them.
    All,
    /// None: those that waited come now.
    Empty,
}

/// Blocks every signal of this process, or lets all come again.
#[expect(unsafe_code, reason = "the signal mask has no safe wrapper")]
pub(crate) fn set_signal_mask(mask: SignalMask) {
    // SAFETY: both pointers are to a local that is initialised by the call before.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        match mask {
            SignalMask::All => libc::sigfillset(&raw mut set),
            SignalMask::Empty => libc::sigemptyset(&raw mut set),
        };
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// Gives every signal its default action.
#[expect(unsafe_code, reason = "signal actions have no safe wrapper")]
pub(crate) fn default_signals() {
    for signal in 1..=64 {
        // SAFETY: the default action runs no code of ours.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

/// Makes a descriptor that is readable while one of the signals waits. They must be blocked.
#[expect(unsafe_code, reason = "signalfd has no safe wrapper")]
pub(crate) fn signals(wanted: &[Signal]) -> io::Result<OwnedFd> {
    use std::os::fd::FromRawFd as _;
    // SAFETY: the set is a live local; the descriptor is new and nobody else's.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut set);
        for signal in wanted {
            libc::sigaddset(&raw mut set, signal.as_raw());
        }
        let fd = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// Takes one signal that waits at a descriptor of [`signals`].
pub(crate) fn next_signal(signals: &OwnedFd) -> Option<Signal> {
    // `struct signalfd_siginfo` begins with the number.
    let mut noted = [0; size_of::<libc::signalfd_siginfo>()];
    let read = rustix::io::read(signals, &mut noted).unwrap_or(0);
    let number = noted.get(..read)?.first_chunk::<4>()?;
    Signal::from_named_raw(i32::from_ne_bytes(*number))
}

/// Says whether some process has a file open for writing; `false` also where the system cannot tell.
#[expect(unsafe_code, reason = "leases have no safe wrapper")]
pub(crate) fn is_written(file: impl AsFd) -> bool {
    let fd = file.as_fd().as_raw_fd();
    // SAFETY: plain calls with integers on a descriptor that is open.
    unsafe {
        if libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK) == 0 {
            libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK);
            return false;
        }
    }
    io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)
}

/// Drops every capability from the bounding set of this thread.
#[expect(unsafe_code, reason = "one call a number, also for those that rustix does not know yet")]
pub(crate) fn empty_bounding_set() {
    for number in 0..64_u64 {
        // SAFETY: integers alone. A number that the kernel does not know is an error, and the end.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) } != 0 {
            break;
        }
    }
}

/// Returns the user and group of this process.
pub(crate) fn ids() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}
