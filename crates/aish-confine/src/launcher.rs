//! The launcher: a process of its own that makes the name spaces, watches the run from outside, and reports.
//!
//! Order: copy itself into the name spaces, write the maps of users, list what listens outside while the view is built inside,
//! wait for the end while watching the size of the layer, write the report. When the launcher dies, the run dies.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, pidfd_open, pidfd_send_signal};

use crate::inside::{self, NOT_SET_UP, Order};
use crate::meter::Meter;
use crate::plan::{Mechanism, Network, Plan};
use crate::ready::Told;
use crate::report::{Ended, Report};
use crate::set_up_error::SetUpError;
use crate::sys::{self, Fork};
use crate::{landlocked, ready, sockets};

/// How often the size of the layer is looked at, in nanoseconds.
const LOOK: i64 = 100_000_000;

/// Runs a plan to its end and returns the exit code for this process: the command's, 128 and the signal's number, or
/// 125 where the run could not be set up. This process must have one thread.
pub fn launch(plan: &Plan) -> u8 {
    match plan.mechanism {
        Mechanism::Namespaces => match Inside::make(Some(plan)) {
            Ok(inside) => inside.attend(plan),
            Err(why) => conclude(plan, Err(why)),
        },
        Mechanism::Landlock | Mechanism::Bare => conclude(plan, beside(plan)),
    }
}

/// Makes name spaces, then reads the plan from standard input, and runs it; see [`Ready`](crate::Ready).
pub fn launch_when_told(told: Told) -> u8 {
    // Opened before the name spaces are made: it tells whether mounts came or went since, which are not seen inside.
    let mounts = fs::File::open("/proc/self/mountinfo");
    let inside = Inside::make(None);
    let plan = match ready::read_plan(told) {
        Ok(Some(plan)) => plan,
        // Nobody needs it any more.
        Ok(None) => {
            inside.iter().for_each(Inside::end);
            return 0;
        }
        Err(why) => {
            let _ = writeln!(io::stderr(), "aish: the command was not run: {why}");
            return NOT_SET_UP.try_into().unwrap_or(125);
        }
    };
    let fits = plan.mechanism == Mechanism::Namespaces
        && plan.network == Network::Loopback
        && mounts.is_ok_and(|mounts| !is_changed(&mounts));
    match inside {
        Ok(inside) if fits => match inside.tell(&plan) {
            Ok(inside) => inside.attend(&plan),
            Err(why) => conclude(&plan, Err(why)),
        },
        Ok(inside) => {
            inside.end();
            launch(&plan)
        }
        Err(_) => launch(&plan),
    }
}

/// Says whether the table of mounts is another one than when it was opened.
fn is_changed(mounts: &fs::File) -> bool {
    let mut watched = [PollFd::new(mounts, PollFlags::PRI)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut watched, Some(&now)) != Ok(0)
}

/// Writes the report and returns the exit code.
fn conclude(plan: &Plan, ran: Result<Report, SetUpError>) -> u8 {
    let mut report = ran.unwrap_or_else(|why| Report { failed: Some(why.to_string()), ..Report::default() });
    if let Some(path) = &plan.report
        && let Err(error) = report.write(path)
    {
        report.failed.get_or_insert(format!("the report cannot be written: {error}"));
    }
    if let Some(why) = &report.failed {
        let _ = writeln!(io::stderr(), "aish: the command was not run: {why}");
        return NOT_SET_UP.try_into().unwrap_or(125);
    }
    let code = report.code.or_else(|| report.signal.map(|signal| 128 + signal)).unwrap_or(137);
    u8::try_from(code).unwrap_or(1)
}

/// The first process inside, which waits or runs.
struct Inside {
    pid: Pid,
    /// Where a plan is told, and then what is covered.
    went: fs::File,
    /// Where it says how it went.
    heard: OwnedFd,
}

impl Inside {
    /// Makes name spaces, and the first process in them: with a plan, or to be told one.
    fn make(plan: Option<&Plan>) -> Result<Self, SetUpError> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(SetUpError::at("a pipe"));
        let (go, went) = pipe()?;
        let (heard, tell) = pipe()?;
        // Whoever ends a run by TERM gives its commands time: it is handed on, and this process goes when they have gone.
        sys::set_signal_mask(sys::SignalMask::All);
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        // A network of its own takes as long as all of these; the process inside makes it while the view is built.
        let spaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        let pid = match sys::fork(spaces).map_err(SetUpError::at("name spaces"))? {
            Fork::Child => {
                drop((went, heard));
                inside::run(plan.map_or(Order::Comes, Order::Known), go, tell)
            }
            Fork::Parent(pid) => pid,
        };
        drop((go, tell));
        let inside = Self { pid, went: went.into(), heard };
        if let Err(why) = write_maps(pid) {
            inside.end();
            return Err(SetUpError::at("the map of users")(why));
        }
        rustix::io::write(&inside.went, b"1").map_err(SetUpError::at("a pipe"))?;
        Ok(inside)
    }

    /// Tells the process inside its plan.
    fn tell(mut self, plan: &Plan) -> Result<Self, SetUpError> {
        let told = plan.to_told().and_then(|told| self.went.write_all(&told));
        match told {
            Ok(()) => Ok(self),
            Err(error) => {
                self.end();
                Err(SetUpError::at("the plan")(error))
            }
        }
    }

    /// Tells what is covered, watches the run and writes the report, and returns the exit code when all of it has ended.
    fn attend(self, plan: &Plan) -> u8 {
        let Self { pid, mut went, heard } = self;
        let orders: Vec<OsString> = orders().into_iter().map(PathBuf::into_os_string).collect();
        // Without them it runs nothing. One that has ended already says why.
        let _ = ready::framed(&orders).and_then(|framed| went.write_all(&framed));
        drop(went);
        let ran = watch(plan, pid, &heard);
        if ran.is_err() {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
        // Name spaces take a while to go; the report is written meanwhile.
        let code = conclude(plan, ran);
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
        code
    }

    fn end(&self) {
        let _ = rustix::process::kill_process(self.pid, Signal::KILL);
        let _ = rustix::process::waitpid(Some(self.pid), WaitOptions::empty());
    }
}

/// Lists sockets and FIFOs through which processes outside take orders now.
fn orders() -> Vec<PathBuf> {
    let mut orders = sockets::bound();
    if landlocked::probe().is_err() {
        orders.extend(sockets::open_fifos());
    }
    orders
}

/// Lets every user be itself inside: all of them for root, who could not write files of others otherwise.
fn write_maps(child: Pid) -> io::Result<()> {
    let folder = PathBuf::from(format!("/proc/{}", child.as_raw_nonzero()));
    let (user, group) = sys::ids();
    if rustix::process::geteuid().is_root() && may_map_all() {
        for name in ["uid_map", "gid_map"] {
            let mut map = String::new();
            for line in fs::read_to_string(PathBuf::from("/proc/self").join(name))?.lines() {
                let mut fields = line.split_whitespace();
                if let (Some(inner), Some(_), Some(count)) = (fields.next(), fields.next(), fields.next()) {
                    map.push_str(&format!("{inner} {inner} {count}\n"));
                }
            }
            fs::write(folder.join(name), map)?;
        }
        return Ok(());
    }
    fs::write(folder.join("setgroups"), "deny")?;
    fs::write(folder.join("uid_map"), format!("{user} {user} 1\n"))?;
    fs::write(folder.join("gid_map"), format!("{group} {group} 1\n"))
}

fn may_map_all() -> bool {
    use rustix::thread::CapabilitySet;
    rustix::thread::capabilities(None)
        .is_ok_and(|sets| sets.effective.contains(CapabilitySet::SETUID | CapabilitySet::SETGID))
}

/// Waits until the first process inside says how the command ended, or ends; ends it when the layer grows over its limit.
fn watch(plan: &Plan, child: Pid, heard: &OwnedFd) -> Result<Report, SetUpError> {
    let pidfd = pidfd_open(child, PidfdFlags::empty()).map_err(SetUpError::at("a process"))?;
    let signals = sys::signals(&[Signal::TERM, Signal::INT, Signal::HUP]).map_err(SetUpError::at("signals"))?;
    let mut said = Vec::new();
    let mut report = Report::default();
    let mut meter = Meter::new(plan);
    loop {
        let mut watched = [
            PollFd::new(&pidfd, PollFlags::IN),
            PollFd::new(heard, PollFlags::IN),
            PollFd::new(&signals, PollFlags::IN),
        ];
        let limit = Timespec { tv_sec: 0, tv_nsec: LOOK };
        let _ = poll(&mut watched, Some(&limit));
        let [ended, speaks, _] = watched.map(|one| !one.revents().is_empty());
        while let Some(signal) = sys::next_signal(&signals) {
            let _ = pidfd_send_signal(&pidfd, signal);
        }
        if ended {
            // What it said last is still there.
            while hear(heard, &mut said) > 0 {}
        } else if speaks {
            hear(heard, &mut said);
        }
        if ended || report.hear(&said) {
            break;
        }
        if report.ended.is_none() && meter.is_full(plan, child) {
            report.ended = Some(Ended::LayerFull);
            let _ = pidfd_send_signal(&pidfd, Signal::KILL);
        }
    }
    report.hear(&said);
    if report.code.is_none() && report.signal.is_none() && report.failed.is_none() {
        // Ended from outside, or by the watch: there was no time to say how the command ended.
        report.signal = Some(libc::SIGKILL);
    }
    Ok(report)
}

/// Adds what is said next, and returns how many bytes that is; 0 at the end.
fn hear(heard: &OwnedFd, said: &mut Vec<u8>) -> usize {
    let mut piece = [0; 4096];
    let read = rustix::io::read(heard, &mut piece).unwrap_or(0);
    said.extend_from_slice(piece.get(..read).unwrap_or_default());
    read
}

/// Runs without name spaces: this process adopts what the command leaves, and ends it.
fn beside(plan: &Plan) -> Result<Report, SetUpError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(io::Error::from)?;
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    sys::set_signal_mask(sys::SignalMask::All);
    let launcher = rustix::process::getpid();
    let command = match sys::fork(0).map_err(SetUpError::at("a process"))? {
        Fork::Child => {
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            if rustix::process::getppid() != Some(launcher) {
                std::process::exit(NOT_SET_UP);
            }
            inside::become_command(plan)
        }
        Fork::Parent(pid) => pid,
    };
    let status = loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command => break status,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(SetUpError::at("the command")(error)),
        }
    };
    end_the_rest();
    Ok(ended(status))
}

fn ended(status: WaitStatus) -> Report {
    Report { code: status.exit_status(), signal: status.terminating_signal(), ..Report::default() }
}

/// Ends every descendant: each is adopted when its parent has gone, until none is left.
fn end_the_rest() {
    let own = rustix::process::getpid().as_raw_nonzero();
    let path = format!("/proc/self/task/{own}/children");
    loop {
        let children = fs::read_to_string(&path).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)) {
            let _ = rustix::process::kill_process(child, Signal::KILL);
        }
        // Waits for one; without any left it is an error, and the end.
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}
