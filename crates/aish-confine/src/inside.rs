//! The first process inside: it builds the view, starts the command, reaps, answers for the resolver, and when the
//! command has ended it ends, and with it everything that is left.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::UdpSocket;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use rustix::thread::{ThreadNameSpaceType, move_into_thread_name_spaces};

use crate::covers::Covers;
use crate::filter::{self, Strength};
use crate::plan::{Mechanism, Network, Plan};
use crate::set_up_error::SetUpError;
use crate::sys::{self, Fork};
use crate::{landlocked, privileges, ready, resolver, view};

/// Exit code of the launcher when the run could not be set up.
pub(crate) const NOT_SET_UP: i32 = 125;

/// Exit codes of a command that cannot be run, and of one that is not there, as a shell has them.
const CANNOT_RUN: i32 = 126;
const NO_COMMAND: i32 = 127;

/// What is run inside.
pub(crate) enum Order<'a> {
    /// A plan.
    Known(&'a Plan),
    /// It comes through the pipe, after the byte.
    Comes,
}

/// Runs the command inside and never returns. `go` is readable when the maps of users are written, and tells then which sockets
/// and FIFOs are covered; lines for the report are written to `tell`.
pub(crate) fn run(order: Order<'_>, go: OwnedFd, tell: OwnedFd) -> ! {
    let (mut go, mut tell) = (File::from(go), File::from(tell));
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let mut byte = [0];
    if !go.read(&mut byte).is_ok_and(|read| read == 1) {
        std::process::exit(NOT_SET_UP);
    }
    match start(order, &go) {
        Ok((command, resolver, covers)) => {
            let status = attend(command, resolver.as_ref(), &covers, &mut tell);
            let line = match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => format!("code {code}\n"),
                (None, Some(signal)) => format!("signal {signal}\n"),
                (None, None) => String::new(),
            };
            let _ = tell.write_all(line.as_bytes());
            std::process::exit(0)
        }
        Err(why) => {
            let _ = tell.write_all(format!("failed {}\n", why.to_string().replace('\n', " ")).as_bytes());
            std::process::exit(NOT_SET_UP)
        }
    }
}

fn start(order: Order<'_>, go: &File) -> Result<(Pid, Option<UdpSocket>, Covers), SetUpError> {
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    // In the view it could not be written any more.
    privileges::first_to_go();
    let orders = || -> Result<Vec<PathBuf>, SetUpError> {
        let orders =
            ready::read_framed(go.as_fd())?.ok_or_else(|| SetUpError::unfit("what is covered is not whole"))?;
        Ok(orders.into_iter().map(PathBuf::from).collect())
    };
    let (plan, covers, resolver) = match order {
        Order::Known(plan) => {
            let build = || view::build(plan, orders);
            let (covers, resolver) = match plan.network {
                Network::Loopback => at_once(build)?,
                Network::Machine => (build()?, None),
            };
            (plan.clone(), covers, resolver)
        }
        Order::Comes => {
            // Made while the plan is waited for.
            let resolver = own_network()?;
            let plan = ready::plan_from(go.as_fd())?.ok_or_else(|| SetUpError::unfit("the plan is not whole"))?;
            let covers = view::build(&plan, orders)?;
            (plan, covers, resolver)
        }
    };
    match sys::fork(0).map_err(SetUpError::at("a process"))? {
        Fork::Child => become_command(&plan),
        Fork::Parent(pid) => Ok((pid, resolver, covers)),
    }
}

/// Builds the view while another thread makes a network, which it hands over: each takes about a millisecond.
fn at_once(build: impl FnOnce() -> Result<Covers, SetUpError>) -> Result<(Covers, Option<UdpSocket>), SetUpError> {
    thread::scope(|scope| {
        let make = || -> Result<_, SetUpError> {
            let resolver = own_network()?;
            Ok((File::open("/proc/thread-self/ns/net").map_err(SetUpError::at("a network"))?, resolver))
        };
        let Ok(network) = thread::Builder::new().name("network".to_owned()).spawn_scoped(scope, make) else {
            return Ok((build()?, own_network()?));
        };
        let covers = build()?;
        let (network, resolver) =
            network.join().map_err(|_| SetUpError::unfit("the making of a network crashed"))??;
        move_into_thread_name_spaces(network.as_fd(), ThreadNameSpaceType::NETWORK)
            .map_err(SetUpError::at("a network"))?;
        Ok((covers, resolver))
    })
}

/// Makes a network name space for this thread, brings its loopback interface up and listens for questions for names.
fn own_network() -> Result<Option<UdpSocket>, SetUpError> {
    sys::leave_network().map_err(SetUpError::at("a network name space"))?;
    let socket = UdpSocket::bind("0.0.0.0:0").map_err(SetUpError::at("a socket"))?;
    sys::loopback_up(socket.as_fd()).map_err(SetUpError::at("the loopback interface"))?;
    // Without the resolver a run only waits longer for names that it will not get.
    Ok(UdpSocket::bind("127.0.0.1:53").ok().filter(|socket| socket.set_nonblocking(true).is_ok()))
}

/// How often covers are looked at where the table of mounts tells nothing, in nanoseconds.
const LOOK: i64 = 100_000_000;

/// Waits for the command to end, reaping others, answering questions for names, handing signals on and covering anew what lost
/// its cover.
fn attend(command: Pid, resolver: Option<&UdpSocket>, covers: &Covers, tell: &mut File) -> WaitStatus {
    // It is exceptional when the kernel took a cover away.
    let mounts = File::open("/proc/self/mountinfo").ok();
    let pause = Timespec { tv_sec: 0, tv_nsec: LOOK };
    let pause = (!covers.is_empty()).then_some(&pause);
    let Ok(signals) = sys::signals(&[Signal::CHILD, Signal::TERM, Signal::INT, Signal::HUP]) else {
        std::process::exit(NOT_SET_UP)
    };
    let mut told = std::collections::BTreeSet::new();
    loop {
        // All that has ended, then sleep: a signal that comes between the two leaves its descriptor readable.
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if pid == command {
                return status;
            }
        }
        let mut watched = vec![PollFd::new(&signals, PollFlags::IN)];
        watched.extend(resolver.map(|socket| PollFd::new(socket, PollFlags::IN)));
        watched.extend(mounts.iter().map(|mounts| PollFd::new(mounts, PollFlags::PRI)));
        if poll(&mut watched, pause).is_err() {
            continue;
        }
        covers.renew();
        while let Some(signal) = sys::next_signal(&signals) {
            if signal != Signal::CHILD {
                // `kill(-1)`: to all but this process, which is the first of its name space.
                let _ = rustix::process::kill_process_group(Pid::INIT, signal);
            }
        }
        let mut packet = [0; resolver::LONGEST];
        while let Some(socket) = resolver
            && let Ok((length, from)) = socket.recv_from(&mut packet)
        {
            if let Some((reply, name)) = packet.get(..length).and_then(resolver::answer) {
                let _ = socket.send_to(&reply, from);
                if told.len() < crate::report::MOST_NAMES && told.insert(name.clone()) {
                    let _ = tell.write_all(format!("name {name}\n").as_bytes());
                }
            }
        }
    }
}

/// Gives everything up and becomes the command; never returns.
pub(crate) fn become_command(plan: &Plan) -> ! {
    let fail = |code: i32, why: &str| -> ! {
        // The descriptor is the run's own: its message is the command's.
        let _ = writeln!(std::io::stderr(), "aish: {why}");
        std::process::exit(code)
    };
    let _ = rustix::process::setsid();
    if plan.terminal && rustix::process::ioctl_tiocsctty(std::io::stdin()).is_err() {
        fail(NOT_SET_UP, "the terminal belongs to another session");
    }
    if plan.no_input
        && let Err(error) = nothing_to_read()
    {
        fail(NOT_SET_UP, &format!("/dev/null: {error}"));
    }
    // Entered anew: the folder of before lies under the layer.
    if let Err(error) = std::env::set_current_dir(&plan.folder) {
        fail(NOT_SET_UP, &format!("{}: {error}", plan.folder.display()));
    }
    privileges::limit(&plan.limits);
    if plan.mechanism == Mechanism::Namespaces
        && let Err(error) = own_devices()
    {
        fail(NOT_SET_UP, &format!("its streams: {error}"));
    }
    if let Err(why) = give_up(plan) {
        fail(NOT_SET_UP, &why.to_string());
    }
    sys::default_signals();
    sys::set_signal_mask(sys::SignalMask::Empty);
    let Some((program, arguments)) = plan.command.split_first() else { fail(NO_COMMAND, "no command") };
    let mut command = Command::new(program);
    if let Some(variables) = &plan.environment {
        command.env_clear().envs(variables.iter().cloned());
    }
    command.args(arguments).env_remove("AISH_PROCESS_TAG").env("PWD", &plan.folder).env_remove("OLDPWD");
    if plan.mechanism == Mechanism::Namespaces {
        command.env("TMPDIR", "/tmp");
    }
    let error = command.exec();
    let code = if error.kind() == std::io::ErrorKind::NotFound { NO_COMMAND } else { CANNOT_RUN };
    fail(code, &format!("{}: {error}", program.display()))
}

/// Takes what descriptor 0 was away.
fn nothing_to_read() -> std::io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    Ok(rustix::stdio::dup2_stdin(null)?)
}

/// Opens the devices that the streams are anew, as this view has them: through a descriptor from outside root could change
/// their modes and times for the whole machine.
fn own_devices() -> std::io::Result<()> {
    use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stderr, stdin, stdout};
    type Put = fn(OwnedFd) -> rustix::io::Result<()>;
    let streams: [(_, Put); 3] =
        [(stdin(), |fd| dup2_stdin(fd)), (stdout(), |fd| dup2_stdout(fd)), (stderr(), |fd| dup2_stderr(fd))];
    let known: Vec<(PathBuf, u64)> = view::DEVICES
        .iter()
        .map(|name| PathBuf::from("/dev").join(name))
        .filter_map(|path| rustix::fs::stat(&path).ok().map(|stat| (path, stat.st_rdev)))
        .collect();
    for (stream, put) in streams {
        let Ok(stat) = rustix::fs::fstat(stream) else { continue };
        let is_device = stat.st_mode & 0o170_000 == 0o020_000;
        if let Some((path, _)) = known.iter().find(|(_, device)| is_device && *device == stat.st_rdev) {
            let mode = rustix::fs::fcntl_getfl(stream)? & OFlags::RWMODE;
            put(rustix::fs::open(path, mode | OFlags::CLOEXEC, Mode::empty())?)?;
        }
    }
    Ok(())
}

/// Says whether a path leads to a terminal or another character device: pipes need no rule, and take none.
fn is_device(path: &std::path::Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::metadata(path).is_ok_and(|meta| meta.file_type().is_char_device())
}

fn give_up(plan: &Plan) -> Result<(), SetUpError> {
    sys::close_above_two().map_err(SetUpError::at("close descriptors"))?;
    match plan.mechanism {
        Mechanism::Bare => privileges::no_new_privileges().map_err(SetUpError::at("give up new privileges")),
        Mechanism::Landlock => {
            privileges::drop_all().map_err(SetUpError::at("give up capabilities"))?;
            privileges::no_new_privileges().map_err(SetUpError::at("give up new privileges"))?;
            let readable: Vec<PathBuf> =
                plan.roots.iter().map(|root| root.path.clone()).chain(plan.shown.iter().cloned()).collect();
            landlocked::reads_below(&readable, &plan.hidden, &plan.locked)?;
            filter::apply(Strength::Alone { signals: landlocked::keeps_signals() })
        }
        Mechanism::Namespaces => {
            privileges::drop_all().map_err(SetUpError::at("give up capabilities"))?;
            privileges::no_new_privileges().map_err(SetUpError::at("give up new privileges"))?;
            let mut writable: Vec<PathBuf> = plan.roots.iter().map(|root| root.path.clone()).collect();
            writable.extend(["/tmp", "/var/tmp", "/run", "/dev", "/proc"].map(PathBuf::from));
            // The run's own streams, which may be terminals of the view before.
            let streams = ["/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2"].map(PathBuf::from);
            writable.extend(streams.into_iter().filter(|stream| is_device(stream)));
            landlocked::writes_below(&writable, plan.network == Network::Machine)?;
            filter::apply(Strength::InNamespaces)
        }
    }
}
