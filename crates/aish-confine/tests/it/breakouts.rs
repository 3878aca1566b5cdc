//! Every attempt is made for real, beside canaries, under each mechanism that confines.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aish_confine::Mechanism;

use crate::place::{Place, command, picture};

/// Lists the attempts.
fn attempts() -> Vec<&'static str> {
    include_str!("../attempts.txt").lines().filter(|line| !line.starts_with('#')).collect()
}

/// What takes longer hangs.
const HUNG: Duration = Duration::from_mins(1);

struct Canaries {
    place: Place,
    tcp: std::net::TcpListener,
    udp: std::net::UdpSocket,
    socket: UnixListener,
    named: UnixListener,
    fifo: fs::File,
    outer: Child,
    name: String,
    secret: String,
    before: Vec<String>,
}

impl Canaries {
    fn new(tag: &str) -> Self {
        let place = Place::new();
        let secret = format!("hush-{tag}-{}", std::process::id());
        let out = place.home.join("out");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("canary"), "canary\n").unwrap();
        fs::write(out.join("run.sh"), "#!/bin/sh\n").unwrap();
        fs::create_dir(place.home.join(".ssh")).unwrap();
        fs::write(place.home.join(".ssh/id_canary"), &secret).unwrap();
        fs::write(place.home.join("state/token"), &secret).unwrap();
        fs::write(place.home.join(".bashrc"), "").unwrap();
        place.write("f", "file\n");
        rustix::fs::mkfifoat(rustix::fs::CWD, out.join("fifo"), rustix::fs::Mode::RWXU).unwrap();
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
        let fifo = rustix::fs::open(out.join("fifo"), flags, rustix::fs::Mode::empty()).unwrap().into();
        let name = format!("canary-{tag}-{}", std::process::id());
        let address =
            <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(&name).unwrap();
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = std::net::UdpSocket::bind(tcp.local_addr().unwrap()).unwrap();
        let socket = UnixListener::bind(out.join("socket")).unwrap();
        let named = UnixListener::bind_addr(&address).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        socket.set_nonblocking(true).unwrap();
        named.set_nonblocking(true).unwrap();
        let outer = Command::new("sleep").arg("100000").env("HELD", &secret).stdin(Stdio::null()).spawn().unwrap();
        let mut canaries = Self { place, tcp, udp, socket, named, fifo, outer, name, secret, before: Vec::new() };
        // It has begun when it sleeps; before, it would be told from what it was, whatever an attempt does.
        let deadline = Instant::now() + HUNG;
        while canaries.outer_state().first().map(String::as_str) != Some("S") {
            assert!(Instant::now() < deadline, "{:?}", canaries.outer_state());
            std::thread::sleep(Duration::from_millis(1));
        }
        canaries.before = canaries.outside();
        canaries
    }

    /// What the kernel says of the process outside, from its state on.
    fn outer_state(&self) -> Vec<String> {
        let state = fs::read_to_string(format!("/proc/{}/stat", self.outer.id())).unwrap_or_default();
        state.rsplit(") ").next().unwrap_or_default().split(' ').map(str::to_owned).collect()
    }

    /// Describes all of the home but the layers.
    fn outside(&self) -> Vec<String> {
        let mut lines = picture(&self.place.home);
        lines.retain(|line| !line.starts_with("state/layers"));
        lines.extend(["null", "zero", "full", "random", "urandom"].iter().map(|name| {
            let meta = fs::metadata(format!("/dev/{name}")).unwrap();
            format!("/dev/{name} {:o} {} {} {}", meta.mode(), meta.uid(), meta.gid(), meta.mtime())
        }));
        lines
    }

    /// Makes one attempt and says what came of it that must not.
    fn attempt(&mut self, line: &str, mechanism: Mechanism, without: &[&str]) -> Vec<String> {
        let (layer, mut plan) = self.place.plan(line);
        plan.mechanism = mechanism;
        plan.limits.processes = 1000;
        let home = &self.place.home;
        let run = command(&plan);
        // Ten times what the longest takes; what hangs is told by its line.
        let mut bounded = Command::new("timeout");
        bounded
            .args(["-s", "KILL", "60"])
            .arg(run.get_program())
            .args(without)
            .args(run.get_args())
            .env_clear()
            .stdin(Stdio::null());
        let output = bounded
            .envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .envs([("OUT", home.join("out")), ("TREE", home.join("tree")), ("HIDDEN", home.join(".ssh/id_canary"))])
            .env("HOME", home)
            .env("PORT", self.tcp.local_addr().unwrap().port().to_string())
            .env("NAME", &self.name)
            .env("OUTER", self.outer.id().to_string())
            .output()
            .unwrap();
        let mut bad = Vec::new();
        // A launcher that was ended writes no report.
        if aish_confine::Report::read(&layer.report_path()).is_err() {
            bad.push("hung".to_owned());
        }
        let said = [output.stdout, output.stderr].concat();
        if String::from_utf8_lossy(&said).contains(&self.secret) {
            bad.push("read a secret".to_owned());
        }
        if String::from_utf8_lossy(&said).contains("the command was not run") {
            bad.push(format!("did not run: {}", String::from_utf8_lossy(&said)));
        }
        let after = self.outside();
        bad.extend(after.iter().filter(|line| !self.before.contains(line)).map(|line| format!("now there is {line}")));
        bad.extend(self.before.iter().filter(|line| !after.contains(line)).map(|line| format!("gone is {line}")));
        if self.tcp.accept().is_ok() || self.socket.accept().is_ok() || self.named.accept().is_ok() {
            bad.push("reached a listener".to_owned());
        }
        if self.udp.recv(&mut [0; 16]).is_ok() || self.fifo.read(&mut [0; 16]).is_ok_and(|read| read > 0) {
            bad.push("sent something".to_owned());
        }
        if self.outer.try_wait().unwrap().is_some() {
            bad.push("ended a process outside".to_owned());
        }
        let fields = self.outer_state();
        // State, and the nice value.
        if fields.first().map(String::as_str) != Some("S") || fields.get(16) != Some(&self.nice()) {
            bad.push(format!("a process outside is {fields:?}"));
        }
        for path in ["/tmp", "/dev/shm", "/var/tmp", "/run"] {
            let left = std::path::Path::new(path).join(format!("left-{}", self.name));
            if left.exists() {
                let _ = fs::remove_file(&left);
                bad.push(format!("{} is left", left.display()));
            }
        }
        layer.discard().unwrap();
        bad
    }

    fn nice(&self) -> String {
        let own = fs::read_to_string("/proc/self/stat").unwrap();
        own.rsplit(") ").next().unwrap().split(' ').nth(16).unwrap().to_owned()
    }
}

impl Drop for Canaries {
    fn drop(&mut self) {
        let _ = self.outer.kill();
        let _ = self.outer.wait();
        let _ = fs::set_permissions(self.place.home.join("out"), fs::Permissions::from_mode(0o755));
    }
}

fn all(mechanism: Mechanism, without: &[&str], tag: &str) {
    let mut canaries = Canaries::new(tag);
    let mut failed = Vec::new();
    for line in attempts() {
        for bad in canaries.attempt(line, mechanism, without) {
            failed.push(format!("{line}\n    {bad}"));
        }
        canaries.before = canaries.outside();
    }
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let folder = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("canary-left") && folder.starts_with(&canaries.place.home)
    });
    assert_eq!(left.count(), 0, "processes are left");
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), attempts().len(), failed.join("\n"));
}

#[test]
fn no_attempt_gets_out_of_name_spaces() {
    all(Mechanism::Namespaces, &[], "spaces");
}

#[test]
fn no_attempt_gets_out_of_name_spaces_without_landlock() {
    all(Mechanism::Namespaces, &["--without", "landlock"], "alone");
}

#[test]
fn no_attempt_gets_past_landlock() {
    all(Mechanism::Landlock, &[], "landlock");
}

#[test]
fn the_canaries_would_notice() {
    let mut canaries = Canaries::new("none");
    for line in [
        "echo x > $OUT/canary",
        "cat $HIDDEN",
        "kill -STOP $OUTER; sleep 0.1",
        "echo leak > /dev/tcp/127.0.0.1/$PORT",
        "echo leak > /dev/udp/127.0.0.1/$PORT",
        "echo leak 1<> $OUT/fifo > $OUT/fifo",
        "echo x > /tmp/left-$NAME",
        "renice -n 19 $OUTER",
    ] {
        assert!(!canaries.attempt(line, Mechanism::Bare, &[]).is_empty(), "{line}");
    }
    assert!(attempts().len() >= 100, "{}", attempts().len());
}
