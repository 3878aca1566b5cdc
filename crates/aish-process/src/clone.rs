//! A child by `clone(CLONE_VM | CLONE_VFORK | CLONE_PIDFD)`.
//!
//! `fork` copies the page tables of the whole process, which makes a short command cost several times its bare price
//! once this process is large, and `posix_spawn` can set no parent-death signal. So the child is made as glibc makes
//! it inside `posix_spawn`: it borrows our memory on a stack of its own while the calling thread is suspended, makes
//! only system calls, and is gone from our memory when the kernel lets us go on, at `execve` or `_exit`.
//!
//! Order in the child: session, parent-death signal (but with a terminal), streams, terminal, directory, signals, `execve`.

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::ptr;

use rustix::process::Pid;

use crate::image::Image;

/// Bytes of the child's stack; it calls nothing deep.
const STACK_SIZE: usize = 64 * 1024;

/// A step of the child that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    Clone,
    Streams,
    Terminal,
    Directory,
    Exec,
}

/// What the child gets as its descriptors 0, 1 and 2; each must be 3 or higher.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Streams {
    pub(crate) fds: [RawFd; 3],
    /// What it gets as its descriptor 3, where there is one; it must be 4 or higher.
    pub(crate) beside: Option<RawFd>,
    /// Whether descriptor 0 is a terminal that becomes the controlling one.
    pub(crate) controlling: bool,
}

/// What the child reads and, when it fails, writes.
struct Plan {
    program: *const c_char,
    argv: *const *const c_char,
    envp: *const *const c_char,
    cwd: *const c_char,
    streams: Streams,
    parent: libc::pid_t,
    failed: Option<(Step, c_int)>,
}

/// The stack of the child, used again for each.
pub(crate) struct Stack(Vec<u128>);

impl Stack {
    pub(crate) fn new() -> Self {
        Self(vec![0; STACK_SIZE / size_of::<u128>()])
    }
}

/// Blocks every signal of the calling thread, so that no handler of ours ever runs in a child that shares our memory.
#[expect(unsafe_code, reason = "the signal mask of a thread has no safe wrapper in our dependencies")]
pub(crate) fn block_signals() {
    // SAFETY: both pointers are to a local that `sigfillset` initialises.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut());
    }
}

/// Starts a child in a session of its own and returns once it runs its program, or the step that failed.
///
/// The calling thread must have its signals blocked and must live as long as this process: the child is sent KILL
/// when the *thread* that made it ends.
#[expect(unsafe_code, reason = "no safe wrapper makes a child by vfork with a parent-death signal and a pidfd")]
pub(crate) fn spawn(stack: &mut Stack, image: &Image, streams: Streams) -> Result<(Pid, OwnedFd), (Step, io::Error)> {
    let argv = pointers(&image.argv);
    let envp = pointers(&image.envp);
    let mut plan = Plan {
        program: image.program.as_ptr(),
        argv: argv.as_ptr(),
        envp: envp.as_ptr(),
        cwd: image.cwd.as_ref().map_or(ptr::null(), |cwd| cwd.as_ptr()),
        streams,
        parent: rustix::process::getpid().as_raw_nonzero().get(),
        failed: None,
    };
    let mut pidfd: c_int = -1;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
    // SAFETY: the stack outlives the call, and CLONE_VFORK suspends this thread until the child has left our memory,
    // so `plan`, what it points to, and the stack are used by one of the two at a time. The stack's end is aligned
    // to 16 bytes, as the ABI wants, because its element is. `child` only makes system calls.
    let pid = unsafe {
        let top = stack.0.as_mut_ptr_range().end.cast::<c_void>();
        libc::clone(child, top, flags, (&raw mut plan).cast(), &raw mut pidfd)
    };
    let Some(pid) = Pid::from_raw(pid.max(0)) else {
        return Err((Step::Clone, io::Error::last_os_error()));
    };
    // SAFETY: the kernel made this descriptor for us in a clone that succeeded, and nobody else knows it.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    // The child wrote through a pointer that the compiler need not follow into `clone`.
    // SAFETY: `plan` is a live local.
    match unsafe { ptr::read_volatile(&raw const plan.failed) } {
        None => Ok((pid, pidfd)),
        Some((step, errno)) => {
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
            Err((step, io::Error::from_raw_os_error(errno)))
        }
    }
}

/// A null-terminated array of pointers into `strings`.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain(std::iter::once(ptr::null())).collect()
}

/// What runs in the child; it never returns.
#[expect(unsafe_code, reason = "system calls in the memory of another process")]
extern "C" fn child(plan: *mut c_void) -> c_int {
    // SAFETY: `spawn` passes a pointer to its `Plan`, which lives until it goes on; every call below is a plain
    // system call (async-signal-safe) on pointers that the plan keeps alive.
    unsafe {
        let plan = &mut *plan.cast::<Plan>();
        libc::setsid();
        // Whoever has a terminal is hung up by it when its other end closes. A second HUP, from here, would end a shell
        // that is just passing the first one on to its jobs.
        if !plan.streams.controlling {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong, 0, 0, 0);
        }
        if libc::getppid() != plan.parent {
            libc::_exit(127);
        }
        for (target, fd) in (0..).zip(plan.streams.fds) {
            if libc::dup2(fd, target) < 0 {
                fail(plan, Step::Streams);
            }
        }
        // Behind the three, one of which may be 3 here.
        if plan.streams.beside.is_some_and(|fd| libc::dup2(fd, 3) < 0) {
            fail(plan, Step::Streams);
        }
        if plan.streams.controlling && libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
            fail(plan, Step::Terminal);
        }
        if !plan.cwd.is_null() && libc::chdir(plan.cwd) < 0 {
            fail(plan, Step::Directory);
        }
        reset_signals();
        libc::execve(plan.program, plan.argv, plan.envp);
        fail(plan, Step::Exec)
    }
}

/// Leaves a note for the parent and ends the child.
#[expect(unsafe_code, reason = "called between clone and exec")]
unsafe fn fail(plan: &mut Plan, step: Step) -> ! {
    // SAFETY: errno is a plain thread-local of the suspended thread, and `_exit` runs no handlers.
    unsafe {
        ptr::write_volatile(&raw mut plan.failed, Some((step, *libc::__errno_location())));
        libc::_exit(127)
    }
}

/// Gives every signal that has a handler its default action, as `execve` would only do after the mask is lifted, and
/// SIGPIPE too, which Rust ignores; then lifts the mask.
#[expect(unsafe_code, reason = "called between clone and exec")]
unsafe fn reset_signals() {
    // SAFETY: all pointers are to locals; without CLONE_SIGHAND the table of handlers is the child's own.
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            let mut action = std::mem::zeroed::<libc::sigaction>();
            if libc::sigaction(signal, ptr::null(), &raw mut action) < 0 {
                continue;
            }
            let plain = action.sa_sigaction == libc::SIG_DFL || action.sa_sigaction == libc::SIG_IGN;
            if !plain || (signal == libc::SIGPIPE && action.sa_sigaction == libc::SIG_IGN) {
                let mut default = std::mem::zeroed::<libc::sigaction>();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const default, ptr::null_mut());
            }
        }
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}
